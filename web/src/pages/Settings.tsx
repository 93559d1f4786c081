import {
  Badge,
  Button,
  Group,
  PasswordInput,
  SegmentedControl,
  Skeleton,
  Stack,
  Text,
  TextInput,
  useMantineColorScheme,
  type MantineColorScheme,
} from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answered, api } from "~/api/client";
import { useMe } from "~/api/queries";
import { accept } from "~/api/session";
import { Card, Page } from "~/shell/Page";
import { ZoneField } from "~/shell/ZoneField";
import { showDone } from "~/shell/toasts";

export function Settings() {
  return (
    <Page title="Settings" lead="Your account, on this device and others.">
      <Stack gap="lg">
        <Profile />
        <Zone />
        <Appearance />
        <Password />
        <Devices />
      </Stack>
    </Page>
  );
}

function Profile() {
  const me = useMe();
  const queries = useQueryClient();
  const [name, setName] = useState<string | null>(null);
  const save = useMutation({
    mutationFn: () => answered(api.PATCH("/api/me", { body: { name: name ?? "" } })),
    onSuccess: (fresh) => {
      queries.setQueryData(["me"], fresh);
      setName(null);
      showDone("Your name is changed.");
    },
  });
  return (
    <Card title="Profile" text={me ? `${me.email}, ${me.role} of ${me.organisation.name}` : ""}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <Group align="flex-end">
          <TextInput
            label="Name"
            value={name ?? me?.name ?? ""}
            onChange={(event) => setName(event.currentTarget.value)}
            maxLength={120}
            flex={1}
            miw={200}
          />
          <Button type="submit" disabled={name === null || name === me?.name} loading={save.isPending}>
            Save
          </Button>
        </Group>
      </form>
    </Card>
  );
}

/** Whose clock "tomorrow at seven" goes by, and which day a late workout counts for. */
function Zone() {
  const me = useMe();
  const queries = useQueryClient();
  const key = ["progress", "settings"];
  const settings = useQuery({ queryKey: key, queryFn: () => answered(api.GET("/api/training/settings")) });
  const save = useMutation({
    mutationFn: (timezone: string | null) =>
      answered(api.PATCH("/api/training/settings", { body: { timezone } })),
    onSuccess: async (fresh) => {
      queries.setQueryData(key, fresh);
      showDone(
        fresh.timezone === null ? "The gym's time zone holds for you." : `It is ${fresh.timezone} now.`,
      );
      await queries.invalidateQueries({ queryKey: ["progress"] });
    },
  });
  if (settings.data === undefined) return <Skeleton h={150} radius="lg" />;
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const own = settings.data.timezone;
  return (
    <Card
      title="Time zone"
      text="“Tomorrow at seven” goes by this clock, and so do your days, weeks and streak."
    >
      <Group align="flex-end">
        <ZoneField
          label="Your time zone"
          value={own}
          none={`As the gym: ${me?.organisation.timezone ?? "UTC"}`}
          onChange={(zone) => save.mutate(zone)}
        />
        {here !== (own ?? me?.organisation.timezone) ? (
          <Button variant="default" loading={save.isPending} onClick={() => save.mutate(here)}>
            Use this device's: {here}
          </Button>
        ) : null}
      </Group>
    </Card>
  );
}

function Appearance() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Card title="Appearance">
      <SegmentedControl
        aria-label="Appearance"
        maw={420}
        value={colorScheme}
        onChange={(value) => setColorScheme(value as MantineColorScheme)}
        data={[
          { value: "light", label: "Light" },
          { value: "dark", label: "Dark" },
          { value: "auto", label: "As the device" },
        ]}
      />
    </Card>
  );
}

function Password() {
  const [current, setCurrent] = useState("");
  const [fresh, setFresh] = useState("");
  const save = useMutation({
    mutationFn: () =>
      answered(
        api.POST("/api/me/password", { body: { current_password: current || null, new_password: fresh } }),
      ),
    meta: { quiet: true },
    onSuccess: (tokens) => {
      accept(tokens);
      setCurrent("");
      setFresh("");
      showDone("Other devices were signed out.", "Your password is set");
    },
  });
  return (
    <Card title="Password" text="Leave the first field empty if you never had one.">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <Stack maw={420}>
          <PasswordInput
            label="Current password"
            autoComplete="current-password"
            value={current}
            onChange={(event) => setCurrent(event.currentTarget.value)}
          />
          <PasswordInput
            label="New password"
            autoComplete="new-password"
            required
            value={fresh}
            onChange={(event) => setFresh(event.currentTarget.value)}
          />
          {save.error ? (
            <Text role="alert" size="sm" c="var(--mantine-color-error)">
              {save.error.message}
            </Text>
          ) : null}
          <Group>
            <Button type="submit" loading={save.isPending} disabled={fresh === ""}>
              Set password
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  );
}

function Devices() {
  const queries = useQueryClient();
  const sessions = useQuery({
    queryKey: ["me", "sessions"],
    queryFn: () => answered(api.GET("/api/me/sessions")),
  });
  const end = useMutation({
    mutationFn: (id: string) =>
      answered(api.DELETE("/api/me/sessions/{session_id}", { params: { path: { session_id: id } } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["me", "sessions"] }),
  });
  return (
    <Card title="Where you are signed in">
      <Stack gap="sm">
        {sessions.data?.items.map((one) => (
          <Group key={one.id} justify="space-between" wrap="nowrap">
            <div>
              <Text size="sm" lineClamp={1}>
                {deviceName(one.device)}{" "}
                {one.current ? (
                  <Badge variant="light" size="sm" ml={6} tt="none">
                    This one
                  </Badge>
                ) : null}
              </Text>
              <Text size="xs" c="dimmed">
                Last used {new Date(one.last_used_at).toLocaleString()}
              </Text>
            </div>
            {one.current ? null : (
              <Button variant="default" size="xs" onClick={() => end.mutate(one.id)}>
                Sign out
              </Button>
            )}
          </Group>
        ))}
      </Stack>
    </Card>
  );
}

function deviceName(agent: string): string {
  const browser = /Edg\/|OPR\/|Firefox\/|Chrome\/|Safari\//.exec(agent)?.[0] ?? "";
  const names: Record<string, string> = {
    "Edg/": "Edge",
    "OPR/": "Opera",
    "Firefox/": "Firefox",
    "Chrome/": "Chrome",
    "Safari/": "Safari",
  };
  const system = /Android|iPhone|iPad|Windows|Mac OS X|Linux/.exec(agent)?.[0]?.replace("Mac OS X", "macOS");
  const known = names[browser];
  return known && system ? `${known} on ${system}` : agent || "A device without a name";
}
