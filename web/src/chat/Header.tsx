import { ActionIcon, Autocomplete, Badge, Group, Select, Tooltip } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import type { ReactNode } from "react";
import classes from "./chat.module.css";
import { useAgents, type Session } from "./queries";
import { titleOf } from "./SessionList";
import { money } from "./thread";
import type { Partner } from "./useThread";

export function Header(props: {
  leading: ReactNode;
  session: Session | undefined;
  partner: Partner;
  /** A scenario decides itself who answers. */
  fixed: boolean;
  model: string | undefined;
  stage: string | null;
  total: number;
  onPartner: (partner: Partner) => void;
  onModel: (model: string | undefined) => void;
  onExport: () => void;
}) {
  const { session, partner, fixed, model, stage, total } = props;
  const known = useAgents().data;
  // Before the list is there, whoever is chosen is known all the same.
  const agents = (known?.agents ?? [{ name: partner.agent }]).map(({ name }) => ({
    value: `agent:${name}`,
    label: name,
  }));
  const scenarios = (
    known?.scenarios ?? (partner.scenario === null ? [] : [{ id: partner.scenario, name: partner.scenario }])
  ).map((one) => ({ value: `scenario:${one.id}`, label: one.name }));
  const value = partner.scenario !== null ? `scenario:${partner.scenario}` : `agent:${partner.agent}`;
  const models = new Set(["offline", ...(known?.agents ?? []).flatMap((one) => one.model ?? [])]);
  return (
    <header className={classes.head}>
      <Group gap={4} wrap="nowrap" className={classes.title}>
        {props.leading}
        <h2>{session === undefined ? "New conversation" : titleOf(session)}</h2>
        {stage !== null && stage !== "" ? (
          <Badge variant="light" tt="none">
            {stage}
          </Badge>
        ) : null}
        {session !== undefined ? (
          <Badge
            variant="default"
            tt="none"
            className="tabular"
            data-testid="session-cost"
            title="This conversation"
          >
            {money(total)}
          </Badge>
        ) : null}
      </Group>
      <Group gap="xs" wrap="nowrap" className={classes.picks}>
        <Select
          aria-label="Who answers"
          size="sm"
          value={value}
          disabled={fixed}
          allowDeselect={false}
          searchable
          data={
            session === undefined
              ? [
                  { group: "Agents", items: agents },
                  { group: "Scenarios", items: scenarios },
                ]
              : fixed
                ? scenarios
                : agents
          }
          onChange={(chosen) => {
            if (chosen === null) return;
            const [kind, name] = [
              chosen.slice(0, chosen.indexOf(":")),
              chosen.slice(chosen.indexOf(":") + 1),
            ];
            props.onPartner(
              kind === "scenario" ? { scenario: name, agent: "" } : { scenario: null, agent: name },
            );
          }}
        />
        <Autocomplete
          aria-label="Model"
          size="sm"
          placeholder="The agent's model"
          value={model ?? ""}
          data={[...models].sort()}
          onChange={(chosen) => props.onModel(chosen.trim() === "" ? undefined : chosen.trim())}
        />
        {session !== undefined ? (
          <Tooltip label="Export as JSON">
            <ActionIcon
              variant="subtle"
              color="gray"
              size={36}
              aria-label="Export as JSON"
              onClick={props.onExport}
            >
              <IconDownload size={18} />
            </ActionIcon>
          </Tooltip>
        ) : null}
      </Group>
    </header>
  );
}
