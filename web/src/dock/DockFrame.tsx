import { RealtimeProvider } from "@spotter/react";
import { useEffect, useRef, useSyncExternalStore } from "react";
import { useVoiceOf } from "./VoiceBar";
import { Panel } from "./Panel";
import type { Dock, DockAgent, DockStore, State } from "./store";

const AVATAR = 56;
const BETWEEN = 8;
const EDGE = 12;
export const PANEL = { width: 400, height: 600 };

/** The avatars that float over somebody else's page, and the chat that one of them opens. */
export function DockFrame({ store }: { store: DockStore }) {
  const state = useSyncExternalStore(store.subscribe, store.get);
  const dark = useDark(state.theme);
  useSize(store, state);
  const { dock, open, phone } = state;
  if (dock === null)
    return state.problem === "" ? null : (
      <div className="dock" data-theme={dark ? "dark" : "light"}>
        <p className="sorry" role="alert">
          The chat is not available. {state.problem}
        </p>
      </div>
    );
  return (
    <div className="dock" data-theme={dark ? "dark" : "light"} data-phone={phone || undefined}>
      <RealtimeProvider api={store.api} voiceUrl={dock.voice_url ?? undefined}>
        <Inside store={store} state={state} dock={dock} />
      </RealtimeProvider>
      {open && phone ? null : <Avatars store={store} state={state} agents={dock.agents} />}
    </div>
  );
}

/** Here also while the chat is closed: the page's script can speak all the same. */
function Inside({ store, state, dock }: { store: DockStore; state: State; dock: Dock }) {
  const voice = useVoiceOf(store, dock);
  return state.open ? <Panel store={store} state={state} dock={dock} voice={voice} /> : null;
}

export function Avatars({ store, state, agents }: { store: DockStore; state: State; agents: DockAgent[] }) {
  return (
    <nav className="avatars" aria-label="Chat with">
      {agents.map((agent, place) => {
        const here = state.open && state.tab === agent.name;
        const unread = state.tabs[agent.name]?.unread ?? 0;
        const marks = unread === 0 ? "" : `, ${unread} unread`;
        return (
          <button
            key={agent.name}
            id={`avatar-${agent.name}`}
            type="button"
            className="avatar"
            data-tone={place % 6}
            aria-expanded={here}
            aria-controls={here ? "panel" : undefined}
            title={agent.title}
            onClick={() => (here ? store.close() : store.open(agent.name))}
          >
            <span aria-hidden="true">{initials(agent.title)}</span>
            <span className="hidden">{`${agent.title}${marks}`}</span>
            {unread > 0 ? (
              <span className="unread" aria-hidden="true">
                {unread > 9 ? "9+" : unread}
              </span>
            ) : null}
          </button>
        );
      })}
    </nav>
  );
}

export function initials(title: string): string {
  const [first = "", second] = title.split(/\s+/).filter(Boolean);
  return (second === undefined ? first.slice(0, 2) : first.charAt(0) + second.charAt(0)).toUpperCase();
}

/** The frame is as large as what is in it, so that the page below stays usable. */
function useSize(store: DockStore, state: State): void {
  const count = state.dock?.agents.length ?? 0;
  const { open, phone, problem } = state;
  const focused = useRef(false);
  useEffect(() => {
    const row = count * (AVATAR + BETWEEN) - BETWEEN + 2 * EDGE;
    const size =
      count === 0
        ? { w: problem === "" ? 0 : 300, h: problem === "" ? 0 : 110 }
        : open
          ? { w: Math.max(PANEL.width + 2 * EDGE, row), h: PANEL.height + AVATAR + 3 * EDGE }
          : { w: row, h: AVATAR + 2 * EDGE };
    store.host.tell({ spotter: "size", ...size, full: open && phone });
    if (!open && focused.current) document.getElementById(`avatar-${store.state.tab}`)?.focus();
    focused.current = open;
  }, [store, count, open, phone, problem]);
}

function useDark(theme: State["theme"]): boolean {
  const query = "(prefers-color-scheme: dark)";
  const system = useSyncExternalStore(
    (changed) => {
      const media = window.matchMedia(query);
      media.addEventListener("change", changed);
      return () => media.removeEventListener("change", changed);
    },
    () => window.matchMedia(query).matches,
  );
  return theme === "auto" ? system : theme === "dark";
}
