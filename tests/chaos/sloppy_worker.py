"""A worker as it must not be: its job commits the effect without the receipt. The crash tests have to notice."""

import asyncio
import sys

from spotter.app import ground, house
from spotter.identity import audit
from spotter.settings import Settings
from spotter.store.scope import Scope
from spotter.work.job import Job, JobCall
from spotter.work.worker import Worker


async def effect_without_receipt(call: JobCall) -> None:
    async with call.workshop.database.unit_of_work(Scope(call.org_id, None, "service")) as uow:
        await audit.record(uow, "selftest.ran", target=str(call.args["label"]))
    await asyncio.sleep(float(call.args["pause"]))


async def main() -> None:
    async with ground(Settings()) as base, house(base) as home:
        await Worker(home.workshop, (Job("test.sloppy", effect_without_receipt),)).start()
        print("working", file=sys.stderr, flush=True)
        await asyncio.Event().wait()


asyncio.run(main())
