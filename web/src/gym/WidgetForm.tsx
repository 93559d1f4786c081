import {
  Button,
  Group,
  Modal,
  MultiSelect,
  NativeSelect,
  Stack,
  TagsInput,
  Text,
  TextInput,
} from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answered, api, type Schemas } from "~/api/client";
import { titleOf, useAgents, useScenario, useScenarios } from "~/scenarios/queries";
import { showDone } from "~/shell/toasts";
import { WIDGETS, type Widget } from "./queries";

const AGENTS_AT_MOST = 6;

export function WidgetForm({ widget, close }: { widget: Widget | null; close: () => void }) {
  const queries = useQueryClient();
  const [name, setName] = useState(widget?.name ?? "");
  const [origins, setOrigins] = useState(widget?.origins ?? []);
  const [scenario, setScenario] = useState<string | null>(widget ? widget.scenario : "front_desk");
  const [agents, setAgents] = useState(widget?.agents ?? []);
  const everybody = useAgents();
  const scenarios = useScenarios();
  const members = useScenario(scenario ?? "").data?.agents.map((one) => one.name);
  const all = everybody.data?.items ?? [];
  const choices = scenario === null ? all.map((one) => one.name) : (members ?? agents);
  const first = scenarios.data?.scenarios.find((one) => one.id === scenario)?.default_root;
  const chosen = agents.filter((one) => choices.includes(one));
  const body: Schemas["NewWidget"] = {
    name: name.trim(),
    origins,
    scenario,
    // Without a choice the scenario's first answers; alone, somebody has to be named.
    agents: chosen.length > 0 ? chosen : first === undefined ? null : [first],
    enabled: widget?.enabled ?? true,
  };
  const save = useMutation({
    mutationFn: () =>
      widget === null
        ? answered(api.POST("/api/widgets", { body }))
        : answered(
            api.PATCH("/api/widgets/{widget_id}", { params: { path: { widget_id: widget.id } }, body }),
          ),
    meta: { quiet: true },
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: WIDGETS });
      showDone(widget === null ? "Now put it on your page." : "It holds from the next request on.", "Saved");
      close();
    },
  });
  const ready = body.name !== "" && origins.length > 0 && body.agents !== null;
  return (
    <Modal
      opened
      onClose={close}
      title={widget === null ? "New widget" : `Change “${widget.name}”`}
      size="lg"
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <Stack>
          <TextInput
            label="Name"
            description="For you, to tell widgets apart."
            required
            maxLength={120}
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <TagsInput
            label="Pages that may show it"
            description="Scheme and host, as https://www.example.com. Press Enter after each."
            placeholder={origins.length === 0 ? "https://www.example.com" : ""}
            required
            acceptValueOnBlur
            splitChars={[",", " "]}
            maxTags={20}
            value={origins}
            onChange={setOrigins}
          />
          <NativeSelect
            label="Scenario"
            description="Agents of a scenario hand over to each other, and can be spoken to aloud."
            value={scenario ?? ""}
            onChange={(event) => {
              setScenario(event.currentTarget.value || null);
              setAgents([]);
            }}
            data={[
              ...(scenarios.data?.scenarios ?? []).map((one) => ({ value: one.id, label: one.name })),
              { value: "", label: "None: each agent alone" },
            ]}
          />
          <MultiSelect
            label="Who can be talked to"
            description={
              first === undefined
                ? "A tab each, six at most."
                : `A tab each, six at most. Without a choice: ${titleOf(all, first)}.`
            }
            searchable
            maxValues={AGENTS_AT_MOST}
            value={chosen}
            onChange={setAgents}
            data={choices.map((one) => ({ value: one, label: titleOf(all, one) }))}
          />
          {save.error ? (
            <Text role="alert" size="sm" c="var(--mantine-color-error)">
              {save.error.message}
            </Text>
          ) : null}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" disabled={!ready} loading={save.isPending}>
              {widget === null ? "Make the widget" : "Save"}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
