"""Who may call what: the coach."""

from collections.abc import Mapping
from typing import Any, Final

from spotter.identity.principal import Role
from tests.http.idor_cases import Ask, Case, Seen, World


async def _visit(world: World) -> str:
    """Of A's member."""
    said = await world.http.post("/api/coach", json={"message": "hello"}, headers=world.gym.member.headers)
    assert said.status_code == 200, said.text
    identifier: str = said.json()["sessionId"]
    return identifier


async def _nothing(world: World) -> Ask:
    return Ask()


async def _message(world: World) -> Ask:
    return Ask(body={"message": "hello", "sessionId": await _visit(world)})


async def _in_path(world: World) -> Ask:
    return Ask(path={"session_id": await _visit(world)})


async def _clean_up(world: World) -> Ask:
    return Ask(body={"maxAgeHours": 24})


_OWN: Final[dict[str, Any]] = {"ids": ("path.session_id",), "seen": Seen.BY_ITS_PERSON}

COACH_CASES: Mapping[str, Case] = {
    "talk_to_coach": Case(
        Role.MEMBER, _message, ids=("body.sessionId",), seen=Seen.BY_ITS_PERSON, people_only=True
    ),
    "list_coach_sessions": Case(Role.MEMBER, _nothing),
    "get_coach_statistics": Case(Role.MEMBER, _nothing),
    "clean_up_coach_sessions": Case(Role.STAFF, _clean_up),
    "get_coach_session": Case(Role.MEMBER, _in_path, **_OWN),
    "delete_coach_session": Case(Role.MEMBER, _in_path, **_OWN),
}
