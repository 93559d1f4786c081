import { Alert, Button, Code, Collapse, CopyButton, Group, List, Stack, Text } from "@mantine/core";
import { IconChevronDown, IconKey } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useId, useState, type ReactNode } from "react";
import { answered, api } from "~/api/client";
import type { Widget } from "./queries";

export function scriptOf(widget: Widget, origin: string): string {
  return `<script src="${origin}/embed.js" data-widget="${widget.id}" data-token-url="/spotter-token" async></script>`;
}

export function mintingOf(widget: Widget, origin: string): string {
  return [
    `curl -X POST ${origin}/api/widgets/${widget.id}/tokens \\`,
    `  -H "X-API-Key: $SPOTTER_API_KEY" -H "Content-Type: application/json" \\`,
    `  -d '{"user_id": "customer-4711", "name": "Kim"}'`,
  ].join("\n");
}

/** The three things to do on one's own site, ready to copy. */
export function Embed({ widget }: { widget: Widget }) {
  const [open, setOpen] = useState(false);
  const body = useId();
  const { origin } = window.location;
  return (
    <div>
      <Button
        variant="subtle"
        size="compact-sm"
        mt="xs"
        ml={-8}
        aria-expanded={open}
        aria-controls={body}
        rightSection={<IconChevronDown size={15} />}
        onClick={() => setOpen(!open)}
      >
        Put it on your page
      </Button>
      <Collapse expanded={open} id={body}>
        <List type="ordered" spacing="md" mt="sm" pr="xs" styles={{ itemWrapper: { width: "100%" } }}>
          <List.Item>
            <Text size="sm">A key for your server, which asks for tokens with it.</Text>
            <KeyForServer widget={widget} />
          </List.Item>
          <List.Item>
            <Text size="sm">
              An address on your server, <Code>/spotter-token</Code>, that answers with what this does. Give
              your own id for whoever is signed in: the same id finds the same conversation.
            </Text>
            <Copied text={mintingOf(widget, origin)} label="Copy the request" />
          </List.Item>
          <List.Item>
            <Text size="sm">The script, on every page that shall have the chat.</Text>
            <Copied text={scriptOf(widget, origin)} label="Copy the script" testId="snippet" />
          </List.Item>
        </List>
      </Collapse>
    </div>
  );
}

function KeyForServer({ widget }: { widget: Widget }) {
  const make = useMutation({
    mutationFn: () =>
      answered(
        api.POST("/api/api-keys", {
          body: { name: `Widget ${widget.name}`.slice(0, 120), role: "staff", scopes: ["read", "write"] },
        }),
      ),
  });
  if (make.data !== undefined)
    return (
      <Alert
        mt="xs"
        variant="light"
        color="pine"
        icon={<IconKey size={18} />}
        title="Shown only now"
        role="status"
      >
        <Stack gap="xs">
          <Text size="sm">Keep it where your server keeps its secrets, never in a page.</Text>
          <Copied text={make.data.key} label="Copy the key" />
        </Stack>
      </Alert>
    );
  return (
    <Button
      mt="xs"
      size="xs"
      variant="default"
      leftSection={<IconKey size={15} />}
      loading={make.isPending}
      onClick={() => make.mutate()}
    >
      Make a key
    </Button>
  );
}

function Copied(props: { text: string; label: string; testId?: string }): ReactNode {
  return (
    <Group align="flex-start" wrap="nowrap" gap="xs" mt="xs">
      <Code block flex={1} tabIndex={0} data-testid={props.testId} style={{ overflowX: "auto", minWidth: 0 }}>
        {props.text}
      </Code>
      <CopyButton value={props.text}>
        {({ copied, copy }) => (
          <Button size="xs" variant="light" onClick={copy} aria-label={props.label}>
            {copied ? "Copied" : "Copy"}
          </Button>
        )}
      </CopyButton>
    </Group>
  );
}
