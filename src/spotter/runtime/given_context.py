"""Giving a session the context of a page: its block becomes a `knowledge` event, its references resolve from then."""

from uuid import UUID

from spotter.context import snapshots
from spotter.errors import InvalidInput
from spotter.identity import projects
from spotter.runtime.guard import Guard
from spotter.runtime.outside import judged_knowledge
from spotter.sessions import directory
from spotter.sessions.events import Knowledge
from spotter.sessions.log import SessionLog
from spotter.store.unit_of_work import UnitOfWork

SOURCE = "context"


async def give_context(
    uow: UnitOfWork, log: SessionLog, guard: Guard, session_id: UUID, context_id: UUID
) -> int | None:
    """The number of its event; None when the session has this context already. Both must be the caller's own, and of
    one project: a session without one joins the context's."""
    session = await directory.own(uow, session_id)
    snapshot = await snapshots.get(uow, context_id)
    if session.project_id is None:
        if not (await projects.get(uow, snapshot.project_id)).is_default:
            session.project_id = snapshot.project_id
    elif session.project_id != snapshot.project_id:
        raise InvalidInput("This context is of another project than the session.")
    if not await snapshots.attach(uow, session_id, snapshot):
        return None
    fact = Knowledge(
        source=SOURCE,
        data={"context_id": str(snapshot.id), "page": snapshot.page},
        formatted=snapshot.block,
        reason="The page the person is looking at.",
        untrusted=snapshot.untrusted,
        private=True,
    )
    judged = judged_knowledge(fact, await guard.policy(uow.scope), guard.seen)
    done = await log.append(uow.scope, session_id, [judged], connection=await uow.driver())
    return done.last
