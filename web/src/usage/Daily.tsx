import { Group, SegmentedControl, Stack, Table, Text, Title } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { useState } from "react";
import type { Schemas } from "~/api/client";
import { named, ticks } from "./chart";
import { count, decimalsFor, dollars, shortCount, shortDollars } from "./money";
import { dayAt, dayName } from "./months";
import classes from "./usage.module.css";

type Measure = "money" | "tokens" | "calls";
type Totals = Schemas["UsageTotals"];

const tokensOf = ({ tokens }: Totals) =>
  tokens.input + tokens.output + tokens.cache_read + tokens.cache_write;

const MEASURES: Record<
  Measure,
  {
    label: string;
    of: (total: Totals) => number;
    short: (value: number) => string;
    long: (value: number) => string;
  }
> = {
  money: {
    label: "Money",
    of: (total) => total.charge.micros,
    short: shortDollars,
    long: (value) => dollars(value),
  },
  tokens: { label: "Tokens", of: tokensOf, short: shortCount, long: (value) => `${count(value)} tokens` },
  calls: {
    label: "Calls",
    of: (total) => total.calls,
    short: shortCount,
    long: (value) => `${count(value)} calls`,
  },
};

export function Daily({ report }: { report: Schemas["UsageBreakdown"] }) {
  const free = report.total.charge.micros === 0;
  const [wished, setMeasure] = useState<Measure | null>(null);
  const [shape, setShape] = useState("chart");
  const measure = wished ?? (free ? "calls" : "money");
  return (
    <section className="surface" aria-labelledby="daily-title">
      <Stack p="lg" gap="md">
        <Group justify="space-between" gap="sm">
          <Title order={2} id="daily-title">
            Day by day
          </Title>
          <Group gap="xs">
            {shape === "chart" ? (
              <SegmentedControl
                size="xs"
                aria-label="What to show"
                value={measure}
                onChange={(value) => setMeasure(value as Measure)}
                data={Object.entries(MEASURES).map(([value, { label }]) => ({ value, label }))}
              />
            ) : null}
            <SegmentedControl
              size="xs"
              aria-label="How to show it"
              value={shape}
              onChange={setShape}
              data={[
                { value: "chart", label: "Chart" },
                { value: "table", label: "Table" },
              ]}
            />
          </Group>
        </Group>
        {shape === "chart" ? <Chart report={report} measure={measure} /> : <Days report={report} />}
      </Stack>
    </section>
  );
}

const HEIGHT = 220;
const FOOT = 24;
const SIDE = 62;

function Chart({ report, measure }: { report: Schemas["UsageBreakdown"]; measure: Measure }) {
  const { ref, width } = useElementSize();
  const [pointed, setPointed] = useState<number | null>(null);
  const { of, short, long } = MEASURES[measure];
  const values = report.items.map((one) => of(one.total));
  const lines = ticks(Math.max(...values));
  const top = lines.at(-1) ?? 0;
  const inner = Math.max(0, width - SIDE);
  const slot = inner / Math.max(1, values.length);
  const up = (value: number) => (top === 0 ? HEIGHT : HEIGHT - (value / top) * (HEIGHT - 12));
  const today = dayAt(report.as_of, report.period.timezone);
  const every = named(values.length, inner);
  const best = values.indexOf(Math.max(...values));
  const shown = pointed ?? best;
  const day = report.items[shown];
  const summary = day
    ? `The most on ${dayName(report.items[best]?.key ?? "")}: ${long(values[best] ?? 0)}.`
    : "";
  const point = (event: React.PointerEvent<SVGSVGElement>) => {
    const place = Math.floor(
      (event.clientX - event.currentTarget.getBoundingClientRect().left - SIDE) / slot,
    );
    setPointed(place >= 0 && place < values.length ? place : null);
  };
  return (
    <div ref={ref}>
      <Text size="sm" mb={6} aria-hidden>
        <Text span c="dimmed" inherit>
          {pointed === null ? "The most on " : ""}
          {day ? dayName(day.key) : ""}:{" "}
        </Text>
        <Text span fw={600} inherit className="tabular">
          {long(values[shown] ?? 0)}
        </Text>
      </Text>
      <svg
        width={width}
        height={HEIGHT + FOOT}
        role="img"
        aria-label={`${MEASURES[measure].label} by day. ${summary} The table has every day.`}
        className={classes.chart}
        onPointerMove={point}
        onPointerDown={point}
        onPointerLeave={() => setPointed(null)}
      >
        {lines.map((value) => (
          <g key={value}>
            <line x1={SIDE} x2={width} y1={up(value)} y2={up(value)} className={classes.line} />
            <text x={SIDE - 8} y={up(value) + 4} textAnchor="end" className={classes.tick}>
              {short(value)}
            </text>
          </g>
        ))}
        {width > 0
          ? report.items.map((one, place) => {
              const value = values[place] ?? 0;
              const x = SIDE + place * slot;
              const size = value === 0 ? 0 : Math.max(2, HEIGHT - up(value));
              return (
                <g key={one.key}>
                  <rect
                    x={x + slot * 0.14}
                    y={HEIGHT - size}
                    width={slot * 0.72}
                    height={size}
                    rx={Math.min(4, slot * 0.2, size / 2)}
                    className={classes.bar}
                    data-pointed={place === shown || undefined}
                  />
                  {place % every === 0 ? (
                    <text
                      x={x + slot / 2}
                      y={HEIGHT + 17}
                      textAnchor="middle"
                      className={classes.tick}
                      data-today={one.key === today || undefined}
                    >
                      {Number(one.key.slice(8))}
                    </text>
                  ) : null}
                </g>
              );
            })
          : null}
      </svg>
    </div>
  );
}

/** The same as numbers, without the days on which nothing happened. */
function Days({ report }: { report: Schemas["UsageBreakdown"] }) {
  const used = report.items.filter((one) => one.total.calls > 0);
  const decimals = decimalsFor([...used.map((one) => one.total.charge.micros), report.total.charge.micros]);
  return (
    <Table.ScrollContainer minWidth={320} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
      <Table className="tabular">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Day</Table.Th>
            <Table.Th scope="col" ta="right">
              Calls
            </Table.Th>
            <Table.Th scope="col" ta="right">
              Tokens
            </Table.Th>
            <Table.Th scope="col" ta="right">
              Charge
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {used.map((one) => (
            <Table.Tr key={one.key}>
              <Table.Td>{dayName(one.key)}</Table.Td>
              <Table.Td ta="right">{count(one.total.calls)}</Table.Td>
              <Table.Td ta="right">{count(tokensOf(one.total))}</Table.Td>
              <Table.Td ta="right">{dollars(one.total.charge.micros, decimals)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
        <Table.Tfoot>
          <Table.Tr>
            <Table.Th scope="row">All</Table.Th>
            <Table.Th ta="right">{count(report.total.calls)}</Table.Th>
            <Table.Th ta="right">{count(tokensOf(report.total))}</Table.Th>
            <Table.Th ta="right">{dollars(report.total.charge.micros, decimals)}</Table.Th>
          </Table.Tr>
        </Table.Tfoot>
      </Table>
    </Table.ScrollContainer>
  );
}
