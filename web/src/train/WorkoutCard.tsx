import {
  ActionIcon,
  Badge,
  Button,
  Group,
  Menu,
  Progress,
  Skeleton,
  Stack,
  Text,
  Title,
} from "@mantine/core";
import { IconBarbell, IconDots, IconFlag, IconTrash } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useState } from "react";
import { answered, api } from "~/api/client";
import { Empty } from "~/shell/Page";
import { ExerciseItem } from "./ExerciseItem";
import { finish, mark, send, useWaiting } from "./ticks";
import { allowSound, setTimer } from "./timer";
import { TimerBar } from "./TimerBar";
import classes from "./train.module.css";
import {
  markOf,
  PHASES,
  restSeconds,
  setCount,
  setsOf,
  workSeconds,
  type Exercise,
  type SetState,
} from "./workout";

export function useWorkout() {
  return useQuery({
    queryKey: ["workout"],
    queryFn: () => answered(api.GET("/api/training/workout")),
    staleTime: 5_000,
  });
}

/** The workout on the table: what to do next, what is done, how long to rest. */
export function WorkoutCard(props: {
  say: (text: string) => void;
  working: boolean;
  suggestions: React.ReactNode;
}) {
  const { say, working } = props;
  const queries = useQueryClient();
  const query = useWorkout();
  const waiting = useWaiting();
  const [opened, setOpened] = useState<string | null>(null);
  const current = query.data;
  const workout = current?.workout ?? null;
  const sessionId = current?.session_id ?? "";
  useEffect(() => void send(), []);
  useAwake(workout !== null);

  const exercises = workout?.exercises ?? [];
  const states = exercises.map((one) => (current ? setsOf(one, current, waiting) : []));
  const done = states.flat().filter((one) => one.done).length;
  const all = exercises.reduce((sum, one) => sum + setCount(one), 0);
  const next = exercises.find((_, place) => states[place]?.some((one) => !one.done));
  const open = exercises.some((one) => one.id === opened) ? opened : (next?.id ?? null);
  const finishing = waiting.some((one) => one.sessionId === sessionId && one.finish !== null);

  const tick = useCallback(
    (exercise: Exercise, set: SetState, isDone: boolean) => {
      allowSound();
      mark(sessionId, [markOf(exercise, set, isDone)]);
      const rest = restSeconds(exercise);
      const left = setCount(exercise) - set.number;
      if (!isDone) return setTimer(null);
      if (rest > 0 && left > 0)
        setTimer({
          kind: "rest",
          label: exercise.name,
          endsAt: Date.now() + rest * 1000,
          seconds: rest,
          exerciseId: exercise.id ?? "",
          setNumber: set.number + 1,
        });
      else setTimer(null);
      if (left === 0) setOpened(null);
    },
    [sessionId],
  );

  const startWork = useCallback((exercise: Exercise, set: SetState) => {
    allowSound();
    const seconds = workSeconds(exercise) ?? 0;
    setTimer({
      kind: "work",
      label: exercise.name,
      endsAt: Date.now() + seconds * 1000,
      seconds,
      exerciseId: exercise.id ?? "",
      setNumber: set.number,
    });
  }, []);

  const discard = useMutation({
    mutationFn: () =>
      answered(
        api.DELETE("/api/training/workout/{session_id}", { params: { path: { session_id: sessionId } } }),
      ),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["workout"] }),
  });

  if (query.isPending) return <Waiting />;
  if (workout === null || current === undefined) {
    return (
      <section className="surface" aria-labelledby="workout-title">
        <Empty icon={IconBarbell} title="No workout on the table" action={props.suggestions}>
          <span id="workout-title">
            Say how much time you have, what you want to train and what hurts. Your trainer does the rest.
          </span>
        </Empty>
      </section>
    );
  }

  const minutes = workout.summary.total_duration_estimate;
  return (
    <section className={`surface ${classes.card}`} aria-labelledby="workout-title" aria-busy={working}>
      <Group justify="space-between" align="flex-start" wrap="nowrap" p="md" pb={0}>
        <div>
          <Title order={2} id="workout-title" tt="capitalize">
            {workout.summary.focus_areas.slice(0, 3).join(", ").replaceAll("_", " ") || "Your workout"}
          </Title>
          <Group gap={6} mt={6}>
            {minutes ? (
              <Badge variant="default" tt="none" fw={550}>{`about ${Math.round(minutes)} min`}</Badge>
            ) : null}
            {workout.summary.difficulty ? (
              <Badge variant="default" tt="none" fw={550}>
                {workout.summary.difficulty}
              </Badge>
            ) : null}
            <Badge variant="default" tt="none" fw={550}>{`${exercises.length} exercises`}</Badge>
          </Group>
        </div>
        <Menu position="bottom-end">
          <Menu.Target>
            <ActionIcon variant="subtle" color="gray" size={40} aria-label="More about this workout">
              <IconDots size={20} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => say("Make the whole workout easier")}>Make it easier</Menu.Item>
            <Menu.Item onClick={() => say("Make the whole workout harder")}>Make it harder</Menu.Item>
            <Menu.Item onClick={() => say("Make it 10 minutes shorter")}>10 minutes shorter</Menu.Item>
            <Menu.Divider />
            <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={() => discard.mutate()}>
              Take it off without logging
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </Group>
      <Group px="md" pt="sm" gap="sm" wrap="nowrap">
        <Progress value={all === 0 ? 0 : (done / all) * 100} flex={1} aria-label="Sets done" />
        <Text size="sm" c="dimmed" className="tabular">
          {done} / {all}
        </Text>
      </Group>
      <ol className={classes.exercises}>
        {exercises.map((exercise, place) => (
          <li key={exercise.id}>
            {exercise.phase !== exercises[place - 1]?.phase ? (
              <Text size="xs" fw={600} c="dimmed" px="md" pt="md" pb={4}>
                {PHASES[exercise.phase ?? "main"]}
              </Text>
            ) : null}
            <ExerciseItem
              exercise={exercise}
              sets={states[place] ?? []}
              open={open === exercise.id}
              busy={working}
              onOpen={() => setOpened(open === exercise.id ? "none" : (exercise.id ?? null))}
              onTick={tick}
              onStart={startWork}
              say={say}
            />
          </li>
        ))}
      </ol>
      <TimerBar
        onWorkDone={(timer) => {
          const place = exercises.findIndex((one) => one.id === timer.exerciseId);
          const exercise = exercises[place];
          const set = states[place]?.[timer.setNumber - 1];
          if (exercise && set && !set.done) tick(exercise, set, true);
        }}
        onRestDone={(timer) => {
          const place = exercises.findIndex((one) => one.id === timer.exerciseId);
          const exercise = exercises[place];
          const set = states[place]?.[timer.setNumber - 1];
          if (exercise?.type === "intervals" && set && !set.done) startWork(exercise, set);
        }}
      />
      <Stack p="md" gap={6}>
        <Button
          leftSection={<IconFlag size={18} />}
          size="md"
          variant={done === all ? "filled" : "light"}
          disabled={done === 0}
          loading={finishing}
          onClick={() => {
            setTimer(null);
            finish(sessionId, "");
          }}
        >
          {done === all ? "Finish workout" : "Finish here"}
        </Button>
        {done === 0 ? (
          <Text size="xs" c="dimmed" ta="center">
            Tick a set to be able to finish. What you leave out counts as not done.
          </Text>
        ) : null}
      </Stack>
    </section>
  );
}

function Waiting() {
  return (
    <section className="surface" aria-label="Loading the workout">
      <Stack p="md">
        <Skeleton h={24} w="50%" />
        <Skeleton h={8} />
        {[0, 1, 2, 3].map((one) => (
          <Skeleton key={one} h={48} />
        ))}
      </Stack>
    </section>
  );
}

/** The screen stays on while there is something to do, where the device lets us. */
function useAwake(wanted: boolean): void {
  useEffect(() => {
    if (!wanted || !("wakeLock" in navigator)) return;
    let lock: WakeLockSentinel | null = null;
    let over = false;
    const ask = () => {
      if (document.visibilityState !== "visible") return;
      navigator.wakeLock.request("screen").then(
        (given) => {
          if (over) void given.release();
          else lock = given;
        },
        () => undefined,
      );
    };
    ask();
    document.addEventListener("visibilitychange", ask);
    return () => {
      over = true;
      document.removeEventListener("visibilitychange", ask);
      void lock?.release();
    };
  }, [wanted]);
}
