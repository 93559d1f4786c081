import {
  ActionIcon,
  Badge,
  Button,
  Group,
  MultiSelect,
  NativeSelect,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
  Title,
} from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answered, api, type Schemas } from "~/api/client";

const TYPES: Record<Schemas["PreferenceType"], string> = {
  injury: "Injury",
  exclusion: "Exercise I do not want",
  equipment: "What I have",
  location: "Where I train",
  time_available: "Time",
  focus: "Focus",
  intensity: "Intensity",
  custom: "Something else",
};

const LASTING = [
  { value: "", label: "For good" },
  { value: "1", label: "For today" },
  { value: "7", label: "For a week" },
  { value: "28", label: "For four weeks" },
];

export function AboutYou() {
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
      <Preferences />
      <Settings />
    </SimpleGrid>
  );
}

function Preferences() {
  const queries = useQueryClient();
  const key = ["progress", "preferences"];
  const kept = useQuery({ queryKey: key, queryFn: () => answered(api.GET("/api/training/preferences")) });
  const [type, setType] = useState<Schemas["PreferenceType"]>("injury");
  const [value, setValue] = useState("");
  const [days, setDays] = useState("7");
  const refresh = () => queries.invalidateQueries({ queryKey: key });
  const add = useMutation({
    mutationFn: () => {
      const expires_at = days === "" ? null : new Date(Date.now() + Number(days) * 86_400_000).toISOString();
      return answered(api.POST("/api/training/preferences", { body: { type, value, expires_at } }));
    },
    meta: { quiet: true },
    onSuccess: async () => {
      setValue("");
      // What lies on the table was checked again.
      await Promise.all([refresh(), queries.invalidateQueries({ queryKey: ["workout"] })]);
    },
  });
  const remove = useMutation({
    mutationFn: (id: string) =>
      answered(
        api.DELETE("/api/training/preferences/{preference_id}", { params: { path: { preference_id: id } } }),
      ),
    onSuccess: refresh,
  });
  return (
    <section className="surface">
      <Stack p="lg">
        <div>
          <Title order={2}>What your trainer heeds</Title>
          <Text size="sm" c="dimmed" mt={2}>
            Injuries, what you do not want, what you have. Pain that is strong or new is for a doctor first.
          </Text>
        </div>
        {kept.data?.items.length === 0 ? <Text c="dimmed">Nothing is kept yet.</Text> : null}
        {kept.data?.items.map((one) => (
          <Group key={one.id} justify="space-between" wrap="nowrap">
            <div>
              <Text>{one.value}</Text>
              <Group gap={6}>
                <Badge variant="default" size="sm" tt="none">
                  {TYPES[one.type]}
                </Badge>
                <Text size="xs" c="dimmed">
                  {one.expires_at ? `until ${new Date(one.expires_at).toLocaleDateString()}` : "for good"}
                </Text>
              </Group>
            </div>
            <ActionIcon
              variant="subtle"
              color="gray"
              size={40}
              aria-label={`Remove ${one.value}`}
              onClick={() => remove.mutate(one.id)}
            >
              <IconTrash size={18} />
            </ActionIcon>
          </Group>
        ))}
        <form
          onSubmit={(event) => {
            event.preventDefault();
            add.mutate();
          }}
        >
          <Stack gap="sm">
            <Group grow align="flex-start">
              <NativeSelect
                label="Kind"
                value={type}
                onChange={(event) => setType(event.currentTarget.value as Schemas["PreferenceType"])}
                data={Object.entries(TYPES).map(([id, text]) => ({ value: id, label: text }))}
              />
              <NativeSelect
                label="How long"
                value={days}
                onChange={(event) => setDays(event.currentTarget.value)}
                data={LASTING}
              />
            </Group>
            <TextInput
              label="In your words"
              placeholder={type === "injury" ? "left knee, mild" : ""}
              value={value}
              maxLength={300}
              required
              error={add.error?.message}
              onChange={(event) => setValue(event.currentTarget.value)}
            />
            <Group>
              <Button type="submit" loading={add.isPending} disabled={value.trim() === ""}>
                Keep it
              </Button>
            </Group>
          </Stack>
        </form>
      </Stack>
    </section>
  );
}

function Settings() {
  const queries = useQueryClient();
  const key = ["progress", "settings"];
  const settings = useQuery({ queryKey: key, queryFn: () => answered(api.GET("/api/training/settings")) });
  const save = useMutation({
    mutationFn: (body: Schemas["SettingsChange"]) => answered(api.PATCH("/api/training/settings", { body })),
    onSuccess: async (fresh) => {
      queries.setQueryData(key, fresh);
      await queries.invalidateQueries({ queryKey: ["progress"] });
    },
  });
  const now = settings.data;
  const unsaid = { value: "", label: "Not said yet", disabled: true };
  return (
    <section className="surface">
      <Stack p="lg">
        <Title order={2}>How you train</Title>
        <NativeSelect
          label="Experience"
          value={now?.level ?? ""}
          onChange={(event) => save.mutate({ level: event.currentTarget.value as Schemas["Level"] })}
          data={[
            unsaid,
            { value: "beginner", label: "Beginner" },
            { value: "intermediate", label: "Intermediate" },
            { value: "advanced", label: "Advanced" },
          ]}
        />
        <NativeSelect
          label="Minutes for a workout"
          value={String(now?.minutes ?? "")}
          onChange={(event) => save.mutate({ minutes: Number(event.currentTarget.value) })}
          data={[unsaid, ...numbers([15, 20, 30, 45, 60, 75, 90], now?.minutes)]}
        />
        <NativeSelect
          label="Days a week"
          description="So many training days keep your streak."
          value={String(now?.days_per_week ?? "")}
          onChange={(event) => save.mutate({ days_per_week: Number(event.currentTarget.value) })}
          data={[unsaid, ...numbers([1, 2, 3, 4, 5, 6, 7], now?.days_per_week)]}
        />
        <MultiSelect
          label="Equipment"
          description={now?.equipment === null ? "Nobody has asked yet." : undefined}
          placeholder="Add something"
          searchable
          value={now?.equipment ?? []}
          onChange={(equipment) => save.mutate({ equipment: equipment as Schemas["Equipment"][] })}
          data={EQUIPMENT.map((one) => ({ value: one, label: one.replaceAll("_", " ") }))}
        />
      </Stack>
    </section>
  );
}

function numbers(usual: number[], own: number | null | undefined) {
  const all = own && !usual.includes(own) ? [...usual, own].sort((one, other) => one - other) : usual;
  return all.map((one) => ({ value: String(one), label: String(one) }));
}

const EQUIPMENT: Schemas["Equipment"][] = [
  "mat",
  "pullup_bar",
  "parallel_bars",
  "rings",
  "bench",
  "box",
  "wall",
  "chair",
  "bands",
  "dumbbell",
  "kettlebell",
  "barbell",
  "ez_bar",
  "plate",
  "rack",
  "cable",
  "machine",
  "medicine_ball",
  "exercise_ball",
  "suspension",
  "foam_roller",
  "ab_wheel",
  "rope",
  "treadmill",
  "bike",
  "rower",
  "elliptical",
];
