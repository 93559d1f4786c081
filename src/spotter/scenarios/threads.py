"""Threads: conversations that a client names itself (AG-UI). A name means its owner's and nobody else's."""

from typing import Final
from uuid import UUID

from spotter.errors import Conflict, NotFound
from spotter.identity.principal import Principal
from spotter.scenarios import program_sessions
from spotter.scenarios.book import Book
from spotter.scenarios.program_sessions import Wished
from spotter.sessions import directory
from spotter.sessions.log import SessionLog
from spotter.sessions.tables import AgentSession
from spotter.store.scope import NOBODY
from spotter.store.unit_of_work import UnitOfWork

_PREFIX: Final = "thread/"


async def find(uow: UnitOfWork, caller: Principal, thread_id: str) -> AgentSession:
    """By its id as a session, or by the caller's own name for it."""
    if (found := await _by_id(uow, thread_id)) is not None:
        return found
    return await directory.own(uow, program_sessions.own_id(caller, _PREFIX + thread_id))


async def open_one(
    uow: UnitOfWork, book: Book, caller: Principal, thread_id: str, scenario: str | None, agent: str | None
) -> AgentSession:
    """The one that is there, or a new one, with whom the client asks for."""
    try:
        begins = book.opening(scenario, agent)
    except NotFound:
        raise NotFound("There is no such agent or scenario.") from None
    found = await _by_id(uow, thread_id)
    session_id = program_sessions.own_id(caller, _PREFIX + thread_id)
    found = found or await program_sessions.known(uow, session_id)
    if found is None:
        return await directory.create(
            uow, begins.agent, session_id=session_id, scenario=begins.scenario, stage=begins.stage
        )
    if found.scenario != begins.scenario:
        place = f"the scenario {found.scenario!r}" if found.scenario else f"the agent {found.agent!r}"
        raise Conflict(f"This thread is with {place}. Go on there, or begin another thread.")
    return found


async def change(
    uow: UnitOfWork, log: SessionLog, book: Book, session: AgentSession, agent: str | None, model: str | None
) -> int | None:
    """Another agent or another model from the next message on. The number of the event that says so, if one does."""
    other = agent if agent is not None and agent != session.agent else ""
    kept = (session.overrides or {}).get("model")
    wished = Wished(name=other, model=model if model is not None and model != kept else "")
    if wished == Wished():
        return None
    return await program_sessions.change(uow, log, book, session, wished)


async def _by_id(uow: UnitOfWork, thread_id: str) -> AgentSession | None:
    """Somebody else's that the caller can see is refused: a thread is its person's. What they cannot see is not
    there, and the same word is free as a name of their own."""
    try:
        session = await directory.get(uow, UUID(thread_id))
    except (ValueError, NotFound):
        return None
    if session.user_id != (uow.scope.user_id or NOBODY):
        raise NotFound("There is no such session.")
    return session
