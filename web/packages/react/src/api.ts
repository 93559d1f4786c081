import { messages, type Delta, type SessionEvent } from "./events";

/** The server said no, and why. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
    this.name = "Refused";
  }
}

export interface Follower {
  onEvent: (event: SessionEvent) => void;
  onDelta?: (delta: Delta) => void;
  onState?: (state: "open" | "lost") => void;
}

export interface ApiOptions {
  /** Where Spotter is; the page's own origin if not given. */
  baseUrl?: string;
  /** A token for the person who is there. Asked again when the server no longer takes it. */
  token: (stale: string | null) => Promise<string>;
}

/** The calls that a conversation needs, for whoever holds the token. */
export class SpotterApi {
  private readonly base: string;
  private held: Promise<string> | null = null;

  constructor(private readonly options: ApiOptions) {
    this.base = (options.baseUrl ?? "").replace(/\/$/, "");
  }

  /** A call with the token, and once more with a new one if the old one has expired. */
  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const token = await this.token(null);
    const answer = await this.with(token, path, init);
    if (answer.status !== 401) return answer;
    return this.with(await this.token(token), path, init);
  }

  async json<T>(path: string, init: RequestInit = {}): Promise<T> {
    const answer = await this.fetch(path, init);
    if (!answer.ok) throw await refusal(answer);
    return (answer.status === 204 ? undefined : await answer.json()) as T;
  }

  post<T>(path: string, body: unknown, headers: Record<string, string> = {}, keepalive = false): Promise<T> {
    return this.json<T>(path, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify(body),
      keepalive,
    });
  }

  /**
   * Follows a conversation until the returned function is called. A stream that breaks off is taken up again after
   * the last event that was seen, so nothing is missing and nothing comes twice.
   */
  follow(sessionId: string, after: number, follower: Follower): () => void {
    const gone = new AbortController();
    let last = after;
    let pause = 300;
    const once = async () => {
      const answer = await this.fetch(`/api/sessions/${sessionId}/events`, {
        headers: { Accept: "text/event-stream", "Last-Event-ID": String(last) },
        signal: gone.signal,
      });
      if (!answer.ok || answer.body === null) throw await refusal(answer);
      follower.onState?.("open");
      pause = 300;
      for await (const message of messages(answer.body)) {
        if (message.type === "delta") follower.onDelta?.(message as Delta);
        else {
          const event = message as SessionEvent;
          if (event.sequence <= last) continue;
          last = event.sequence;
          follower.onEvent(event);
        }
      }
    };
    const forever = async () => {
      while (!gone.signal.aborted) {
        try {
          await once();
        } catch (problem) {
          if (gone.signal.aborted) return;
          // Gone for good: nothing is won by asking again.
          if (problem instanceof Refused && [403, 404].includes(problem.status))
            return follower.onState?.("lost");
        }
        follower.onState?.("lost");
        await new Promise((resolve) => setTimeout(resolve, pause));
        pause = Math.min(pause * 1.7, 5000);
      }
    };
    void forever();
    return () => gone.abort();
  }

  private with(token: string, path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set("Authorization", `Bearer ${token}`);
    return fetch(this.base + path, { ...init, headers, credentials: "omit" });
  }

  /** Asked for once, however many calls need it at the same moment. */
  private async token(stale: string | null): Promise<string> {
    const held = this.held === null ? null : await this.held.catch(() => null);
    if (held !== null && held !== stale) return held;
    if (held === stale || this.held === null) this.held = this.options.token(stale);
    return this.held.catch((problem: unknown) => {
      this.held = null;
      throw problem;
    });
  }
}

export async function refusal(answer: Response): Promise<Refused> {
  const problem = (await answer.json().catch(() => ({}))) as { code?: string; detail?: string };
  const words = problem.detail ?? `The server answered ${answer.status}.`;
  return new Refused(answer.status, problem.code ?? "error", words);
}
