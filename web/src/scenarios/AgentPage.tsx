import {
  ActionIcon,
  Alert,
  Badge,
  Button,
  Group,
  Menu,
  Modal,
  SegmentedControl,
  Skeleton,
  Stack,
  Text,
} from "@mantine/core";
import { useDebouncedValue, useMediaQuery } from "@mantine/hooks";
import { IconAlertTriangle, IconArchive, IconCopy, IconDots, IconInfoCircle } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { answered, api } from "~/api/client";
import { Refused } from "~/api/problems";
import { atLeast, useMe } from "~/api/queries";
import { Page } from "~/shell/Page";
import { showDone } from "~/shell/toasts";
import { NotFoundPage } from "~/shell/Troubles";
import { AgentForm } from "./AgentForm";
import {
  at,
  draftOf,
  fromRefusal,
  NEW_AGENT,
  placed,
  same,
  wrongAtOnce,
  type Agent,
  type AgentDraft,
  type Found,
} from "./draft";
import { Guard } from "./Guard";
import { sentence, useAgents } from "./queries";
import classes from "./scenarios.module.css";
import { Origin } from "./ScenariosPage";
import { Try, type Opening } from "./Try";
import { Versions } from "./Versions";

export function AgentPage() {
  const { agent: key = "" } = useParams({ strict: false }) as { agent?: string };
  const { from } = useSearch({ strict: false }) as { from?: string };
  const me = useMe();
  const agents = useAgents();
  const archived = useAgents(true);
  if (agents.error && agents.data === undefined) throw agents.error;
  if (agents.data === undefined || archived.data === undefined || me === undefined) {
    return (
      <Page title="Agent" wide>
        <Skeleton h={420} radius="lg" />
      </Page>
    );
  }
  const isNew = key === "~new";
  const saved = isNew
    ? undefined
    : (agents.data.items.find((one) => one.name === key) ??
      archived.data.items.find((one) => one.id === key));
  if (!isNew && saved === undefined) return <NotFoundPage />;
  if (isNew && !atLeast(me.role, "admin")) return <NotFoundPage />;
  const model = agents.data.items.find((one) => one.name === from);
  const begin = model
    ? { ...draftOf(model), name: "", title: `${model.title || sentence(model.name)} (copy)` }
    : NEW_AGENT;
  const taken = isNew ? agents.data.items.map((one) => one.name) : [];
  return <Workbench key={key} saved={saved} begin={begin} role={me.role} taken={taken} />;
}

function Workbench(props: { saved: Agent | undefined; begin: AgentDraft; role: string; taken: string[] }) {
  const { saved, begin, role, taken } = props;
  const base = saved ? draftOf(saved) : begin;
  const [written, setWritten] = useState<AgentDraft | null>(null);
  const [view, setView] = useState("write");
  const [tried, setTried] = useState(false);
  const draft = written ?? base;
  const dirty = written !== null && !same(written, base);
  const mayEdit = atLeast(role, "admin");
  const staff = atLeast(role, "staff");
  const check = useChecked(draft, staff && (dirty || saved === undefined));
  const save = useSave(saved, () => {
    setWritten(null);
    setTried(false);
  });
  const local = wrongAtOnce(draft, taken).filter(
    (one) => tried || (one.field === "name" && draft.name !== ""),
  );
  const found = [...local, ...check, ...(save.error instanceof Refused ? fromRefusal(save.error) : [])];
  const title = saved ? saved.title || sentence(saved.name) : "New agent";
  const submit = () => {
    setTried(true);
    if (wrongAtOnce(draft, taken).length === 0) save.mutate(draft);
  };
  // Where there is room, trying stands beside writing.
  const wide = useMediaQuery("(min-width: 75em)") ?? false;
  const views = [
    { value: "write", label: mayEdit ? "Write" : "Read" },
    ...(wide ? [] : [{ value: "try", label: "Try it" }]),
    ...(saved && saved.source !== "builtin" ? [{ value: "versions", label: "Versions" }] : []),
  ];
  return (
    <Page
      title={title}
      lead={
        saved ? (
          <Group gap="xs" component="span">
            <Origin source={saved.source} version={saved.version} archived={saved.archived} />
            {dirty ? (
              <Badge variant="light" color="yellow" tt="none">
                Not saved
              </Badge>
            ) : null}
          </Group>
        ) : (
          "An agent of your own: what it is told, and what it can do."
        )
      }
      wide
      actions={saved && mayEdit ? <More saved={saved} /> : undefined}
    >
      {staff && views.length > 1 ? (
        <Group className={classes.switch} gap="sm">
          <SegmentedControl
            aria-label="What to show"
            value={views.some((one) => one.value === view) ? view : "write"}
            onChange={setView}
            data={views}
          />
        </Group>
      ) : null}
      <div className={classes.bench} data-beside={view !== "versions" || undefined}>
        {view === "versions" && saved ? (
          <AgentVersions saved={saved} mayEdit={mayEdit} done={() => setWritten(null)} />
        ) : staff ? (
          <div data-hidden={view === "try" || undefined}>
            <Told saved={saved} mayEdit={mayEdit} message={at(found, "")} />
            <AgentForm
              draft={draft}
              found={found}
              isNew={saved === undefined}
              readOnly={!mayEdit}
              set={(change) => setWritten({ ...draft, ...change })}
            />
            {mayEdit ? (
              <Group className={classes.bar} justify="flex-end">
                {dirty ? (
                  <Button variant="default" onClick={() => setWritten(null)}>
                    Undo the changes
                  </Button>
                ) : null}
                <Button
                  onClick={submit}
                  loading={save.isPending}
                  disabled={saved !== undefined && !dirty && !saved.archived}
                >
                  {saved?.archived ? "Bring it back" : saved?.source === "builtin" ? "Save as yours" : "Save"}
                </Button>
              </Group>
            ) : null}
          </div>
        ) : (
          <Text>{draft.description}</Text>
        )}
        {view === "versions" ? null : (
          <div className={classes.beside} data-hidden={(staff && view !== "try") || undefined}>
            <Try
              opening={openingOf(saved, draft, dirty)}
              hint={hintOf(saved, base, draft)}
              examples={draft.examples}
            />
          </div>
        )}
      </div>
      <Guard dirty={dirty && mayEdit} />
    </Page>
  );
}

function Told(props: { saved: Agent | undefined; mayEdit: boolean; message: string | undefined }) {
  const { saved, mayEdit, message } = props;
  return (
    <Stack gap="sm" mb={message || !mayEdit || saved?.source === "builtin" ? "md" : 0}>
      {mayEdit ? null : (
        <Alert variant="light" icon={<IconInfoCircle size={18} />}>
          You can read this agent and try it. An admin can change it.
        </Alert>
      )}
      {mayEdit && saved?.source === "builtin" ? (
        <Alert variant="light" icon={<IconInfoCircle size={18} />}>
          It ships with Spotter. Change it, and yours takes its place in your organisation; put yours away,
          and this one is back.
        </Alert>
      ) : null}
      {message ? (
        <Alert role="alert" variant="light" color="red" icon={<IconAlertTriangle size={18} />}>
          {message}
        </Alert>
      ) : null}
    </Stack>
  );
}

/** What the server says about the draft, a moment after the last key. */
function useChecked(draft: AgentDraft, wanted: boolean): Found[] {
  const [settled] = useDebouncedValue(draft, 500);
  const ready = wanted && wrongAtOnce(settled).length === 0;
  const { data, error } = useQuery({
    queryKey: ["agents", "check", settled],
    queryFn: () => answered(api.POST("/api/ai-agents/validate", { body: settled })),
    enabled: ready,
    staleTime: 60_000,
    gcTime: 60_000,
  });
  if (!ready) return [];
  if (error instanceof Refused) return fromRefusal(error);
  return data ? placed(data.problems, `agent ${settled.name}`) : [];
}

function useSave(saved: Agent | undefined, done: () => void) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (draft: AgentDraft) =>
      saved === undefined || saved.source === "builtin"
        ? answered(api.POST("/api/ai-agents", { body: draft }))
        : answered(
            api.PUT("/api/ai-agents/{agent_id}", { params: { path: { agent_id: saved.id } }, body: draft }),
          ),
    meta: { quiet: true },
    onSuccess: async (fresh) => {
      await queries.invalidateQueries({ queryKey: ["agents"] });
      void queries.invalidateQueries({ queryKey: ["scenarios"] });
      done();
      showDone(`Version ${fresh.version} holds from the next message on.`, "Saved");
      if (saved?.name !== fresh.name || saved.archived) {
        await navigate({
          to: "/scenarios/agents/$agent",
          params: { agent: fresh.name },
          replace: true,
          ignoreBlocker: true,
        });
      }
    },
  });
}

/** A draft is tried with its own words and model; its tools are those that are saved. */
function openingOf(saved: Agent | undefined, draft: AgentDraft, dirty: boolean): Opening {
  const agent = saved && !saved.archived ? saved.name : "assistant";
  if (saved && !dirty && !saved.archived) {
    return {
      key: `${saved.id} ${saved.version}`,
      begin: async () =>
        (
          await answered(
            api.POST("/api/sessions", {
              body: { agent, title: `Try: ${saved.title || saved.name}`, trial: true },
            }),
          )
        ).id,
    };
  }
  return {
    key: `${draft.model ?? ""} ${draft.instructions}`,
    begin: async () =>
      (
        await answered(
          api.POST("/api/sdk/session/create", {
            body: {
              agent_name: agent,
              instructions: draft.instructions,
              model: draft.model ?? null,
              trial: true,
            },
          }),
        )
      ).session_id,
  };
}

function hintOf(saved: Agent | undefined, base: AgentDraft, draft: AgentDraft): string | undefined {
  if (saved === undefined || saved.archived)
    return "Not saved yet: it answers by your instructions, without its tools.";
  const acts = ({ tools, tool_choice, handoffs, limits }: AgentDraft) => ({
    tools,
    tool_choice,
    handoffs,
    limits,
  });
  if (!same(acts(base), acts(draft)))
    return "It answers by what you wrote. Its tools and limits are the saved ones until you save.";
  return undefined;
}

function AgentVersions({ saved, mayEdit, done }: { saved: Agent; mayEdit: boolean; done: () => void }) {
  const queries = useQueryClient();
  const path = { agent_id: saved.id };
  const versions = useQuery({
    queryKey: ["agents", saved.id, "versions", saved.version],
    queryFn: () => answered(api.GET("/api/ai-agents/{agent_id}/versions", { params: { path } })),
  });
  return (
    <Versions
      versions={versions.data?.items}
      mayEdit={mayEdit}
      rollBack={async (version) => {
        const fresh = await answered(
          api.POST("/api/ai-agents/{agent_id}/rollback", { params: { path }, body: { version } }),
        );
        await queries.invalidateQueries({ queryKey: ["agents"] });
        done();
        showDone(`Version ${fresh.version} is like version ${version}.`, "Gone back");
      }}
    />
  );
}

function More({ saved }: { saved: Agent }) {
  const navigate = useNavigate();
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size="lg" aria-label="More about this agent">
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<IconCopy size={16} />}
            onClick={() =>
              void navigate({
                to: "/scenarios/agents/$agent",
                params: { agent: "~new" },
                search: { from: saved.name },
              })
            }
          >
            Make another like it
          </Menu.Item>
          {saved.source === "builtin" || saved.archived ? null : (
            <Menu.Item leftSection={<IconArchive size={16} />} color="red" onClick={() => setAsking(true)}>
              Put it away
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {asking ? <PuttingAway saved={saved} close={() => setAsking(false)} /> : null}
    </>
  );
}

function PuttingAway(props: { saved: Agent; close: () => void }) {
  const { saved } = props;
  const queries = useQueryClient();
  const navigate = useNavigate();
  const go = useMutation({
    mutationFn: () =>
      answered(api.DELETE("/api/ai-agents/{agent_id}", { params: { path: { agent_id: saved.id } } })),
    meta: { quiet: true },
    onSuccess: async () => {
      await navigate({ to: "/scenarios", search: { tab: "agents" }, ignoreBlocker: true });
      await queries.invalidateQueries({ queryKey: ["agents"] });
      showDone("It can be brought back from the list of agents.", "Put away");
    },
  });
  return (
    <Modal opened onClose={props.close} title={`Put ${saved.title || saved.name} away?`}>
      <Stack>
        <Text size="sm">
          Nobody can talk to it any more. Its versions and conversations stay, and it can come back.
        </Text>
        {go.error ? (
          <Alert role="alert" color="red" variant="light">
            {go.error.message}
          </Alert>
        ) : null}
        <Group justify="flex-end">
          <Button variant="default" onClick={props.close} data-autofocus>
            Keep it
          </Button>
          <Button color="red" loading={go.isPending} onClick={() => go.mutate()}>
            Put it away
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
