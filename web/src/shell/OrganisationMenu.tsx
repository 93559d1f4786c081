import { Menu, Text, ThemeIcon, UnstyledButton, VisuallyHidden } from "@mantine/core";
import { IconBuildingCommunity, IconCheck, IconSelector } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { answered, api } from "~/api/client";
import { useMe } from "~/api/queries";
import { accept } from "~/api/session";
import classes from "./Shell.module.css";

export function useOrganisations() {
  const router = useRouter();
  const organisations = useQuery({
    queryKey: ["me", "organisations"],
    queryFn: () => answered(api.GET("/api/me/organisations")),
    staleTime: 60_000,
  });
  const change = useMutation({
    mutationFn: (organisation: string) => answered(api.POST("/api/auth/switch", { body: { organisation } })),
    onSuccess: async (tokens) => {
      accept(tokens);
      await router.navigate({ to: "/" });
      await router.invalidate();
    },
  });
  return { items: organisations.data?.items ?? [], change };
}

export function OrganisationMenu() {
  const me = useMe();
  const { items, change } = useOrganisations();
  return (
    <Menu position="top-start" width={220} shadow="md">
      <Menu.Target>
        <UnstyledButton className={classes.menuButton}>
          <ThemeIcon variant="light" size={30} radius="md">
            <IconBuildingCommunity size={17} />
          </ThemeIcon>
          <Text size="sm" fw={550} flex={1} truncate>
            {me?.organisation.name ?? "…"}
          </Text>
          <VisuallyHidden>Change organisation</VisuallyHidden>
          <IconSelector size={16} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Your organisations</Menu.Label>
        {items.map((one) => (
          <Menu.Item
            key={one.id}
            onClick={() => change.mutate(one.id)}
            disabled={one.id === me?.organisation.id}
            rightSection={one.id === me?.organisation.id ? <IconCheck size={15} /> : null}
          >
            {one.name}
            <Text size="xs" c="dimmed">
              {one.role}
            </Text>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
