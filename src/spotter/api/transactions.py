"""One request, one transaction. Routes of this class commit when the answer is made, or not at all.

A route that takes `Transaction` gets a unit of work opened for its caller; the route class commits it, and
with it the stored answer if the request had an Idempotency-Key. So there is no moment at which the effect
is there and the answer is not. A route that does not take it (a turn that waits for a model) holds nothing.
"""

import asyncio
import random
import sys
from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from fastapi import Depends, Request, Response
from fastapi.routing import APIRoute
from sqlalchemy.exc import DBAPIError
from typing_extensions import override

from spotter.api.access import Caller
from spotter.api.idempotency import answer_once
from spotter.api.services import services_of
from spotter.store.faults import is_safe_to_retry
from spotter.store.unit_of_work import UnitOfWork

_TRIES = 3
Handler = Callable[[Request], Awaitable[Response]]


async def _open(request: Request, caller: Caller) -> UnitOfWork:
    return await open_transaction(request, services_of(request).database.unit_of_work(caller.scope))


async def open_transaction(request: Request, unit: UnitOfWork) -> UnitOfWork:
    """Makes `unit` the request's own. The route class ends it."""
    assert getattr(request.state, "unit_of_work", None) is None, "a request has one transaction"
    await unit.__aenter__()
    request.state.unit_of_work = unit
    request.state.had_transaction = True
    return unit


Transaction = Annotated[UnitOfWork, Depends(_open)]


class TransactionalRoute(APIRoute):
    @override
    def get_route_handler(self) -> Callable[[Request], Any]:
        original = super().get_route_handler()

        async def once(request: Request) -> Response:
            return await answer_once(request, lambda: _with_second_tries(request, original))

        return once


async def _with_second_tries(request: Request, handler: Handler) -> Response:
    """Again when the database says that nothing happened (two transactions in each other's way). Only for
    routes whose whole effect is the request's transaction: of others nobody knows what is done already."""
    for attempt in range(1, _TRIES + 1):
        try:
            return await _commit_with_answer(request, handler)
        except DBAPIError as error:
            had_transaction = getattr(request.state, "had_transaction", False)
            if attempt == _TRIES or not had_transaction or not is_safe_to_retry(error):
                raise
        await asyncio.sleep(random.uniform(0.01, 0.05) * attempt)  # noqa: S311 - spreads tries, guards nothing
    raise AssertionError("the loop returns or raises")


async def _commit_with_answer(request: Request, handler: Handler) -> Response:
    try:
        response = await handler(request)
        if (keep := getattr(request.state, "keep_answer", None)) is not None:
            await keep(response, getattr(request.state, "unit_of_work", None))
    except BaseException:
        await _end(request, *sys.exc_info())
        raise
    await _end(request, None, None, None)
    return response


async def _end(request: Request, *error: Any) -> None:
    unit: UnitOfWork | None = getattr(request.state, "unit_of_work", None)
    request.state.unit_of_work = None
    if unit is not None:
        await unit.__aexit__(*error)
