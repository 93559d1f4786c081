"""Tickets for browsers that open a WebSocket: they cannot send a header, and a token in an address ends up in logs.

A ticket is signed, good once, for half a minute and for one stream only, and worth nothing anywhere else. The
sign-in it came from is looked at again when it is used.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

import jwt

from spotter import clock
from spotter.errors import Unauthenticated
from spotter.identity.keyring import Keyring
from spotter.identity.principal import Principal
from spotter.identity.tokens import is_compact_jws
from spotter.ids import random_id

SECONDS: Final = 30
_ISSUER: Final = "spotter"
_AUDIENCE: Final = "spotter-stream"
_HEADER: Final = {"alg": "HS256", "typ": "st+jwt"}
_MAX_CHARS: Final = 2048
_REQUIRED: Final = ["exp", "iat", "iss", "aud", "sub", "jti"]
USED_TICKET: Final = "This ticket was used before. Ask for a new one at /api/me/tickets."
_REFUSED: Final = "This ticket is not valid or has expired. Ask for a new one at /api/me/tickets."


@dataclass(frozen=True, slots=True)
class TicketClaims:
    user_id: UUID
    org_id: UUID
    sign_in: UUID | None
    """The sign-in it came from; None for people who are signed in elsewhere."""
    stream: str
    """What it opens: `me`, or a session's id."""
    id: UUID


class StreamTickets:
    def __init__(self, keyring: Keyring) -> None:
        self._key = keyring.derive("stream-ticket/v1/hs256")

    def issue(self, principal: Principal, stream: str) -> tuple[str, datetime]:
        issued_at = int(clock.now().timestamp())
        payload: dict[str, Any] = {
            "iss": _ISSUER,
            "aud": _AUDIENCE,
            "sub": str(principal.require_person()),
            "jti": str(random_id()),
            "iat": issued_at,
            "exp": issued_at + SECONDS,
            "org": str(principal.org_id),
            "sid": str(principal.session_id) if principal.session_id else None,
            "str": stream,
        }
        ticket = jwt.encode(payload, self._key, algorithm="HS256", headers={"typ": _HEADER["typ"]})
        return ticket, datetime.fromtimestamp(payload["exp"], UTC)

    def read(self, ticket: str, stream: str) -> TicketClaims:
        """What a ticket of ours for this stream says; for all else the same `Unauthenticated`."""
        try:
            payload = self._payload(ticket)
            sign_in = payload["sid"]
            claims = TicketClaims(
                UUID(payload["sub"]),
                UUID(payload["org"]),
                UUID(sign_in) if sign_in is not None else None,
                payload["str"],
                UUID(payload["jti"]),
            )
        except (jwt.PyJWTError, KeyError, ValueError, TypeError, AttributeError):
            raise Unauthenticated(_REFUSED) from None
        if claims.stream != stream:
            raise Unauthenticated(_REFUSED)
        return claims

    def _payload(self, ticket: str) -> dict[str, Any]:
        if not is_compact_jws(ticket, max_chars=_MAX_CHARS):
            raise ValueError("not a compact JWS")
        decoded = jwt.decode_complete(
            ticket,
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
