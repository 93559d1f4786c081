import { Fragment, type ReactNode } from "react";

/**
 * Words of an agent: paragraphs, lists, bold and code, nothing else. Everything becomes text nodes, so whatever a
 * model or a stranger wrote stays text.
 */
export function Prose({ text }: { text: string }) {
  return text
    .trim()
    .split(/\n{2,}/)
    .map((block, place) => <Block key={place} text={block} />);
}

function Block({ text }: { text: string }) {
  const lines = text.split("\n");
  const bullets = lines.every((line) => /^\s*[-*•]\s+/.test(line));
  const numbers = lines.every((line) => /^\s*\d+[.)]\s+/.test(line));
  if (bullets || numbers) {
    const List = numbers ? "ol" : "ul";
    return (
      <List style={{ margin: "4px 0", paddingInlineStart: "1.2em" }}>
        {lines.map((line, place) => (
          <li key={place}>{inline(line.replace(/^\s*([-*•]|\d+[.)])\s+/, ""))}</li>
        ))}
      </List>
    );
  }
  return (
    <p style={{ margin: 0 }}>
      {lines.map((line, place) => (
        <Fragment key={place}>
          {place > 0 ? <br /> : null}
          {inline(line.replace(/^#{1,6}\s+/, ""))}
        </Fragment>
      ))}
    </p>
  );
}

function inline(text: string): ReactNode[] {
  return text.split(/(\*\*[^*]+\*\*|`[^`]+`)/).map((part, place) => {
    if (part.length > 4 && part.startsWith("**") && part.endsWith("**"))
      return <strong key={place}>{part.slice(2, -2)}</strong>;
    if (part.length > 2 && part.startsWith("`") && part.endsWith("`"))
      return <code key={place}>{part.slice(1, -1)}</code>;
    return part;
  });
}
