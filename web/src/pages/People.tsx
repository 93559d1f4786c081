import {
  ActionIcon,
  Alert,
  Button,
  Code,
  CopyButton,
  Group,
  NativeSelect,
  Stack,
  Text,
  TextInput,
  Title,
} from "@mantine/core";
import { IconLink, IconTrash } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answered, api, type Schemas } from "~/api/client";
import { useMe } from "~/api/queries";
import { Page } from "~/shell/Page";
import { Members } from "./Members";

const ROLES = [
  { value: "member", label: "Member: trains" },
  { value: "staff", label: "Staff: sees everybody's training" },
  { value: "admin", label: "Admin: changes agents, people, caps" },
];

export function People() {
  const me = useMe();
  return (
    <Page
      title="People"
      lead={me ? `Who is in ${me.organisation.name}, and who is asked to join.` : undefined}
    >
      <Stack gap="lg">
        <Invite />
        <Members />
      </Stack>
    </Page>
  );
}

function Invite() {
  const queries = useQueryClient();
  const key = ["people", "invitations"];
  const open = useQuery({ queryKey: key, queryFn: () => answered(api.GET("/api/invitations")) });
  const [email, setEmail] = useState("");
  const [role, setRole] = useState("member");
  const invite = useMutation({
    mutationFn: () =>
      answered(
        api.POST("/api/invitations", {
          body: { email: email.trim(), role: role as Schemas["NewInvitation"]["role"] },
        }),
      ),
    meta: { quiet: true },
    onSuccess: async () => {
      setEmail("");
      await queries.invalidateQueries({ queryKey: key });
    },
  });
  const withdraw = useMutation({
    mutationFn: (id: string) =>
      answered(api.DELETE("/api/invitations/{invitation_id}", { params: { path: { invitation_id: id } } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: key }),
  });
  return (
    <section className="surface" aria-labelledby="invite-title">
      <Stack p="lg">
        <Title order={2} id="invite-title">
          Invite somebody
        </Title>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            invite.mutate();
          }}
        >
          <Group align="flex-end">
            <TextInput
              label="E-mail"
              type="email"
              required
              flex={1}
              miw={220}
              value={email}
              onChange={(event) => setEmail(event.currentTarget.value)}
            />
            <NativeSelect
              label="As"
              value={role}
              onChange={(event) => setRole(event.currentTarget.value)}
              data={ROLES}
            />
            <Button type="submit" loading={invite.isPending}>
              Invite
            </Button>
          </Group>
          {invite.error ? (
            <Text role="alert" size="sm" c="var(--mantine-color-error)" mt="sm">
              {invite.error.message}
            </Text>
          ) : null}
        </form>
        {invite.data ? <Made invitation={invite.data} /> : null}
        {open.data?.items.map((one) => (
          <Group key={one.id} justify="space-between" wrap="nowrap">
            <div>
              <Text>{one.email}</Text>
              <Text size="xs" c="dimmed">
                {one.role}, open until {new Date(one.expires_at).toLocaleDateString()}
              </Text>
            </div>
            <ActionIcon
              variant="subtle"
              color="gray"
              size={40}
              aria-label={`Withdraw the invitation of ${one.email}`}
              onClick={() => withdraw.mutate(one.id)}
            >
              <IconTrash size={18} />
            </ActionIcon>
          </Group>
        ))}
      </Stack>
    </section>
  );
}

function Made({ invitation }: { invitation: Schemas["CreatedInvitation"] }) {
  const link = `${window.location.origin}/invitation#${invitation.token}`;
  return (
    <Alert
      color="pine"
      variant="light"
      icon={<IconLink />}
      title={`Send this link to ${invitation.email}`}
      role="status"
    >
      <Stack gap="sm" align="flex-start">
        <Code block data-testid="invitation-link">
          {link}
        </Code>
        <Group>
          <CopyButton value={link}>
            {({ copied, copy }) => (
              <Button size="compact-md" onClick={copy}>
                {copied ? "Copied" : "Copy"}
              </Button>
            )}
          </CopyButton>
          <Text size="sm">It works once, for seven days, and is shown only now.</Text>
        </Group>
      </Stack>
    </Alert>
  );
}
