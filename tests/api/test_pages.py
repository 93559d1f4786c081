from base64 import urlsafe_b64encode
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, suppress
from datetime import UTC, datetime, timedelta, timezone
from uuid import UUID

import httpx
import pytest
from fastapi import FastAPI
from hypothesis import given
from hypothesis import strategies as st

from spotter.api.pages import Cursor, Page, PageParams, decode_cursor, encode_cursor, page_of
from spotter.api.problems import install_problem_handlers
from spotter.errors import InvalidInput

Call = Callable[..., AbstractAsyncContextManager[httpx.AsyncClient]]

zones = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
moments = st.datetimes(datetime(1970, 1, 2), datetime(9999, 12, 30), timezones=zones)  # noqa: DTZ001


@given(moments, st.uuids())
def test_a_cursor_comes_back_as_it_was(created_at: datetime, id_: UUID) -> None:
    text = encode_cursor(created_at, id_)
    assert decode_cursor(text) == (created_at, id_)
    assert decode_cursor(text).created_at.tzinfo is UTC
    assert text.replace("-", "").replace("_", "").isalnum()


@given(st.text(max_size=300))
def test_any_text_is_a_cursor_or_invalid_input(text: str) -> None:
    with suppress(InvalidInput):
        decode_cursor(text)


@given(moments, st.uuids(), st.data())
def test_a_changed_cursor_is_refused_or_another_place(
    created_at: datetime, id_: UUID, data: st.DataObject
) -> None:
    text = encode_cursor(created_at, id_)
    position = data.draw(st.integers(0, len(text) - 1))
    changed = text[:position] + data.draw(st.characters()) + text[position + 1 :]
    try:
        cursor = decode_cursor(changed)
    except InvalidInput:
        return
    assert encode_cursor(*cursor) == changed


@pytest.mark.parametrize(
    "content",
    [
        b"[]",
        b"null",
        b"[1,2]",
        b'["2026-01-01T00:00:00","00000000000070008000000000000000"]',
        b'["2026-01-01T00:00:00+00:00","x"]',
        b'["2026-01-01T00:00:00+00:00", "00000000000070008000000000000000"]',
        b"[" * 100,
        b"\xff",
    ],
)
def test_other_things_in_the_same_clothes(content: bytes) -> None:
    with pytest.raises(InvalidInput):
        decode_cursor(urlsafe_b64encode(content).decode().rstrip("="))


START = datetime(2026, 1, 1, tzinfo=UTC)
ROWS = [Cursor(START - timedelta(minutes=n), UUID(int=n)) for n in range(7)]


def make_app() -> FastAPI:
    app = FastAPI()
    install_problem_handlers(app)

    @app.get("/things")
    async def read(page: PageParams) -> Page[int]:
        rows = [row for row in ROWS if page.after is None or row < page.after]
        return page_of(rows[: page.limit + 1], page, item=lambda row: row.id.int, place=lambda row: row)

    return app


@pytest.mark.parametrize("limit", [1, 3, 6, 7, 8])
async def test_pages_show_everything_once(call: Call, limit: int) -> None:
    seen: list[int] = []
    cursor: str | None = ""
    async with call(make_app()) as client:
        while cursor is not None:
            answer = (await client.get("/things", params={"limit": limit, "cursor": cursor})).json()
            seen += answer["items"]
            cursor = answer["next_cursor"]
    assert seen == list(range(7))


@pytest.mark.parametrize("query", ["limit=0", "limit=201", "limit=x", "cursor=abc", f"cursor={'a' * 201}"])
async def test_wrong_parameters(call: Call, query: str) -> None:
    async with call(make_app()) as client:
        answer = await client.get(f"/things?{query}")
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_input")
