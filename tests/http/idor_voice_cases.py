"""Who may call what: talking aloud, and being told what happens."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Final
from uuid import UUID

import httpx

from spotter.clock import now
from spotter.identity.principal import Role
from spotter.ids import new_id
from spotter.voice.tables import VoiceSession
from tests.http.idor_cases import Ask, Case, Operation, Seen, World, send_http, send_websocket


async def _nothing(world: World) -> Ask:
    return Ask()


async def send_voice(
    http: httpx.AsyncClient, operation: Operation, ask: Ask, headers: Mapping[str, str]
) -> httpx.Response:
    """There is no provider here: whoever gets as far as to be told so was let in."""
    answer = await send_http(http, operation, ask, headers)
    if answer.status_code == 503 and answer.json()["code"] == "not_configured":
        return httpx.Response(200)
    return answer


async def _session(world: World) -> str:
    made = await world.http.post("/api/sessions", json={}, headers=world.gym.member.headers)
    identifier: str = made.json()["id"]
    return identifier


async def _going_on(world: World) -> Ask:
    return Ask(query={"session_id": await _session(world)})


async def _followed(world: World) -> Ask:
    return Ask(body={"session_id": await _session(world)})


async def _spoken(world: World) -> Ask:
    member, session_id = world.gym.member, await _session(world)
    async with world.desk.house.services.database.unit_of_work(member.scope) as uow:
        uow.session.add(
            VoiceSession(
                org_id=member.org_id,
                id=new_id(),
                user_id=member.user_id,
                session_id=UUID(session_id),
                agent="trainer",
                provider="openai",
                model="gpt-realtime-2",
                budget=1,
                budget_tokens=1,
                ends_at=now() + timedelta(minutes=5),
            )
        )
    body = {"items": [{"item_id": "item_1", "role": "user", "text": "hello"}]}
    return Ask(path={"session_id": session_id}, body=body)


VOICE_CASES: Final[Mapping[str, Case]] = {
    "mint_voice_secret": Case(Role.MEMBER, _nothing, writes=True, send=send_voice),
    "start_voice_session": Case(
        Role.MEMBER,
        _going_on,
        ids=("query.session_id",),
        seen=Seen.BY_ITS_PERSON,
        writes=True,
        send=send_voice,
    ),
    "create_stream_ticket": Case(
        Role.MEMBER, _followed, ids=("body.session_id",), seen=Seen.BY_STAFF, people_only=True
    ),
    "follow_me": Case(
        Role.MEMBER,
        _nothing,
        people_only=True,
        operation=Operation("follow_me", "GET", "/api/me/events"),
        send=send_websocket,
    ),
    "post_transcript": Case(Role.MEMBER, _spoken, ids=("path.session_id",), seen=Seen.BY_ITS_PERSON),
}
