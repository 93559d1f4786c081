import { describe, expect, it } from "vitest";
import { credits, decimalsFor, dollars, parseDollars, percent, shortDollars, typedDollars } from "./money";

describe("dollars", () => {
  it("writes every micro-dollar where there is one", () => {
    expect(dollars(0)).toBe("$0.00");
    expect(dollars(1)).toBe("$0.000001");
    expect(dollars(24_000)).toBe("$0.024");
    expect(dollars(1_234_567_890_000)).toBe("$1,234,567.89");
    expect(dollars(-1_500_000)).toBe("−$1.50");
  });

  it("rounds half up when told how many decimals", () => {
    expect(dollars(5_000, 2)).toBe("$0.01");
    expect(dollars(4_999, 2)).toBe("$0.00");
    expect(dollars(999_995_000, 2)).toBe("$1,000.00");
    expect(dollars(-4_000, 2)).toBe("$0.00");
  });

  it("stays exact where floats do not", () => {
    expect(dollars(9_007_199_254_740_991)).toBe("$9,007,199,254.740991");
  });

  it("uses the same decimals for a column", () => {
    expect(decimalsFor([10_000, 20_000])).toBe(2);
    expect(decimalsFor([10_000, 20_500])).toBe(4);
    expect(decimalsFor([1])).toBe(6);
    expect(decimalsFor([])).toBe(2);
  });

  it("is short in a headline, and never shows something as nothing", () => {
    expect(shortDollars(12_345_678)).toBe("$12.35");
    expect(shortDollars(9_700)).toBe("$0.0097");
    expect(shortDollars(42)).toBe("$0.000042");
    expect(shortDollars(0)).toBe("$0.00");
  });
});

describe("typed amounts", () => {
  it.each([
    ["50", 50_000_000],
    ["$ 0.1", 100_000],
    ["1,250.50", 1_250_500_000],
    ["0.000001", 1],
    ["12,5", 12_500_000],
    ["0.30", 300_000],
  ])("reads %s", (typed, micros) => {
    expect(parseDollars(typed)).toBe(micros);
  });

  it.each(["", "abc", "-5", "1e3", "0.0000001", "99999999999", "1.2.3"])("refuses %s", (typed) => {
    expect(parseDollars(typed)).toBeNull();
  });

  it("reads back what it wrote", () => {
    for (const micros of [0, 1, 300_000, 12_500_000, 10 ** 15]) {
      expect(parseDollars(typedDollars(micros))).toBe(micros);
    }
  });
});

describe("credits and shares", () => {
  it("writes millionths", () => {
    expect(credits(250_000_000)).toBe("250");
    expect(credits(-1_500_000)).toBe("−1.5");
  });

  it("shows a little as something", () => {
    expect(percent(1, 1_000_000)).toBe(1);
    expect(percent(0, 10)).toBe(0);
    expect(percent(1, 0)).toBe(0);
  });
});
