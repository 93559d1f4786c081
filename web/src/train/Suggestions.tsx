import { Button, Group } from "@mantine/core";

const IDEAS = [
  "30 min upper body, no equipment",
  "Legs, but my left knee hurts",
  "Quick 15 min full body",
  "Stretch and mobility",
];

export function Suggestions({ say }: { say: (text: string) => void }) {
  return (
    <Group gap={8} justify="center">
      {IDEAS.map((idea) => (
        <Button key={idea} variant="default" size="compact-md" radius="xl" fw={500} onClick={() => say(idea)}>
          {idea}
        </Button>
      ))}
    </Group>
  );
}
