"""Chats on other people's pages: what they are, and the tokens with which the pages' visitors talk.

The host's server mints a token for one of its users. That user is a person of their own here, one for each widget: the
policies that keep people apart then also keep widgets apart, and whatever the token reaches was said in this widget.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

import jwt
from sqlalchemy import delete, select

from spotter import clock
from spotter.errors import Forbidden, NotFound, Unauthenticated
from spotter.identity import audit, look_ups
from spotter.identity.guests import Guests
from spotter.identity.keyring import Keyring
from spotter.identity.organisations import get_organisation
from spotter.identity.principal import PermissionScope, Principal, Role, WidgetGrant
from spotter.identity.tables import Membership, Widget
from spotter.identity.tokens import is_compact_jws
from spotter.ids import new_id, random_id
from spotter.store.database import Database
from spotter.store.scope import UNSCOPED, Scope
from spotter.store.unit_of_work import UnitOfWork

PREFIX: Final = "spw_"
LONGEST_SECONDS: Final = 15 * 60
_ISSUER: Final = "spotter"
_AUDIENCE: Final = "spotter-widget"
_HEADER: Final = {"alg": "HS256", "typ": "wt+jwt"}
_MAX_CHARS: Final = 2048
_REQUIRED: Final = ["exp", "iat", "iss", "aud", "sub", "jti"]
_REFUSED: Final = "This widget token is not valid or has expired. The page's server can make a new one."
_SCOPES: Final = frozenset({PermissionScope.READ, PermissionScope.WRITE})
_GONE: Final = "There is no such widget."


@dataclass(frozen=True, slots=True)
class Shown:
    """What anybody may know of a widget who knows its id."""

    org_id: UUID
    name: str
    origins: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Minted:
    token: str
    expires_at: datetime
    person: UUID
    guest: bool


async def create(
    uow: UnitOfWork,
    by: Principal,
    *,
    name: str,
    origins: Sequence[str],
    scenario: str | None,
    agents: Sequence[str],
    enabled: bool,
) -> Widget:
    widget = Widget(
        org_id=by.org_id,
        id=new_id(),
        name=name,
        origins=list(dict.fromkeys(origins)),
        scenario=scenario,
        agents=list(dict.fromkeys(agents)),
        enabled=enabled,
        created_by=by.user_id,
        created_at=clock.now(),
        updated_at=clock.now(),
    )
    uow.session.add(widget)
    await audit.record(uow, "widget.created", target=str(widget.id), detail=_facts(widget))
    return widget


async def listing(uow: UnitOfWork) -> list[Widget]:
    return list(await uow.session.scalars(select(Widget).order_by(Widget.created_at, Widget.id)))


async def get(uow: UnitOfWork, widget_id: UUID) -> Widget:
    widget = await uow.session.scalar(select(Widget).where(Widget.id == widget_id))
    if widget is None:
        raise NotFound(_GONE)
    return widget


async def change(uow: UnitOfWork, widget_id: UUID, changes: Mapping[str, Any]) -> Widget:
    """From the next request on: a widget is looked up on each one."""
    widget = await get(uow, widget_id)
    for name, value in changes.items():
        setattr(widget, name, list(dict.fromkeys(value)) if isinstance(value, list) else value)
    widget.updated_at = clock.now()
    await audit.record(uow, "widget.changed", target=str(widget_id), detail=_facts(widget))
    return widget


async def remove(uow: UnitOfWork, widget_id: UUID) -> None:
    """What was said in it stays with the people who said it; nobody can go on there."""
    gone = await uow.session.execute(delete(Widget).where(Widget.id == widget_id).returning(Widget.id))
    if gone.first() is None:
        raise NotFound(_GONE)
    await audit.record(uow, "widget.removed", target=str(widget_id))


def _facts(widget: Widget) -> dict[str, Any]:
    return {
        "origins": widget.origins,
        "scenario": widget.scenario,
        "agents": widget.agents,
        "enabled": widget.enabled,
    }


class Widgets:
    """Who comes through a widget."""

    def __init__(self, database: Database, keyring: Keyring, guests: Guests) -> None:
        self._database = database
        self._key = keyring.derive("widget-token/v1/hs256")
        self._guests = guests

    async def shown(self, widget_id: UUID) -> Shown | None:
        """Before anybody is signed in. None for one that is not there, or switched off."""
        async with self._database.unit_of_work(UNSCOPED) as uow:
            found = await look_ups.find_widget(uow, widget_id)
        return Shown(found.org_id, found.name, tuple(found.origins)) if found is not None else None

    async def mint(
        self, by: Principal, widget_id: UUID, subject: str | None, name: str, seconds: int
    ) -> Minted:
        """For a user of the host, who is a member here from now on; without one, for a guest, where the organisation
        takes guests."""
        async with self._database.unit_of_work(by.scope) as uow:
            widget = await get(uow, widget_id)
            if not widget.enabled:
                raise Forbidden("This widget is switched off. Switch it on to let people in.")
            slug = (await get_organisation(uow)).slug
        if subject is None:
            try:
                admitted = await self._guests.admit(slug)
            except NotFound:
                raise Forbidden(
                    "This organisation takes no guests: send the id of your user, or let guests in."
                ) from None
            assert admitted.principal.user_id is not None
            person = admitted.principal.user_id
        else:
            person = await self._person(by.org_id, widget_id, subject, name)
        issued_at = int(clock.now().timestamp())
        payload = {
            "iss": _ISSUER,
            "aud": _AUDIENCE,
            "sub": str(person),
            "jti": str(random_id()),
            "iat": issued_at,
            "exp": issued_at + min(seconds, LONGEST_SECONDS),
            "org": str(by.org_id),
            "wid": str(widget_id),
        }
        async with self._database.unit_of_work(by.scope) as uow:
            detail = {"user_id": str(person), "guest": subject is None, "seconds": seconds}
            await audit.record(uow, "widget.token_minted", target=str(widget_id), detail=detail)
        token = PREFIX + jwt.encode(payload, self._key, algorithm="HS256", headers={"typ": _HEADER["typ"]})
        expires_at = datetime.fromtimestamp(issued_at + min(seconds, LONGEST_SECONDS), UTC)
        return Minted(token, expires_at, person, subject is None)

    async def principal(self, token: str) -> Principal:
        """Whose token it is, as they and the widget stand now. Raises `Unauthenticated`."""
        try:
            payload = self._payload(token.removeprefix(PREFIX))
            org_id, person, widget_id = UUID(payload["org"]), UUID(payload["sub"]), UUID(payload["wid"])
        except (jwt.PyJWTError, KeyError, ValueError, TypeError, AttributeError):
            raise Unauthenticated(_REFUSED) from None
        async with self._database.unit_of_work(Scope(org_id, person, Role.MEMBER.value)) as uow:
            member = await uow.session.get(Membership, (org_id, person))
            widget = await uow.session.scalar(select(Widget).where(Widget.id == widget_id, Widget.enabled))
        if member is None or widget is None or not _here(member):
            raise Unauthenticated(_REFUSED)
        grant = WidgetGrant(widget_id, widget.scenario, tuple(widget.agents))
        # A member, whatever else they may have become: the page they sit on is somebody else's.
        return Principal(
            "user",
            person,
            org_id,
            Role.MEMBER,
            _SCOPES,
            guest=member.guest_until is not None,
            widget=grant,
        )

    async def _person(self, org_id: UUID, widget_id: UUID, subject: str, name: str) -> UUID:
        issuer = f"widget:{widget_id}"
        async with self._database.unit_of_work(UNSCOPED) as uow:
            person = await look_ups.find_external(uow, issuer, subject)
        if person is None:
            person = await self._provision(org_id, issuer, subject, name)
        async with self._database.unit_of_work(Scope(org_id, person, Role.MEMBER.value)) as uow:
            member = await uow.session.get(Membership, (org_id, person))
            if member is None or not _here(member):
                raise Forbidden("This user was removed from the organisation, and stays out.")
        return person

    async def _provision(self, org_id: UUID, issuer: str, subject: str, name: str) -> UUID:
        person = random_id()
        async with self._database.unit_of_work(UNSCOPED) as uow:
            await look_ups.create_user(uow, person, f"{person.hex}@widget.invalid", name)
            if not await look_ups.link_external(uow, issuer, subject, person):
                # Another request was first; take theirs.
                uow.give_up()
                found = await look_ups.find_external(uow, issuer, subject)
                if found is None:
                    raise Forbidden("This user's account is switched off.")
                return found
            await look_ups.join_organisation(uow, org_id, person, Role.MEMBER)
            await uow.act_for(Scope(org_id, person, Role.MEMBER.value))
            await audit.record(uow, "member.joined", target=str(person), detail={"through": issuer})
        return person

    def _payload(self, token: str) -> dict[str, Any]:
        if not is_compact_jws(token, max_chars=_MAX_CHARS):
            raise ValueError("not a compact JWS")
        decoded = jwt.decode_complete(
            token,
            self._key,
            algorithms=["HS256"],
            audience=_AUDIENCE,
            issuer=_ISSUER,
            options={"require": _REQUIRED, "strict_aud": True, "verify_exp": False, "verify_iat": False},
        )
        payload: dict[str, Any] = decoded["payload"]
        if decoded["header"] != _HEADER or type(payload["exp"]) is not int:
            raise ValueError("not ours")
        if payload["exp"] <= clock.now().timestamp():
            raise ValueError("expired")
        return payload


def _here(member: Membership) -> bool:
    if member.guest_until is not None:
        return member.guest_until > clock.now()
    return member.removed_at is None
