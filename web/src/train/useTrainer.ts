import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useReducer, useRef, useState } from "react";
import { answered, api } from "~/api/client";
import { whenBack } from "~/api/connection";
import { newId } from "~/api/ids";
import { Away, Refused, refusal } from "~/api/problems";
import { signedFetch } from "~/api/session";
import { showProblem } from "~/shell/toasts";
import { EMPTY, heard, saying, told, type Conversation } from "./conversation";
import { follow, type Delta, type LiveEvent } from "./live";

type Change =
  | { do: "begin"; stage: string | null }
  | { do: "event"; event: LiveEvent }
  | { do: "delta"; delta: Delta }
  | { do: "say"; id: string; text: string }
  | { do: "fail"; id: string };

function changed(before: Conversation, change: Change): Conversation {
  switch (change.do) {
    case "begin":
      return { ...EMPTY, stage: change.stage };
    case "event":
      return told(before, change.event);
    case "delta":
      return heard(before, change.delta);
    case "say":
      return saying(before, change.id, change.text);
    case "fail": {
      const entries = before.entries.map((one) =>
        one.kind === "person" && one.id === change.id ? { ...one, pending: false, failed: true } : one,
      );
      return { ...before, entries, working: false };
    }
  }
}

/** How much of an old conversation is read again when the page opens. */
const MOST = 400;

/** Two to talk to: a trainer who makes a workout at once, and a coach who leads through a visit in stages. */
export type Who = "trainer" | "coach";
export const NAMES: Record<Who, string> = { trainer: "Trainer", coach: "Coach" };

async function latestOf(who: Who): Promise<string | undefined> {
  const query = { limit: 1 };
  if (who === "trainer")
    return (await answered(api.GET("/api/agent/sessions", { params: { query } }))).sessions[0]?.id;
  return (await answered(api.GET("/api/coach/sessions", { params: { query } }))).sessions[0]?.sessionId;
}

const sessionOf = (who: Who) => ({
  queryKey: [who, "session"],
  queryFn: async () => {
    const id = await latestOf(who);
    if (id === undefined) return null;
    return answered(api.GET("/api/sessions/{session_id}", { params: { path: { session_id: id } } }));
  },
  staleTime: Infinity,
});

export function useTrainer(who: Who) {
  const queries = useQueryClient();
  const [conversation, change] = useReducer(changed, EMPTY);
  const [connected, setConnected] = useState(true);
  const latest = useQuery(sessionOf(who));
  const sessionId = latest.data?.id ?? null;
  const start = Math.max(0, (latest.data?.last_sequence ?? 0) - MOST);
  const stage = latest.data?.stage ?? null;

  useEffect(() => {
    change({ do: "begin", stage });
    if (sessionId === null) return;
    return follow(sessionId, start, {
      onEvent: (event) => change({ do: "event", event }),
      onDelta: (delta) => change({ do: "delta", delta }),
      onState: (state) => setConnected(state === "open"),
    });
    // Where it stood when it was opened: what comes after is told by the stream.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [sessionId, start]);

  useEffect(() => {
    if (conversation.workoutChanges > 0) void queries.invalidateQueries({ queryKey: ["workout"] });
  }, [conversation.workoutChanges, queries]);

  /** A trainer's conversations are many. A visit to the coach is one, over weeks: it begins with the first word. */
  const begin = useCallback(async () => {
    const made = await answered(api.POST("/api/agent/sessions"));
    const id = made.session.id;
    const session = await answered(
      api.GET("/api/sessions/{session_id}", { params: { path: { session_id: id } } }),
    );
    queries.setQueryData(["trainer", "session"], session);
    return id;
  }, [queries]);

  const current = useRef(sessionId);
  useEffect(() => {
    current.current = sessionId;
  }, [sessionId]);

  const say = useCallback(
    async (text: string) => {
      const id = newId();
      change({ do: "say", id, text });
      try {
        // Who is quicker than the page that opens must not begin a second conversation by it.
        const known = current.current ?? (await queries.ensureQueryData(sessionOf(who)))?.id ?? null;
        const target = known ?? (who === "trainer" ? await begin() : null);
        current.current = target;
        // The answer comes by the stream that is followed anyway; here only that it was taken counts.
        await untilSaid(who, { message: text, ...(target === null ? {} : { sessionId: target }) }, id);
        if (target === null) await queries.invalidateQueries({ queryKey: [who, "session"] });
      } catch (problem) {
        change({ do: "fail", id });
        showProblem(problem);
      }
    },
    [begin, queries, who],
  );

  const stop = useCallback(async () => {
    if (current.current === null) return;
    await answered(
      api.POST("/api/sessions/{session_id}/cancel", { params: { path: { session_id: current.current } } }),
    ).catch(showProblem);
  }, []);

  const openedAt = latest.data?.last_sequence ?? 0;
  return {
    who,
    openedAt,
    conversation,
    sessionId,
    ready: !latest.isPending,
    problem: latest.error,
    connected,
    say,
    stop,
    begin,
  };
}

export type Trainer = ReturnType<typeof useTrainer>;

/** Into another conversation than the one that is shown. */
export async function sayIn(who: Who, sessionId: string, text: string): Promise<void> {
  await untilSaid(who, { message: text, sessionId }, newId()).catch(showProblem);
}

/** Seconds that nobody minds to wait. */
const SOON = 5;

/** Said once, however often it has to be sent: the key makes a repetition the same message. */
async function untilSaid(
  who: Who,
  body: { message: string; sessionId?: string },
  key: string,
): Promise<void> {
  const path = who === "trainer" ? "/api/agent/stream" : "/api/coach";
  for (let refused = 0; ;) {
    try {
      const answer = await signedFetch(path, {
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          Accept: "text/event-stream",
          "Idempotency-Key": key,
        },
        body: JSON.stringify(body),
      });
      if (!answer.ok) throw await refusal(answer);
      void answer.body?.cancel();
      return;
    } catch (problem) {
      // A server that has just come back may not be ready yet, or may still work on the first time it was sent.
      if (
        problem instanceof Refused &&
        problem.retryAfter !== null &&
        problem.retryAfter <= SOON &&
        refused++ < 20
      ) {
        await new Promise((resolve) => window.setTimeout(resolve, 1000 * (problem.retryAfter ?? 1)));
        continue;
      }
      if (!(problem instanceof Away)) throw problem;
      await new Promise<void>((resolve) => {
        const forget = whenBack(() => {
          forget();
          resolve();
        });
      });
    }
  }
}
