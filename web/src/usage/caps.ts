import type { Schemas } from "~/api/client";
import { count, dollars, parseDollars, typedDollars } from "./money";

type Cap = Schemas["Cap"];

/** Whom a limit can be for, in the words of the form. `one` asks for whom. */
export const WHOM = [
  { value: "organisation", label: "The whole organisation" },
  { value: "user", label: "Each person" },
  { value: "user:one", label: "One person" },
  { value: "agent", label: "Each agent" },
  { value: "agent:one", label: "One agent" },
  { value: "session", label: "Each conversation" },
] as const;

export const PERIODS: Record<string, string> = { day: "a day", month: "a month", total: "in total" };

export function amount(value: number, unit: string): string {
  return unit === "money" ? dollars(value) : `${count(value)} tokens`;
}

/** `Each person, a month`, say. */
export function titleOf(cap: Pick<Cap, "scope" | "subject" | "period">, name: string): string {
  const each: Record<string, string> = {
    organisation: "The whole organisation",
    user: "Each person",
    agent: "Each agent",
    session: "Each conversation",
    run: "Each run",
  };
  const whom = cap.subject === "" ? (each[cap.scope] ?? cap.scope) : name;
  return `${whom}, ${PERIODS[cap.period] ?? cap.period}`;
}

export interface Typed {
  whom: string;
  subject: string;
  period: string;
  unit: string;
  soft: string;
  hard: string;
}

export const EMPTY: Typed = {
  whom: "organisation",
  subject: "",
  period: "month",
  unit: "money",
  soft: "",
  hard: "",
};

export function typedOf(cap: Cap): Typed {
  const write = (value: number | null) =>
    value === null ? "" : cap.unit === "money" ? typedDollars(value) : String(value);
  return {
    whom: cap.subject === "" ? cap.scope : `${cap.scope}:one`,
    subject: cap.subject,
    period: cap.period,
    unit: cap.unit,
    soft: write(cap.soft),
    hard: write(cap.hard),
  };
}

export interface Read {
  soft: number | null;
  hard: number | null;
  wrong: Partial<Record<keyof Typed, string>>;
}

/** What was typed, as whole numbers, and what is wrong with it at which field. */
export function read(typed: Typed): Read {
  const wrong: Read["wrong"] = {};
  const one = (name: "soft" | "hard"): number | null => {
    const text = typed[name].trim();
    if (text === "") return null;
    const value = typed.unit === "money" ? parseDollars(text) : wholeNumber(text);
    if (value === null) {
      wrong[name] =
        typed.unit === "money" ? "An amount in dollars, such as 25 or 0.50." : "A whole number of tokens.";
    }
    return value;
  };
  const soft = one("soft");
  const hard = one("hard");
  if (typed.soft.trim() === "" && typed.hard.trim() === "")
    wrong.hard = "Give an amount to stop at, to warn at, or both.";
  if (soft !== null && hard !== null && soft > hard) wrong.soft = "The warning comes before the stop.";
  if (typed.whom.endsWith(":one") && typed.subject === "") wrong.subject = "Choose whom it is for.";
  return { soft, hard, wrong };
}

function wholeNumber(text: string): number | null {
  const digits = text.replaceAll(/[,_\s]/g, "");
  return /^\d{1,15}$/.test(digits) ? Number(digits) : null;
}
