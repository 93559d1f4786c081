import type { Delta, LiveEvent } from "~/train/live";

/** One entry of a conversation that is tried out: a builder sees the calls, too. */
export type Entry =
  | { kind: "person"; id: string; text: string }
  | { kind: "agent"; id: string; text: string; live?: boolean }
  | {
      kind: "call";
      id: string;
      tool: string;
      args: string;
      state: "running" | "ok" | "failed" | "waiting";
      result: string;
      ms: number;
    }
  | { kind: "note"; id: string; text: string; trouble: boolean };

export interface Trial {
  entries: Entry[];
  working: boolean;
  options: string[];
  offline: boolean;
}

export const NOTHING: Trial = { entries: [], working: false, options: [], offline: false };

type Content = Record<string, unknown>;

const TALK = new Set(["message_notify_user", "message_ask_user"]);

/** The conversation after one more event. */
export function told(before: Trial, event: LiveEvent): Trial {
  const content = event.content as Content;
  const id = String(event.sequence);
  const text = (name: string) => String(content[name] ?? "");
  const add = (entry: Entry): Trial => ({ ...before, entries: [...before.entries, entry] });
  const settled = before.entries.filter((one) => !(one.kind === "agent" && one.live));
  const working = before.working && !ends(content);
  switch (event.type) {
    case "user_message":
      // What was typed is there already.
      return before;
    case "action": {
      const call = {
        kind: "call",
        id: text("call_id"),
        tool: text("tool"),
        args: pretty(text("args")),
        state: "running",
        result: "",
        ms: 0,
      } as const;
      return { ...before, entries: [...settled, call], offline: before.offline || byOffline(content) };
    }
    case "result":
      return { ...answered(before, content), working };
    case "assistant_message": {
      const said: Entry[] = text("text") === "" ? [] : [{ kind: "agent", id, text: text("text") }];
      return {
        ...before,
        entries: [...settled, ...said],
        working,
        offline: before.offline || byOffline(content),
      };
    }
    case "handoff":
      return add({ kind: "note", id, text: `Handed over to ${text("to_agent")}`, trouble: false });
    case "stage":
      return add({
        kind: "note",
        id,
        text: content["accepted"] === false ? `Stays in ${text("from_stage")}` : `Now in ${text("to_stage")}`,
        trouble: false,
      });
    case "approval_requested": {
      const entries = before.entries.map((one) =>
        one.kind === "call" && one.id === text("call_id")
          ? { ...one, state: "waiting" as const, result: "Waits for somebody's approval." }
          : one,
      );
      return { ...before, entries, working };
    }
    case "notice":
      return add({ kind: "note", id, text: text("text"), trouble: false });
    case "error":
    case "turn_ended": {
      const reason = text(event.type === "error" ? "detail" : "reason");
      const stopped = content["ends"] === "cancelled";
      const note: Entry[] =
        stopped || (reason !== "" && ends(content))
          ? [{ kind: "note", id, text: stopped ? "Stopped." : reason, trouble: !stopped }]
          : [];
      return { ...before, entries: [...settled, ...note], working };
    }
    default:
      return { ...before, working };
  }
}

function answered(before: Trial, content: Content): Trial {
  const ok = (content["outcome"] ?? "ok") === "ok";
  const tool = String(content["tool"] ?? "");
  const data = (content["result"] ?? {}) as Content;
  const said = ok
    ? content["formatted"] || pretty(JSON.stringify(content["result"] ?? ""))
    : content["error"];
  const entries = before.entries.map((one) =>
    one.kind === "call" && one.id === content["call_id"]
      ? {
          ...one,
          state: ok ? ("ok" as const) : ("failed" as const),
          result: String(said ?? ""),
          ms: Number(content["ms"] ?? 0),
        }
      : one,
  );
  if (!ok || !TALK.has(tool)) return { ...before, entries };
  const words = String(data["message"] ?? data["question"] ?? "");
  const options = Array.isArray(data["options"]) ? data["options"].map(String) : [];
  return {
    ...before,
    options,
    entries: [...entries, { kind: "agent", id: `${String(content["call_id"])}:said`, text: words }],
  };
}

/** Words of an answer that is being spoken. */
export function heard(before: Trial, delta: Delta): Trial {
  const id = `live:${delta.key}`;
  const known = before.entries.find((one) => one.id === id);
  const text = known?.kind === "agent" ? known.text.slice(0, delta.offset) + delta.text : delta.text;
  const others = before.entries.filter((one) => one.id !== id);
  return { ...before, entries: [...others, { kind: "agent", id, text, live: true }] };
}

export function asked(before: Trial, id: string, text: string): Trial {
  return {
    ...before,
    working: true,
    options: [],
    entries: [...before.entries, { kind: "person", id, text }],
  };
}

export function noted(before: Trial, id: string, text: string, trouble: boolean): Trial {
  return { ...before, working: false, entries: [...before.entries, { kind: "note", id, text, trouble }] };
}

function ends(content: Content): boolean {
  return content["ends"] !== undefined && content["ends"] !== null;
}

function byOffline(content: Content): boolean {
  const usage = content["usage"] as { model?: string; provider?: string } | undefined;
  return content["offline"] === true || usage?.model === "offline" || usage?.provider === "offline";
}

/** JSON with a line for each thing; whatever else it is stays as it is. */
export function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
