import {
  Badge,
  Button,
  Group,
  Progress,
  SimpleGrid,
  Skeleton,
  Stack,
  Text,
  ThemeIcon,
  Title,
  Tooltip,
} from "@mantine/core";
import { IconAward, IconBarbell, IconFlame, IconStar } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { answered, api, type Schemas } from "~/api/client";
import { Empty } from "~/shell/Page";
import { label } from "./body";
import { BodyMap } from "./BodyMap";
import classes from "./progress.module.css";

export function Overview() {
  const volume = useQuery({
    queryKey: ["progress", "volume"],
    queryFn: () => answered(api.GET("/api/training/volume", { params: { query: { weeks: 8 } } })),
  });
  const standing = useQuery({
    queryKey: ["progress", "standing"],
    queryFn: () => answered(api.GET("/api/training/standing")),
  });
  if (volume.error) throw volume.error;
  if (volume.data === undefined || standing.data === undefined) return <Skeleton h={320} radius="lg" />;
  const week = volume.data.weeks[0];
  const nothing =
    standing.data.experience.total_xp === 0 && volume.data.weeks.every((one) => one.workouts === 0);
  return (
    <Stack gap="lg">
      <Stand standing={standing.data} />
      {nothing ? (
        <section className="surface">
          <Empty
            icon={IconBarbell}
            title="Your first workout fills this page"
            action={
              <Group>
                <Button component={Link} to="/train">
                  Go and train
                </Button>
                <Button
                  variant="default"
                  renderRoot={(given) => <Link to="/progress" search={{ tab: "import" }} {...given} />}
                >
                  Import from another app
                </Button>
              </Group>
            }
          >
            You will see which muscles you worked, how your weeks compare, and your best lifts.
          </Empty>
        </section>
      ) : (
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
          <section className="surface" aria-labelledby="muscles-title">
            <Stack p="lg">
              <Title order={2} id="muscles-title">
                This week by muscle
              </Title>
              <BodyMap
                sets={Object.fromEntries((week?.muscles ?? []).map((one) => [one.muscle, one.sets]))}
                target={volume.data.target_low}
              />
              <Bars week={week} low={volume.data.target_low} high={volume.data.target_high} />
            </Stack>
          </section>
          <Stack gap="lg">
            <section className="surface" aria-labelledby="weeks-title">
              <Stack p="lg">
                <Title order={2} id="weeks-title">
                  Sets by week
                </Title>
                <Weeks weeks={volume.data.weeks} />
              </Stack>
            </section>
            <section className="surface" aria-labelledby="days-title">
              <Stack p="lg">
                <Title order={2} id="days-title">
                  Days you trained
                </Title>
                <Days />
              </Stack>
            </section>
            <Badges badges={standing.data.badges} />
          </Stack>
        </SimpleGrid>
      )}
    </Stack>
  );
}

function Stand({ standing }: { standing: Schemas["Standing"] }) {
  const { experience } = standing;
  const width = Math.max(1, experience.next_level_at - experience.level_began_at);
  const facts = [
    {
      icon: IconStar,
      name: "Level",
      value: String(experience.level),
      note: `${experience.next_level_at - experience.total_xp} XP to the next`,
    },
    {
      icon: IconFlame,
      name: "Streak",
      value: `${experience.streak_weeks} ${experience.streak_weeks === 1 ? "week" : "weeks"}`,
      note: `${standing.days_per_week} days a week keep it, best ${experience.best_streak_weeks}`,
    },
    {
      icon: IconAward,
      name: "Badges",
      value: String(standing.badges.length),
      note: standing.badges.at(-1)?.name ?? "The first is near",
    },
  ];
  return (
    <SimpleGrid cols={3} spacing={{ base: "xs", sm: "md" }}>
      {facts.map(({ icon: Icon, name, value, note }) => (
        <Group
          key={name}
          className="surface"
          p={{ base: "sm", sm: "md" }}
          gap="md"
          wrap="nowrap"
          align="flex-start"
        >
          <ThemeIcon size={44} radius="xl" variant="light" visibleFrom="sm">
            <Icon size={24} stroke={1.6} />
          </ThemeIcon>
          <div style={{ flex: 1, minWidth: 0 }}>
            <Text size="xs" c="dimmed">
              {name}
            </Text>
            <Text fw={700} fz="xl" lh={1.2} className="tabular" data-testid={name.toLowerCase()}>
              {value}
            </Text>
            <Text size="xs" c="dimmed">
              {note}
            </Text>
            {name === "Level" ? (
              <Progress
                mt={6}
                size="sm"
                value={((experience.total_xp - experience.level_began_at) / width) * 100}
                aria-label="Way to the next level"
              />
            ) : null}
          </div>
        </Group>
      ))}
    </SimpleGrid>
  );
}

/** Bars with the zone that makes sense in a week; the numbers stand beside them, so nothing is only a picture. */
function Bars({ week, low, high }: { week: Schemas["Week"] | undefined; low: number; high: number }) {
  const muscles = week?.muscles ?? [];
  if (muscles.length === 0) return <Text c="dimmed">Nothing yet this week.</Text>;
  const most = Math.max(high * 1.15, ...muscles.map((one) => one.sets));
  return (
    <div>
      <div className={classes.bars}>
        {muscles.slice(0, 10).map((one) => (
          <Row key={one.muscle} name={label(one.muscle)} sets={one.sets} low={low} high={high} most={most} />
        ))}
      </div>
      <Text size="xs" c="dimmed" mt="sm">
        The shaded zone, {low} to {high} sets a week, is what makes sense at your level.
      </Text>
    </div>
  );
}

function Row(props: { name: string; sets: number; low: number; high: number; most: number }) {
  const percent = (value: number) => `${(value / props.most) * 100}%`;
  return (
    <>
      <span>{props.name}</span>
      <span className={classes.track} aria-hidden>
        <span
          className={classes.zone}
          style={{ left: percent(props.low), width: percent(props.high - props.low) }}
        />
        <span className={classes.fill} style={{ width: percent(props.sets) }} />
      </span>
      <span className="tabular">{props.sets} sets</span>
    </>
  );
}

function Weeks({ weeks }: { weeks: Schemas["Week"][] }) {
  const most = Math.max(1, ...weeks.map((one) => one.sets));
  return (
    <div className={classes.weeks} role="list">
      {[...weeks].reverse().map((week) => {
        const begins = new Date(`${week.start}T12:00:00`);
        const day = begins.toLocaleDateString(undefined, { day: "numeric", month: "short" });
        const month = begins.toLocaleDateString(undefined, { month: "short" });
        return (
          <div
            key={week.start}
            role="listitem"
            className={classes.week}
            aria-label={`Week of ${day}: ${week.sets} sets in ${week.workouts} workouts`}
          >
            <span aria-hidden className="tabular">
              {week.sets || ""}
            </span>
            <Tooltip label={`${week.workouts} workouts, ${week.minutes} min, ${week.volume_kg} kg`}>
              <span className={classes.weekBar} style={{ height: `${(week.sets / most) * 82}%` }} />
            </Tooltip>
            <span aria-hidden className={classes.weekName}>
              <span>{month}</span> <span className="tabular">{begins.getDate()}</span>
            </span>
          </div>
        );
      })}
    </div>
  );
}

const WEEKS = 20;

function Days() {
  const days = useQuery({
    queryKey: ["progress", "days"],
    queryFn: () => answered(api.GET("/api/training/days", { params: { query: { weeks: WEEKS + 1 } } })),
  });
  const done = new Set(days.data?.days ?? []);
  const today = new Date();
  const monday = new Date(today);
  monday.setDate(today.getDate() - ((today.getDay() + 6) % 7) - (WEEKS - 1) * 7);
  const all = Array.from({ length: WEEKS * 7 }, (_, place) => {
    const day = new Date(monday);
    day.setDate(monday.getDate() + place);
    return day;
  });
  const key = (day: Date) =>
    `${day.getFullYear()}-${String(day.getMonth() + 1).padStart(2, "0")}-${String(day.getDate()).padStart(2, "0")}`;
  const count = all.filter((day) => done.has(key(day))).length;
  return (
    <div role="img" aria-label={`${count} days with a workout in the last ${WEEKS} weeks`}>
      <div className={classes.days}>
        {all.map((day) => (
          <span
            key={key(day)}
            className={classes.day}
            data-done={done.has(key(day)) || undefined}
            data-future={day > today || undefined}
            title={day.toLocaleDateString()}
          />
        ))}
      </div>
      <Text size="xs" c="dimmed" mt={8}>
        {count} {count === 1 ? "day" : "days"} in {WEEKS} weeks
      </Text>
    </div>
  );
}

function Badges({ badges }: { badges: Schemas["EarnedBadge"][] }) {
  if (badges.length === 0) return null;
  return (
    <section className="surface" aria-labelledby="badges-title">
      <Stack p="lg">
        <Title order={2} id="badges-title">
          Badges
        </Title>
        <Group gap="xs">
          {[...badges].reverse().map((badge) => (
            <Tooltip key={badge.id} label={badge.description}>
              <Badge variant="light" size="lg" tt="none" leftSection={<IconAward size={15} />}>
                {badge.name}
              </Badge>
            </Tooltip>
          ))}
        </Group>
      </Stack>
    </section>
  );
}
