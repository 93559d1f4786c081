/** One thing written down, while it is being edited. */
export interface Row {
  id: number;
  topic: string;
  text: string;
}

export const FACTS_AT_MOST = 40;
export const TOPICS = [
  "Opening hours",
  "Prices",
  "Address",
  "Contact",
  "Classes",
  "House rules",
  "Cancelling",
  "Parking",
];

export function rowsOf(facts: Record<string, string>): Row[] {
  // The server keeps no order.
  const sorted = Object.entries(facts).sort(([one], [other]) => one.localeCompare(other));
  return sorted.map(([topic, text], place) => ({ id: place + 1, topic, text }));
}

export function factsOf(rows: Row[]): Record<string, string> {
  return Object.fromEntries(rows.map((one) => [one.topic.trim(), one.text.trim()]));
}

export function same(one: Row[], other: Row[]): boolean {
  return JSON.stringify(factsOf(one)) === JSON.stringify(factsOf(other)) && one.length === other.length;
}

export function troubleOf(row: Row, all: Row[]): { topic?: string; text?: string } | null {
  const topic = row.topic.trim();
  if (topic === "") return { topic: "Name the topic." };
  if (all.some((one) => one.id < row.id && one.topic.trim() === topic))
    return { topic: "It is there already." };
  return row.text.trim() === "" ? { text: "Say something about it, or remove the topic." } : null;
}
