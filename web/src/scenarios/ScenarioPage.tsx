import {
  Badge,
  Button,
  Group,
  Modal,
  SegmentedControl,
  SimpleGrid,
  Skeleton,
  Stack,
  Text,
  Title,
} from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { IconArchive } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { answered, api } from "~/api/client";
import { Refused } from "~/api/problems";
import { atLeast, useMe } from "~/api/queries";
import { Page } from "~/shell/Page";
import { showDone } from "~/shell/toasts";
import { NotFoundPage } from "~/shell/Troubles";
import { Graph } from "./Graph";
import { listed } from "./layout";
import { graphOf, titleOf, useAgents, useScenario, type ScenarioDetail } from "./queries";
import { ScenarioEditor } from "./ScenarioEditor";
import classes from "./scenarios.module.css";
import { Origin } from "./ScenariosPage";
import { Try, type Opening } from "./Try";
import { Versions } from "./Versions";

export function ScenarioPage() {
  const { scenario: id = "" } = useParams({ strict: false }) as { scenario?: string };
  const me = useMe();
  const isNew = id === "~new";
  const scenario = useScenario(isNew ? "" : id);
  if (isNew && me !== undefined) {
    if (!atLeast(me.role, "admin")) return <NotFoundPage />;
    return (
      <Page
        title="New scenario"
        lead="Who takes part, who is spoken to first, and what holds for everybody."
        wide
      >
        <ScenarioEditor key="new" saved={undefined} done={() => undefined} />
      </Page>
    );
  }
  if (scenario.error instanceof Refused && [404, 422].includes(scenario.error.status))
    return <NotFoundPage />;
  if (scenario.error && scenario.data === undefined) throw scenario.error;
  if (scenario.data === undefined || me === undefined) {
    return (
      <Page title="Scenario" wide>
        <Skeleton h={420} radius="lg" />
      </Page>
    );
  }
  return <Shown key={id} scenario={scenario.data} role={me.role} />;
}

function Shown({ scenario, role }: { scenario: ScenarioDetail; role: string }) {
  const [wished, setView] = useState("look");
  // Where there is room, trying stands beside the rest.
  const wide = useMediaQuery("(min-width: 75em)") ?? false;
  const mayEdit = atLeast(role, "admin");
  const views = [
    { value: "look", label: "Overview" },
    ...(wide ? [] : [{ value: "try", label: "Try it" }]),
    ...(mayEdit ? [{ value: "edit", label: "Edit" }] : []),
    ...(scenario.own && atLeast(role, "staff") ? [{ value: "versions", label: "Versions" }] : []),
  ];
  const view = views.some((one) => one.value === wished) ? wished : "look";
  const opening: Opening = {
    key: `${scenario.id} ${scenario.own?.version ?? 0}`,
    begin: async () => {
      const body = { scenario: scenario.id, title: `Try: ${scenario.name}`, trial: true };
      return (await answered(api.POST("/api/sessions", { body }))).id;
    },
  };
  return (
    <Page
      title={scenario.name}
      lead={
        <Origin source={scenario.own ? "organisation" : "builtin"} version={scenario.own?.version ?? 0} />
      }
      wide
      actions={mayEdit && scenario.own ? <PutAway scenario={scenario} /> : undefined}
    >
      {views.length > 1 ? (
        <Group className={classes.switch}>
          <SegmentedControl aria-label="What to show" value={view} onChange={setView} data={views} />
        </Group>
      ) : null}
      <div className={classes.bench} data-beside={view !== "versions" || undefined}>
        <div data-hidden={view === "try" || undefined}>
          {view === "edit" ? <ScenarioEditor saved={scenario} done={() => setView("look")} /> : null}
          {view === "versions" ? <ScenarioVersions scenario={scenario} mayEdit={mayEdit} /> : null}
          {view === "look" || view === "try" ? <Overview scenario={scenario} /> : null}
        </div>
        {view === "versions" ? null : (
          <div className={classes.beside} data-hidden={view !== "try" || undefined}>
            <Try opening={opening} examples={[]} />
          </div>
        )}
      </div>
    </Page>
  );
}

function ScenarioVersions({ scenario, mayEdit }: { scenario: ScenarioDetail; mayEdit: boolean }) {
  const queries = useQueryClient();
  const path = { scenario_id: scenario.id };
  const versions = useQuery({
    queryKey: ["scenarios", scenario.id, "versions", scenario.own?.version],
    queryFn: () => answered(api.GET("/api/scenarios/{scenario_id}/versions", { params: { path } })),
  });
  return (
    <Versions
      versions={versions.data?.items}
      mayEdit={mayEdit}
      rollBack={async (version) => {
        await answered(
          api.POST("/api/scenarios/{scenario_id}/rollback", { params: { path }, body: { version } }),
        );
        await queries.invalidateQueries({ queryKey: ["scenarios"] });
        showDone(`It is like version ${version} again.`, "Gone back");
      }}
    />
  );
}

function PutAway({ scenario }: { scenario: ScenarioDetail }) {
  const [asking, setAsking] = useState(false);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const path = { scenario_id: scenario.id };
  const go = useMutation({
    mutationFn: () => answered(api.DELETE("/api/scenarios/{scenario_id}", { params: { path } })),
    onSuccess: async () => {
      await navigate({ to: "/scenarios", ignoreBlocker: true });
      await queries.invalidateQueries({ queryKey: ["scenarios"] });
      showDone("If it took the place of one that ships, that one is back.", "Put away");
    },
  });
  return (
    <>
      <Button variant="default" leftSection={<IconArchive size={17} />} onClick={() => setAsking(true)}>
        Put away
      </Button>
      <Modal opened={asking} onClose={() => setAsking(false)} title={`Put “${scenario.name}” away?`}>
        <Stack>
          <Text size="sm">
            Nobody can begin a conversation in it any more. Saving one with the same id brings it back.
          </Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setAsking(false)} data-autofocus>
              Keep it
            </Button>
            <Button color="red" loading={go.isPending} onClick={() => go.mutate()}>
              Put it away
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}

function Overview({ scenario }: { scenario: ScenarioDetail }) {
  const agents = useAgents();
  const title = (name: string) => titleOf(agents.data?.items, name);
  const { boxes, ways } = graphOf({ ...scenario, root: scenario.default_root }, title);
  return (
    <Stack gap="lg">
      <section className="surface" aria-labelledby="graph-title">
        <Stack p="lg" gap="md">
          <div>
            <Title order={2} id="graph-title">
              {scenario.stages ? "How a visit goes" : "Who hands over to whom"}
            </Title>
            {scenario.description ? (
              <Text c="dimmed" mt={4}>
                {scenario.description}
              </Text>
            ) : null}
          </div>
          <Graph boxes={boxes} ways={ways} title={scenario.stages ? "Stages" : "Agents and handoffs"} />
        </Stack>
      </section>
      <section aria-labelledby="team-title">
        <Title order={2} id="team-title" mb="sm">
          Who takes part
        </Title>
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" component="ul" className={classes.list}>
          {scenario.agents.map((agent) => (
            <li key={agent.name}>
              <article className={`surface ${classes.card}`}>
                <Group justify="space-between" wrap="nowrap" align="flex-start">
                  <Title order={3} className={classes.cardTitle}>
                    <Link to="/scenarios/agents/$agent" params={{ agent: agent.name }}>
                      {title(agent.name)}
                    </Link>
                  </Title>
                  {agent.name === scenario.default_root ? (
                    <Badge variant="light" tt="none">
                      First
                    </Badge>
                  ) : null}
                </Group>
                <Text size="sm" flex={1}>
                  {agent.description}
                </Text>
                <Text size="sm" c="dimmed">
                  {agent.tools.length === 1 ? "1 tool" : `${agent.tools.length} tools`}
                  {agent.handoffs.length > 0 ? `, hands over to ${listed(agent.handoffs.map(title))}` : ""}
                </Text>
              </article>
            </li>
          ))}
        </SimpleGrid>
      </section>
      <Rules guardrails={scenario.guardrails} />
    </Stack>
  );
}

function Rules({ guardrails }: { guardrails: ScenarioDetail["guardrails"] }) {
  const rules = [
    { title: "Always", items: guardrails.always },
    { title: "Never", items: guardrails.never },
  ].filter((one) => one.items.length > 0);
  if (rules.length === 0) return null;
  return (
    <section className="surface" aria-labelledby="rules-title">
      <Stack p="lg" gap="sm">
        <Title order={2} id="rules-title">
          Rules for everybody
        </Title>
        {rules.map((one) => (
          <div key={one.title}>
            <Text fw={600} size="sm">
              {one.title}
            </Text>
            <ul style={{ margin: "4px 0", paddingInlineStart: "1.2em" }}>
              {one.items.map((rule) => (
                <li key={rule}>
                  <Text size="sm">{rule}</Text>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </Stack>
    </section>
  );
}
