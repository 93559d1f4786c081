import { Badge, Checkbox, Group, Input, Skeleton, Switch, Text, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useState } from "react";
import type { Schemas } from "~/api/client";
import { sentence, useTools } from "./queries";
import classes from "./scenarios.module.css";

type Tool = Schemas["AiAgentTool"];

/** Every tool there is, with what it does and what to know before giving it to somebody. */
export function ToolsField(props: {
  value: string[];
  error: string | undefined;
  readOnly: boolean;
  change: (value: string[]) => void;
}) {
  const tools = useTools();
  const [words, setWords] = useState("");
  const [chosenOnly, setChosenOnly] = useState(false);
  const chosen = new Set(props.value);
  const all = tools.data?.items ?? [];
  // A tool that is gone must be seen, or it could not be taken away.
  const gone = tools.isSuccess ? props.value.filter((name) => !all.some((tool) => tool.name === name)) : [];
  const found = all.filter((tool) => {
    const text = `${tool.name} ${tool.description} ${tool.category}`.toLowerCase();
    const fits = words
      .toLowerCase()
      .split(/\s+/)
      .every((word) => text.includes(word));
    return fits && (!chosenOnly || chosen.has(tool.name));
  });
  const categories = [...new Set(found.map((tool) => tool.category))].sort();
  const toggle = (name: string) =>
    props.change(chosen.has(name) ? props.value.filter((one) => one !== name) : [...props.value, name]);
  if (props.readOnly) return <Chosen tools={all.filter((tool) => chosen.has(tool.name))} />;
  return (
    <Input.Wrapper
      label={`Tools (${props.value.length} chosen)`}
      description="What it may do. Whether a person may is checked again at each call."
      error={props.error}
      labelElement="div"
    >
      <Group my="xs" gap="sm">
        <TextInput
          aria-label="Search tools"
          placeholder="Search by name or by what it does"
          leftSection={<IconSearch size={16} />}
          value={words}
          flex={1}
          miw={180}
          onChange={(event) => setWords(event.currentTarget.value)}
        />
        <Switch
          label="Chosen only"
          checked={chosenOnly}
          onChange={(event) => setChosenOnly(event.currentTarget.checked)}
        />
      </Group>
      {gone.map((name) => (
        <Checkbox
          key={name}
          my={4}
          checked
          label={`${name} (there is no such tool any more)`}
          onChange={() => toggle(name)}
        />
      ))}
      <div className={classes.tools} role="group" aria-label="Tools" tabIndex={0}>
        {tools.data === undefined ? <Skeleton h={120} /> : null}
        {tools.isSuccess && found.length === 0 ? (
          <Text size="sm" c="dimmed" py="sm">
            No tool fits. Try another word.
          </Text>
        ) : null}
        {categories.map((category) => (
          <div key={category}>
            <Text size="xs" fw={700} c="dimmed" mt="sm">
              {sentence(category)}
            </Text>
            {found
              .filter((tool) => tool.category === category)
              .map((tool) => (
                <Checkbox
                  key={tool.name}
                  className={classes.tool}
                  checked={chosen.has(tool.name)}
                  onChange={() => toggle(tool.name)}
                  label={<Named tool={tool} />}
                  aria-label={tool.name}
                  description={firstSentence(tool.description)}
                />
              ))}
          </div>
        ))}
      </div>
    </Input.Wrapper>
  );
}

/** For those who only read. */
function Chosen({ tools }: { tools: Tool[] }) {
  return (
    <div>
      <Text size="sm" fw={500}>
        {tools.length === 0 ? "No tools" : "Tools"}
      </Text>
      {tools.map((tool) => (
        <div key={tool.name} className={classes.tool}>
          <Named tool={tool} />
          <Text size="xs" c="dimmed">
            {firstSentence(tool.description)}
          </Text>
        </div>
      ))}
    </div>
  );
}

function Named({ tool }: { tool: Tool }) {
  return (
    <Group gap={6} component="span">
      <Text span size="sm" fw={600} ff="monospace">
        {tool.name}
      </Text>
      {tool.sends_outside ? <Mark text="Sends outside" /> : null}
      {tool.approval === "never" ? null : <Mark text="Asks for approval" />}
      {tool.permission === "member" ? null : <Mark text={`For ${tool.permission}`} />}
      {tool.ends_turn ? <Mark text="Ends the turn" /> : null}
    </Group>
  );
}

function Mark({ text }: { text: string }) {
  return (
    <Badge component="span" size="xs" variant="default" tt="none" fw={550}>
      {text}
    </Badge>
  );
}

function firstSentence(text: string): string {
  const plain = text.replaceAll(/\s+/g, " ").trim();
  const end = plain.search(/[.!?](\s|$)/);
  return end > 0 ? plain.slice(0, end + 1) : plain;
}
