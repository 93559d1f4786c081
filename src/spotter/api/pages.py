"""Lists in pages: newest first, continued with an opaque cursor, so that what is added meanwhile neither
repeats nor hides anything."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Final, Generic, NamedTuple, TypeVar
from uuid import UUID

from fastapi import Depends, Query
from pydantic import BaseModel, Field

from spotter.errors import InvalidInput

T = TypeVar("T")
Row = TypeVar("Row")

MAX_LIMIT: Final = 200
DEFAULT_LIMIT: Final = 50
_MAX_CURSOR: Final = 200


class Cursor(NamedTuple):
    """The place after which the next page begins."""

    created_at: datetime
    id: UUID


class Page(BaseModel, Generic[T]):
    items: list[T]
    next_cursor: str | None = Field(description="give it as `cursor` for the next page; null on the last one")


def encode_cursor(created_at: datetime, id_: UUID) -> str:
    text = json.dumps([created_at.astimezone(UTC).isoformat(), id_.hex], separators=(",", ":"))
    return urlsafe_b64encode(text.encode()).decode().rstrip("=")


def decode_cursor(text: str) -> Cursor:
    try:
        cursor = _decode(text)
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise InvalidInput(
            "The cursor is not one of ours. Leave it out to begin with the first page."
        ) from error
    return cursor


def _decode(text: str) -> Cursor:
    if len(text) > _MAX_CURSOR:
        raise ValueError("too long")
    when, id_ = json.loads(urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4)))
    cursor = Cursor(datetime.fromisoformat(when), UUID(id_))
    # Exactly what we write, so that there is one spelling of each place and no surprise in any.
    if cursor.created_at.tzinfo is None or encode_cursor(*cursor) != text:
        raise ValueError("not canonical")
    return cursor


@dataclass(frozen=True)
class PageRequest:
    limit: int
    after: Cursor | None


async def _page_request(
    limit: Annotated[int, Query(ge=1, le=MAX_LIMIT, description="how many at most")] = DEFAULT_LIMIT,
    cursor: Annotated[
        str | None, Query(max_length=_MAX_CURSOR, description="`next_cursor` of the page before")
    ] = None,
) -> PageRequest:
    return PageRequest(limit, decode_cursor(cursor) if cursor else None)


PageParams = Annotated[PageRequest, Depends(_page_request)]


def page_of(
    rows: Sequence[Row], request: PageRequest, *, item: Callable[[Row], T], place: Callable[[Row], Cursor]
) -> Page[T]:
    """From `limit + 1` rows: the one too many only tells that there are more."""
    shown = rows[: request.limit]
    last = place(shown[-1]) if len(rows) > request.limit else None
    return Page(items=[item(row) for row in shown], next_cursor=encode_cursor(*last) if last else None)
