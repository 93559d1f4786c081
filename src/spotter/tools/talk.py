"""Speaking to the person, and stopping."""

from typing import Annotated, Any

from pydantic import Field

from spotter.runtime.executor import ToolContext
from spotter.runtime.tool import Answer, tool
from spotter.sessions.events import Ending
from spotter.sessions.projections import ASK_TOOL, NOTIFY_TOOL

Text = Annotated[str, Field(min_length=1, max_length=8000)]


@tool(category="talk", name=NOTIFY_TOOL, examples=["tell them", "confirm", "say what was changed"])
async def message_notify_user(context: ToolContext, message: Text) -> dict[str, Any]:
    """Say something to the person without waiting for an answer: a confirmation, a result, an explanation."""
    return {"success": True, "message": message, "type": "notification"}


@tool(category="talk", name=ASK_TOOL, examples=["ask which one", "clarify"], ends_turn=True)
async def message_ask_user(
    context: ToolContext,
    question: Text,
    options: Annotated[list[Annotated[str, Field(max_length=200)]], Field(max_length=8)] = [],  # noqa: B006 - schema
) -> Answer:
    """Ask the person something and wait for the answer. Only when you cannot go on without it; offer likely
    answers as options."""
    data = {
        "success": True,
        "question": question,
        "options": options,
        "type": "question",
        "awaiting_response": True,
    }
    return Answer(data, f"Asked: {question}", ends=Ending.ASKED)


@tool(category="talk", examples=["done", "nothing left to do"], ends_turn=True)
async def idle(context: ToolContext, reason: Annotated[str, Field(max_length=300)]) -> Answer:
    """Say that everything asked for is done. Always call this last."""
    return Answer({"success": True, "idle": True, "reason": reason}, f"Idle: {reason}", ends=Ending.IDLE)


TOOLS = (message_notify_user, message_ask_user, idle)
