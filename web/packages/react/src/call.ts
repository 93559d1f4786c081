import type { SpotterApi } from "./api";
import type { SessionEvent } from "./events";
import { Recorder, save, type Recording } from "./recorder";
import { TranscriptReporter, type Stop } from "./transcript";

export type VoiceState = "off" | "connecting" | "ready" | "listening" | "thinking" | "speaking" | "failed";

export interface VoiceStatus {
  state: VoiceState;
  /** Who speaks. */
  agent: string;
  sessionId: string | null;
  /** The microphone stays open, and the voice model hears when somebody has finished. */
  handsFree: boolean;
  recorded: boolean;
  /** What went wrong, or why it was stopped; for people. */
  notice: string;
}

export interface VoiceAgent {
  name: string;
  instructions: string;
  tools: { name: string; description: string; parameters: unknown }[];
  voice: string;
}

/** As `GET /api/session2` answers. */
export interface SessionInit {
  session_id: string;
  scenario_id: string;
  root_agent: string;
  client_secret: { value: string; expires_at: number };
  model: string;
  initial_agents: VoiceAgent[];
}

export interface CallWish {
  scenarioId?: string;
  rootAgent?: string;
  sessionId?: string;
  contextId?: string;
}

interface RealtimeMessage {
  type: string;
  item_id?: string;
  previous_item_id?: string | null;
  transcript?: string;
  text?: string;
  item?: { id?: string };
  error?: { code?: string; message?: string };
  response?: { id?: string; status?: string; usage?: unknown; output?: FunctionCall[] };
}

interface FunctionCall {
  type: string;
  name?: string;
  call_id?: string;
  arguments?: string;
}

interface ToolResult {
  formatted: string;
}

const OFF: VoiceStatus = {
  state: "off",
  agent: "",
  sessionId: null,
  handsFree: false,
  recorded: false,
  notice: "",
};
/** Sound that is still on its way when the button is let go. */
const TAIL = 200;
export const OPENAI = "https://api.openai.com/v1/realtime/calls";

/**
 * A conversation aloud: sound goes straight to the provider over WebRTC; what was said, what tools do and who speaks stay
 * with Spotter's server.
 */
export class RealtimeCall {
  status: VoiceStatus = OFF;
  private readonly watchers = new Set<() => void>();
  private peer: RTCPeerConnection | null = null;
  private channel: RTCDataChannel | null = null;
  private microphone: MediaStream | null = null;
  private speaker: HTMLAudioElement | null = null;
  private recorder: Recorder | null = null;
  private reporter: TranscriptReporter | null = null;
  private agents: VoiceAgent[] = [];
  private before = new Map<string, string>();
  private answering = false;
  private connecting: Promise<void> | null = null;

  constructor(private readonly api: SpotterApi) {}

  subscribe = (watcher: () => void): (() => void) => {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  };

  get = (): VoiceStatus => this.status;

  get connected(): boolean {
    return this.channel?.readyState === "open";
  }

  /** Once for as long as the line is up. `voiceUrl` is where the provider takes calls. */
  connect(voiceUrl: string, wish: () => Promise<CallWish>): Promise<void> {
    this.connecting ??= this.begin(voiceUrl, wish).catch(async (problem: unknown) => {
      await this.hangUp();
      this.set({ state: "failed", notice: explained(problem) });
      throw problem;
    });
    return this.connecting;
  }

  private async begin(voiceUrl: string, wish: () => Promise<CallWish>): Promise<void> {
    this.set({ ...OFF, state: "connecting", handsFree: this.status.handsFree });
    // First: who does not lend a microphone shall not pay for a conversation.
    this.microphone = await navigator.mediaDevices.getUserMedia({
      audio: { echoCancellation: true, noiseSuppression: true },
    });
    this.openMicrophone(false);
    const init = await this.api.json<SessionInit>(`/api/session2?${query(await wish())}`);
    this.agents = init.initial_agents;
    this.before.clear();
    this.reporter = new TranscriptReporter(this.api, init.session_id, (stop) => this.stopped(stop));
    this.recorder = new Recorder();
    this.recorder.add(this.microphone);
    await this.dial(voiceUrl, init.client_secret.value);
    this.set({ state: "ready", agent: init.root_agent, sessionId: init.session_id, recorded: true });
    this.setHandsFree(this.status.handsFree);
  }

  private async dial(voiceUrl: string, secret: string): Promise<void> {
    const peer = new RTCPeerConnection();
    this.peer = peer;
    const speaker = new Audio();
    this.speaker = speaker;
    speaker.autoplay = true;
    peer.addEventListener("track", (event) => {
      const stream = event.streams[0] ?? new MediaStream([event.track]);
      speaker.srcObject = stream;
      void speaker.play().catch(() => undefined);
      this.recorder?.add(stream);
    });
    peer.addEventListener("connectionstatechange", () => {
      if (peer === this.peer && ["failed", "closed"].includes(peer.connectionState)) void this.lost();
    });
    this.microphone?.getTracks().forEach((track) => peer.addTrack(track, this.microphone as MediaStream));
    const channel = peer.createDataChannel("oai-events");
    this.channel = channel;
    channel.addEventListener("message", (event: MessageEvent<string>) => {
      this.heard(JSON.parse(event.data) as RealtimeMessage);
    });
    const opened = new Promise<void>((resolve, reject) => {
      channel.addEventListener("open", () => resolve(), { once: true });
      channel.addEventListener("close", () => reject(new Error("The line was closed.")), { once: true });
    });
    opened.catch(() => undefined);
    await peer.setLocalDescription(await peer.createOffer());
    const answer = await fetch(voiceUrl, {
      method: "POST",
      headers: { Authorization: `Bearer ${secret}`, "Content-Type": "application/sdp" },
      body: peer.localDescription?.sdp,
      credentials: "omit",
    });
    if (!answer.ok) throw new Error(`The voice service answered ${answer.status}. Try again.`);
    await peer.setRemoteDescription({ type: "answer", sdp: await answer.text() });
    await opened;
  }

  /** Push to talk: from now on somebody is heard, until `stopPTT`. */
  startPTT(): void {
    this.must();
    this.interrupt();
    this.send({ type: "input_audio_buffer.clear" });
    this.openMicrophone(true);
    this.set({ state: "listening", notice: "" });
  }

  async stopPTT(): Promise<void> {
    this.must();
    if (this.status.handsFree) return;
    await new Promise((resolve) => setTimeout(resolve, TAIL));
    this.openMicrophone(false);
    this.send({ type: "input_audio_buffer.commit" });
    this.send({ type: "response.create" });
    this.set({ state: "thinking" });
  }

  /** Stop speaking. Says whether somebody was. */
  interrupt(): boolean {
    const was = this.answering || this.status.state === "speaking";
    if (!this.connected || !was) return false;
    if (this.answering) this.send({ type: "response.cancel" });
    this.send({ type: "output_audio_buffer.clear" });
    this.answering = false;
    this.rest();
    return true;
  }

  /** Typed in the middle of a conversation aloud: checked by the server before the voice model reads it. */
  async sendText(text: string): Promise<void> {
    this.must();
    const checked = await this.api.post<{ allowed: boolean; reason: string }>("/api/moderate", { text });
    if (!checked.allowed) throw new Error(checked.reason);
    this.interrupt();
    const id = `typed_${crypto.randomUUID().replaceAll("-", "").slice(0, 24)}`;
    const content = [{ type: "input_text", text }];
    this.send({ type: "conversation.item.create", item: { id, type: "message", role: "user", content } });
    this.report(id, "user", text);
    this.send({ type: "response.create" });
    this.set({ state: "thinking", notice: "" });
  }

  setHandsFree(on: boolean): void {
    this.set({ handsFree: on });
    if (!this.connected) return;
    const turn_detection = on ? { type: "server_vad" } : null;
    this.update({ audio: { input: { turn_detection } } });
    this.openMicrophone(on);
    this.rest();
  }

  /** Something the server's log tells of this session: another agent, or that it is time to stop. */
  hear(event: SessionEvent): void {
    if (!this.connected) return;
    const { content } = event;
    if (event.type === "handoff") this.switchTo(String(content["to_agent"] ?? ""));
    if (event.type === "interrupt") this.stopped(content as unknown as Stop);
  }

  /** Who speaks from now on. The voice stays: providers let nobody change it once it was heard. */
  switchTo(name: string): void {
    const agent = this.agents.find((one) => one.name === name);
    if (agent === undefined || name === this.status.agent) return;
    const tools = agent.tools.map((tool) => ({ type: "function", ...tool }));
    this.update({ instructions: agent.instructions, tools, tool_choice: "auto" });
    this.set({ agent: name });
  }

  async downloadRecording(): Promise<Recording> {
    if (this.recorder === null) throw new Error("Nothing was recorded yet.");
    const blob = await this.recorder.blob();
    if (blob.size === 0) throw new Error("The recording is empty.");
    return save(blob);
  }

  async disconnect(): Promise<void> {
    const reporter = this.reporter;
    await this.hangUp();
    this.set({ state: "off", notice: "" });
    await reporter?.flush(true);
  }

  private async hangUp(): Promise<void> {
    this.connecting = null;
    this.answering = false;
    const { peer, channel, microphone, speaker } = this;
    this.peer = null;
    this.channel = null;
    channel?.close();
    peer?.close();
    microphone?.getTracks().forEach((track) => track.stop());
    this.microphone = null;
    if (speaker !== null) speaker.srcObject = null;
    await this.recorder?.end();
  }

  private async lost(): Promise<void> {
    const reporter = this.reporter;
    await this.hangUp();
    this.set({ state: "failed", notice: "The line was lost. Start again to go on where you were." });
    await reporter?.flush(true).catch(() => undefined);
  }

  private heard(message: RealtimeMessage): void {
    switch (message.type) {
      case "conversation.item.added":
      case "conversation.item.created":
        if (message.item?.id !== undefined && message.previous_item_id)
          this.before.set(message.item.id, message.previous_item_id);
        return;
      case "conversation.item.input_audio_transcription.completed":
        return this.report(message.item_id, "user", message.transcript);
      case "response.output_audio_transcript.done":
        return this.report(message.item_id, "assistant", message.transcript);
      case "response.output_text.done":
        return this.report(message.item_id, "assistant", message.text);
      case "input_audio_buffer.speech_started":
        return this.set({ state: "listening" });
      case "response.created":
        this.answering = true;
        return this.status.state === "speaking" ? undefined : this.set({ state: "thinking" });
      case "output_audio_buffer.started":
        return this.set({ state: "speaking" });
      case "output_audio_buffer.stopped":
      case "output_audio_buffer.cleared":
        return this.rest();
      case "response.done":
        return void this.answered(message.response ?? {});
      case "error":
        return this.refused(message.error ?? {});
    }
  }

  private async answered(response: NonNullable<RealtimeMessage["response"]>): Promise<void> {
    this.answering = false;
    if (response.id !== undefined && response.usage) this.reporter?.used(response.id, response.usage);
    const calls = (response.output ?? []).filter((one) => one.type === "function_call");
    if (calls.length === 0 || response.status === "cancelled") {
      if (this.status.state === "thinking") this.rest();
      return;
    }
    for (const call of calls) await this.carryOut(call);
    if (this.connected) this.send({ type: "response.create" });
  }

  /** By the server, as for any agent: permissions, approvals and the record of it are the same. */
  private async carryOut(call: FunctionCall): Promise<void> {
    const body = {
      tool: call.name,
      arguments: parsed(call.arguments),
      session_id: this.status.sessionId,
    };
    const output = await this.api
      .post<ToolResult>("/api/tools/execute", body, { "Idempotency-Key": String(call.call_id) })
      .then((done) => done.formatted)
      .catch((problem: unknown) => `This did not work: ${explained(problem)}`);
    if (!this.connected) return;
    const item = { type: "function_call_output", call_id: call.call_id, output };
    this.send({ type: "conversation.item.create", item });
  }

  private report(id: string | undefined, role: "user" | "assistant", text: string | undefined): void {
    if (id === undefined || text === undefined) return;
    const previous = this.before.get(id);
    this.reporter?.say({ item_id: id, role, text, ...(previous ? { previous_item_id: previous } : {}) });
  }

  private stopped(stop: Stop): void {
    this.interrupt();
    this.set({ notice: stop.text });
    if (stop.reason === "budget" || stop.reason === "time") void this.disconnect();
  }

  private refused(error: { code?: string; message?: string }): void {
    const empty = error.code === "input_audio_buffer_commit_empty";
    this.rest();
    this.set({
      notice: empty ? "Hold the button while you speak." : (error.message ?? "That did not work."),
    });
  }

  private update(session: object): void {
    this.send({ type: "session.update", session: { type: "realtime", ...session } });
  }

  private send(message: object): void {
    if (this.connected) this.channel?.send(JSON.stringify(message));
  }

  private rest(): void {
    this.set({ state: this.status.handsFree ? "listening" : "ready" });
  }

  private openMicrophone(on: boolean): void {
    this.microphone?.getAudioTracks().forEach((track) => (track.enabled = on));
  }

  private must(): void {
    if (!this.connected) throw new Error("There is no conversation aloud. Connect first.");
  }

  private set(change: Partial<VoiceStatus>): void {
    this.status = { ...this.status, ...change };
    this.watchers.forEach((watcher) => watcher());
  }
}

function query(wish: CallWish): string {
  const found = {
    scenario_id: wish.scenarioId,
    root_agent: wish.rootAgent,
    session_id: wish.sessionId,
    context_id: wish.contextId,
  };
  return new URLSearchParams(
    Object.entries(found).flatMap(([key, value]) => (value ? [[key, value]] : [])),
  ).toString();
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? "{}");
  } catch {
    return {};
  }
}

function explained(problem: unknown): string {
  if (problem instanceof DOMException && problem.name === "NotAllowedError")
    return "The microphone was not allowed. Allow it in the browser to speak.";
  if (problem instanceof DOMException && problem.name === "NotFoundError")
    return "There is no microphone here.";
  return problem instanceof Error ? problem.message : String(problem);
}
