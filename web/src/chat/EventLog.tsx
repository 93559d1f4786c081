import { Badge, Loader, Text, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useState } from "react";
import classes from "./chat.module.css";
import { useLog } from "./queries";

/** Every event of the session as it is stored. */
export function EventLog({ sessionId, last }: { sessionId: string | null; last: number }) {
  const [filter, setFilter] = useState("");
  const log = useLog(sessionId, last, true);
  const wanted = filter.trim().toLowerCase();
  const events = (log.data ?? []).filter(
    (event) =>
      wanted === "" || `${event.type} ${JSON.stringify(event.content)}`.toLowerCase().includes(wanted),
  );
  return (
    <div className={classes.log} role="region" aria-label="Raw event log" tabIndex={0}>
      <TextInput
        aria-label="Filter events"
        placeholder="Filter by type or words"
        leftSection={<IconSearch size={16} />}
        value={filter}
        onChange={(event) => setFilter(event.currentTarget.value)}
        mb="sm"
      />
      {log.isPending && sessionId !== null ? <Loader size="sm" aria-label="Loading events" /> : null}
      {sessionId === null || (log.isSuccess && events.length === 0) ? (
        <Text c="dimmed" size="sm">
          {wanted === "" ? "Nothing has happened yet." : "No event has these words."}
        </Text>
      ) : null}
      <ol className={classes.events}>
        {events.map((event) => (
          <li key={event.sequence}>
            <details>
              <summary>
                <span className={`tabular ${classes.number}`}>{event.sequence}</span>
                <Badge variant="light" color="gray" size="sm" tt="none">
                  {event.type}
                </Badge>
                <Text span size="xs" c="dimmed" className="tabular">
                  {new Date(event.at).toLocaleTimeString()}
                </Text>
              </summary>
              <pre tabIndex={0} aria-label={`Event ${event.sequence}`}>
                {JSON.stringify(event.content, null, 2)}
              </pre>
            </details>
          </li>
        ))}
      </ol>
    </div>
  );
}
