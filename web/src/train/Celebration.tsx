import { Button, Group, Modal, RingProgress, Stack, Text, ThemeIcon, Title } from "@mantine/core";
import { IconAward, IconFlame } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { seenFinished, type Finished } from "./ticks";

/** After a workout: what it brought. */
export function Celebration({ finished }: { finished: Finished }) {
  const { experience } = finished;
  const width = Math.max(1, experience.next_level_at - experience.level_began_at);
  const part = ((experience.total_xp - experience.level_began_at) / width) * 100;
  return (
    <Modal opened onClose={seenFinished} title="Workout finished" size="sm">
      <Stack align="center" gap="md" pb="sm">
        <RingProgress
          size={150}
          thickness={11}
          roundCaps
          sections={[{ value: part, color: "pine" }]}
          label={
            <Stack gap={0} align="center">
              <Text size="xs" c="dimmed">
                Level
              </Text>
              <Text fz={38} fw={700} lh={1} className="tabular">
                {experience.level}
              </Text>
            </Stack>
          }
          aria-label={`Level ${experience.level}`}
        />
        <Title order={2} data-testid="xp">
          +{finished.xp} XP
        </Title>
        <Text c="dimmed" ta="center">
          {finished.exercises} of {finished.planned} exercises, {finished.sets} sets
          {finished.minutes ? `, about ${finished.minutes} minutes` : ""}.{" "}
          {experience.next_level_at - experience.total_xp} XP to level {experience.level + 1}.
        </Text>
        {experience.streak_weeks > 0 ? (
          <Group gap={6}>
            <IconFlame size={20} color="var(--spotter-amber)" />
            <Text fw={600}>
              {experience.streak_weeks} {experience.streak_weeks === 1 ? "week" : "weeks"} in a row
            </Text>
          </Group>
        ) : null}
        {finished.badges.map((badge) => (
          <Group key={badge.id} gap="sm" className="surface" p="sm" w="100%" wrap="nowrap">
            <ThemeIcon size={42} radius="xl" variant="light">
              <IconAward size={24} />
            </ThemeIcon>
            <div>
              <Text fw={600}>{badge.name}</Text>
              <Text size="sm" c="dimmed">
                {badge.description}
              </Text>
            </div>
          </Group>
        ))}
        <Group grow w="100%">
          <Button variant="default" component={Link} to="/progress" onClick={seenFinished}>
            See progress
          </Button>
          <Button onClick={seenFinished} data-autofocus>
            Done
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
