import { messages } from "@spotter/react";
import {
  ActionIcon,
  Badge,
  Button,
  Code,
  Group,
  Stack,
  Text,
  Textarea,
  Title,
  UnstyledButton,
} from "@mantine/core";
import {
  IconArrowUp,
  IconCheck,
  IconChevronDown,
  IconHandStop,
  IconLoader2,
  IconMessageCircle,
  IconPlayerStopFilled,
  IconRefresh,
  IconX,
} from "@tabler/icons-react";
import { useEffect, useId, useRef, useState } from "react";
import { answered, api } from "~/api/client";
import { newId } from "~/api/ids";
import { refusal } from "~/api/problems";
import { signedFetch } from "~/api/session";
import { Empty } from "~/shell/Page";
import { Prose } from "~/shell/Prose";
import { OfflineBadge } from "~/shell/Shell";
import classes from "./scenarios.module.css";
import { asked, heard, NOTHING, noted, told, type Entry, type Trial } from "./trial";

/** Begins a conversation; gives its id. `key` tells what it would be with: another one begins a new conversation. */
export interface Opening {
  key: string;
  begin: () => Promise<string>;
}

export function Try(props: { opening: Opening; hint?: string; examples: string[] }) {
  const { opening } = props;
  const [trial, setTrial] = useState<Trial>(NOTHING);
  const [text, setText] = useState("");
  const session = useRef<{ id: string; key: string } | null>(null);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);

  const startOver = () => {
    running.current?.abort();
    session.current = null;
    setTrial(NOTHING);
  };

  const say = async (words: string) => {
    const said = words.trim();
    if (said === "" || trial.working) return;
    setText("");
    setTrial((before) => asked(before, newId(), said));
    const stop = new AbortController();
    running.current = stop;
    try {
      if (session.current !== null && session.current.key !== opening.key) {
        setTrial((before) => ({
          ...noted(before, newId(), "It was changed, so this is a new conversation.", false),
          working: true,
        }));
        session.current = null;
      }
      session.current ??= { id: await opening.begin(), key: opening.key };
      const answer = await signedFetch(`/api/sessions/${session.current.id}/messages`, {
        method: "POST",
        headers: { "Content-Type": "application/json", Accept: "text/event-stream" },
        body: JSON.stringify({ text: said }),
        signal: stop.signal,
      });
      if (!answer.ok || answer.body === null) throw await refusal(answer);
      for await (const message of messages(answer.body)) {
        if (stop.signal.aborted) return;
        setTrial((before) =>
          message.type === "delta" ? heard(before, message as never) : told(before, message as never),
        );
      }
      setTrial((before) => ({ ...before, working: false }));
    } catch (problem) {
      if (stop.signal.aborted) return;
      const words = problem instanceof Error ? problem.message : "That did not work.";
      setTrial((before) => noted(before, newId(), words, true));
    }
  };

  const cancel = async () => {
    if (session.current === null) return;
    const path = { session_id: session.current.id };
    await answered(api.POST("/api/sessions/{session_id}/cancel", { params: { path } })).catch(
      () => undefined,
    );
  };

  return (
    <section className={`surface ${classes.try}`} aria-labelledby="try-title">
      <Group justify="space-between" px="md" py="sm" className={classes.tryHead}>
        <Group gap="xs">
          <Title order={2} id="try-title" fz="1.05rem">
            Try it
          </Title>
          {trial.offline ? <OfflineBadge /> : null}
        </Group>
        {trial.entries.length > 0 ? (
          <Button variant="subtle" size="xs" leftSection={<IconRefresh size={15} />} onClick={startOver}>
            Start over
          </Button>
        ) : null}
      </Group>
      <Log trial={trial} hint={props.hint} examples={props.examples} say={(words) => void say(words)} />
      <form
        className={classes.composer}
        onSubmit={(event) => {
          event.preventDefault();
          void say(text);
        }}
      >
        <Textarea
          size="md"
          aria-label="Message to try it with"
          placeholder="Say something to it"
          autosize
          maxRows={6}
          maxLength={32_000}
          value={text}
          flex={1}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            void say(text);
          }}
        />
        {trial.working ? (
          <ActionIcon size={42} variant="default" aria-label="Stop" onClick={() => void cancel()}>
            <IconPlayerStopFilled size={17} />
          </ActionIcon>
        ) : (
          <ActionIcon size={42} type="submit" aria-label="Send" disabled={text.trim() === ""}>
            <IconArrowUp size={19} />
          </ActionIcon>
        )}
      </form>
    </section>
  );
}

function Log(props: {
  trial: Trial;
  hint: string | undefined;
  examples: string[];
  say: (words: string) => void;
}) {
  const { trial } = props;
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const box = end.current?.parentElement;
    if (box) box.scrollTop = box.scrollHeight;
  }, [trial.entries]);
  const offers = trial.entries.length === 0 ? props.examples.slice(0, 3) : trial.options;
  return (
    <div className={classes.log} role="log" aria-label="The conversation" tabIndex={0}>
      {trial.entries.length === 0 ? (
        <Empty icon={IconMessageCircle} title="Talk to it before others do">
          {props.hint ?? "You see every tool it calls, and with what."}
        </Empty>
      ) : null}
      <Stack gap="sm">
        {trial.entries.map((entry) => (
          <Shown key={entry.id} entry={entry} />
        ))}
        {trial.working ? (
          <Text size="sm" c="dimmed" role="status">
            Thinking…
          </Text>
        ) : null}
        {offers.length > 0 && !trial.working ? (
          <Group gap="xs" justify={trial.entries.length === 0 ? "center" : undefined}>
            {offers.map((words) => (
              <Button
                key={words}
                size="xs"
                variant="light"
                onClick={() => props.say(words)}
                className={classes.offer}
              >
                {words}
              </Button>
            ))}
          </Group>
        ) : null}
      </Stack>
      <div ref={end} />
    </div>
  );
}

function Shown({ entry }: { entry: Entry }) {
  switch (entry.kind) {
    case "person":
      return <div className={classes.person}>{entry.text}</div>;
    case "agent":
      return (
        <div className={classes.agent}>
          <Prose text={entry.text} />
        </div>
      );
    case "note":
      return (
        <Text
          size="sm"
          ta="center"
          c={entry.trouble ? "var(--mantine-color-error)" : "dimmed"}
          role={entry.trouble ? "alert" : undefined}
        >
          {entry.text}
        </Text>
      );
    case "call":
      return <Call call={entry} />;
  }
}

const STATES = {
  running: { word: "Running", icon: IconLoader2 },
  ok: { word: "Done", icon: IconCheck },
  failed: { word: "Failed", icon: IconX },
  waiting: { word: "Waits", icon: IconHandStop },
};

function Call({ call }: { call: Extract<Entry, { kind: "call" }> }) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const state = STATES[call.state];
  return (
    <div className={classes.call} data-state={call.state} data-testid="call">
      <UnstyledButton
        className={classes.callHead}
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
      >
        <state.icon size={16} aria-hidden />
        <Text span size="sm" fw={600} ff="monospace" flex={1} lineClamp={1}>
          {call.tool}
        </Text>
        <Text span size="xs" c="dimmed" className="tabular">
          {state.word}
          {call.ms > 0 ? `, ${call.ms} ms` : ""}
        </Text>
        <IconChevronDown size={15} aria-hidden className={classes.chevron} data-open={open || undefined} />
      </UnstyledButton>
      <div id={id} hidden={!open} className={classes.callBody}>
        <Badge size="xs" variant="default" tt="none">
          Given
        </Badge>
        <Code block tabIndex={0}>
          {call.args || "{}"}
        </Code>
        <Badge size="xs" variant="default" tt="none">
          Answer
        </Badge>
        <Code block tabIndex={0}>
          {call.result || "…"}
        </Code>
      </div>
    </div>
  );
}
