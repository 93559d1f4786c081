import type { SessionEvent } from "@spotter/react";
import type { Tab } from "./store";

/** What happened, as it is in the log: for whoever builds the page, and whoever wonders. */
export function Log({ tab }: { tab: Tab }) {
  if (tab.events.length === 0) return <p className="beginning">Nothing has happened yet.</p>;
  return (
    <ol className="events" aria-label="Events" tabIndex={0}>
      {tab.events.map((event) => (
        <li key={event.sequence}>
          <details>
            <summary>
              <span className="number">{event.sequence}</span>
              <span className="kind">{event.type.replaceAll("_", " ")}</span>
              <span className="gist">{gist(event)}</span>
              <time dateTime={event.at}>{new Date(event.at).toLocaleTimeString()}</time>
            </summary>
            <pre>{JSON.stringify(event.content, null, 2)}</pre>
          </details>
        </li>
      ))}
    </ol>
  );
}

function gist(event: SessionEvent): string {
  const { content } = event;
  const found =
    content["text"] ?? content["tool"] ?? content["to_agent"] ?? content["source"] ?? content["state"];
  return typeof found === "string" ? found.slice(0, 80) : "";
}
