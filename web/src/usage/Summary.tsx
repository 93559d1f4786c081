import { Progress, SimpleGrid, Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { Schemas } from "~/api/client";
import { count, dollars, percent, shortCount, shortDollars } from "./money";
import { monthOf, later } from "./months";
import { useCurrentMonth, useForecast, useHistory } from "./reports";
import classes from "./usage.module.css";

/** What people come for, in one row. */
export function Summary(props: { report: Schemas["UsageBreakdown"]; isNow: boolean; staff: boolean }) {
  const { report, isNow, staff } = props;
  const { total } = report;
  const { tokens } = total;
  const all = tokens.input + tokens.output + tokens.cache_read + tokens.cache_write;
  return (
    <SimpleGrid cols={{ base: 2, lg: staff && isNow ? 4 : 3 }} spacing={{ base: "xs", sm: "md" }}>
      <Fact
        name={isNow ? "Spent so far" : "Spent"}
        value={shortDollars(total.charge.micros)}
        exact={dollars(total.charge.micros)}
        id="spent"
      >
        {staff && total.cost.micros !== total.charge.micros
          ? `${shortDollars(total.cost.micros)} at the providers, plus your markup`
          : total.calls > 0 && total.charge.micros === 0
            ? "The models that answered cost nothing"
            : "With everything included"}
      </Fact>
      {isNow ? <Forecast /> : <Compared report={report} />}
      <Fact name="Answers and calls" value={count(total.calls)} exact={`${count(total.calls)} model calls`}>
        {all === 0
          ? "No tokens yet"
          : `${shortCount(all)} tokens: ${shortCount(tokens.input + tokens.cache_read + tokens.cache_write)} read, ${shortCount(tokens.output)} said`}
      </Fact>
      {staff && isNow ? <Tightest /> : null}
    </SimpleGrid>
  );
}

function Fact(props: { name: string; value: string; exact?: string; id?: string; children: ReactNode }) {
  return (
    <section className={`surface ${classes.whole}`} aria-label={props.name}>
      <div className={classes.fact}>
        <Text size="sm" c="dimmed">
          {props.name}
        </Text>
        <Text
          fw={700}
          fz={{ base: "1.35rem", sm: "1.6rem" }}
          lh={1.25}
          className="tabular"
          title={props.exact}
          data-testid={props.id}
        >
          {props.value}
        </Text>
        <Text component="div" size="xs" c="dimmed" mt={2}>
          {props.children}
        </Text>
      </div>
    </section>
  );
}

function Forecast() {
  const { data } = useForecast(true);
  if (data === undefined || data.expected === null || data.high === null) {
    const days = data?.days_of_data ?? 0;
    return (
      <Fact name="This month will come to" value="–">
        {data === undefined
          ? "…"
          : `Three whole days of use are needed to tell; there ${days === 1 ? "is 1" : `are ${days}`} so far`}
      </Fact>
    );
  }
  return (
    <Fact
      name="This month will come to"
      value={`≈ ${shortDollars(data.expected.micros)}`}
      exact={dollars(data.expected.micros)}
      id="forecast"
    >
      Most likely {shortDollars(data.low.micros)} to {shortDollars(data.high.micros)},{" "}
      {data.method === "weekdays" ? "by what each weekday cost" : "by what a day cost"}
    </Fact>
  );
}

function Compared({ report }: { report: Schemas["UsageBreakdown"] }) {
  const { data } = useHistory();
  const before = later(monthOf(report.period.first_day), -1);
  const found = data?.items.find((one) => monthOf(one.period.first_day) === before);
  const difference = report.total.charge.micros - (found?.total.charge.micros ?? 0);
  if (found === undefined || found.total.calls === 0) {
    return (
      <Fact name="Against the month before" value="–">
        Nothing was used in the month before
      </Fact>
    );
  }
  return (
    <Fact
      name="Against the month before"
      value={`${difference > 0 ? "+" : ""}${shortDollars(difference)}`}
      exact={dollars(difference)}
    >
      It was {shortDollars(found.total.charge.micros)}
    </Fact>
  );
}

/** Of the organisation's own limits, the one that is closest. */
function Tightest() {
  const { data } = useCurrentMonth();
  const stops = (data?.caps ?? []).filter((one) => one.hard !== null);
  const used = (one: Schemas["CapUse"]) => (one.spent + one.reserved) / Math.max(1, one.hard ?? 1);
  const cap = [...stops].sort((one, other) => used(other) - used(one))[0];
  if (cap === undefined || cap.hard === null) {
    return (
      <Fact name="Limit" value="None">
        Nothing stops spending. A limit below would.
      </Fact>
    );
  }
  const taken = cap.spent + cap.reserved;
  const left = Math.max(0, cap.hard - taken);
  const word = { day: "today", month: "this month" }[cap.period] ?? "in total";
  const shown = cap.unit === "money" ? shortDollars(left) : `${shortCount(left)} tokens`;
  return (
    <Fact
      name={`Left ${word}`}
      value={shown}
      exact={cap.unit === "money" ? dollars(left) : count(left)}
      id="left"
    >
      <Progress
        my={6}
        value={percent(taken, cap.hard)}
        color={left === 0 ? "red" : undefined}
        aria-label="Part of the limit that is used"
      />
      of {cap.unit === "money" ? shortDollars(cap.hard) : `${shortCount(cap.hard)} tokens`}
    </Fact>
  );
}
