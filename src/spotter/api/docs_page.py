"""`/docs`: the OpenAPI document as a page that needs neither scripts nor other people's servers."""

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from html import escape
from importlib.resources import files
from typing import Any, Final

from fastapi import APIRouter, FastAPI, Response
from starlette.responses import HTMLResponse

from spotter.api.schema_example import example_of

_METHODS: Final = ("get", "post", "put", "patch", "delete", "head", "options", "trace")
_STYLE_PATH: Final = "/docs/style.css"
_UNTAGGED: Final = "other"


def docs_router(app: FastAPI) -> APIRouter:
    """The app must be made with `docs_url=None, redoc_url=None`: those pages load scripts from a CDN."""
    router = APIRouter(include_in_schema=False)
    style = files("spotter.api").joinpath("static/docs.css").read_bytes()
    rendered: dict[int, str] = {}

    @router.get("/docs")
    async def read_docs() -> HTMLResponse:
        document = app.openapi()  # the same object until a route is added
        if id(document) not in rendered:
            rendered.clear()
            rendered[id(document)] = render_docs(document)
        return HTMLResponse(rendered[id(document)])

    @router.get(_STYLE_PATH)
    async def read_style() -> Response:
        return Response(style, media_type="text/css", headers={"Cache-Control": "public, max-age=3600"})

    return router


def render_docs(document: Mapping[str, Any]) -> str:
    info = document["info"]
    groups = _by_tag(document)
    links = "".join(f'<a href="#{_anchor(tag)}">{escape(tag)}</a>' for tag in groups)
    sections = "".join(_section(document, tag, operations) for tag, operations in groups.items())
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(info["title"])} API</title>
<link rel="stylesheet" href="{_STYLE_PATH}">
</head>
<body>
<header>
<h1>{escape(info["title"])} <small>{escape(info["version"])}</small></h1>
{_paragraph(info.get("description"))}
<p>Machine-readable: <a href="/openapi.json">/openapi.json</a></p>
<nav aria-label="Groups">{links}</nav>
</header>
<main>
{sections or "<p>There are no routes yet.</p>"}
</main>
</body>
</html>
"""


_Operation = tuple[str, str, Mapping[str, Any]]


def _operations(document: Mapping[str, Any]) -> Iterator[_Operation]:
    for path, item in document.get("paths", {}).items():
        for method in _METHODS:
            if method in item:
                yield method, path, item[method]


def _by_tag(document: Mapping[str, Any]) -> dict[str, list[_Operation]]:
    """In the order the document lists its tags, then as they come."""
    groups: dict[str, list[_Operation]] = {str(tag["name"]): [] for tag in document.get("tags", [])}
    for operation in _operations(document):
        tag = str((operation[2].get("tags") or [_UNTAGGED])[0])
        groups.setdefault(tag, []).append(operation)
    return {tag: operations for tag, operations in groups.items() if operations}


def _section(document: Mapping[str, Any], tag: str, operations: list[_Operation]) -> str:
    described = {entry["name"]: entry.get("description") for entry in document.get("tags", [])}
    entries = "".join(_entry(document, *operation) for operation in operations)
    return f'<section id="{_anchor(tag)}"><h2>{escape(tag)}</h2>{_paragraph(described.get(tag))}{entries}</section>\n'


def _entry(document: Mapping[str, Any], method: str, path: str, operation: Mapping[str, Any]) -> str:
    deprecated = " <em>deprecated</em>" if operation.get("deprecated") else ""
    summary, rest = _told(operation)
    return (
        f'<details><summary><span class="method {method}">{method.upper()}</span> '
        f'<code class="path">{escape(path)}</code> '
        f'<span class="summary">{_inline(summary)}{deprecated}</span></summary>'
        f'<div class="operation">{_paragraph(rest)}{_parameters(operation)}'
        f"<h3>Example</h3><pre><code>{escape(curl_example(document, method, path, operation))}</code></pre>"
        f"{_answers(operation)}</div></details>\n"
    )


def _told(operation: Mapping[str, Any]) -> tuple[str, str]:
    """The first sentence of the description, and the whole of it if there is more. Without one, the summary,
    which the framework makes of the function's name."""
    description = str(operation.get("description", "")).strip()
    if not description:
        return str(operation.get("summary", "")), ""
    first = re.split(r"(?<=[.!?])\s", description, maxsplit=1)[0]
    return first, "" if first == description else description


def _parameters(operation: Mapping[str, Any]) -> str:
    rows = "".join(
        f"<tr><td><code>{escape(parameter['name'])}</code>{' *' if parameter.get('required') else ''}</td>"
        f"<td>{escape(parameter['in'])}</td><td>{escape(_kind(parameter.get('schema', {})))}</td>"
        f"<td>{_inline(parameter.get('description', ''))}</td></tr>"
        for parameter in operation.get("parameters", [])
    )
    if not rows:
        return ""
    head = "<tr><th>Name</th><th>In</th><th>Type</th><th>About</th></tr>"
    return f'<h3>Parameters</h3><div class="scroll"><table>{head}{rows}</table></div>'


def _answers(operation: Mapping[str, Any]) -> str:
    answers = "".join(
        f"<li><code>{escape(str(status))}</code> {escape(answer.get('description', ''))}</li>"
        for status, answer in operation.get("responses", {}).items()
    )
    return f"<h3>Answers</h3><ul>{answers}</ul>" if answers else ""


def curl_example(document: Mapping[str, Any], method: str, path: str, operation: Mapping[str, Any]) -> str:
    lines = ["curl"] if method == "get" else [f"curl -X {method.upper()}"]
    lines[0] += f' "$SPOTTER_URL{path}"'
    if operation.get("security") or document.get("security"):
        lines.append('-H "Authorization: Bearer $SPOTTER_TOKEN"')
    content = operation.get("requestBody", {}).get("content", {})
    if (schema := content.get("application/json", {}).get("schema")) is not None:
        body = json.dumps(example_of(schema, document), indent=2, ensure_ascii=False, default=str)
        lines.append('-H "Content-Type: application/json"')
        # The shell ends the text at a quote; this is how it is taken in.
        lines.append("-d '" + body.replace("'", "'\\''") + "'")
    return " \\\n  ".join(lines)


def _kind(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "enum" in schema:
        return " | ".join(str(value) for value in schema["enum"])
    for several in ("anyOf", "oneOf"):
        if several in schema:
            kinds = [_kind(one) for one in schema[several] if one.get("type") != "null"]
            return " | ".join(kinds)
    return str(schema.get("format") or schema.get("type") or "any")


def _paragraph(text: str | None) -> str:
    parts = [part.strip() for part in (text or "").split("\n\n")]
    return "".join(f"<p>{_inline(part)}</p>" for part in parts if part)


def _inline(text: str) -> str:
    """Escaped, with what stands in backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


@lru_cache(maxsize=256)
def _anchor(tag: str) -> str:
    return "tag-" + "".join(character if character.isalnum() else "-" for character in tag.lower())
