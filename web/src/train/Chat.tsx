import {
  ActionIcon,
  Alert,
  Button,
  Group,
  SegmentedControl,
  Text,
  Textarea,
  Tooltip,
  VisuallyHidden,
} from "@mantine/core";
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconPlayerStop,
  IconPlugConnectedX,
  IconPlus,
  IconSend2,
} from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { OfflineBadge } from "~/shell/Shell";
import { Prose } from "~/shell/Prose";
import type { Entry } from "./conversation";
import { Stages } from "./Stages";
import classes from "./train.module.css";
import { NAMES, type Trainer, type Who } from "./useTrainer";

export function Chat(props: { trainer: Trainer; suggestions: React.ReactNode; choose: (who: Who) => void }) {
  const { trainer, suggestions, choose } = props;
  const { who, conversation, say, stop, begin } = trainer;
  const log = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const { entries, question, working } = conversation;
  useEffect(() => {
    const box = log.current;
    if (box !== null && atEnd.current) box.scrollTop = box.scrollHeight;
  }, [entries, working, question]);
  const speaking =
    entries.at(-1)?.kind === "agent" && entries.some((one) => one.kind === "agent" && one.live);
  return (
    <section className={`surface ${classes.chat}`} aria-labelledby="chat-title">
      <Group justify="space-between" px="md" py="sm" wrap="nowrap">
        <Group gap="sm">
          <VisuallyHidden>
            <h2 id="chat-title">{NAMES[who]}</h2>
          </VisuallyHidden>
          <SegmentedControl
            size="sm"
            aria-label="Who to talk to"
            value={who}
            onChange={(value) => choose(value as Who)}
            data={Object.entries(NAMES).map(([value, label]) => ({ value, label }))}
          />
          {conversation.offline ? <OfflineBadge /> : null}
        </Group>
        {who === "trainer" ? (
          <Tooltip label="New conversation">
            <ActionIcon
              variant="subtle"
              color="gray"
              size={36}
              aria-label="New conversation"
              onClick={() => void begin()}
            >
              <IconPlus size={18} />
            </ActionIcon>
          </Tooltip>
        ) : null}
      </Group>
      <Stages stage={conversation.stage} />
      <div
        ref={log}
        className={classes.log}
        role="log"
        aria-label="Conversation"
        aria-live="polite"
        tabIndex={0}
        onScroll={(event) => {
          const box = event.currentTarget;
          atEnd.current = box.scrollHeight - box.scrollTop - box.clientHeight < 60;
        }}
      >
        {entries.length === 0 ? (
          <div>
            <Text c="dimmed" size="sm" mb="sm">
              {who === "trainer"
                ? "Tell your trainer what you want today. It knows your goals, injuries, equipment and what you did before."
                : "Your coach asks about your health and your goals, plans your weeks, then leads you through each workout set by set."}
            </Text>
            {suggestions}
          </div>
        ) : null}
        {entries.map((entry) => (
          <Line key={entry.id} entry={entry} />
        ))}
        {working && !speaking ? (
          <div
            className={`${classes.bubble} ${classes.agent} ${classes.typing}`}
            role="status"
            aria-label={`Your ${who} is at work`}
          >
            <i />
            <i />
            <i />
          </div>
        ) : null}
        {question !== null && question.options.length > 0 ? (
          <div className={classes.chips} role="group" aria-label="Answers">
            {question.options.map((option) => (
              <Button key={option} variant="light" size="sm" radius="xl" onClick={() => void say(option)}>
                {option}
              </Button>
            ))}
          </div>
        ) : null}
      </div>
      <Composer
        who={who}
        working={working}
        onSay={(text) => void say(text)}
        onStop={() => void stop()}
        asked={question !== null}
      />
    </section>
  );
}

function Line({ entry }: { entry: Entry }) {
  switch (entry.kind) {
    case "person":
      return (
        <div
          className={`${classes.bubble} ${classes.person} rise`}
          data-pending={entry.pending || undefined}
          data-failed={entry.failed || undefined}
        >
          {entry.text}
          {entry.failed ? <Text size="xs">Not sent</Text> : null}
        </div>
      );
    case "agent":
      return (
        <div className={`${classes.bubble} ${classes.agent} rise`}>
          <Prose text={entry.text} />
        </div>
      );
    case "step":
      return (
        <div className={classes.step}>
          <IconCircleCheck size={16} aria-hidden />
          {entry.text}
        </div>
      );
    case "note":
      if (entry.about === "spotter")
        return (
          <Alert color="orange" variant="light" role="status" icon={<IconPlugConnectedX size={18} />}>
            {entry.text}
          </Alert>
        );
      return (
        <div className={classes.step} role={entry.trouble ? "alert" : undefined}>
          {entry.trouble ? <IconAlertTriangle size={16} aria-hidden /> : null}
          {entry.text}
        </div>
      );
  }
}

function Composer(props: {
  who: Who;
  working: boolean;
  asked: boolean;
  onSay: (text: string) => void;
  onStop: () => void;
}) {
  const [text, setText] = useState("");
  const send = () => {
    const said = text.trim();
    if (said === "") return;
    props.onSay(said);
    setText("");
  };
  return (
    <form
      className={classes.composer}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <Textarea
        size="md"
        aria-label={`Message to your ${props.who}`}
        placeholder={props.asked ? "Your answer" : "20 minutes, my shoulder is sore…"}
        autosize
        minRows={1}
        maxRows={5}
        flex={1}
        value={text}
        maxLength={8000}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
            event.preventDefault();
            send();
          }
        }}
      />
      {props.working && text.trim() === "" ? (
        <ActionIcon size={42} variant="light" aria-label="Stop" onClick={props.onStop}>
          <IconPlayerStop size={18} />
        </ActionIcon>
      ) : (
        <ActionIcon size={42} type="submit" aria-label="Send" disabled={text.trim() === ""}>
          <IconSend2 size={18} />
        </ActionIcon>
      )}
    </form>
  );
}
