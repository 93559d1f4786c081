import type { AgUiEvent, CallCost, Interrupt, Message, Metadata, SharedState, ToolCall } from "./agui";

/** A conversation as the page knows it: what the server's events add up to. */
export interface Thread {
  messages: Message[];
  state: SharedState;
  /** The message that is being spoken. */
  speaking: string | null;
  running: boolean;
  /** It has been told from the beginning. */
  loaded: boolean;
  interrupts: Interrupt[];
  stopped: boolean;
  trouble: { message: string; code: string } | null;
  notices: string[];
  costs: CallCost[];
  total: number;
  /** Grows with every entry of the server's log. */
  last: number;
}

export const EMPTY: Thread = {
  messages: [],
  state: {},
  speaking: null,
  running: false,
  loaded: false,
  interrupts: [],
  stopped: false,
  trouble: null,
  notices: [],
  costs: [],
  total: 0,
  last: 0,
};

export function told(before: Thread, event: AgUiEvent): Thread {
  switch (event.type) {
    case "RUN_STARTED":
      return { ...before, running: true, stopped: false, trouble: null, interrupts: [], notices: [] };
    case "RUN_FINISHED": {
      const outcome = event.outcome ?? { type: "success" };
      return {
        ...rested(before),
        stopped: outcome.type === "cancelled",
        interrupts: outcome.type === "interrupt" ? outcome.interrupts : [],
      };
    }
    case "RUN_ERROR":
      return { ...rested(before), trouble: { message: event.message, code: event.code ?? "" } };
    case "MESSAGES_SNAPSHOT":
      return seen({ ...before, messages: event.messages, speaking: null }, newest(event.messages));
    case "STATE_SNAPSHOT":
      return { ...before, state: event.snapshot };
    case "STATE_DELTA":
      return { ...before, state: patched(before.state, event.delta) };
    case "TOOL_CALL_START":
    case "TOOL_CALL_ARGS":
    case "TOOL_CALL_END":
    case "TOOL_CALL_RESULT":
      return called(before, event);
    case "CUSTOM":
      return aside(before, event.name, event.value);
    default:
      return spoken(before, event);
  }
}

/** What the person says, before the server has it. */
export function saying(before: Thread, id: string, text: string): Thread {
  const message: Message = { id, role: "user", content: text };
  return {
    ...before,
    running: true,
    stopped: false,
    trouble: null,
    interrupts: [],
    messages: [...before.messages, message],
  };
}

function rested(before: Thread): Thread {
  return { ...before, running: false, loaded: true, speaking: null };
}

type Spoken = Extract<
  AgUiEvent,
  { type: "TEXT_MESSAGE_START" | "TEXT_MESSAGE_CONTENT" | "TEXT_MESSAGE_END" }
>;

function spoken(before: Thread, event: Spoken): Thread {
  const id = event.messageId;
  switch (event.type) {
    case "TEXT_MESSAGE_START": {
      const role = event.role ?? "assistant";
      const known = before.messages.some((one) => one.id === id);
      const begun: Message = { id, role, content: "", name: by(before) };
      return {
        ...before,
        speaking: id,
        messages: known
          ? changed(before.messages, id, (one) => ({ ...one, content: one.content ?? "" }))
          : [...before.messages, begun],
      };
    }
    case "TEXT_MESSAGE_CONTENT":
      return {
        ...before,
        messages: changed(before.messages, id, (one) => ({
          ...one,
          content: (one.content ?? "") + event.delta,
        })),
      };
    case "TEXT_MESSAGE_END": {
      const messages = changed(before.messages, id, (one) => ({
        ...one,
        metadata: { ...one.metadata, ...event.metadata },
      }));
      return seen({ ...before, speaking: null, messages }, event.metadata);
    }
  }
}

type Called = Extract<
  AgUiEvent,
  { type: "TOOL_CALL_START" | "TOOL_CALL_ARGS" | "TOOL_CALL_END" | "TOOL_CALL_RESULT" }
>;

function called(before: Thread, event: Called): Thread {
  switch (event.type) {
    case "TOOL_CALL_START": {
      const call: ToolCall = {
        id: event.toolCallId,
        function: { name: event.toolCallName, arguments: "" },
        metadata: event.metadata,
      };
      const parent = event.parentMessageId ?? event.toolCallId;
      const known = before.messages.some((one) => one.id === parent);
      const messages: Message[] = known
        ? before.messages
        : [...before.messages, { id: parent, role: "assistant", name: by(before), metadata: event.metadata }];
      const carried = changed(messages, parent, (one) => ({
        ...one,
        toolCalls: [...(one.toolCalls ?? []).filter((other) => other.id !== call.id), call],
      }));
      return seen({ ...before, messages: carried }, event.metadata);
    }
    case "TOOL_CALL_ARGS": {
      const messages = before.messages.map((one) =>
        one.toolCalls?.some((call) => call.id === event.toolCallId)
          ? { ...one, toolCalls: one.toolCalls.map((call) => withArguments(call, event)) }
          : one,
      );
      return { ...before, messages };
    }
    case "TOOL_CALL_END":
      return before;
    case "TOOL_CALL_RESULT": {
      const { messageId, toolCallId, content, metadata } = event;
      const others = before.messages.filter((one) => one.id !== messageId);
      const result: Message = { id: messageId, role: "tool", toolCallId, content, metadata };
      return seen({ ...before, messages: [...others, result] }, metadata);
    }
  }
}

function withArguments(call: ToolCall, event: { toolCallId: string; delta: string }): ToolCall {
  if (call.id !== event.toolCallId) return call;
  return { ...call, function: { ...call.function, arguments: call.function.arguments + event.delta } };
}

function aside(before: Thread, name: string, value: unknown): Thread {
  const told = value as Record<string, unknown>;
  switch (name) {
    case "spotter.recorded": {
      const metadata: Metadata = { sequence: Number(told["sequence"]), at: String(told["at"]) };
      const messages = changed(before.messages, String(told["messageId"]), (one) => ({ ...one, metadata }));
      return seen({ ...before, messages }, metadata);
    }
    case "spotter.cost": {
      const cost = value as { session: { charge: number }; calls: CallCost[] };
      const known = new Map(before.costs.map((one) => [one.sequence, one]));
      for (const one of cost.calls) known.set(one.sequence, one);
      return { ...before, costs: [...known.values()], total: cost.session.charge };
    }
    case "spotter.usage":
      return seen(before, { sequence: Number(told["sequence"]) });
    case "spotter.notice":
    case "spotter.interrupted":
      return { ...before, notices: [...before.notices, String(told["text"] ?? "")] };
    default:
      return before;
  }
}

function seen(thread: Thread, metadata: Metadata | undefined): Thread {
  return { ...thread, last: Math.max(thread.last, metadata?.sequence ?? 0) };
}

function newest(messages: Message[]): Metadata {
  return { sequence: Math.max(0, ...messages.map((one) => one.metadata?.sequence ?? 0)) };
}

function by(thread: Thread): string | undefined {
  return thread.state.agent ?? undefined;
}

function changed(messages: Message[], id: string, change: (one: Message) => Message): Message[] {
  return messages.map((one) => (one.id === id ? change(one) : one));
}

/** The server only replaces whole parts of the state. */
function patched(state: SharedState, delta: { op: string; path: string; value?: unknown }[]): SharedState {
  const changes = delta.filter((one) => one.op === "replace").map((one) => [one.path.slice(1), one.value]);
  return { ...state, ...Object.fromEntries(changes) };
}

/** One thing said, and everything that was done to answer it. */
export interface Exchange {
  id: string;
  asked: Message | null;
  parts: Part[];
}

export type Part =
  | { kind: "text"; message: Message; cost: CallCost[] }
  | { kind: "tool"; call: ToolCall; result: Message | null; by?: string; cost: CallCost[] };

/** The conversation in the order people read it; each model call counts for the first thing that came of it. */
export function exchanges(thread: Thread): Exchange[] {
  const results = new Map(
    thread.messages.filter((one) => one.role === "tool").map((one) => [one.toolCallId, one]),
  );
  const found: Exchange[] = [];
  let current: Exchange | null = null;
  for (const message of thread.messages) {
    if (message.role === "tool") continue;
    if (message.role === "user" || current === null) {
      const asked = message.role === "user" ? message : null;
      current = { id: message.id, asked, parts: [] };
      found.push(current);
      if (asked !== null) continue;
    }
    if (message.content !== undefined && message.content !== "")
      current.parts.push({ kind: "text", message, cost: [] });
    for (const call of message.toolCalls ?? [])
      current.parts.push({
        kind: "tool",
        call,
        result: results.get(call.id) ?? null,
        by: message.name,
        cost: [],
      });
  }
  share(found, thread.costs);
  return found;
}

function share(found: Exchange[], costs: CallCost[]): void {
  const parts = found.flatMap((one) => one.parts).filter((part) => place(part) > 0);
  parts.sort((one, other) => place(one) - place(other));
  for (const cost of costs) parts.find((part) => place(part) >= cost.sequence)?.cost.push(cost);
}

function place(part: Part): number {
  return (part.kind === "text" ? part.message.metadata : part.call.metadata)?.sequence ?? 0;
}

export function charged(cost: CallCost[]): number {
  return cost.reduce((sum, one) => sum + one.charge, 0);
}

/** Micro-dollars, as people read them. */
export function money(micro: number): string {
  if (micro === 0) return "$0";
  const dollars = micro / 1_000_000;
  if (dollars < 0.0001) return "<$0.0001";
  return `$${dollars.toFixed(dollars < 0.01 ? 4 : dollars < 1 ? 3 : 2)}`;
}
