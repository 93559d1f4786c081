import { ActionIcon, Alert, Button, Group, NativeSelect, Skeleton, Stack } from "@mantine/core";
import {
  IconChevronLeft,
  IconChevronRight,
  IconDownload,
  IconInfoCircle,
  IconReceipt2,
} from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { atLeast, useMe } from "~/api/queries";
import { Empty, Page } from "~/shell/Page";
import { Allowance } from "./Allowance";
import { Breakdowns } from "./Breakdowns";
import { Caps } from "./Caps";
import { Credits } from "./Credits";
import { Daily } from "./Daily";
import { count } from "./money";
import { choosable, isMonth, monthName, monthOf } from "./months";
import { download, useBreakdown, useCurrentMonth, useHistory } from "./reports";
import { Summary } from "./Summary";

export function UsagePage() {
  const me = useMe();
  const { month: wished } = useSearch({ strict: false }) as { month?: string };
  const current = useCurrentMonth();
  if (current.error && current.data === undefined) throw current.error;
  if (current.data === undefined || me === undefined) {
    return (
      <Page title="Usage" wide>
        <Skeleton h={420} radius="lg" />
      </Page>
    );
  }
  const now = monthOf(current.data.period.first_day);
  const month = isMonth(wished) && wished <= now ? wished : now;
  const staff = atLeast(me.role, "staff");
  const place = current.data.period.timezone.replaceAll("_", " ");
  return (
    <Page
      title="Usage"
      lead={`${staff ? `What ${me.organisation.name} used` : "What you used"}. Days begin and end in ${place} time.`}
      wide
      actions={<Choice month={month} now={now} />}
    >
      <Stack gap="lg">
        <Month month={month} now={now} staff={staff} role={me.role} />
        {staff ? <Caps timezone={current.data.period.timezone} mayEdit={atLeast(me.role, "admin")} /> : null}
        {staff ? (
          <Credits timezone={current.data.period.timezone} mayEdit={atLeast(me.role, "admin")} />
        ) : (
          <Allowance timezone={current.data.period.timezone} />
        )}
      </Stack>
    </Page>
  );
}

function Month(props: { month: string; now: string; staff: boolean; role: string }) {
  const days = useBreakdown("day", props.month);
  if (days.error && days.data === undefined) throw days.error;
  if (days.data === undefined) return <Skeleton h={320} radius="lg" />;
  const { total } = days.data;
  const isNow = props.month === props.now;
  return (
    <>
      <Summary report={days.data} isNow={isNow} staff={props.staff} />
      {total.unpriced_calls > 0 ? (
        <Alert icon={<IconInfoCircle size={18} />} title="Some of it is not in the money" variant="light">
          {total.unpriced_calls === 1 ? "1 call" : `${count(total.unpriced_calls)} calls`} went to models
          nobody knows a price of. Their tokens are counted; what they cost is not.
        </Alert>
      ) : null}
      {total.calls === 0 ? (
        <section className="surface">
          <Empty
            icon={IconReceipt2}
            title={`Nothing was used in ${monthName(props.month)}`}
            action={
              isNow ? (
                <Button component={Link} to="/train" variant="light">
                  Talk to the coach
                </Button>
              ) : undefined
            }
          >
            Each answer of an agent is counted here within a second: what it cost, with which model, and for
            whom.
          </Empty>
        </section>
      ) : (
        <>
          <Daily report={days.data} />
          <Breakdowns month={props.month} staff={props.staff} />
        </>
      )}
    </>
  );
}

function Choice({ month, now }: { month: string; now: string }) {
  const navigate = useNavigate();
  const history = useHistory();
  const used = (history.data?.items ?? [])
    .filter((one) => one.total.calls > 0)
    .map((one) => monthOf(one.period.first_day));
  const all = choosable(now, [...used, month]);
  const place = all.indexOf(month);
  const go = (to: string | undefined) =>
    void navigate({ to: "/usage", search: { month: to === now ? undefined : to } });
  const save = useMutation({ mutationFn: () => download(month) });
  return (
    <Group gap="xs" wrap="wrap">
      <Group gap={4} wrap="nowrap">
        <ActionIcon
          variant="default"
          size="lg"
          aria-label="The month before"
          disabled={place === all.length - 1}
          onClick={() => go(all[place + 1])}
        >
          <IconChevronLeft size={18} />
        </ActionIcon>
        <NativeSelect
          aria-label="Month"
          value={month}
          onChange={(event) => go(event.currentTarget.value)}
          data={all.map((one) => ({ value: one, label: monthName(one) }))}
        />
        <ActionIcon
          variant="default"
          size="lg"
          aria-label="The month after"
          disabled={place <= 0}
          onClick={() => go(all[place - 1])}
        >
          <IconChevronRight size={18} />
        </ActionIcon>
      </Group>
      <Button
        variant="default"
        leftSection={<IconDownload size={17} />}
        loading={save.isPending}
        onClick={() => save.mutate()}
      >
        Export CSV
      </Button>
    </Group>
  );
}
