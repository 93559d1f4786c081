import { Button, Loader, Text, TextInput, UnstyledButton } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconGitBranch, IconMessages, IconPlus, IconSearch } from "@tabler/icons-react";
import { useState } from "react";
import { useMe } from "~/api/queries";
import { Empty } from "~/shell/Page";
import classes from "./chat.module.css";
import { useSessions, type Session } from "./queries";

export function SessionList(props: {
  current: string | null;
  onOpen: (id: string) => void;
  onNew: () => void;
}) {
  const me = useMe();
  const [typed, setTyped] = useState("");
  const [search] = useDebouncedValue(typed.trim(), 250);
  const found = useSessions(search, me?.user_id ?? undefined);
  const sessions = found.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <div className={classes.list}>
      <div className={classes.listHead}>
        <Button fullWidth leftSection={<IconPlus size={17} />} onClick={props.onNew}>
          New conversation
        </Button>
        <TextInput
          aria-label="Search conversations"
          placeholder="Search"
          leftSection={<IconSearch size={16} />}
          value={typed}
          maxLength={100}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      </div>
      <nav aria-label="Conversations" className={classes.sessions}>
        {found.isPending ? <Loader size="sm" m="md" aria-label="Loading conversations" /> : null}
        {found.isSuccess && sessions.length === 0 ? (
          <Empty icon={IconMessages} title={search === "" ? "No conversations yet" : "Nothing found"}>
            {search === "" ? "What you talk about with an agent is kept here." : "Try other words."}
          </Empty>
        ) : null}
        {sessions.map((session) => (
          <UnstyledButton
            key={session.id}
            className={classes.session}
            aria-current={session.id === props.current ? "page" : undefined}
            onClick={() => props.onOpen(session.id)}
          >
            <span className={classes.sessionTitle}>
              {session.forked_from !== null ? (
                <IconGitBranch size={14} aria-label="A branch" role="img" />
              ) : null}
              {titleOf(session)}
            </span>
            <Text span size="xs" c="dimmed" className="tabular">
              {session.scenario ?? session.agent} · {when(session.updated_at)}
            </Text>
          </UnstyledButton>
        ))}
        {found.hasNextPage ? (
          <Button
            variant="subtle"
            color="gray"
            fullWidth
            loading={found.isFetchingNextPage}
            onClick={() => void found.fetchNextPage()}
          >
            Show more
          </Button>
        ) : null}
      </nav>
    </div>
  );
}

export function titleOf(session: Session): string {
  return session.title === "" ? `With ${session.scenario ?? session.agent}` : session.title;
}

function when(moment: string): string {
  const date = new Date(moment);
  const today = new Date().toDateString() === date.toDateString();
  return today
    ? date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })
    : date.toLocaleDateString([], { day: "numeric", month: "short" });
}
