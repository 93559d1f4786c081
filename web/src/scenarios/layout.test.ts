import { describe, expect, it } from "vitest";
import { inWords, joined, layers, picture, type Box } from "./layout";

const box = (id: string, first = false): Box => ({ id, label: id.toUpperCase(), note: "", first });
const TEAM = [box("root", true), box("a"), box("b"), box("c"), box("lost")];
const WAYS = [
  { from: "root", to: "a" },
  { from: "root", to: "b" },
  { from: "a", to: "root" },
  { from: "b", to: "c" },
  { from: "c", to: "c" },
];

it("puts everybody in the layer of their distance, and who cannot be reached last", () => {
  expect(layers(TEAM, WAYS).map((layer) => layer.map((one) => one.id))).toEqual([
    ["root"],
    ["a", "b"],
    ["c"],
    ["lost"],
  ]);
});

it("draws two ways between two as one arrow, and none to oneself", () => {
  expect(joined(WAYS)).toEqual([
    { from: "root", to: "a", both: true },
    { from: "root", to: "b", both: false },
    { from: "b", to: "c", both: false },
  ]);
});

describe.each([300, 358, 700, 1100])("in %i pixels", (room) => {
  const many = [box("root", true), ...Array.from({ length: 11 }, (_, at) => box(`n${at}`))];
  const ways = many.slice(1).map((one) => ({ from: "root", to: one.id }));

  it.each([
    ["a small team", TEAM, WAYS],
    ["a large one", many, ways],
  ])("%s fits, and nobody covers anybody", (_, boxes, between) => {
    const drawn = picture(boxes, between, room);
    expect(drawn.boxes).toHaveLength(boxes.length);
    for (const one of drawn.boxes) {
      expect(one.x).toBeGreaterThanOrEqual(0);
      expect(one.x + drawn.boxWidth).toBeLessThanOrEqual(room + 0.01);
      expect(one.y + drawn.boxHeight).toBeLessThanOrEqual(drawn.height);
      for (const other of drawn.boxes) {
        if (other.id === one.id) continue;
        const apart =
          Math.abs(one.x - other.x) >= drawn.boxWidth - 0.01 || Math.abs(one.y - other.y) >= drawn.boxHeight;
        expect(apart, `${one.id} and ${other.id}`).toBe(true);
      }
    }
  });
});

it("lays a course side by side where it fits, and one below the other where not", () => {
  const course = [box("one", true), box("two"), box("three")];
  const ways = [
    { from: "one", to: "two" },
    { from: "two", to: "three" },
  ];
  expect(new Set(picture(course, ways, 900).boxes.map((one) => one.y)).size).toBe(1);
  expect(new Set(picture(course, ways, 358).boxes.map((one) => one.y)).size).toBe(3);
});

it("says the same in words", () => {
  expect(inWords(TEAM, WAYS)[0]).toBe("ROOT is spoken to first and hands over to A and B.");
  expect(inWords(TEAM, WAYS)[4]).toBe("LOST answers and hands over to nobody.");
  expect(inWords([box("only", true)], [])).toEqual(["ONLY is spoken to first and hands over to nobody."]);
});
