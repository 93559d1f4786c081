"""Delivering what tools left in the outbox: as often as it takes, always with the same key."""

import logging
from uuid import UUID

from sqlalchemy import select

from spotter.clock import now
from spotter.sessions.tables import OutboxMessage
from spotter.store.scope import Scope
from spotter.work.job import JobCall

log = logging.getLogger(__name__)

ATTEMPTS = 8


async def deliver(call: JobCall) -> None:
    """The outside may hear of it more than once after a crash; the key lets it recognise the repetition."""
    message_id = UUID(str(call.args["message_id"]))
    database = call.workshop.database
    scope = Scope(call.org_id, None, "service")
    async with database.unit_of_work(scope) as uow:
        message = await uow.session.scalar(select(OutboxMessage).where(OutboxMessage.id == message_id))
    if message is None or message.delivered_at is not None:
        return
    deliverer = call.workshop.deliverers.get(message.kind)
    try:
        if deliverer is None:
            raise LookupError(f"nothing here delivers messages of the kind {message.kind!r}")
        # No connection is held while the outside takes its time.
        await deliverer(message.payload, message.id)
    except Exception as error:
        await _record_failure(call, message_id, error)
        raise
    async with call.unit_of_work() as uow:
        delivered = await uow.session.scalar(select(OutboxMessage).where(OutboxMessage.id == message_id))
        assert delivered is not None
        delivered.delivered_at, delivered.attempts = now(), call.attempt


async def _record_failure(call: JobCall, message_id: UUID, error: Exception) -> None:
    """For people: what was tried, and whether it is given up. The queue decides about the next try."""
    async with call.workshop.database.unit_of_work(Scope(call.org_id, None, "service")) as uow:
        message = await uow.session.scalar(select(OutboxMessage).where(OutboxMessage.id == message_id))
        if message is not None:
            message.attempts, message.last_error = call.attempt, str(error)[:500]
            if call.attempt >= ATTEMPTS:
                message.failed_at = now()
