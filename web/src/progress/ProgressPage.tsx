import { Skeleton, Tabs } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useRef } from "react";
import { Page } from "~/shell/Page";
import { Overview } from "./Overview";

const History = lazy(() => import("./History").then((module) => ({ default: module.History })));
const Records = lazy(() => import("./Records").then((module) => ({ default: module.Records })));
const Goals = lazy(() => import("./Goals").then((module) => ({ default: module.Goals })));
const AboutYou = lazy(() => import("./AboutYou").then((module) => ({ default: module.AboutYou })));
const Calendar = lazy(() => import("./Calendar").then((module) => ({ default: module.Calendar })));
const Import = lazy(() => import("./Import").then((module) => ({ default: module.Import })));

const TABS = [
  { id: "overview", label: "Overview", part: Overview },
  { id: "history", label: "History", part: History },
  { id: "records", label: "Records", part: Records },
  { id: "calendar", label: "Calendar", part: Calendar },
  { id: "goals", label: "Goals", part: Goals },
  { id: "you", label: "About you", part: AboutYou },
  { id: "import", label: "Import", part: Import },
];

export function ProgressPage() {
  const { tab } = useSearch({ strict: false }) as { tab?: string };
  const navigate = useNavigate();
  const current = TABS.find((one) => one.id === tab) ?? TABS[0];
  const list = useRef<HTMLDivElement>(null);
  // On a phone there is room for four of them: the one that is open is among those.
  useEffect(() => {
    const box = list.current;
    const open = box?.querySelector<HTMLElement>("[aria-selected=true]");
    if (box && open) box.scrollLeft = open.offsetLeft - (box.clientWidth - open.offsetWidth) / 2;
  }, [current?.id]);
  return (
    <Page title="Progress" wide>
      <Tabs
        value={current?.id ?? "overview"}
        onChange={(value) => void navigate({ to: "/progress", search: { tab: value ?? undefined } })}
        keepMounted={false}
      >
        <Tabs.List
          ref={list}
          aria-label="Parts of your progress"
          mb="lg"
          style={{ flexWrap: "nowrap", overflowX: "auto", overflowY: "hidden", scrollbarWidth: "none" }}
        >
          {TABS.map((one) => (
            <Tabs.Tab key={one.id} value={one.id} style={{ flex: "none" }}>
              {one.label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {TABS.map((one) => (
          <Tabs.Panel key={one.id} value={one.id}>
            <Suspense fallback={<Skeleton h={320} radius="lg" />}>
              <one.part />
            </Suspense>
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  );
}
