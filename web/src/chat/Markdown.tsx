import { memo } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import bash from "highlight.js/lib/languages/bash";
import css from "highlight.js/lib/languages/css";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import python from "highlight.js/lib/languages/python";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import rehypeHighlight from "rehype-highlight";
import remarkGfm from "remark-gfm";
import { CopyButton } from "./CopyButton";
import classes from "./markdown.module.css";

const LANGUAGES = { bash, css, javascript, json, python, sql, typescript, xml, yaml };

/**
 * What an agent wrote, as Markdown. HTML in it stays text, addresses that could run something are dropped, and nothing
 * is fetched: a picture is a link.
 */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  return (
    <div className={classes.prose}>
      <ReactMarkdown
        remarkPlugins={[remarkGfm, lines]}
        rehypePlugins={[[rehypeHighlight, { languages: LANGUAGES, detect: false }]]}
        components={PARTS}
      >
        {text}
      </ReactMarkdown>
    </div>
  );
});

interface Node {
  type: string;
  value?: string;
  children?: Node[];
}

/** Agents mean the lines they write: a new line is one, as in a chat. */
function lines() {
  return (tree: Node): void => {
    tree.children = tree.children?.flatMap((child): Node[] => {
      if (child.type !== "text" || child.value === undefined) {
        lines()(child);
        return [child];
      }
      return child.value
        .split("\n")
        .flatMap((value, place): Node[] => [
          ...(place > 0 ? [{ type: "break" }] : []),
          { type: "text", value },
        ]);
    });
  };
}

const PARTS: Components = {
  a: ({ href, children }) =>
    href === undefined || href === "" ? (
      <span>{children}</span>
    ) : (
      <a href={href} target="_blank" rel="noopener noreferrer nofollow">
        {children}
      </a>
    ),
  img: ({ src, alt }) =>
    typeof src === "string" && src !== "" ? (
      <a href={src} target="_blank" rel="noopener noreferrer nofollow">
        {alt === undefined || alt === "" ? "Picture" : alt}
      </a>
    ) : (
      <span>{alt}</span>
    ),
  // Headings inside a message stand below those of the page.
  h1: ({ children }) => <h3>{children}</h3>,
  h2: ({ children }) => <h4>{children}</h4>,
  h3: ({ children }) => <h5>{children}</h5>,
  pre: ({ children, node }) => (
    <div className={classes.code}>
      <pre tabIndex={0}>{children}</pre>
      <CopyButton text={textOf(node)} label="Copy code" />
    </div>
  ),
  table: ({ children }) => (
    <div className={classes.table} tabIndex={0} role="region" aria-label="Table">
      <table>{children}</table>
    </div>
  ),
  input: ({ checked }) => <input type="checkbox" checked={checked === true} disabled aria-label="Task" />,
};

function textOf(node: unknown): string {
  const { value, children } = (node ?? {}) as { value?: string; children?: unknown[] };
  return (value ?? "") + (children ?? []).map(textOf).join("");
}
