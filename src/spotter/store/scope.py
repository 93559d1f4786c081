"""For whom a transaction runs. The database's policies read it; nothing else decides what rows are seen."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

NOBODY: Final = UUID(int=0)
"""Stands in for the organisation where there is none yet: rows of calls made before sign-in."""


@dataclass(frozen=True, slots=True)
class Scope:
    org_id: UUID | None = None
    user_id: UUID | None = None
    role: str | None = None

    def parameters(self) -> dict[str, str]:
        """An empty string means "not set": the policies compare through nullif(…, '')."""
        return {
            "org": str(self.org_id) if self.org_id else "",
            "user": str(self.user_id) if self.user_id else "",
            "role": self.role or "",
        }


UNSCOPED: Final = Scope()
"""Before anybody is known: tenant tables are empty, only the `spotter_auth` functions answer."""
