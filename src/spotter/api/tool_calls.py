"""Calling one tool, without a model (B4): the same rules as for an agent's call, and the same record."""

from contextlib import suppress
from typing import Annotated, Any, Final
from uuid import UUID

from fastapi import Request
from pydantic import BaseModel, Field, StringConstraints, TypeAdapter, ValidationError

from spotter.api.access import ToolCaller
from spotter.api.fields import Body
from spotter.api.idempotency import HEADER as IDEMPOTENCY_HEADER
from spotter.api.problem_schema import problem_responses
from spotter.api.routing import router
from spotter.api.services import services_of
from spotter.billing import credit_ledger
from spotter.identity.principal import Principal
from spotter.money import CREDIT
from spotter.runtime.direct_calls import Called, ToolCall, succeeded
from spotter.runtime.executor import effect_of
from spotter.store.database import Database
from spotter.store.scope import Scope
from spotter.voice.transcripts import is_going_on

routes = router("tools", prefix="/api/tools")

APPROVAL_REQUIRED = "approval_required"


class NewToolCall(Body):
    tool: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,99}$")] = Field(examples=["echo"])
    arguments: dict[str, Any] = Field(default={}, examples=[{"text": "hello"}])
    session_id: UUID | None = Field(
        default=None, description="the session whose agent's tools these are, and in whose log it is recorded"
    )
    project_id: UUID | None = Field(default=None, description="the default project if not given")


class Artifact(BaseModel):
    id: str
    filename: str
    file_type: str
    url: str


class Memory(BaseModel):
    type: str
    content: str
    importance: float


class ToolResult(BaseModel):
    tool: str
    success: bool
    output: Any = Field(
        description="what the tool returned; with the error `approval_required`: `approval_id`, `session_id`, `call_id`"
    )
    error: str | None = None
    formatted: str = Field(description="as a model reads it")
    duration_ms: int
    creditsUsed: float  # noqa: N815 - the contract's name
    artifacts: list[Artifact]
    memory: list[Memory]


@routes.post("/execute", responses=problem_responses(404, 409))
async def execute_tool(request: Request, caller: ToolCaller, body: NewToolCall) -> ToolResult:
    """Carry out one tool call. What a person has to approve first is answered with the error `approval_required`; once
    approved it is carried out by itself, exactly once. While another turn of the session is going on, the call waits
    up to ten seconds, then the answer is 409."""
    services = services_of(request)
    speaking = False
    if body.session_id is not None:
        async with services.database.unit_of_work(caller.scope) as uow:
            speaking = await is_going_on(uow, body.session_id)
    call = ToolCall(
        tool=body.tool,
        arguments=body.arguments,
        session_id=body.session_id,
        project_id=body.project_id,
        key=request.headers.get(IDEMPOTENCY_HEADER),
        source="voice" if speaking else "api",
    )
    called = await services.direct_calls.execute(caller, call)
    return _shown(body.tool, called, await credits_used(services.database, caller, called))


async def credits_used(database: Database, caller: Principal, called: Called) -> float:
    """As the ledger has it. What waits for an approval has cost nothing yet."""
    if called.result is None:
        return 0
    effect = effect_of(called.session_id, called.call_id)
    async with database.unit_of_work(Scope(caller.org_id, None, "service")) as uow:
        used = await credit_ledger.used_by_call(uow, called.session_id, (called.began, called.ended), effect)
    return used / CREDIT


def _shown(tool: str, called: Called, used: float = 0) -> ToolResult:
    base: dict[str, Any] = {"tool": tool, "creditsUsed": used, "artifacts": [], "memory": []}
    if called.approval is not None:
        waits = {
            "approval_id": str(called.approval.approval_id),
            "session_id": str(called.session_id),
            "call_id": called.call_id,
        }
        told = f"{called.approval.reason} Nothing was done yet."
        return ToolResult(
            **base, success=False, output=waits, error=APPROVAL_REQUIRED, formatted=told, duration_ms=0
        )
    result = called.result
    if result is None:
        return ToolResult(
            **base, success=False, output=None, error=called.trouble, formatted=called.trouble, duration_ms=0
        )
    return ToolResult(
        **{**base, **_left_by(result.result)},
        success=succeeded(called),
        output=result.result,
        error=result.error,
        formatted=result.formatted,
        duration_ms=result.ms,
    )


def _left_by(data: Any) -> dict[str, Any]:
    """Files and facts that a tool leaves are in its data. What only has the same name is not mistaken for them."""
    if not isinstance(data, dict):
        return {}
    kinds: tuple[tuple[str, TypeAdapter[Any]], ...] = (("artifacts", _ARTIFACTS), ("memory", _MEMORY))
    found: dict[str, Any] = {}
    for name, kind in kinds:
        with suppress(ValidationError):
            found[name] = kind.validate_python(data.get(name))
    return found


_ARTIFACTS: Final = TypeAdapter(list[Artifact])
_MEMORY: Final = TypeAdapter(list[Memory])
