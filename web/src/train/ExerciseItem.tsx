import {
  ActionIcon,
  Box,
  Button,
  Collapse,
  Group,
  Menu,
  Stack,
  Text,
  UnstyledButton,
  VisuallyHidden,
} from "@mantine/core";
import {
  IconArrowsExchange,
  IconCheck,
  IconChevronDown,
  IconDots,
  IconMinus,
  IconPlayerPlay,
  IconTrash,
  IconTrendingDown,
  IconTrendingUp,
} from "@tabler/icons-react";
import { useState } from "react";
import classes from "./train.module.css";
import { prescription, restSeconds, span, workSeconds, type Exercise, type SetState } from "./workout";

export function ExerciseItem(props: {
  exercise: Exercise;
  sets: SetState[];
  open: boolean;
  busy: boolean;
  onOpen: () => void;
  onTick: (exercise: Exercise, set: SetState, done: boolean) => void;
  onStart: (exercise: Exercise, set: SetState) => void;
  say: (text: string) => void;
}) {
  const { exercise, sets, open, busy, say } = props;
  const done = sets.filter((one) => one.done).length;
  const complete = done === sets.length;
  const id = `exercise-${exercise.id}`;
  const rest = restSeconds(exercise);
  return (
    <Box className={classes.exercise} data-open={open || undefined} data-testid="exercise">
      <Group wrap="nowrap" gap={4} pr="xs">
        <UnstyledButton
          className={classes.head}
          onClick={props.onOpen}
          aria-expanded={open}
          aria-controls={id}
        >
          <span className={classes.count} data-complete={complete || undefined} aria-hidden>
            {complete ? <IconCheck size={16} stroke={2.6} /> : `${done}/${sets.length}`}
          </span>
          <span className={classes.names}>
            <Text
              component="span"
              fw={600}
              display="block"
              td={complete ? "line-through" : undefined}
              c={complete ? "dimmed" : undefined}
            >
              {exercise.name}
            </Text>
            <Text component="span" size="sm" c="dimmed" className="tabular">
              {prescription(exercise)}
              <VisuallyHidden component="span">, {`${done} of ${sets.length} done`}</VisuallyHidden>
            </Text>
          </span>
          <IconChevronDown size={18} className={classes.chevron} aria-hidden />
        </UnstyledButton>
        <Menu position="bottom-end" width={190}>
          <Menu.Target>
            <ActionIcon
              variant="subtle"
              color="gray"
              size={40}
              aria-label={`Change ${exercise.name}`}
              disabled={busy}
            >
              <IconDots size={18} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item
              leftSection={<IconArrowsExchange size={16} />}
              onClick={() => say(`Swap ${exercise.name} for something else`)}
            >
              Swap
            </Menu.Item>
            <Menu.Item
              leftSection={<IconTrendingDown size={16} />}
              onClick={() => say(`Make ${exercise.name} easier`)}
            >
              Easier
            </Menu.Item>
            <Menu.Item
              leftSection={<IconTrendingUp size={16} />}
              onClick={() => say(`Make ${exercise.name} harder`)}
            >
              Harder
            </Menu.Item>
            <Menu.Divider />
            <Menu.Item
              color="red"
              leftSection={<IconTrash size={16} />}
              onClick={() => say(`Remove ${exercise.name}`)}
            >
              Remove
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </Group>
      <Collapse expanded={open} id={id}>
        <Stack gap="sm" px="md" pb="md" pt={4}>
          {exercise.instructions ? (
            <Text size="sm" c="dimmed">
              {exercise.instructions}
            </Text>
          ) : null}
          {exercise.notes ? <Text size="sm">{exercise.notes}</Text> : null}
          <Stack gap={6}>
            {sets.map((set) => (
              <SetRow key={set.number} {...props} set={set} />
            ))}
          </Stack>
          {rest > 0 ? (
            <Text size="xs" c="dimmed">
              Rest {span(rest)} between sets
            </Text>
          ) : null}
        </Stack>
      </Collapse>
    </Box>
  );
}

function SetRow(props: {
  exercise: Exercise;
  set: SetState;
  onTick: (exercise: Exercise, set: SetState, done: boolean) => void;
  onStart: (exercise: Exercise, set: SetState) => void;
}) {
  const { exercise, set } = props;
  const [reps, setReps] = useState<number | null>(null);
  const [weight, setWeight] = useState<number | null>(null);
  const [loaded, setLoaded] = useState(false);
  const now: SetState = { ...set, reps: reps ?? set.reps, weight: weight ?? set.weight };
  const work = workSeconds(exercise);
  const name = exercise.type === "intervals" ? "Round" : "Set";
  const hasLoad = exercise.type === "reps" || exercise.type === "hold";
  const change = (next: SetState) => {
    if (set.done) props.onTick(exercise, next, true);
  };
  return (
    <div className={classes.set} data-done={set.done || undefined}>
      <Text size="sm" c="dimmed" w={56} className="tabular">
        {name} {set.number}
      </Text>
      {exercise.type === "reps" ? (
        <Amount
          label={`Reps of set ${set.number}`}
          unit="×"
          value={now.reps}
          onChange={setReps}
          onDone={() => reps !== null && change(now)}
        />
      ) : (
        <Button
          variant="light"
          size="sm"
          leftSection={<IconPlayerPlay size={15} />}
          onClick={() => props.onStart(exercise, now)}
          disabled={set.done}
          aria-label={`Start ${span(work ?? 0)} timer of ${exercise.name}, ${name.toLowerCase()} ${set.number}`}
        >
          {span(work ?? 0)}
        </Button>
      )}
      {hasLoad && (loaded || now.weight !== null) ? (
        <Amount
          label={`Weight of set ${set.number} in kilograms`}
          unit="kg"
          value={now.weight}
          onChange={setWeight}
          onDone={() => weight !== null && change(now)}
        />
      ) : hasLoad ? (
        <Button variant="subtle" color="gray" size="compact-sm" onClick={() => setLoaded(true)}>
          + kg
        </Button>
      ) : null}
      <span className={classes.fill} />
      <UnstyledButton
        className={classes.tick}
        role="checkbox"
        aria-checked={set.done}
        aria-label={`${name} ${set.number} of ${exercise.name} done`}
        onClick={() => props.onTick(exercise, now, !set.done)}
      >
        {set.done ? <IconCheck size={20} stroke={2.6} /> : <IconMinus size={18} opacity={0} />}
      </UnstyledButton>
    </div>
  );
}

function Amount(props: {
  label: string;
  unit: string;
  value: number | null;
  onChange: (value: number | null) => void;
  onDone: () => void;
}) {
  return (
    <span className={classes.amount}>
      <input
        type="number"
        inputMode="decimal"
        aria-label={props.label}
        min={0}
        max={500}
        step="any"
        value={props.value ?? ""}
        onChange={(event) => {
          const value = event.currentTarget.valueAsNumber;
          props.onChange(Number.isFinite(value) && value >= 0 && value <= 500 ? value : null);
        }}
        onBlur={props.onDone}
      />
      <span aria-hidden>{props.unit}</span>
    </span>
  );
}
