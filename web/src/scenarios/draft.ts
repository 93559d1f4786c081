import type { Schemas } from "~/api/client";
import type { Refused } from "~/api/problems";

export type Agent = Schemas["AiAgent"];
export type Handoff = Schemas["HandoffGiven"];
/** An agent as it is being written: the same fields as saved, handoffs always in full. */
export type AgentDraft = Omit<Schemas["AgentFile"], "handoffs"> & { handoffs: Handoff[] };

export const LIMITS: Schemas["LimitsGiven"] = {
  iterations: 25,
  identical_calls: 3,
  wall_seconds: 300,
  checkpoint_tokens: 80_000,
};

export const NEW_AGENT: AgentDraft = {
  name: "",
  title: "",
  description: "",
  examples: [],
  model: null,
  small_model: null,
  tools: [],
  tool_choice: "auto",
  handoffs: [],
  voice: null,
  limits: LIMITS,
  instructions: "",
};

export function draftOf(agent: Schemas["AgentFile"]): AgentDraft {
  return {
    name: agent.name,
    title: agent.title,
    description: agent.description,
    examples: agent.examples,
    model: agent.model ?? null,
    small_model: agent.small_model ?? null,
    tools: agent.tools,
    tool_choice: agent.tool_choice,
    handoffs: agent.handoffs.map((one) =>
      typeof one === "string" ? { to: one, when: "", history: "all" } : one,
    ),
    voice: agent.voice ?? null,
    limits: agent.limits,
    instructions: agent.instructions,
  };
}

export function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** What somebody calls it, as a name for programs: `Front desk (night)` is `front_desk_night`. */
export function nameFrom(title: string, separator = "_", most = 50): string {
  const plain = title
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, separator);
  const trimmed = plain.replace(/^[^a-z]+/, "").slice(0, most);
  return trimmed.endsWith(separator) ? trimmed.slice(0, -1) : trimmed;
}

export interface Found {
  field: string;
  message: string;
}

/** What can be told without asking the server. `taken` are the names there are, for a new one. */
export function wrongAtOnce(draft: AgentDraft, taken: string[] = []): Found[] {
  const found: Found[] = [];
  if (!/^[a-z][a-z0-9_]{1,49}$/.test(draft.name)) {
    found.push({
      field: "name",
      message: "Two to fifty small letters, digits and underscores, beginning with a letter.",
    });
  } else if (taken.includes(draft.name)) {
    found.push({
      field: "name",
      message: "There is an agent of this name. Open it to change it, or choose another.",
    });
  }
  if (draft.instructions.trim() === "") {
    found.push({ field: "instructions", message: "Say what it should do, and how." });
  }
  draft.handoffs.forEach((one) => {
    if (one.to === "")
      found.push({ field: "handoffs", message: "Choose who is handed over to, or take the line out." });
  });
  return found;
}

const FIELDS: Record<string, string> = {
  unknown_tool: "tools",
  tool_twice: "tools",
  too_many_tools: "tools",
  model_not_allowed: "model",
  handoff_to_itself: "handoffs",
  unknown_handoff: "handoffs",
  handoff_twice: "handoffs",
  no_exit: "tool_choice",
  agent_twice: "agents",
  unknown_agent: "agents",
  unreachable_agent: "agents",
  missing_root: "root",
  stage_without_agent: "stages",
  course_changed: "stages",
};

/** The server's findings, each at the field it is about. Those about others are for the top of the page. */
export function placed(problems: Schemas["DefinitionProblem"][], where: string): Found[] {
  return problems.map((one) => {
    if (one.where !== where) return { field: "", message: `${one.where}: ${one.message}` };
    const field = where.startsWith("scenario ") && one.code === "no_exit" ? "agents" : FIELDS[one.code];
    return { field: field ?? "", message: one.message };
  });
}

/** A refusal's own list of fields: `body.limits.iterations` is about the limits. */
export function fromRefusal(refused: Refused): Found[] {
  if (refused.fields.length === 0) return [{ field: "", message: refused.message }];
  return refused.fields.map((one) => {
    const [place, field = ""] = one.loc.split(".");
    return { field: place === "body" ? field : "", message: one.message };
  });
}

export function at(found: Found[], field: string): string | undefined {
  const messages = found.filter((one) => one.field === field).map((one) => one.message);
  return messages.length > 0 ? [...new Set(messages)].join(" ") : undefined;
}
