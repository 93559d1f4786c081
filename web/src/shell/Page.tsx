import { Box, Group, Stack, Text, ThemeIcon, Title } from "@mantine/core";
import type { Icon } from "@tabler/icons-react";
import { useEffect, type ReactNode } from "react";

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
