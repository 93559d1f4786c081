import { useMantineColorScheme } from "@mantine/core";
import "@mantine/spotlight/styles.layer.css";
import { Spotlight, spotlight, type SpotlightActionData } from "@mantine/spotlight";
import {
  IconBook2,
  IconBuildingCommunity,
  IconLogout,
  IconMoon,
  IconSearch,
  IconSun,
} from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useMe } from "~/api/queries";
import { useSignOut } from "./AccountMenu";
import type { Place } from "./navigation";
import { useOrganisations } from "./OrganisationMenu";

export const open = spotlight.open;

export function CommandPalette({ places }: { places: Place[] }) {
  const navigate = useNavigate();
  const me = useMe();
  const signOut = useSignOut();
  const { setColorScheme } = useMantineColorScheme();
  const { items, change } = useOrganisations();
  const actions: SpotlightActionData[] = [
    ...places.map((place) => ({
      id: place.to,
      label: place.label,
      keywords: place.words,
      leftSection: <place.icon size={20} stroke={1.7} />,
      onClick: () => void navigate({ to: place.to }),
    })),
    ...items
      .filter((one) => one.id !== me?.organisation.id)
      .map((one) => ({
        id: one.id,
        label: `Switch to ${one.name}`,
        keywords: "organisation gym change",
        leftSection: <IconBuildingCommunity size={20} stroke={1.7} />,
        onClick: () => change.mutate(one.id),
      })),
    {
      id: "light",
      label: "Light appearance",
      keywords: "theme mode bright",
      leftSection: <IconSun size={20} stroke={1.7} />,
      onClick: () => setColorScheme("light"),
    },
    {
      id: "dark",
      label: "Dark appearance",
      keywords: "theme mode night",
      leftSection: <IconMoon size={20} stroke={1.7} />,
      onClick: () => setColorScheme("dark"),
    },
    {
      id: "docs",
      label: "API reference",
      keywords: "docs developer openapi",
      leftSection: <IconBook2 size={20} stroke={1.7} />,
      onClick: () => window.location.assign("/docs"),
    },
    {
      id: "sign-out",
      label: "Sign out",
      keywords: "log out leave",
      leftSection: <IconLogout size={20} stroke={1.7} />,
      onClick: () => void signOut(),
    },
  ];
  return (
    <Spotlight
      actions={actions}
      shortcut={null}
      nothingFound="Nothing of that name"
      highlightQuery
      scrollable
      maxHeight={360}
      searchProps={{
        leftSection: <IconSearch size={18} />,
        placeholder: "Where to? What to do?",
        "aria-label": "Search pages and commands",
      }}
    />
  );
}
