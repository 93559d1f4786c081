import { expect, it } from "vitest";
import type { LiveEvent } from "~/train/live";
import { asked, heard, NOTHING, told, type Trial } from "./trial";

let sequence = 0;
const event = (type: string, content: Record<string, unknown>): LiveEvent => {
  sequence += 1;
  return { sequence, type, at: "2026-11-16T22:00:00Z", content };
};
const after = (before: Trial, ...events: LiveEvent[]) => events.reduce(told, before);

it("shows what was called with what, and how it went", () => {
  const begun = asked(NOTHING, "1", "Echo this");
  const called = after(begun, event("action", { tool: "echo", args: '{"text":"this"}', call_id: "c1" }));
  expect(called.entries.at(-1)).toMatchObject({
    kind: "call",
    state: "running",
    args: '{\n  "text": "this"\n}',
  });
  const done = after(
    called,
    event("result", { tool: "echo", call_id: "c1", formatted: "this", ms: 12 }),
    event("assistant_message", { text: "Done.", ends: "final" }),
  );
  expect(done.entries[1]).toMatchObject({ state: "ok", result: "this", ms: 12 });
  expect(done.entries.at(-1)).toMatchObject({ kind: "agent", text: "Done." });
  expect(done.working).toBe(false);
});

it("shows failures and refusals as such", () => {
  const done = after(
    asked(NOTHING, "1", "x"),
    event("action", { tool: "echo", args: "{}", call_id: "c1" }),
    event("result", { tool: "echo", call_id: "c1", outcome: "error", error: "Give a text." }),
    event("turn_ended", { ends: "limit", reason: "Too many steps." }),
  );
  expect(done.entries[1]).toMatchObject({ state: "failed", result: "Give a text." });
  expect(done.entries.at(-1)).toMatchObject({ kind: "note", text: "Too many steps.", trouble: true });
  expect(done.working).toBe(false);
});

it("replaces words that are being spoken by the message they become", () => {
  const speaking = heard(
    heard(asked(NOTHING, "1", "x"), { type: "delta", key: "k", offset: 0, text: "He" }),
    {
      type: "delta",
      key: "k",
      offset: 2,
      text: "llo",
    },
  );
  expect(speaking.entries.at(-1)).toMatchObject({ text: "Hello", live: true });
  const done = after(speaking, event("assistant_message", { text: "Hello.", ends: "final" }));
  expect(done.entries.map((one) => one.kind)).toEqual(["person", "agent"]);
});

it("lets a tool speak, and offers its answers", () => {
  const done = after(
    asked(NOTHING, "1", "x"),
    event("action", { tool: "message_ask_user", args: "{}", call_id: "c" }),
    event("result", {
      tool: "message_ask_user",
      call_id: "c",
      result: { question: "Which day?", options: ["Mon", "Tue"] },
      ends: "asked",
    }),
  );
  expect(done.entries.at(-1)).toMatchObject({ kind: "agent", text: "Which day?" });
  expect(done.options).toEqual(["Mon", "Tue"]);
});

it("tells of handing over", () => {
  const done = after(NOTHING, event("handoff", { from_agent: "a", to_agent: "b" }));
  expect(done.entries[0]).toMatchObject({ kind: "note", text: "Handed over to b" });
});
