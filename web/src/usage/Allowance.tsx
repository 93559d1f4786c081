import { Badge, Group, Stack, Text, Title } from "@mantine/core";
import { amount, titleOf } from "./caps";
import { credits } from "./money";
import { momentAt } from "./months";
import { useAllowance } from "./reports";
import classes from "./usage.module.css";

/** For members: what is left for their next message. What others spend is not theirs to see. */
export function Allowance({ timezone }: { timezone: string }) {
  const { data } = useAllowance();
  if (data === undefined) return null;
  const stops = data.items.filter((one) => one.left !== null);
  return (
    <section className="surface" aria-labelledby="allowance-title">
      <Stack p="lg" gap="md">
        <Title order={2} id="allowance-title">
          What is left for you
        </Title>
        {stops.length === 0 && data.micro_credits === null ? (
          <Text size="sm" c="dimmed">
            Nothing limits you at the moment.
          </Text>
        ) : null}
        <div>
          {stops.map((one, place) => (
            <Group key={place} justify="space-between" className={classes.cap}>
              <div>
                <Text fw={600}>
                  {one.scope === "user"
                    ? titleOf({ ...one, subject: "you" }, "You")
                    : titleOf({ ...one, subject: "" }, "")}
                </Text>
                <Text size="sm" c="dimmed">
                  {one.resets_at ? `Begins anew ${momentAt(one.resets_at, timezone)}` : "Does not begin anew"}
                </Text>
              </div>
              <Group gap="xs">
                {one.warning ? (
                  <Badge variant="light" color="yellow" c="var(--spotter-amber)" tt="none">
                    Nearly used
                  </Badge>
                ) : null}
                <Text fw={600} className="tabular">
                  {amount(one.left ?? 0, one.unit)} left
                </Text>
              </Group>
            </Group>
          ))}
          {data.micro_credits === null ? null : (
            <Group justify="space-between" className={classes.cap}>
              <Text fw={600}>Credits of the organisation</Text>
              <Text fw={600} className="tabular">
                {credits(data.micro_credits)} left
              </Text>
            </Group>
          )}
        </div>
      </Stack>
    </section>
  );
}
