import { messages } from "@spotter/react";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useReducer, useRef } from "react";
import { answered, api } from "~/api/client";
import { whenBack } from "~/api/connection";
import { newId } from "~/api/ids";
import { Away, refusal } from "~/api/problems";
import { signedFetch } from "~/api/session";
import { showProblem } from "~/shell/toasts";
import type { AgUiEvent } from "./agui";
import { EMPTY, saying, told, type Thread } from "./thread";

/** Who is asked: an agent alone, or a scenario. */
export interface Partner {
  agent: string;
  scenario: string | null;
}

export type Answer = { interruptId: string; status: "resolved" | "cancelled"; payload?: unknown };

type Change =
  | { do: "open" }
  | { do: "event"; event: AgUiEvent }
  | { do: "say"; id: string; text: string }
  | { do: "lost" };

function changed(before: Thread, change: Change): Thread {
  switch (change.do) {
    case "open":
      return EMPTY;
    case "event":
      return told(before, change.event);
    case "say":
      return saying(before, change.id, change.text);
    case "lost":
      return { ...before, running: false, speaking: null };
  }
}

/**
 * A thread of the server, over AG-UI. Whatever happens to the connection, the turn goes on there: a stream that breaks
 * off is asked for again, and what is told then takes the place of what was heard.
 */
export function useThread(sessionId: string | null) {
  const queries = useQueryClient();
  const [thread, change] = useReducer(changed, EMPTY);
  const reading = useRef<AbortController | null>(null);

  /** Reads one stream to its end. False when it broke off before the run was over. */
  const read = useCallback(async (path: string, init: RequestInit): Promise<boolean> => {
    reading.current?.abort();
    const gone = new AbortController();
    reading.current = gone;
    const answer = await signedFetch(path, { ...init, signal: gone.signal });
    if (!answer.ok || answer.body === null) throw await refusal(answer);
    let over = false;
    for await (const message of messages(answer.body)) {
      if (gone.signal.aborted) return true;
      const event = message as unknown as AgUiEvent;
      // The server is going down; its successor tells the rest.
      if (event.type === "RUN_ERROR" && event.code === "server_stopping") break;
      change({ do: "event", event });
      over = event.type === "RUN_FINISHED" || event.type === "RUN_ERROR";
    }
    return over || gone.signal.aborted;
  }, []);

  const follow = useCallback(
    async (id: string) => {
      for (let over = false; !over;) {
        try {
          over = await read(`/api/agui/threads/${id}`, { headers: { Accept: "text/event-stream" } });
          if (!over) await pause(400);
        } catch (problem) {
          if (isAbort(problem)) return;
          if (!(problem instanceof Away || problem instanceof TypeError)) throw problem;
          await back();
        }
      }
    },
    [read],
  );

  useEffect(() => {
    change({ do: "open" });
    if (sessionId === null) return;
    follow(sessionId).catch(showProblem);
    return () => reading.current?.abort();
  }, [sessionId, follow]);

  const run = useCallback(
    async (id: string, partner: Partner, body: Record<string, unknown>) => {
      const { scenario, agent } = partner;
      const where = scenario !== null ? `scenarios/${scenario}` : `agents/${agent}`;
      const input = { threadId: id, runId: newId(), messages: [], ...body };
      const request = {
        method: "POST",
        headers: { "Content-Type": "application/json", Accept: "text/event-stream" },
        body: JSON.stringify(input),
      };
      // As often as it takes: the same message again is not said twice.
      for (let sent = false; !sent;) {
        try {
          const over = await read(`/api/agui/${where}`, request);
          sent = true;
          if (!over) await follow(id);
        } catch (problem) {
          if (isAbort(problem)) return;
          if (problem instanceof Away || problem instanceof TypeError) {
            await back();
            continue;
          }
          sent = true;
          change({ do: "lost" });
          showProblem(problem);
        }
      }
      void queries.invalidateQueries({ queryKey: ["chat"] });
    },
    [read, follow, queries],
  );

  const say = useCallback(
    (id: string, partner: Partner, text: string, model?: string, resume?: Answer[]) => {
      const messageId = newId();
      change({ do: "say", id: messageId, text });
      const said = { id: messageId, role: "user", content: text };
      const forwardedProps = model === undefined ? {} : { model };
      return run(id, partner, { messages: [said], forwardedProps, ...(resume && { resume }) });
    },
    [run],
  );

  const resume = useCallback(
    (id: string, partner: Partner, answers: Answer[]) => run(id, partner, { resume: answers }),
    [run],
  );

  const stop = useCallback(async (id: string) => {
    await answered(
      api.POST("/api/agui/threads/{thread_id}/cancel", { params: { path: { thread_id: id } } }),
    ).catch(showProblem);
  }, []);

  return { thread, say, resume, stop };
}

function isAbort(problem: unknown): boolean {
  return problem instanceof DOMException && problem.name === "AbortError";
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => window.setTimeout(resolve, milliseconds));
}

/** Until the server answers again, or a while has passed. */
function back(): Promise<void> {
  return new Promise((resolve) => {
    const forget = whenBack(done);
    const timer = window.setTimeout(done, 5000);
    function done() {
      window.clearTimeout(timer);
      forget();
      resolve();
    }
  });
}
