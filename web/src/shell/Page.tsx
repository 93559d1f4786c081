import { Box, Group, Stack, Text, ThemeIcon, Title } from "@mantine/core";
import type { Icon } from "@tabler/icons-react";
import { useEffect, useId, type ReactNode } from "react";

/** The frame of a page: its one heading, what can be done about all of it, and its name in the browser's tab. */
export function Page(props: {
  title: string;
  lead?: ReactNode;
  actions?: ReactNode;
  wide?: boolean;
  children: ReactNode;
}) {
  const { title, lead, actions, wide = false, children } = props;
  useEffect(() => {
    document.title = `${title} · Spotter`;
  }, [title]);
  return (
    <Box px={{ base: "md", sm: "xl" }} py={{ base: "md", sm: "xl" }} maw={wide ? 1400 : 980} mx="auto">
      <Group justify="space-between" align="flex-end" mb="lg" gap="sm">
        <div>
          <Title order={1}>{title}</Title>
          {lead ? (
            <Text c="dimmed" mt={4}>
              {lead}
            </Text>
          ) : null}
        </div>
        {actions}
      </Group>
      {children}
    </Box>
  );
}

export function Card(props: {
  title: string;
  text?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  id?: string;
}) {
  const own = useId();
  const id = props.id ?? own;
  return (
    <section className="surface" aria-labelledby={id}>
      <Stack p={{ base: "md", sm: "lg" }} gap="md">
        <Group justify="space-between" align="flex-start">
          <div style={{ flex: "1 1 240px" }}>
            <Title order={2} id={id}>
              {props.title}
            </Title>
            {props.text ? (
              <Text size="sm" c="dimmed" mt={2}>
                {props.text}
              </Text>
            ) : null}
          </div>
          {props.actions}
        </Group>
        {props.children}
      </Stack>
    </section>
  );
}

/** Nothing here yet, and what to do about it. */
export function Empty(props: { icon: Icon; title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <Stack align="center" gap="sm" py="xl" px="md" ta="center">
      <ThemeIcon size={56} radius="xl" variant="light">
        <props.icon size={28} stroke={1.5} />
      </ThemeIcon>
      <Text fw={600}>{props.title}</Text>
      {props.children ? (
        <Text c="dimmed" size="sm" maw={420}>
          {props.children}
        </Text>
      ) : null}
      {props.action}
    </Stack>
  );
}
