export { Refused, refusal, SpotterApi, type ApiOptions, type Follower } from "./api";
export { RealtimeCall, type CallWish, type SessionInit, type VoiceState, type VoiceStatus } from "./call";
export { messages, type Delta, type SessionEvent } from "./events";
export { RealtimeProvider, useRealtime, type RealtimeProviderProps } from "./RealtimeProvider";
export { type Recording } from "./recorder";
export {
  useRealtimeSessionManager,
  type PageContext,
  type RealtimeSessionManager,
} from "./useRealtimeSessionManager";
