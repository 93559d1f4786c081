"""A short-lived key with which a browser talks to a voice model. Apart from what makes it, which loads the vendor's
client."""

from dataclasses import dataclass
from datetime import datetime

from typing_extensions import override


@dataclass(frozen=True, slots=True)
class ClientSecret:
    value: str
    expires_at: datetime

    @override
    def __repr__(self) -> str:
        return f"ClientSecret(expires_at={self.expires_at.isoformat()})"
