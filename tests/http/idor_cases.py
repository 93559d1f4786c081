"""Who may call what: one entry for every operation of the API. A route without one fails the matrix.

To add a route: who may call it, a request that works for organisation A, and which ids it carries. What OpenAPI
does not know (WebSockets, the streaming form of a route) gets an `operation` and a `send` that speaks to it.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import httpx
import websockets

from spotter.identity.principal import Role
from spotter.ids import random_id
from spotter.training import table
from spotter.training.workout import Workout
from tests.http.actions import PASSWORD, Desk, create_key, fresh_email, invite
from tests.support.approvals import know_tools, request_of
from tests.support.people import Gym


class Seen(StrEnum):
    """Who can tell that the thing an id names is there."""

    BY_THE_ORGANISATION = "everybody who acts for it"
    BY_STAFF = "the person it belongs to, and staff"
    BY_ITS_PERSON = "the person it belongs to"
    BY_ADMINS = "those who are in it, and admins"


@dataclass(frozen=True, slots=True)
class World:
    """Organisation A, whose things are asked for. `gym.member` is the person they belong to."""

    http: httpx.AsyncClient
    desk: Desk
    gym: Gym


@dataclass(frozen=True, slots=True)
class Ask:
    path: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None

    def with_random_ids(self, names: tuple[str, ...]) -> "Ask":
        """The same question about things that exist nowhere."""
        parts: dict[str, dict[str, Any]] = {
            "path": dict(self.path),
            "query": dict(self.query),
            "body": dict(self.body or {}),
        }
        for name in names:
            place, _, key = name.partition(".")
            assert key in parts[place], f"the request has no {name}"
            parts[place][key] = f"x{random_id()}" if key.endswith("_name") else str(random_id())
        return Ask(parts["path"], parts["query"], parts["body"] if self.body is not None else None)


@dataclass(frozen=True, slots=True)
class Operation:
    name: str
    method: str
    path: str


Send = Callable[[httpx.AsyncClient, Operation, Ask, Mapping[str, str]], Awaitable[httpx.Response]]


async def send_http(
    http: httpx.AsyncClient, operation: Operation, ask: Ask, headers: Mapping[str, str]
) -> httpx.Response:
    # Without a body `json=None` sends none.
    return await http.request(
        operation.method,
        operation.path.format(**ask.path),
        params=ask.query,
        headers=headers,
        json=ask.body,
    )


async def send_stream(
    http: httpx.AsyncClient, operation: Operation, ask: Ask, headers: Mapping[str, str]
) -> httpx.Response:
    """As an event stream: the refusal, or the first sign that it goes on."""
    wanted = {**headers, "Accept": "text/event-stream"}
    async with http.stream(operation.method, operation.path.format(**ask.path), headers=wanted) as answer:
        if answer.is_error:
            await answer.aread()
            return answer
        assert answer.headers["content-type"].startswith("text/event-stream")
        return httpx.Response(answer.status_code)


async def send_websocket(
    http: httpx.AsyncClient, operation: Operation, ask: Ask, headers: Mapping[str, str]
) -> httpx.Response:
    url = str(http.base_url.copy_with(scheme="ws")).rstrip("/") + operation.path.format(**ask.path)
    try:
        async with websockets.connect(url, additional_headers=dict(headers), proxy=None):
            return httpx.Response(200)
    except websockets.InvalidStatus as refused:
        answer = refused.response
        headers_of_it = list(answer.headers.raw_items())
        return httpx.Response(answer.status_code, headers=headers_of_it, content=bytes(answer.body or b""))


@dataclass(frozen=True, slots=True)
class Case:
    role: Role | None
    """The least that may call it; None for everybody, signed in or not."""
    ask: Callable[[World], Awaitable[Ask]]
    ids: tuple[str, ...] = ()
    """Those of A that the request carries, e.g. `path.member_id`, `body.organisation`."""
    own_names: tuple[str, ...] = ()
    """Parts of the path that are the caller's to choose and name nothing of A."""
    seen: Seen = Seen.BY_THE_ORGANISATION
    people_only: bool = False
    """API keys are refused: it is about the caller's own account."""
    writes: bool = False
    """Whatever its method says."""
    also: frozenset[int] = frozenset()
    """Statuses that say as well that the caller was let in: 503 where a provider's key would be needed."""
    operation: Operation | None = None
    """For what OpenAPI does not list."""
    send: Send = send_http


async def _nothing(world: World) -> Ask:
    return Ask()


def _body(**fields: Any) -> Callable[[World], Awaitable[Ask]]:
    async def ask(world: World) -> Ask:
        return Ask(body=fields)

    return ask


async def _sign_in(world: World) -> Ask:
    person = await world.desk.set_password(await world.desk.add(world.gym, Role.MEMBER))
    return Ask(body={"email": person.email, "password": PASSWORD, "organisation": world.gym.slug})


async def _link(world: World) -> Ask:
    return Ask(body={"token": await world.desk.link(world.gym.member)})


async def _refresh(world: World) -> Ask:
    return Ask(body={"refresh_token": (await world.desk.sign_in_again(world.gym.member)).refresh_token})


async def _sign_up(world: World) -> Ask:
    slug = f"new-{random_id().hex[:12]}"
    return Ask(
        body={
            "email": fresh_email(),
            "password": PASSWORD,
            "organisation_name": "New",
            "organisation_slug": slug,
        }
    )


async def _accept(world: World) -> Ask:
    token = (await invite(world.http, world.gym.owner))["token"]
    return Ask(body={"token": token, "password": PASSWORD})


async def _to_this_organisation(world: World) -> Ask:
    return Ask(body={"organisation": str(world.gym.org_id)})


async def _new_organisation(world: World) -> Ask:
    return Ask(body={"name": "Another", "slug": f"another-{random_id().hex[:12]}"})


async def _organisation(world: World) -> Ask:
    return Ask(path={"organisation_id": str(world.gym.org_id)})


async def _organisation_change(world: World) -> Ask:
    return Ask(path={"organisation_id": str(world.gym.org_id)}, body={"name": "Renamed"})


async def _session(world: World) -> Ask:
    return Ask(path={"session_id": str((await world.desk.sign_in_again(world.gym.member)).session_id)})


async def _member(world: World) -> Ask:
    return Ask(path={"member_id": str(world.gym.member.user_id)})


async def _role_change(world: World) -> Ask:
    return Ask(path={"member_id": str(world.gym.other_member.user_id)}, body={"role": "member"})


async def _somebody_to_remove(world: World) -> Ask:
    return Ask(path={"member_id": str((await world.desk.add(world.gym, Role.MEMBER)).user_id)})


async def _invitation(world: World) -> Ask:
    return Ask(path={"invitation_id": (await invite(world.http, world.gym.owner))["id"]})


async def _api_key(world: World) -> Ask:
    return Ask(path={"api_key_id": str((await create_key(world.http, world.gym.owner, ["read"])).id)})


async def _invite(world: World) -> Ask:
    return Ask(body={"email": fresh_email()})


async def _talk(world: World) -> str:
    """A session of A's member."""
    made = await world.http.post("/api/sessions", json={}, headers=world.gym.member.headers)
    assert made.status_code == 201, made.text
    identifier: str = made.json()["id"]
    return identifier


async def _conversation(world: World) -> Ask:
    return Ask(path={"session_id": await _talk(world)})


async def _trainer_message(world: World) -> Ask:
    return Ask(body={"message": "hello", "sessionId": await _talk(world)})


async def _trainer_stream(world: World) -> Ask:
    return Ask(query={"sessionId": await _talk(world)})


async def _workout(world: World) -> tuple[str, str]:
    """A session of A's member with a workout on the table, and its first exercise. One set is ticked."""
    made = await world.http.post("/api/agent/sessions", headers=world.gym.member.headers)
    session_id: str = made.json()["session"]["id"]
    exercise = {"type": "reps", "name": "Push-up", "sets": 3, "reps": 10}
    async with world.desk.house.services.database.unit_of_work(world.gym.member.scope) as uow:
        placed = await table.put(uow, UUID(session_id), Workout.model_validate({"exercises": [exercise]}))
    exercise_id = str(placed.exercises[0].id)
    body = {"session_id": session_id, "sets": [_tick(exercise_id)]}
    ticked = await world.http.post("/api/training/workout/sets", json=body, headers=world.gym.member.headers)
    assert ticked.status_code == 200, ticked.text
    return session_id, exercise_id


def _tick(exercise_id: str) -> dict[str, Any]:
    return {"exercise_id": exercise_id, "set_number": 1, "at": "2026-01-05T10:00:00Z"}


async def _workout_of_a_session(world: World) -> Ask:
    return Ask(query={"session_id": (await _workout(world))[0]})


async def _marks(world: World) -> Ask:
    session_id, exercise_id = await _workout(world)
    return Ask(body={"session_id": session_id, "sets": [_tick(exercise_id)]})


async def _finish(world: World) -> Ask:
    return Ask(body={"session_id": (await _workout(world))[0]})


async def _discard(world: World) -> Ask:
    return Ask(path={"session_id": (await _workout(world))[0]})


async def _preference(world: World) -> Ask:
    body = {"type": "exclusion", "value": f"burpees {random_id()}"}
    kept = await world.http.post("/api/training/preferences", json=body, headers=world.gym.member.headers)
    assert kept.status_code == 201, kept.text
    return Ask(path={"preference_id": kept.json()["id"]})


async def _scheduled(world: World) -> str:
    body = {"title": "Legs", "scheduled_for": "2030-01-05T10:00:00Z"}
    made = await world.http.post("/api/training/schedule", json=body, headers=world.gym.member.headers)
    assert made.status_code == 201, made.text
    identifier: str = made.json()["id"]
    return identifier


async def _scheduled_workout(world: World) -> Ask:
    return Ask(path={"scheduled_id": await _scheduled(world)})


async def _scheduled_change(world: World) -> Ask:
    return Ask(path={"scheduled_id": await _scheduled(world)}, body={"title": "Arms"})


async def send_log(
    http: httpx.AsyncClient, operation: Operation, ask: Ask, headers: Mapping[str, str]
) -> httpx.Response:
    """A file as the body."""
    file = Path(__file__).parents[1] / "training" / "samples" / "strong_semicolons.csv"
    return await http.post(operation.path, content=file.read_bytes(), headers=headers)


async def _fork(world: World) -> Ask:
    return Ask(path={"session_id": await _talk(world)}, body={})


async def _message(world: World) -> Ask:
    return Ask(path={"session_id": await _talk(world)}, body={"text": "hello"})


async def _import(world: World) -> Ask:
    exported = await world.http.get(
        f"/api/sessions/{await _talk(world)}/export", headers=world.gym.member.headers
    )
    return Ask(body=exported.json())


async def _of_a_person(world: World) -> Ask:
    await _talk(world)
    return Ask(query={"user_id": str(world.gym.member.user_id)})


async def _activity_of_a_session(world: World) -> Ask:
    return Ask(query={"session_id": await _talk(world)})


async def _new_account(world: World) -> Ask:
    return Ask(path={"model_account_name": "openai"}, body={"api_key": "sk-not-a-real-one"})


async def _account(world: World) -> Ask:
    name = f"own-{random_id().hex[:12]}"
    stored = await world.http.put(
        f"/api/model-accounts/{name}", json={"api_key": "sk-x"}, headers=world.gym.owner.headers
    )
    assert stored.status_code == 200, stored.text
    return Ask(path={"model_account_name": name})


async def _request(world: World) -> str:
    """A call of A's member that waits for approval, which its person may give."""
    know_tools(world.desk.house)
    session_id = UUID(await _talk(world))
    return str(await request_of(world.desk.house, world.gym.member, session_id))


async def _approval(world: World) -> Ask:
    return Ask(path={"approval_id": await _request(world)})


async def _decision(world: World) -> Ask:
    approval_id = await _request(world)
    shown = await world.http.get(f"/api/approvals/{approval_id}", headers=world.gym.owner.headers)
    body = {"decision": "deny", "args_hash": shown.json()["args_hash"]}
    return Ask(path={"approval_id": approval_id}, body=body)


async def _edit(world: World) -> Ask:
    return Ask(path={"approval_id": await _request(world)}, body={"arguments": {"amount": 1}})


async def _requests(world: World) -> Ask:
    await _request(world)
    return Ask()


async def _policy(world: World) -> Ask:
    body = {"tool": f"t{random_id().hex[:12]}", "mode": "always"}
    made = await world.http.put("/api/approval-policies", json=body, headers=world.gym.owner.headers)
    assert made.status_code == 200, made.text
    return Ask(path={"policy_id": made.json()["id"]})


def _new_cap() -> dict[str, Any]:
    return {"scope": "agent", "period": "day", "subject": f"a{random_id().hex}", "hard": 10**12}


async def _another_cap(world: World) -> Ask:
    return Ask(body=_new_cap())


async def _cap(world: World) -> Ask:
    made = await world.http.post("/api/billing/caps", json=_new_cap(), headers=world.gym.owner.headers)
    assert made.status_code == 201, made.text
    return Ask(path={"cap_id": made.json()["id"]})


async def _cap_change(world: World) -> Ask:
    return Ask(path=(await _cap(world)).path, body={"hard": 10**13})


_SESSION: Final = ("path.session_id",)

CASES: Mapping[str, Case] = {
    "get_health": Case(None, _nothing),
    "get_self_test": Case(None, _nothing),
    "post_self_test": Case(None, _nothing),
    "sign_in": Case(None, _sign_in),
    "sign_in_by_link": Case(None, _link),
    "refresh_sign_in": Case(None, _refresh),
    "sign_up": Case(None, _sign_up),
    "accept_invitation_to_join": Case(None, _accept),
    "sign_out": Case(Role.MEMBER, _nothing, people_only=True),
    "switch_organisation": Case(
        Role.MEMBER, _to_this_organisation, ids=("body.organisation",), people_only=True
    ),
    "get_me": Case(Role.MEMBER, _nothing),
    "update_me": Case(Role.MEMBER, _body(name="Me"), people_only=True),
    "list_my_organisations": Case(Role.MEMBER, _nothing, people_only=True),
    "change_my_password": Case(Role.MEMBER, _body(new_password=PASSWORD), people_only=True),
    "list_my_sessions": Case(Role.MEMBER, _nothing, people_only=True),
    "end_my_session": Case(
        Role.MEMBER, _session, ids=("path.session_id",), seen=Seen.BY_ITS_PERSON, people_only=True
    ),
    "create_organisation": Case(Role.MEMBER, _new_organisation, people_only=True),
    "get_organisation": Case(Role.MEMBER, _organisation, ids=("path.organisation_id",)),
    "update_organisation": Case(Role.ADMIN, _organisation_change, ids=("path.organisation_id",)),
    "list_members": Case(Role.STAFF, _nothing),
    "get_member": Case(Role.MEMBER, _member, ids=("path.member_id",), seen=Seen.BY_STAFF),
    "update_member": Case(Role.ADMIN, _role_change, ids=("path.member_id",)),
    "remove_member": Case(Role.ADMIN, _somebody_to_remove, ids=("path.member_id",)),
    "list_invitations": Case(Role.ADMIN, _nothing),
    "create_invitation": Case(Role.ADMIN, _invite),
    "revoke_invitation": Case(Role.ADMIN, _invitation, ids=("path.invitation_id",)),
    "list_api_keys": Case(Role.ADMIN, _nothing),
    "create_api_key": Case(Role.ADMIN, _body(name="key")),
    "get_api_key": Case(Role.ADMIN, _api_key, ids=("path.api_key_id",)),
    "revoke_api_key": Case(Role.ADMIN, _api_key, ids=("path.api_key_id",)),
    "list_audit_entries": Case(Role.ADMIN, _nothing),
    "verify_audit_chain": Case(Role.ADMIN, _nothing),
    "export_audit_log": Case(Role.ADMIN, _nothing),
    "list_agent_activity": Case(Role.STAFF, _activity_of_a_session),
    "list_model_accounts": Case(Role.ADMIN, _nothing),
    "put_model_account": Case(Role.ADMIN, _new_account, own_names=("path.model_account_name",)),
    "delete_model_account": Case(Role.ADMIN, _account, ids=("path.model_account_name",)),
    "list_approvals": Case(Role.MEMBER, _requests),
    "get_approval": Case(Role.MEMBER, _approval, ids=("path.approval_id",), seen=Seen.BY_STAFF),
    "decide_approval": Case(Role.MEMBER, _decision, ids=("path.approval_id",), seen=Seen.BY_STAFF),
    "edit_approval": Case(Role.MEMBER, _edit, ids=("path.approval_id",), seen=Seen.BY_STAFF),
    "list_approval_policies": Case(Role.ADMIN, _nothing),
    "put_approval_policy": Case(Role.ADMIN, _body(tool="pay", mode="always")),
    "delete_approval_policy": Case(Role.ADMIN, _policy, ids=("path.policy_id",)),
    "list_caps": Case(Role.STAFF, _nothing),
    "create_cap": Case(Role.ADMIN, _another_cap),
    "get_cap": Case(Role.STAFF, _cap, ids=("path.cap_id",)),
    "change_cap": Case(Role.ADMIN, _cap_change, ids=("path.cap_id",)),
    "delete_cap": Case(Role.ADMIN, _cap, ids=("path.cap_id",)),
    "my_allowance": Case(Role.MEMBER, _nothing),
    "list_tiers": Case(Role.MEMBER, _nothing),
    "get_billing_settings": Case(Role.STAFF, _nothing),
    "change_billing_settings": Case(Role.ADMIN, _body(markup=2000)),
    "get_credits": Case(Role.STAFF, _nothing),
    "list_credit_movements": Case(Role.STAFF, _nothing),
    "give_credits": Case(Role.ADMIN, _body(kind="grant", credits="1")),
    "moderate_text": Case(Role.MEMBER, _body(text="hello")),
    "get_safety_policy": Case(Role.STAFF, _nothing),
    "put_safety_policy": Case(Role.ADMIN, _body(daily_kcal_floor=1300)),
    "chat_with_trainer": Case(
        Role.MEMBER, _trainer_message, ids=("body.sessionId",), seen=Seen.BY_ITS_PERSON, people_only=True
    ),
    "stream_from_trainer": Case(
        Role.MEMBER, _trainer_message, ids=("body.sessionId",), seen=Seen.BY_ITS_PERSON, people_only=True
    ),
    "resume_trainer_stream": Case(
        Role.MEMBER, _trainer_stream, ids=("query.sessionId",), seen=Seen.BY_ITS_PERSON, people_only=True
    ),
    "get_standing": Case(Role.MEMBER, _nothing, people_only=True),
    "get_volume": Case(Role.MEMBER, _nothing, people_only=True),
    "list_workouts": Case(Role.MEMBER, _nothing, people_only=True),
    "list_records": Case(Role.MEMBER, _nothing, people_only=True),
    "list_trained_days": Case(Role.MEMBER, _nothing, people_only=True),
    "get_goals": Case(Role.MEMBER, _nothing, people_only=True),
    "change_goals": Case(Role.MEMBER, _body(categories={"strength": 5}), people_only=True),
    "list_preferences": Case(Role.MEMBER, _nothing, people_only=True),
    "add_preference": Case(Role.MEMBER, _body(type="exclusion", value="burpees"), people_only=True),
    "remove_preference": Case(
        Role.MEMBER, _preference, ids=("path.preference_id",), seen=Seen.BY_ITS_PERSON, people_only=True
    ),
    "get_training_settings": Case(Role.MEMBER, _nothing, people_only=True),
    "change_training_settings": Case(Role.MEMBER, _body(minutes=30), people_only=True),
    "list_scheduled": Case(Role.MEMBER, _nothing, people_only=True),
    "schedule_a_workout": Case(
        Role.MEMBER, _body(title="Legs", scheduled_for="2030-01-05T10:00:00Z"), people_only=True
    ),
    "change_scheduled": Case(
        Role.MEMBER, _scheduled_change, ids=("path.scheduled_id",), seen=Seen.BY_ITS_PERSON, people_only=True
    ),
    "cancel_scheduled": Case(
        Role.MEMBER, _scheduled_workout, ids=("path.scheduled_id",), seen=Seen.BY_ITS_PERSON, people_only=True
    ),
    "import_workouts": Case(Role.MEMBER, _nothing, people_only=True, send=send_log),
    "get_current_workout": Case(
        Role.MEMBER,
        _workout_of_a_session,
        ids=("query.session_id",),
        seen=Seen.BY_ITS_PERSON,
        people_only=True,
    ),
    "mark_sets": Case(
        Role.MEMBER, _marks, ids=("body.session_id",), seen=Seen.BY_ITS_PERSON, people_only=True
    ),
    "finish_workout": Case(
        Role.MEMBER, _finish, ids=("body.session_id",), seen=Seen.BY_ITS_PERSON, people_only=True
    ),
    "discard_workout": Case(
        Role.MEMBER, _discard, ids=("path.session_id",), seen=Seen.BY_ITS_PERSON, people_only=True
    ),
    "list_trainer_sessions": Case(Role.MEMBER, _nothing),
    "create_trainer_session": Case(Role.MEMBER, _nothing, people_only=True),
    "get_trainer_session": Case(Role.MEMBER, _conversation, ids=_SESSION, seen=Seen.BY_STAFF),
    "list_sessions": Case(Role.MEMBER, _of_a_person),
    "create_session": Case(Role.MEMBER, _body(title="New")),
    "import_session": Case(Role.MEMBER, _import),
    "get_session": Case(Role.MEMBER, _conversation, ids=_SESSION, seen=Seen.BY_STAFF),
    "erase_session": Case(Role.MEMBER, _conversation, ids=_SESSION, seen=Seen.BY_STAFF),
    "fork_session": Case(Role.MEMBER, _fork, ids=_SESSION, seen=Seen.BY_STAFF),
    "export_session": Case(Role.MEMBER, _conversation, ids=_SESSION, seen=Seen.BY_STAFF),
    "say_something": Case(Role.MEMBER, _message, ids=_SESSION, seen=Seen.BY_STAFF),
    "cancel_turn": Case(Role.MEMBER, _conversation, ids=_SESSION, seen=Seen.BY_STAFF),
    "follow_events": Case(Role.MEMBER, _conversation, ids=_SESSION, seen=Seen.BY_STAFF),
    "follow_events as a stream": Case(
        Role.MEMBER,
        _conversation,
        ids=_SESSION,
        seen=Seen.BY_STAFF,
        operation=Operation("follow_events", "GET", "/api/sessions/{session_id}/events"),
        send=send_stream,
    ),
    "follow_by_websocket": Case(
        Role.MEMBER,
        _conversation,
        ids=_SESSION,
        seen=Seen.BY_STAFF,
        operation=Operation("follow_by_websocket", "GET", "/api/sessions/{session_id}/ws"),
        send=send_websocket,
    ),
}
