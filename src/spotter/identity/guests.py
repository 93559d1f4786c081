"""People who have not said who they are: let in where the organisation allows it, for a while, to one thing.

A guest is a person like any other to the database, so that the same policies keep their rows apart. Their membership
counts as left from the start: no list of members, no sign-in and no count of seats knows them. What they hold is a
signed token that only the coach's addresses accept.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

import jwt
from sqlalchemy import select, text

from spotter.clock import now
from spotter.errors import Forbidden, NotFound, TooManyRequests, Unauthenticated
from spotter.identity.keyring import Keyring
from spotter.identity.principal import PermissionScope, Principal, Role
from spotter.identity.tables import Membership
from spotter.ids import random_id
from spotter.store.database import Database
from spotter.store.scope import UNSCOPED, Scope
from spotter.store.unit_of_work import UnitOfWork

LIFETIME: Final = timedelta(hours=24)
MOST_AT_ONCE: Final = 500
"""Guests an organisation has at a time: each may cost something."""
_ALGORITHM: Final = "HS256"
_AUDIENCE: Final = "spotter-guest"
_REFUSED: Final = "This guest's visit is over. Start again without the token, or sign in."
_SCOPES: Final = frozenset({PermissionScope.READ, PermissionScope.WRITE})


@dataclass(frozen=True, slots=True)
class Admitted:
    principal: Principal
    token: str


class Guests:
    def __init__(self, database: Database, keyring: Keyring) -> None:
        self._database = database
        self._key = keyring.derive("guest tokens")

    async def admit(self, organisation: str | None) -> Admitted:
        """A new guest of an organisation; without a name, of the only one that has guests."""
        user_id, until = random_id(), now() + LIFETIME
        async with self._database.unit_of_work(UNSCOPED) as uow:
            org_id = await uow.session.scalar(
                text("SELECT spotter_auth.find_host(:slug)"), {"slug": organisation}
            )
            if org_id is None:
                if organisation is not None:
                    raise NotFound("There is no such organisation that takes guests. Sign in instead.")
                raise Unauthenticated(
                    "This needs a sign-in: send `Authorization: Bearer …` or `X-API-Key: …`."
                )
            admitted = await uow.session.scalar(
                text("SELECT spotter_auth.admit_guest(:org, :person, :until, :most)"),
                {"org": org_id, "person": user_id, "until": until, "most": MOST_AT_ONCE},
            )
        if not admitted:
            raise TooManyRequests(
                "There are too many guests right now. Sign in, or try again later.", retry_after=600
            )
        return Admitted(_principal(org_id, user_id), self._signed(org_id, user_id, until))

    async def principal(self, token: str) -> Principal:
        """Whose token it is. Raises `Unauthenticated` where there is no such guest any more."""
        org_id, user_id = self._read(token)
        async with self._database.unit_of_work(Scope(org_id, user_id, Role.MEMBER.value)) as uow:
            until = await uow.session.scalar(
                select(Membership.guest_until).where(
                    Membership.org_id == org_id, Membership.user_id == user_id
                )
            )
        if until is None or until <= now():
            raise Unauthenticated(_REFUSED)
        return _principal(org_id, user_id)

    def _signed(self, org_id: UUID, user_id: UUID, until: datetime) -> str:
        claims = {"org": str(org_id), "sub": str(user_id), "exp": until, "aud": _AUDIENCE}
        return jwt.encode(claims, self._key, algorithm=_ALGORITHM)

    def _read(self, token: str) -> tuple[UUID, UUID]:
        try:
            claims = jwt.decode(
                token,
                self._key,
                algorithms=[_ALGORITHM],
                audience=_AUDIENCE,
                options={"require": ["exp", "sub", "aud"], "verify_exp": False},
            )
            if datetime.fromtimestamp(claims["exp"], UTC) <= now():
                raise Unauthenticated(_REFUSED)
            return UUID(claims["org"]), UUID(claims["sub"])
        except (jwt.InvalidTokenError, ValueError, KeyError, TypeError, AttributeError, OverflowError):
            raise Unauthenticated(_REFUSED) from None


def _principal(org_id: UUID, user_id: UUID) -> Principal:
    return Principal("user", user_id, org_id, Role.MEMBER, _SCOPES, guest=True)


async def retire(uow: UnitOfWork, guest: UUID, *, adopted: bool) -> bool:
    """A guest is gone with all that was kept about them. `adopted`: somebody has it now; otherwise what was said is
    shredded, and only its order stays. Needs to act for the organisation."""
    return bool(
        await uow.session.scalar(
            text("SELECT spotter_auth.retire_guest(:guest, :adopted)"), {"guest": guest, "adopted": adopted}
        )
    )


async def expired(uow: UnitOfWork, before: datetime) -> list[UUID]:
    """Guests of the organisation who came before then."""
    found = await uow.session.scalars(
        select(Membership.user_id).where(Membership.guest_until.is_not(None), Membership.created_at < before)
    )
    return list(found)


def refuse_guest(caller: Principal) -> None:
    if caller.guest:
        raise Forbidden("Guests can talk to the coach. Sign in for everything else.")
