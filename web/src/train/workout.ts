import type { Schemas } from "~/api/client";
import type { Mark, Waiting } from "./ticks";
import { clock } from "./timer";

export type Current = Schemas["CurrentWorkout"];
type Workout = NonNullable<Current["workout"]>;
export type Exercise = Workout["exercises"][number];

export interface SetState {
  number: number;
  done: boolean;
  reps: number | null;
  seconds: number | null;
  weight: number | null;
}

export function setCount(exercise: Exercise): number {
  switch (exercise.type) {
    case "reps":
    case "hold":
      return exercise.sets;
    case "intervals":
      return exercise.rounds;
    default:
      return 1;
  }
}

/** Seconds of work of one set, for what is timed. */
export function workSeconds(exercise: Exercise): number | null {
  switch (exercise.type) {
    case "hold":
      return exercise.hold_time;
    case "duration":
      return exercise.duration;
    case "intervals":
      return exercise.work_time;
    default:
      return null;
  }
}

export function restSeconds(exercise: Exercise): number {
  switch (exercise.type) {
    case "reps":
    case "hold":
      return exercise.rest_between_sets;
    case "intervals":
      return exercise.rest_time;
    default:
      return 0;
  }
}

export function prescription(exercise: Exercise): string {
  const side = "per_side" in exercise && exercise.per_side ? " each side" : "";
  const load = "weight_kg" in exercise && exercise.weight_kg ? ` · ${exercise.weight_kg} kg` : "";
  switch (exercise.type) {
    case "reps":
      return `${exercise.sets} × ${exercise.reps}${side}${load}`;
    case "hold":
      return `${exercise.sets} × ${span(exercise.hold_time)}${side}${load}`;
    case "intervals":
      return `${exercise.rounds} rounds · ${span(exercise.work_time)} on, ${span(exercise.rest_time)} off`;
    default:
      return span(exercise.duration);
  }
}

export function span(seconds: number): string {
  if (seconds <= 90) return `${seconds} s`;
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${clock(seconds)} min`;
}

/** What was done of an exercise: the server's word, and over it what this device has not sent yet. */
export function setsOf(exercise: Exercise, current: Current, waiting: Waiting[]): SetState[] {
  const mine = waiting.find((one) => one.sessionId === current.session_id)?.marks ?? [];
  return Array.from({ length: setCount(exercise) }, (_, place) => {
    const number = place + 1;
    const said: {
      done?: boolean;
      at: string;
      reps?: number | null;
      seconds?: number | null;
      weight_kg?: number | null;
    }[] = [...current.sets, ...mine].filter(
      (one) => one.exercise_id === exercise.id && one.set_number === number,
    );
    const last = said.reduce<(typeof said)[number] | null>(
      (best, one) => (best === null || Date.parse(one.at) >= Date.parse(best.at) ? one : best),
      null,
    );
    return {
      number,
      done: last?.done ?? false,
      reps: last?.reps ?? (exercise.type === "reps" ? exercise.reps : null),
      seconds: last?.seconds ?? workSeconds(exercise),
      weight: last?.weight_kg ?? ("weight_kg" in exercise ? (exercise.weight_kg ?? null) : null),
    };
  });
}

export function markOf(exercise: Exercise, set: SetState, done: boolean): Mark {
  return {
    exercise_id: exercise.id ?? "",
    set_number: set.number,
    done,
    at: new Date().toISOString(),
    reps: exercise.type === "reps" ? set.reps : null,
    seconds: exercise.type === "reps" ? null : set.seconds,
    weight_kg: set.weight,
  };
}

export const PHASES: Record<string, string> = { warmup: "Warm-up", main: "Workout", cooldown: "Cool-down" };
