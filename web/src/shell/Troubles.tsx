import { Button, Center, Code, Group, Stack, Text, Title } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { Link, useRouter, type ErrorComponentProps } from "@tanstack/react-router";
import { useEffect } from "react";
import { whenBack } from "~/api/connection";
import { Away, Refused } from "~/api/problems";
import { Mark } from "./Brand";

export function NotFoundPage() {
  return (
    <Trouble title="There is no such page">
      <Text c="dimmed">The address may be old, or a letter is missing.</Text>
      <Button component={Link} to="/">
        Go to the first page
      </Button>
    </Trouble>
  );
}

/** A page that broke. When it only was the connection, it opens by itself once that is back. */
export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const queries = useQueryClient();
  const away = error instanceof Away;
  useEffect(
    () =>
      whenBack(() => {
        reset();
        void router.invalidate();
      }),
    [reset, router],
  );
  const again = () => {
    void queries.invalidateQueries();
    reset();
    void router.invalidate();
  };
  const reference = error instanceof Refused ? error.correlationId : null;
  return (
    <Trouble title={away ? "Spotter cannot be reached" : "This page could not be shown"}>
      <Text c="dimmed" ta="center" maw={460}>
        {away
          ? "It opens by itself as soon as the server answers again."
          : error instanceof Error
            ? error.message
            : "Something unexpected happened."}
      </Text>
      {reference ? (
        <Text size="sm" c="dimmed">
          Reference <Code>{reference}</Code>
        </Text>
      ) : null}
      <Group>
        <Button onClick={again}>Try again</Button>
        <Button component={Link} to="/" variant="default">
          First page
        </Button>
      </Group>
    </Trouble>
  );
}

function Trouble({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <Center mih="70dvh" p="lg">
      <Stack align="center" gap="md">
        <Mark size={44} />
        <Title order={1} ta="center">
          {title}
        </Title>
        {children}
      </Stack>
    </Center>
  );
}
