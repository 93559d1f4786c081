import type { SpotterApi } from "./api";

export interface SpokenItem {
  item_id: string;
  role: "user" | "assistant";
  text: string;
  previous_item_id?: string;
}

export interface Stop {
  reason: string;
  category: string;
  text: string;
}

interface Recorded {
  interrupt: Stop | null;
  ended: boolean;
}

const TRIES = 5;

/**
 * What was said and used, sent to the session's log as it happens: one report at a time, in order, and again if one does
 * not arrive. The server knows items and answers by the provider's ids, so nothing is recorded or billed twice.
 */
export class TranscriptReporter {
  private items: SpokenItem[] = [];
  private usage: { response_id: string; usage: unknown }[] = [];
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly api: SpotterApi,
    private readonly sessionId: string,
    private readonly onStop: (stop: Stop) => void,
  ) {}

  say(item: SpokenItem): void {
    if (item.text.trim() === "") return;
    this.items.push(item);
    void this.flush();
  }

  used(responseId: string, usage: unknown): void {
    this.usage.push({ response_id: responseId, usage });
    void this.flush();
  }

  flush(ended = false): Promise<void> {
    this.running = this.running.then(() => this.send(ended));
    return this.running;
  }

  private async send(ended: boolean): Promise<void> {
    const [items, usage] = [this.items.splice(0, 200), this.usage.splice(0, 200)];
    if (items.length === 0 && usage.length === 0 && !ended) return;
    const path = `/api/sessions/${this.sessionId}/transcript`;
    for (let attempt = 1; attempt <= TRIES; attempt += 1) {
      try {
        const done = await this.api.post<Recorded>(path, { items, usage, ended }, {}, ended);
        if (done.interrupt !== null) this.onStop(done.interrupt);
        return;
      } catch (problem) {
        if (attempt === TRIES) throw problem;
        await new Promise((resolve) => setTimeout(resolve, 250 * 2 ** attempt));
      }
    }
  }
}
