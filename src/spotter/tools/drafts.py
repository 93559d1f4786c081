"""Drafts and context: what an agent keeps for a host application, and what it can look up of the page."""

from typing import Annotated, Any

from pydantic import Field

from spotter.context import drafts, snapshots
from spotter.runtime.executor import ToolContext
from spotter.runtime.tool import Answer, tool
from spotter.safety import get_policy
from spotter.store.scope import Scope

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


@tool(
    category="context",
    examples=["what is there in this project", "which drafts are there"],
    reads_private=True,
    reads_untrusted=True,
)
async def fetch_project_context(
    context: ToolContext,
    about: Annotated[str, Field(max_length=200, description="what it is for, e.g. drafts, workouts")] = "",
) -> Answer:
    """Look up what there is in this project: recent records, drafts and what the person may see. Records come with
    references that can be given to other tools instead of ids."""
    # As the organisation itself: members are bound by its policy, but do not get to read it.
    async with context.database.unit_of_work(Scope(context.scope.org_id, None, "service")) as own:
        policy = await get_policy(own)
    uow = await context.transaction()
    asked = snapshots.Asked(page=about or "project", project_id=await context.project_id())
    snapshot = await snapshots.take(uow, asked, policy)
    await snapshots.attach(uow, context.session_id, snapshot)
    data = {
        "success": True,
        "references": snapshot.labels,
        "access": snapshot.access,
        "drafts": snapshot.drafts["items"],
    }
    return Answer(data, snapshot.block)


@tool(
    category="context",
    examples=["what page am I on", "what do you see"],
    reads_private=True,
    reads_untrusted=True,
)
async def echo_context(context: ToolContext) -> Answer:
    """Give back the context this conversation was given: the page, the references and what they stand for."""
    given = await snapshots.of_session(await context.transaction(), context.session_id)
    shown = [{"page": one.page, "references": one.labels, "access": one.access} for one in given]
    told = given[-1].block if given else "This conversation was given no context."
    return Answer({"success": True, "contexts": shown}, told)


@tool(category="context", examples=["repeat this", "is anybody there"])
async def echo(context: ToolContext, text: Annotated[str, Field(max_length=8_000)]) -> dict[str, Any]:
    """Give back the same text. For trying out whether tools can be called."""
    return {"text": text}


TOOLS = (store_draft_content, fetch_project_context, echo_context, echo)
