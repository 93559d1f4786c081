import { ActionIcon, Button, Group, Input, NativeSelect, Stack, TextInput } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import type { Handoff } from "./draft";
import { titleOf, useAgents } from "./queries";

export function HandoffsField(props: {
  name: string;
  value: Handoff[];
  error: string | undefined;
  change: (value: Handoff[]) => void;
}) {
  const agents = useAgents();
  const { value } = props;
  const set = (at: number, change: Partial<Handoff>) =>
    props.change(value.map((one, place) => (place === at ? { ...one, ...change } : one)));
  const others = (agents.data?.items ?? []).filter((one) => one.name !== props.name);
  return (
    <Input.Wrapper
      label="Hands over to"
      description="Only within a scenario that both take part in."
      error={props.error}
      labelElement="div"
    >
      <Stack gap="xs" mt="xs">
        {value.map((one, at) => {
          const known = others.some((other) => other.name === one.to);
          return (
            <Group key={at} gap="xs" align="flex-start" wrap="nowrap">
              <Group gap="xs" flex={1} align="flex-start">
                <NativeSelect
                  aria-label="Agent to hand over to"
                  flex="1 1 150px"
                  value={one.to}
                  onChange={(event) => set(at, { to: event.currentTarget.value })}
                  data={[
                    { value: "", label: "Choose an agent", disabled: true },
                    ...(known || one.to === "" ? [] : [{ value: one.to, label: one.to }]),
                    ...others.map((other) => ({ value: other.name, label: titleOf(others, other.name) })),
                  ]}
                />
                <NativeSelect
                  aria-label="What the other one reads"
                  flex="1 1 150px"
                  value={one.history}
                  onChange={(event) => set(at, { history: event.currentTarget.value as "all" | "turn" })}
                  data={[
                    { value: "all", label: "Reads everything" },
                    { value: "turn", label: "Reads this turn only" },
                  ]}
                />
                <TextInput
                  aria-label="When to hand over"
                  placeholder="When? By its description, if empty"
                  flex="1 1 100%"
                  maxLength={400}
                  value={one.when}
                  onChange={(event) => set(at, { when: event.currentTarget.value })}
                />
              </Group>
              <ActionIcon
                variant="subtle"
                color="gray"
                size={36}
                aria-label="Take this handoff out"
                onClick={() => props.change(value.filter((_, place) => place !== at))}
              >
                <IconTrash size={17} />
              </ActionIcon>
            </Group>
          );
        })}
        <Group>
          <Button
            variant="default"
            size="xs"
            leftSection={<IconPlus size={15} />}
            onClick={() => props.change([...value, { to: "", when: "", history: "all" }])}
          >
            Add a handoff
          </Button>
        </Group>
      </Stack>
    </Input.Wrapper>
  );
}
