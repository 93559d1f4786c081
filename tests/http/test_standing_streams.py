"""Who may no longer read is told nothing more: open streams end within five seconds, whatever they travel on (S4)."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from typing import Any
from uuid import UUID

import httpx
import pytest
from psycopg import sql
from starlette.types import Message, Receive, Scope, Send
from websockets.asyncio.client import ClientConnection

from spotter.api.standing_streams import StandingStreams
from spotter.app import House
from spotter.identity import standing
from spotter.identity.principal import ALL_SCOPES, Principal, Role, WidgetGrant
from spotter.identity.standing import Standing
from spotter.ids import new_id
from spotter.store.database import Database
from tests.http.actions import PASSWORD, Desk, create_key
from tests.http.conftest import Superuser
from tests.http.test_push import connected, new_session, ticket_for
from tests.support.people import Gym, Person

PROMISED = 5.0
ON_A_BUSY_MACHINE = 10.0
"""More than is promised: what is tested is that they end, and `EVERY` says when."""

Ending = Callable[[httpx.AsyncClient, Gym, Person], Awaitable[httpx.Response]]


@asynccontextmanager
async def followed(
    http: httpx.AsyncClient, session_id: str, headers: Mapping[str, str]
) -> AsyncIterator[httpx.Response]:
    wanted = {**headers, "Accept": "text/event-stream"}
    async with http.stream("GET", f"/api/sessions/{session_id}/events", headers=wanted, timeout=60) as answer:
        assert answer.status_code == 200
        yield answer


async def is_over(stream: httpx.Response, within: float = PROMISED + ON_A_BUSY_MACHINE) -> bool:
    try:
        async with asyncio.timeout(within):
            await stream.aread()
    except TimeoutError:
        return False
    return True


async def closed_with(socket: ClientConnection) -> int | None:
    async with asyncio.timeout(PROMISED + ON_A_BUSY_MACHINE):
        await socket.wait_closed()
    return socket.close_code


async def session_of_key(http: httpx.AsyncClient, headers: Mapping[str, str]) -> str:
    made = await http.post("/api/sessions", json={}, headers=headers)
    assert made.status_code == 201, made.text
    return str(made.json()["id"])


def test_a_look_and_a_pause_fit_into_what_is_promised() -> None:
    assert 2 * standing.EVERY < PROMISED


async def test_a_revoked_key_ends_its_event_streams_and_no_other(http: httpx.AsyncClient, gym: Gym) -> None:
    revoked, kept = [await create_key(http, gym.owner, ["read", "write"]) for _ in range(2)]
    session_id = await session_of_key(http, kept.headers)
    async with AsyncExitStack() as streams:
        ended = await streams.enter_async_context(followed(http, session_id, revoked.headers))
        others = [
            await streams.enter_async_context(followed(http, session_id, kept.headers)),
            await streams.enter_async_context(
                followed(http, await new_session(http, gym.member), gym.member.headers)
            ),
        ]
        gone = await http.delete(f"/api/api-keys/{revoked.id}", headers=gym.owner.headers)
        assert gone.status_code == 204
        assert await is_over(ended)
        assert not any(
            await asyncio.gather(*(is_over(other, within=standing.EVERY * 1.5) for other in others))
        )


async def test_a_revoked_key_ends_its_web_socket(http: httpx.AsyncClient, gym: Gym) -> None:
    key = await create_key(http, gym.owner, ["read", "write"])
    path = f"/api/sessions/{await session_of_key(http, key.headers)}/ws"
    async with connected(http, path, additional_headers=key.headers) as socket:
        gone = await http.delete(f"/api/api-keys/{key.id}", headers=gym.owner.headers)
        assert gone.status_code == 204
        assert await closed_with(socket) == 4401


async def test_signing_out_ends_what_a_ticket_opened(http: httpx.AsyncClient, gym: Gym) -> None:
    ticket = await ticket_for(http, gym.member)
    async with connected(http, f"{ticket['path']}?ticket={ticket['ticket']}") as socket:
        assert (await http.post("/api/auth/sign-out", headers=gym.member.headers)).status_code == 204
        assert await closed_with(socket) == 4401


async def _remove(http: httpx.AsyncClient, gym: Gym, person: Person) -> httpx.Response:
    return await http.delete(f"/api/members/{person.user_id}", headers=gym.owner.headers)


async def _change_role(http: httpx.AsyncClient, gym: Gym, person: Person) -> httpx.Response:
    path = f"/api/members/{person.user_id}"
    return await http.patch(path, json={"role": "staff"}, headers=gym.owner.headers)


async def _change_password(http: httpx.AsyncClient, gym: Gym, person: Person) -> httpx.Response:
    body = {"new_password": f"another {PASSWORD}"}
    return await http.post("/api/me/password", json=body, headers=person.headers)


@pytest.mark.parametrize("change", [_remove, _change_role, _change_password], ids=lambda f: f.__name__)
async def test_what_ends_a_sign_in_ends_its_streams(
    http: httpx.AsyncClient, gym: Gym, desk: Desk, change: Ending
) -> None:
    person = await desk.add(gym, Role.MEMBER)
    async with followed(http, await new_session(http, person), person.headers) as stream:
        changed = await change(http, gym, person)
        assert changed.is_success, changed.text
        assert await is_over(stream)


class Streams:
    """What would be ended, and how often the database is asked."""

    def __init__(self, home: House, monkeypatch: pytest.MonkeyPatch, *, every: float = 3600) -> None:
        self.ended: set[str] = set()
        self.asked = 0
        self.standing = Standing(home.services.database, every=every)
        self.open = ExitStack()
        ask = Database.rows_of_each

        async def counted(database: Database, questions: Mapping[UUID, sql.Composed]) -> Any:
            self.asked += 1
            return await ask(database, questions)

        monkeypatch.setattr(Database, "rows_of_each", counted)

    async def __aenter__(self) -> None: ...

    async def __aexit__(self, *_: object) -> None:
        self.open.close()
        await self.standing.__aexit__()

    def follow(self, name: str, principal: Principal) -> None:
        self.open.enter_context(self.standing.watched(principal, lambda: self.ended.add(name)))


def signed_in_elsewhere(person: Person, role: Role | None = None) -> Principal:
    return Principal("user", person.user_id, person.org_id, role or person.role, ALL_SCOPES)


async def test_one_question_for_all_streams(home: House, gym: Gym, monkeypatch: pytest.MonkeyPatch) -> None:
    streams = Streams(home, monkeypatch)
    async with streams:
        for number in range(1000):
            streams.follow(str(number), signed_in_elsewhere(gym.everybody[number % 5]))
        await streams.standing.look()
    assert (streams.asked, streams.ended) == (1, set())


async def test_nothing_is_asked_once_the_last_has_left(
    home: House, gym: Gym, monkeypatch: pytest.MonkeyPatch
) -> None:
    streams = Streams(home, monkeypatch, every=0.01)
    with streams.open:
        streams.follow("member", signed_in_elsewhere(gym.member))
        while not streams.asked:
            await asyncio.sleep(0.01)
    while streams.standing._looking is not None:
        await asyncio.sleep(0.01)
    asked = streams.asked
    await asyncio.sleep(0.2)
    assert (streams.asked, streams.ended) == (asked, set())


async def test_who_cannot_be_seen_to_sign_out_is_known_by_their_membership(
    home: House, gym: Gym, monkeypatch: pytest.MonkeyPatch
) -> None:
    streams = Streams(home, monkeypatch)
    stranger = Principal("user", gym.member.user_id, new_id(), Role.MEMBER, ALL_SCOPES)
    through_widget = Principal(
        "user",
        gym.member.user_id,
        gym.org_id,
        Role.MEMBER,
        ALL_SCOPES,
        widget=WidgetGrant(new_id(), None, ()),
    )
    async with streams:
        streams.follow("member", signed_in_elsewhere(gym.member))
        streams.follow("as an owner they are not", signed_in_elsewhere(gym.member, Role.OWNER))
        streams.follow("in no such organisation", stranger)
        streams.follow("through no such widget", through_widget)
        await streams.standing.look()
    assert streams.ended == {"as an owner they are not", "in no such organisation", "through no such widget"}


async def test_a_disabled_account_and_an_expired_key_end_too(
    home: House,
    http: httpx.AsyncClient,
    gym: Gym,
    desk: Desk,
    superuser: Superuser,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    person = await desk.add(gym, Role.MEMBER)
    key = await create_key(http, gym.owner, ["read"])
    streams = Streams(home, monkeypatch)
    async with streams:
        streams.follow("person", signed_in_elsewhere(person))
        streams.follow("key", Principal("api_key", key.id, gym.org_id, Role.ADMIN, ALL_SCOPES))
        await streams.standing.look()
        assert streams.ended == set()
        await superuser.execute("UPDATE users SET disabled_at = now() WHERE id = %s", (person.user_id,))
        await superuser.execute("UPDATE api_keys SET expires_at = now() WHERE id = %s", (key.id,))
        await streams.standing.look()
    assert streams.ended == {"person", "key"}


async def test_what_nobody_tells_us_of_ends_them_after_a_while(
    home: House, gym: Gym, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sign-out elsewhere. Only where the reader can take the stream up again: by GET, and not of a key."""
    sent: list[Message] = []

    async def endless(scope: Scope, receive: Receive, send: Send) -> None:
        headers = [(b"content-type", b"text/event-stream")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await asyncio.Event().wait()

    async def send(message: Message) -> None:
        sent.append(message)

    person = signed_in_elsewhere(gym.member)
    key = Principal("api_key", new_id(), gym.org_id, Role.ADMIN, ALL_SCOPES)
    watching = Streams(home, monkeypatch)
    streams = StandingStreams(endless, watching.standing, longest=0.05)
    async with watching:
        async with asyncio.timeout(60):
            await streams({"type": "http", "method": "GET", "state": {"principal": person}}, _nothing, send)
        assert sent[-1] == {"type": "http.response.body", "body": b"", "more_body": False}
        for method, principal in (("POST", person), ("GET", key)):
            scope = {"type": "http", "method": method, "state": {"principal": principal}}
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(streams(scope, _nothing, send), 0.5)


async def _nothing() -> Message:
    await asyncio.Event().wait()
    raise AssertionError("not reached")
