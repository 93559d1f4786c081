import { Button, Group } from "@mantine/core";
import type { Who } from "./useTrainer";

const IDEAS: Record<Who, string[]> = {
  trainer: [
    "30 min upper body, no equipment",
    "Legs, but my left knee hurts",
    "Quick 15 min full body",
    "Stretch and mobility",
  ],
  coach: ["Hello, I want to start working out", "Plan my next weeks", "What is next for me?"],
};

export function Suggestions({ who, say }: { who: Who; say: (text: string) => void }) {
  return (
    <Group gap={8} justify="center">
      {IDEAS[who].map((idea) => (
        <Button key={idea} variant="default" size="compact-md" radius="xl" fw={500} onClick={() => say(idea)}>
          {idea}
        </Button>
      ))}
    </Group>
  );
}
