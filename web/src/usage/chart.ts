/** Where a chart's lines go: round numbers that reach over the highest bar. All in whole numbers. */
export function ticks(most: number, wanted = 4): number[] {
  if (most <= 0) return [0];
  const rough = Math.max(1, Math.ceil(most / wanted));
  const size = 10 ** (String(rough).length - 1);
  const step = [1, 2, 5, 10].map((one) => one * size).find((one) => one >= rough) ?? rough;
  const found = [0];
  while ((found.at(-1) ?? 0) < most) found.push(found.length * step);
  return found;
}

/** Which bars are named below: as many as there is room for, the first among them. */
export function named(bars: number, width: number, room = 24): number {
  return Math.max(1, Math.ceil((bars * room) / Math.max(1, width)));
}
