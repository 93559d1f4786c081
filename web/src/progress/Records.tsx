import { Button, Skeleton, Stack, Table, Text } from "@mantine/core";
import { IconTrophy } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { answered, api, type Schemas } from "~/api/client";
import { Empty } from "~/shell/Page";
import { span } from "~/train/workout";

export function Records() {
  const records = useQuery({
    queryKey: ["progress", "records"],
    queryFn: () => answered(api.GET("/api/training/records")),
  });
  const items = records.data?.items ?? [];
  if (records.isSuccess && items.length === 0)
    return (
      <section className="surface">
        <Empty
          icon={IconTrophy}
          title="No records yet"
          action={
            <Button component={Link} to="/train">
              Go and train
            </Button>
          }
        >
          The best set of every exercise is kept here from your first workout on.
        </Empty>
      </section>
    );
  if (records.isPending) return <Skeleton h={240} radius="lg" />;
  return (
    <section className="surface">
      <Stack p={{ base: "sm", sm: "lg" }}>
        <Table.ScrollContainer minWidth={480} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
          <Table verticalSpacing="sm">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Exercise</Table.Th>
                <Table.Th>Best set</Table.Th>
                <Table.Th>Estimated single</Table.Th>
                <Table.Th>When</Table.Th>
                <Table.Th ta="right">Workouts</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {items.map((one) => (
                <Table.Tr key={one.exercise_id}>
                  <Table.Td fw={550}>{one.name}</Table.Td>
                  <Table.Td className="tabular">{best(one)}</Table.Td>
                  <Table.Td className="tabular">{one.estimate_kg ? `${one.estimate_kg} kg` : "–"}</Table.Td>
                  <Table.Td>{new Date(one.at).toLocaleDateString()}</Table.Td>
                  <Table.Td ta="right" className="tabular">
                    {one.times}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
        <Text size="xs" c="dimmed">
          A single heaviest lift is estimated from up to fifteen repetitions. Do not try it without somebody
          to spot you.
        </Text>
      </Stack>
    </section>
  );
}

function best(one: Schemas["PersonalRecord"]): string {
  const amount = one.reps ? `${one.reps} ×` : one.seconds ? span(one.seconds) : "";
  return [amount, one.weight_kg ? `${one.weight_kg} kg` : ""]
    .filter(Boolean)
    .join(" ")
    .replace(/ ×$/, " reps");
}
