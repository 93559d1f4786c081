"""Being told what happens: in order, once, to whoever may know, and nobody waits for a slow reader (B3, S15)."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any
from uuid import UUID

import httpx
import pytest
import websockets
from websockets.asyncio.client import ClientConnection

from spotter import clock
from spotter.app import Ground, House
from spotter.identity.stream_tickets import StreamTickets
from spotter.ids import new_id
from spotter.runtime.speech import announce
from spotter.sessions.events import (
    ApprovalDecided,
    ApprovalRequested,
    Content,
    Handoff,
    Interrupt,
    Knowledge,
    Notice,
    Result,
    Stage,
    UserMessage,
)
from tests.http.actions import Desk, another_server
from tests.support.people import Gym, Person


@asynccontextmanager
async def connected(http: httpx.AsyncClient, path: str, **how: Any) -> AsyncIterator[ClientConnection]:
    url = str(http.base_url.copy_with(scheme="ws")).rstrip("/") + path
    async with websockets.connect(url, proxy=None, max_size=None, **how) as socket:
        yield socket


async def refused(http: httpx.AsyncClient, path: str, **how: Any) -> int:
    with pytest.raises(websockets.InvalidStatus) as caught:
        async with connected(http, path, **how):
            pass
    return caught.value.response.status_code


async def next_of(socket: ClientConnection) -> dict[str, Any]:
    async with asyncio.timeout(60):
        message: dict[str, Any] = json.loads(await socket.recv())
        return message


async def new_session(http: httpx.AsyncClient, person: Person) -> str:
    made = await http.post("/api/sessions", json={}, headers=person.headers)
    identifier: str = made.json()["id"]
    return identifier


async def happen(home: House, person: Person, session_id: str, *events: Content) -> None:
    """As if a turn had done it."""
    done = await home.services.log.append(person.scope, UUID(session_id), events)
    announce(home.services.bus, UUID(session_id), done.last, person.user_id)


async def ticket_for(
    http: httpx.AsyncClient, person: Person, session_id: str | None = None
) -> dict[str, Any]:
    body = {} if session_id is None else {"session_id": session_id}
    made = await http.post("/api/me/tickets", json=body, headers=person.headers)
    assert made.status_code == 201, made.text
    ticket: dict[str, Any] = made.json()
    return ticket


def everything() -> list[Content]:
    approval = new_id()
    return [
        UserMessage(text="hello"),
        Handoff(from_agent="assistant", to_agent="trainer", reason="training"),
        Stage(from_stage="intake", to_stage="planning"),
        Stage(from_stage="planning", to_stage="complete", accepted=False, reason="not yet"),
        Result(tool="generate_workout", call_id="a", result={"exercises": [{"id": "1"}], "summary": {}}),
        Result(tool="log_workout", call_id="b", result={"experience": {"xp": 40, "total_xp": 140}}),
        ApprovalRequested(approval_id=approval, call_id="c", tool="pay", args="{}"),
        ApprovalDecided(approval_id=approval, call_id="c", approved=True),
        Interrupt(reason="red_flag", category="medical_emergency", text="Stop."),
        Notice(code="fallback", text="Another model answers."),
    ]


KINDS = [
    "agent_switched",
    "stage_changed",
    "tool_result",
    "workout_changed",
    "tool_result",
    "xp_gained",
    "approval_needed",
    "approval_decided",
    "interrupt",
    "notice",
]


async def test_a_session_tells_what_happens(http: httpx.AsyncClient, home: House, gym: Gym) -> None:
    session_id = await new_session(http, gym.member)
    async with connected(
        http, f"/api/sessions/{session_id}/ws", additional_headers=gym.member.headers
    ) as socket:
        await happen(home, gym.member, session_id, *everything())
        seen = [await next_of(socket) for _ in everything()]
    assert [message["sequence"] for message in seen] == list(range(1, 11))
    assert [push["type"] for message in seen for push in message.get("push", ())] == KINDS
    assert seen[5]["push"][1] == {"type": "xp_gained", "xp": 40, "total_xp": 140}
    async with connected(
        http, f"/api/sessions/{session_id}/ws?after=6", additional_headers=gym.member.headers
    ) as socket:
        assert [(await next_of(socket))["sequence"] for _ in range(4)] == [7, 8, 9, 10]


async def test_a_person_is_told_of_all_their_sessions(http: httpx.AsyncClient, home: House, gym: Gym) -> None:
    first, second = await new_session(http, gym.member), await new_session(http, gym.member)
    await happen(home, gym.member, first, Handoff(from_agent="a", to_agent="b"))
    seen = f"/api/me/events?after={first}:1&after={second}:0"
    async with connected(http, seen, additional_headers=gym.member.headers) as socket:
        await happen(home, gym.other_member, await new_session(http, gym.other_member), *everything())
        await happen(home, gym.member, first, *everything())
        told = [await next_of(socket) for _ in KINDS]
        await happen(home, gym.member, second, Handoff(from_agent="a", to_agent="c"))
        third = await new_session(http, gym.member)
        switched = await next_of(socket)
        await happen(home, gym.member, third, Handoff(from_agent="a", to_agent="d"))
        newest = await next_of(socket)
    assert [message["type"] for message in told] == KINDS
    assert {message["session_id"] for message in told} == {first}
    assert [message["sequence"] for message in told] == sorted(message["sequence"] for message in told)
    assert (switched["session_id"], switched["to_agent"]) == (second, "c")
    assert (newest["session_id"], newest["to_agent"]) == (third, "d")
    # Resumed by what was seen of each session.
    path = f"/api/me/events?after={first}:8&after={second}:0"
    async with connected(http, path, additional_headers=gym.member.headers) as socket:
        rest = [await next_of(socket) for _ in range(4)]
    assert [(one["session_id"], one["sequence"]) for one in rest] == [
        (first, 9),
        (first, 10),
        (first, 11),
        (second, 1),
    ]


async def test_a_ticket_opens_one_stream_for_a_while(
    http: httpx.AsyncClient, home: House, gym: Gym, monkeypatch: pytest.MonkeyPatch
) -> None:
    session_id, other = await new_session(http, gym.member), await new_session(http, gym.member)
    for given in (await ticket_for(http, gym.member, session_id), await ticket_for(http, gym.member)):
        async with connected(http, f"{given['path']}?ticket={given['ticket']}"):
            pass
    mine = (await ticket_for(http, gym.member, session_id))["ticket"]
    me = (await ticket_for(http, gym.member))["ticket"]
    path = f"/api/sessions/{session_id}/ws"
    assert await refused(http, f"/api/sessions/{other}/ws?ticket={mine}") == 401
    assert await refused(http, f"/api/me/events?ticket={mine}") == 401
    assert await refused(http, f"{path}?ticket={me}") == 401
    assert await refused(http, f"{path}?ticket={mine}x") == 401
    assert await refused(http, f"{path}?ticket=") == 401
    assert await refused(http, f"{path}?ticket={mine}", additional_headers=gym.member.headers) == 401
    # It is no token, and a token is no ticket: not in any address.
    for name in ("ticket", "token", "access_token", "authorization"):
        assert await refused(http, f"{path}?{name}={gym.member.token}") == 401
    as_token = await http.get("/api/me", headers={"Authorization": f"Bearer {mine}"})
    assert as_token.status_code == 401
    late = clock.now() + timedelta(seconds=31)
    with monkeypatch.context() as patched:
        patched.setattr(clock, "now", lambda: late)
        assert await refused(http, f"{path}?ticket={mine}") == 401


async def test_a_ticket_is_good_once_on_all_instances(
    http: httpx.AsyncClient, base: Ground, gym: Gym
) -> None:
    """Of many who bring the same one at once, to two instances, one gets in; later nobody does."""
    given = await ticket_for(http, gym.member)
    address = f"{given['path']}?ticket={given['ticket']}"
    async with another_server(base, {}) as elsewhere:

        async def attempt(server: httpx.AsyncClient) -> int:
            try:
                async with connected(server, address):
                    return 101
            except websockets.InvalidStatus as refusal:
                return refusal.response.status_code

        came = await asyncio.gather(*(attempt(server) for server in (http, elsewhere) * 4))
        assert sorted(came) == [101] + [401] * 7
        assert await refused(elsewhere, address) == 401
    assert await refused(http, address) == 401


async def test_a_ticket_ends_with_its_sign_in(http: httpx.AsyncClient, home: House, gym: Gym) -> None:
    desk = Desk(home)
    person = await desk.sign_in_again(gym.member)
    ticket = await ticket_for(http, person)
    await http.post("/api/auth/sign-out", headers=person.headers)
    assert await refused(http, f"{ticket['path']}?ticket={ticket['ticket']}") == 401


async def test_a_ticket_for_a_session_one_may_not_see(
    http: httpx.AsyncClient, home: House, gym: Gym, other_gym: Gym
) -> None:
    session_id = await new_session(http, gym.member)
    for person in (gym.other_member, other_gym.owner):
        made = await http.post("/api/me/tickets", json={"session_id": session_id}, headers=person.headers)
        assert made.status_code == 404
    forged, _ = StreamTickets(home.base.keyring).issue(
        await home.services.authenticator.principal(gym.other_member.token), session_id
    )
    assert await refused(http, f"/api/sessions/{session_id}/ws?ticket={forged}") == 404


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "null",
        "http://127.0.0.1.evil.example",
        "http://127.0.0.1:1",
        "file://",
        "http://localhost.evil.example",
    ],
)
async def test_pages_of_others_may_not_connect(http: httpx.AsyncClient, gym: Gym, origin: str) -> None:
    ticket = await ticket_for(http, gym.member)
    path = f"{ticket['path']}?ticket={ticket['ticket']}"
    assert await refused(http, path, origin=origin) == 403
    ours = str(http.base_url).rstrip("/")
    async with connected(http, path, origin=ours):
        pass
    assert await refused(http, path, additional_headers={"Host": "evil.example"}) in {400, 421}


async def test_bad_places_are_refused(http: httpx.AsyncClient, gym: Gym) -> None:
    headers = gym.member.headers
    session_id = await new_session(http, gym.member)
    for path in (
        "/api/me/events?after=nonsense",
        f"/api/me/events?after={session_id}:-1",
        f"/api/me/events?after={session_id}:99999999999",
        f"/api/sessions/{session_id}/ws?after=-1",
        f"/api/sessions/{session_id}/ws?after=x",
    ):
        assert await refused(http, path, additional_headers=headers) in {400, 403, 422}


async def test_nobody_waits_for_a_slow_reader(http: httpx.AsyncClient, home: House, gym: Gym) -> None:
    """One client reads nothing while megabytes are told; the other has them all. The slow one then reads them too."""
    session_id = await new_session(http, gym.member)
    path, headers = f"/api/sessions/{session_id}/ws", gym.member.headers
    many, size = 150, 60_000
    async with (
        connected(http, path, additional_headers=headers, max_queue=1) as slow,
        connected(http, path, additional_headers=headers) as quick,
    ):
        for number in range(many):
            await happen(home, gym.member, session_id, Knowledge(source=str(number), data="x" * size))
        seen = [(await next_of(quick))["sequence"] for _ in range(many)]
        assert seen == list(range(1, many + 1))
        late = [(await next_of(slow))["sequence"] for _ in range(many)]
        assert late == seen
