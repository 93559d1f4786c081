import { Title } from "@mantine/core";
import { Prose } from "~/shell/Prose";
import classes from "./scenarios.module.css";

/** Instructions as they read: headings apart, the rest as agents' words are shown. Never as markup. */
export function Preview({ text }: { text: string }) {
  const parts = text.trim().split(/^(#{1,6}\s+.*)$/m);
  return (
    <div className={classes.preview} tabIndex={0} role="region" aria-label="Preview of the instructions">
      {parts.map((part, at) => {
        const heading = /^(#{1,6})\s+(.*)$/.exec(part);
        if (heading) {
          return (
            <Title key={at} order={(heading[1]?.length ?? 1) > 2 ? 4 : 3}>
              {heading[2]}
            </Title>
          );
        }
        return part.trim() === "" ? null : <Prose key={at} text={part} />;
      })}
      {text.trim() === "" ? "Nothing written yet." : null}
    </div>
  );
}
