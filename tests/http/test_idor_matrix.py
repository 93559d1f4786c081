"""Every operation, asked by every kind of caller (TRUST.md S1)."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from fastapi.routing import iter_route_contexts

from spotter.app import House, build_app
from spotter.identity.principal import Role
from spotter.ids import random_id
from tests.http.actions import Desk, bearer, create_key, without_id
from tests.http.idor_agui_cases import AGUI_CASES
from tests.http.idor_billing_cases import BILLING_CASES
from tests.http.idor_cases import CASES as FIRST_CASES
from tests.http.idor_cases import Ask, Case, Operation, Seen, World
from tests.http.idor_coach_cases import COACH_CASES
from tests.http.idor_context_cases import CONTEXT_CASES
from tests.http.idor_scenario_cases import SCENARIO_CASES
from tests.http.idor_voice_cases import VOICE_CASES
from tests.http.idor_widget_cases import WIDGET_CASES
from tests.support.people import Gym, open_gym

CASES: Mapping[str, Case] = {
    **FIRST_CASES,
    **BILLING_CASES,
    **CONTEXT_CASES,
    **COACH_CASES,
    **SCENARIO_CASES,
    **VOICE_CASES,
    **AGUI_CASES,
    **WIDGET_CASES,
}
_METHODS = {"get", "put", "post", "delete", "patch", "head", "options", "trace"}


@dataclass(frozen=True, slots=True)
class Caller:
    label: str
    credential: str
    role: Role
    of_a: bool = True
    is_key: bool = False
    scopes: frozenset[str] = frozenset({"read", "write", "admin"})
    is_the_person: bool = False

    @property
    def headers(self) -> Mapping[str, str]:
        return bearer(self.credential)

    @property
    def other_headers(self) -> Mapping[str, str]:
        return {"X-API-Key": self.credential}


def _operations(document: Mapping[str, Any]) -> dict[str, Operation]:
    return {
        described["operationId"]: Operation(described["operationId"], method.upper(), path)
        for path, methods in document["paths"].items()
        for method, described in methods.items()
        if method in _METHODS
    }


@pytest.fixture
async def documented(http: httpx.AsyncClient) -> dict[str, Operation]:
    return _operations((await http.get("/openapi.json")).json())


@pytest.fixture
def operations(documented: dict[str, Operation]) -> dict[str, Operation]:
    others = {name: case.operation for name, case in CASES.items() if case.operation is not None}
    return {**documented, **others}


@pytest.fixture(scope="module")
async def untouched(server_url: str, home: House) -> AsyncIterator[World]:
    """For those who are refused: nothing in it ever changes, so all of them can share it."""
    async with httpx.AsyncClient(base_url=server_url, timeout=120) as client:
        yield World(client, Desk(home), await open_gym(home))


@pytest.fixture(scope="module")
async def refused_headers(untouched: World) -> dict[str, Mapping[str, str]]:
    return await _refused_headers(untouched)


@pytest.fixture
async def world(http: httpx.AsyncClient, home: House) -> World:
    return World(http, Desk(home), await open_gym(home))


async def test_every_operation_has_an_entry(documented: dict[str, Operation]) -> None:
    listed = {name for name, case in CASES.items() if case.operation is None}
    assert set(documented) == listed, "an entry in idor_cases.py is missing, or names no route"


def test_every_websocket_has_an_entry(home: House) -> None:
    routes = iter_route_contexts(build_app(home.services).routes)
    # What has a path and no methods is no HTTP route.
    sockets = {route.path for route in routes if getattr(route, "path", None) and not route.methods}
    listed = {case.operation.path for case in CASES.values() if case.operation is not None}
    assert sockets
    assert sockets <= listed


async def test_ids_in_paths_are_declared(operations: dict[str, Operation]) -> None:
    for name, operation in operations.items():
        inside = {f"path.{part[1:-1]}" for part in operation.path.split("/") if part.startswith("{")}
        declared = (*CASES[name].ids, *CASES[name].own_names)
        assert inside == {one for one in declared if one.startswith("path.")}, name


def test_an_undeclared_route_would_be_noticed() -> None:
    document = {"paths": {"/api/new/{new_id}": {"get": {"operationId": "get_new"}}}}
    assert set(_operations(document)) - set(CASES) == {"get_new"}


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.role is not None])
async def test_without_a_valid_credential_nothing_answers(
    name: str,
    operations: dict[str, Operation],
    untouched: World,
    refused_headers: dict[str, Mapping[str, str]],
) -> None:
    case, operation, world = CASES[name], operations[name], untouched
    ask = await case.ask(world)
    for label, headers in refused_headers.items():
        answer = await case.send(world.http, operation, ask, headers)
        assert answer.status_code == 401, f"{label}: {answer.text}"
        assert answer.headers["www-authenticate"] == "Bearer"
        assert str(world.gym.org_id) not in answer.text
        if case.ids:
            unknown = await case.send(world.http, operation, ask.with_random_ids(case.ids), headers)
            assert without_id(unknown) == without_id(answer), label


async def _refused_headers(world: World) -> dict[str, Mapping[str, str]]:
    gym, desk = world.gym, world.desk
    key = await create_key(world.http, gym.owner, ["read", "write", "admin"])
    ended = await desk.sign_in_again(gym.owner)
    await world.http.delete(f"/api/api-keys/{key.id}", headers=gym.owner.headers)
    await world.http.post("/api/auth/sign-out", headers=ended.headers)
    wrong = {
        "garbage": "garbage",
        "a key that never was": "spk_" + "x" * 48,
        "expired token": desk.expired_token(gym.owner),
        "revoked key": key.plain,
        "ended sign-in": ended.token,
        "refresh token": gym.owner.refresh_token,
        "token for another organisation": desk.access_token(gym.owner, org=str(random_id())),
    }
    return {
        "none": {},
        "basic": {"Authorization": "Basic b3duZXI6cGFzc3dvcmQ="},
        "empty bearer": {"Authorization": "Bearer"},
        "empty key": {"X-API-Key": ""},
        "two that differ": {**gym.owner.headers, "X-API-Key": gym.admin.token},
        **{label: bearer(credential) for label, credential in wrong.items()},
        **{f"{label} as X-API-Key": {"X-API-Key": credential} for label, credential in wrong.items()},
    }


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.role is None])
async def test_open_operations_work_without_a_credential(
    name: str, operations: dict[str, Operation], world: World
) -> None:
    answer = await CASES[name].send(world.http, operations[name], await CASES[name].ask(world), {})
    assert answer.is_success, answer.text


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.role is not None])
async def test_each_caller_gets_what_is_theirs(
    name: str, operations: dict[str, Operation], world: World, other_gym: Gym
) -> None:
    case, operation = CASES[name], operations[name]
    for caller in await _callers(world, other_gym):
        ask = await case.ask(world)
        expected = _expected(case, operation, caller)
        if expected is not None:
            await _assert_refused(case, operation, world, caller, ask, expected)
            continue
        answer = await case.send(world.http, operation, ask, caller.headers)
        assert answer.is_success or answer.status_code in case.also, f"{caller.label}: {answer.text}"
        if not caller.of_a:
            _assert_nothing_of(world.gym, answer)
        if operation.method == "GET":
            again = await case.send(world.http, operation, ask, caller.other_headers)
            assert again.status_code == answer.status_code, caller.label


async def _callers(world: World, other: Gym) -> list[Caller]:
    gym = world.gym
    read = await create_key(world.http, gym.owner, ["read"])
    write = await create_key(world.http, gym.owner, ["read", "write"])
    full = await create_key(world.http, gym.owner, ["read", "write", "admin"])
    staff = await create_key(world.http, gym.owner, ["read", "write", "admin"], role="staff")
    rival = await create_key(world.http, other.owner, ["read", "write", "admin"])
    return [
        Caller("B owner", other.owner.token, Role.OWNER, of_a=False),
        Caller("B member", other.member.token, Role.MEMBER, of_a=False),
        Caller("B key", rival.plain, Role.ADMIN, of_a=False, is_key=True),
        Caller("A key that reads", read.plain, Role.ADMIN, is_key=True, scopes=frozenset({"read"})),
        Caller(
            "A key that writes", write.plain, Role.ADMIN, is_key=True, scopes=frozenset({"read", "write"})
        ),
        Caller("A staff key", staff.plain, Role.STAFF, is_key=True),
        Caller("A full key", full.plain, Role.ADMIN, is_key=True),
        Caller("A other member", gym.other_member.token, Role.MEMBER),
        Caller("A staff", gym.staff.token, Role.STAFF),
        Caller("A admin", gym.admin.token, Role.ADMIN),
        Caller("A owner", gym.owner.token, Role.OWNER),
        # Last: some of the things asked for end this person's sign-ins.
        Caller("A member", gym.member.token, Role.MEMBER, is_the_person=True),
    ]


def _expected(case: Case, operation: Operation, caller: Caller) -> int | None:
    """The status of the refusal, or None where it must work."""
    assert case.role is not None
    if ("read" if operation.method == "GET" and not case.writes else "write") not in caller.scopes:
        return 403
    if not caller.role.at_least(case.role):
        return 403
    if case.role.at_least(Role.ADMIN) and "admin" not in caller.scopes:
        return 403
    if case.people_only and caller.is_key:
        return 403
    if case.ids and not _can_see(case, caller):
        return 404
    return None


def _can_see(case: Case, caller: Caller) -> bool:
    if not caller.of_a:
        return False
    if case.seen is Seen.BY_THE_ORGANISATION or caller.is_the_person:
        return True
    least = {Seen.BY_STAFF: Role.STAFF, Seen.BY_ADMINS: Role.ADMIN}.get(case.seen)
    return least is not None and caller.role.at_least(least)


async def _assert_refused(
    case: Case, operation: Operation, world: World, caller: Caller, ask: Ask, expected: int
) -> None:
    """The same refusal in every header, and the same as for an id that exists nowhere."""
    refused = await case.send(world.http, operation, ask, caller.headers)
    assert refused.status_code == expected, f"{caller.label}: {refused.text}"
    assert refused.headers["content-type"] == "application/problem+json"
    if not caller.of_a:
        _assert_nothing_of(world.gym, refused)
    others = [await case.send(world.http, operation, ask, caller.other_headers)]
    if case.ids:
        others.append(await case.send(world.http, operation, ask.with_random_ids(case.ids), caller.headers))
    for other in others:
        assert other.status_code == expected, caller.label
        assert without_id(other) == without_id(refused), caller.label


def _assert_nothing_of(gym: Gym, answer: httpx.Response) -> None:
    told = [gym.slug, str(gym.org_id), *(person.email for person in gym.everybody)]
    assert not [one for one in told if one in answer.text], answer.text
