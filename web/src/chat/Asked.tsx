import { Button, Group, Text, Textarea, Title } from "@mantine/core";
import { IconCheck, IconShieldQuestion, IconX } from "@tabler/icons-react";
import { useState } from "react";
import { atLeast, useMe } from "~/api/queries";
import type { Interrupt } from "./agui";
import classes from "./chat.module.css";
import { Shown } from "./ToolCard";

/** A call that waits: exactly what would be done, and who may say so. The server checks it again. */
export function Approval(props: {
  interrupt: Interrupt;
  busy: boolean;
  onDecide: (approved: boolean, reason: string) => void;
}) {
  const { interrupt, busy, onDecide } = props;
  const me = useMe();
  const [denying, setDenying] = useState(false);
  const [reason, setReason] = useState("");
  const { tool, arguments: given, approverRole, fourEyes } = interrupt.metadata ?? {};
  const may = atLeast(me?.role, approverRole ?? "member") && fourEyes !== true;
  return (
    <section className={classes.approval} aria-label={`${tool ?? "A call"} waits for approval`}>
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <IconShieldQuestion size={20} aria-hidden />
        <div>
          <Title order={3} size="h4">
            Approve {tool}?
          </Title>
          <Text size="sm" c="dimmed">
            {interrupt.message}
          </Text>
        </div>
      </Group>
      <Shown title="Arguments" text={JSON.stringify(given ?? {})} />
      {may ? (
        <>
          {denying ? (
            <Textarea
              label="Why not? The agent reads it."
              autosize
              minRows={1}
              maxLength={2000}
              data-autofocus
              value={reason}
              onChange={(event) => setReason(event.currentTarget.value)}
            />
          ) : null}
          <Group gap="xs">
            {denying ? (
              <>
                <Button color="red" loading={busy} onClick={() => onDecide(false, reason)}>
                  Deny
                </Button>
                <Button variant="subtle" color="gray" onClick={() => setDenying(false)}>
                  Back
                </Button>
              </>
            ) : (
              <>
                <Button
                  leftSection={<IconCheck size={17} />}
                  loading={busy}
                  onClick={() => onDecide(true, "")}
                >
                  Approve
                </Button>
                <Button
                  variant="default"
                  leftSection={<IconX size={17} />}
                  disabled={busy}
                  onClick={() => setDenying(true)}
                >
                  Deny
                </Button>
              </>
            )}
          </Group>
        </>
      ) : (
        <Text size="sm">
          {fourEyes === true
            ? "Somebody else has to decide about this."
            : `This needs the role ${approverRole} or higher.`}
        </Text>
      )}
    </section>
  );
}

export function Chips(props: { options: string[]; onChoose: (option: string) => void }) {
  if (props.options.length === 0) return null;
  return (
    <div className={classes.chips} role="group" aria-label="Answers">
      {props.options.map((option) => (
        <Button key={option} variant="light" radius="xl" size="sm" onClick={() => props.onChoose(option)}>
          {option}
        </Button>
      ))}
    </div>
  );
}
