import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useReducer, useRef, useState } from "react";
import { answered, api } from "~/api/client";
import { whenBack } from "~/api/connection";
import { newId } from "~/api/ids";
import { Away, refusal } from "~/api/problems";
import { signedFetch } from "~/api/session";
import { showProblem } from "~/shell/toasts";
import { EMPTY, heard, saying, told, type Conversation } from "./conversation";
import { follow, type Delta, type LiveEvent } from "./live";

type Change =
  | { do: "begin" }
  | { do: "event"; event: LiveEvent }
  | { do: "delta"; delta: Delta }
  | { do: "say"; id: string; text: string }
  | { do: "fail"; id: string };

function changed(before: Conversation, change: Change): Conversation {
  switch (change.do) {
    case "begin":
      return EMPTY;
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

export function useTrainer() {
  const queries = useQueryClient();
  const [conversation, change] = useReducer(changed, EMPTY);
  const [connected, setConnected] = useState(true);
  const latest = useQuery({
    queryKey: ["trainer", "session"],
    queryFn: async () => {
      const found = await answered(api.GET("/api/agent/sessions", { params: { query: { limit: 1 } } }));
      const id = found.sessions[0]?.id;
      if (id === undefined) return null;
      return answered(api.GET("/api/sessions/{session_id}", { params: { path: { session_id: id } } }));
    },
    staleTime: Infinity,
  });
  const sessionId = latest.data?.id ?? null;
  const start = Math.max(0, (latest.data?.last_sequence ?? 0) - MOST);

  useEffect(() => {
    if (sessionId === null) return;
    change({ do: "begin" });
    return follow(sessionId, start, {
      onEvent: (event) => change({ do: "event", event }),
      onDelta: (delta) => change({ do: "delta", delta }),
      onState: (state) => setConnected(state === "open"),
    });
  }, [sessionId, start]);

  useEffect(() => {
    if (conversation.workoutChanges > 0) void queries.invalidateQueries({ queryKey: ["workout"] });
  }, [conversation.workoutChanges, queries]);

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
        const target = current.current ?? (await begin());
        current.current = target;
        // The answer comes by the stream that is followed anyway; here only that it was taken counts.
        await untilSaid({ message: text, sessionId: target }, id);
      } catch (problem) {
        change({ do: "fail", id });
        showProblem(problem);
      }
    },
    [begin],
  );

  const stop = useCallback(async () => {
    if (current.current === null) return;
    await answered(
      api.POST("/api/sessions/{session_id}/cancel", { params: { path: { session_id: current.current } } }),
    ).catch(showProblem);
  }, []);

  const openedAt = latest.data?.last_sequence ?? 0;
  return {
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

/** Said once, however often it has to be sent: the key makes a repetition the same message. */
async function untilSaid(body: { message: string; sessionId: string }, key: string): Promise<void> {
  for (;;) {
    try {
      const answer = await signedFetch("/api/agent/stream", {
        method: "POST",
        headers: { "Content-Type": "application/json", "Idempotency-Key": key },
        body: JSON.stringify(body),
      });
      if (!answer.ok) throw await refusal(answer);
      void answer.body?.cancel();
      return;
    } catch (problem) {
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
