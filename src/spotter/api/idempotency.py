"""`Idempotency-Key`: the same request sent again gets the stored answer, not a second effect.

A claim is committed first, so that equal requests at the same moment wait for one of them. The answer is
stored in the transaction of the effect. A claim whose process died is taken over after a while; whoever lost
its claim meanwhile cannot commit. Answers are sealed: some hold tokens that are shown once.
"""

import asyncio
import json
import logging
import re
from base64 import b64decode, b64encode
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import psycopg
from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from sqlalchemy import delete, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import SQLAlchemyError
from starlette.exceptions import HTTPException

from spotter.api.access import optional_principal
from spotter.api.client_address import client_address
from spotter.api.problems import problem_response
from spotter.api.refusals import from_http_exception, from_validation_errors
from spotter.api.services import Services, services_of
from spotter.api.tables import IdempotentAnswer
from spotter.clock import now
from spotter.errors import Conflict, InvalidInput, SpotterError
from spotter.store.scope import NOBODY, Scope
from spotter.store.unit_of_work import UnitOfWork
from spotter.tasks import end_tasks

log = logging.getLogger(__name__)

HEADER = "Idempotency-Key"
REPLAYED = "Idempotent-Replayed"
_UNSAFE = frozenset({"POST", "PUT", "PATCH", "DELETE"})
_KEY = re.compile(r"[\x21-\x7e]{1,255}")
_CLAIM = timedelta(seconds=60)
_RENEW_EVERY = 20.0
_WAIT_AT_MOST = 30.0
_KEPT_HEADERS = ("content-type", "location", "retry-after", "www-authenticate", "set-cookie")
# A refused credential or limit says nothing about the request itself; the next try may well succeed.
_NOT_KEPT = frozenset({401, 408, 429})


class KeyReused(InvalidInput):
    code = "idempotency_key_reused"
    title = "This Idempotency-Key belongs to another request"


@dataclass(frozen=True, slots=True)
class Claim:
    """Whose key it is, and of which request."""

    services: Services
    scope: Scope
    caller: str
    key: str
    request_hash: str

    @property
    def context(self) -> str:
        return f"idempotency:{self.scope.org_id}/{self.caller}/{self.key}"

    @property
    def row(self) -> list[Any]:
        return [
            IdempotentAnswer.org_id == self.scope.org_id,
            IdempotentAnswer.user_id == (self.scope.user_id or NOBODY),
            IdempotentAnswer.caller == self.caller,
            IdempotentAnswer.key == self.key,
        ]


async def answer_once(request: Request, run: Callable[[], Awaitable[Response]]) -> Response:
    key = request.headers.get(HEADER)
    if key is None or request.method not in _UNSAFE:
        return await run()
    if not _KEY.fullmatch(key):
        raise InvalidInput(f"{HEADER} is 1 to 255 visible ASCII characters, e.g. a UUID.")
    claim = await _claim_of(request, key)
    async with _one_at_a_time(claim):
        stored = await _take_or_wait(claim)
        if isinstance(stored, Response):
            stored.headers[REPLAYED] = "true"
            return stored
        return await _run_claimed(request, claim, stored, run)


# Equal requests in this process queue here, without asking the database again and again: a hundred at once would
# keep every connection busy. The claim in the database does the same between processes, and is what counts.
_queues: dict[tuple[int, str], "_Queue"] = {}


@dataclass(slots=True)
class _Queue:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    users: int = 0


@asynccontextmanager
async def _one_at_a_time(claim: Claim) -> AsyncIterator[None]:
    place = (id(claim.services.database), claim.context)
    queue = _queues.setdefault(place, _Queue())
    queue.users += 1
    try:
        await _enter(queue.lock)
        try:
            yield
        finally:
            queue.lock.release()
    finally:
        queue.users -= 1
        if not queue.users:
            del _queues[place]


async def _enter(lock: asyncio.Lock) -> None:
    try:
        async with asyncio.timeout(_WAIT_AT_MOST):
            await lock.acquire()
    except TimeoutError:
        raise _still_working() from None


def _still_working() -> Conflict:
    return Conflict(
        "The first request with this Idempotency-Key is still being worked on. Ask again later.",
        retry_after=5,
    )


async def _claim_of(request: Request, key: str) -> Claim:
    services = services_of(request)
    principal = await optional_principal(request)
    if principal is None:
        scope, caller = Scope(NOBODY, NOBODY), f"address:{client_address(request.scope)}"
    else:
        scope, caller = principal.scope, principal.key
    asked = (request.method, request.url.path, request.url.query)
    digest = services.vault.digest(*(part.encode() for part in asked), await request.body())
    return Claim(services, scope, caller, key, digest)


async def _take_or_wait(claim: Claim) -> Response | datetime:
    """The stored answer, or the end of the claim we now hold."""
    loop = asyncio.get_running_loop()
    give_up, pause = loop.time() + _WAIT_AT_MOST, 0.02
    while True:
        outcome = await _try_take(claim)
        if outcome is not None:
            return outcome
        if loop.time() > give_up:
            raise _still_working()
        await asyncio.sleep(pause)
        pause = min(pause * 1.5, 0.5)


async def _try_take(claim: Claim) -> Response | datetime | None:
    until = now() + _CLAIM
    async with claim.services.database.unit_of_work(claim.scope) as uow:
        taken = await uow.session.execute(
            insert(IdempotentAnswer)
            .values(
                org_id=claim.scope.org_id,
                user_id=claim.scope.user_id or NOBODY,
                caller=claim.caller,
                key=claim.key,
                request_hash=claim.request_hash,
                claimed_until=until,
            )
            .on_conflict_do_nothing()
            .returning(IdempotentAnswer.key)
        )
        if taken.first() is not None:
            return until
        row = await uow.session.scalar(select(IdempotentAnswer).where(*claim.row))
        if row is None:
            return None  # released between the two statements: try again
        if row.request_hash != claim.request_hash:
            raise KeyReused("Another request was sent with this key before. Use a new key for a new request.")
        if row.status is not None:
            return _unseal(claim, row.sealed_answer or "")
        if row.claimed_until > now():
            return None
        log.warning("taking over an abandoned idempotency claim")
        return until if await _move_claim(uow, claim, row.claimed_until, until) else None


async def _run_claimed(
    request: Request, claim: Claim, until: datetime, run: Callable[[], Awaitable[Response]]
) -> Response:
    holder = _Holder(claim, until)
    request.state.keep_answer = holder.keep
    renewing = asyncio.create_task(holder.renew())
    try:
        response = await run()
    except (SpotterError, HTTPException, RequestValidationError) as error:
        response = _refusal(request, error)
        await holder.keep(response, None)
    finally:
        await end_tasks(renewing)
        if not holder.kept:
            await holder.release()
    return response


class _Holder:
    """Our claim while we work on the answer."""

    def __init__(self, claim: Claim, until: datetime) -> None:
        self._claim = claim
        self._until = until
        self._moving = asyncio.Lock()
        self.kept = False

    async def keep(self, response: Response, uow: UnitOfWork | None) -> None:
        """In the effect's transaction if there is one. Raises when the claim was lost: then nothing commits."""
        if response.status_code >= 500 or response.status_code in _NOT_KEPT or not hasattr(response, "body"):
            return
        if uow is None:
            async with self._claim.services.database.unit_of_work(self._claim.scope) as own:
                await self._store(own, response)
        else:
            assert uow.scope == self._claim.scope, "the answer belongs to the caller whose effect this is"
            await self._store(uow, response)
        self.kept = True

    async def _store(self, uow: UnitOfWork, response: Response) -> None:
        async with self._moving:  # not while a renewal is on its way: its new time would look like a loss
            done = await uow.session.execute(
                update(IdempotentAnswer)
                .where(
                    *self._claim.row,
                    IdempotentAnswer.claimed_until == self._until,
                    IdempotentAnswer.status.is_(None),
                )
                .values(status=response.status_code, sealed_answer=_seal(self._claim, response))
                .returning(IdempotentAnswer.key)
            )
        if done.first() is None:
            raise Conflict("Another process took over this request. Ask again for its answer.", retry_after=1)

    async def renew(self) -> None:
        while True:
            await asyncio.sleep(_RENEW_EVERY)
            try:
                async with self._moving:
                    await self._renew_once()
            except (SQLAlchemyError, psycopg.Error):
                # The next try may reach the database. If none does, the claim is lost and nothing commits.
                log.warning("an idempotency claim could not be renewed", exc_info=True)

    async def _renew_once(self) -> None:
        until = now() + _CLAIM
        async with self._claim.services.database.unit_of_work(self._claim.scope) as uow:
            moved = await _move_claim(uow, self._claim, self._until, until)
        if moved:
            self._until = until

    async def release(self) -> None:
        """Nothing was done and nothing stored: let the next try run."""
        async with self._claim.services.database.unit_of_work(self._claim.scope) as uow:
            await uow.session.execute(
                delete(IdempotentAnswer).where(
                    *self._claim.row,
                    IdempotentAnswer.claimed_until == self._until,
                    IdempotentAnswer.status.is_(None),
                )
            )


async def _move_claim(uow: UnitOfWork, claim: Claim, current: datetime, until: datetime) -> bool:
    moved = await uow.session.execute(
        update(IdempotentAnswer)
        .where(*claim.row, IdempotentAnswer.claimed_until == current, IdempotentAnswer.status.is_(None))
        .values(claimed_until=until)
        .returning(IdempotentAnswer.key)
    )
    return moved.first() is not None


def _refusal(request: Request, error: Exception) -> Response:
    """What the exception handlers would have answered."""
    if isinstance(error, SpotterError):
        return problem_response(error, request.scope)
    if isinstance(error, HTTPException):
        refusal, headers = from_http_exception(error, request.scope)
        return problem_response(refusal, request.scope, headers)
    assert isinstance(error, RequestValidationError)
    return problem_response(from_validation_errors(error.errors()), request.scope)


def _seal(claim: Claim, response: Response) -> str:
    headers = [[name, value] for name, value in response.headers.items() if name in _KEPT_HEADERS]
    content = {
        "status": response.status_code,
        "headers": headers,
        "body": b64encode(bytes(response.body)).decode(),
    }
    return claim.services.vault.seal(json.dumps(content), context=claim.context)


def _unseal(claim: Claim, sealed: str) -> Response:
    content = json.loads(claim.services.vault.open(sealed, context=claim.context))
    response = Response(b64decode(content["body"]), status_code=content["status"])
    for name, value in content["headers"]:
        if name == "set-cookie":
            response.raw_headers.append((b"set-cookie", value.encode("latin-1")))
        else:
            response.headers[name] = value
    return response
