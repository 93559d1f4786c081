"""Who is calling, and what they may do. Permission comes from here, never from what a text says."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal
from uuid import UUID

from spotter.errors import Forbidden
from spotter.store.scope import Scope


class Role(StrEnum):
    OWNER = "owner"
    ADMIN = "admin"
    STAFF = "staff"
    MEMBER = "member"

    @property
    def rank(self) -> int:
        return _RANK[self]

    def at_least(self, other: "Role") -> bool:
        return self.rank >= other.rank


_RANK = {Role.MEMBER: 0, Role.STAFF: 1, Role.ADMIN: 2, Role.OWNER: 3}


class PermissionScope(StrEnum):
    """What an API key may be limited to."""

    READ = "read"
    WRITE = "write"
    TOOLS = "tools"
    """Calling tools, and nothing else that changes something."""
    ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class WidgetGrant:
    """What somebody who comes through a widget may talk to; see `identity/widgets.py`."""

    id: UUID
    scenario: str | None
    agents: tuple[str, ...]


PrincipalKind = Literal["user", "api_key"]


@dataclass(frozen=True, slots=True)
class Principal:
    kind: PrincipalKind
    id: UUID
    """The person's id, or the key's."""
    org_id: UUID
    role: Role
    scopes: frozenset[PermissionScope]
    session_id: UUID | None = None
    guest: bool = False
    """Has not said who they are; see `identity/guests.py`."""
    widget: WidgetGrant | None = None
    """Comes through this one, and gets no further than it goes."""

    @property
    def user_id(self) -> UUID | None:
        return self.id if self.kind == "user" else None

    @property
    def key(self) -> str:
        """One name for this caller, for rate limits and idempotency."""
        return f"{self.kind}:{self.id}"

    @property
    def scope(self) -> Scope:
        return Scope(self.org_id, self.user_id, self.role.value)

    def require_role(self, role: Role) -> None:
        if not self.role.at_least(role):
            raise Forbidden(f"This needs the role {role} or higher; yours is {self.role}.")

    def require_scope(self, scope: PermissionScope) -> None:
        if scope not in self.scopes:
            raise Forbidden(f"This API key lacks the scope {scope}. Make a key that has it.")

    def require_person(self) -> UUID:
        if self.user_id is None:
            raise Forbidden("This is for people; an API key has no profile of its own.")
        return self.user_id


ALL_SCOPES = frozenset(PermissionScope)
