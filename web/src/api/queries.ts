import { MutationCache, QueryCache, QueryClient, useQuery } from "@tanstack/react-query";
import { showProblem } from "~/shell/toasts";
import { answered, api } from "./client";
import { whenBack } from "./connection";
import { Away, Refused } from "./problems";
import { whenSignInChanges } from "./session";

export const queries = new QueryClient({
  queryCache: new QueryCache({
    onError: (problem, query) => {
      // What is on the screen already stays there; only then does the reason need a toast.
      if (query.state.data !== undefined) showProblem(problem);
    },
  }),
  mutationCache: new MutationCache({
    onError: (problem, _variables, _context, mutation) => {
      if (mutation.meta?.["quiet"] !== true) showProblem(problem);
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      retry: (count, problem) =>
        !(problem instanceof Away) && !(problem instanceof Refused && problem.status < 500) && count < 2,
    },
  },
});

whenBack(() => void queries.invalidateQueries());
whenSignInChanges(() => queries.clear());

export const meQuery = {
  queryKey: ["me"] as const,
  queryFn: () => answered(api.GET("/api/me")),
  staleTime: 5 * 60_000,
};

export function useMe() {
  return useQuery(meQuery).data;
}

const RANKS = ["member", "staff", "admin", "owner"];

/** What a person may see. The server decides what they may do. */
export function atLeast(role: string | undefined, wanted: string): boolean {
  return role !== undefined && RANKS.indexOf(role) >= RANKS.indexOf(wanted);
}
