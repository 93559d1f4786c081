import { ActionIcon, Autocomplete, Button, Group, Stack, Text, Textarea } from "@mantine/core";
import { IconInfoCircle, IconPlus, IconTrash } from "@tabler/icons-react";
import { useState } from "react";
import { Card, Empty } from "~/shell/Page";
import { showDone } from "~/shell/toasts";
import { factsOf, FACTS_AT_MOST, rowsOf, same, TOPICS, troubleOf, type Row } from "./facts";
import { useGymChange, type Gym } from "./queries";

/** All that the front desk knows. What is not here it does not guess. */
export function Facts({ gym }: { gym: Gym }) {
  const [rows, setRows] = useState<Row[] | null>(null);
  const [tried, setTried] = useState(false);
  const now = rows ?? rowsOf(gym.facts);
  const save = useGymChange(() => {
    setRows(null);
    setTried(false);
    showDone("The front desk answers by it from now on.", "Written down");
  });
  const set = (id: number, change: Partial<Row>) =>
    setRows(now.map((one) => (one.id === id ? { ...one, ...change } : one)));
  const add = (topic: string) =>
    setRows([...now, { id: Math.max(0, ...now.map((one) => one.id)) + 1, topic, text: "" }]);
  const unused = TOPICS.filter((topic) => now.every((one) => one.topic !== topic));
  return (
    <Card
      title="What the front desk knows"
      text="Opening hours, prices, rules: it answers with what is written here and never guesses. Everybody who talks to your agents may read it."
    >
      {now.length === 0 ? (
        <Empty icon={IconInfoCircle} title="Nothing is written down yet">
          Begin with what people ask every day.
        </Empty>
      ) : null}
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          setTried(true);
          if (now.every((one) => troubleOf(one, now) === null)) save.mutate({ facts: factsOf(now) });
        }}
      >
        <Stack>
          {now.map((row) => {
            const trouble = tried ? troubleOf(row, now) : null;
            return (
              <Group key={row.id} align="flex-start" wrap="nowrap" gap="xs">
                <Group flex={1} align="flex-start" gap="xs">
                  <Autocomplete
                    label="Topic"
                    flex="1 1 170px"
                    maxLength={80}
                    data={unused}
                    value={row.topic}
                    error={trouble?.topic}
                    onChange={(topic) => set(row.id, { topic })}
                  />
                  <Textarea
                    label="What to say about it"
                    autosize
                    minRows={1}
                    maxRows={8}
                    maxLength={2000}
                    flex="4 1 260px"
                    value={row.text}
                    error={trouble?.text}
                    onChange={(event) => set(row.id, { text: event.currentTarget.value })}
                  />
                </Group>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size={36}
                  mt={25}
                  aria-label={`Remove ${row.topic || "this topic"}`}
                  onClick={() => setRows(now.filter((one) => one.id !== row.id))}
                >
                  <IconTrash size={18} />
                </ActionIcon>
              </Group>
            );
          })}
          {now.length < FACTS_AT_MOST ? (
            <Group gap="xs">
              {unused.slice(0, 4).map((topic) => (
                <Button
                  key={topic}
                  size="xs"
                  variant="light"
                  leftSection={<IconPlus size={14} />}
                  onClick={() => add(topic)}
                >
                  {topic}
                </Button>
              ))}
              <Button
                size="xs"
                variant="default"
                leftSection={<IconPlus size={14} />}
                onClick={() => add("")}
              >
                Another topic
              </Button>
            </Group>
          ) : (
            <Text size="sm" c="dimmed">
              These are {FACTS_AT_MOST} topics, as many as there can be.
            </Text>
          )}
          <Group>
            <Button
              type="submit"
              disabled={rows === null || same(now, rowsOf(gym.facts))}
              loading={save.isPending}
            >
              Save what it knows
            </Button>
            {rows !== null ? (
              <Button variant="subtle" color="gray" onClick={() => setRows(null)}>
                As it was
              </Button>
            ) : null}
          </Group>
        </Stack>
      </form>
    </Card>
  );
}
