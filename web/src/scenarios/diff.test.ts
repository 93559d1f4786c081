import { expect, it } from "vitest";
import { changes, folded, lineDiff } from "./diff";

const shown = (before: string, after: string) =>
  lineDiff(before, after).map((line) => ({ same: " ", added: "+", removed: "-" })[line.kind] + line.text);

it("finds what was added and removed", () => {
  expect(shown("a\nb\nc", "a\nx\nc\nd")).toEqual([" a", "-b", "+x", " c", "+d"]);
  expect(shown("", "a")).toEqual(["+a"]);
  expect(shown("a", "")).toEqual(["-a"]);
  expect(shown("a\nb", "a\nb")).toEqual([" a", " b"]);
});

it("gives back both texts, whatever they are", () => {
  const texts = ["", "a", "a\na\nb", "b\na\n\na", "x\ny\nz\na", "a\nb\nc\nd\ne"];
  for (const before of texts) {
    for (const after of texts) {
      const lines = lineDiff(before, after);
      const text = (but: string) =>
        lines
          .filter((line) => line.kind !== but)
          .map((line) => line.text)
          .join("\n");
      expect(text("added")).toBe(before);
      expect(text("removed")).toBe(after);
    }
  }
});

it("folds what stayed", () => {
  const lines = lineDiff("1\n2\n3\n4\n5\n6\n7\n8", "1\n2\n3\n4\n5\n6\n7\n9");
  expect(folded(lines).map((line) => (line === null ? "…" : line.text))).toEqual(["…", "6", "7", "8", "9"]);
});

it("compares definitions field by field", () => {
  const before = {
    title: "Desk",
    tools: ["idle", "echo"],
    limits: { iterations: 25 },
    handoffs: [{ to: "a", when: "" }],
  };
  const after = {
    title: "Desk",
    tools: ["idle", "search"],
    limits: { iterations: 5 },
    handoffs: [{ to: "a", when: "" }],
  };
  const found = changes(before, after);
  expect(found.map((one) => one.field)).toEqual(["tools", "limits"]);
  expect(found[0]?.lines).toContainEqual({ kind: "added", text: "search" });
  expect(found[1]?.lines).toContainEqual({ kind: "removed", text: "iterations: 25" });
});
