import { Refused, SpotterApi, type RealtimeSessionManager, type SessionEvent } from "@spotter/react";
import type { Schemas } from "~/api/client";
import { EMPTY, heard, saying, told, type Conversation } from "~/train/conversation";
import { Host, type Facts, type Theme } from "./host";

export type Dock = Schemas["Dock"];
export type DockAgent = Schemas["DockAgent"];

export interface Tab {
  sessionId: string | null;
  conversation: Conversation;
  events: SessionEvent[];
  /** Who answers now; another than the tab's own after a handover. */
  agent: string;
  /** The last event that was on the screen. */
  seen: number;
  unread: number;
  lost: boolean;
  problem: string;
}

export interface State {
  dock: Dock | null;
  problem: string;
  open: boolean;
  tab: string;
  view: "chat" | "log";
  theme: Theme;
  phone: boolean;
  tabs: Record<string, Tab>;
}

const NOBODY: Tab = {
  sessionId: null,
  conversation: EMPTY,
  events: [],
  agent: "",
  seen: 0,
  unread: 0,
  lost: false,
  problem: "",
};
/** Browsers allow few connections to one server at a time; a message needs one too. */
const MOST_FOLLOWED = 3;
const MOST_EVENTS = 500;

/** Everything the chat knows. Components look at it, the page's calls and the server's events change it. */
export class DockStore {
  state: State = {
    dock: null,
    problem: "",
    open: false,
    tab: "",
    view: "chat",
    theme: "auto",
    phone: false,
    tabs: {},
  };
  readonly api: SpotterApi;
  private readonly watchers = new Set<() => void>();
  private readonly following = new Map<string, () => void>();
  private readonly opening = new Map<string, Promise<string>>();
  private contextId: string | null = null;
  /** The conversation aloud, and the tab it belongs to. */
  voice: RealtimeSessionManager | null = null;
  private voiceTab = "";

  constructor(
    readonly facts: Facts,
    readonly host: Host,
  ) {
    this.api = new SpotterApi({ token: () => host.token() });
    host.onPage = (theme, phone) => this.set({ theme, phone });
  }

  subscribe = (watcher: () => void): (() => void) => {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  };

  get = (): State => this.state;

  set(change: Partial<State>): void {
    this.state = { ...this.state, ...change };
    this.watchers.forEach((watcher) => watcher());
  }

  async begin(): Promise<void> {
    try {
      const dock = await this.api.json<Dock>(`/api/widgets/${this.facts.widget}/dock`);
      const tabs = Object.fromEntries(dock.agents.map((one) => [one.name, { ...NOBODY, agent: one.name }]));
      const kept = remembered(this.facts.widget);
      const tab = dock.agents.some((one) => one.name === kept.tab) ? kept.tab : (dock.agents[0]?.name ?? "");
      this.set({ dock, tabs, tab, problem: "" });
      this.host.event("ready", { agents: dock.agents.map((one) => one.name) });
      if (kept.open) this.open(tab);
    } catch (problem) {
      this.set({ problem: words(problem) });
    }
  }

  open(agent?: string): void {
    const tab = agent !== undefined && agent in this.state.tabs ? agent : this.state.tab;
    this.set({ open: true, tab });
    this.remember();
    this.look();
    this.host.event("open", { agent: tab });
    void this.session(tab).catch(() => undefined);
  }

  close(): void {
    this.set({ open: false });
    this.remember();
    this.host.event("close", {});
  }

  show(view: State["view"]): void {
    this.set({ view });
    this.look();
  }

  /** The conversation of a tab, begun or taken up when it is first needed. */
  session(agent: string, fresh = false): Promise<string> {
    const known = this.opening.get(agent);
    if (known !== undefined && !fresh) return known;
    const opened = this.openSession(agent, fresh);
    this.opening.set(agent, opened);
    opened.catch(() => this.opening.delete(agent));
    return opened;
  }

  private async openSession(agent: string, fresh: boolean): Promise<string> {
    try {
      const path = `/api/widgets/${this.facts.widget}/sessions`;
      const opened = await this.api.post<Schemas["DockSession"]>(path, { agent, fresh });
      this.following.get(agent)?.();
      // What is there already was seen before; what comes after it is new.
      this.change(agent, () => ({
        ...NOBODY,
        agent: opened.agent,
        sessionId: opened.session_id,
        seen: opened.last_sequence,
      }));
      this.follow(agent, opened.session_id);
      return opened.session_id;
    } catch (problem) {
      this.change(agent, (tab) => ({ ...tab, problem: words(problem) }));
      throw problem;
    }
  }

  private follow(agent: string, sessionId: string): void {
    const stop = this.api.follow(sessionId, 0, {
      onEvent: (event) => this.happened(agent, event),
      onDelta: (delta) =>
        this.change(agent, (tab) => ({ ...tab, conversation: heard(tab.conversation, delta) })),
      onState: (state) => this.change(agent, (tab) => ({ ...tab, lost: state === "lost" })),
    });
    this.following.delete(agent);
    this.following.set(agent, stop);
    for (const [oldest, end] of this.following) {
      if (this.following.size <= MOST_FOLLOWED) break;
      end();
      this.following.delete(oldest);
      this.opening.delete(oldest);
    }
  }

  private happened(agent: string, event: SessionEvent): void {
    this.change(agent, (tab) => {
      const conversation = told(tab.conversation, event as Schemas["SessionEvent"]);
      const new_ = event.sequence > tab.seen && spoken(tab.conversation, conversation);
      const answering = event.type === "handoff" ? String(event.content["to_agent"] ?? tab.agent) : tab.agent;
      return {
        ...tab,
        conversation,
        agent: answering,
        events: [...tab.events, event].slice(-MOST_EVENTS),
        unread: new_ ? tab.unread + 1 : tab.unread,
      };
    });
    if (agent === this.voiceTab) this.voice?.hear(event);
    this.look();
  }

  /** What is on the screen is read. */
  look(): void {
    const { open, view, tab, tabs } = this.state;
    const now = tabs[tab];
    if (open && view === "chat" && now !== undefined) {
      const seen = Math.max(now.seen, now.conversation.last);
      if (seen !== now.seen || now.unread > 0) this.change(tab, (one) => ({ ...one, seen, unread: 0 }));
    }
    const unread = Object.values(this.state.tabs).reduce((sum, one) => sum + one.unread, 0);
    if (unread !== this.toldUnread) {
      this.toldUnread = unread;
      this.host.event("unread", { count: unread });
    }
  }
  private toldUnread = 0;

  async say(said: string): Promise<{ text: string; ending: string }> {
    const text = said.trim();
    if (text === "") throw new Error("There is no text to send.");
    const agent = this.state.tab;
    if (this.aloud(agent)) {
      await this.voice?.sendUserText(text);
      return { text: "", ending: "voice" };
    }
    const sessionId = await this.session(agent);
    const key = crypto.randomUUID();
    this.change(agent, (tab) => ({ ...tab, problem: "", conversation: saying(tab.conversation, key, text) }));
    try {
      const body = this.contextId === null ? { text } : { text, context_id: this.contextId };
      const path = `/api/sessions/${sessionId}/messages`;
      const reply = await this.api.post<Schemas["Reply"]>(path, body, { "Idempotency-Key": key });
      const answer = { text: answered(reply.events), ending: reply.ending };
      this.host.event("answer", { agent, text: answer.text });
      return answer;
    } catch (problem) {
      this.change(agent, (tab) => ({ ...tab, ...unsent(tab, key), problem: words(problem) }));
      throw problem;
    }
  }

  /** Whether the conversation aloud, if there is one, is with this agent. */
  speaksIn(agent: string): boolean {
    return agent === this.voiceTab;
  }

  /** Whether somebody speaks with this agent right now. */
  aloud(agent: string): boolean {
    const state = this.voice?.state ?? "off";
    return this.speaksIn(agent) && state !== "off" && state !== "failed";
  }

  /** Speaking begins or goes on in the tab that is open; a conversation aloud elsewhere ends. */
  async talk(): Promise<RealtimeSessionManager> {
    const { dock, tab } = this.state;
    if (this.voice === null || dock === null) throw new Error("The chat is not ready yet.");
    if (dock.voice_url === null)
      throw new Error("Voice is not set up here: the organisation has no OpenAI key.");
    if (dock.scenario === null) throw new Error("To speak, the widget needs a scenario.");
    if (tab !== this.voiceTab && this.aloud(this.voiceTab)) await this.voice.disconnect();
    this.voiceTab = tab;
    return this.voice;
  }

  speakBy(voice: RealtimeSessionManager): void {
    this.voice = voice;
  }

  voiceSession(): Promise<string> {
    return this.session(this.voiceTab);
  }

  async interrupt(): Promise<boolean> {
    return this.voice?.interrupt() === true || this.stop();
  }

  async stop(): Promise<boolean> {
    const sessionId = this.state.tabs[this.state.tab]?.sessionId ?? null;
    if (sessionId === null) return false;
    const done = await this.api.post<Schemas["Cancelled"]>(`/api/sessions/${sessionId}/cancel`, {});
    return done.cancelled;
  }

  /** What the visitor is looking at, for the agent to read before the next message. */
  async setPage(page: string): Promise<void> {
    const taken = await this.api.post<{ context_id: string }>("/api/context/snapshot", { page });
    this.contextId = taken.context_id;
  }

  change(agent: string, how: (tab: Tab) => Tab): void {
    const tab = this.state.tabs[agent] ?? { ...NOBODY, agent };
    this.set({ tabs: { ...this.state.tabs, [agent]: how(tab) } });
  }

  private remember(): void {
    const { open, tab } = this.state;
    try {
      sessionStorage.setItem(`spotter.${this.facts.widget}`, JSON.stringify({ open, tab }));
    } catch {
      // The browser keeps nothing for frames: then the chat is closed again on the next page.
    }
  }
}

function remembered(widget: string): { open: boolean; tab: string } {
  try {
    const kept = JSON.parse(sessionStorage.getItem(`spotter.${widget}`) ?? "{}") as Record<string, unknown>;
    return { open: kept["open"] === true, tab: String(kept["tab"] ?? "") };
  } catch {
    return { open: false, tab: "" };
  }
}

function spoken(before: Conversation, after: Conversation): boolean {
  const count = (one: Conversation) =>
    one.entries.filter((entry) => entry.kind === "agent" && !entry.live).length;
  return count(after) > count(before);
}

/** All that was said in a turn, by whichever way the agent says things. */
function answered(events: Schemas["SessionEvent"][]): string {
  const { entries } = events.reduce(told, EMPTY);
  return entries.flatMap((one) => (one.kind === "agent" ? [one.text] : [])).join("\n\n");
}

function unsent(tab: Tab, key: string): { conversation: Conversation } {
  const entries = tab.conversation.entries.map((one) =>
    one.kind === "person" && one.id === key ? { ...one, pending: false, failed: true } : one,
  );
  return { conversation: { ...tab.conversation, entries, working: false } };
}

export function words(problem: unknown): string {
  if (problem instanceof Refused) return problem.message;
  if (problem instanceof TypeError) return "The server cannot be reached right now.";
  return problem instanceof Error ? problem.message : String(problem);
}
