/** What changed between two texts, line by line, and between two definitions, field by field. */

export interface Line {
  kind: "same" | "added" | "removed";
  text: string;
}

const MOST_CELLS = 4_000_000;

/** By the longest lines both have in common. Texts too long for that are shown as removed and added whole. */
export function lineDiff(before: string, after: string): Line[] {
  const old = before === "" ? [] : before.split("\n");
  const now = after === "" ? [] : after.split("\n");
  if (old.length * now.length > MOST_CELLS) {
    return [
      ...old.map((text): Line => ({ kind: "removed", text })),
      ...now.map((text): Line => ({ kind: "added", text })),
    ];
  }
  const wide = now.length + 1;
  const common = new Uint32Array((old.length + 1) * wide);
  const at = (row: number, column: number) => common[row * wide + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row -= 1) {
    for (let column = now.length - 1; column >= 0; column -= 1) {
      common[row * wide + column] =
        old[row] === now[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const found: Line[] = [];
  let row = 0;
  let column = 0;
  while (row < old.length || column < now.length) {
    if (row < old.length && column < now.length && old[row] === now[column]) {
      found.push({ kind: "same", text: old[row] ?? "" });
      row += 1;
      column += 1;
    } else if (row < old.length && (column === now.length || at(row + 1, column) >= at(row, column + 1))) {
      found.push({ kind: "removed", text: old[row] ?? "" });
      row += 1;
    } else {
      found.push({ kind: "added", text: now[column] ?? "" });
      column += 1;
    }
  }
  return found;
}

const NEAR = 2;

/** Without the long stretches where nothing changed: `null` stands for one. */
export function folded(lines: Line[]): (Line | null)[] {
  const near = lines.map((_, at) =>
    lines.slice(Math.max(0, at - NEAR), at + NEAR + 1).some((line) => line.kind !== "same"),
  );
  const found: (Line | null)[] = [];
  lines.forEach((line, at) => {
    if (near[at]) found.push(line);
    else if (found.length === 0 || found.at(-1) !== null) found.push(null);
  });
  return found;
}

export interface Change {
  field: string;
  lines: Line[];
}

type Definition = Record<string, unknown>;

/** Fields that differ, as lines of text. Lists have a line for each entry, so that what was added to one is seen. */
export function changes(before: Definition, after: Definition): Change[] {
  const fields = [...new Set([...Object.keys(after), ...Object.keys(before)])];
  return fields.flatMap((field) => {
    const old = written(before[field]);
    const now = written(after[field]);
    return old === now ? [] : [{ field, lines: lineDiff(old, now) }];
  });
}

export function written(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(entry).join("\n");
  if (typeof value === "object") {
    return Object.entries(value)
      .map(([name, one]) => `${name}: ${entry(one)}`)
      .join("\n");
  }
  return String(value);
}

function entry(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value)) return value.map(entry).join("; ");
  return Object.values(value)
    .filter((one) => one !== "" && one !== null)
    .map(entry)
    .join(", ");
}
