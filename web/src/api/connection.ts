import { useSyncExternalStore } from "react";

/** Whether the server answers. Whoever notices that it does not says so; from then on it is asked until it does. */
type State = "here" | "away";

let state: State = "here";
let timer: number | undefined;
let pause = 500;
const listeners = new Set<() => void>();
const onReturn = new Set<() => void>();

function set(next: State): void {
  if (next === state) return;
  state = next;
  for (const tell of listeners) tell();
  if (next === "here") for (const act of onReturn) act();
}

async function look(): Promise<void> {
  try {
    const answer = await fetch("/api/health", { cache: "no-store" });
    // A server whose database is still starting answers, but not yet for long.
    if (answer.ok) {
      pause = 500;
      set("here");
      return;
    }
  } catch {
    // Still away.
  }
  pause = Math.min(pause * 1.6, 8000);
  timer = window.setTimeout(look, pause);
}

export function noticeAway(): void {
  if (state === "away") return;
  set("away");
  window.clearTimeout(timer);
  timer = window.setTimeout(look, pause);
}

/** Asks at once, instead of at the next turn. */
export function lookNow(): void {
  if (state !== "away") return;
  window.clearTimeout(timer);
  void look();
}

export function whenBack(act: () => void): () => void {
  onReturn.add(act);
  return () => onReturn.delete(act);
}

export function isAway(): boolean {
  return state === "away";
}

export function useConnection(): State {
  return useSyncExternalStore(
    (tell) => {
      listeners.add(tell);
      return () => listeners.delete(tell);
    },
    () => state,
  );
}

if (typeof window !== "undefined") {
  window.addEventListener("online", lookNow);
  window.addEventListener("offline", noticeAway);
}
