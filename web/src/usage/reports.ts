import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { answered, api, type Schemas } from "~/api/client";
import { refusal } from "~/api/problems";
import { signedFetch } from "~/api/session";
import { bounds } from "./months";

export type Dimension = "day" | "model" | "agent" | "user";

/** Everything of this page begins with the same word, so that one change makes all of it look again. */
export const USAGE = ["usage"] as const;

export function useCurrentMonth() {
  return useQuery({
    queryKey: [...USAGE, "current"],
    queryFn: () => answered(api.GET("/api/billing/current")),
    // A page that stays open shows what was spent meanwhile.
    refetchInterval: 60_000,
  });
}

export function useHistory() {
  return useQuery({
    queryKey: [...USAGE, "history"],
    queryFn: () => answered(api.GET("/api/billing/history", { params: { query: { months: 36 } } })),
  });
}

export function useBreakdown(by: Dimension, month: string) {
  return useQuery({
    queryKey: [...USAGE, "by", by, month],
    queryFn: () =>
      answered(api.GET("/api/billing/usage", { params: { query: { by, limit: 50, ...bounds(month) } } })),
    placeholderData: keepPreviousData,
  });
}

export function useForecast(wanted: boolean) {
  return useQuery({
    queryKey: [...USAGE, "forecast"],
    queryFn: () => answered(api.GET("/api/billing/forecast")),
    enabled: wanted,
  });
}

export function useCaps(wanted: boolean) {
  return useQuery({
    queryKey: [...USAGE, "caps"],
    queryFn: () => answered(api.GET("/api/billing/caps")),
    enabled: wanted,
  });
}

export function useAllowance() {
  return useQuery({
    queryKey: [...USAGE, "allowance"],
    queryFn: () => answered(api.GET("/api/billing/allowance")),
  });
}

export function useCredits() {
  return useQuery({
    queryKey: [...USAGE, "credits"],
    queryFn: () => answered(api.GET("/api/billing/credits")),
  });
}

export function useBillingSettings(wanted: boolean) {
  return useQuery({
    queryKey: [...USAGE, "settings"],
    queryFn: () => answered(api.GET("/api/billing/settings")),
    enabled: wanted,
  });
}

export function useMovements() {
  return useInfiniteQuery({
    queryKey: [...USAGE, "movements"],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) =>
      answered(
        api.GET("/api/billing/credits/movements", { params: { query: { limit: 10, cursor: pageParam } } }),
      ),
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
}

const MOST_PAGES = 10;

/** Names of people by their ids. A gym has hundreds of members: pages are read until there are no more, or enough. */
export function usePeople(wanted: boolean) {
  return useQuery({
    queryKey: ["people"],
    queryFn: async () => {
      const found: Schemas["Member"][] = [];
      let cursor: string | undefined;
      for (let page = 0; page < MOST_PAGES; page += 1) {
        const answer = await answered(api.GET("/api/members", { params: { query: { limit: 200, cursor } } }));
        found.push(...answer.items);
        if (answer.next_cursor === null) break;
        cursor = answer.next_cursor;
      }
      return found;
    },
    enabled: wanted,
    staleTime: 5 * 60_000,
  });
}

export function useAgents(wanted: boolean) {
  return useQuery({
    queryKey: ["agents"],
    queryFn: () => answered(api.GET("/api/ai-agents")),
    enabled: wanted,
  });
}

/** The browser cannot send a sign-in with a plain link, so the file is fetched and then handed to it. */
export async function download(month: string): Promise<void> {
  const answer = await signedFetch(
    `/api/billing/export.csv?${new URLSearchParams(bounds(month)).toString()}`,
  );
  if (!answer.ok) throw await refusal(answer);
  const url = URL.createObjectURL(await answer.blob());
  const link = document.createElement("a");
  link.href = url;
  link.download = `spotter-usage-${month}.csv`;
  link.click();
  // Not at once: the browser begins to read it after this.
  window.setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
