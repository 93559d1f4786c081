"""Handing a conversation to another agent: a tool for each one that may be handed to.

The tool only says so. The log records it with the call's result, the session's row follows the log, and the loop goes
on as the other agent, in the same turn: the person notices nothing but a better answer.
"""

from typing import Annotated, Final, Protocol

from pydantic import Field

from spotter.runtime.agent import Agent, Handover
from spotter.runtime.tool import Answer, Tool, tool
from spotter.sessions.events import Handoff

PREFIX: Final = "transfer_to_"
Reason = Annotated[str, Field(max_length=300, description="why, in one sentence; the other agent reads it")]


class Speaking(Protocol):
    """Of a tool's context, what is needed here."""

    agent: Agent


def transfer_tool(handover: Handover) -> Tool:
    async def transfer(context: Speaking, reason: Reason = "") -> Answer:
        moved = Handoff(
            from_agent=context.agent.name, to_agent=handover.to, reason=reason, history=handover.history
        )
        data = {"success": True, "from_agent": moved.from_agent, "to_agent": moved.to_agent}
        return Answer(data, f"{handover.to} goes on from here.", moves=(moved,))

    transfer.__doc__ = f"Hand the conversation to {handover.to}: {handover.when}"
    return tool(category="handoff", name=PREFIX + handover.to)(transfer)
