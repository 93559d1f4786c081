import { ActionIcon, Drawer, Tooltip, VisuallyHidden } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { IconLayoutSidebar, IconPlus } from "@tabler/icons-react";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import classes from "./chat.module.css";
import { Conversation } from "./Conversation";
import { SessionList } from "./SessionList";

/** For builders: every conversation with every agent, with all that happened in it. */
export function ChatPage() {
  const { session } = useSearch({ from: "/inside/chat" });
  const navigate = useNavigate();
  const narrow = useMediaQuery("(max-width: 62em)", undefined, { getInitialValueInEffect: false }) ?? false;
  const [drawer, setDrawer] = useState(false);
  /** A new one each time somebody asks for it, so that nothing of the last stays. */
  const [fresh, setFresh] = useState(0);
  useEffect(() => {
    document.title = "Chat · Spotter";
  }, []);
  const open = (id: string | undefined) => {
    setDrawer(false);
    if (id === undefined) setFresh(fresh + 1);
    void navigate({ to: "/chat", search: { session: id } });
  };
  const list = <SessionList current={session ?? null} onOpen={open} onNew={() => open(undefined)} />;
  return (
    <div className={classes.page}>
      <VisuallyHidden component="h1">Chat</VisuallyHidden>
      {narrow ? (
        <Drawer
          opened={drawer}
          onClose={() => setDrawer(false)}
          title="Conversations"
          size={320}
          padding="sm"
          closeButtonProps={{ "aria-label": "Close" }}
        >
          {list}
        </Drawer>
      ) : (
        <aside className={`surface ${classes.side}`} aria-label="Your conversations">
          {list}
        </aside>
      )}
      <Conversation
        key={session ?? `new ${fresh}`}
        sessionId={session ?? null}
        onOpen={open}
        leading={
          narrow ? (
            <>
              <Tooltip label="Conversations">
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size={40}
                  aria-label="Conversations"
                  onClick={() => setDrawer(true)}
                >
                  <IconLayoutSidebar size={20} />
                </ActionIcon>
              </Tooltip>
              <Tooltip label="New conversation">
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size={40}
                  aria-label="New conversation"
                  onClick={() => open(undefined)}
                >
                  <IconPlus size={20} />
                </ActionIcon>
              </Tooltip>
            </>
          ) : null
        }
      />
    </div>
  );
}
