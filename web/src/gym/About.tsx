import { Button, Group, Stack, Switch, TextInput } from "@mantine/core";
import { useState } from "react";
import type { Schemas } from "~/api/client";
import { Card } from "~/shell/Page";
import { showDone } from "~/shell/toasts";
import { ZoneField } from "~/shell/ZoneField";
import { useGymChange, type Gym } from "./queries";

export function About({ gym }: { gym: Gym }) {
  const [typed, setTyped] = useState<Schemas["OrganisationChange"]>({});
  const now = { ...gym, ...typed };
  const save = useGymChange(() => {
    setTyped({});
    showDone("The gym's settings are changed.");
  });
  const changed = now.name !== gym.name || now.timezone !== gym.timezone || now.guests !== gym.guests;
  return (
    <Card title="About the gym">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate(typed);
        }}
      >
        <Stack>
          <Group align="flex-start">
            <TextInput
              label="Name"
              required
              maxLength={120}
              flex="1 1 240px"
              value={now.name ?? ""}
              onChange={(event) => setTyped({ ...typed, name: event.currentTarget.value })}
            />
            <ZoneField
              label="Time zone"
              value={now.timezone ?? "UTC"}
              onChange={(timezone) => setTyped({ ...typed, timezone })}
            />
          </Group>
          <Switch
            label="Visitors may talk to the coach without signing in"
            description="Within strict limits. What they said becomes theirs when they sign in."
            checked={now.guests === true}
            onChange={(event) => setTyped({ ...typed, guests: event.currentTarget.checked })}
          />
          <Group>
            <Button
              type="submit"
              disabled={!changed || (now.name ?? "").trim() === ""}
              loading={save.isPending}
            >
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  );
}
