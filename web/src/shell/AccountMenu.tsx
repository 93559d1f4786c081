import { Avatar, Menu, Text, UnstyledButton, useMantineColorScheme, VisuallyHidden } from "@mantine/core";
import {
  IconBook2,
  IconBuildingCommunity,
  IconDeviceDesktop,
  IconLogout,
  IconMoon,
  IconSettings,
  IconSun,
} from "@tabler/icons-react";
import { Link, useNavigate } from "@tanstack/react-router";
import { answered, api } from "~/api/client";
import { useMe } from "~/api/queries";
import { forget } from "~/api/session";
import { useOrganisations } from "./OrganisationMenu";
import classes from "./Shell.module.css";

export function useSignOut() {
  const navigate = useNavigate();
  return async () => {
    await answered(api.POST("/api/auth/sign-out"));
    forget();
    await navigate({ to: "/sign-in" });
  };
}

export function AccountMenu({ compact = false }: { compact?: boolean }) {
  const me = useMe();
  const signOut = useSignOut();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const { items, change } = useOrganisations();
  const name = me?.name || me?.email || "You";
  const schemes = [
    { value: "light", label: "Light", icon: IconSun },
    { value: "dark", label: "Dark", icon: IconMoon },
    { value: "auto", label: "As the device", icon: IconDeviceDesktop },
  ] as const;
  return (
    <Menu position={compact ? "bottom-end" : "top-start"} width={230} shadow="md">
      <Menu.Target>
        <UnstyledButton className={compact ? classes.round : classes.menuButton}>
          <Avatar name={name} color="pine" size={30} radius="xl" aria-hidden />
          {compact ? null : (
            <Text size="sm" fw={550} truncate flex={1}>
              {name}
            </Text>
          )}
          <VisuallyHidden>Your account</VisuallyHidden>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{me?.email ?? ""}</Menu.Label>
        <Menu.Item component={Link} to="/settings" leftSection={<IconSettings size={16} />}>
          Settings
        </Menu.Item>
        <Menu.Item component="a" href="/docs" leftSection={<IconBook2 size={16} />}>
          API
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>Appearance</Menu.Label>
        {schemes.map(({ value, label, icon: Icon }) => (
          <Menu.Item
            key={value}
            leftSection={<Icon size={16} />}
            onClick={() => setColorScheme(value)}
            fw={colorScheme === value ? 650 : undefined}
            closeMenuOnClick={false}
          >
            {label}
          </Menu.Item>
        ))}
        {compact && items.length > 1 ? (
          <>
            <Menu.Divider />
            <Menu.Label>Organisation</Menu.Label>
            {items.map((one) => (
              <Menu.Item
                key={one.id}
                disabled={one.id === me?.organisation.id}
                leftSection={<IconBuildingCommunity size={16} />}
                onClick={() => change.mutate(one.id)}
              >
                {one.name}
              </Menu.Item>
            ))}
          </>
        ) : null}
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void signOut()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
