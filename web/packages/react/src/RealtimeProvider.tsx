import { createContext, useContext, useMemo, type ReactNode } from "react";
import { SpotterApi, type ApiOptions } from "./api";
import { OPENAI } from "./call";

interface Realtime {
  api: SpotterApi;
  voiceUrl: string;
}

const RealtimeContext = createContext<Realtime | null>(null);

export interface RealtimeProviderProps {
  /** Where Spotter is; the page's own origin if not given. */
  baseUrl?: string;
  /** A token for whoever is there: a person's, or one that was minted for a widget. Keep the function the same. */
  token?: ApiOptions["token"];
  /** Instead of the two above: one that is there already. */
  api?: SpotterApi;
  /** Where a browser begins to speak. */
  voiceUrl?: string;
  children: ReactNode;
}

/** Who talks to Spotter, for everything below. */
export function RealtimeProvider({
  baseUrl,
  token,
  api,
  voiceUrl = OPENAI,
  children,
}: RealtimeProviderProps) {
  const value = useMemo(() => {
    if (api !== undefined) return { api, voiceUrl };
    if (token === undefined) throw new Error("RealtimeProvider needs `token` or `api`.");
    return { api: new SpotterApi({ baseUrl, token }), voiceUrl };
  }, [api, baseUrl, token, voiceUrl]);
  return <RealtimeContext.Provider value={value}>{children}</RealtimeContext.Provider>;
}

export function useRealtime(): Realtime {
  const found = useContext(RealtimeContext);
  if (found === null) throw new Error("There is no RealtimeProvider above this component.");
  return found;
}
