import { Alert, Button, Group, Modal, NativeSelect, Select, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answered, api, type Schemas } from "~/api/client";
import { showDone } from "~/shell/toasts";
import { EMPTY, PERIODS, read, typedOf, WHOM, type Typed } from "./caps";
import { USAGE, useAgents, usePeople } from "./reports";

/** For a new limit, or for other amounts of one: whom it is for and how often it begins anew cannot be changed. */
export function CapForm({ cap, close }: { cap: Schemas["Cap"] | null; close: () => void }) {
  const [typed, setTyped] = useState<Typed>(cap === null ? EMPTY : typedOf(cap));
  const [tried, setTried] = useState(false);
  const queries = useQueryClient();
  const { soft, hard, wrong } = read(typed);
  const save = useMutation({
    mutationFn: () =>
      cap === null
        ? answered(
            api.POST("/api/billing/caps", {
              body: {
                scope: (typed.whom.split(":")[0] ?? "organisation") as Schemas["CapScope"],
                subject: typed.subject,
                period: typed.period as Schemas["CapPeriod"],
                unit: typed.unit as Schemas["CapUnit"],
                soft,
                hard,
              },
            }),
          )
        : answered(
            api.PUT("/api/billing/caps/{cap_id}", {
              params: { path: { cap_id: cap.id } },
              body: { soft, hard },
            }),
          ),
    meta: { quiet: true },
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: USAGE });
      showDone(cap === null ? "The limit holds from now on." : "The limit is changed.");
      close();
    },
  });
  const set = (change: Partial<Typed>) => setTyped({ ...typed, ...change });
  const money = typed.unit === "money";
  const error = (name: keyof Typed) => (tried ? wrong[name] : undefined);
  return (
    <Modal opened onClose={close} title={cap === null ? "New limit" : "Change the limit"}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          setTried(true);
          if (Object.keys(wrong).length === 0) save.mutate();
        }}
      >
        <Stack>
          {cap === null ? <Where typed={typed} set={set} error={error("subject")} /> : null}
          <Group grow align="flex-start">
            <TextInput
              label="Warn at"
              description="Optional"
              leftSection={money ? "$" : undefined}
              inputMode={money ? "decimal" : "numeric"}
              value={typed.soft}
              error={error("soft")}
              onChange={(event) => set({ soft: event.currentTarget.value })}
            />
            <TextInput
              label="Stop at"
              description="No call can pass it"
              leftSection={money ? "$" : undefined}
              inputMode={money ? "decimal" : "numeric"}
              value={typed.hard}
              error={error("hard")}
              onChange={(event) => set({ hard: event.currentTarget.value })}
            />
          </Group>
          <Text size="xs" c="dimmed">
            What was spent in the period so far counts. When a limit is reached, agents say so and keep what
            was said.
          </Text>
          {save.error ? (
            <Alert role="alert" color="red" variant="light">
              {save.error.message}
            </Alert>
          ) : null}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={save.isPending}>
              {cap === null ? "Set the limit" : "Save"}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function Where(props: { typed: Typed; set: (change: Partial<Typed>) => void; error: string | undefined }) {
  const { typed, set } = props;
  const people = usePeople(typed.whom === "user:one");
  const agents = useAgents(typed.whom === "agent:one");
  const subjects =
    typed.whom === "user:one"
      ? (people.data ?? []).map((one) => ({
          value: one.id,
          label: one.name ? `${one.name} (${one.email})` : one.email,
        }))
      : (agents.data?.items ?? []).map((one) => ({ value: one.name, label: one.title || one.name }));
  return (
    <>
      <NativeSelect
        label="For"
        value={typed.whom}
        onChange={(event) => set({ whom: event.currentTarget.value, subject: "" })}
        data={[...WHOM]}
        data-autofocus
      />
      {typed.whom.endsWith(":one") ? (
        <Select
          label={typed.whom === "user:one" ? "Person" : "Agent"}
          searchable
          data={subjects}
          value={typed.subject || null}
          error={props.error}
          nothingFoundMessage="Nobody of that name"
          onChange={(value) => set({ subject: value ?? "" })}
        />
      ) : null}
      <Group grow>
        <NativeSelect
          label="How often it begins anew"
          value={typed.period}
          onChange={(event) => set({ period: event.currentTarget.value })}
          data={Object.entries(PERIODS).map(([value, label]) => ({
            value,
            label: value === "total" ? "Never: in total" : `Once ${label}`,
          }))}
        />
        <NativeSelect
          label="Counted in"
          value={typed.unit}
          onChange={(event) => set({ unit: event.currentTarget.value, soft: "", hard: "" })}
          data={[
            { value: "money", label: "Dollars" },
            { value: "tokens", label: "Tokens" },
          ]}
        />
      </Group>
    </>
  );
}
