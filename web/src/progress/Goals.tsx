import { Skeleton, Slider, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answered, api, type Schemas } from "~/api/client";
import { LABELS } from "./body";

const CATEGORIES: Record<string, string> = {
  strength: "Strength",
  hypertrophy: "Muscle growth",
  endurance: "Endurance",
  power: "Power",
  skill: "Skill",
  mobility: "Mobility",
  fat_loss: "Fat loss",
  cardio: "Cardio",
};

export function Goals() {
  const queries = useQueryClient();
  const goals = useQuery({
    queryKey: ["progress", "goals"],
    queryFn: () => answered(api.GET("/api/training/goals")),
  });
  const save = useMutation({
    mutationFn: (body: Schemas["GoalChange"]) => answered(api.PATCH("/api/training/goals", { body })),
    // At once: a thumb that jumps back until the server has answered looks as if it had not been moved.
    onMutate: (body) =>
      queries.setQueryData<Schemas["Goals"]>(
        ["progress", "goals"],
        (before) =>
          before && {
            categories: { ...before.categories, ...body.categories },
            muscles: { ...before.muscles, ...body.muscles },
          },
      ),
    onSuccess: (fresh) => queries.setQueryData(["progress", "goals"], fresh),
    onError: () => queries.invalidateQueries({ queryKey: ["progress", "goals"] }),
  });
  if (goals.error) throw goals.error;
  if (goals.data === undefined) return <Skeleton h={420} radius="lg" />;
  const categories = { ...CATEGORIES, ...own(goals.data?.categories ?? {}) };
  return (
    <Stack gap="lg">
      <Text c="dimmed" maw={640}>
        From −10, leave it out, to 10, most of all. The next workout heeds it. You can also just tell your
        trainer.
      </Text>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg" style={{ alignItems: "start" }}>
        <Group
          title="What for"
          names={categories}
          weights={goals.data?.categories ?? {}}
          onChange={(name, weight) => save.mutate({ categories: { [name]: weight }, muscles: {} })}
        />
        <Group
          title="Which muscles"
          names={LABELS}
          weights={goals.data?.muscles ?? {}}
          onChange={(name, weight) =>
            save.mutate({ categories: {}, muscles: { [name]: weight } as Schemas["GoalChange"]["muscles"] })
          }
        />
      </SimpleGrid>
    </Stack>
  );
}

function own(found: Record<string, number>): Record<string, string> {
  return Object.fromEntries(
    Object.keys(found).map((name) => [name, CATEGORIES[name] ?? name.replaceAll("_", " ")]),
  );
}

function Group(props: {
  title: string;
  names: Record<string, string>;
  weights: Record<string, number>;
  onChange: (name: string, weight: number) => void;
}) {
  return (
    <section className="surface">
      <Stack p="lg" gap="md">
        <Title order={2}>{props.title}</Title>
        {Object.entries(props.names).map(([name, text]) => (
          <Goal
            key={name}
            text={text}
            weight={props.weights[name] ?? 0}
            onChange={(weight) => props.onChange(name, weight)}
          />
        ))}
      </Stack>
    </section>
  );
}

function Goal({
  text,
  weight,
  onChange,
}: {
  text: string;
  weight: number;
  onChange: (weight: number) => void;
}) {
  const [moving, setMoving] = useState<number | null>(null);
  const value = moving ?? weight;
  return (
    <div style={{ display: "grid", gridTemplateColumns: "120px 1fr 36px", gap: 12, alignItems: "center" }}>
      <Text size="sm">{text}</Text>
      <Slider
        min={-10}
        max={10}
        step={1}
        startPointValue={0}
        value={value}
        label={null}
        thumbLabel={text}
        marks={[{ value: 0 }]}
        onChange={setMoving}
        onChangeEnd={(final) => {
          setMoving(null);
          onChange(final);
        }}
      />
      <Text
        size="sm"
        ta="right"
        className="tabular"
        fw={value === 0 ? 400 : 650}
        c={value === 0 ? "dimmed" : undefined}
      >
        {value > 0 ? `+${value}` : value}
      </Text>
    </div>
  );
}
