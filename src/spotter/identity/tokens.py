"""Proofs of who is calling: opaque secrets that a table knows by their hash, and signed access tokens."""

import hashlib
import hmac
import logging
import re
import secrets
import string
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal, get_args
from uuid import UUID

import jwt

from spotter import clock
from spotter.errors import Unauthenticated
from spotter.identity.keyring import Keyring
from spotter.ids import random_id

_log = logging.getLogger(__name__)

# --- Opaque secrets ---

OpaqueKind = Literal["api_key", "refresh", "sign_in_link", "invitation"]

_PREFIX: Final[Mapping[OpaqueKind, str]] = {
    "api_key": "spk_",
    "refresh": "spr_",
    "sign_in_link": "spl_",
    "invitation": "spi_",
}
_REFUSED: Final[Mapping[OpaqueKind, str]] = {
    "api_key": "This API key is not valid.",
    "refresh": "This sign-in has ended. Sign in again.",
    "sign_in_link": "This sign-in link is not valid. Ask for a new one.",
    "invitation": "This invitation is not valid. Ask for a new one.",
}
_ALPHABET: Final = string.digits + string.ascii_letters  # no punctuation: a double click selects all of it
_LOOKUP_CHARS: Final = 10
_SECRET_CHARS: Final = 32  # 62**32 is 190 bits
_CHECKSUM_CHARS: Final = 6


@dataclass(frozen=True, slots=True)
class OpaqueSecret:
    """`plain` is shown once and never stored; `hash` is stored; `lookup` tells API keys apart in lists."""

    plain: str = field(repr=False)
    hash: str
    lookup: str | None = None


def new_opaque(kind: OpaqueKind) -> OpaqueSecret:
    length = _SECRET_CHARS + (_LOOKUP_CHARS if kind == "api_key" else 0)
    body = _PREFIX[kind] + "".join(secrets.choice(_ALPHABET) for _ in range(length))
    return _opaque(kind, body + _checksum(body))


def parse_opaque(plain: str | None, kind: OpaqueKind) -> OpaqueSecret:
    """Refuse what cannot be one of ours before anything is looked up: other kinds, typing errors, noise."""
    if plain is None or not _SHAPE[kind].fullmatch(plain):
        raise Unauthenticated(_REFUSED[kind])
    if not same_secret(_checksum(plain[:-_CHECKSUM_CHARS]), plain[-_CHECKSUM_CHARS:]):
        raise Unauthenticated(_REFUSED[kind])
    return _opaque(kind, plain)


def hash_opaque(plain: str) -> str:
    """SHA-256 in hexadecimal.

    A slow, salted hash protects what can be guessed. 190 random bits cannot be, so a fast hash loses nothing,
    and one without salt can be found by an index.
    """
    return hashlib.sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()


def same_secret(one: str, other: str) -> bool:
    """Compare without telling by the time it takes how much was right."""
    return hmac.compare_digest(one.encode("utf-8", "surrogatepass"), other.encode("utf-8", "surrogatepass"))


def _opaque(kind: OpaqueKind, plain: str) -> OpaqueSecret:
    lookup = plain[: len(_PREFIX[kind]) + _LOOKUP_CHARS] if kind == "api_key" else None
    return OpaqueSecret(plain, hash_opaque(plain), lookup)


def _checksum(body: str) -> str:
    number, digits = zlib.crc32(body.encode("ascii")), ""
    for _ in range(_CHECKSUM_CHARS):
        number, digit = divmod(number, len(_ALPHABET))
        digits = _ALPHABET[digit] + digits
    return digits


def _shape(kind: OpaqueKind) -> re.Pattern[str]:
    length = _SECRET_CHARS + _CHECKSUM_CHARS + (_LOOKUP_CHARS if kind == "api_key" else 0)
    return re.compile(f"{_PREFIX[kind]}[0-9A-Za-z]{{{length}}}")


_SHAPE: Final[Mapping[OpaqueKind, re.Pattern[str]]] = {kind: _shape(kind) for kind in _PREFIX}

# --- Access tokens ---

PrincipalKind = Literal["person", "service"]

_KINDS: Final = get_args(PrincipalKind)
_MAX_TOKEN_CHARS: Final = 4096
_LONGEST_SECONDS: Final = 24 * 60 * 60
_ISSUER: Final = "spotter"
_AUDIENCE: Final = "spotter-api"
# Ours have exactly this header, so nothing in it is the sender's choice: no other algorithm, `kid`,
# `jku` or `crit`.
_HEADER: Final = {"alg": "HS256", "typ": "at+jwt"}
_REQUIRED: Final = ["exp", "iat", "iss", "aud", "sub", "jti"]
_COMPACT_JWS: Final = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+")
_ACCESS_REFUSED: Final = "Your sign-in is not valid or has expired. Sign in again."


def is_compact_jws(token: str | None, *, max_chars: int) -> bool:
    """Three base64url segments, nothing else. PyJWT would take padding and choke on lone surrogates."""
    return token is not None and len(token) <= max_chars and _COMPACT_JWS.fullmatch(token) is not None


@dataclass(frozen=True, slots=True)
class AccessClaims:
    """What an access token says. It proves a sign-in, not a permission: membership is looked up each time."""

    user_id: UUID
    org_id: UUID
    session_id: UUID
    kind: PrincipalKind = "person"
    expires_at: datetime | None = field(default=None, compare=False)
    """Set by `verify`, so that a long stream can end with its token; ignored by `issue`."""


class _RefusedError(Exception):
    """Why, for our own debug log. The sender learns only that it was refused."""


class AccessTokens:
    __slots__ = ("_key", "_leeway", "_lifetime", "_longest")

    def __init__(
        self, keyring: Keyring, lifetime: timedelta, *, leeway: timedelta = timedelta(seconds=10)
    ) -> None:
        """`leeway` forgives clocks of two of our machines that differ."""
        if lifetime < timedelta(seconds=1) or leeway < timedelta(0):
            raise ValueError("an access token lives at least a second, and the leeway is not negative")
        self._key = keyring.derive("access-token/v1/hs256")
        self._lifetime = int(lifetime.total_seconds())
        self._longest = max(self._lifetime, _LONGEST_SECONDS)
        self._leeway = leeway.total_seconds()

    def issue(self, claims: AccessClaims, *, lifetime: timedelta | None = None) -> str:
        """`lifetime` is for scripts that run longer than a person looks at a page; a day at most."""
        issued_at = int(clock.now().timestamp())
        seconds = int(lifetime.total_seconds()) if lifetime else self._lifetime
        payload = {
            "iss": _ISSUER,
            "aud": _AUDIENCE,
            "sub": str(claims.user_id),
            "jti": str(random_id()),
            "iat": issued_at,
            "exp": issued_at + min(seconds, self._longest),
            "org": str(claims.org_id),
            "sid": str(claims.session_id),
            "knd": claims.kind,
        }
        return jwt.encode(payload, self._key, algorithm="HS256", headers={"typ": _HEADER["typ"]})

    def verify(self, token: str | None) -> AccessClaims:
        """The claims of a token of ours that is valid now; for all else the same `Unauthenticated`."""
        try:
            return self._claims(self._signed_payload(token))
        except _RefusedError as error:
            _log.debug("access token refused: %s", error)
        except jwt.PyJWTError as error:
            # The kind only: the message may quote what the sender wrote.
            _log.debug("access token refused: %s", type(error).__name__)
        raise Unauthenticated(_ACCESS_REFUSED)

    def _signed_payload(self, token: str | None) -> dict[str, Any]:
        if token is None or not is_compact_jws(token, max_chars=_MAX_TOKEN_CHARS):
            raise _RefusedError("not a compact JWS")
        decoded = jwt.decode_complete(
            token,
            self._key,
            algorithms=["HS256"],
            audience=_AUDIENCE,
            issuer=_ISSUER,
            # Times are checked below: by our clock, and as integers only (PyJWT takes "12", 1.5 and true).
            options={
                "require": _REQUIRED,
                "strict_aud": True,
                "enforce_minimum_key_length": True,
                "verify_exp": False,
                "verify_iat": False,
                "verify_nbf": False,
            },
        )
        if decoded["header"] != _HEADER:
            raise _RefusedError("another header")
        payload: dict[str, Any] = decoded["payload"]
        return payload

    def _claims(self, payload: Mapping[str, Any]) -> AccessClaims:
        _claimed_uuid(payload, "jti")
        kind: PrincipalKind | None = payload.get("knd")
        if kind is None or kind not in _KINDS:
            raise _RefusedError("unknown kind")
        return AccessClaims(
            user_id=_claimed_uuid(payload, "sub"),
            org_id=_claimed_uuid(payload, "org"),
            session_id=_claimed_uuid(payload, "sid"),
            kind=kind,
            expires_at=self._check_times(payload),
        )

    def _check_times(self, payload: Mapping[str, Any]) -> datetime:
        issued_at, expires_at = payload["iat"], payload["exp"]
        # `type`, for True is an int too.
        if type(issued_at) is not int or type(expires_at) is not int or "nbf" in payload:
            raise _RefusedError("times are not ours")
        now = clock.now().timestamp()
        if expires_at <= now - self._leeway:
            raise _RefusedError("expired")
        if issued_at > now + self._leeway:
            raise _RefusedError("issued in the future")
        if not 0 < expires_at - issued_at <= self._longest:
            raise _RefusedError("lives too long")
        return datetime.fromtimestamp(expires_at, UTC)


def _claimed_uuid(payload: Mapping[str, Any], claim: str) -> UUID:
    value = payload.get(claim)
    if not isinstance(value, str):
        raise _RefusedError("an id is missing")
    try:
        parsed = UUID(value)
    except ValueError:
        raise _RefusedError("an id is not a UUID") from None
    # UUID() also takes braces, `urn:uuid:` and capitals; one thing has one name here.
    if str(parsed) != value:
        raise _RefusedError("an id is not a plain UUID")
    return parsed
