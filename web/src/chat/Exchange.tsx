import { ActionIcon, Avatar, Button, Group, Text, Textarea, Tooltip } from "@mantine/core";
import { IconChevronLeft, IconChevronRight, IconPencil, IconRefresh } from "@tabler/icons-react";
import { lazy, Suspense, useState } from "react";
import { OfflineBadge } from "~/shell/Shell";
import classes from "./chat.module.css";
import { CopyButton } from "./CopyButton";
import { charged, money, type Exchange as Told } from "./thread";
import { ToolCard } from "./ToolCard";

/** Fetched while the page is there already; until then the words are plain. */
const Markdown = lazy(() => import("./Markdown").then((module) => ({ default: module.Markdown })));

/** Other ways the conversation went from here. */
export interface Branches {
  ids: string[];
  current: number;
}

export function Exchange(props: {
  exchange: Told;
  branches: Branches | null;
  /** Whether it can be said differently: one's own, and nothing is going on. */
  changeable: boolean;
  speaking: boolean;
  waiting: Set<string>;
  onBranch: (id: string) => void;
  onEdit: (text: string) => void;
  onRegenerate: () => void;
}) {
  const { exchange, branches, changeable, speaking, waiting } = props;
  const { asked, parts } = exchange;
  const texts = parts.flatMap((part) => (part.kind === "text" ? [part.message] : []));
  const cost = parts.flatMap((part) => part.cost);
  const models = [...new Set(cost.map((one) => one.model))];
  const speaker =
    texts.at(-1)?.name ?? parts.map((part) => (part.kind === "tool" ? part.by : undefined)).at(-1);
  return (
    <article className={classes.exchange} aria-label={asked?.content ?? "Answer"}>
      {asked !== null ? (
        <Said
          text={asked.content ?? ""}
          branches={branches}
          changeable={changeable && asked.metadata?.sequence !== undefined}
          onBranch={props.onBranch}
          onEdit={props.onEdit}
        />
      ) : null}
      {parts.length > 0 ? (
        <div className={classes.answer}>
          <Avatar size={30} radius="xl" color="pine" name={speaker} aria-hidden />
          <div className={classes.parts}>
            {parts.map((part) =>
              part.kind === "text" ? (
                <div key={part.message.id} data-testid="answer-text">
                  <Suspense fallback={<div className={classes.plain}>{part.message.content}</div>}>
                    <Markdown text={part.message.content ?? ""} />
                  </Suspense>
                </div>
              ) : (
                <ToolCard key={part.call.id} part={part} waiting={waiting.has(part.call.id)} />
              ),
            )}
            {speaking ? null : (
              <Group gap={4} className={classes.foot}>
                {texts.length > 0 ? (
                  <CopyButton text={texts.map((one) => one.content).join("\n\n")} label="Copy answer" />
                ) : null}
                {changeable && asked !== null ? (
                  <Tooltip label="Answer again, as a branch">
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      size={30}
                      aria-label="Regenerate"
                      onClick={props.onRegenerate}
                    >
                      <IconRefresh size={16} />
                    </ActionIcon>
                  </Tooltip>
                ) : null}
                <Text size="xs" c="dimmed" className="tabular" data-testid="cost">
                  {[speaker, ...models.filter((one) => one !== "offline"), price(cost)]
                    .filter((one) => one !== undefined && one !== "")
                    .join(" · ")}
                </Text>
                {models.includes("offline") ? <OfflineBadge /> : null}
              </Group>
            )}
          </div>
        </div>
      ) : null}
    </article>
  );
}

function price(cost: Told["parts"][number]["cost"]): string {
  if (cost.length === 0) return "";
  return cost.some((one) => !one.priced) ? `${money(charged(cost))} + unpriced` : money(charged(cost));
}

function Said(props: {
  text: string;
  branches: Branches | null;
  changeable: boolean;
  onBranch: (id: string) => void;
  onEdit: (text: string) => void;
}) {
  const { text, branches, changeable, onBranch, onEdit } = props;
  const [draft, setDraft] = useState<string | null>(null);
  if (draft !== null) {
    const send = () => {
      if (draft.trim() === "") return;
      setDraft(null);
      onEdit(draft.trim());
    };
    return (
      <form
        className={classes.editing}
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <Textarea
          aria-label="Edit the message"
          description="It is said in a branch; this conversation stays as it is."
          inputWrapperOrder={["input", "description"]}
          autosize
          autoFocus
          maxRows={10}
          maxLength={32000}
          value={draft}
          onChange={(event) => setDraft(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Escape") {
              event.stopPropagation();
              setDraft(null);
            }
            if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
              event.preventDefault();
              send();
            }
          }}
        />
        <Group gap="xs" justify="flex-end">
          <Button variant="subtle" color="gray" onClick={() => setDraft(null)}>
            Cancel
          </Button>
          <Button type="submit">Send as a branch</Button>
        </Group>
      </form>
    );
  }
  return (
    <div className={classes.said}>
      <div className={classes.bubble}>{text}</div>
      <Group gap={2} justify="flex-end" className={classes.foot}>
        {branches !== null ? (
          <Group gap={0} role="group" aria-label="Branches">
            <Way branches={branches} step={-1} onBranch={onBranch} />
            <Text size="xs" c="dimmed" className="tabular" data-testid="branch">
              {branches.current + 1} / {branches.ids.length}
            </Text>
            <Way branches={branches} step={1} onBranch={onBranch} />
          </Group>
        ) : null}
        <CopyButton text={text} label="Copy message" />
        {changeable ? (
          <Tooltip label="Edit, as a branch">
            <ActionIcon
              variant="subtle"
              color="gray"
              size={30}
              aria-label="Edit"
              onClick={() => setDraft(text)}
            >
              <IconPencil size={16} />
            </ActionIcon>
          </Tooltip>
        ) : null}
      </Group>
    </div>
  );
}

function Way(props: { branches: Branches; step: 1 | -1; onBranch: (id: string) => void }) {
  const id = props.branches.ids[props.branches.current + props.step];
  const Icon = props.step === 1 ? IconChevronRight : IconChevronLeft;
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={30}
      disabled={id === undefined}
      aria-label={props.step === 1 ? "Next branch" : "Previous branch"}
      onClick={() => id !== undefined && props.onBranch(id)}
    >
      <Icon size={16} />
    </ActionIcon>
  );
}
