import { Badge, Button, Group, Skeleton, Stack, Text, TextInput, Title } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconHistory, IconSearch } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { answered, api, type Schemas } from "~/api/client";
import { Empty } from "~/shell/Page";
import { SOURCES } from "./sources";

export function History() {
  const [words, setWords] = useState("");
  const [q] = useDebouncedValue(words.trim(), 250);
  const pages = useInfiniteQuery({
    queryKey: ["progress", "history", q],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) =>
      answered(api.GET("/api/training/history", { params: { query: { q, limit: 20, cursor: pageParam } } })),
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: (before) => before,
  });
  const items = pages.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Stack gap="md" maw={820}>
      <TextInput
        aria-label="Search your history"
        placeholder="Exercise, title or note"
        leftSection={<IconSearch size={17} />}
        value={words}
        maxLength={100}
        onChange={(event) => setWords(event.currentTarget.value)}
      />
      {pages.isPending ? <Skeleton h={150} radius="lg" /> : null}
      {pages.isSuccess && items.length === 0 ? (
        <section className="surface">
          <Empty
            icon={IconHistory}
            title={q === "" ? "No workouts yet" : "Nothing found"}
            action={
              q === "" ? (
                <Button component={Link} to="/train">
                  Go and train
                </Button>
              ) : (
                <Button variant="default" onClick={() => setWords("")}>
                  Show everything
                </Button>
              )
            }
          >
            {q === "" ? "What you finish is kept here, for good." : "Try another word, or fewer of them."}
          </Empty>
        </section>
      ) : null}
      {items.map((one) => (
        <Past key={one.id} workout={one} />
      ))}
      {pages.hasNextPage ? (
        <Button
          variant="default"
          loading={pages.isFetchingNextPage}
          onClick={() => void pages.fetchNextPage()}
        >
          Show more
        </Button>
      ) : null}
    </Stack>
  );
}

function Past({ workout }: { workout: Schemas["PastWorkout"] }) {
  const when = new Date(workout.completed_at);
  return (
    <article className="surface">
      <Stack p="md" gap={8}>
        <Group justify="space-between" wrap="nowrap" align="flex-start">
          <div>
            <Title order={3} tt="capitalize">
              {workout.title.replaceAll("_", " ") || "Workout"}
            </Title>
            <Text size="sm" c="dimmed">
              {when.toLocaleDateString(undefined, {
                weekday: "long",
                day: "numeric",
                month: "long",
                year: "numeric",
              })}
              , {when.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" })}
              {workout.minutes ? `, ${workout.minutes} min` : ""}
            </Text>
          </div>
          {workout.source === "spotter" ? null : (
            <Badge variant="default" tt="none">
              From {SOURCES[workout.source] ?? workout.source}
            </Badge>
          )}
        </Group>
        <ul style={{ margin: 0, paddingInlineStart: "1.1em" }}>
          {workout.exercises
            .filter((one) => one.completed)
            .map((one, place) => (
              <li key={place}>
                <Text component="span" size="sm">
                  {one.name}{" "}
                </Text>
                <Text component="span" size="sm" c="dimmed" className="tabular">
                  {one.amount}
                </Text>
              </li>
            ))}
        </ul>
        {workout.notes ? <Text size="sm">{workout.notes}</Text> : null}
      </Stack>
    </article>
  );
}
