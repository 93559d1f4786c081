import { ActionIcon, Badge, Button, Code, Group, Menu, Modal, Skeleton, Stack, Text } from "@mantine/core";
import { IconDots, IconMessageChatbot, IconPencil, IconPlus, IconTrash } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answered, api } from "~/api/client";
import { titleOf, useAgents } from "~/scenarios/queries";
import { Card, Empty } from "~/shell/Page";
import { showDone } from "~/shell/toasts";
import { Embed } from "./Embed";
import { WIDGETS, type Widget } from "./queries";
import { WidgetForm } from "./WidgetForm";

/** Chats on the organisation's own pages. */
export function Widgets() {
  const widgets = useQuery({ queryKey: WIDGETS, queryFn: () => answered(api.GET("/api/widgets")) });
  const [editing, setEditing] = useState<Widget | "new" | null>(null);
  const make = (
    <Button leftSection={<IconPlus size={17} />} onClick={() => setEditing("new")}>
      New widget
    </Button>
  );
  const items = widgets.data?.items ?? [];
  return (
    <Card
      title="Chat on your website"
      text="A widget puts your agents on your own pages: one script tag, and one small endpoint on your server."
      actions={items.length > 0 ? make : undefined}
    >
      {widgets.isPending ? <Skeleton h={90} /> : null}
      {widgets.isSuccess && items.length === 0 ? (
        <Empty icon={IconMessageChatbot} title="No widgets yet" action={make}>
          Say which of your pages may show the chat, and who can be talked to there.
        </Empty>
      ) : null}
      {items.map((one) => (
        <Shown key={one.id} widget={one} onEdit={() => setEditing(one)} />
      ))}
      {items.length > 0 && widgets.data?.voice === false ? (
        <Text size="sm" c="dimmed">
          Visitors write. To let them talk aloud, add a key for OpenAI below.
        </Text>
      ) : null}
      {editing !== null ? (
        <WidgetForm widget={editing === "new" ? null : editing} close={() => setEditing(null)} />
      ) : null}
    </Card>
  );
}

function Shown({ widget, onEdit }: { widget: Widget; onEdit: () => void }) {
  const queries = useQueryClient();
  const agents = useAgents();
  const [asking, setAsking] = useState(false);
  const path = { widget_id: widget.id };
  const refresh = () => queries.invalidateQueries({ queryKey: WIDGETS });
  const change = useMutation({
    mutationFn: (enabled: boolean) =>
      answered(api.PATCH("/api/widgets/{widget_id}", { params: { path }, body: { enabled } })),
    onSuccess: refresh,
  });
  const revoke = useMutation({
    mutationFn: () => answered(api.DELETE("/api/widgets/{widget_id}", { params: { path } })),
    onSuccess: async () => {
      await refresh();
      showDone("Pages that still have its script show no chat any more.", "Revoked");
    },
  });
  const names = widget.agents.map((name) => titleOf(agents.data?.items, name)).join(", ");
  return (
    <article className="inset" aria-label={widget.name}>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Stack gap={4} style={{ minWidth: 0 }}>
          <Group gap="xs">
            <Text fw={600}>{widget.name}</Text>
            <Badge variant={widget.enabled ? "light" : "default"} tt="none">
              {widget.enabled ? "On" : "Off"}
            </Badge>
          </Group>
          <Text size="sm" c="dimmed">
            {names}
            {widget.scenario === null ? "" : `, in the scenario ${widget.scenario}`}
          </Text>
          <Group gap={6}>
            {widget.origins.map((origin) => (
              <Code key={origin}>{origin}</Code>
            ))}
          </Group>
        </Stack>
        <Menu position="bottom-end" width={200}>
          <Menu.Target>
            <ActionIcon variant="subtle" color="gray" size={40} aria-label={`More about ${widget.name}`}>
              <IconDots size={20} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item leftSection={<IconPencil size={16} />} onClick={onEdit}>
              Change
            </Menu.Item>
            <Menu.Item onClick={() => change.mutate(!widget.enabled)}>
              {widget.enabled ? "Switch off" : "Switch on"}
            </Menu.Item>
            <Menu.Divider />
            <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={() => setAsking(true)}>
              Revoke
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </Group>
      <Embed widget={widget} />
      <Modal opened={asking} onClose={() => setAsking(false)} title={`Revoke “${widget.name}”?`}>
        <Stack>
          <Text size="sm">
            The chat disappears from your pages at once, and its tokens are worth nothing. What was said in it
            stays.
          </Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setAsking(false)} data-autofocus>
              Keep it
            </Button>
            <Button color="red" loading={revoke.isPending} onClick={() => revoke.mutate()}>
              Revoke it
            </Button>
          </Group>
        </Stack>
      </Modal>
    </article>
  );
}
