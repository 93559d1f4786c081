import { Skeleton, Stack, Text } from "@mantine/core";
import { IconLock } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { answered, api } from "~/api/client";
import { atLeast, useMe } from "~/api/queries";
import { Empty, Page } from "~/shell/Page";
import { About } from "./About";
import { Facts } from "./Facts";
import { Models } from "./Models";
import { Widgets } from "./Widgets";

/** What an organisation says about itself, where its agents can be met, and who thinks for them. */
export function GymPage() {
  const me = useMe();
  const id = me?.organisation.id;
  const may = atLeast(me?.role, "admin");
  const gym = useQuery({
    queryKey: ["gym", id],
    queryFn: () =>
      answered(
        api.GET("/api/organisations/{organisation_id}", { params: { path: { organisation_id: id ?? "" } } }),
      ),
    enabled: id !== undefined && may,
  });
  if (gym.error) throw gym.error;
  if (me !== undefined && !may)
    return (
      <Page title="Gym">
        <section className="surface">
          <Empty icon={IconLock} title="This is for admins">
            Ask an admin of {me.organisation.name} to change its settings.
          </Empty>
        </section>
      </Page>
    );
  return (
    <Page title="Gym" lead={me ? `What ${me.organisation.name} says about itself, and where.` : undefined}>
      {gym.data === undefined ? (
        <Stack gap="lg">
          <Skeleton h={180} radius="lg" />
          <Skeleton h={260} radius="lg" />
          <Text role="status" c="dimmed" size="sm">
            Loading…
          </Text>
        </Stack>
      ) : (
        <Stack gap="lg">
          <About gym={gym.data} />
          <Facts gym={gym.data} />
          <Widgets />
          <Models />
        </Stack>
      )}
    </Page>
  );
}
