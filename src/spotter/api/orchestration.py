"""Who should answer (B3): a recommendation, and if wished the handover itself."""

import json
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import Request
from pydantic import BaseModel, Field, StringConstraints
from sqlalchemy import select

from spotter.api import talk
from spotter.api.access import Caller
from spotter.api.definition_fields import ScenarioName
from spotter.api.fields import Body, storable_text
from spotter.api.problem_schema import problem_responses
from spotter.api.routing import router
from spotter.api.services import services_of
from spotter.errors import InvalidInput
from spotter.identity.principal import Principal
from spotter.scenarios.orchestrating import Line, Question
from spotter.scenarios.scenario_files import ScenarioFile
from spotter.sessions import directory, projections
from spotter.sessions.events import Handoff
from spotter.sessions.tables import AgentSession

routes = router("orchestration", prefix="/api")

_LAST: int = 10
_READ_BACK: int = 200


class SaidLine(Body):
    role: Literal["user", "assistant", "system"]
    content: Annotated[str, StringConstraints(max_length=32_000)]


class OrchestrationRequest(Body):
    """Something to go by is needed: messages, a page, or a session in which something was said."""

    scenario_id: ScenarioName
    session_id: UUID | None = None
    messages: list[SaidLine] | None = Field(default=None, description="the last ones count")
    page_context: dict[str, Any] | Annotated[str, StringConstraints(max_length=32_000)] | None = None
    apply: bool = Field(default=False, description="hand the session over, if another one fits better")


class OrchestrationDecision(BaseModel):
    root_agent: str
    score: float
    reason: str
    scores: dict[str, float]
    changed: bool = Field(description="whether that is somebody else than who answers now")
    applied: bool


@routes.post("/orchestrate", responses=problem_responses(404, 429))
async def orchestrate(request: Request, caller: Caller, body: OrchestrationRequest) -> OrchestrationDecision:
    """Score every agent of a scenario for what was said last, or for a page alone, before there is a session. With
    `apply` the session is handed over, also while a turn is going on; everybody who follows it hears of it. Where a
    scenario has a course, its stages decide and nothing is applied."""
    services = services_of(request)
    session = await _session(request, caller, body.session_id)
    if body.apply and session is None:
        raise InvalidInput("There is nothing to apply it to. Give a session_id, or leave `apply` out.")
    project_id = session.project_id if session is not None else None
    book = await services.definitions.book(caller.scope, project_id)
    scenario = book.scenario(body.scenario_id)
    if session is not None and session.scenario != scenario.id:
        raise InvalidInput(f"This session is not in the scenario {scenario.id!r}.")
    current = session.agent if session is not None else scenario.first_agent
    question = Question(scenario, current, await _lines(request, caller, body), _page(body.page_context))
    if not question.lines and not question.page:
        raise InvalidInput(
            "There is nothing to go by. Give messages, a page_context, or a session with messages."
        )
    chosen = await services.orchestrator.decide(caller.scope, book, question, services.turns.owner)
    applied, reason = False, chosen.reason
    if body.apply and session is not None:
        applied, refused = await _apply(request, caller, scenario, session.id, chosen.root_agent)
        reason = f"{reason} {refused}".strip()
    return OrchestrationDecision(
        root_agent=chosen.root_agent,
        score=chosen.scores[chosen.root_agent],
        reason=reason,
        scores=chosen.scores,
        changed=chosen.root_agent != current,
        applied=applied,
    )


async def _session(request: Request, caller: Principal, session_id: UUID | None) -> AgentSession | None:
    if session_id is None:
        return None
    async with services_of(request).database.unit_of_work(caller.scope) as uow:
        return await directory.own(uow, session_id)


async def _lines(request: Request, caller: Principal, body: OrchestrationRequest) -> list[Line]:
    """As given, or what was said last in the session."""
    if body.messages is not None or body.session_id is None:
        return [
            Line(one.role, storable_text(one.content)) for one in body.messages or () if one.content.strip()
        ]
    services = services_of(request)
    async with services.database.unit_of_work(caller.scope) as uow:
        last = (await directory.own(uow, body.session_id)).last_sequence
    events = await services.log.read(caller.scope, body.session_id, after=max(0, last - _READ_BACK))
    said = (one for one in projections.messages(events) if one.source != projections.NOTICE)
    return [Line(one.role, one.text) for one in said][-_LAST:]


def _page(given: dict[str, Any] | str | None) -> str:
    if given is None or isinstance(given, str):
        return storable_text(given or "").strip()
    return storable_text(json.dumps(given, ensure_ascii=False)) if given else ""


async def _apply(
    request: Request, caller: Principal, scenario: ScenarioFile, session_id: UUID, to: str
) -> tuple[bool, str]:
    """Whether it was, and why not. The session's row is held, so that two do not do it at once; a turn that is going on
    goes on as the new one from its next step."""
    if scenario.stages is not None:
        return False, "Nothing was applied: in this scenario the stages decide who answers."
    services = services_of(request)
    async with services.database.unit_of_work(caller.scope) as uow:
        now = await uow.session.scalar(
            select(AgentSession.agent).where(AgentSession.id == session_id).with_for_update()
        )
        if now is None or now == to:
            return False, ""
        # Not the model's own words: they would be read as ours by whoever goes on.
        moved = Handoff(from_agent=now, to_agent=to, reason="It fits better what is asked.")
        done = await services.log.append(caller.scope, session_id, [moved], connection=await uow.driver())
        uow.after_commit(lambda: talk.wake(services, session_id, done.last, caller.user_id))
    return True, ""
