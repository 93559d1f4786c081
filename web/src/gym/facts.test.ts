import { describe, expect, test } from "vitest";
import { factsOf, rowsOf, same, troubleOf } from "./facts";

const HOURS = { id: 1, topic: "Opening hours", text: "6 to 22" };

describe("what the front desk knows", () => {
  test("comes and goes as it is written", () => {
    const facts = { "Opening hours": "6 to 22", Prices: "39 a month" };
    expect(factsOf(rowsOf(facts))).toEqual(facts);
    expect(factsOf([{ ...HOURS, topic: " Opening hours ", text: " 6 to 22 " }])).toEqual({
      "Opening hours": "6 to 22",
    });
  });

  test("has one text for a topic, and no empty ones", () => {
    expect(troubleOf(HOURS, [HOURS])).toBeNull();
    expect(troubleOf({ ...HOURS, topic: "  " }, [])?.topic).toBeDefined();
    expect(troubleOf({ ...HOURS, text: "" }, [])?.text).toBeDefined();
    const twice = { ...HOURS, id: 2 };
    expect(troubleOf(twice, [HOURS, twice])?.topic).toBeDefined();
    expect(troubleOf(HOURS, [HOURS, twice])).toBeNull();
  });

  test("is the same only with the same topics", () => {
    expect(same([HOURS], [{ ...HOURS, id: 7 }])).toBe(true);
    expect(same([HOURS], [HOURS, { id: 2, topic: "Opening hours", text: "6 to 22" }])).toBe(false);
  });
});
