import { expect, it } from "vitest";
import { Refused } from "~/api/problems";
import { at, draftOf, fromRefusal, nameFrom, NEW_AGENT, placed, wrongAtOnce } from "./draft";

it("makes names that the server takes", () => {
  expect(nameFrom("Front desk (night)")).toBe("front_desk_night");
  expect(nameFrom("Équipe n° 5")).toBe("equipe_n_5");
  expect(nameFrom("24/7 help")).toBe("help");
  expect(nameFrom("Gym's shop", "-")).toBe("gym-s-shop");
  expect(nameFrom("…")).toBe("");
  expect(nameFrom("x".repeat(80))).toHaveLength(50);
});

it("tells at once what is missing, where it is missing", () => {
  expect(wrongAtOnce(NEW_AGENT).map((one) => one.field)).toEqual(["name", "instructions"]);
  const fine = { ...NEW_AGENT, name: "desk", instructions: "Help." };
  expect(wrongAtOnce(fine)).toEqual([]);
  expect(wrongAtOnce(fine, ["desk"]).map((one) => one.field)).toEqual(["name"]);
  const half = { ...fine, handoffs: [{ to: "", when: "", history: "all" as const }] };
  expect(wrongAtOnce(half).map((one) => one.field)).toEqual(["handoffs"]);
});

it("puts the server's findings at their fields", () => {
  const found = placed(
    [
      { where: "agent desk", code: "unknown_tool", message: "There is no tool called 'x'." },
      { where: "agent desk", code: "no_exit", message: "It must end." },
      { where: "agent other", code: "unknown_handoff", message: "No such agent." },
    ],
    "agent desk",
  );
  expect(at(found, "tools")).toContain("'x'");
  expect(at(found, "tool_choice")).toBe("It must end.");
  expect(at(found, "")).toBe("agent other: No such agent.");
  expect(at(found, "model")).toBeUndefined();
});

it("reads a refusal's fields", () => {
  const refused = new Refused({
    status: 422,
    errors: [{ loc: "body.limits.iterations", message: "too many", type: "less_than_equal" }],
  });
  expect(fromRefusal(refused)).toEqual([{ field: "limits", message: "too many" }]);
  expect(fromRefusal(new Refused({ status: 409, detail: "Taken." }))).toEqual([
    { field: "", message: "Taken." },
  ]);
});

it("writes handoffs out", () => {
  const draft = draftOf({ ...NEW_AGENT, handoffs: ["desk", { to: "shop", when: "asked", history: "turn" }] });
  expect(draft.handoffs).toEqual([
    { to: "desk", when: "", history: "all" },
    { to: "shop", when: "asked", history: "turn" },
  ]);
});
