import { expect, it } from "vitest";
import { bodyOf, draftOfScenario, NEW_SCENARIO, wrongScenario } from "./scenarioDraft";

const COURSE = {
  id: "visit",
  name: "A visit",
  description: "",
  default_root: "desk",
  routing: "stages",
  stages: { first: "hello", agents: { work: "coach", hello: "desk" } },
  agents: ["desk", "coach"].map((name) => ({
    name,
    description: "",
    instructions: "x",
    model: "offline",
    tools: [],
    handoffs: [],
  })),
  guardrails: { always: ["Be kind."], never: [] },
};

it("writes back what it read, the first stage first", () => {
  const draft = draftOfScenario(COURSE);
  expect(draft.stages.map((one) => one.name)).toEqual(["hello", "work"]);
  const body = bodyOf(draft);
  expect(body).toMatchObject({
    root: "desk",
    agents: ["desk", "coach"],
    routing: "stages",
    stages: COURSE.stages,
  });
  expect(wrongScenario(draft, [])).toEqual([]);
});

it("leaves stages out where agents hand over", () => {
  expect(bodyOf({ ...draftOfScenario(COURSE), staged: false })).toMatchObject({
    routing: "handoff",
    stages: null,
  });
});

it("tells what is missing where it is missing", () => {
  expect(wrongScenario(NEW_SCENARIO, []).map((one) => one.field)).toEqual(["name", "id", "agents"]);
  const fine = { ...NEW_SCENARIO, name: "Shop", id: "shop", agents: ["desk"] };
  expect(wrongScenario(fine, ["shop"]).map((one) => one.field)).toEqual(["id", "root"]);
  const staged = { ...fine, root: "desk", staged: true };
  expect(wrongScenario(staged, []).map((one) => one.field)).toEqual(["stages"]);
  const twice = {
    ...staged,
    stages: [
      { name: "one", agent: "desk" },
      { name: "one", agent: "" },
    ],
  };
  expect(wrongScenario(twice, [])).toHaveLength(2);
});
