import { useSyncExternalStore } from "react";
import { answered, api, type Schemas } from "~/api/client";
import { whenBack } from "~/api/connection";
import { newId } from "~/api/ids";
import { Away, Refused } from "~/api/problems";
import { queries } from "~/api/queries";
import { showProblem } from "~/shell/toasts";

export type Mark = Schemas["NewMark"];
export type Finished = Schemas["FinishedWorkout"];

/** What was done and is not yet with the server. Kept on the device, so that it survives a reload and a dead spot. */
export interface Waiting {
  sessionId: string;
  marks: Mark[];
  finish: { key: string; notes: string } | null;
}

const PLACE = "spotter.waiting";
let waiting: Waiting[] = read();
let sending = false;
let finished: Finished | null = null;
const listeners = new Set<() => void>();

function read(): Waiting[] {
  try {
    return JSON.parse(localStorage.getItem(PLACE) ?? "[]") as Waiting[];
  } catch {
    return [];
  }
}

function keep(next: Waiting[]): void {
  waiting = next;
  try {
    localStorage.setItem(PLACE, JSON.stringify(next));
  } catch {
    // Private windows may have no room. The list in memory is sent all the same.
  }
  for (const tell of listeners) tell();
}

function of(sessionId: string): Waiting {
  return waiting.find((one) => one.sessionId === sessionId) ?? { sessionId, marks: [], finish: null };
}

function put(one: Waiting): void {
  keep([...waiting.filter((other) => other.sessionId !== one.sessionId), one]);
}

export function mark(sessionId: string, marks: Mark[]): void {
  const before = of(sessionId);
  put({ ...before, marks: [...before.marks, ...marks] });
  void send();
}

export function finish(sessionId: string, notes: string): void {
  const before = of(sessionId);
  put({ ...before, finish: before.finish ?? { key: newId(), notes } });
  void send();
}

export function seenFinished(): void {
  finished = null;
  for (const tell of listeners) tell();
}

/** In order: ticks, then the end. What the server refuses for good is dropped, and said. */
export async function send(): Promise<void> {
  if (sending) return;
  sending = true;
  try {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) await sendOne(next);
  } catch (problem) {
    if (!(problem instanceof Away)) showProblem(problem);
  } finally {
    sending = false;
  }
}

async function sendOne(one: Waiting): Promise<void> {
  try {
    if (one.marks.length > 0) {
      const body = { session_id: one.sessionId, sets: one.marks };
      const current = await answered(api.POST("/api/training/workout/sets", { body }));
      queries.setQueryData(["workout"], current);
      const now = of(one.sessionId);
      settle({ ...now, marks: now.marks.filter((mark) => !one.marks.includes(mark)) });
    } else if (one.finish !== null) {
      const body = { session_id: one.sessionId, notes: one.finish.notes };
      const headers = { "Idempotency-Key": one.finish.key };
      const result = await answered(api.POST("/api/training/workout/finish", { body, headers }));
      keep(waiting.filter((other) => other.sessionId !== one.sessionId));
      finished = result;
      await queries.invalidateQueries();
      for (const tell of listeners) tell();
    } else {
      settle(one);
    }
  } catch (problem) {
    if (!(problem instanceof Refused) || problem.status >= 500 || problem.status === 429) throw problem;
    keep(waiting.filter((other) => other.sessionId !== one.sessionId));
    await queries.invalidateQueries({ queryKey: ["workout"] });
    throw problem;
  }
}

function settle(one: Waiting): void {
  if (one.marks.length === 0 && one.finish === null)
    keep(waiting.filter((other) => other.sessionId !== one.sessionId));
  else put(one);
}

function subscribe(tell: () => void): () => void {
  listeners.add(tell);
  return () => listeners.delete(tell);
}

export function useWaiting(): Waiting[] {
  return useSyncExternalStore(subscribe, () => waiting);
}

export function useFinished(): Finished | null {
  return useSyncExternalStore(subscribe, () => finished);
}

if (typeof window !== "undefined") {
  whenBack(() => void send());
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") void send();
  });
}
