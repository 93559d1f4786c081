import { IconMessageCircle, IconListDetails, IconPlus, IconX } from "@tabler/icons-react";
import type { RealtimeSessionManager } from "@spotter/react";
import { Chat } from "./Chat";
import { Avatars, initials } from "./DockFrame";
import { Log } from "./Log";
import type { Dock, DockStore, State } from "./store";
import { VoiceBar } from "./VoiceBar";

interface Props {
  store: DockStore;
  state: State;
  dock: Dock;
  voice: RealtimeSessionManager;
}

export function Panel({ store, state, dock, voice }: Props) {
  const place = Math.max(
    0,
    dock.agents.findIndex((one) => one.name === state.tab),
  );
  const agent = dock.agents[place];
  const tab = state.tabs[state.tab];
  if (agent === undefined || tab === undefined) return null;
  const answering = dock.agents.find((one) => one.name === tab.agent)?.title ?? readable(tab.agent);
  return (
    <section
      id="panel"
      className="panel"
      role="dialog"
      aria-label={`Chat with ${agent.title}`}
      onKeyDown={(event) => {
        if (event.key === "Escape") store.close();
      }}
    >
      <header className="head">
        <span className="face" data-tone={place % 6} aria-hidden="true">
          {initials(agent.title)}
        </span>
        <div className="who">
          <div className="name">
            <h1>{agent.title}</h1>
            {tab.conversation.offline ? <span className="model">Offline model</span> : null}
          </div>
          <p>{tab.agent !== agent.name ? `${answering} answers now` : agent.description}</p>
        </div>
        <button
          type="button"
          className="tool"
          aria-label="New conversation"
          title="New conversation"
          onClick={() => void store.session(agent.name, true).catch(() => undefined)}
        >
          <IconPlus size={18} aria-hidden="true" />
        </button>
        <button type="button" className="tool" aria-label="Close" title="Close" onClick={() => store.close()}>
          <IconX size={18} aria-hidden="true" />
        </button>
      </header>
      {state.phone && dock.agents.length > 1 ? (
        <Avatars store={store} state={state} agents={dock.agents} />
      ) : null}
      <div className="views" role="tablist" aria-label="View">
        <View store={store} state={state} name="chat" label="Chat" icon={<IconMessageCircle size={15} />} />
        <View store={store} state={state} name="log" label="Log" icon={<IconListDetails size={15} />} />
      </div>
      <div className="view" role="tabpanel" id={`view-${state.view}`} aria-labelledby={`tab-${state.view}`}>
        {dock.scenario === null || dock.voice_url === null ? null : (
          <VoiceBar store={store} voice={voice} agent={agent} />
        )}
        {state.view === "chat" ? (
          <Chat key={agent.name} store={store} tab={tab} agent={agent} />
        ) : (
          <Log tab={tab} />
        )}
      </div>
    </section>
  );
}

function View(props: {
  store: DockStore;
  state: State;
  name: State["view"];
  label: string;
  icon: React.ReactNode;
}) {
  const { store, state, name, label, icon } = props;
  const chosen = state.view === name;
  const other = name === "chat" ? "log" : "chat";
  return (
    <button
      type="button"
      role="tab"
      id={`tab-${name}`}
      aria-selected={chosen}
      aria-controls={chosen ? `view-${name}` : undefined}
      tabIndex={chosen ? 0 : -1}
      onClick={() => store.show(name)}
      onKeyDown={(event) => {
        if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
        store.show(other);
        document.getElementById(`tab-${other}`)?.focus();
      }}
    >
      <span aria-hidden="true">{icon}</span>
      {label}
    </button>
  );
}

function readable(name: string): string {
  return name.replaceAll("_", " ").replace(/^./, (first) => first.toUpperCase());
}
