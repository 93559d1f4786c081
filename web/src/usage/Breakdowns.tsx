import { SimpleGrid, Skeleton, Stack, Text, Title } from "@mantine/core";
import type { Schemas } from "~/api/client";
import { count, decimalsFor, dollars, percent, shortCount } from "./money";
import { useAgents, useBreakdown, usePeople, type Dimension } from "./reports";
import classes from "./usage.module.css";

const NOBODY = "00000000-0000-0000-0000-000000000000";

/** By model, by agent, and for staff by person. */
export function Breakdowns({ month, staff }: { month: string; staff: boolean }) {
  const people = usePeople(staff);
  const agents = useAgents(true);
  const person = (id: string) => {
    if (id === NOBODY) return "Programs and jobs";
    const found = people.data?.find((one) => one.id === id);
    return found ? found.name || found.email : people.isPending ? "…" : "Somebody who left";
  };
  const agent = (name: string) =>
    agents.data?.items.find((one) => one.name === name)?.title || name.replaceAll("_", " ");
  return (
    <SimpleGrid cols={{ base: 1, lg: staff ? 3 : 2 }} spacing="lg">
      <Part by="model" title="By model" month={month} name={modelName} />
      <Part by="agent" title="By agent" month={month} name={agent} />
      {staff ? <Part by="user" title="By person" month={month} name={person} /> : null}
    </SimpleGrid>
  );
}

/** `openai:gpt-4o` is known by the second half; whose server it was is said where it is not in the name. */
function modelName(key: string): string {
  const [server = "", ...model] = key.split(":");
  const name = model.join(":");
  if (server === "offline" || name === "offline") return "Spotter's offline model";
  return name === "" ? server : name;
}

function Part(props: { by: Dimension; title: string; month: string; name: (key: string) => string }) {
  const { data } = useBreakdown(props.by, props.month);
  const id = `by-${props.by}`;
  return (
    <section className="surface" aria-labelledby={id}>
      <Stack p="lg" gap="sm">
        <Title order={2} id={id}>
          {props.title}
        </Title>
        {data === undefined ? <Skeleton h={140} /> : <Rows report={data} {...props} />}
      </Stack>
    </section>
  );
}

const FIRST = 8;

function Rows(props: { report: Schemas["UsageBreakdown"]; title: string; name: (key: string) => string }) {
  const { report, name } = props;
  const free = report.total.charge.micros === 0;
  const decimals = decimalsFor(
    [report.total, ...report.items.map((one) => one.total)].map((one) => one.charge.micros),
  );
  const amount = (total: Schemas["UsageTotals"]) =>
    free
      ? count(total.calls)
      : total.unpriced_calls === total.calls
        ? "No price"
        : dollars(total.charge.micros, decimals);
  const share = (total: Schemas["UsageTotals"]) =>
    free
      ? percent(total.calls, report.total.calls)
      : percent(total.charge.micros, report.total.charge.micros);
  const items = report.items.map((one) => ({ ...one, label: name(one.key) }));
  const rows =
    report.rest.calls > 0 ? [...items, { key: "", label: "All others", total: report.rest }] : items;
  return (
    <div
      className={rows.length > FIRST ? classes.scroll : undefined}
      tabIndex={rows.length > FIRST ? 0 : undefined}
    >
      <table className={classes.table} aria-label={props.title}>
        <thead className={classes.hidden}>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">{free ? "Calls" : "Charge"}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.key}>
              <th scope="row">
                <Text size="sm" fw={500} lineClamp={1} title={row.label}>
                  {row.label}
                </Text>
                <span className={classes.track} aria-hidden>
                  <span className={classes.fill} style={{ width: `${share(row.total)}%` }} />
                </span>
                <Text size="xs" c="dimmed" className="tabular">
                  {row.total.calls === 1 ? "1 call" : `${count(row.total.calls)} calls`},{" "}
                  {shortCount(
                    row.total.tokens.input +
                      row.total.tokens.output +
                      row.total.tokens.cache_read +
                      row.total.tokens.cache_write,
                  )}{" "}
                  tokens
                </Text>
              </th>
              <td className="tabular">
                {amount(row.total)}
                <Text size="xs" c="dimmed">
                  {share(row.total)} %
                </Text>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
