"""`POST /api/context/snapshot` (B6): what an agent is told of a page, without ids and personal data; and references
that tool calls resolve, for the session that was given them and nobody else."""

import json
from datetime import timedelta
from typing import Any
from uuid import UUID

import httpx
import pytest

from spotter.app import House
from spotter.clock import now
from spotter.context.references import resolved
from spotter.ids import new_id
from spotter.runtime.context import SessionView
from spotter.runtime.taint import PRIVATE, UNTRUSTED
from spotter.sessions.events import Knowledge
from spotter.training import schedule
from tests.support.approvals import checked_events, set_policy
from tests.support.people import Gym, Person

FIELDS = {"context_id", "block", "references", "access", "drafts"}


async def planned(home: House, person: Person, title: str = "Legs") -> str:
    async with home.services.database.unit_of_work(person.scope) as uow:
        row = await schedule.plan(uow, title, now() + timedelta(days=2), minutes=45)
        return str(row.id)


async def snapshot(http: httpx.AsyncClient, person: Person, **body: Any) -> dict[str, Any]:
    answer = await http.post(
        "/api/context/snapshot", json={"page": "/calendar", **body}, headers=person.headers
    )
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def session_with(
    http: httpx.AsyncClient, person: Person, context_id: str, agent: str = "trainer"
) -> str:
    made = await http.post(
        "/api/sessions", json={"agent": agent, "context_id": context_id}, headers=person.headers
    )
    assert made.status_code == 201, made.text
    return str(made.json()["id"])


async def cancel(
    http: httpx.AsyncClient, person: Person, session_id: str, scheduled_id: str
) -> dict[str, Any]:
    body = {
        "tool": "cancel_scheduled_workout",
        "arguments": {"scheduled_id": scheduled_id},
        "session_id": session_id,
    }
    answer = await http.post("/api/tools/execute", json=body, headers=person.headers)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def test_the_shape_of_a_snapshot(http: httpx.AsyncClient, home: House, gym: Gym) -> None:
    scheduled = await planned(home, gym.member)
    await http.put("/api/drafts/plan", json={"content": "x", "title": "Plan"}, headers=gym.member.headers)
    shown = await snapshot(http, gym.member, page=f"/calendar/{scheduled}")
    assert set(shown) == FIELDS
    assert "Page: /calendar/scheduled_workout_1" in shown["block"]
    assert "- scheduled_workout_1: " in shown["block"]
    assert "Legs, 45 min" in shown["block"]
    assert shown["references"]["scheduled_workout_1"].endswith("Legs")
    (draft,) = shown["drafts"]
    assert set(draft) == {"reference", "key", "title", "version", "updated_at"}
    assert (draft["reference"], draft["key"], draft["version"]) == ("draft_1", "plan", 1)
    assert shown["access"] == {
        "role": "member",
        "project": "General",
        "default_project": True,
        "shares_drafts": False,
        "own_records": True,
    }
    assert scheduled not in json.dumps(shown)


async def test_chosen_records_are_shown_and_others_are_not(
    http: httpx.AsyncClient, home: House, gym: Gym
) -> None:
    first, second = await planned(home, gym.member, "Legs"), await planned(home, gym.member, "Arms")
    shown = await snapshot(http, gym.member, record_ids=[second])
    assert "Arms" in shown["block"]
    assert "Legs" not in shown["block"]
    other = await planned(home, gym.other_member)
    for ids in ([other], [str(new_id())], [first, other]):
        answer = await http.post(
            "/api/context/snapshot", json={"page": "/x", "record_ids": ids}, headers=gym.member.headers
        )
        assert answer.status_code == 404, answer.text


async def test_personal_data_goes_by_the_organisations_policy(
    http: httpx.AsyncClient, home: House, gym: Gym
) -> None:
    await planned(home, gym.member, "Call ann@example.com")
    shown = await snapshot(http, gym.member)
    assert "ann@example.com" not in json.dumps(shown)
    policy = {"categories": {"personal_data": {"outside": "allow"}}}
    put = await http.put("/api/safety/policy", json=policy, headers=gym.owner.headers)
    assert put.status_code == 200, put.text
    assert "ann@example.com" in (await snapshot(http, gym.member))["block"]


async def test_staff_look_at_a_member_and_members_at_nobody_else(
    http: httpx.AsyncClient, home: House, gym: Gym
) -> None:
    await planned(home, gym.member)
    user_id = str(gym.member.user_id)
    shown = await snapshot(http, gym.staff, user_id=user_id)
    assert ("Legs" in shown["block"], shown["access"]["own_records"]) == (True, False)
    answer = await http.post(
        "/api/context/snapshot",
        json={"page": "/calendar", "user_id": user_id},
        headers=gym.other_member.headers,
    )
    assert answer.status_code == 404
    # What another person wrote is marked: it counts when something is to be sent outside.
    session_id = await session_with(http, gym.staff, shown["context_id"], "assistant")
    (event,) = await checked_events(home, gym, UUID(session_id))
    assert isinstance(event.content, Knowledge)
    assert (event.content.untrusted, event.content.private) == (True, True)


async def test_the_people_of_a_project_have_no_names_in_the_block(http: httpx.AsyncClient, gym: Gym) -> None:
    made = await http.post("/api/projects", json={"name": "Spring"}, headers=gym.admin.headers)
    project_id = made.json()["id"]
    await http.put(f"/api/projects/{project_id}/members/{gym.member.user_id}", headers=gym.admin.headers)
    shown = await snapshot(http, gym.admin, page="/team", project_id=project_id)
    assert "member_1: admin" in shown["block"]
    assert "member_2: member" in shown["block"]
    assert set(shown["references"].values()) == {"Admin1", "Member3"}
    assert not [name for name in ("Admin1", "Member3") if name in shown["block"]]


async def test_a_session_reads_its_context_and_tools_resolve_its_references(
    http: httpx.AsyncClient, home: House, gym: Gym
) -> None:
    scheduled = await planned(home, gym.member)
    shown = await snapshot(http, gym.member)
    session_id = await session_with(http, gym.member, shown["context_id"])
    cancelled = await cancel(http, gym.member, session_id, "scheduled_workout_1")
    assert cancelled["success"] is True, cancelled
    assert cancelled["output"]["cancelled"]["id"] == scheduled
    events = await checked_events(home, gym, UUID(session_id))
    assert [event.type for event in events] == ["knowledge", "action", "result"]
    assert isinstance(events[0].content, Knowledge)
    assert events[0].content.formatted == shown["block"]
    # The log keeps what was called, not what it stood for.
    assert "scheduled_workout_1" in events[1].content.args  # type: ignore[union-attr]


async def test_forged_and_foreign_references_are_ordinary_errors(
    http: httpx.AsyncClient, home: House, gym: Gym, other_gym: Gym
) -> None:
    mine = await snapshot(http, gym.member)
    session_id = await session_with(http, gym.member, mine["context_id"])
    for person in (gym.other_member, other_gym.member):
        await planned(home, person)
        theirs = await snapshot(http, person)
        refused = await http.post(
            "/api/sessions", json={"context_id": theirs["context_id"]}, headers=gym.member.headers
        )
        assert refused.status_code == 404
        said = await http.post(
            f"/api/sessions/{session_id}/messages",
            json={"text": "hi", "context_id": theirs["context_id"]},
            headers=gym.member.headers,
        )
        assert said.status_code == 404
    for forged in ("scheduled_workout_1", "workout_99", "nothing_1"):
        refused_call = await cancel(http, gym.member, session_id, forged)
        assert refused_call["success"] is False
        assert f"there is no {forged} in this session's context" in refused_call["error"]
    await checked_events(home, gym, UUID(session_id))


async def test_who_was_taken_out_of_a_project_has_lost_its_references(
    http: httpx.AsyncClient, home: House, gym: Gym
) -> None:
    made = await http.post("/api/projects", json={"name": "Spring"}, headers=gym.admin.headers)
    project_id = made.json()["id"]
    url = f"/api/projects/{project_id}/members/{gym.member.user_id}"
    await http.put(url, headers=gym.admin.headers)
    scheduled = await planned(home, gym.member)
    shown = await snapshot(http, gym.member, project_id=project_id)
    session_id = UUID(await session_with(http, gym.member, shown["context_id"]))
    tool = home.services.registry.get("cancel_scheduled_workout")
    assert tool is not None
    args = json.dumps({"scheduled_id": "scheduled_workout_1"})
    database = home.services.database
    assert scheduled in await resolved(database, gym.member.scope, session_id, tool.schema, args)
    # Neither does anybody else resolve it, whoever may see the session.
    for person in (gym.owner, gym.staff):
        assert await resolved(database, person.scope, session_id, tool.schema, args) == args
    await http.delete(url, headers=gym.admin.headers)
    assert await resolved(database, gym.member.scope, session_id, tool.schema, args) == args


async def test_an_approval_shows_what_a_reference_stands_for(
    http: httpx.AsyncClient, home: House, gym: Gym
) -> None:
    """Otherwise a call whose arguments only fit once resolved would be carried out without being asked about."""
    await set_policy(home, gym, tool="cancel_scheduled_workout")
    scheduled = await planned(home, gym.member)
    shown = await snapshot(http, gym.member)
    session_id = await session_with(http, gym.member, shown["context_id"])
    asked = await cancel(http, gym.member, session_id, "scheduled_workout_1")
    assert asked["error"] == "approval_required"
    approval = await http.get(f"/api/approvals/{asked['output']['approval_id']}", headers=gym.staff.headers)
    assert approval.json()["arguments"]["scheduled_id"] == scheduled
    await checked_events(home, gym, UUID(session_id))


async def test_a_message_brings_newer_context_and_the_same_once(
    http: httpx.AsyncClient, home: House, gym: Gym
) -> None:
    shown = await snapshot(http, gym.member)
    session_id = await session_with(http, gym.member, shown["context_id"])
    await planned(home, gym.member)
    newer = await snapshot(http, gym.member)
    for _ in range(2):
        said = await http.post(
            "/api/agent/chat",
            json={"message": "Hello", "sessionId": session_id, "context_id": newer["context_id"]},
            headers=gym.member.headers,
        )
        assert said.status_code == 200, said.text
    events = await checked_events(home, gym, UUID(session_id))
    given = [event for event in events if getattr(event.content, "source", "") == "context"]
    assert len(given) == 2
    assert events.index(given[1]) < next(
        place for place, event in enumerate(events) if event.type == "user_message"
    )
    assert (await cancel(http, gym.member, session_id, "scheduled_workout_1"))["success"] is True


async def test_an_agent_looks_up_the_project_and_goes_on_with_references(
    http: httpx.AsyncClient, home: House, gym: Gym
) -> None:
    await http.put("/api/drafts/plan", json={"content": "x"}, headers=gym.staff.headers)
    body: dict[str, Any] = {"tool": "fetch_project_context", "arguments": {"about": "drafts"}}
    looked = (await http.post("/api/tools/execute", json=body, headers=gym.staff.headers)).json()
    assert looked["success"] is True, looked
    assert looked["output"]["references"] == {"draft_1": "plan"}
    assert "draft_1: plan, version 1" in looked["formatted"]
    shown = await snapshot(http, gym.member)
    session_id = await session_with(http, gym.member, shown["context_id"], "assistant")
    empty = await http.post("/api/tools/execute", json={"tool": "echo_context"}, headers=gym.staff.headers)
    assert empty.json()["output"]["contexts"] == []
    assert session_id


@pytest.mark.parametrize("page", ["", "x" * 501])
async def test_a_page_has_a_name(http: httpx.AsyncClient, gym: Gym, page: str) -> None:
    answer = await http.post("/api/context/snapshot", json={"page": page}, headers=gym.member.headers)
    assert answer.status_code == 422


async def test_what_a_page_holds_counts_as_read(http: httpx.AsyncClient, home: House, gym: Gym) -> None:
    await planned(home, gym.member)
    shown = await snapshot(http, gym.staff, user_id=str(gym.member.user_id))
    session_id = await session_with(http, gym.staff, shown["context_id"], "assistant")
    view = SessionView()
    view.feed(await checked_events(home, gym, UUID(session_id)))
    assert {UNTRUSTED, PRIVATE} <= view.read
