"""A run of the worker never hangs for ever: one that shows no sign of life is ended, and another begins."""

import asyncio
import logging
from typing import Any, Final

from spotter.store.bus import Bus

log = logging.getLogger(__name__)

LOOK_EVERY: Final = 1.0
_INSIST: Final = 2.0


class Stuck(Exception):
    """The database was there, and the run did nothing."""


class Pulse:
    """Counted in looks, not in seconds: a process that stood still has not been silent."""

    def __init__(self) -> None:
        self.silent_looks = 0

    def beat(self) -> None:
        self.silent_looks = 0


async def watched(run: asyncio.Task[None], pulse: Pulse, bus: Bus, *, longest_silence: float) -> None:
    """Ends as the run does, or with `Stuck` and the run asked to end; see `end_run`."""
    while not run.done():
        await asyncio.wait({run}, timeout=LOOK_EVERY)
        pulse.silent_looks += 1
        if not bus.connected:
            pulse.beat()
        if pulse.silent_looks * LOOK_EVERY > longest_silence and not run.done():
            run.cancel()
            await asyncio.wait({run}, timeout=LOOK_EVERY)
            raise Stuck
    await run


async def end_run(run: asyncio.Task[Any], *, grace: float) -> None:
    """The first cancellation asks Procrastinate to finish its jobs, the second ends what it waits for. Whatever
    does not end is left behind: its worker holds no lock any more, so its jobs are handed back."""
    for patience in (grace, grace, _INSIST):
        if run.done():
            break
        run.cancel()
        await asyncio.wait({run}, timeout=patience)
    if not run.done():
        log.error("a run of the worker does not end and is left behind")
    elif not run.cancelled() and (error := run.exception()) is not None:
        log.debug("a run of the worker ended with %r", error)
