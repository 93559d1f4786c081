import {
  Autocomplete,
  NumberInput,
  SegmentedControl,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
  Title,
} from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { answered, api } from "~/api/client";
import { at, nameFrom, type AgentDraft, type Found } from "./draft";
import { HandoffsField } from "./HandoffsField";
import { Preview } from "./Preview";
import classes from "./scenarios.module.css";
import { ToolsField } from "./ToolsField";

interface Form {
  draft: AgentDraft;
  found: Found[];
  set: (change: Partial<AgentDraft>) => void;
}

export function AgentForm(props: Form & { isNew: boolean; readOnly: boolean }) {
  return (
    <fieldset disabled={props.readOnly} style={{ border: 0, margin: 0, padding: 0, minWidth: 0 }}>
      <Stack gap="lg">
        <Part title="Who it is">
          <Identity {...props} />
        </Part>
        <Part title="What it is told">
          <Instructions {...props} />
        </Part>
        <Part title="What it can do">
          <ToolsField
            value={props.draft.tools}
            error={at(props.found, "tools")}
            readOnly={props.readOnly}
            change={(tools) => props.set({ tools })}
          />
          <Switch
            label="It must call a tool at every step"
            description="For agents that only act and never just talk. One of its tools then has to end the turn."
            error={at(props.found, "tool_choice")}
            checked={props.draft.tool_choice === "required"}
            onChange={(event) =>
              props.set({ tool_choice: event.currentTarget.checked ? "required" : "auto" })
            }
          />
          <HandoffsField
            name={props.draft.name}
            value={props.draft.handoffs}
            error={at(props.found, "handoffs")}
            change={(handoffs) => props.set({ handoffs })}
          />
        </Part>
        <Part title="Model and limits">
          <Thinking {...props} />
        </Part>
      </Stack>
    </fieldset>
  );
}

export function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="surface">
      <Stack p="lg" gap="md">
        <Title order={2} fz="1.1rem">
          {title}
        </Title>
        {children}
      </Stack>
    </section>
  );
}

function Identity({ draft, found, set, isNew }: Form & { isNew: boolean }) {
  // The name follows what it is called, until somebody writes another.
  const follows = isNew && draft.name === nameFrom(draft.title);
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput
          label="What people call it"
          placeholder="Front desk"
          maxLength={80}
          value={draft.title}
          error={at(found, "title")}
          onChange={(event) => {
            const title = event.currentTarget.value;
            set(follows ? { title, name: nameFrom(title) } : { title });
          }}
        />
        <TextInput
          label="Name for programs"
          description={isNew ? undefined : "Stays as it is: others refer to it."}
          inputWrapperOrder={["label", "input", "description", "error"]}
          placeholder="front_desk"
          maxLength={50}
          required
          disabled={!isNew}
          value={draft.name}
          error={at(found, "name")}
          onChange={(event) => set({ name: event.currentTarget.value.toLowerCase() })}
        />
      </SimpleGrid>
      <Textarea
        label="What it is for"
        description="Others hand over to it by this, and it is chosen by it."
        autosize
        minRows={2}
        maxLength={400}
        value={draft.description}
        error={at(found, "description")}
        onChange={(event) => set({ description: event.currentTarget.value })}
      />
      <Lines
        label="Things people say to it"
        description="One on each line. They help to choose the right agent, most of all without a language model."
        value={draft.examples}
        error={at(found, "examples")}
        change={(examples) => set({ examples })}
      />
    </>
  );
}

/** A list of short texts, one on each line. What is typed stays as it is until the field is left. */
export function Lines(props: {
  label: string;
  description?: string;
  value: string[];
  error: string | undefined;
  change: (value: string[]) => void;
}) {
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <Textarea
      label={props.label}
      description={props.description}
      autosize
      minRows={2}
      maxRows={10}
      value={typed ?? props.value.join("\n")}
      error={props.error}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        props.change(
          event.currentTarget.value
            .split("\n")
            .map((line) => line.trim())
            .filter((line) => line !== ""),
        );
      }}
      onBlur={() => setTyped(null)}
    />
  );
}

function Instructions({ draft, found, set }: Form) {
  const [view, setView] = useState("write");
  return (
    <div>
      <SegmentedControl
        size="xs"
        mb="sm"
        aria-label="Write or read the instructions"
        value={view}
        onChange={setView}
        data={[
          { value: "write", label: "Write" },
          { value: "preview", label: "Preview" },
        ]}
      />
      {view === "preview" ? (
        <Preview text={draft.instructions} />
      ) : (
        <Textarea
          aria-label="Instructions"
          placeholder={
            "You answer at the front desk of a gym.\n\n## How\n- Short and friendly.\n- Say openly what you do not know."
          }
          description="Markdown. Who it is, how it talks, what it must never do."
          inputWrapperOrder={["label", "input", "description", "error"]}
          className={classes.write}
          autosize
          minRows={10}
          maxRows={26}
          maxLength={40_000}
          value={draft.instructions}
          error={at(found, "instructions")}
          onChange={(event) => set({ instructions: event.currentTarget.value })}
        />
      )}
      <Text size="xs" c="dimmed" mt={4} className="tabular">
        {draft.instructions.length.toLocaleString("en")} of 40,000 characters
      </Text>
    </div>
  );
}

/** Models whose price is known make good suggestions; any other can be typed. */
export function ModelField(props: {
  label: string;
  description: string;
  value: string | null;
  error: string | undefined;
  change: (value: string | null) => void;
}) {
  const [search] = useDebouncedValue((props.value ?? "").split(":").at(-1) ?? "", 250);
  const prices = useQuery({
    queryKey: ["prices", search],
    queryFn: () => answered(api.GET("/api/billing/prices", { params: { query: { search, limit: 12 } } })),
    placeholderData: keepPreviousData,
    staleTime: 5 * 60_000,
  });
  const names = (prices.data?.items ?? []).map((one) => `${one.provider}:${one.model}`);
  return (
    <Autocomplete
      label={props.label}
      description={props.description}
      placeholder="The usual one"
      maxLength={200}
      value={props.value ?? ""}
      error={props.error}
      data={[...new Set(["offline", ...names])]}
      onChange={(value) => props.change(value.trim() === "" ? null : value.trim())}
    />
  );
}

function Thinking({ draft, found, set }: Form) {
  const limit = (name: keyof AgentDraft["limits"], value: string | number) => {
    if (typeof value === "number") set({ limits: { ...draft.limits, [name]: value } });
  };
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <ModelField
          label="Model"
          description="As provider:model. The installation's if empty."
          value={draft.model ?? null}
          error={at(found, "model")}
          change={(model) => set({ model })}
        />
        <ModelField
          label="Small model"
          description="For summaries and choosing what to read."
          value={draft.small_model ?? null}
          error={at(found, "small_model")}
          change={(small_model) => set({ small_model })}
        />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 2, lg: 4 }}>
        <NumberInput
          label="Steps in a turn"
          min={1}
          max={100}
          allowDecimal={false}
          value={draft.limits.iterations}
          onChange={(value) => limit("iterations", value)}
        />
        <NumberInput
          label="Same call in a row"
          min={2}
          max={20}
          allowDecimal={false}
          value={draft.limits.identical_calls}
          onChange={(value) => limit("identical_calls", value)}
        />
        <NumberInput
          label="Seconds in a turn"
          min={1}
          max={3600}
          value={draft.limits.wall_seconds}
          onChange={(value) => limit("wall_seconds", value)}
        />
        <NumberInput
          label="Tokens before a summary"
          min={1_000}
          max={1_000_000}
          step={1_000}
          thousandSeparator=","
          allowDecimal={false}
          value={draft.limits.checkpoint_tokens}
          onChange={(value) => limit("checkpoint_tokens", value)}
        />
      </SimpleGrid>
      {at(found, "limits") ? (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {at(found, "limits")}
        </Text>
      ) : null}
      <TextInput
        label="Voice"
        description="Who speaks when it is talked to aloud, such as marin or cedar."
        maxLength={40}
        maw={{ sm: 320 }}
        value={draft.voice ?? ""}
        error={at(found, "voice")}
        onChange={(event) => set({ voice: event.currentTarget.value.trim() || null })}
      />
    </>
  );
}
