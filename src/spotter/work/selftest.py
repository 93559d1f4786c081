"""A job that proves the queue works: it records one audit entry, however often it is interrupted."""

import asyncio

from spotter.identity import audit
from spotter.work.job import JobCall


async def count(call: JobCall) -> None:
    """`pause` seconds of work before and after the effect is written give a crash something to hit."""
    pause = float(call.args.get("pause") or 0)
    await asyncio.sleep(pause)
    async with call.unit_of_work() as uow:
        await audit.record(uow, "selftest.ran", target=str(call.args.get("label", "")))
        await asyncio.sleep(pause)
