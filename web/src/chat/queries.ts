import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { answered, api, type Schemas } from "~/api/client";
import type { Interrupt } from "./agui";

export type Session = Schemas["Session"];

/** One's own conversations, the most recent first. */
export function useSessions(search: string, userId: string | undefined) {
  return useInfiniteQuery({
    queryKey: ["chat", "sessions", search, userId],
    queryFn: ({ pageParam }) =>
      answered(
        api.GET("/api/sessions", {
          params: { query: { limit: 30, search, user_id: userId, cursor: pageParam, trials: false } },
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: (before) => before,
  });
}

export function useSession(id: string | null) {
  return useQuery({
    queryKey: ["chat", "session", id],
    queryFn: () =>
      answered(api.GET("/api/sessions/{session_id}", { params: { path: { session_id: id ?? "" } } })),
    enabled: id !== null,
  });
}

/** Conversations that go another way from the same place: the one it came from, and all that came from that. */
export function useRelatives(session: Session | undefined) {
  return useQuery({
    queryKey: ["chat", "relatives", session?.id, session?.forked_from],
    queryFn: async () => {
      if (session === undefined) return [];
      const found: Session[] = [];
      for (const parent of [session.forked_from, session.id]) {
        if (parent === null) continue;
        const page = await answered(
          api.GET("/api/sessions", { params: { query: { forked_from: parent, limit: 100 } } }),
        );
        found.push(...page.items);
      }
      return found;
    },
    enabled: session !== undefined,
  });
}

/** Calls of a conversation that still wait, also when it has gone on since. */
export function useWaiting(id: string | null) {
  return useQuery({
    queryKey: ["chat", "approvals", id],
    queryFn: async (): Promise<Interrupt[]> => {
      const query = { state: "pending" as const, session_id: id ?? "" };
      const page = await answered(api.GET("/api/approvals", { params: { query } }));
      return page.items.map((one) => ({
        id: one.id,
        reason: "tool_call",
        message: `${one.tool} waits for approval. ${one.why}`,
        toolCallId: one.call_id,
        expiresAt: one.expires_at,
        metadata: {
          tool: one.tool,
          arguments: one.arguments,
          approverRole: one.approver_role,
          fourEyes: one.four_eyes,
        },
      }));
    },
    enabled: id !== null,
  });
}

export function useAgents() {
  return useQuery({
    queryKey: ["chat-agents"],
    queryFn: async () => {
      const [agents, scenarios] = await Promise.all([
        answered(api.GET("/api/ai-agents")),
        answered(api.GET("/api/scenarios")),
      ]);
      return { agents: agents.items, scenarios: scenarios.scenarios };
    },
    staleTime: 60_000,
  });
}

export function useLog(id: string | null, last: number, open: boolean) {
  return useQuery({
    queryKey: ["chat-log", id, last],
    queryFn: async () => {
      const events: Schemas["SessionEvent"][] = [];
      for (;;) {
        const after = events.at(-1)?.sequence ?? 0;
        const page = (await answered(
          api.GET("/api/sessions/{session_id}/events", {
            params: { path: { session_id: id ?? "" }, query: { after, limit: 1000 } },
          }),
        )) as Schemas["SessionEvents"];
        events.push(...page.items);
        if (page.items.length < 1000) return events;
      }
    },
    enabled: open && id !== null,
    placeholderData: (before) => before,
  });
}
