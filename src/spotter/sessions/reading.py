"""One read for everybody who waits for the same: a thousand readers of a session cost as much as one."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias
from uuid import UUID

from spotter.sessions.codec import Event
from spotter.store.scope import Scope


@dataclass(frozen=True, slots=True)
class Wish:
    """What to read, and as whom: only those who may see the same share."""

    scope: Scope
    session_id: UUID
    after: int
    limit: int


Read: TypeAlias = Callable[[Wish], Awaitable[list[Event]]]
_Asked: TypeAlias = "asyncio.Future[list[Event]]"


class SharedReads:
    """Who asks while a read is going on gets the next one, never that one: it may have begun before the event they
    were told of."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._asked: dict[Wish, list[_Asked]] = {}
        self._serving: set[asyncio.Task[None]] = set()

    async def read(self, wish: Wish) -> list[Event]:
        asked = self._asked.get(wish)
        if asked is not None:
            answer: _Asked = asyncio.get_running_loop().create_future()
            asked.append(answer)
            return await answer
        self._asked[wish] = asked = []
        try:
            return await self._read(wish)
        finally:
            if asked:
                task = asyncio.create_task(self._serve(wish))
                self._serving.add(task)
                task.add_done_callback(self._serving.discard)
            else:
                del self._asked[wish]

    async def _serve(self, wish: Wish) -> None:
        while asked := self._asked[wish]:
            self._asked[wish] = []
            try:
                events = await self._read(wish)
            except BaseException as error:  # noqa: BLE001 - it is theirs who asked
                for answer in asked:
                    if not answer.done():
                        answer.set_exception(_own(error))
            else:
                for answer in asked:
                    if not answer.done():
                        answer.set_result(events)
        del self._asked[wish]


def _own(error: BaseException) -> BaseException:
    return ConnectionError("the read was stopped") if isinstance(error, asyncio.CancelledError) else error
