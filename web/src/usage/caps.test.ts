import { expect, it } from "vitest";
import { EMPTY, read, titleOf, typedOf } from "./caps";

it("reads amounts as whole micro-dollars or tokens", () => {
  expect(read({ ...EMPTY, soft: "0.1", hard: "20" })).toEqual({ soft: 100_000, hard: 20_000_000, wrong: {} });
  expect(read({ ...EMPTY, unit: "tokens", hard: "2,000,000" })).toEqual({
    soft: null,
    hard: 2_000_000,
    wrong: {},
  });
});

it("says what is wrong where it is wrong", () => {
  expect(Object.keys(read(EMPTY).wrong)).toEqual(["hard"]);
  expect(Object.keys(read({ ...EMPTY, hard: "lots" }).wrong)).toEqual(["hard"]);
  expect(Object.keys(read({ ...EMPTY, soft: "30", hard: "20" }).wrong)).toEqual(["soft"]);
  expect(Object.keys(read({ ...EMPTY, whom: "agent:one", hard: "1" }).wrong)).toEqual(["subject"]);
  expect(Object.keys(read({ ...EMPTY, unit: "tokens", hard: "1.5" }).wrong)).toEqual(["hard"]);
});

it("writes a saved one back as it was typed", () => {
  const cap = {
    id: "x",
    scope: "agent",
    subject: "desk",
    period: "day",
    unit: "money",
    soft: null,
    hard: 1_500_000,
    created_at: "2026-11-01T00:00:00Z",
  };
  const typed = typedOf(cap);
  expect(typed).toMatchObject({ whom: "agent:one", subject: "desk", soft: "", hard: "1.50" });
  expect(read(typed).hard).toBe(1_500_000);
  expect(titleOf(cap, "Front desk")).toBe("Front desk, a day");
});
