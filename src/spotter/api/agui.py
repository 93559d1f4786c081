"""AG-UI: any agent or scenario of the organisation, for clients nobody here wrote. One more view of a session.

The log is the truth: a thread is a session, a run is a turn (or what is left of one), an interrupt is a question or an
approval that waits. What a client sends of the past is not read; if it has another past than the log, it is told.
"""

from functools import partial
from typing import Annotated, Any, Final
from uuid import UUID

from fastapi import Header, Path, Query, Request
from pydantic import BaseModel, Field
from starlette.responses import StreamingResponse

from spotter.api import talk
from spotter.api.access import Caller
from spotter.api.agui_input import (
    GivenName,
    Resumed,
    RunInput,
    Verdict,
    key_of,
    last_said,
    model_wished,
    names_of,
    read_resume,
)
from spotter.api.agui_stream import Run
from spotter.api.approvals import go_on
from spotter.api.definition_fields import ScenarioName, require_builder
from spotter.api.problem_schema import problem_responses
from spotter.api.routing import router
from spotter.api.services import services_of
from spotter.api.sessions import AgentName
from spotter.errors import InvalidInput, NotFound
from spotter.identity.principal import Principal
from spotter.runtime import approval_decisions
from spotter.runtime.approval_decisions import AlreadyDecided, Decided, Decision
from spotter.scenarios import threads
from spotter.sessions.tables import AgentSession
from spotter.store.unit_of_work import UnitOfWork

PATH: Final = "/api/agui"
routes = router("agui", prefix=PATH)

_STREAM: Final = "text/event-stream"
_TITLE: Final = 80
_ANSWERS: Final[dict[int | str, dict[str, Any]]] = {
    200: {"description": "AG-UI events", "content": {_STREAM: {}}},
    **problem_responses(402, 403, 404, 409, 429),
}
LastEventId = Annotated[
    str | None, Header(description="the last `id` you have seen: only what came after it is told")
]


class ThreadCancelled(BaseModel):
    cancelled: bool = Field(description="false when nothing was going on and nothing waited for approval")


@routes.post("/agents/{agent_name}", responses=_ANSWERS, response_class=StreamingResponse)
async def run_agent_by_agui(
    request: Request,
    caller: Caller,
    agent_name: Annotated[AgentName, Path()],
    body: RunInput,
    last_event_id: LastEventId = None,
) -> StreamingResponse:
    """Run one agent. The same last message sent again (the same id) is not said again: you join its turn."""
    return await _run(request, caller, body, None, agent_name, last_event_id)


@routes.post("/scenarios/{scenario_name}", responses=_ANSWERS, response_class=StreamingResponse)
async def run_scenario_by_agui(
    request: Request,
    caller: Caller,
    scenario_name: Annotated[ScenarioName, Path()],
    body: RunInput,
    last_event_id: LastEventId = None,
) -> StreamingResponse:
    """Run a scenario: its agents hand over to each other, or follow its stages."""
    return await _run(request, caller, body, scenario_name, None, last_event_id)


@routes.get("/threads/{thread_id}", responses=_ANSWERS, response_class=StreamingResponse)
async def follow_thread_by_agui(
    request: Request,
    caller: Caller,
    thread_id: Annotated[GivenName, Path()],
    run_id: Annotated[GivenName, Query(alias="runId")] = "follow",
    last_event_id: LastEventId = None,
) -> StreamingResponse:
    """Come back to a thread: what was said and where things stand, then the rest of what is going on."""
    async with services_of(request).database.unit_of_work(caller.scope) as uow:
        session = await threads.find(uow, caller, thread_id)
    return _joined(request, caller, session, thread_id, run_id, last_event_id).response()


@routes.post("/threads/{thread_id}/cancel", responses=problem_responses(404))
async def cancel_thread_by_agui(
    request: Request, caller: Caller, thread_id: Annotated[GivenName, Path()]
) -> ThreadCancelled:
    """Stop what is going on. Closing a stream does not: turns outlive connections."""
    async with services_of(request).database.unit_of_work(caller.scope) as uow:
        session_id = (await threads.find(uow, caller, thread_id)).id
    return ThreadCancelled(cancelled=await talk.cancel(request, caller, session_id))


async def _run(
    request: Request,
    caller: Principal,
    body: RunInput,
    scenario: str | None,
    agent: str | None,
    last_event_id: str | None,
) -> StreamingResponse:
    said, resumed, model = last_said(body), read_resume(body.resume), model_wished(body)
    if model is not None:
        require_builder(request, caller, model)
    if said is None:
        await _require_thread(request, caller, body)
    session = await _thread(request, caller, body.thread_id, scenario, agent, said[1] if said else "", model)
    after = await _decide(request, caller, session, resumed.verdicts)
    words = _words(session, said, resumed)
    if words is not None:
        return (await _say(request, caller, session, body, *words, last_event_id)).response()
    run = _joined(request, caller, session, body.thread_id, body.run_id, last_event_id, after)
    run.names = names_of(session.id, body)
    return run.response()


async def _require_thread(request: Request, caller: Principal, body: RunInput) -> None:
    """Nothing is said, so nothing is begun: there must be something to come back to."""
    async with services_of(request).database.unit_of_work(caller.scope) as uow:
        try:
            await threads.find(uow, caller, body.thread_id)
        except NotFound:
            if body.resume:
                raise
            raise InvalidInput("Say something: the last of `messages` is what the person says now.") from None


async def _thread(
    request: Request,
    caller: Principal,
    thread_id: str,
    scenario: str | None,
    agent: str | None,
    text: str,
    model: str | None,
) -> AgentSession:
    services = services_of(request)
    async with services.database.unit_of_work(caller.scope) as uow:
        book = await services.definitions.book(caller.scope)
        session = await threads.open_one(uow, book, caller, thread_id, scenario, agent)
        if session.last_sequence == 0 and not session.title:
            session.title = " ".join(text.split())[:_TITLE]
        moved = await threads.change(uow, services.log, book, session, agent, model)
        if moved is not None:
            uow.after_commit(partial(talk.wake, services, session.id, moved, caller.user_id))
        await uow.session.flush()
        await uow.session.refresh(session)
        return session


def _words(session: AgentSession, said: tuple[str, str] | None, resumed: Resumed) -> tuple[UUID, str] | None:
    """What to say in this run, and what the log calls it."""
    if resumed.answer is not None:
        return key_of(session.id, f"{resumed.question}/{resumed.answer}"), resumed.answer
    if said is not None:
        return key_of(session.id, said[0]), said[1]
    return None


async def _say(
    request: Request,
    caller: Principal,
    session: AgentSession,
    body: RunInput,
    key: UUID,
    text: str,
    last_event_id: str | None,
) -> Run:
    ticket, batches = await talk.saying(request, caller, session.id, text, key)
    if ticket.again:
        await batches.aclose()
        run = _joined(request, caller, session, body.thread_id, body.run_id, last_event_id)
        run.names = names_of(session.id, body)
        return run
    names = names_of(session.id, body)
    return Run(
        services_of(request),
        caller,
        session,
        body.thread_id,
        body.run_id,
        batches,
        names=names,
        known=_known(body, names.get(key)),
    )


def _known(body: RunInput, just_said: str | None) -> frozenset[str]:
    unheard = ("system", "developer", "activity", "reasoning")
    return frozenset(one.id for one in body.messages if one.role not in unheard and one.id != just_said)


def _joined(
    request: Request,
    caller: Principal,
    session: AgentSession,
    thread_id: str,
    run_id: str,
    last_event_id: str | None,
    decided: int | None = None,
) -> Run:
    """What is left of the turn that is going on, if one is. After a decision: from there on."""
    services = services_of(request)
    seen = talk.resume_point(last_event_id, 0)
    after = seen or (decided if decided is not None else session.last_sequence)
    batches = talk.rest_of_turn(services, caller, session.id, after)
    return Run(
        services,
        caller,
        session,
        thread_id,
        run_id,
        batches,
        after=after,
        resumed=seen > 0,
    )


async def _decide(
    request: Request, caller: Principal, session: AgentSession, verdicts: tuple[Verdict, ...]
) -> int | None:
    """The number of the last event before the first decision; None when there is nothing new to decide."""
    if not verdicts:
        return None
    services = services_of(request)
    async with services.database.unit_of_work(caller.scope) as uow:
        decided = [
            done
            for verdict in verdicts
            if (done := await _decide_one(request, caller, uow, session, verdict)) is not None
        ]
        for one in decided:
            uow.after_commit(partial(go_on, request, one))
    return min(one.sequence for one in decided) - 1 if decided else None


async def _decide_one(
    request: Request, caller: Principal, uow: UnitOfWork, session: AgentSession, verdict: Verdict
) -> Decided | None:
    """None when the same was decided before: whoever sends it again joins what came of it."""
    services = services_of(request)
    row = await approval_decisions.get(uow, verdict.approval_id)
    if row.session_id != session.id:
        raise NotFound("There is no such approval.")
    if verdict.approve and verdict.arguments is not None:
        row, _ = await approval_decisions.edit(
            uow,
            services.log,
            caller,
            row.id,
            verdict.arguments,
            services.registry,
            services.settings.approval_time,
        )
    stated = verdict.args_hash if verdict.arguments is None else None
    decision = Decision(verdict.approve, stated or row.args_hash, verdict.reason)
    lease = services.turns.lease or approval_decisions.NOBODY_AT_ONCE
    try:
        return await approval_decisions.decide(uow, services.log, caller, row.id, decision, lease)
    except AlreadyDecided:
        same = row.state in ({"approved", "used"} if verdict.approve else {"denied"})
        if same and row.decided_by == caller.id:
            return None
        raise
