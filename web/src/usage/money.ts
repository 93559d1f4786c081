/**
 * Money in whole micro-dollars. Everything is added up by the server; here it is only written down, with whole numbers
 * throughout: no amount on the page differs from the ledger by a rounding of its own.
 */

const DOLLAR = 1_000_000n;
const MOST_DECIMALS = 6;

function grouped(whole: bigint): string {
  return whole.toString().replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

/** Exact, but for `decimals` fewer than it takes: then half up. */
export function dollars(micros: number | bigint, decimals = decimalsFor([micros])): string {
  const amount = BigInt(micros);
  const size = amount < 0n ? -amount : amount;
  const step = 10n ** BigInt(MOST_DECIMALS - decimals);
  const rounded = ((size + step / 2n) / step) * step;
  const fraction = (rounded % DOLLAR).toString().padStart(MOST_DECIMALS, "0").slice(0, decimals);
  return `${amount < 0n && rounded > 0n ? "−" : ""}$${grouped(rounded / DOLLAR)}.${fraction}`;
}

/** As few decimals, from two on, as show all of these amounts exactly: a column that lines up and adds up. */
export function decimalsFor(amounts: (number | bigint)[]): number {
  for (let decimals = 2; decimals < MOST_DECIMALS; decimals += 1) {
    const step = 10n ** BigInt(MOST_DECIMALS - decimals);
    if (amounts.every((amount) => BigInt(amount) % step === 0n)) return decimals;
  }
  return MOST_DECIMALS;
}

/** For a headline: cents, or more where it is less than one. The exact amount belongs beside it, in a title. */
export function shortDollars(micros: number): string {
  const size = Math.abs(micros);
  if (size === 0 || size >= 10_000) return dollars(micros, 2);
  return dollars(micros, size >= 100 ? 4 : MOST_DECIMALS);
}

/** What somebody typed, as micro-dollars; null when it is no amount. Never by way of a float. */
export function parseDollars(typed: string): number | null {
  const found = /^\$?\s*(\d{1,10})(?:[.,](\d{0,6}))?$/.exec(
    typed.trim().replace(/(?<=\d),(?=\d{3}(\D|$))/g, ""),
  );
  if (found === null) return null;
  const micros = BigInt(found[1] ?? "0") * DOLLAR + BigInt((found[2] ?? "").padEnd(MOST_DECIMALS, "0"));
  return micros <= 10n ** 15n ? Number(micros) : null;
}

/** How it stands in a field to be edited: parses back to the same amount. */
export function typedDollars(micros: number): string {
  const whole = BigInt(micros);
  const fraction = (whole % DOLLAR).toString().padStart(MOST_DECIMALS, "0").replace(/0+$/, "");
  return `${whole / DOLLAR}${fraction === "" ? "" : `.${fraction.padEnd(2, "0")}`}`;
}

/** Millionths of a credit. */
export function credits(micro: number): string {
  const amount = BigInt(micro);
  const size = amount < 0n ? -amount : amount;
  const fraction = (size % DOLLAR).toString().padStart(MOST_DECIMALS, "0").replace(/0+$/, "");
  return `${amount < 0n ? "−" : ""}${grouped(size / DOLLAR)}${fraction === "" ? "" : `.${fraction}`}`;
}

export function count(value: number): string {
  return grouped(BigInt(value));
}

/** 1,234,567 as 1.2M: for places where the digits do not matter. */
export function shortCount(value: number): string {
  return new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 }).format(value);
}

/** In whole percent, for the width of a bar or a word beside it. Something is never shown as nothing. */
export function percent(part: number, whole: number): number {
  if (whole <= 0 || part <= 0) return 0;
  return Math.max(1, Math.round((part / whole) * 100));
}
