import { lazy, Suspense, useSyncExternalStore } from "react";
import { Away } from "~/api/problems";

/** What shows them comes after the first page: nothing needs telling before. */
const load = () => import("./ToastShelf");
const ToastShelf = lazy(() => load().then((module) => ({ default: module.ToastShelf })));

let wanted = false;
const listeners = new Set<() => void>();

/** The shelf is put up once it is here: one that could not be fetched must not take the page with it. */
async function want(): ReturnType<typeof load> {
  const module = await load();
  wanted = true;
  for (const tell of listeners) tell();
  return module;
}

/** What went wrong, with the number to name when somebody reports it. The banner tells when the server is away. */
export function showProblem(problem: unknown): void {
  if (problem instanceof Away) return;
  void want().then((module) => module.problem(problem));
}

export function showDone(message: string, title?: string): void {
  void want().then((module) => module.done(message, title));
}

export function ToastsWhenWanted() {
  const here = useSyncExternalStore(
    (tell) => {
      listeners.add(tell);
      return () => listeners.delete(tell);
    },
    () => wanted,
  );
  return <Suspense fallback={null}>{here ? <ToastShelf /> : null}</Suspense>;
}

// Fetched while the server is there to fetch it from.
if (typeof window !== "undefined") window.setTimeout(() => void want().catch(() => undefined), 3000);
