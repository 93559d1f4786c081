import {
  Badge,
  Button,
  Group,
  SimpleGrid,
  Skeleton,
  Stack,
  Tabs,
  Text,
  TextInput,
  Title,
} from "@mantine/core";
import { IconPlus, IconSearch } from "@tabler/icons-react";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import type { Schemas } from "~/api/client";
import { atLeast, useMe } from "~/api/queries";
import { Empty, Page } from "~/shell/Page";
import { sentence, titleOf, useAgents, useScenarios } from "./queries";
import classes from "./scenarios.module.css";

export function ScenariosPage() {
  const { tab } = useSearch({ strict: false }) as { tab?: string };
  const navigate = useNavigate();
  const me = useMe();
  const [words, setWords] = useState("");
  const mayEdit = atLeast(me?.role, "admin");
  return (
    <Page
      title="Scenarios"
      lead="Who answers, what they can do, and how they hand over to each other."
      wide
      actions={mayEdit ? <New /> : undefined}
    >
      <Tabs
        value={tab === "agents" ? "agents" : "scenarios"}
        onChange={(value) =>
          void navigate({ to: "/scenarios", search: { tab: value === "agents" ? value : undefined } })
        }
        keepMounted={false}
      >
        <Group justify="space-between" mb="lg" align="flex-end">
          <Tabs.List>
            <Tabs.Tab value="scenarios">Scenarios</Tabs.Tab>
            <Tabs.Tab value="agents">Agents</Tabs.Tab>
          </Tabs.List>
          <TextInput
            aria-label="Search scenarios and agents"
            placeholder="Search"
            leftSection={<IconSearch size={17} />}
            value={words}
            maxLength={100}
            w={{ base: "100%", sm: 280 }}
            onChange={(event) => setWords(event.currentTarget.value)}
          />
        </Group>
        <Tabs.Panel value="scenarios">
          <ScenarioList words={words} />
        </Tabs.Panel>
        <Tabs.Panel value="agents">
          <AgentList words={words} mayEdit={mayEdit} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

function New() {
  return (
    <Group gap="xs">
      <Button
        variant="default"
        leftSection={<IconPlus size={17} />}
        renderRoot={(given) => <Link to="/scenarios/$scenario" params={{ scenario: "~new" }} {...given} />}
      >
        New scenario
      </Button>
      <Button
        leftSection={<IconPlus size={17} />}
        renderRoot={(given) => <Link to="/scenarios/agents/$agent" params={{ agent: "~new" }} {...given} />}
      >
        New agent
      </Button>
    </Group>
  );
}

function matches(words: string, ...texts: string[]): boolean {
  const all = texts.join(" ").toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}

function ScenarioList({ words }: { words: string }) {
  const scenarios = useScenarios();
  const agents = useAgents();
  if (scenarios.error && scenarios.data === undefined) throw scenarios.error;
  if (scenarios.data === undefined) return <Skeleton h={240} radius="lg" />;
  const found = scenarios.data.scenarios.filter((one) =>
    matches(words, one.id, one.name, one.description, ...one.agents),
  );
  if (found.length === 0) return <NothingFound />;
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, xl: 3 }} spacing="md" component="ul" className={classes.list}>
      {found.map((one) => (
        <li key={one.id}>
          <Card
            title={
              <Link to="/scenarios/$scenario" params={{ scenario: one.id }}>
                {one.name}
              </Link>
            }
            badge={<Origin source={one.own ? "organisation" : "builtin"} version={one.own?.version ?? 0} />}
            text={one.description}
          >
            <Text size="sm" c="dimmed">
              {one.agents.length === 1 ? "1 agent" : `${one.agents.length} agents`}:{" "}
              {one.agents.map((name) => titleOf(agents.data?.items, name)).join(", ")}
            </Text>
          </Card>
        </li>
      ))}
    </SimpleGrid>
  );
}

function AgentList({ words, mayEdit }: { words: string; mayEdit: boolean }) {
  const agents = useAgents();
  const archived = useAgents(true);
  if (agents.error && agents.data === undefined) throw agents.error;
  if (agents.data === undefined) return <Skeleton h={240} radius="lg" />;
  const known = (list: Schemas["AiAgent"][]) =>
    list.filter((one) => matches(words, one.name, one.title, one.description, ...one.tools));
  const found = known(agents.data.items);
  const away = mayEdit ? known(archived.data?.items ?? []) : [];
  if (found.length + away.length === 0) return <NothingFound />;
  return (
    <Stack gap="xl">
      <Agents agents={found} />
      {away.length > 0 ? (
        <section aria-labelledby="away-title">
          <Title order={2} id="away-title" mb="sm">
            Put away
          </Title>
          <Agents agents={away} />
        </section>
      ) : null}
    </Stack>
  );
}

function Agents({ agents }: { agents: Schemas["AiAgent"][] }) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, xl: 3 }} spacing="md" component="ul" className={classes.list}>
      {agents.map((one) => (
        <li key={one.id}>
          <Card
            title={
              <Link to="/scenarios/agents/$agent" params={{ agent: one.archived ? one.id : one.name }}>
                {one.title || sentence(one.name)}
              </Link>
            }
            badge={<Origin source={one.source} version={one.version} archived={one.archived} />}
            text={one.description}
          >
            <Text size="sm" c="dimmed">
              {one.tools.length === 0
                ? "No tools"
                : one.tools.length === 1
                  ? "1 tool"
                  : `${one.tools.length} tools`}
              {one.handoffs.length > 0 ? `, hands over to ${one.handoffs.length}` : ""}
              {`, ${one.model ?? "the usual model"}`}
            </Text>
          </Card>
        </li>
      ))}
    </SimpleGrid>
  );
}

/** Who made it, and the how-many-th it is. */
export function Origin(props: { source: string; version: number; archived?: boolean }) {
  if (props.archived) {
    return (
      <Badge variant="default" tt="none" fw={550}>
        Put away
      </Badge>
    );
  }
  return props.source === "builtin" ? (
    <Badge variant="default" tt="none" fw={550}>
      Built in
    </Badge>
  ) : (
    <Badge variant="light" tt="none" fw={600}>
      Yours, version {props.version}
    </Badge>
  );
}

function Card(props: { title: ReactNode; badge: ReactNode; text: string; children: ReactNode }) {
  return (
    <article className={`surface ${classes.card}`}>
      <Group justify="space-between" wrap="nowrap" align="flex-start" gap="sm">
        <Title order={2} fz="1.05rem" className={classes.cardTitle}>
          {props.title}
        </Title>
        {props.badge}
      </Group>
      <Text size="sm" lineClamp={3} flex={1}>
        {props.text || "No description yet."}
      </Text>
      {props.children}
    </article>
  );
}

function NothingFound() {
  return (
    <section className="surface">
      <Empty icon={IconSearch} title="Nothing found">
        Try another word, or fewer of them. Names, descriptions and tools are searched.
      </Empty>
    </section>
  );
}
