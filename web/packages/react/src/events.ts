/** One thing that happened in a conversation, as the server's log tells it. */
export interface SessionEvent {
  sequence: number;
  type: string;
  at: string;
  content: Record<string, unknown>;
}

/** Words of an answer that is being written. */
export interface Delta {
  type: "delta";
  key: string;
  offset: number;
  text: string;
}

/** The messages of a stream of server-sent events. */
export async function* messages(body: ReadableStream<Uint8Array>): AsyncGenerator<SessionEvent | Delta> {
  const reader = body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .getReader();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      rest += value;
      const whole = rest.split("\n\n");
      rest = whole.pop() ?? "";
      for (const block of whole) {
        const data = block
          .split("\n")
          .filter((line) => line.startsWith("data:"))
          .map((line) => line.slice(5).trimStart())
          .join("\n");
        if (data !== "") yield JSON.parse(data) as SessionEvent | Delta;
      }
    }
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}
