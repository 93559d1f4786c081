import {
  ActionIcon,
  Badge,
  Button,
  Group,
  Menu,
  Modal,
  Progress,
  Skeleton,
  Stack,
  Text,
  Title,
} from "@mantine/core";
import { IconDots, IconPencil, IconPlus, IconShieldHalf, IconTrash } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answered, api, type Schemas } from "~/api/client";
import { Empty } from "~/shell/Page";
import { showDone } from "~/shell/toasts";
import { CapForm } from "./CapForm";
import { amount, titleOf } from "./caps";
import { percent } from "./money";
import { momentAt } from "./months";
import { USAGE, useAgents, useCaps, usePeople } from "./reports";
import classes from "./usage.module.css";

type Standing = Schemas["CapStanding"];

export function Caps({ timezone, mayEdit }: { timezone: string; mayEdit: boolean }) {
  const caps = useCaps(true);
  const [form, setForm] = useState<{ cap: Schemas["Cap"] | null } | null>(null);
  const [doomed, setDoomed] = useState<Schemas["Cap"] | null>(null);
  const named = (caps.data?.standing ?? []).some((one) => one.scope === "user");
  const people = usePeople(named);
  const agents = useAgents(true);
  const nameOf = (one: { scope: string; subject: string }): string => {
    if (one.scope === "agent") {
      return agents.data?.items.find((agent) => agent.name === one.subject)?.title || one.subject;
    }
    const person = people.data?.find((each) => each.id === one.subject);
    if (person) return person.name || person.email;
    return one.scope === "session" ? `Conversation ${one.subject.slice(-6)}` : "Somebody who left";
  };
  const add = (
    <Button leftSection={<IconPlus size={17} />} variant="default" onClick={() => setForm({ cap: null })}>
      New limit
    </Button>
  );
  return (
    <section className="surface" aria-labelledby="caps-title">
      <Stack p="lg" gap="md">
        <Group justify="space-between">
          <Title order={2} id="caps-title">
            Limits
          </Title>
          {mayEdit && (caps.data?.items.length ?? 0) > 0 ? add : null}
        </Group>
        {caps.data === undefined ? <Skeleton h={90} /> : null}
        {caps.data?.items.length === 0 ? (
          <Empty icon={IconShieldHalf} title="Nothing stops spending yet" action={mayEdit ? add : undefined}>
            A limit is checked before each call to a model, so it cannot be overrun.{" "}
            {mayEdit ? "" : "An admin can set one."}
          </Empty>
        ) : (
          <div>
            {caps.data?.items.map((cap) => (
              <Limit
                key={cap.id}
                cap={cap}
                standing={caps.data.standing.filter((one) => one.cap_id === cap.id)}
                nameOf={nameOf}
                timezone={timezone}
                edit={mayEdit ? () => setForm({ cap }) : undefined}
                remove={mayEdit ? () => setDoomed(cap) : undefined}
              />
            ))}
          </div>
        )}
      </Stack>
      {form ? <CapForm cap={form.cap} close={() => setForm(null)} /> : null}
      {doomed ? <Removal cap={doomed} name={nameOf(doomed)} close={() => setDoomed(null)} /> : null}
    </section>
  );
}

function Limit(props: {
  cap: Schemas["Cap"];
  standing: Standing[];
  nameOf: (one: Standing) => string;
  timezone: string;
  edit: (() => void) | undefined;
  remove: (() => void) | undefined;
}) {
  const { cap, standing, nameOf } = props;
  const single = cap.scope === "organisation" || cap.subject !== "" ? standing[0] : undefined;
  const title = titleOf(cap, standing[0] ? nameOf(standing[0]) : cap.subject);
  const begins = standing[0]?.resets_at;
  return (
    <div className={classes.cap}>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <div style={{ flex: 1, minWidth: 0 }}>
          <Group gap="xs">
            <Text fw={600}>{title}</Text>
            {single ? <State one={single} /> : null}
          </Group>
          <Text size="sm" c="dimmed">
            {[
              cap.hard === null ? "Warns only" : `Stops at ${amount(cap.hard, cap.unit)}`,
              cap.soft === null ? "" : `warns at ${amount(cap.soft, cap.unit)}`,
              begins ? `begins anew ${momentAt(begins, props.timezone)}` : "",
            ]
              .filter((part) => part !== "")
              .join(", ")}
          </Text>
        </div>
        {props.edit && props.remove ? (
          <Menu position="bottom-end">
            <Menu.Target>
              <ActionIcon variant="subtle" color="gray" aria-label={`Change the limit: ${title}`}>
                <IconDots size={18} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item leftSection={<IconPencil size={16} />} onClick={props.edit}>
                Other amounts
              </Menu.Item>
              <Menu.Item leftSection={<IconTrash size={16} />} color="red" onClick={props.remove}>
                Remove
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        ) : null}
      </Group>
      {single ? <Meter one={single} /> : <Fullest standing={standing} nameOf={nameOf} />}
    </div>
  );
}

function State({ one }: { one: Standing }) {
  if (one.left === 0)
    return (
      <Badge color="red" variant="light" tt="none">
        Reached
      </Badge>
    );
  if (one.soft !== null && one.spent >= one.soft) {
    return (
      <Badge color="yellow" variant="light" tt="none" c="var(--spotter-amber)">
        Above the warning
      </Badge>
    );
  }
  return null;
}

function Meter({ one }: { one: Standing }) {
  const most = one.hard ?? one.soft ?? 0;
  const spent = percent(one.spent, most);
  return (
    <>
      <Progress.Root size="lg" mt={8}>
        <Progress.Section
          value={Math.min(100, spent)}
          color={one.left === 0 ? "red" : undefined}
          aria-label={`${spent} percent used`}
        />
        {one.reserved > 0 ? (
          <Progress.Section
            value={Math.min(100 - Math.min(100, spent), percent(one.reserved, most))}
            color="gray"
            striped
            aria-label="Held back for calls that are going on"
          />
        ) : null}
      </Progress.Root>
      <Group justify="space-between" mt={4} gap="xs">
        <Text size="sm" className="tabular">
          {amount(one.spent, one.unit)} used
          {one.reserved > 0 ? `, ${amount(one.reserved, one.unit)} held back` : ""}
        </Text>
        <Text size="sm" fw={600} className="tabular">
          {one.left === null ? "Nothing stops it" : `${amount(one.left, one.unit)} left`}
        </Text>
      </Group>
    </>
  );
}

const SHOWN = 5;

/** A limit for each of many: those who are closest to it. */
function Fullest({ standing, nameOf }: { standing: Standing[]; nameOf: (one: Standing) => string }) {
  if (standing.length === 0) {
    return (
      <Text size="sm" mt={6}>
        Nobody has used any of it yet.
      </Text>
    );
  }
  return (
    <div className={classes.each} style={{ marginTop: 10 }}>
      {standing.slice(0, SHOWN).map((one) => (
        <Row key={one.subject} name={nameOf(one)} one={one} />
      ))}
      {standing.length > SHOWN ? (
        <Text size="xs" c="dimmed" style={{ gridColumn: "1 / -1" }}>
          and {standing.length - SHOWN} more who used less
        </Text>
      ) : null}
    </div>
  );
}

function Row({ name, one }: { name: string; one: Standing }) {
  const most = one.hard ?? one.soft ?? 0;
  return (
    <>
      <Text size="sm" lineClamp={1}>
        {name}
      </Text>
      <Progress
        value={Math.min(100, percent(one.spent + one.reserved, most))}
        color={one.left === 0 ? "red" : undefined}
        aria-label={`${name}: part that is used`}
      />
      <span className="tabular">{one.left === null ? "" : `${amount(one.left, one.unit)} left`}</span>
    </>
  );
}

function Removal({ cap, name, close }: { cap: Schemas["Cap"]; name: string; close: () => void }) {
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () =>
      answered(api.DELETE("/api/billing/caps/{cap_id}", { params: { path: { cap_id: cap.id } } })),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: USAGE });
      showDone("The limit is removed.");
      close();
    },
  });
  return (
    <Modal opened onClose={close} title="Remove this limit?">
      <Stack>
        <Text size="sm">
          “{titleOf(cap, name)}” no longer stops anything. What was spent stays in the books.
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={close} data-autofocus>
            Keep it
          </Button>
          <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
            Remove it
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
