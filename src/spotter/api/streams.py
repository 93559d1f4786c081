"""Events as they go over the wire: server-sent events and WebSocket messages have the same content."""

from collections import OrderedDict
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from functools import lru_cache
from typing import Any, Final

from pydantic_core import to_json
from starlette.responses import StreamingResponse

from spotter.runtime.watch import Item, Said
from spotter.sessions.codec import Event

HEARTBEAT_SECONDS: Final = 15.0
_KEPT: Final = 128
STREAM_HEADERS: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


def event_json(event: Event) -> dict[str, Any]:
    return {
        "sequence": event.sequence,
        "type": event.type,
        "at": event.at.isoformat(),
        "content": event.content.model_dump(mode="json", exclude_defaults=True),
    }


def message_of(item: Item) -> dict[str, Any]:
    """One message of a stream. Only events have a sequence number: they are what a reader resumes from."""
    if isinstance(item, Event):
        return event_json(item)
    return {"type": "delta", "key": item.key, "offset": item.offset, "text": item.text}


class _Encoded:
    """What was encoded last, for the readers of a session who are all told the same. Known by the item itself, not
    by its number: who may not see an event, or sees it erased, has read another item."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._known: OrderedDict[int, tuple[Event, bytes]] = OrderedDict()

    def event(self, event: Event) -> bytes:
        found = self._known.get(id(event))
        if found is None:  # while it is kept, nothing else has its id
            found = self._known[id(event)] = (event, _encode(event))
            if len(self._known) > self._size:
                self._known.popitem(last=False)
        return found[1]


_EVENTS: Final = _Encoded(_KEPT)


@lru_cache(_KEPT)
def _said(said: Said) -> bytes:
    return _encode(said)


def _encode(item: Item) -> bytes:
    message = message_of(item)
    head = f"id: {message['sequence']}\n" if isinstance(item, Event) else ""
    return f"{head}event: {message['type']}\n".encode() + b"data: " + to_json(message) + b"\n\n"


def sse(items: list[Item]) -> bytes:
    return b"".join(_EVENTS.event(item) if isinstance(item, Event) else _said(item) for item in items)


async def _with_heartbeats(batches: AsyncGenerator[list[Item], None]) -> AsyncIterator[bytes]:
    """A comment for each silence, so that proxies keep the stream and we notice readers who left."""
    async with aclosing(batches):
        async for batch in batches:
            yield sse(batch) if batch else b": still here\n\n"


def event_stream(batches: AsyncGenerator[list[Item], None]) -> StreamingResponse:
    """Of batches with an empty one every `HEARTBEAT_SECONDS` of silence."""
    return StreamingResponse(
        _with_heartbeats(batches), media_type="text/event-stream", headers=STREAM_HEADERS
    )
