"""What tests do to get people, keys and secrets into a certain state."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

import httpx
import jwt

from spotter.api.server import Listener
from spotter.app import Ground, House, build_app, house
from spotter.clock import now
from spotter.identity import look_ups
from spotter.identity.organisations import add_person
from spotter.identity.passwords import hash_password
from spotter.identity.principal import Role
from spotter.identity.tables import Credential
from spotter.ids import random_id
from spotter.store.scope import UNSCOPED
from tests.support.people import Gym, Person, sign_in

PASSWORD = "correct horse battery staple"
_hashed: dict[str, str] = {}


def fresh_email() -> str:
    return f"{random_id().hex[:16]}@new.example"


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def without_id(answer: httpx.Response) -> dict[str, Any]:
    """A problem document but for what is different each time."""
    body: dict[str, Any] = answer.json()
    return {name: value for name, value in body.items() if name != "correlation_id"}


async def _hash(password: str) -> str:
    """Hashed once: it takes a while on purpose, and the tests use one password everywhere."""
    if password not in _hashed:
        _hashed[password] = await hash_password(password)
    return _hashed[password]


@dataclass(frozen=True, slots=True)
class Desk:
    """The reception: lets people in without HTTP."""

    house: House

    async def set_password(self, person: Person, password: str = PASSWORD) -> Person:
        """Sets it and signs in anew: a password ends every sign-in from before."""
        async with self.house.services.database.unit_of_work(person.scope) as uow:
            uow.session.add(
                Credential(user_id=person.user_id, password_hash=await _hash(password), changed_at=now())
            )
        return await self.sign_in_again(person)

    async def sign_in_again(self, person: Person) -> Person:
        return await sign_in(self.house, person.org_id, person.user_id, person.email, person.role)

    async def add(self, gym: Gym, role: Role, email: str | None = None) -> Person:
        email = email or fresh_email()
        async with self.house.services.database.unit_of_work(UNSCOPED) as uow:
            user_id = await add_person(uow, email, "New", None)
            await uow.act_for(UNSCOPED)
            await look_ups.join_organisation(uow, gym.org_id, user_id, role)
        return await sign_in(self.house, gym.org_id, user_id, email, role)

    async def join(self, person: Person, gym: Gym, role: Role) -> Person:
        """The same person in another organisation too."""
        async with self.house.services.database.unit_of_work(UNSCOPED) as uow:
            await look_ups.join_organisation(uow, gym.org_id, person.user_id, role)
        return await sign_in(self.house, gym.org_id, person.user_id, person.email, role)

    async def link(self, person: Person) -> str:
        service = self.house.services.sign_in
        return await service.create_link(
            person.user_id, await service.choose_place(person.user_id, str(person.org_id))
        )

    def access_token(self, person: Person, **changes: Any) -> str:
        """As the server signs it, with claims of our choice."""
        moment = int(now().timestamp())
        claims = {
            "iss": "spotter",
            "aud": "spotter-api",
            "sub": str(person.user_id),
            "jti": str(random_id()),
            "iat": moment,
            "exp": moment + 900,
            "org": str(person.org_id),
            "sid": str(person.session_id),
            "knd": "person",
            **changes,
        }
        key = self.house.base.keyring.derive("access-token/v1/hs256")
        return jwt.encode(claims, key, "HS256", headers={"typ": "at+jwt"})

    def expired_token(self, person: Person) -> str:
        moment = int(now().timestamp())
        return self.access_token(person, iat=moment - 1000, exp=moment - 100)


@dataclass(frozen=True, slots=True)
class Key:
    id: UUID
    plain: str

    @property
    def headers(self) -> dict[str, str]:
        return {"X-API-Key": self.plain}


async def create_key(
    http: httpx.AsyncClient, by: Person, scopes: Sequence[str], role: str = "admin", **more: Any
) -> Key:
    body = {"name": "a key", "role": role, "scopes": list(scopes), **more}
    answer = await http.post("/api/api-keys", json=body, headers=by.headers)
    assert answer.status_code == 201, answer.text
    return Key(UUID(answer.json()["id"]), answer.json()["key"])


async def invite(
    http: httpx.AsyncClient, by: Person, email: str | None = None, role: str = "member"
) -> dict[str, Any]:
    answer = await http.post(
        "/api/invitations", json={"email": email or fresh_email(), "role": role}, headers=by.headers
    )
    assert answer.status_code == 201, answer.text
    created: dict[str, Any] = answer.json()
    return created


async def accept(
    http: httpx.AsyncClient, token: str, password: str = PASSWORD, **more: Any
) -> httpx.Response:
    return await http.post("/api/auth/accept-invitation", json={"token": token, "password": password, **more})


@asynccontextmanager
async def another_server(base: Ground, changes: Mapping[str, Any]) -> AsyncIterator[httpx.AsyncClient]:
    """A second instance on the same database, with some settings changed."""
    settings = base.settings.model_copy(update=dict(changes))
    async with house(replace(base, settings=settings)) as home:
        listener = Listener(settings)
        ready, stop = asyncio.Event(), asyncio.Event()
        serving = asyncio.create_task(listener.serve(build_app(home.services), ready, stop))
        await ready.wait()
        async with httpx.AsyncClient(base_url=listener.url, timeout=120) as client:
            yield client
        stop.set()
        await serving
        listener.close()
