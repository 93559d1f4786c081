"""Sessions that programs keep: called by whatever name the program likes, with instructions and a model of its own
if it may bring them (B8, B9)."""

from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID, uuid5

from sqlalchemy import select, text

from spotter.errors import Conflict, NotFound
from spotter.identity import audit
from spotter.identity.principal import Principal
from spotter.scenarios.book import Book
from spotter.scenarios.builtin_files import ASSISTANT
from spotter.sessions import directory
from spotter.sessions.events import Handoff
from spotter.sessions.log import SessionLog
from spotter.sessions.tables import AgentSession
from spotter.store.unit_of_work import UnitOfWork

_SESSIONS: Final = UUID("6a1e5b3e-0d1c-4d7e-8f51-9a0d4c7a2f18")
_LOCK: Final = 7271
_ONE_AT_A_TIME: Final = text(f"SELECT pg_advisory_xact_lock({_LOCK}, uuid_hash(:id))")
_NAME: Final = "agent_name"


@dataclass(frozen=True, slots=True)
class Wished:
    """Who should answer, as the program says it. A name that is no agent's is only a name: the assistant answers by
    it, with the program's instructions."""

    name: str = ""
    instructions: str = ""
    model: str = ""

    @property
    def brings(self) -> list[str]:
        """What needs the builder's permission."""
        return [name for name in ("instructions", "model") if getattr(self, name)]

    def overrides(self, agent: str) -> dict[str, str]:
        """As a session keeps them: instructions are for one agent, also when another one goes on."""
        given = {name: getattr(self, name) for name in self.brings}
        return {**given, "agent": agent} if self.instructions else given


def own_id(caller: Principal, name: str) -> UUID:
    """The same name from the same caller is the same session; from anybody else it is another one."""
    return uuid5(_SESSIONS, f"{caller.org_id}/{caller.key}/{name}")


async def known(uow: UnitOfWork, session_id: UUID) -> AgentSession | None:
    """If it is there. Whoever asks next waits until this transaction has ended: it may make it."""
    await uow.session.execute(_ONE_AT_A_TIME, {"id": session_id})
    found = await uow.session.scalar(select(AgentSession).where(AgentSession.id == session_id))
    if found is not None and found.erased_at is not None:
        raise Conflict("The session of this name was erased. Use another name.")
    return found


async def create(
    uow: UnitOfWork, book: Book, session_id: UUID, wished: Wished, *, trial: bool = False
) -> AgentSession:
    """Or the one that is there already, as it is."""
    if (found := await known(uow, session_id)) is not None:
        return found
    agent = wished.name if wished.name in book.agents else ASSISTANT
    return await directory.create(
        uow,
        agent,
        session_id=session_id,
        details={_NAME: wished.name or agent, **directory.trial_mark(trial)},
        overrides=wished.overrides(agent),
    )


async def find(uow: UnitOfWork, caller: Principal, name: str) -> AgentSession:
    """By the program's own name for it, or by its id. Only the caller's own."""
    for session_id in (own_id(caller, name), _as_id(name)):
        if session_id is not None:
            try:
                return await directory.own(uow, session_id)
            except NotFound:
                continue
    raise NotFound("There is no such session.")


async def change(
    uow: UnitOfWork, log: SessionLog, book: Book, session: AgentSession, wished: Wished
) -> int | None:
    """From the next message on. The number of the event that says so, where somebody else answers then."""
    agent = wished.name if wished.name in book.agents else session.agent
    overrides: dict[str, Any] = {**(session.overrides or {}), **wished.overrides(agent)}
    session.overrides = overrides or None
    if wished.name:
        session.details = {**session.details, _NAME: wished.name}
    fields = [*wished.brings, *(["name"] if wished.name else [])]
    await audit.record(uow, "session.overridden", target=str(session.id), detail={"fields": fields})
    await uow.session.flush()
    if wished.name not in book.agents or wished.name == session.agent:
        return None
    book.require_choice(session.scenario, wished.name)
    moved = Handoff(from_agent=session.agent, to_agent=wished.name, reason="The program asked for it.")
    done = await log.append(uow.scope, session.id, [moved], connection=await uow.driver())
    return done.last


def name_in(session: AgentSession) -> str:
    return str(session.details.get(_NAME) or session.agent)


def _as_id(name: str) -> UUID | None:
    try:
        return UUID(name)
    except ValueError:
        return None
