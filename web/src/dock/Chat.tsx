import { IconPlayerStop, IconSend2 } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { Prose } from "~/shell/Prose";
import type { Entry } from "~/train/conversation";
import type { DockAgent, DockStore, Tab } from "./store";

export function Chat({ store, tab, agent }: { store: DockStore; tab: Tab; agent: DockAgent }) {
  const { entries, question, working } = tab.conversation;
  const log = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  useEffect(() => {
    const box = log.current;
    if (box !== null && atEnd.current) box.scrollTop = box.scrollHeight;
  }, [entries, working, question]);
  const say = (text: string) => {
    atEnd.current = true;
    void store.say(text).catch(() => undefined);
  };
  const live = entries.some((one) => one.kind === "agent" && one.live);
  return (
    <>
      <div
        ref={log}
        className="log"
        role="log"
        aria-label="Conversation"
        aria-live="polite"
        tabIndex={0}
        onScroll={(event) => {
          const box = event.currentTarget;
          atEnd.current = box.scrollHeight - box.scrollTop - box.clientHeight < 60;
        }}
      >
        {entries.length === 0 ? <Beginning agent={agent} onSay={say} /> : null}
        {entries.map((entry) => (
          <Line key={entry.id} entry={entry} />
        ))}
        {working && !live ? (
          <div className="bubble agent typing" role="status" aria-label={`${agent.title} is at work`}>
            <i />
            <i />
            <i />
          </div>
        ) : null}
        {question !== null && question.options.length > 0 ? (
          <Chips label="Answers" options={question.options} onSay={say} />
        ) : null}
      </div>
      {tab.lost && tab.sessionId !== null ? <p className="notice">Connecting again…</p> : null}
      {tab.problem === "" ? null : (
        <p className="notice trouble" role="alert">
          {tab.problem}
        </p>
      )}
      <Composer agent={agent} working={working} onSay={say} onStop={() => void store.stop()} />
    </>
  );
}

function Beginning({ agent, onSay }: { agent: DockAgent; onSay: (text: string) => void }) {
  return (
    <div className="beginning">
      <p>{agent.description === "" ? `Say hello to ${agent.title}.` : agent.description}</p>
      {agent.examples.length > 0 ? (
        <Chips label="Things to ask" options={agent.examples} onSay={onSay} />
      ) : null}
    </div>
  );
}

function Chips(props: { label: string; options: string[]; onSay: (text: string) => void }) {
  return (
    <div className="chips" role="group" aria-label={props.label}>
      {props.options.map((option) => (
        <button key={option} type="button" onClick={() => props.onSay(option)}>
          {option}
        </button>
      ))}
    </div>
  );
}

function Line({ entry }: { entry: Entry }) {
  switch (entry.kind) {
    case "person":
      return (
        <div className="bubble person" data-pending={entry.pending || undefined}>
          {entry.text}
          {entry.failed ? <small>Not sent</small> : null}
        </div>
      );
    case "agent":
      return (
        <div className="bubble agent">
          <Prose text={entry.text} />
        </div>
      );
    case "step":
      return <p className="step">{entry.text}</p>;
    case "note":
      return <p className={entry.trouble ? "step trouble" : "step"}>{entry.text}</p>;
  }
}

function Composer(props: {
  agent: DockAgent;
  working: boolean;
  onSay: (text: string) => void;
  onStop: () => void;
}) {
  const [text, setText] = useState("");
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => box.current?.focus({ preventScroll: true }), []);
  const send = () => {
    const said = text.trim();
    if (said === "") return;
    setText("");
    props.onSay(said);
  };
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        ref={box}
        rows={1}
        value={text}
        maxLength={8000}
        aria-label={`Message to ${props.agent.title}`}
        placeholder="Write a message"
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
            event.preventDefault();
            send();
          }
        }}
      />
      {props.working ? (
        <button type="button" className="tool" aria-label="Stop" title="Stop" onClick={props.onStop}>
          <IconPlayerStop size={18} aria-hidden="true" />
        </button>
      ) : null}
      <button type="submit" className="send" aria-label="Send" title="Send" disabled={text.trim() === ""}>
        <IconSend2 size={18} aria-hidden="true" />
      </button>
    </form>
  );
}
