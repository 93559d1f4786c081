import { expect, it } from "vitest";
import { bounds, choosable, dayAt, isMonth, later, monthName } from "./months";

it("goes over the year's end both ways", () => {
  expect(later("2026-12", 1)).toBe("2027-01");
  expect(later("2026-01", -1)).toBe("2025-12");
  expect(later("2026-11", -23)).toBe("2024-12");
});

it("ends with the day after the last", () => {
  expect(bounds("2026-02")).toEqual({ from: "2026-02-01", to: "2026-03-01" });
  expect(bounds("2026-12")).toEqual({ from: "2026-12-01", to: "2027-01-01" });
});

it("names months, and knows one when it sees it", () => {
  expect(monthName("2026-11")).toBe("November 2026");
  expect(isMonth("2026-11")).toBe(true);
  for (const wrong of ["2026-13", "2026-1", "1999-01", "x", undefined]) expect(isMonth(wrong)).toBe(false);
});

it("knows which day it is over there", () => {
  expect(dayAt("2026-10-31T23:30:00Z", "Europe/Berlin")).toBe("2026-11-01");
  expect(dayAt("2026-11-01T03:30:00Z", "America/New_York")).toBe("2026-10-31");
});

it("offers the months since the first use, three at least", () => {
  expect(choosable("2026-02", [])).toEqual(["2026-02", "2026-01", "2025-12"]);
  expect(choosable("2026-02", ["2025-10"])).toHaveLength(5);
});
