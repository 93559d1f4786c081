"""What whoever opens a turn holds of it, and how it is told that the turn is over."""

import asyncio
from dataclasses import dataclass
from uuid import UUID

from spotter.errors import Unavailable
from spotter.sessions.events import Ending
from spotter.store.faults import as_spotter_error


@dataclass(frozen=True, slots=True)
class Ticket:
    """Something was said; everything about it comes after the event `after`. `done` is set when its turn runs in
    this process."""

    session_id: UUID
    message_id: UUID
    after: int
    done: "asyncio.Future[Ending] | None" = None
    again: bool = False
    """It was said before: this is the first one's."""


def is_outage(error: Exception) -> bool:
    return isinstance(error, Unavailable) or isinstance(as_spotter_error(error), Unavailable)


def settle(waiting: "asyncio.Future[Ending] | None", ending: Ending | None) -> None:
    if waiting is None or waiting.done():
        return
    if ending is None:
        waiting.cancel()
    else:
        waiting.set_result(ending)
