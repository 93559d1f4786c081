"""Workouts from another app's file, by hand: Strong and Hevy. `spotter import` does the same on the command line."""

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated
from zoneinfo import ZoneInfo

from fastapi import Header, Query, Request
from pydantic import BaseModel, Field
from pydantic_core import to_json
from starlette.responses import StreamingResponse

from spotter.api.access import Caller
from spotter.api.routing import router
from spotter.api.services import Services, services_of
from spotter.api.streams import STREAM_HEADERS
from spotter.clock import now
from spotter.errors import InvalidInput
from spotter.identity import audit
from spotter.identity.organisations import get_organisation
from spotter.identity.principal import Principal
from spotter.runtime.imported_text import screen_by
from spotter.tasks import end_tasks
from spotter.training import badge_log, importing, own_exercises
from spotter.training.importing import LOGS, Contents, Stored

routes = router("import", prefix="/api/training/import")

PATH = "/api/training/import"
LARGEST = 20_000_000
_TEXT = {"text/csv": {"schema": {"type": "string", "format": "binary"}}}


class Import(BaseModel):
    source: str = Field(description="the app it came from")
    workouts: int
    sets: int
    added: int
    added_sets: int
    already_there: int
    skipped: dict[str, int] = Field(description="what was left out, by reason")
    unknown_exercises: list[str] = Field(
        description="kept under their own names, but nothing is planned from them"
    )


@routes.post(
    "",
    responses={200: {"content": {"text/event-stream": {}}}},
    openapi_extra={"requestBody": {"content": _TEXT, "required": True}},
)
async def import_workouts(
    request: Request,
    caller: Caller,
    pounds: Annotated[bool, Query(description="weights without a unit are pounds")] = False,
    accept: Annotated[str, Header()] = "application/json",
) -> Import:
    """The whole file as the body. What was imported before is passed over. With `Accept: text/event-stream` it tells
    how far it is: `{done, of}`, at last the report. Names and notes are checked like all text from outside: what is
    not safe to keep is left out and counted, the numbers stay."""
    caller.require_person()
    services = services_of(request)
    async with services.database.unit_of_work(caller.scope) as uow:
        zone = ZoneInfo((await get_organisation(uow)).timezone)
        book = await own_exercises.book_for(uow)
    screen = screen_by(await services.moderation.policy(caller.scope), services.moderation.seen)
    reader = importing.Reader(book, zone, now(), screen, pounds)
    contents = await asyncio.to_thread(reader.understand, await request.body(), "The file")
    if contents.source not in LOGS:
        raise InvalidInput("This is no export of Strong or Hevy. Nothing was imported.")
    if "text/event-stream" in accept:
        return StreamingResponse(  # type: ignore[return-value]
            _telling(services, caller, contents), media_type="text/event-stream", headers=STREAM_HEADERS
        )
    return _report(contents, await _store(services, caller, contents, asyncio.Queue()))


async def _telling(services: Services, caller: Principal, contents: Contents) -> AsyncIterator[bytes]:
    steps: asyncio.Queue[int | None] = asyncio.Queue()
    storing = asyncio.create_task(_store(services, caller, contents, steps))
    done = 0
    try:
        while (more := await steps.get()) is not None:
            done += more
            yield b"data: " + to_json({"done": done, "of": len(contents)}) + b"\n\n"
        yield b"data: " + to_json(_report(contents, await storing)) + b"\n\n"
    finally:
        await end_tasks(storing)


async def _store(
    services: Services, caller: Principal, contents: Contents, steps: "asyncio.Queue[int | None]"
) -> Stored:
    try:
        stored = await importing.store(services.database, caller.scope, contents, steps.put_nowait)
        async with services.database.unit_of_work(caller.scope) as uow:
            detail = {"source": contents.source, "added": stored.added, "not_safe": contents.not_safe}
            await audit.record(uow, "training.imported", detail=detail)
            await badge_log.award(uow)
        return stored
    finally:
        steps.put_nowait(None)


def _report(contents: Contents, stored: Stored) -> Import:
    return Import(
        source=contents.source,
        workouts=len(contents),
        sets=contents.sets,
        added=stored.added,
        added_sets=stored.added_sets,
        already_there=stored.there,
        skipped=dict(contents.report.reasons),
        unknown_exercises=[name for name, _ in contents.unmatched.most_common(50)],
    )
