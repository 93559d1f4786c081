import { useEffect, useMemo, useRef, useSyncExternalStore } from "react";
import type { SpotterApi } from "./api";
import { RealtimeCall, type CallWish, type VoiceStatus } from "./call";
import type { SessionEvent } from "./events";
import { useRealtime } from "./RealtimeProvider";
import type { Recording } from "./recorder";

/** What the visitor is looking at, and whom they talk to there. */
export interface PageContext {
  /** Which team of agents; the trainer's if not given. */
  scenarioId?: string;
  /** Who is spoken to first. If not given, Spotter chooses by the page. */
  rootAgent?: string;
  /** A conversation to go on in, aloud. */
  sessionId?: string | (() => Promise<string>);
  /** The page: its address, name or what is on it. */
  page?: string;
  /** False where somebody else follows the session and passes its events to `hear`. */
  follow?: boolean;
}

export interface RealtimeSessionManager extends VoiceStatus {
  connect: () => Promise<void>;
  disconnect: () => Promise<void>;
  sendUserText: (text: string) => Promise<void>;
  startPTT: () => Promise<void>;
  stopPTT: () => Promise<void>;
  interrupt: () => boolean;
  downloadRecording: () => Promise<Recording>;
  setHandsFree: (on: boolean) => void;
  hear: (event: SessionEvent) => void;
}

/**
 * A conversation aloud with Spotter's agents: who answers is chosen by the page, the session is opened, and what the
 * server tells of it (another agent, a stop) is applied.
 */
export function useRealtimeSessionManager(pageContext: PageContext): RealtimeSessionManager {
  const { api, voiceUrl } = useRealtime();
  const latest = useRef(pageContext);
  useEffect(() => {
    latest.current = pageContext;
  });
  const call = useMemo(() => new RealtimeCall(api), [api]);
  const status = useSyncExternalStore(call.subscribe, call.get);
  const { sessionId, state } = status;
  const follows = pageContext.follow !== false && sessionId !== null && state !== "off" && state !== "failed";
  useEffect(() => {
    if (!follows || sessionId === null) return undefined;
    return followed(api, sessionId, call);
  }, [api, call, follows, sessionId]);
  useEffect(() => () => void call.disconnect().catch(() => undefined), [call]);
  const deeds = useMemo(() => {
    const connect = () => call.connect(voiceUrl, () => wished(api, latest.current));
    return {
      connect,
      disconnect: () => call.disconnect(),
      sendUserText: async (text: string) => {
        await connect();
        await call.sendText(text);
      },
      startPTT: async () => {
        await connect();
        call.startPTT();
      },
      stopPTT: () => call.stopPTT(),
      interrupt: () => call.interrupt(),
      downloadRecording: () => call.downloadRecording(),
      setHandsFree: (on: boolean) => call.setHandsFree(on),
      hear: (event: SessionEvent) => call.hear(event),
    };
  }, [api, call, voiceUrl]);
  return useMemo(() => ({ ...status, ...deeds }), [status, deeds]);
}

/** From where the session stands now: what was before has been applied. */
function followed(api: SpotterApi, sessionId: string, call: RealtimeCall): () => void {
  let stop: (() => void) | null = null;
  let gone = false;
  void api
    .json<{ last_sequence: number }>(`/api/sessions/${sessionId}`)
    .then((session) => {
      if (!gone)
        stop = api.follow(sessionId, session.last_sequence, { onEvent: (event) => call.hear(event) });
    })
    .catch(() => undefined);
  return () => {
    gone = true;
    stop?.();
  };
}

async function wished(api: SpotterApi, given: PageContext): Promise<CallWish> {
  const scenarioId = given.scenarioId;
  const sessionId = typeof given.sessionId === "function" ? await given.sessionId() : given.sessionId;
  let rootAgent = given.rootAgent;
  let contextId: string | undefined;
  if (given.page) {
    if (rootAgent === undefined && sessionId === undefined) {
      const body = { scenario_id: scenarioId ?? "trainer", page_context: given.page };
      rootAgent = (await api.post<{ root_agent: string }>("/api/orchestrate", body)).root_agent;
    }
    const page = given.page.slice(0, 500);
    contextId = (await api.post<{ context_id: string }>("/api/context/snapshot", { page })).context_id;
  }
  return { scenarioId, rootAgent, sessionId, contextId };
}
