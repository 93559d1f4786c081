import { expect, it } from "vitest";
import { named, ticks } from "./chart";

it("uses round numbers that reach over the highest bar", () => {
  expect(ticks(37)).toEqual([0, 10, 20, 30, 40]);
  expect(ticks(1_234_567)).toEqual([0, 500_000, 1_000_000, 1_500_000]);
  expect(ticks(1)).toEqual([0, 1]);
  expect(ticks(0)).toEqual([0]);
});

it("never stops below the highest bar and never has too many lines", () => {
  for (const most of [2, 3, 7, 11, 99, 101, 4_999, 5_001, 123_456_789]) {
    const found = ticks(most);
    expect(found.at(-1)).toBeGreaterThanOrEqual(most);
    expect(found.length).toBeLessThanOrEqual(6);
  }
});

it("names as many days as fit", () => {
  expect(named(31, 1100)).toBe(1);
  expect(named(31, 300)).toBe(3);
});
