"""Where a visit stands, and moving it on."""

from typing import Annotated

from pydantic import Field
from pydantic_core import to_json

from spotter.errors import Conflict
from spotter.runtime.executor import ToolContext
from spotter.runtime.tool import Answer, FixAndRetry, ToolFailed, tool
from spotter.scenarios.coach import facts, moving, visit
from spotter.scenarios.coach.stages import Allowed, CoachStage, Refused, not_yet
from spotter.scenarios.coach.standing import Standing, session_of
from spotter.store.unit_of_work import UnitOfWork

Reason = Annotated[str, Field(max_length=300)]


async def standing(context: ToolContext, *stages: CoachStage) -> tuple[UnitOfWork, Standing]:
    """The visit, if it stands in one of these. While somebody trains, what let them in must still hold."""
    if context.scope.user_id is None:
        raise ToolFailed("Nobody is signed in here. The coach coaches people.")
    uow = await context.transaction()
    try:
        session = await session_of(uow, context.session_id)
    except Conflict as error:
        raise ToolFailed(error.detail) from None
    now = session.stage
    if stages and now not in stages:
        wanted = " or ".join(stages)
        raise FixAndRetry(f"This belongs to {wanted}; the visit is in {now}. Nothing was done.")
    if CoachStage.WORKOUT in stages and now is CoachStage.WORKOUT:
        reason = not_yet(await facts.load(uow, session))
        if reason is not None:
            raise ToolFailed(f"{reason} Stop the workout, and move the visit to intake.")
    return uow, session


@tool(category="coach", examples=["where are we", "what do you know about me"])
async def look_at_visit(context: ToolContext) -> Answer:
    """How the visit stands: stage, profile, health answers, what is missing, and the plan, the workout with the set to
    do now, or what was logged. Call it first in every turn."""
    uow, session = await standing(context)
    found = await visit.whole(uow, session)
    return Answer({"success": True, **found}, to_json(found).decode())


@tool(category="coach", examples=["let us go on", "back to the plan", "I want to change something"])
async def move_on(context: ToolContext, to: CoachStage, reason: Reason = "") -> Answer:
    """Move the visit to another stage. What is stored decides whether it may; if not, you are told why."""
    uow, session = await standing(context)
    judgement, _ = await moving.judged(uow, session, to)
    match judgement:
        case Allowed():
            moves = moving.step(session, to, reason)
            return Answer({"success": True, "stage": to}, f"The visit is now in {to}.", moves=moves)
        case Refused(reason=why):
            told = {"success": False, "stage": session.stage, "refused": to, "reason": why}
            return Answer(told, f"Not moved: {why}", moves=(moving.refused_step(session, to, judgement),))


TOOLS = (look_at_visit, move_on)
