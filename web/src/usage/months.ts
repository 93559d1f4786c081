/** Months as `2026-11`, days as `2026-11-16`: calendar facts of the organisation's place, with no clock in them. */

export function monthOf(day: string): string {
  return day.slice(0, 7);
}

export function isMonth(text: unknown): text is string {
  return typeof text === "string" && /^20\d\d-(0[1-9]|1[0-2])$/.test(text);
}

export function later(month: string, months: number): string {
  const index = Number(month.slice(0, 4)) * 12 + Number(month.slice(5)) - 1 + months;
  return `${Math.floor(index / 12)}-${String((index % 12) + 1).padStart(2, "0")}`;
}

/** Half-open, as the server wants it: `to` is the day after the last. */
export function bounds(month: string): { from: string; to: string } {
  return { from: `${month}-01`, to: `${later(month, 1)}-01` };
}

/** The days of a month are UTC's here, so that no device's own zone moves them. */
function utc(day: string): Date {
  return new Date(`${day}T00:00:00Z`);
}

export function monthName(month: string): string {
  return utc(`${month}-01`).toLocaleDateString("en", { month: "long", year: "numeric", timeZone: "UTC" });
}

export function dayName(day: string): string {
  return utc(day).toLocaleDateString("en", {
    weekday: "short",
    day: "numeric",
    month: "short",
    timeZone: "UTC",
  });
}

/** The day it is there at that moment. */
export function dayAt(moment: string, timezone: string): string {
  const parts = new Intl.DateTimeFormat("en-CA", { timeZone: timezone, dateStyle: "short" });
  return parts.format(new Date(moment));
}

export function momentAt(moment: string, timezone: string): string {
  return new Date(moment).toLocaleString("en", {
    timeZone: timezone,
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
    hour12: false,
  });
}

/** The newest first, as far back as there was anything, and at least the last three. */
export function choosable(current: string, used: string[]): string[] {
  const oldest = [...used, later(current, -2)].sort()[0] ?? current;
  const found: string[] = [];
  for (let month = current; month >= oldest && found.length < 36; month = later(month, -1)) found.push(month);
  return found;
}
