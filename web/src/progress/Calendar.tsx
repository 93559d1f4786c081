import {
  ActionIcon,
  Button,
  Group,
  Menu,
  Modal,
  NativeSelect,
  Stack,
  Text,
  TextInput,
  Title,
  UnstyledButton,
} from "@mantine/core";
import { IconChevronLeft, IconChevronRight, IconPlus } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answered, api, type Schemas } from "~/api/client";
import classes from "./progress.module.css";

type Planned = Schemas["Scheduled"];
const WEEKS = 3;
const DAY = 86_400_000;

/** Three weeks. A workout is moved by dragging it, or with the arrow keys: a day sideways, a week up and down. */
export function Calendar() {
  const queries = useQueryClient();
  const [shift, setShift] = useState(0);
  const [over, setOver] = useState<string | null>(null);
  const [adding, setAdding] = useState<Date | null>(null);
  const first = startOf(new Date(), shift);
  const days = Array.from({ length: WEEKS * 7 }, (_, place) => plusDays(first, place));
  const last = plusDays(first, WEEKS * 7);
  const key = ["progress", "schedule", first.toISOString()];
  const planned = useQuery({
    queryKey: key,
    queryFn: () =>
      answered(
        api.GET("/api/training/schedule", {
          params: { query: { start: first.toISOString(), end: last.toISOString() } },
        }),
      ),
    placeholderData: (before) => before,
  });
  const refresh = () => queries.invalidateQueries({ queryKey: ["progress", "schedule"] });
  const change = useMutation({
    mutationFn: ({ id, ...body }: { id: string } & Schemas["ScheduledChange"]) =>
      answered(
        api.PATCH("/api/training/schedule/{scheduled_id}", { params: { path: { scheduled_id: id } }, body }),
      ),
    onMutate: ({ id, scheduled_for }) => {
      if (!scheduled_for) return;
      queries.setQueryData<Schemas["ScheduledList"]>(
        key,
        (before) =>
          before && { items: before.items.map((one) => (one.id === id ? { ...one, scheduled_for } : one)) },
      );
    },
    onSettled: refresh,
  });
  const cancel = useMutation({
    mutationFn: (id: string) =>
      answered(
        api.DELETE("/api/training/schedule/{scheduled_id}", { params: { path: { scheduled_id: id } } }),
      ),
    onSuccess: refresh,
  });
  const items = planned.data?.items ?? [];
  const move = (one: Planned, by: number) =>
    change.mutate({ id: one.id, scheduled_for: plusDays(new Date(one.scheduled_for), by).toISOString() });
  const drop = (id: string, day: Date) => {
    const one = items.find((item) => item.id === id);
    if (one === undefined) return;
    move(one, Math.round((midnight(day).getTime() - midnight(new Date(one.scheduled_for)).getTime()) / DAY));
  };
  return (
    <section className="surface" aria-labelledby="calendar-title">
      <Stack p={{ base: "md", sm: "lg" }}>
        <Group justify="space-between">
          <Title order={2} id="calendar-title">
            {first.toLocaleDateString(undefined, { day: "numeric", month: "long" })} to{" "}
            {plusDays(last, -1).toLocaleDateString(undefined, { day: "numeric", month: "long" })}
          </Title>
          <Group gap={6}>
            <ActionIcon
              variant="default"
              size={36}
              aria-label="Earlier"
              onClick={() => setShift(shift - WEEKS)}
            >
              <IconChevronLeft size={18} />
            </ActionIcon>
            <Button variant="default" disabled={shift === 0} onClick={() => setShift(0)}>
              Today
            </Button>
            <ActionIcon
              variant="default"
              size={36}
              aria-label="Later"
              onClick={() => setShift(shift + WEEKS)}
            >
              <IconChevronRight size={18} />
            </ActionIcon>
            <Button leftSection={<IconPlus size={16} />} onClick={() => setAdding(new Date())}>
              Plan
            </Button>
          </Group>
        </Group>
        <div className={classes.calendar}>
          {days.map((day) => {
            const id = day.toDateString();
            const here = items.filter((one) => new Date(one.scheduled_for).toDateString() === id);
            return (
              <div
                key={id}
                className={classes.cell}
                data-testid="day"
                data-today={id === new Date().toDateString() || undefined}
                data-past={plusDays(day, 1) < new Date() || undefined}
                data-over={over === id || undefined}
                data-empty={here.length === 0 || undefined}
                onDragOver={(event) => {
                  event.preventDefault();
                  setOver(id);
                }}
                onDragLeave={() => setOver(null)}
                onDrop={(event) => {
                  event.preventDefault();
                  setOver(null);
                  drop(event.dataTransfer.getData("text/plain"), day);
                }}
              >
                <Text size="xs" c="dimmed" className="tabular">
                  {day.toLocaleDateString(undefined, { weekday: "short", day: "numeric" })}
                </Text>
                {here.map((one) => (
                  <Item
                    key={one.id}
                    one={one}
                    onMove={(by) => move(one, by)}
                    onDone={() => change.mutate({ id: one.id, status: "done" })}
                    onCancel={() => cancel.mutate(one.id)}
                  />
                ))}
              </div>
            );
          })}
        </div>
        <Text size="xs" c="dimmed">
          Drag a workout to another day, or select it and use the arrow keys.
        </Text>
      </Stack>
      {adding !== null ? <Plan day={adding} onClose={() => setAdding(null)} onDone={refresh} /> : null}
    </section>
  );
}

const ARROWS: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };

function Item(props: {
  one: Planned;
  onMove: (by: number) => void;
  onDone: () => void;
  onCancel: () => void;
}) {
  const { one } = props;
  const [opened, setOpened] = useState(false);
  const when = new Date(one.scheduled_for);
  const time = when.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });
  const day = when.toLocaleDateString(undefined, { weekday: "long", day: "numeric", month: "long" });
  return (
    <Menu opened={opened} onChange={setOpened} position="bottom-start" withinPortal>
      <Menu.Target>
        <UnstyledButton
          className={classes.planned}
          data-done={one.status === "done" || undefined}
          draggable
          onDragStart={(event) => event.dataTransfer.setData("text/plain", one.id)}
          onKeyDown={(event) => {
            const by = ARROWS[event.key];
            if (by === undefined || opened) return;
            event.preventDefault();
            event.stopPropagation();
            props.onMove(by);
          }}
          aria-label={`${one.title}, ${day}, ${time}. Arrow keys move it.`}
        >
          <span className="tabular">{time}</span> {one.title}
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {one.title}
          {one.minutes ? `, ${one.minutes} min` : ""}
        </Menu.Label>
        <Menu.Item onClick={() => props.onMove(1)}>A day later</Menu.Item>
        <Menu.Item onClick={() => props.onMove(7)}>A week later</Menu.Item>
        <Menu.Item onClick={props.onDone} disabled={one.status === "done"}>
          Mark as done
        </Menu.Item>
        <Menu.Item color="red" onClick={props.onCancel}>
          Take it off
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function Plan({ day, onClose, onDone }: { day: Date; onClose: () => void; onDone: () => Promise<void> }) {
  const [title, setTitle] = useState("");
  const [date, setDate] = useState(isoDay(day));
  const [time, setTime] = useState("18:00");
  const [minutes, setMinutes] = useState("45");
  const save = useMutation({
    mutationFn: () =>
      answered(
        api.POST("/api/training/schedule", {
          body: {
            title,
            scheduled_for: new Date(`${date}T${time}`).toISOString(),
            minutes: Number(minutes),
            notes: "",
          },
        }),
      ),
    onSuccess: async () => {
      await onDone();
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} title="Plan a workout">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <Stack>
          <TextInput
            label="What"
            required
            data-autofocus
            maxLength={120}
            placeholder="Legs"
            value={title}
            onChange={(event) => setTitle(event.currentTarget.value)}
          />
          <Group grow>
            <TextInput
              label="Day"
              type="date"
              required
              value={date}
              onChange={(event) => setDate(event.currentTarget.value)}
            />
            <TextInput
              label="Time"
              type="time"
              required
              value={time}
              onChange={(event) => setTime(event.currentTarget.value)}
            />
          </Group>
          <NativeSelect
            label="Minutes"
            value={minutes}
            onChange={(event) => setMinutes(event.currentTarget.value)}
            data={["15", "20", "30", "45", "60", "90"]}
          />
          <Button type="submit" loading={save.isPending} disabled={title.trim() === ""}>
            Put it on the calendar
          </Button>
        </Stack>
      </form>
    </Modal>
  );
}

function midnight(day: Date): Date {
  return new Date(day.getFullYear(), day.getMonth(), day.getDate());
}

function plusDays(day: Date, by: number): Date {
  const next = new Date(day);
  next.setDate(next.getDate() + by);
  return next;
}

function startOf(today: Date, weeks: number): Date {
  return plusDays(midnight(today), -((today.getDay() + 6) % 7) + weeks * 7);
}

function isoDay(day: Date): string {
  return `${day.getFullYear()}-${String(day.getMonth() + 1).padStart(2, "0")}-${String(day.getDate()).padStart(2, "0")}`;
}
