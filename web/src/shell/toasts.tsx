import { Code, CopyButton, Group, Text, UnstyledButton } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconCheck, IconAlertTriangle } from "@tabler/icons-react";
import { Away, Refused } from "~/api/problems";

/** What went wrong, with the number to name when somebody reports it. The banner tells when the server is away. */
export function showProblem(problem: unknown): void {
  if (problem instanceof Away) return;
  const refused = problem instanceof Refused ? problem : null;
  notifications.show({
    id: refused ? `${refused.code}:${refused.message}` : undefined,
    color: "red",
    icon: <IconAlertTriangle size={18} />,
    title: refused?.title ?? "That did not work",
    message: (
      <>
        <Text size="sm">{problem instanceof Error ? problem.message : "Something unexpected happened."}</Text>
        {refused?.correlationId ? <Reference id={refused.correlationId} /> : null}
      </>
    ),
    autoClose: 9000,
    withBorder: true,
  });
}

export function showDone(message: string, title?: string): void {
  notifications.show({ color: "pine", icon: <IconCheck size={18} />, title, message, withBorder: true });
}

function Reference({ id }: { id: string }) {
  return (
    <CopyButton value={id}>
      {({ copied, copy }) => (
        <UnstyledButton onClick={copy} mt={4} aria-label="Copy the reference for a report">
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
