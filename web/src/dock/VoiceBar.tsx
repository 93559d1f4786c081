import { useRealtimeSessionManager, type RealtimeSessionManager, type VoiceState } from "@spotter/react";
import {
  IconDownload,
  IconEar,
  IconMicrophone,
  IconPhoneOff,
  IconPlayerStop,
  type Icon,
} from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { words, type Dock, type DockAgent, type DockStore } from "./store";

/** The conversation aloud of this chat. The store knows it too, for the page's script. */
export function useVoiceOf(store: DockStore, dock: Dock): RealtimeSessionManager {
  const [page] = useState(() => ({
    scenarioId: dock.scenario ?? undefined,
    sessionId: () => store.voiceSession(),
    follow: false,
  }));
  const voice = useRealtimeSessionManager(page);
  useEffect(() => {
    store.speakBy(voice);
  }, [store, voice]);
  const { state, agent, notice } = voice;
  useEffect(() => {
    store.host.event("voice", { state, agent, notice });
  }, [store, state, agent, notice]);
  return voice;
}

const LABELS: Record<VoiceState, string> = {
  off: "Talk aloud",
  failed: "Talk aloud",
  connecting: "Connecting…",
  ready: "Hold to talk",
  listening: "Listening…",
  thinking: "Thinking…",
  speaking: "Speaking…",
};

/** Hold to talk, with a finger, the mouse or the space bar; or let the microphone stay open. */
export function VoiceBar(props: { store: DockStore; voice: RealtimeSessionManager; agent: DockAgent }) {
  const { store, voice, agent } = props;
  const [problem, setProblem] = useState("");
  const here = store.speaksIn(agent.name) && voice.state !== "off" && voice.state !== "failed";
  const state: VoiceState = here || voice.state === "failed" ? voice.state : "off";
  const attempt = (deed: () => unknown) => {
    setProblem("");
    Promise.resolve()
      .then(deed)
      .catch((reason: unknown) => setProblem(words(reason)));
  };
  const on = here && voice.sessionId !== null && state !== "connecting";
  const press = () => attempt(async () => (await store.talk()).startPTT());
  const release = () => {
    if (voice.state === "listening" && !voice.handsFree) attempt(() => voice.stopPTT());
  };
  const notice = problem || voice.notice;
  return (
    <div className="voice" role="group" aria-label="Talk aloud">
      {on ? (
        <button
          type="button"
          className="talk"
          data-state={state}
          disabled={voice.handsFree}
          onPointerDown={press}
          onPointerUp={release}
          onPointerLeave={release}
          onKeyDown={(event) => {
            if ((event.key === " " || event.key === "Enter") && !event.repeat) press();
          }}
          onKeyUp={release}
        >
          <IconMicrophone size={18} aria-hidden="true" />
          <span aria-live="polite">{LABELS[state]}</span>
        </button>
      ) : (
        <button
          type="button"
          className="talk"
          data-state={state}
          disabled={state === "connecting"}
          onClick={() => attempt(async () => (await store.talk()).connect())}
        >
          <IconMicrophone size={18} aria-hidden="true" />
          <span aria-live="polite">{LABELS[state]}</span>
        </button>
      )}
      {on ? (
        <>
          <Deed
            label="Hands-free"
            icon={IconEar}
            pressed={voice.handsFree}
            deed={() => voice.setHandsFree(!voice.handsFree)}
          />
          <Deed label="Interrupt" icon={IconPlayerStop} deed={() => void voice.interrupt()} />
        </>
      ) : null}
      {voice.recorded ? (
        <Deed
          label="Download the recording"
          icon={IconDownload}
          deed={() => attempt(() => voice.downloadRecording())}
        />
      ) : null}
      {on ? (
        <Deed label="Hang up" icon={IconPhoneOff} deed={() => attempt(() => voice.disconnect())} />
      ) : null}
      {notice === "" ? null : (
        <p className="said" role="status">
          {notice}
        </p>
      )}
    </div>
  );
}

function Deed(props: { label: string; icon: Icon; deed: () => void; pressed?: boolean }) {
  const { label, icon: Picture, deed, pressed } = props;
  return (
    <button
      type="button"
      className="tool"
      aria-label={label}
      title={label}
      aria-pressed={pressed}
      onClick={deed}
    >
      <Picture size={18} aria-hidden="true" />
    </button>
  );
}
