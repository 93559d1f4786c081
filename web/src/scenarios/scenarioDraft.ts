import type { Schemas } from "~/api/client";
import type { Found } from "./draft";

export interface ScenarioDraft {
  id: string;
  name: string;
  description: string;
  root: string;
  agents: string[];
  /** Of a course, in order: the first is where it begins. Empty where agents hand over. */
  stages: { name: string; agent: string }[];
  staged: boolean;
  always: string[];
  never: string[];
  model: string | null;
}

export const NEW_SCENARIO: ScenarioDraft = {
  id: "",
  name: "",
  description: "",
  root: "",
  agents: [],
  stages: [],
  staged: false,
  always: [],
  never: [],
  model: null,
};

export function draftOfScenario(detail: Schemas["ScenarioDetail"]): ScenarioDraft {
  const { stages } = detail;
  const names = stages ? Object.keys(stages.agents) : [];
  const ordered = stages ? [stages.first, ...names.filter((name) => name !== stages.first)] : [];
  return {
    id: detail.id,
    name: detail.name,
    description: detail.description,
    root: detail.default_root,
    agents: detail.agents.map((agent) => agent.name),
    stages: ordered.map((name) => ({ name, agent: stages?.agents[name] ?? "" })),
    staged: detail.routing === "stages",
    always: detail.guardrails.always,
    never: detail.guardrails.never,
    model: detail.own?.model ?? null,
  };
}

export function bodyOf(draft: ScenarioDraft): Schemas["ScenarioWritten"] {
  return {
    name: draft.name.trim(),
    description: draft.description,
    root: draft.root,
    agents: draft.agents,
    routing: draft.staged ? "stages" : "handoff",
    stages: draft.staged ? stagesOf(draft) : null,
    guardrails: { always: draft.always, never: draft.never },
    model: draft.model,
  };
}

export function stagesOf(draft: ScenarioDraft): Schemas["Stages"] {
  return {
    first: draft.stages[0]?.name ?? "",
    agents: Object.fromEntries(draft.stages.map((stage) => [stage.name, stage.agent])),
  };
}

/** What can be told without asking the server. `taken` are the ids there are, for a new one. */
export function wrongScenario(draft: ScenarioDraft, taken: string[]): Found[] {
  const found: Found[] = [];
  const say = (field: string, message: string) => found.push({ field, message });
  if (draft.name.trim() === "") say("name", "Give it a name.");
  if (!/^[a-z][a-z0-9_-]{1,59}$/.test(draft.id)) {
    say("id", "Two to sixty small letters, digits, - and _, beginning with a letter.");
  } else if (taken.includes(draft.id)) say("id", "There is a scenario with this id already.");
  if (draft.agents.length === 0) say("agents", "Choose who takes part.");
  else if (draft.root === "") say("root", "Choose who is spoken to first.");
  if (draft.staged) {
    const names = draft.stages.map((stage) => stage.name);
    if (names.length === 0) say("stages", "A course has one stage at least.");
    if (new Set(names).size < names.length) say("stages", "Two stages have the same name.");
    if (draft.stages.some((one) => !/^[a-z][a-z0-9_]{1,39}$/.test(one.name))) {
      say("stages", "Stages are named with two to forty small letters, digits and underscores.");
    }
    if (draft.stages.some((one) => one.agent === "")) say("stages", "Choose who answers in each stage.");
  }
  return found;
}
