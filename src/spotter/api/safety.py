"""Moderation over HTTP: check a text, see and set what the organisation blocks and warns about."""

from typing import Annotated

from fastapi import Request
from pydantic import AfterValidator, Field, StringConstraints

from spotter.api.access import AdminCaller, Caller, StaffCaller
from spotter.api.fields import Body, storable_text
from spotter.api.routing import router
from spotter.api.services import services_of
from spotter.api.transactions import Transaction
from spotter.safety import MAX_CHARS, ModerationDecision, Policy, Source, get_policy, put_policy

routes = router("safety", prefix="/api")


class TextToCheck(Body):
    text: Annotated[str, StringConstraints(max_length=MAX_CHARS), AfterValidator(storable_text)] = Field(
        examples=["My chest hurts, should I go on?"]
    )
    source: Source = "member"


@routes.post("/moderate")
async def moderate_text(request: Request, caller: Caller, body: TextToCheck) -> ModerationDecision:
    """Check a text as it would be checked in a turn. Nothing is stored."""
    # No transaction: a second opinion may take seconds, and no connection waits for that.
    return await services_of(request).moderation.check(caller.scope, body.text, body.source)


@routes.get("/safety/policy")
async def get_safety_policy(caller: StaffCaller, uow: Transaction) -> Policy:
    """What this organisation blocks, warns about and redacts. What is not named is as by default."""
    return await get_policy(uow)


@routes.put("/safety/policy")
async def put_safety_policy(caller: AdminCaller, uow: Transaction, body: Policy) -> Policy:
    """Replace it. Emergencies and self-harm always get their answer and cannot be turned down. Audited."""
    return await put_policy(uow, body)
