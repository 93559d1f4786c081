import {
  ActionIcon,
  Button,
  Group,
  Input,
  MultiSelect,
  NativeSelect,
  SegmentedControl,
  SimpleGrid,
  Stack,
  Textarea,
  TextInput,
} from "@mantine/core";
import { IconArrowUp, IconPlus, IconTrash } from "@tabler/icons-react";
import { Lines, ModelField, Part } from "./AgentForm";
import { at, nameFrom, type Found } from "./draft";
import { Graph } from "./Graph";
import { graphOf, titleOf, useAgents } from "./queries";
import { stagesOf, type ScenarioDraft } from "./scenarioDraft";

interface Form {
  draft: ScenarioDraft;
  found: Found[];
  set: (change: Partial<ScenarioDraft>) => void;
}

export function ScenarioForm(props: Form & { isNew: boolean }) {
  const { draft, found, set, isNew } = props;
  const follows = isNew && draft.id === nameFrom(draft.name, "-", 60);
  return (
    <Stack gap="lg">
      <Part title="What it is">
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput
            label="Name"
            placeholder="The front desk"
            maxLength={80}
            required
            value={draft.name}
            error={at(found, "name")}
            onChange={(event) => {
              const name = event.currentTarget.value;
              set(follows ? { name, id: nameFrom(name, "-", 60) } : { name });
            }}
          />
          <TextInput
            label="Id for programs"
            maxLength={60}
            required
            disabled={!isNew}
            value={draft.id}
            error={at(found, "id")}
            onChange={(event) => set({ id: event.currentTarget.value.toLowerCase() })}
          />
        </SimpleGrid>
        <Textarea
          label="What it is for"
          autosize
          minRows={2}
          maxLength={400}
          value={draft.description}
          error={at(found, "description")}
          onChange={(event) => set({ description: event.currentTarget.value })}
        />
      </Part>
      <Part title="Who takes part">
        <Team {...props} />
      </Part>
      <Part title="Rules for everybody">
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <Lines
            label="Always"
            description="One rule on each line."
            value={draft.always}
            error={at(found, "guardrails")}
            change={(always) => set({ always })}
          />
          <Lines
            label="Never"
            description="One rule on each line."
            value={draft.never}
            error={undefined}
            change={(never) => set({ never })}
          />
        </SimpleGrid>
        <ModelField
          label="Model"
          description="What its agents think with, unless they say otherwise."
          value={draft.model}
          error={at(found, "model")}
          change={(model) => set({ model })}
        />
      </Part>
    </Stack>
  );
}

function Team({ draft, found, set }: Form) {
  const agents = useAgents();
  const all = agents.data?.items ?? [];
  const title = (name: string) => titleOf(all, name);
  const chosen = draft.agents.map((name) => ({ value: name, label: title(name) }));
  const team = draft.agents.map((name) => ({
    name,
    handoffs: (all.find((one) => one.name === name)?.handoffs ?? []).map((one) =>
      typeof one === "string" ? one : one.to,
    ),
  }));
  const { boxes, ways } = graphOf(
    { root: draft.root, agents: team, stages: draft.staged ? stagesOf(draft) : null },
    title,
  );
  return (
    <>
      <MultiSelect
        label="Agents"
        placeholder={draft.agents.length === 0 ? "Choose agents" : undefined}
        searchable
        hidePickedOptions
        nothingFoundMessage="No agent of that name"
        data={all.map((one) => ({ value: one.name, label: title(one.name) }))}
        value={draft.agents}
        error={at(found, "agents")}
        onChange={(names) =>
          set({ agents: names, root: names.includes(draft.root) ? draft.root : (names[0] ?? "") })
        }
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <NativeSelect
          label="Spoken to first"
          value={draft.root}
          error={at(found, "root")}
          onChange={(event) => set({ root: event.currentTarget.value })}
          data={[{ value: "", label: "Choose an agent", disabled: true }, ...chosen]}
        />
        <Input.Wrapper label="How it finds the right one" labelElement="div" error={at(found, "routing")}>
          <div>
            <SegmentedControl
              aria-label="How it finds the right one"
              value={draft.staged ? "stages" : "handoff"}
              onChange={(value) => set({ staged: value === "stages" })}
              data={[
                { value: "handoff", label: "They hand over" },
                { value: "stages", label: "Stage by stage" },
              ]}
            />
          </div>
        </Input.Wrapper>
      </SimpleGrid>
      {draft.staged ? <StagesField draft={draft} found={found} set={set} chosen={chosen} /> : null}
      {boxes.length > 0 ? <Graph boxes={boxes} ways={ways} title="The picture as it is now" /> : null}
    </>
  );
}

function StagesField(props: Form & { chosen: { value: string; label: string }[] }) {
  const { draft, set } = props;
  const change = (place: number, stage: Partial<ScenarioDraft["stages"][number]>) =>
    set({ stages: draft.stages.map((one, here) => (here === place ? { ...one, ...stage } : one)) });
  const raise = (place: number) => {
    const stages = [...draft.stages];
    const [one] = stages.splice(place, 1);
    if (one) stages.splice(place - 1, 0, one);
    set({ stages });
  };
  return (
    <Input.Wrapper
      label="Stages"
      description="In order; it begins with the first."
      labelElement="div"
      error={at(props.found, "stages")}
    >
      <Stack gap="xs" mt="xs">
        {draft.stages.map((stage, place) => (
          <Group key={place} gap="xs" wrap="nowrap">
            <TextInput
              aria-label={`Name of stage ${place + 1}`}
              placeholder="intake"
              flex={1}
              miw={0}
              maxLength={40}
              value={stage.name}
              onChange={(event) => change(place, { name: event.currentTarget.value.toLowerCase() })}
            />
            <NativeSelect
              aria-label={`Who answers in stage ${place + 1}`}
              flex={1}
              miw={0}
              value={stage.agent}
              onChange={(event) => change(place, { agent: event.currentTarget.value })}
              data={[{ value: "", label: "Choose an agent", disabled: true }, ...props.chosen]}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              disabled={place === 0}
              aria-label={`Stage ${place + 1} earlier`}
              onClick={() => raise(place)}
            >
              <IconArrowUp size={17} />
            </ActionIcon>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={`Take stage ${place + 1} out`}
              onClick={() => set({ stages: draft.stages.filter((_, here) => here !== place) })}
            >
              <IconTrash size={17} />
            </ActionIcon>
          </Group>
        ))}
        <Group>
          <Button
            variant="default"
            size="xs"
            leftSection={<IconPlus size={15} />}
            onClick={() => set({ stages: [...draft.stages, { name: "", agent: draft.root }] })}
          >
            Add a stage
          </Button>
        </Group>
      </Stack>
    </Input.Wrapper>
  );
}
