import { AppShell, Badge, Box, Group, Kbd, NavLink, Stack, Text, UnstyledButton } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { IconDots, IconSearch } from "@tabler/icons-react";
import { Link, Outlet, useLocation } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { atLeast, useMe } from "~/api/queries";
import { AccountMenu } from "./AccountMenu";
import { Brand } from "./Brand";
import { PLACES, SECTIONS, type Place } from "./navigation";
import { OrganisationMenu } from "./OrganisationMenu";
import { ServerAway } from "./ServerAway";
import classes from "./Shell.module.css";

/** Loaded when somebody looks for something for the first time. */
const loadPalette = () => import("./CommandPalette");
const CommandPalette = lazy(() => loadPalette().then((module) => ({ default: module.CommandPalette })));

const MAC = typeof navigator !== "undefined" && /mac|iphone|ipad/i.test(navigator.userAgent);

export function Shell() {
  const me = useMe();
  const [palette, setPalette] = useState(false);
  const openPalette = () => {
    setPalette(true);
    void loadPalette().then((module) => module.open());
  };
  useHotkeys([["mod+K", openPalette]], []);
  const path = useLocation({ select: (location) => location.pathname });
  const mine = PLACES.filter((place) => place.role === undefined || atLeast(me?.role, place.role));
  return (
    <AppShell
      header={{ height: { base: 56, sm: 0 } }}
      navbar={{ width: 232, breakpoint: "sm", collapsed: { mobile: true } }}
      footer={{ height: { base: 62, sm: 0 } }}
      classNames={{
        main: classes.main,
        navbar: classes.navbar,
        header: classes.header,
        footer: classes.footer,
      }}
    >
      <a className="skip" href="#main">
        Skip to the page
      </a>
      <AppShell.Header hiddenFrom="sm" withBorder={false}>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Link to="/" className={classes.home} aria-label="Spotter, first page">
            <Brand size={26} />
          </Link>
          <Group gap={4} wrap="nowrap">
            <UnstyledButton onClick={openPalette} className={classes.round} aria-label="Search">
              <IconSearch size={20} />
            </UnstyledButton>
            <AccountMenu compact />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar withBorder={false} visibleFrom="sm">
        <AppShell.Section px="md" pt="lg" pb="md">
          <Link to="/" className={classes.home} aria-label="Spotter, first page">
            <Brand />
          </Link>
        </AppShell.Section>
        <AppShell.Section px="sm" pb="sm">
          <UnstyledButton onClick={openPalette} className={classes.search}>
            <IconSearch size={16} />
            <Text size="sm" flex={1}>
              Search
            </Text>
            <Kbd size="xs">{MAC ? "⌘" : "Ctrl"} K</Kbd>
          </UnstyledButton>
        </AppShell.Section>
        <AppShell.Section grow px="sm" pt="xs" className={classes.places}>
          <nav aria-label="Pages">
            {Object.entries(SECTIONS).map(([section, title]) => (
              <Section
                key={section}
                title={title}
                path={path}
                places={mine.filter((one) => one.section === section)}
              />
            ))}
          </nav>
        </AppShell.Section>
        <AppShell.Section p="sm">
          <Stack gap={4}>
            <OrganisationMenu />
            <AccountMenu />
          </Stack>
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1}>
        <ServerAway />
        <Outlet />
      </AppShell.Main>
      <AppShell.Footer hiddenFrom="sm" withBorder={false}>
        <nav aria-label="Pages" className={classes.bar}>
          {mine
            .filter((place) => place.onPhone)
            .map(({ to, label, icon: Icon }) => (
              <Link key={to} to={to} className={classes.tab} data-active={path.startsWith(to) || undefined}>
                <Icon size={22} stroke={1.7} aria-hidden />
                <span>{label}</span>
              </Link>
            ))}
          {mine.some((place) => !place.onPhone) ? (
            <UnstyledButton onClick={openPalette} className={classes.tab}>
              <IconDots size={22} stroke={1.7} aria-hidden />
              <span>More</span>
            </UnstyledButton>
          ) : null}
        </nav>
      </AppShell.Footer>
      <Suspense fallback={null}>{palette ? <CommandPalette places={mine} /> : null}</Suspense>
    </AppShell>
  );
}

function Section({ title, places, path }: { title: string; places: Place[]; path: string }) {
  if (places.length === 0) return null;
  return (
    <Box mb="md">
      <Text size="xs" c="dimmed" fw={600} px="sm" mb={4}>
        {title}
      </Text>
      {places.map(({ to, label, icon: Icon }) => (
        <NavLink
          key={to}
          component={Link}
          to={to}
          label={label}
          leftSection={<Icon size={19} stroke={1.7} />}
          active={path.startsWith(to)}
          className={classes.link}
          aria-current={path.startsWith(to) ? "page" : undefined}
        />
      ))}
    </Box>
  );
}

/** Wherever the offline model answers, people see that it does. */
export function OfflineBadge() {
  return (
    <Badge
      variant="default"
      size="sm"
      fw={550}
      tt="none"
      title="No language model is connected: built-in rules answer."
    >
      Offline model
    </Badge>
  );
}
