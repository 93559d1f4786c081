"""Drafts and context: what an agent keeps for a host application, and what it can look up of the page."""

from typing import Annotated, Any

from pydantic import Field

from spotter.context import drafts
from spotter.runtime.executor import ToolContext
from spotter.runtime.tool import Answer, tool

Key = Annotated[
    str,
    Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:-]{0,119}$", description="a short name, e.g. spring-newsletter"),
]


@tool(category="context", examples=["save this as a draft", "keep the text for later"])
async def store_draft_content(
    context: ToolContext,
    key: Key,
    content: Annotated[str, Field(max_length=100_000)],
    title: Annotated[str, Field(max_length=200)] | None = None,
) -> Answer:
    """Keep a text as a draft under a key. The same key again replaces it; earlier versions are kept."""
    uow = await context.transaction()
    project_id = await context.project_id()
    stored = await drafts.put(uow, key, content, title=title, project_id=project_id)
    draft = stored.draft
    data = {
        "success": True,
        "draft": {"key": draft.key, "title": draft.title, "version": draft.version},
        "changed": stored.changed,
    }
    told = f"Draft {key!r} is stored, version {draft.version}."
    return Answer(data, told if stored.changed else f"Draft {key!r} was the same already.")


@tool(category="context", examples=["repeat this", "is anybody there"])
async def echo(context: ToolContext, text: Annotated[str, Field(max_length=8_000)]) -> dict[str, Any]:
    """Give back the same text. For trying out whether tools can be called."""
    return {"text": text}


TOOLS = (store_draft_content, echo)
