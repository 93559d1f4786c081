import { Alert, Loader, SegmentedControl, Text } from "@mantine/core";
import { IconAlertTriangle, IconMessageChatbot, IconPlugConnectedX } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { answered, api } from "~/api/client";
import { atLeast, useMe } from "~/api/queries";
import { Empty } from "~/shell/Page";
import { showProblem } from "~/shell/toasts";
import type { Interrupt } from "./agui";
import { Approval, Chips } from "./Asked";
import { branchesAt } from "./branches";
import classes from "./chat.module.css";
import { Composer } from "./Composer";
import { EventLog } from "./EventLog";
import { Exchange } from "./Exchange";
import { Header } from "./Header";
import { useAgents, useRelatives, useSession, useWaiting } from "./queries";
import { exchanges } from "./thread";
import { useThread, type Answer, type Partner } from "./useThread";

interface First {
  text: string;
  model?: string;
  partner: Partner;
}

const unsaid = new Map<string, First>();

function keep(id: string, first: First): void {
  unsaid.set(id, first);
}

function taken(id: string): First | null {
  const first = unsaid.get(id) ?? null;
  unsaid.delete(id);
  return first;
}

export function Conversation(props: {
  sessionId: string | null;
  leading: ReactNode;
  onOpen: (id: string) => void;
}) {
  const { onOpen } = props;
  const queries = useQueryClient();
  const me = useMe();
  const session = useSession(props.sessionId);
  const relatives = useRelatives(session.data);
  const { thread, say, resume, stop } = useThread(props.sessionId);
  const [tab, setTab] = useState("chat");
  const [wished, setWished] = useState<Partner>({ agent: "assistant", scenario: null });
  const [other, setOther] = useState<string | null>(null);
  const [model, setModel] = useState(() => unsaid.get(props.sessionId ?? "")?.model);
  /** What was decided here: the list of what waits may still be an older one. */
  const [decided, setDecided] = useState<string[]>([]);
  const box = useRef<HTMLTextAreaElement>(null);
  const told = useMemo(() => exchanges(thread), [thread]);

  const id = props.sessionId;
  const scenario = session.data?.scenario ?? null;
  const speaker = thread.state.agent ?? session.data?.agent ?? wished.agent;
  const partner: Partner = id === null ? wished : { scenario, agent: other ?? speaker };
  const isMine = session.data === undefined || session.data.user_id === me?.user_id;
  const running = thread.running && (thread.loaded || thread.messages.length > 0);
  const question = thread.interrupts.find((one) => one.reason === "input_required");
  const asked = thread.interrupts.filter((one) => one.reason === "tool_call");
  const still = useWaiting(running ? null : id).data ?? [];
  const isNew = (one: Interrupt) => !decided.includes(one.id) && asked.every((known) => known.id !== one.id);
  const approvals = running ? [] : [...asked, ...still.filter(isNew)];
  const waiting = new Set(approvals.map((one) => one.toolCallId ?? ""));

  /** A session of the server first: it has the id by which everything else knows it. */
  const begin = useMutation({
    mutationFn: async (text: string) => {
      const body = wished.scenario === null ? { agent: wished.agent } : { scenario: wished.scenario };
      const made = await answered(
        api.POST("/api/sessions", { body: { ...body, title: titled(text), trial: false } }),
      );
      keep(made.id, { text, model, partner: wished });
      return made;
    },
    onSuccess: (made) => {
      queries.setQueryData(["chat", "session", made.id], made);
      onOpen(made.id);
    },
  });

  const branch = useMutation({
    mutationFn: async ({ at, text }: { at: number; text: string }) => {
      if (id === null) return null;
      const params = { path: { session_id: id } };
      const made = await answered(api.POST("/api/sessions/{session_id}/fork", { params, body: { at } }));
      keep(made.id, { text, model, partner });
      return made;
    },
    onSuccess: (made) => {
      void queries.invalidateQueries({ queryKey: ["chat"] });
      if (made !== null) onOpen(made.id);
    },
  });

  // Ready to type, where that does not open a keyboard over half the page.
  useEffect(() => {
    if (window.matchMedia("(hover: hover)").matches) box.current?.focus({ preventScroll: true });
  }, []);

  // What was said to a session that did not exist yet, or as a branch, is said once it is open.
  const { loaded } = thread;
  useEffect(() => {
    if (id === null || !loaded) return;
    const first = taken(id);
    if (first === null) return;
    void say(id, first.partner, first.text, first.model);
  }, [id, loaded, say]);

  const send = (text: string) => {
    if (id === null) return begin.mutate(text);
    // Words answer a question as any message does: they are shown at once, and the question is closed.
    const closed: Answer[] =
      question === undefined ? [] : [{ interruptId: question.id, status: "cancelled" }];
    void say(id, partner, text, model, closed);
    box.current?.focus();
  };

  const decide = (interruptId: string, approved: boolean, reason: string) => {
    if (id === null) return;
    setDecided([...decided, interruptId]);
    void resume(id, partner, [{ interruptId, status: "resolved", payload: { approved, reason } }]);
    box.current?.focus();
  };

  const halt = () => {
    if (id !== null) void stop(id);
  };
  useEffect(() => {
    if (!running) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.key === "Escape" && !event.defaultPrevented) halt();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  });

  if (session.isError)
    return (
      <section className={`surface ${classes.talk}`}>
        <Empty icon={IconPlugConnectedX} title="There is no such conversation">
          It may have been erased, or it is somebody else's.
        </Empty>
      </section>
    );
  return (
    <section className={`surface ${classes.talk}`} aria-label="Conversation">
      <Header
        leading={props.leading}
        session={session.data}
        partner={partner}
        fixed={id !== null && scenario !== null}
        model={model}
        stage={thread.state.stage ?? null}
        total={thread.total}
        onPartner={(chosen) => (id === null ? setWished(chosen) : setOther(chosen.agent))}
        onModel={setModel}
        onExport={() => void download(id).catch(showProblem)}
      />
      <SegmentedControl
        className={classes.tabs}
        size="xs"
        aria-label="What to show"
        value={tab}
        onChange={setTab}
        data={[
          { label: "Chat", value: "chat" },
          { label: "Raw log", value: "log" },
        ]}
      />
      {thread.state.notice ? <NotSetUp text={thread.state.notice} role={me?.role} /> : null}
      {tab === "log" ? (
        <EventLog sessionId={id} last={thread.last} />
      ) : (
        <Scroll busy={thread.speaking !== null} mark={thread}>
          {id === null && !begin.isPending ? <Beginning partner={wished} say={send} /> : null}
          {id !== null && !thread.loaded && told.length === 0 ? (
            <Loader size="sm" m="md" aria-label="Loading the conversation" />
          ) : null}
          {told.map((exchange, place) => (
            <Exchange
              key={exchange.id}
              exchange={exchange}
              branches={branchesAt(
                session.data,
                relatives.data ?? [],
                exchange.asked?.metadata?.sequence,
                told[place - 1]?.asked?.metadata?.sequence ?? 0,
              )}
              changeable={isMine && !running}
              speaking={running && place === told.length - 1}
              waiting={waiting}
              onBranch={onOpen}
              onEdit={(text) => branch.mutate({ at: (exchange.asked?.metadata?.sequence ?? 1) - 1, text })}
              onRegenerate={() =>
                branch.mutate({
                  at: (exchange.asked?.metadata?.sequence ?? 1) - 1,
                  text: exchange.asked?.content ?? "",
                })
              }
            />
          ))}
          {thread.notices
            .filter((notice) => notice !== thread.state.notice)
            .map((notice) => (
              <Text key={notice} size="sm" c="dimmed" role="status">
                {notice}
              </Text>
            ))}
          {running && thread.speaking === null ? (
            <div className={classes.typing} role="status" aria-label={`${speaker} is at work`}>
              <i />
              <i />
              <i />
            </div>
          ) : null}
          {thread.stopped ? (
            <Text size="sm" c="dimmed" role="status">
              Stopped.
            </Text>
          ) : null}
          {thread.trouble !== null ? (
            <Alert
              color="red"
              variant="light"
              icon={<IconAlertTriangle size={18} />}
              title="That did not work"
            >
              {thread.trouble.message}
            </Alert>
          ) : null}
          {approvals.map((one) => (
            <Approval
              key={one.id}
              interrupt={one}
              busy={running}
              onDecide={(approved, reason) => decide(one.id, approved, reason)}
            />
          ))}
          {question !== undefined ? (
            <Chips options={question.metadata?.options ?? []} onChoose={send} />
          ) : null}
        </Scroll>
      )}
      <Composer
        ref={box}
        running={running || begin.isPending}
        asked={question !== undefined}
        to={partner.scenario ?? partner.agent}
        onSay={send}
        onStop={halt}
      />
    </section>
  );
}

/** What stands above the words for as long as it is so, with the way out for whoever can go it. */
function NotSetUp({ text, role }: { text: string; role: string | undefined }) {
  return (
    <Alert
      className={classes.standing}
      color="orange"
      variant="light"
      role="status"
      icon={<IconPlugConnectedX size={18} />}
    >
      {text} {atLeast(role, "admin") ? <Link to="/gym">Add a key</Link> : "An admin can add a key."}
    </Alert>
  );
}

function Beginning({ partner, say }: { partner: Partner; say: (text: string) => void }) {
  const known = useAgents().data;
  const root = known?.scenarios.find((one) => one.id === partner.scenario)?.default_root;
  const agent = known?.agents.find((one) => one.name === (root ?? partner.agent));
  return (
    <Empty
      icon={IconMessageChatbot}
      title="Talk to an agent"
      action={<Chips options={(agent?.examples ?? []).slice(0, 3)} onChoose={say} />}
    >
      Choose who answers and say something. You will see every call it makes, and what it costs.
    </Empty>
  );
}

function Scroll(props: { busy: boolean; mark: unknown; children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  useEffect(() => {
    const found = box.current;
    if (found !== null && atEnd.current) found.scrollTop = found.scrollHeight;
  }, [props.mark]);
  return (
    <div
      ref={box}
      className={classes.log}
      role="log"
      aria-label="Messages"
      aria-live="polite"
      aria-busy={props.busy}
      tabIndex={0}
      onScroll={(event) => {
        const found = event.currentTarget;
        atEnd.current = found.scrollHeight - found.scrollTop - found.clientHeight < 80;
      }}
    >
      {props.children}
    </div>
  );
}

function titled(text: string): string {
  return text.replace(/\s+/g, " ").trim().slice(0, 80);
}

async function download(id: string | null): Promise<void> {
  if (id === null) return;
  const exported = await answered(
    api.GET("/api/sessions/{session_id}/export", { params: { path: { session_id: id } } }),
  );
  const file = new Blob([JSON.stringify(exported, null, 2)], { type: "application/json" });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = `conversation-${id}.json`;
  link.click();
  URL.revokeObjectURL(link.href);
}
