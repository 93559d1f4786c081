import { Badge, Loader, Text, UnstyledButton } from "@mantine/core";
import { IconChevronDown, IconTool } from "@tabler/icons-react";
import { useId, useState } from "react";
import classes from "./chat.module.css";
import { CopyButton } from "./CopyButton";
import { charged, money, type Part } from "./thread";

type Tool = Extract<Part, { kind: "tool" }>;

const OUTCOMES: Record<string, { label: string; color: string }> = {
  ok: { label: "Done", color: "pine" },
  error: { label: "Failed", color: "red" },
  denied: { label: "Denied", color: "orange" },
  cancelled: { label: "Cancelled", color: "gray" },
  uncertain: { label: "Uncertain", color: "orange" },
};

/** One call: what it was given, what came of it, how long it took and what it cost. */
export function ToolCard({ part, waiting }: { part: Tool; waiting: boolean }) {
  const [open, setOpen] = useState(false);
  const body = useId();
  const { call, result, cost } = part;
  const outcome = OUTCOMES[result?.metadata?.outcome ?? ""];
  const took = result?.metadata?.ms;
  const paid = charged(cost);
  return (
    <div className={classes.tool} data-testid="tool-call">
      <UnstyledButton
        className={classes.toolHead}
        aria-expanded={open}
        aria-controls={body}
        onClick={() => setOpen(!open)}
      >
        <IconTool size={16} aria-hidden />
        <span className={classes.toolName}>{call.function.name}</span>
        <Text span size="xs" c="dimmed" className="tabular">
          {took !== undefined ? `${took} ms` : ""}
          {paid > 0 ? ` · ${money(paid)}` : ""}
        </Text>
        {outcome !== undefined ? (
          <Badge size="sm" variant="light" color={outcome.color} tt="none">
            {outcome.label}
          </Badge>
        ) : waiting ? (
          <Badge size="sm" variant="light" color="orange" tt="none">
            Waits
          </Badge>
        ) : (
          <Loader size={14} aria-label="Working" />
        )}
        <IconChevronDown size={16} aria-hidden className={classes.chevron} data-open={open || undefined} />
      </UnstyledButton>
      {open ? (
        <div id={body} className={classes.toolBody}>
          <Shown title="Arguments" text={call.function.arguments} />
          {result !== null ? (
            <Shown title={outcome?.label === "Done" ? "Result" : "Reason"} text={result.content ?? ""} />
          ) : null}
        </div>
      ) : null}
    </div>
  );
}

export function Shown({ title, text }: { title: string; text: string }) {
  const shown = pretty(text);
  return (
    <div className={classes.shown}>
      <div className={classes.shownHead}>
        <Text size="xs" fw={600} c="dimmed">
          {title}
        </Text>
        <CopyButton text={shown} label={`Copy ${title.toLowerCase()}`} />
      </div>
      <pre tabIndex={0} aria-label={title}>
        {shown}
      </pre>
    </div>
  );
}

export function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
