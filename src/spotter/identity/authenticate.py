"""From a credential to a principal. One way in for every header, stream and socket."""

import logging
import time
from collections import OrderedDict
from datetime import timedelta
from hashlib import sha256
from uuid import UUID

from sqlalchemy import Select, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.sql.elements import ColumnElement

from spotter.clock import now
from spotter.errors import Unauthenticated
from spotter.identity import audit, look_ups
from spotter.identity import widgets as widget_tokens
from spotter.identity.external import ExternalPerson, ExternalTokens
from spotter.identity.principal import ALL_SCOPES, PermissionScope, Principal, Role
from spotter.identity.stream_tickets import USED_TICKET, TicketClaims
from spotter.identity.tables import ApiKey, Credential, Membership, SignInSession, UsedTicket, User
from spotter.identity.tokens import AccessClaims, AccessTokens, parse_opaque
from spotter.identity.widgets import Widgets
from spotter.ids import random_id
from spotter.store.database import Database
from spotter.store.scope import UNSCOPED, Scope
from spotter.store.unit_of_work import UnitOfWork

log = logging.getLogger(__name__)

_REFUSED = "Your sign-in is not valid or has expired. Sign in again."
_KEY_REFUSED = "This API key is not valid."
_LAST_USED_GRANULARITY = timedelta(minutes=1)
_TOKENS_REMEMBERED = 20_000


class Authenticator:
    def __init__(
        self, database: Database, access_tokens: AccessTokens, external: ExternalTokens, widgets: Widgets
    ) -> None:
        self._database = database
        self._access_tokens = access_tokens
        self._external = external
        self._widgets = widgets
        self._refused: dict[UUID, float] = {}
        self._seen: OrderedDict[bytes, None] = OrderedDict()

    async def principal(self, credential: str) -> Principal:
        """Of a bearer token or an API key, whichever header it came in. Raises `Unauthenticated`."""
        if credential.startswith("spk_"):
            return await self._by_api_key(credential)
        if credential.startswith(widget_tokens.PREFIX):
            return await self._widgets.principal(credential)
        if self._external.claims_issuer(credential) is not None:
            person = await self._external.verify(credential)
            principal = await self._by_external(person)
            await self._note_sign_in(principal, person.issuer, credential)
            return principal
        return await self._by_access_token(self._access_tokens.verify(credential))

    async def by_ticket(self, claims: TicketClaims) -> Principal:
        """Whoever was given this ticket a moment ago, as they stand now. The ticket is used up."""
        if claims.sign_in is not None:
            principal = await self._by_access_token(
                AccessClaims(claims.user_id, claims.org_id, claims.sign_in)
            )
        else:
            role = await self._role_in(claims.org_id, claims.user_id, join=False)
            if role is None:
                raise Unauthenticated(_REFUSED)
            principal = _person(claims.user_id, claims.org_id, role, None)
        await self._use_up(claims)
        return principal

    async def _use_up(self, claims: TicketClaims) -> None:
        """Of many who bring it at once, to whichever instance, one gets in."""
        ticket = {"org_id": claims.org_id, "id": claims.id, "user_id": claims.user_id}
        async with self._database.unit_of_work(Scope(claims.org_id, claims.user_id)) as uow:
            used = await uow.session.execute(
                insert(UsedTicket).values(ticket).on_conflict_do_nothing().returning(UsedTicket.id)
            )
            if used.scalar_one_or_none() is None:
                raise Unauthenticated(USED_TICKET)

    async def _by_access_token(self, claims: AccessClaims) -> Principal:
        async with self._database.unit_of_work(Scope(claims.org_id, claims.user_id)) as uow:
            role = (await uow.session.execute(_role_of_session(claims))).scalar_one_or_none()
        if role is None:
            raise Unauthenticated(_REFUSED)
        return _person(claims.user_id, claims.org_id, Role(role), claims.session_id)

    async def _by_api_key(self, plain: str) -> Principal:
        secret = parse_opaque(plain, "api_key")
        async with self._database.unit_of_work(UNSCOPED) as uow:
            found = await look_ups.find_api_key(uow, secret.hash)
        if found is None:
            raise Unauthenticated(_KEY_REFUSED)
        async with self._database.unit_of_work(Scope(found.org_id, None, "service")) as uow:
            row = (
                await uow.session.execute(
                    select(ApiKey.role, ApiKey.scopes, _used_recently()).where(
                        ApiKey.id == found.id, *_usable()
                    )
                )
            ).first()
            if row is None:
                await self._note_refused(uow, found.id)
            elif not row[2]:
                await uow.session.execute(
                    update(ApiKey).where(ApiKey.id == found.id).values(last_used_at=now())
                )
        if row is None:
            raise Unauthenticated("This API key was revoked or has expired. Make a new one.")
        scopes = frozenset(PermissionScope(scope) for scope in row[1])
        return Principal("api_key", found.id, found.org_id, Role(row[0]), scopes)

    async def _note_refused(self, uow: UnitOfWork, key_id: UUID) -> None:
        """Once a minute: a forgotten program that goes on calling must not fill the audit log."""
        last = self._refused.get(key_id)
        if last is None or time.monotonic() - last > _LAST_USED_GRANULARITY.total_seconds():
            self._refused[key_id] = time.monotonic()
            await audit.record(uow, "api_key.refused", target=str(key_id), actor_kind="anonymous")

    async def _by_external(self, person: ExternalPerson) -> Principal:
        async with self._database.unit_of_work(UNSCOPED) as uow:
            org_id = await look_ups.find_organisation(uow, person.organisation)
            user_id = await look_ups.find_external(uow, person.issuer, person.subject)
        if org_id is None:
            log.error("an external issuer names an unknown organisation", extra={"slug": person.organisation})
            raise Unauthenticated(_REFUSED)
        if user_id is None and person.provision_members:
            user_id = await self._provision(person)
        role = await self._role_in(org_id, user_id, join=person.provision_members) if user_id else None
        if user_id is None or role is None:
            raise Unauthenticated(
                "You are signed in elsewhere, but are not a member here. Ask for an invitation."
            )
        return _person(user_id, org_id, role, None)

    async def _note_sign_in(self, principal: Principal, issuer: str, credential: str) -> None:
        """The first time a token of theirs is brought here: it is their sign-in, and ours to record. Each instance
        remembers for itself, so a token may be recorded once by each."""
        token = sha256(credential.encode()).digest()
        if token in self._seen:
            self._seen.move_to_end(token)
            return
        self._seen[token] = None
        if len(self._seen) > _TOKENS_REMEMBERED:
            self._seen.popitem(last=False)
        try:
            async with self._database.unit_of_work(principal.scope) as uow:
                await audit.record(uow, "sign_in.external", detail={"issuer": issuer})
        except BaseException:
            self._seen.pop(token, None)
            raise

    async def _role_in(self, org_id: UUID, user_id: UUID, *, join: bool) -> Role | None:
        """With `join`, who has never been a member becomes one. Who was removed stays out."""
        async with self._database.unit_of_work(Scope(org_id, user_id)) as uow:
            membership = await uow.session.get(Membership, (org_id, user_id))
            if membership is not None:
                return Role(membership.role) if membership.removed_at is None else None
            if not join:
                return None
            await uow.act_for(UNSCOPED)
            joined = await look_ups.join_organisation(uow, org_id, user_id, Role.MEMBER)
            await uow.act_for(Scope(org_id, user_id, Role.MEMBER.value))
            if joined:
                await audit.record(uow, "member.joined", target=str(user_id))
        return Role.MEMBER

    async def _provision(self, person: ExternalPerson) -> UUID | None:
        """A new account, even if somebody here has the same e-mail: whose it is, only they can prove, by
        signing in here first and linking. An outside issuer must not be able to take over an account."""
        user_id = random_id()
        email = f"{user_id.hex}@external.invalid"
        async with self._database.unit_of_work(UNSCOPED) as uow:
            if (
                person.email
                and person.email_verified
                and await look_ups.find_login(uow, person.email) is None
            ):
                email = person.email
            if not await look_ups.create_user(uow, user_id, email, person.name or ""):
                await look_ups.create_user(uow, user_id, f"{user_id.hex}@external.invalid", person.name or "")
            if await look_ups.link_external(uow, person.issuer, person.subject, user_id):
                return user_id
            # Another request provisioned the same person a moment ago: take theirs. Or they have an account
            # that was disabled: then there is none to be found.
            uow.give_up()
            return await look_ups.find_external(uow, person.issuer, person.subject)


def _person(user_id: UUID, org_id: UUID, role: Role, session_id: UUID | None) -> Principal:
    return Principal("user", user_id, org_id, role, ALL_SCOPES, session_id)


def _role_of_session(claims: AccessClaims) -> Select[str]:
    """The role, if the membership stands, the account is not disabled, the sign-in has not ended, and no
    password was changed since it started."""
    return (
        select(Membership.role)
        .join(User, User.id == Membership.user_id)
        .join(SignInSession, SignInSession.user_id == Membership.user_id)
        .outerjoin(Credential, Credential.user_id == Membership.user_id)
        .where(
            Membership.org_id == claims.org_id,
            Membership.user_id == claims.user_id,
            Membership.removed_at.is_(None),
            User.disabled_at.is_(None),
            SignInSession.org_id == claims.org_id,
            SignInSession.id == claims.session_id,
            SignInSession.revoked_at.is_(None),
            SignInSession.expires_at > now(),
            (Credential.changed_at.is_(None)) | (Credential.changed_at <= SignInSession.created_at),
        )
    )


def _usable() -> list[ColumnElement[bool]]:
    return [ApiKey.revoked_at.is_(None), (ApiKey.expires_at.is_(None)) | (ApiKey.expires_at > now())]


def _used_recently() -> ColumnElement[bool]:
    """Written at most once a minute: every request writing the same row would queue behind itself."""
    return (ApiKey.last_used_at > now() - _LAST_USED_GRANULARITY).is_(True)
