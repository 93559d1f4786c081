"""Coming in and going out: passwords, one-time links, refresh tokens that rotate.

A refresh token is used once. The device gets the next one with each answer; an old one that turns up again
after a short grace (two tabs, a lost answer) means it was copied, and ends the whole sign-in.
"""

import asyncio
import logging
from collections.abc import Coroutine
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

import psycopg
from sqlalchemy import select, update
from sqlalchemy.exc import SQLAlchemyError

from spotter.clock import now
from spotter.errors import Conflict, Forbidden, NotFound, SpotterError, Unauthenticated
from spotter.identity import audit, look_ups
from spotter.identity.look_ups import Place
from spotter.identity.passwords import check_password_rules, hash_password, needs_rehash, verify_password
from spotter.identity.principal import Role
from spotter.identity.tables import Credential, RefreshToken, SignInLink, SignInSession, User
from spotter.identity.tokens import AccessClaims, AccessTokens, new_opaque, parse_opaque
from spotter.ids import new_id
from spotter.settings import Settings
from spotter.store.database import Database
from spotter.store.scope import UNSCOPED, Scope
from spotter.store.unit_of_work import UnitOfWork

log = logging.getLogger(__name__)

_REUSE_GRACE = timedelta(seconds=10)
_WRONG = "E-mail or password is wrong."
_FAILED = "sign_in.failed"
_ENDED = "This sign-in has ended. Sign in again."


@dataclass(frozen=True, slots=True)
class SignedIn:
    user_id: UUID
    org_id: UUID
    access_token: str
    refresh_token: str
    expires_in: int
    session_id: UUID


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who looks at a page."""

    user_id: UUID
    email: str
    organisation: str
    role: Role


class SignIn:
    def __init__(self, database: Database, access_tokens: AccessTokens, settings: Settings) -> None:
        self._database = database
        self._access_tokens = access_tokens
        self._settings = settings
        self._notes: set[asyncio.Task[None]] = set()

    async def aclose(self) -> None:
        """When all that is noted of failed sign-ins is written."""
        while self._notes:
            await asyncio.wait(self._notes)

    async def with_password(self, email: str, password: str, org: str | None, device: str) -> SignedIn:
        async with self._database.unit_of_work(UNSCOPED) as uow:
            login = await look_ups.find_login(uow, email)
        # No connection is held while the password is checked: that takes a while on purpose.
        if not await verify_password(login.password_hash if login else None, password) or login is None:
            if login is not None:
                self._later(self._note_failure(login.user_id, org))
            raise Unauthenticated(_WRONG)
        place = await self.choose_place(login.user_id, org)
        async with self._database.unit_of_work(_scope(place, login.user_id)) as uow:
            if login.password_hash and needs_rehash(login.password_hash):
                await _rehash(uow, login.user_id, await hash_password(password))
            signed_in = await self.start_session(uow, device=device)
            await audit.record(uow, "sign_in.password")
        return signed_in

    async def create_link(self, user_id: UUID, place: Place) -> str:
        """A link's secret for one person; whoever opens it first is signed in as them."""
        secret = new_opaque("sign_in_link")
        async with self._database.unit_of_work(_scope(place, user_id)) as uow:
            expires = now() + timedelta(minutes=self._settings.sign_in_link_minutes)
            uow.session.add(
                SignInLink(
                    org_id=place.org_id,
                    id=new_id(),
                    user_id=user_id,
                    token_hash=secret.hash,
                    expires_at=expires,
                )
            )
            await audit.record(uow, "sign_in_link.created", target=str(user_id))
        return secret.plain

    async def with_link(self, token: str, device: str) -> SignedIn:
        secret = parse_opaque(token, "sign_in_link")
        async with self._database.unit_of_work(UNSCOPED) as uow:
            link = await look_ups.find_sign_in_link(uow, secret.hash)
        if link is None or link.user_id is None:
            raise Unauthenticated("This sign-in link is not valid. Ask for a new one.")
        place = await self._place_in(link.user_id, link.org_id)
        async with self._database.unit_of_work(_scope(place, link.user_id)) as uow:
            used = await uow.session.execute(
                update(SignInLink)
                .where(SignInLink.id == link.id, SignInLink.used_at.is_(None), SignInLink.expires_at > now())
                .values(used_at=now())
                .returning(SignInLink.id)
            )
            if used.first() is not None:
                signed_in = await self.start_session(uow, device=device)
                await audit.record(uow, "sign_in.link")
                return signed_in
            await audit.record(
                uow, _FAILED, actor_kind="anonymous", target=str(link.user_id), detail={"way": "link"}
            )
        raise Unauthenticated("This sign-in link was used already or is too old. Ask for a new one.")

    async def refresh(self, token: str) -> SignedIn:
        secret = parse_opaque(token, "refresh")
        async with self._database.unit_of_work(UNSCOPED) as uow:
            found = await look_ups.find_refresh_token(uow, secret.hash)
        if found is None or found.user_id is None:
            raise Unauthenticated(_ENDED)
        place = await self._place_in(found.user_id, found.org_id)
        async with self._database.unit_of_work(_scope(place, found.user_id)) as uow:
            answer = await self._rotate(uow, found.id)
        if answer is None:
            raise Unauthenticated(_ENDED)
        return answer

    async def visitor(self, token: str) -> Visitor:
        """Whose browser it is. Looking at a page does not use the refresh token up."""
        secret = parse_opaque(token, "refresh")
        async with self._database.unit_of_work(UNSCOPED) as uow:
            found = await look_ups.find_refresh_token(uow, secret.hash)
        if found is None or found.user_id is None:
            raise Unauthenticated(_ENDED)
        place = await self._place_in(found.user_id, found.org_id)
        async with self._database.unit_of_work(_scope(place, found.user_id)) as uow:
            session = await uow.session.scalar(
                select(SignInSession)
                .join(RefreshToken, RefreshToken.session_id == SignInSession.id)
                .where(RefreshToken.id == found.id)
            )
            user = await uow.session.get(User, found.user_id)
            if session is None or user is None or not await _still_valid(uow, session):
                raise Unauthenticated(_ENDED)
        return Visitor(user.id, user.email, place.name, place.role)

    async def switch(self, user_id: UUID, org: str, device: str) -> SignedIn:
        """A sign-in to another organisation of the same person."""
        place = await self.choose_place(user_id, org)
        async with self._database.unit_of_work(_scope(place, user_id)) as uow:
            signed_in = await self.start_session(uow, device=device)
            await audit.record(uow, "sign_in.switch")
        return signed_in

    async def end(
        self, uow: UnitOfWork, user_id: UUID, session_id: UUID, *, because: str = "signed out"
    ) -> None:
        """One's own only. Named here because the database would let staff reach everybody's."""
        ended = await uow.session.execute(
            update(SignInSession)
            .where(
                SignInSession.id == session_id,
                SignInSession.user_id == user_id,
                SignInSession.revoked_at.is_(None),
            )
            .values(revoked_at=now(), revoked_because=because)
            .returning(SignInSession.id)
        )
        if ended.first() is None:
            raise NotFound("There is no such sign-in, or it has ended already.")
        await audit.record(uow, "sign_out", target=str(session_id), detail={"because": because})

    async def change_password(
        self, scope: Scope, email: str, current: str | None, new: str, device: str
    ) -> SignedIn:
        """Every sign-in started before this moment ends, in all organisations; the caller gets a new one."""
        check_password_rules(new, email)
        assert scope.user_id is not None
        async with self._database.unit_of_work(scope) as uow:
            before = await uow.session.get(Credential, scope.user_id)
            stored = before.password_hash if before else None
        if stored is not None and not await verify_password(stored, current or ""):
            assert scope.org_id is not None
            await audit.record_apart(
                self._database,
                scope.org_id,
                "password.change_refused",
                actor_kind="user",
                actor_id=scope.user_id,
            )
            raise Forbidden("The current password is wrong. Nothing was changed.")
        new_hash = await hash_password(new)
        async with self._database.unit_of_work(scope) as uow:
            await _store_password(uow, scope.user_id, new_hash, instead_of=stored)
            await audit.record(uow, "password.changed")
            await _end_all(uow, scope.user_id, because="the password was changed")
            return await self.start_session(uow, device=device)

    async def start_session(self, uow: UnitOfWork, *, device: str) -> SignedIn:
        org_id, user_id = uow.scope.org_id, uow.scope.user_id
        assert org_id is not None
        assert user_id is not None
        if not await _is_enabled(uow, user_id):
            raise Unauthenticated(_ENDED)
        session = SignInSession(
            org_id=org_id,
            id=new_id(),
            user_id=user_id,
            device=device[:200],
            created_at=now(),
            expires_at=now() + timedelta(days=self._settings.refresh_token_days),
        )
        uow.session.add(session)
        await uow.session.flush()
        return self._issue(uow, org_id, user_id, session.id)

    async def choose_place(self, user_id: UUID, org: str | None) -> Place:
        async with self._database.unit_of_work(UNSCOPED) as uow:
            places = await look_ups.places_of(uow, user_id)
        if org is not None:
            places = [place for place in places if org in (place.slug, str(place.org_id))]
            if not places:
                # Whether it exists elsewhere is not theirs to know.
                raise NotFound("There is no such organisation among yours.")
        if not places:
            raise Forbidden("You are in no organisation.")
        return places[0]

    async def _place_in(self, user_id: UUID, org_id: UUID) -> Place:
        try:
            return await self.choose_place(user_id, str(org_id))
        except NotFound:
            raise Unauthenticated(_ENDED) from None

    def _later(self, note: Coroutine[Any, Any, None]) -> None:
        """After the answer: how long it takes must not tell whether the account exists."""
        task = asyncio.create_task(note, name="note of a failed sign-in")
        self._notes.add(task)
        task.add_done_callback(self._notes.discard)

    async def _note_failure(self, user_id: UUID, org: str | None) -> None:
        """Where the person would have come in. Nobody is told of attempts at doors of others."""
        try:
            place = await self.choose_place(user_id, org)
            await audit.record_apart(
                self._database, place.org_id, _FAILED, target=str(user_id), detail={"way": "password"}
            )
        except (NotFound, Forbidden):
            return
        except (SpotterError, SQLAlchemyError, psycopg.Error) as error:
            log.warning("a failed sign-in could not be noted: %s", type(error).__name__)

    async def _rotate(self, uow: UnitOfWork, token_id: UUID) -> SignedIn | None:
        token = await uow.session.scalar(
            select(RefreshToken).where(RefreshToken.id == token_id).with_for_update()
        )
        if token is None:
            return None
        session = await uow.session.scalar(
            select(SignInSession).where(SignInSession.id == token.session_id).with_for_update()
        )
        if session is None or not await _still_valid(uow, session):
            return None
        if token.used_at is not None and token.used_at + _REUSE_GRACE < now():
            session.revoked_at, session.revoked_because = now(), "an old refresh token was used again"
            await audit.record(uow, "sign_in.reuse_detected", target=str(session.id))
            return None
        token.used_at = token.used_at or now()
        session.last_used_at = now()
        return self._issue(uow, session.org_id, session.user_id, session.id)

    def _issue(self, uow: UnitOfWork, org_id: UUID, user_id: UUID, session_id: UUID) -> SignedIn:
        secret = new_opaque("refresh")
        uow.session.add(
            RefreshToken(
                org_id=org_id, id=new_id(), user_id=user_id, session_id=session_id, token_hash=secret.hash
            )
        )
        access = self._access_tokens.issue(
            AccessClaims(user_id=user_id, org_id=org_id, session_id=session_id)
        )
        return SignedIn(
            user_id, org_id, access, secret.plain, self._settings.access_token_minutes * 60, session_id
        )


async def _store_password(
    uow: UnitOfWork, user_id: UUID, password_hash: str, *, instead_of: str | None
) -> None:
    credential = await uow.session.get(Credential, user_id, with_for_update=True)
    if (credential.password_hash if credential else None) != instead_of:
        raise Conflict("The password was changed at the same moment. Nothing was changed; try again.")
    if credential is None:
        uow.session.add(Credential(user_id=user_id, password_hash=password_hash, changed_at=now()))
    else:
        credential.password_hash, credential.changed_at = password_hash, now()
    await uow.session.flush()


async def _end_all(uow: UnitOfWork, user_id: UUID, *, because: str) -> None:
    """Here, so that open streams end too. In other organisations they are refused by the moment of the change."""
    await uow.session.execute(
        update(SignInSession)
        .where(SignInSession.user_id == user_id, SignInSession.revoked_at.is_(None))
        .values(revoked_at=now(), revoked_because=because)
    )


async def _still_valid(uow: UnitOfWork, session: SignInSession) -> bool:
    if session.revoked_at is not None or session.expires_at <= now():
        return False
    if not await _is_enabled(uow, session.user_id):
        return False
    changed = await uow.session.scalar(
        select(Credential.changed_at).where(Credential.user_id == session.user_id)
    )
    return changed is None or changed <= session.created_at


async def _is_enabled(uow: UnitOfWork, user_id: UUID) -> bool:
    found = await uow.session.scalar(select(User.id).where(User.id == user_id, User.disabled_at.is_(None)))
    return found is not None


async def _rehash(uow: UnitOfWork, user_id: UUID, password_hash: str) -> None:
    """The same password, hashed by today's parameters: not a change that ends sign-ins."""
    await uow.session.execute(
        update(Credential).where(Credential.user_id == user_id).values(password_hash=password_hash)
    )


def _scope(place: Place, user_id: UUID) -> Scope:
    return Scope(place.org_id, user_id, place.role.value)
