"""Organisations and the people in them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from uuid import UUID
from zoneinfo import available_timezones

from sqlalchemy import func, select, update

from spotter.clock import now
from spotter.errors import Conflict, Forbidden, InvalidInput, NotFound, Unauthenticated
from spotter.identity import audit, look_ups, projects
from spotter.identity.passwords import check_password_rules, hash_password, verify_password
from spotter.identity.principal import Principal, Role
from spotter.identity.tables import Credential, Invitation, Membership, Organisation, SignInSession, User
from spotter.identity.tokens import new_opaque, parse_opaque
from spotter.ids import new_id, random_id
from spotter.store.database import Database
from spotter.store.scope import UNSCOPED, Scope
from spotter.store.unit_of_work import UnitOfWork

_SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])?")
_INVITATION_LIFETIME = timedelta(days=7)
_INVITATION_OVER = "This invitation was used, withdrawn or is too old. Ask for a new one."


@dataclass(frozen=True, slots=True)
class Member:
    user_id: UUID
    email: str
    name: str
    role: Role
    joined_at: datetime


def check_slug(slug: str) -> None:
    if not _SLUG.fullmatch(slug):
        raise InvalidInput("A slug is 1–48 small letters, digits and hyphens, e.g. iron-temple.")


@cache
def _timezones() -> frozenset[str]:
    """Read once: the names come from hundreds of files."""
    return frozenset(available_timezones())


def check_timezone(name: str) -> None:
    if name not in _timezones():
        raise InvalidInput(f"{name[:60]!r} is not a known time zone. Use a name such as Europe/Berlin.")


async def add_person(uow: UnitOfWork, email: str, name: str, password_hash: str | None) -> UUID:
    """A new person, who acts in this transaction from here on. Raises `Conflict` when the e-mail is taken."""
    user_id = random_id()
    await uow.act_for(Scope(user_id=user_id))
    if not await look_ups.create_user(uow, user_id, email.lower(), name):
        raise Conflict("Somebody with this e-mail has an account already. Sign in instead.")
    if password_hash is not None:
        uow.session.add(Credential(user_id=user_id, password_hash=password_hash, changed_at=now()))
    return user_id


async def add_organisation(uow: UnitOfWork, *, slug: str, name: str, owner: UUID, timezone: str) -> UUID:
    """A new organisation, for which this transaction acts from here on."""
    check_slug(slug)
    check_timezone(timezone)
    org_id = new_id()
    await uow.act_for(Scope(user_id=owner))
    if not await look_ups.create_organisation(uow, org_id, slug, name, timezone):
        raise Conflict(f"The slug {slug!r} is taken. Choose another one.")
    await look_ups.join_organisation(uow, org_id, owner, Role.OWNER)
    await uow.act_for(Scope(org_id, owner, Role.OWNER.value))
    await audit.record(uow, "organisation.created", target=slug)
    await projects.add_default(uow)
    return org_id


async def sign_up(
    database: Database, *, email: str, name: str, password: str, slug: str, organisation: str, timezone: str
) -> UUID:
    """A person and their organisation: both or neither. Returns the person's id."""
    check_password_rules(password, email)
    password_hash = await hash_password(password)
    async with database.unit_of_work(UNSCOPED) as uow:
        user_id = await add_person(uow, email, name, password_hash)
        await add_organisation(uow, slug=slug, name=organisation, owner=user_id, timezone=timezone)
    return user_id


async def get_organisation(uow: UnitOfWork) -> Organisation:
    return (await uow.session.scalars(select(Organisation).where(Organisation.id == uow.scope.org_id))).one()


async def update_organisation(
    uow: UnitOfWork,
    *,
    name: str | None = None,
    timezone: str | None = None,
    guests: bool | None = None,
    facts: Mapping[str, str] | None = None,
) -> Organisation:
    organisation = await get_organisation(uow)
    if timezone is not None:
        check_timezone(timezone)
        organisation.timezone = timezone
    if name is not None:
        organisation.name = name
    if guests is not None:
        organisation.guests = guests
    if facts is not None:
        organisation.facts = dict(facts)
    given = {"name": name, "timezone": timezone, "guests": guests, "facts": facts}
    changed = [field for field, value in given.items() if value is not None]
    await audit.record(uow, "organisation.updated", detail={"fields": changed})
    await uow.session.refresh(organisation)
    return organisation


async def list_members(uow: UnitOfWork, *, after: tuple[datetime, UUID] | None, limit: int) -> list[Member]:
    query = (
        select(User.id, User.email, User.name, Membership.role, Membership.created_at)
        .join(Membership, Membership.user_id == User.id)
        .where(Membership.org_id == uow.scope.org_id, Membership.removed_at.is_(None))
        .order_by(Membership.created_at, User.id)
        .limit(limit)
    )
    if after is not None:
        query = query.where(
            (Membership.created_at > after[0]) | ((Membership.created_at == after[0]) & (User.id > after[1]))
        )
    rows = await uow.session.execute(query)
    return [Member(row[0], row[1], row[2], Role(row[3]), row[4]) for row in rows]


async def get_member(uow: UnitOfWork, user_id: UUID) -> Member:
    query = (
        select(User.id, User.email, User.name, Membership.role, Membership.created_at)
        .join(Membership, Membership.user_id == User.id)
        .where(
            Membership.org_id == uow.scope.org_id,
            Membership.user_id == user_id,
            Membership.removed_at.is_(None),
        )
    )
    row = (await uow.session.execute(query)).first()
    if row is None:
        raise NotFound("There is no such member.")
    return Member(row[0], row[1], row[2], Role(row[3]), row[4])


async def invite(uow: UnitOfWork, by: Principal, email: str, role: Role) -> tuple[Invitation, str]:
    """The invitation and its secret, which is shown once."""
    _require_above(by, role)
    if role is Role.OWNER:
        raise InvalidInput("Invite somebody as admin, staff or member; an owner can promote them afterwards.")
    secret = new_opaque("invitation")
    invitation = Invitation(
        org_id=by.org_id,
        id=new_id(),
        email=email.lower(),
        role=role.value,
        token_hash=secret.hash,
        invited_by=by.user_id,
        created_at=now(),
        expires_at=now() + _INVITATION_LIFETIME,
    )
    uow.session.add(invitation)
    await audit.record(uow, "member.invited", target=str(invitation.id), detail={"role": role.value})
    return invitation, secret.plain


async def list_invitations(uow: UnitOfWork) -> list[Invitation]:
    query = (
        select(Invitation)
        .where(
            Invitation.accepted_at.is_(None), Invitation.revoked_at.is_(None), Invitation.expires_at > now()
        )
        .order_by(Invitation.created_at)
    )
    return list(await uow.session.scalars(query))


async def revoke_invitation(uow: UnitOfWork, invitation_id: UUID) -> None:
    revoked = await uow.session.execute(
        update(Invitation)
        .where(
            Invitation.id == invitation_id, Invitation.accepted_at.is_(None), Invitation.revoked_at.is_(None)
        )
        .values(revoked_at=now())
        .returning(Invitation.id)
    )
    if revoked.first() is None:
        raise NotFound("There is no such open invitation.")
    await audit.record(uow, "invitation.revoked", target=str(invitation_id))


async def accept_invitation(database: Database, token: str, name: str, password: str) -> tuple[UUID, UUID]:
    """Joins the organisation, as a new person or, with the right password, as the one who has that e-mail.

    Whoever holds the link must also hold the account: a link alone never signs in as an existing person.
    """
    secret = parse_opaque(token, "invitation")
    async with database.unit_of_work(UNSCOPED) as uow:
        found = await look_ups.find_invitation(uow, secret.hash)
        if found is None:
            raise Unauthenticated("This invitation is not valid. Ask for a new one.")
        await uow.act_for(Scope(found.org_id, None, "service"))
        invitation = await uow.session.get(Invitation, (found.org_id, found.id))
        if invitation is None or not _is_open(invitation):
            raise Unauthenticated(_INVITATION_OVER)
        await uow.act_for(UNSCOPED)
        login = await look_ups.find_login(uow, invitation.email)
    try:
        password_hash = await _proof(login, invitation.email, password)
    except Unauthenticated:
        await audit.record_apart(
            database, found.org_id, "sign_in.failed", target=str(found.id), detail={"way": "invitation"}
        )
        raise
    async with database.unit_of_work(Scope(found.org_id, None, "service")) as uow:
        await _use_up(uow, found.id)
        await uow.act_for(UNSCOPED)
        user_id = login.user_id if login else await add_person(uow, invitation.email, name, password_hash)
        await look_ups.join_organisation(uow, found.org_id, user_id, Role(invitation.role))
        await uow.act_for(Scope(found.org_id, user_id, invitation.role))
        await audit.record(uow, "member.joined", target=str(user_id))
    return found.org_id, user_id


async def _proof(login: look_ups.Login | None, email: str, password: str) -> str | None:
    """The hash of a newcomer's password, or None for somebody who has just proved to be the account's owner."""
    if login is None:
        check_password_rules(password, email)
        return await hash_password(password)
    if not await verify_password(login.password_hash, password):
        raise Unauthenticated(
            "You have an account with this e-mail. Give its password to accept the invitation."
        )
    return None


async def _use_up(uow: UnitOfWork, invitation_id: UUID) -> None:
    taken = await uow.session.execute(
        update(Invitation)
        .where(
            Invitation.id == invitation_id,
            Invitation.accepted_at.is_(None),
            Invitation.revoked_at.is_(None),
            Invitation.expires_at > now(),
        )
        .values(accepted_at=now())
        .returning(Invitation.id)
    )
    if taken.first() is None:
        raise Unauthenticated(_INVITATION_OVER)


async def change_role(uow: UnitOfWork, by: Principal, user_id: UUID, role: Role) -> Member:
    await _one_at_a_time(uow)
    member = await get_member(uow, user_id)
    _require_above(by, member.role)
    _require_above(by, role)
    if member.role is Role.OWNER and role is not Role.OWNER:
        await _keep_an_owner(uow)
    await _membership(uow, user_id, role=role.value)
    await audit.record(
        uow, "member.role_changed", target=str(user_id), detail={"from": member.role.value, "to": role.value}
    )
    return await get_member(uow, user_id)


async def remove_member(uow: UnitOfWork, by: Principal, user_id: UUID) -> None:
    await _one_at_a_time(uow)
    member = await get_member(uow, user_id)
    if user_id != by.user_id:
        _require_above(by, member.role)
    if member.role is Role.OWNER:
        await _keep_an_owner(uow)
    await _membership(uow, user_id, removed_at=now())
    await uow.session.execute(
        update(SignInSession)
        .where(SignInSession.user_id == user_id, SignInSession.revoked_at.is_(None))
        .values(revoked_at=now(), revoked_because="removed from the organisation")
    )
    await audit.record(uow, "member.removed", target=str(user_id))


async def update_profile(uow: UnitOfWork, user_id: UUID, name: str) -> None:
    await uow.session.execute(update(User).where(User.id == user_id).values(name=name))


async def _membership(uow: UnitOfWork, user_id: UUID, **values: object) -> None:
    await uow.session.execute(
        update(Membership)
        .where(Membership.org_id == uow.scope.org_id, Membership.user_id == user_id)
        .values(**values)
    )


async def _one_at_a_time(uow: UnitOfWork) -> None:
    """Two owners who remove each other at once must not both succeed, nor may a role that is being changed
    be judged by what it was: the organisation's row is the lock."""
    await uow.session.execute(
        select(Organisation.id).where(Organisation.id == uow.scope.org_id).with_for_update()
    )


async def _keep_an_owner(uow: UnitOfWork) -> None:
    owners = await uow.session.scalar(
        select(func.count())
        .select_from(Membership)
        .where(
            Membership.org_id == uow.scope.org_id,
            Membership.role == Role.OWNER.value,
            Membership.removed_at.is_(None),
        )
    )
    if (owners or 0) < 2:
        raise Conflict("An organisation keeps at least one owner. Make somebody else owner first.")


def _is_open(invitation: Invitation) -> bool:
    return invitation.accepted_at is None and invitation.revoked_at is None and invitation.expires_at > now()


def _require_above(by: Principal, role: Role) -> None:
    """An admin manages admins, staff and members; only an owner touches owners."""
    if not by.role.at_least(Role.ADMIN) or not by.role.at_least(role):
        raise Forbidden(f"A {by.role} cannot do this for the role {role}.")
