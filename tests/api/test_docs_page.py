from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from html.parser import HTMLParser

import httpx
from fastapi import APIRouter, Depends, FastAPI
from fastapi.security import HTTPBearer
from pydantic import BaseModel, EmailStr, Field
from typing_extensions import override

from spotter.api.docs_page import docs_router, render_docs

Call = Callable[..., AbstractAsyncContextManager[httpx.AsyncClient]]


class Member(BaseModel):
    name: str = Field(examples=["D'Arcy"])
    email: EmailStr
    friends: list["Member"] = []
    parent: "Member | None"


def make_app() -> FastAPI:
    app = FastAPI(title="Spotter <b>", docs_url=None, redoc_url=None)
    router = APIRouter(prefix="/api/members", tags=["members & <friends>"])

    @router.post("", summary="Add <script>alert(1)</script>")
    async def add(member: Member) -> Member:
        """Adds a member.

        <img src=x onerror=alert(1)>
        """
        return member

    @router.get("/{member_id}")
    async def read(member_id: int, verbose: bool = False) -> None: ...

    app.include_router(router)
    app.include_router(docs_router(app))
    return app


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))


async def test_the_page_needs_nothing_from_outside(call: Call) -> None:
    async with call(make_app()) as client:
        page = await client.get("/docs")
        tags = Tags()
        tags.feed(page.text)
        names = {tag for tag, _ in tags.seen}
        assert not names & {"script", "style", "img", "iframe", "form", "b"}
        for _, attributes in tags.seen:
            assert not any(name == "style" or name.startswith("on") for name in attributes)
        links = [attributes["href"] or "" for _, attributes in tags.seen if "href" in attributes]
        assert all(link.startswith(("/", "#")) for link in links)
        ids = {attributes.get("id") for _, attributes in tags.seen}
        assert all(link[1:] in ids for link in links if link.startswith("#"))
        style = await client.get("/docs/style.css")
        assert (style.status_code, style.headers["content-type"]) == (200, "text/css; charset=utf-8")
        assert "prefers-color-scheme: dark" in style.text
        assert "http" not in style.text
        assert (await client.get("/openapi.json")).status_code == 200


async def test_the_page_lists_the_routes(call: Call) -> None:
    async with call(make_app()) as client:
        text = (await client.get("/docs")).text
    assert "members &amp; &lt;friends&gt;" in text
    assert "/api/members/{member_id}" in text
    assert "verbose" in text
    assert "curl -X POST" in text
    assert "ana@example.com" in text
    assert "D&#x27;\\&#x27;&#x27;Arcy" in text
    assert '"$ref"' not in text


async def test_new_routes_appear(call: Call) -> None:
    app = make_app()
    async with call(app) as client:
        assert "/api/later" not in (await client.get("/docs")).text

        @app.get("/api/later")
        async def later() -> None: ...

        assert "/api/later" in (await client.get("/docs")).text


def test_a_token_is_shown_where_one_is_needed() -> None:
    app = FastAPI()
    app.get("/private", dependencies=[Depends(HTTPBearer())])(lambda: None)
    assert "Bearer $SPOTTER_TOKEN" in render_docs(app.openapi())


def test_an_empty_document() -> None:
    assert "no routes yet" in render_docs(FastAPI().openapi())
