"""Ending background tasks for sure."""

import asyncio
import logging
from typing import Any, Final

log = logging.getLogger(__name__)

_ASK_AGAIN: Final = 1.0


async def end_tasks(*tasks: asyncio.Task[Any] | None) -> None:
    """Cancels and waits until they have ended. More than once if need be: a cancellation can get lost (Python 3.11's
    `asyncio.wait_for` drops one that comes just as its work completes)."""
    begun = [task for task in tasks if task is not None]
    left = {task for task in begun if not task.done()}
    while left:
        for task in left:
            task.cancel()
        _, left = await asyncio.wait(left, timeout=_ASK_AGAIN)
    for task in begun:
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("a background task had broken: %s", task.get_name(), exc_info=error)
