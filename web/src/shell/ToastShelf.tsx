import "@mantine/notifications/styles.layer.css";
import { Code, CopyButton, Group, Text, UnstyledButton } from "@mantine/core";
import { Notifications, notifications } from "@mantine/notifications";
import { IconAlertTriangle, IconCheck } from "@tabler/icons-react";
import { Refused } from "~/api/problems";

export function ToastShelf() {
  return <Notifications position="top-right" limit={3} containerWidth={360} />;
}

export function problem(thrown: unknown): void {
  const refused = thrown instanceof Refused ? thrown : null;
  notifications.show({
    id: refused ? `${refused.code}:${refused.message}` : undefined,
    color: "red",
    icon: <IconAlertTriangle size={18} />,
    title: refused?.title ?? "That did not work",
    message: (
      <>
        <Text size="sm">{thrown instanceof Error ? thrown.message : "Something unexpected happened."}</Text>
        {refused?.correlationId ? <Reference id={refused.correlationId} /> : null}
      </>
    ),
    autoClose: 9000,
    withBorder: true,
  });
}

export function done(message: string, title?: string): void {
  notifications.show({ color: "pine", icon: <IconCheck size={18} />, title, message, withBorder: true });
}

function Reference({ id }: { id: string }) {
  return (
    <CopyButton value={id}>
      {({ copied, copy }) => (
        <UnstyledButton onClick={copy} mt={4} aria-label={`Copy the reference ${id} for a report`}>
          <Group gap={6}>
            <Text size="xs" c="dimmed">
              {copied ? "Copied" : "Reference"}
            </Text>
            <Code fz="xs">{id}</Code>
          </Group>
        </UnstyledButton>
      )}
    </CopyButton>
  );
}
