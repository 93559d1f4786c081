/** Where the boxes and arrows of a scenario's picture go. Our own small layout: layers from who is spoken to first. */

export interface Box {
  id: string;
  label: string;
  note: string;
  first: boolean;
}

export interface Way {
  from: string;
  to: string;
}

export interface Placed extends Box {
  x: number;
  y: number;
}

export interface Arrow extends Way {
  path: string;
  /** It can be handed back the same way. */
  both: boolean;
}

export interface Picture {
  boxes: Placed[];
  arrows: Arrow[];
  width: number;
  height: number;
  boxWidth: number;
  boxHeight: number;
}

const HIGH = 58;
/** Between two in a row: an arrow has to be seen there. */
const GAP = 40;
const RISE = 54;

/** How far each is from the first; who cannot be reached comes after everybody else. */
export function layers(boxes: Box[], ways: Way[]): Box[][] {
  const left = new Map(boxes.map((box) => [box.id, box]));
  const found: Box[][] = [];
  let layer = boxes.filter((box) => box.first);
  if (layer.length === 0 && boxes[0]) layer = [boxes[0]];
  while (layer.length > 0) {
    for (const box of layer) left.delete(box.id);
    found.push(layer);
    const here = new Set(layer.map((box) => box.id));
    const next = new Set(ways.filter((way) => here.has(way.from)).map((way) => way.to));
    layer = boxes.filter((box) => next.has(box.id) && left.has(box.id));
  }
  if (left.size > 0) found.push([...left.values()]);
  return found;
}

/** Two ways between the same two are one arrow with two heads. */
export function joined(ways: Way[]): (Way & { both: boolean })[] {
  const found: (Way & { both: boolean })[] = [];
  for (const way of ways) {
    if (way.from === way.to) continue;
    const back = found.find((one) => one.from === way.to && one.to === way.from);
    if (back) back.both = true;
    else if (!found.some((one) => one.from === way.from && one.to === way.to))
      found.push({ ...way, both: false });
  }
  return found;
}

/** One after another, side by side if there is room for it. */
function isChain(boxes: Box[], ways: Way[]): boolean {
  return (
    ways.length === boxes.length - 1 &&
    ways.every((way, at) => way.from === boxes[at]?.id && way.to === boxes[at + 1]?.id)
  );
}

export function picture(boxes: Box[], ways: Way[], room: number): Picture {
  const boxWidth = Math.min(190, Math.max(110, (room - GAP) / 2));
  const perRow = Math.max(1, Math.floor((room + GAP) / (boxWidth + GAP)));
  const known = new Set(boxes.map((box) => box.id));
  const drawn = joined(ways.filter((way) => known.has(way.from) && known.has(way.to)));
  const beside = boxWidth + 44;
  if (boxes.length > 1 && isChain(boxes, drawn) && boxes.length * beside - 44 <= room) {
    const start = (room - (boxes.length * beside - 44)) / 2;
    const placed = boxes.map((box, at) => ({ ...box, x: start + at * beside, y: 4 }));
    return {
      boxes: placed,
      arrows: arrows(placed, drawn, boxWidth),
      width: room,
      height: HIGH + 8,
      boxWidth,
      boxHeight: HIGH,
    };
  }
  const rows = layers(boxes, drawn).flatMap((layer) =>
    Array.from({ length: Math.ceil(layer.length / perRow) }, (_, at) =>
      layer.slice(at * perRow, (at + 1) * perRow),
    ),
  );
  const placed = rows.flatMap((row, at) => {
    const wide = row.length * boxWidth + (row.length - 1) * GAP;
    return row.map((box, place) => ({
      ...box,
      x: (room - wide) / 2 + place * (boxWidth + GAP),
      y: 4 + at * (HIGH + RISE),
    }));
  });
  const height = Math.max(1, rows.length) * (HIGH + RISE) - RISE + 8;
  return {
    boxes: placed,
    arrows: arrows(placed, drawn, boxWidth),
    width: room,
    height,
    boxWidth,
    boxHeight: HIGH,
  };
}

function arrows(placed: Placed[], ways: (Way & { both: boolean })[], wide: number): Arrow[] {
  const at = new Map(placed.map((box) => [box.id, box]));
  return ways.flatMap((way) => {
    const from = at.get(way.from);
    const to = at.get(way.to);
    return from && to ? [{ ...way, path: path(from, to, wide) }] : [];
  });
}

/** Room for the head of an arrow. */
const HEAD = 5;

function path(from: Placed, to: Placed, wide: number): string {
  if (from.y === to.y) {
    const right = to.x > from.x;
    const near = Math.abs(to.x - from.x) <= wide + 50;
    const x1 = right ? from.x + wide + HEAD : from.x - HEAD;
    const x2 = right ? to.x - HEAD : to.x + wide + HEAD;
    const y = from.y + HIGH / 2;
    // Over the heads of those between them.
    return near
      ? `M${x1} ${y} L${x2} ${y}`
      : `M${from.x + wide / 2} ${from.y + HIGH + HEAD} C${from.x + wide / 2} ${y + HIGH} ${to.x + wide / 2} ${y + HIGH} ${to.x + wide / 2} ${to.y + HIGH + HEAD}`;
  }
  const down = to.y > from.y;
  const x1 = from.x + wide / 2;
  const x2 = to.x + wide / 2;
  const y1 = down ? from.y + HIGH + HEAD : from.y - HEAD;
  const y2 = down ? to.y - HEAD : to.y + HIGH + HEAD;
  const bend = (y2 - y1) / 2;
  return `M${x1} ${y1} C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}`;
}

/** The picture in words, one sentence for each. */
export function inWords(boxes: Box[], ways: Way[]): string[] {
  const names = new Map(boxes.map((box) => [box.id, box.label]));
  return boxes.map((box) => {
    const next = ways.filter((way) => way.from === box.id).flatMap((way) => names.get(way.to) ?? []);
    const start = box.first ? `${box.label} is spoken to first` : box.label;
    if (next.length === 0) return `${start}${box.first ? "" : " answers"} and hands over to nobody.`;
    return `${start}${box.first ? " and" : ""} hands over to ${listed(next)}.`;
  });
}

export function listed(words: string[]): string {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} and ${words.at(-1) ?? ""}`;
}
