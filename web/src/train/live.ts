import { messages, type Delta } from "@spotter/react";
import type { Schemas } from "~/api/client";
import { noticeAway, whenBack } from "~/api/connection";
import { Away, refusal } from "~/api/problems";
import { signedFetch } from "~/api/session";

export type LiveEvent = Schemas["SessionEvent"];
export type { Delta };

export interface Follower {
  onEvent: (event: LiveEvent) => void;
  onDelta: (delta: Delta) => void;
  onState: (state: "open" | "lost") => void;
}

/**
 * Follows a conversation for as long as it is open. A stream that breaks off is taken up again after the last event
 * that was seen, so nothing is missing and nothing comes twice.
 */
export function follow(sessionId: string, after: number, follower: Follower): () => void {
  const gone = new AbortController();
  let last = after;
  let pause = 300;
  let wake: () => void = () => undefined;
  const forget = whenBack(() => wake());

  async function once(): Promise<void> {
    const answer = await signedFetch(`/api/sessions/${sessionId}/events`, {
      headers: { Accept: "text/event-stream", "Last-Event-ID": String(last) },
      signal: gone.signal,
    });
    if (!answer.ok || answer.body === null) throw await refusal(answer);
    follower.onState("open");
    pause = 300;
    for await (const message of messages(answer.body)) {
      if (message.type === "delta") follower.onDelta(message as Delta);
      else {
        const event = message as LiveEvent;
        if (event.sequence <= last) continue;
        last = event.sequence;
        follower.onEvent(event);
      }
    }
  }

  async function forever(): Promise<void> {
    while (!gone.signal.aborted) {
      try {
        await once();
      } catch (problem) {
        if (gone.signal.aborted) return;
        if (!(problem instanceof Away) && problem instanceof TypeError) noticeAway();
      }
      follower.onState("lost");
      await new Promise<void>((resolve) => {
        wake = resolve;
        window.setTimeout(resolve, pause);
      });
      pause = Math.min(pause * 1.7, 5000);
    }
  }

  void forever();
  return () => {
    gone.abort();
    forget();
    wake();
  };
}
