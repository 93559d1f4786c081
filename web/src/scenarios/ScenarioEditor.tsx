import { Alert, Button, Group } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconAlertTriangle, IconInfoCircle } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { answered, api } from "~/api/client";
import { Refused } from "~/api/problems";
import { showDone } from "~/shell/toasts";
import { at, fromRefusal, placed, same, type Found } from "./draft";
import { Guard } from "./Guard";
import { useScenarios, type ScenarioDetail } from "./queries";
import { bodyOf, draftOfScenario, NEW_SCENARIO, wrongScenario, type ScenarioDraft } from "./scenarioDraft";
import { ScenarioForm } from "./ScenarioForm";
import classes from "./scenarios.module.css";

/** Of a scenario that is there, or of a new one. */
export function ScenarioEditor({ saved, done }: { saved: ScenarioDetail | undefined; done: () => void }) {
  const base = saved ? draftOfScenario(saved) : NEW_SCENARIO;
  const [written, setWritten] = useState<ScenarioDraft | null>(null);
  const [tried, setTried] = useState(false);
  const scenarios = useScenarios();
  const draft = written ?? base;
  const dirty = written !== null && !same(written, base);
  const taken = saved ? [] : (scenarios.data?.scenarios ?? []).map((one) => one.id);
  const wrong = wrongScenario(draft, taken);
  const check = useChecked(draft, dirty && wrong.length === 0);
  const save = useSave(saved, () => {
    setWritten(null);
    done();
  });
  const refused = save.error instanceof Refused ? fromRefusal(save.error) : [];
  const found = [
    ...(tried ? wrong : wrong.filter((one) => one.field === "id" && draft.id !== "")),
    ...check,
    ...refused,
  ];
  const message = at(found, "");
  return (
    <div>
      {saved && !saved.own ? (
        <Alert variant="light" mb="md" icon={<IconInfoCircle size={18} />}>
          It ships with Spotter. Change it, and yours takes its place in your organisation; put yours away,
          and this one is back.
        </Alert>
      ) : null}
      {message ? (
        <Alert role="alert" variant="light" color="red" mb="md" icon={<IconAlertTriangle size={18} />}>
          {message}
        </Alert>
      ) : null}
      <ScenarioForm
        draft={draft}
        found={found}
        isNew={saved === undefined}
        set={(change) => setWritten({ ...draft, ...change })}
      />
      <Group className={classes.bar} justify="flex-end">
        {dirty ? (
          <Button variant="default" onClick={() => setWritten(null)}>
            Undo the changes
          </Button>
        ) : null}
        <Button
          loading={save.isPending}
          disabled={saved !== undefined && !dirty}
          onClick={() => {
            setTried(true);
            if (wrong.length === 0) save.mutate(draft);
          }}
        >
          {saved && !saved.own ? "Save as yours" : "Save"}
        </Button>
      </Group>
      <Guard dirty={dirty} />
    </div>
  );
}

/** What the server says about the draft, a moment after the last change. */
function useChecked(draft: ScenarioDraft, wanted: boolean): Found[] {
  const [settled] = useDebouncedValue(draft, 500);
  const ready = wanted && wrongScenario(settled, []).length === 0;
  const { data, error } = useQuery({
    queryKey: ["scenarios", "check", settled],
    queryFn: () =>
      answered(
        api.POST("/api/scenarios/validate", {
          body: { ...bodyOf(settled), id: settled.id, with_agents: [] },
        }),
      ),
    enabled: ready,
    staleTime: 60_000,
    gcTime: 60_000,
  });
  if (!ready) return [];
  if (error instanceof Refused) return fromRefusal(error);
  return data ? placed(data.problems, `scenario ${settled.id}`) : [];
}

function useSave(saved: ScenarioDetail | undefined, done: () => void) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (draft: ScenarioDraft) =>
      answered(
        api.PUT("/api/scenarios/{scenario_id}", {
          params: { path: { scenario_id: draft.id } },
          body: bodyOf(draft),
        }),
      ),
    meta: { quiet: true },
    onSuccess: async (fresh) => {
      await queries.invalidateQueries({ queryKey: ["scenarios"] });
      done();
      showDone(`Version ${fresh.own?.version ?? 1} holds from the next message on.`, "Saved");
      if (saved === undefined) {
        await navigate({
          to: "/scenarios/$scenario",
          params: { scenario: fresh.id },
          replace: true,
          ignoreBlocker: true,
        });
      }
    },
  });
}
