/** The page that the frame sits on. It is spoken to by name, and nobody else is listened to. */
export interface Facts {
  widget: string;
  host: string;
  name: string;
}

export function facts(): Facts {
  const told = document.querySelector<HTMLMetaElement>('meta[name="dock"]')?.content ?? "{}";
  return JSON.parse(told) as Facts;
}

export type Theme = "light" | "dark" | "auto";
export type Call = (...args: unknown[]) => unknown;

interface Message {
  spotter?: string;
  token?: string;
  error?: string;
  theme?: Theme;
  phone?: boolean;
  id?: number;
  name?: string;
  args?: unknown[];
}

const PATIENCE = 20_000;

/** Checked by who sent it and from where: `host` is the one origin the server let this frame be shown on. */
export class Host {
  onPage: (theme: Theme, phone: boolean) => void = () => undefined;
  private calls: Record<string, Call> = {};
  private asked: ((message: Message) => void)[] = [];

  constructor(private readonly host: string) {
    window.addEventListener("message", (event: MessageEvent<unknown>) => {
      if (event.source !== window.parent || event.origin !== host) return;
      if (typeof event.data === "object" && event.data !== null) this.hear(event.data);
    });
  }

  ready(calls: Record<string, Call>): void {
    this.calls = calls;
    this.tell({ spotter: "ready" });
  }

  tell(message: object): void {
    if (window.parent !== window) window.parent.postMessage(message, this.host);
  }

  event(name: string, detail: unknown): void {
    this.tell({ spotter: "event", name, detail });
  }

  /** A token from the page's own server. */
  token(): Promise<string> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error("The page gave no token.")), PATIENCE);
      this.asked.push((message) => {
        clearTimeout(late);
        if (typeof message.token === "string") resolve(message.token);
        else reject(new Error(message.error ?? "The page gave no token."));
      });
      this.tell({ spotter: "token" });
    });
  }

  private hear(message: Message): void {
    if (message.spotter === "token") this.asked.shift()?.(message);
    else if (message.spotter === "host") this.onPage(message.theme ?? "auto", message.phone === true);
    else if (message.spotter === "call") void this.answer(message);
  }

  private async answer({ id, name = "", args = [] }: Message): Promise<void> {
    try {
      const call = Object.hasOwn(this.calls, name) ? this.calls[name] : undefined;
      if (call === undefined) throw new Error(`There is no ${name}.`);
      this.tell({ spotter: "reply", id, ok: true, value: await call(...args) });
    } catch (problem) {
      const words = problem instanceof Error ? problem.message : String(problem);
      this.tell({ spotter: "reply", id, ok: false, value: words });
    }
  }
}
