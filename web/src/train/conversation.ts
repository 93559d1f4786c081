import type { Delta, LiveEvent } from "./live";

export interface Question {
  text: string;
  options: string[];
}

/** One entry of the conversation as people see it. */
export type Entry =
  | { kind: "person"; id: string; text: string; pending?: boolean; failed?: boolean }
  | { kind: "agent"; id: string; text: string; live?: boolean }
  | { kind: "step"; id: string; tool: string; text: string; failed: boolean }
  | { kind: "note"; id: string; text: string; trouble: boolean; about?: "spotter" };

export interface Conversation {
  entries: Entry[];
  question: Question | null;
  /** A turn is going on. */
  working: boolean;
  last: number;
  /** Counts changes of the workout, so that the card knows when to look again. */
  workoutChanges: number;
  offline: boolean;
  /** Where a conversation with stages stands. */
  stage: string | null;
}

export const EMPTY: Conversation = {
  entries: [],
  question: null,
  working: false,
  last: 0,
  workoutChanges: 0,
  offline: false,
  stage: null,
};

const STEPS: Record<string, string> = {
  generate_workout: "Made a workout",
  swap_exercise: "Swapped an exercise",
  adjust_exercise: "Adjusted an exercise",
  remove_exercise: "Removed an exercise",
  log_workout: "Logged the workout",
  set_goals: "Changed your goals",
  set_preference: "Remembered a preference",
  delete_preference: "Forgot a preference",
  schedule_workout: "Put a workout on your calendar",
  update_scheduled_workout: "Moved a workout",
  cancel_scheduled_workout: "Cancelled a workout",
  generate_workout_timers: "Set the timers",
  generate_exercise_timer: "Set a timer",
  get_progress_summary: "Looked at your progress",
  get_workout_stats: "Looked at your numbers",
  get_goal_progress: "Looked at your goals",
};

const CHANGES_WORKOUT = new Set([
  "generate_workout",
  "swap_exercise",
  "adjust_exercise",
  "remove_exercise",
  "log_workout",
  // A new injury is checked against the workout on the table.
  "set_preference",
]);

interface Content {
  [name: string]: unknown;
}

/** The conversation after one more event. Events come in order, and each once. */
export function told(before: Conversation, event: LiveEvent): Conversation {
  if (event.sequence <= before.last) return before;
  const content = event.content as Content;
  const next: Conversation = { ...before, last: event.sequence };
  const id = String(event.sequence);
  switch (event.type) {
    case "user_message": {
      const text = String(content["text"] ?? "");
      const waiting = before.entries.findIndex(
        (one) => one.kind === "person" && one.pending && one.text === text,
      );
      next.entries =
        waiting >= 0 ? before.entries.filter((_, place) => place !== waiting) : [...before.entries];
      next.entries.push({ kind: "person", id, text });
      // Spoken: whoever answers does so aloud, and no turn begins here.
      return { ...next, working: content["source"] === "voice" ? before.working : true, question: null };
    }
    case "action":
      return { ...next, working: true, offline: before.offline || byOffline(content) };
    case "result":
      return result(next, content, id);
    case "assistant_message": {
      const text = String(content["text"] ?? "");
      next.entries = settled(before.entries);
      if (text !== "") next.entries.push({ kind: "agent", id, text });
      return ended({ ...next, offline: before.offline || byOffline(content) }, content);
    }
    case "error":
    case "turn_ended": {
      const text = String(content[event.type === "error" ? "detail" : "reason"] ?? "");
      next.entries = settled(before.entries);
      if (content["ends"] === "cancelled")
        next.entries.push({ kind: "note", id, text: "Stopped.", trouble: false });
      else if (text !== "" && content["ends"] !== undefined)
        next.entries.push({ kind: "note", id, text, trouble: true });
      return ended(next, content);
    }
    case "notice":
      next.entries = [
        ...before.entries,
        { kind: "note", id, text: String(content["text"] ?? ""), trouble: false, about: "spotter" },
      ];
      return next;
    case "stage":
      return content["accepted"] === false ? next : { ...next, stage: String(content["to_stage"] ?? "") };
    case "knowledge": {
      if (content["source"] === "workout_checked")
        return { ...next, workoutChanges: before.workoutChanges + 1 };
      if (content["source"] !== "workout_finished") return next;
      const data = content["data"] as { sets?: number; experience?: { xp?: number } } | undefined;
      const text = `Workout finished: ${data?.sets ?? 0} sets, +${data?.experience?.xp ?? 0} XP`;
      next.entries = [...before.entries, { kind: "step", id, tool: "log_workout", text, failed: false }];
      return { ...next, workoutChanges: before.workoutChanges + 1 };
    }
    default:
      return next;
  }
}

function result(next: Conversation, content: Content, id: string): Conversation {
  const tool = String(content["tool"] ?? "");
  const outcome = content["outcome"] ?? "ok";
  const data = (content["result"] ?? {}) as Content;
  next.entries = settled(next.entries);
  if (outcome === "ok" && tool === "message_notify_user") {
    next.entries.push({ kind: "agent", id, text: String(data["message"] ?? "") });
  } else if (outcome === "ok" && tool === "message_ask_user") {
    const text = String(data["question"] ?? "");
    next.entries.push({ kind: "agent", id, text });
    const options = Array.isArray(data["options"]) ? data["options"].map(String) : [];
    next.question = { text, options };
  } else if (tool in STEPS) {
    const failed = outcome !== "ok";
    const text = failed ? String(content["error"] ?? "That did not work.") : stepText(tool, data);
    // What an agent tried and put right by itself is of no interest to the athlete.
    if (!failed) next.entries.push({ kind: "step", id, tool, text, failed });
  }
  if (outcome === "ok" && CHANGES_WORKOUT.has(tool)) next.workoutChanges += 1;
  return ended(next, content);
}

function stepText(tool: string, data: Content): string {
  const name = (field: string) => String(data[field] ?? "");
  switch (tool) {
    case "generate_workout":
      return `Made a workout with ${name("exercise_count")} exercises`;
    case "swap_exercise":
      return `Swapped ${name("old_exercise")} for ${name("new_exercise")}`;
    case "adjust_exercise":
      return `Adjusted ${name("exercise_name")}`;
    case "remove_exercise":
      return `Removed ${name("removed_exercise")}`;
    default:
      return STEPS[tool] ?? tool;
  }
}

function ended(next: Conversation, content: Content): Conversation {
  return content["ends"] !== undefined && content["ends"] !== null ? { ...next, working: false } : next;
}

function settled(entries: Entry[]): Entry[] {
  return entries.filter((one) => !(one.kind === "agent" && one.live));
}

function byOffline(content: Content): boolean {
  const usage = content["usage"] as { model?: string; provider?: string } | undefined;
  return content["offline"] === true || usage?.model === "offline" || usage?.provider === "offline";
}

/** Words of an answer that is being spoken. */
export function heard(before: Conversation, delta: Delta): Conversation {
  const id = `live:${delta.key}`;
  const known = before.entries.find((one) => one.id === id);
  const text = known?.kind === "agent" ? known.text.slice(0, delta.offset) + delta.text : delta.text;
  const entries = before.entries.filter((one) => one.id !== id);
  return { ...before, working: true, entries: [...entries, { kind: "agent", id, text, live: true }] };
}

export function saying(before: Conversation, id: string, text: string): Conversation {
  const entry: Entry = { kind: "person", id, text, pending: true };
  return { ...before, working: true, question: null, entries: [...before.entries, entry] };
}
