import { describe, expect, it } from "vitest";
import type { AgUiEvent } from "./agui";
import { charged, EMPTY, exchanges, money, saying, told } from "./thread";

const RUN: AgUiEvent[] = [
  { type: "RUN_STARTED", runId: "r" },
  { type: "STATE_SNAPSHOT", snapshot: { agent: "trainer", workout: null } },
  { type: "CUSTOM", name: "spotter.recorded", value: { messageId: "m1", sequence: 1, at: "now" } },
  {
    type: "TOOL_CALL_START",
    toolCallId: "c1",
    toolCallName: "look",
    parentMessageId: "m1.1",
    metadata: { sequence: 3 },
  },
  { type: "TOOL_CALL_ARGS", toolCallId: "c1", delta: '{"a":' },
  { type: "TOOL_CALL_ARGS", toolCallId: "c1", delta: "1}" },
  { type: "TOOL_CALL_END", toolCallId: "c1" },
  {
    type: "TOOL_CALL_RESULT",
    messageId: "result-c1",
    toolCallId: "c1",
    content: "seen",
    metadata: { sequence: 4, ms: 12 },
  },
  { type: "STATE_DELTA", delta: [{ op: "replace", path: "/workout", value: { exercises: [] } }] },
  { type: "TEXT_MESSAGE_START", messageId: "m1.2", role: "assistant" },
  { type: "TEXT_MESSAGE_CONTENT", messageId: "m1.2", delta: "Hello " },
  { type: "TEXT_MESSAGE_CONTENT", messageId: "m1.2", delta: "there" },
  { type: "TEXT_MESSAGE_END", messageId: "m1.2", metadata: { sequence: 5 } },
  {
    type: "CUSTOM",
    name: "spotter.cost",
    value: {
      session: { charge: 300 },
      calls: [
        { sequence: 2, model: "m", charge: 50, priced: true },
        { sequence: 3, model: "m", charge: 50, priced: true },
        { sequence: 5, model: "m", charge: 200, priced: true },
      ],
    },
  },
  { type: "RUN_FINISHED", outcome: { type: "success" } },
];

describe("a thread", () => {
  const thread = RUN.reduce(told, saying(EMPTY, "m1", "Hi"));

  it("adds up what is streamed", () => {
    const [one, ...more] = exchanges(thread);
    expect(more).toEqual([]);
    expect(one?.asked?.content).toBe("Hi");
    expect(one?.asked?.metadata?.sequence).toBe(1);
    expect(one?.parts.map((part) => part.kind)).toEqual(["tool", "text"]);
    const [tool, text] = one?.parts ?? [];
    expect(tool?.kind === "tool" && tool.call.function.arguments).toBe('{"a":1}');
    expect(tool?.kind === "tool" && tool.result?.content).toBe("seen");
    expect(text?.kind === "text" && text.message.content).toBe("Hello there");
    expect(text?.kind === "text" && text.message.name).toBe("trainer");
    expect(thread.state.workout).toEqual({ exercises: [] });
    expect([thread.running, thread.speaking, thread.last]).toEqual([false, null, 5]);
  });

  it("gives each model call to the first thing that came of it, and loses none", () => {
    const parts = exchanges(thread)[0]?.parts ?? [];
    expect(parts.map((part) => charged(part.cost))).toEqual([100, 200]);
    expect(thread.total).toBe(300);
  });

  it("believes a snapshot", () => {
    const other = told(thread, {
      type: "MESSAGES_SNAPSHOT",
      messages: [{ id: "x", role: "user", content: "Other", metadata: { sequence: 9 } }],
    });
    expect(exchanges(other).map((one) => one.asked?.content)).toEqual(["Other"]);
    expect(other.last).toBe(9);
  });

  it("keeps what is asked until the next run", () => {
    const interrupts = [{ id: "q", reason: "input_required", message: "Which?" }];
    const asked = told(thread, { type: "RUN_FINISHED", outcome: { type: "interrupt", interrupts } });
    expect(asked.interrupts).toEqual(interrupts);
    expect(told(asked, { type: "RUN_STARTED", runId: "s" }).interrupts).toEqual([]);
  });

  it("tells trouble and stopping apart", () => {
    const failed = told(thread, { type: "RUN_ERROR", message: "No budget", code: "limit.budget" });
    expect(failed.trouble?.message).toBe("No budget");
    const stopped = told(thread, { type: "RUN_FINISHED", outcome: { type: "cancelled" } });
    expect([stopped.stopped, stopped.trouble]).toEqual([true, null]);
  });
});

describe("money", () => {
  it("is short and never hides that something was paid", () => {
    expect([0, 3, 5400, 12_345, 1_500_000].map(money)).toEqual([
      "$0",
      "<$0.0001",
      "$0.0054",
      "$0.012",
      "$1.50",
    ]);
  });
});
