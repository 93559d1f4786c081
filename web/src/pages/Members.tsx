import { ActionIcon, Badge, Button, Group, Menu, Modal, Skeleton, Stack, Text } from "@mantine/core";
import { IconDots, IconUserMinus } from "@tabler/icons-react";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answered, api, type Schemas } from "~/api/client";
import { useMe } from "~/api/queries";
import { Card } from "~/shell/Page";
import { showDone } from "~/shell/toasts";

type Member = Schemas["Member"];
const KEY = ["people", "members"];
const ROLES: Record<Schemas["Role"], string> = {
  member: "Member",
  staff: "Staff",
  admin: "Admin",
  owner: "Owner",
};

export function Members() {
  const pages = useInfiniteQuery({
    queryKey: KEY,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) =>
      answered(api.GET("/api/members", { params: { query: { limit: 50, cursor: pageParam } } })),
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
  if (pages.error) throw pages.error;
  const items = pages.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Card title="Everybody">
      {pages.isPending ? <Skeleton h={120} /> : null}
      {items.map((one) => (
        <Row key={one.id} member={one} />
      ))}
      {pages.hasNextPage ? (
        <Button
          variant="default"
          loading={pages.isFetchingNextPage}
          onClick={() => void pages.fetchNextPage()}
        >
          Show more
        </Button>
      ) : null}
    </Card>
  );
}

function Row({ member }: { member: Member }) {
  const me = useMe();
  const name = member.name || member.email;
  // The server decides; what it would refuse anyway is not offered.
  const may = member.id !== me?.user_id && (member.role !== "owner" || me?.role === "owner");
  return (
    <Group justify="space-between" wrap="nowrap" data-testid="member">
      <div style={{ minWidth: 0 }}>
        <Text fw={550}>{name}</Text>
        <Text size="sm" c="dimmed">
          {member.email}
        </Text>
      </div>
      <Group gap={4} wrap="nowrap">
        <Badge variant={member.role === "member" ? "default" : "light"} tt="none">
          {ROLES[member.role]}
        </Badge>
        {may ? (
          <Deeds member={member} name={name} isOwner={me?.role === "owner"} />
        ) : (
          <span style={{ width: 40 }} />
        )}
      </Group>
    </Group>
  );
}

function Deeds({ member, name, isOwner }: { member: Member; name: string; isOwner: boolean }) {
  const queries = useQueryClient();
  const [asking, setAsking] = useState(false);
  const params = { path: { member_id: member.id } };
  const refresh = () => queries.invalidateQueries({ queryKey: KEY });
  const change = useMutation({
    mutationFn: (role: Schemas["Role"]) =>
      answered(api.PATCH("/api/members/{member_id}", { params, body: { role } })),
    onSuccess: async (fresh) => {
      await refresh();
      showDone(`${name}: ${ROLES[fresh.role]} from now on.`);
    },
  });
  const remove = useMutation({
    mutationFn: () => answered(api.DELETE("/api/members/{member_id}", { params })),
    onSuccess: async () => {
      setAsking(false);
      await refresh();
      showDone(`${name} is signed out everywhere.`, "Removed");
    },
  });
  const roles = (Object.keys(ROLES) as Schemas["Role"][]).filter((one) => isOwner || one !== "owner");
  return (
    <>
      <Menu position="bottom-end" width={200}>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" size={40} aria-label={`Change ${name}`}>
            <IconDots size={20} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>Role</Menu.Label>
          {roles.map((role) => (
            <Menu.Item key={role} disabled={role === member.role} onClick={() => change.mutate(role)}>
              {ROLES[role]}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item color="red" leftSection={<IconUserMinus size={16} />} onClick={() => setAsking(true)}>
            Remove
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Modal opened={asking} onClose={() => setAsking(false)} title={`Remove ${name}?`}>
        <Stack>
          <Text size="sm">They are signed out here at once. What they did and said stays.</Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setAsking(false)} data-autofocus>
              Keep them
            </Button>
            <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
              Remove them
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
