"""A worker that delivers the outbox: it posts each payload to the address it finds there, under its key."""

import asyncio
import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

import httpx

from spotter.app import ground, house
from spotter.settings import Settings
from spotter.work.jobs import JOBS
from spotter.work.worker import Worker


async def post(payload: Mapping[str, Any], key: UUID) -> None:
    async with httpx.AsyncClient(timeout=60) as http:
        answer = await http.post(
            str(payload["url"]), json=dict(payload), headers={"Idempotency-Key": str(key)}
        )
        answer.raise_for_status()


async def main() -> None:
    async with ground(Settings()) as base, house(base) as home:
        await Worker(replace(home.workshop, deliverers={"post": post}), JOBS).start()
        print("working", file=sys.stderr, flush=True)
        await asyncio.Event().wait()


asyncio.run(main())
