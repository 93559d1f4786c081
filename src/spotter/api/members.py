"""The people of an organisation, and invitations to join it."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, Field

from spotter.api.access import AdminCaller, Caller, StaffCaller
from spotter.api.fields import Body, Email
from spotter.api.pages import Cursor, Page, PageParams, page_of
from spotter.api.routing import router
from spotter.api.transactions import Transaction
from spotter.identity import organisations, tables
from spotter.identity.principal import Role

routes = router("members", prefix="/api")


class Member(BaseModel):
    id: UUID
    email: str
    name: str
    role: Role
    joined_at: datetime


class RoleChange(Body):
    role: Role


class NewInvitation(Body):
    email: Email
    role: Literal["admin", "staff", "member"] = "member"


class Invitation(BaseModel):
    id: UUID
    email: str
    role: Role
    created_at: datetime
    expires_at: datetime


class CreatedInvitation(Invitation):
    token: str = Field(description="shown once; whoever is invited accepts with it")


class Invitations(BaseModel):
    items: list[Invitation]


def _shown(member: organisations.Member) -> Member:
    return Member(
        id=member.user_id,
        email=member.email,
        name=member.name,
        role=member.role,
        joined_at=member.joined_at,
    )


def _invitation(row: tables.Invitation) -> Invitation:
    return Invitation(
        id=row.id, email=row.email, role=Role(row.role), created_at=row.created_at, expires_at=row.expires_at
    )


@routes.get("/members")
async def list_members(caller: StaffCaller, uow: Transaction, page: PageParams) -> Page[Member]:
    """Everybody in the organisation, in the order they joined."""
    rows = await organisations.list_members(uow, after=page.after, limit=page.limit + 1)
    return page_of(rows, page, item=_shown, place=lambda row: Cursor(row.joined_at, row.user_id))


@routes.get("/members/{member_id}")
async def get_member(caller: Caller, uow: Transaction, member_id: UUID) -> Member:
    """One member; oneself, or as staff anybody."""
    return _shown(await organisations.get_member(uow, member_id))


@routes.patch("/members/{member_id}")
async def update_member(caller: AdminCaller, uow: Transaction, member_id: UUID, body: RoleChange) -> Member:
    """Change a member's role. Only owners make owners, and one owner always remains."""
    return _shown(await organisations.change_role(uow, caller, member_id, body.role))


@routes.delete("/members/{member_id}", status_code=204)
async def remove_member(caller: AdminCaller, uow: Transaction, member_id: UUID) -> None:
    """Remove somebody: their sign-ins here end at once; what they did stays."""
    await organisations.remove_member(uow, caller, member_id)


@routes.get("/invitations")
async def list_invitations(caller: AdminCaller, uow: Transaction) -> Invitations:
    """Invitations that are still open."""
    return Invitations(items=[_invitation(row) for row in await organisations.list_invitations(uow)])


@routes.post("/invitations", status_code=201)
async def create_invitation(caller: AdminCaller, uow: Transaction, body: NewInvitation) -> CreatedInvitation:
    """Invite somebody by e-mail address. Pass the token on to them; it works for seven days, once."""
    invitation, token = await organisations.invite(uow, caller, body.email, Role(body.role))
    return CreatedInvitation(**_invitation(invitation).model_dump(), token=token)


@routes.delete("/invitations/{invitation_id}", status_code=204)
async def revoke_invitation(caller: AdminCaller, uow: Transaction, invitation_id: UUID) -> None:
    """Withdraw an invitation."""
    await organisations.revoke_invitation(uow, invitation_id)
