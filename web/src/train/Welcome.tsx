import { Button, Group, Modal, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import { useMe } from "~/api/queries";

const PLACE = "spotter.welcomed";

function seen(): string[] {
  try {
    return (localStorage.getItem(PLACE) ?? "").split(",");
  } catch {
    return ["all"];
  }
}

interface Step {
  title: string;
  text: string;
  options: { value: string; label: string }[];
}

const STEPS: Step[] = [
  {
    title: "How much have you trained?",
    text: "So that the first workout is neither boring nor too much.",
    options: [
      { value: "I am a beginner.", label: "I am new to it" },
      { value: "I am an intermediate.", label: "A year or two" },
      { value: "I am advanced.", label: "For years" },
    ],
  },
  {
    title: "What do you have at hand?",
    text: "You can change this any time, also for one day.",
    options: [
      { value: "I have no equipment.", label: "Nothing" },
      { value: "I have dumbbells.", label: "Dumbbells" },
      { value: "I have a full gym.", label: "A full gym" },
    ],
  },
  {
    title: "How much time is there?",
    text: "Warm-up included.",
    options: [
      { value: "15", label: "15 min" },
      { value: "30", label: "30 min" },
      { value: "45", label: "45 min" },
    ],
  },
];

/** The first visit: three questions, and the answer is a workout. */
export function Welcome({ say }: { say: (text: string) => void }) {
  const me = useMe();
  const [closed, setClosed] = useState(false);
  const [step, setStep] = useState(0);
  const [answers, setAnswers] = useState<string[]>([]);
  const known = seen();
  const id = me?.user_id ?? "";
  if (closed || id === "" || known.includes(id) || known.includes("all")) return null;
  const close = () => {
    try {
      localStorage.setItem(PLACE, [...known.filter(Boolean), id].join(","));
    } catch {
      // Then it is shown once more.
    }
    setClosed(true);
  };
  const current = STEPS[step];
  if (current === undefined) return null;
  const answer = (value: string) => {
    const next = [...answers.slice(0, step), value];
    setAnswers(next);
    if (step < STEPS.length - 1) return setStep(step + 1);
    close();
    say(`${next[0]} ${next[1]} Give me a ${next[2]} minute full body workout.`);
  };
  return (
    <Modal
      opened
      onClose={close}
      title={`Welcome${me?.name ? `, ${me.name.split(" ")[0]}` : ""}`}
      size="md"
      closeButtonProps={{ "aria-label": "Skip the questions" }}
    >
      <Stack gap="lg" pb="xs">
        <Text c="dimmed" size="sm">
          Three questions, then your first workout. {step + 1} of {STEPS.length}
        </Text>
        <div>
          <Title order={2}>{current.title}</Title>
          <Text c="dimmed" size="sm" mt={4}>
            {current.text}
          </Text>
        </div>
        <Stack gap="xs">
          {current.options.map((option, place) => (
            <Button
              key={option.value}
              variant="default"
              size="lg"
              justify="flex-start"
              fw={550}
              onClick={() => answer(option.value)}
              data-autofocus={place === 0 || undefined}
            >
              {option.label}
            </Button>
          ))}
        </Stack>
        <Group justify="space-between">
          {step > 0 ? (
            <Button variant="subtle" color="gray" onClick={() => setStep(step - 1)}>
              Back
            </Button>
          ) : (
            <span />
          )}
          <Button variant="subtle" color="gray" onClick={close}>
            Skip, I will look around
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
