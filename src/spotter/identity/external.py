"""Sign-ins of somebody else (a Supabase project, an identity provider) whose tokens the operator trusts.

Each issuer has one kind of key, set by the operator: a shared HS256 secret or the address of public keys. The
kind of key decides the algorithm, never the token.
"""

import base64
import binascii
import json
import logging
import math
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import httpx
import jwt
from jwt.algorithms import HMACAlgorithm
from pydantic import HttpUrl, SecretStr

from spotter import clock
from spotter.errors import StartupRefused, Unauthenticated
from spotter.identity.jwks import ALGORITHMS, FETCH_SECONDS, RemoteKeys
from spotter.identity.tokens import is_compact_jws
from spotter.settings import ExternalIssuer

_log = logging.getLogger(__name__)

_MAX_TOKEN_CHARS: Final = 16 * 1024  # theirs carry profiles
_MAX_SUBJECT_CHARS: Final = 255
_MAX_EMAIL_CHARS: Final = 254
_MAX_NAME_CHARS: Final = 200
_LEEWAY: Final = 30.0
# Other signed statements (a logout notice, a security event) may come from the same key and are no sign-in.
_TYPES: Final = frozenset({"jwt", "at+jwt", "application/at+jwt"})
# What Postgres cannot store or a terminal would obey: control characters and lone surrogates.
_UNCLEAN: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_EMAIL: Final = re.compile(r"[^@\s]+@[^@\s]+")
_REFUSED: Final = "Your sign-in is not valid or has expired. Sign in again."


@dataclass(frozen=True, slots=True)
class ExternalPerson:
    """Someone an issuer vouches for, known by (issuer, subject). The e-mail identifies only when verified."""

    issuer: str
    subject: str
    email: str | None
    email_verified: bool
    name: str | None
    organisation: str
    provision_members: bool


class _RefusedError(Exception):
    """Why, for our own debug log. The sender learns only that it was refused."""


class ExternalTokens:
    def __init__(
        self,
        issuers: Sequence[ExternalIssuer],
        http: httpx.AsyncClient | None,
        *,
        monotonic: Callable[[], float] = time.monotonic,
        fetch_seconds: float = FETCH_SECONDS,
    ) -> None:
        """Without `http` it makes its own client when an issuer needs one; `aclose` closes only that."""
        self._issuers = {issuer.issuer: issuer for issuer in issuers}
        if len(self._issuers) != len(issuers):
            raise StartupRefused("Two external issuers have the same name (iss); each may be set only once.")
        for issuer in issuers:
            _check_key_setting(issuer)
        addresses = {issuer.issuer: str(issuer.jwks_url) for issuer in issuers if issuer.jwks_url is not None}
        self._own_http = httpx.AsyncClient() if http is None and addresses else None
        client = http or self._own_http
        self._remote = {
            name: RemoteKeys(url, client, monotonic=monotonic, fetch_seconds=fetch_seconds)
            for name, url in addresses.items()
            if client is not None
        }

    async def aclose(self) -> None:
        if self._own_http is not None:
            await self._own_http.aclose()

    def claims_issuer(self, token: str | None) -> ExternalIssuer | None:
        """Which configured issuer the token says it is from. Proves nothing: it only chooses who verifies."""
        issuer = _peek(token).get("iss")
        return self._issuers.get(issuer) if isinstance(issuer, str) else None

    async def verify(self, token: str | None) -> ExternalPerson:
        """The person, if a configured issuer says so now. `Unauthenticated`, always the same, for all else;
        `Unavailable` when the issuer's keys cannot be had."""
        try:
            issuer = self.claims_issuer(token)
            if token is None or issuer is None:
                raise _RefusedError("no such issuer")
            payload = await self._signed_payload(token, issuer)
            _check_times(payload)
            return _person(payload, issuer)
        except _RefusedError as error:
            _log.debug("external token refused: %s", error)
        except jwt.PyJWTError as error:
            # The kind only: the message may quote what the sender wrote.
            _log.debug("external token refused: %s", type(error).__name__)
        raise Unauthenticated(_REFUSED)

    async def _signed_payload(self, token: str, issuer: ExternalIssuer) -> dict[str, Any]:
        key, algorithm = await self._key_for(_checked_header(token), issuer)
        payload: dict[str, Any] = jwt.decode(
            token,
            key,
            algorithms=[algorithm],
            audience=issuer.audience,
            issuer=issuer.issuer,
            # Times are checked below: by our clock, and as numbers only (PyJWT takes "12" and true).
            options={
                "require": ["exp", "iss", "aud", "sub"],
                "enforce_minimum_key_length": True,
                "verify_exp": False,
                "verify_iat": False,
                "verify_nbf": False,
            },
        )
        return payload

    async def _key_for(
        self, header: Mapping[str, Any], issuer: ExternalIssuer
    ) -> tuple[jwt.PyJWK | bytes, str]:
        algorithm = header.get("alg")
        if issuer.hs256_secret is not None:
            if algorithm != "HS256":
                raise _RefusedError("an issuer with a shared secret signs with HS256")
            return _shared_secret(issuer.hs256_secret), "HS256"
        if not isinstance(algorithm, str) or algorithm not in ALGORITHMS:
            raise _RefusedError("an issuer with public keys does not sign with that")
        key = await self._remote[issuer.issuer].find(header.get("kid"), algorithm)
        if key is None:
            raise _RefusedError("the issuer has no such key")
        return key, algorithm


def _check_key_setting(issuer: ExternalIssuer) -> None:
    if issuer.hs256_secret is not None:
        try:
            HMACAlgorithm(HMACAlgorithm.SHA256).prepare_key(_shared_secret(issuer.hs256_secret))
        except jwt.InvalidKeyError:
            raise StartupRefused(
                f"The hs256_secret of the external issuer {issuer.issuer} is a public key or certificate, "
                "which is no secret. Set jwks_url to the address of its public keys instead."
            ) from None
    elif issuer.jwks_url is not None and issuer.jwks_url.scheme != "https" and not _is_local(issuer.jwks_url):
        _log.warning("keys of %s come without TLS: who can change them signs in as anyone", issuer.issuer)


def _shared_secret(secret: SecretStr) -> bytes:
    return secret.get_secret_value().encode("utf-8", "surrogatepass")


def _is_local(url: HttpUrl) -> bool:
    return url.host in {"localhost", "127.0.0.1", "[::1]"}


def _peek(token: str | None) -> Mapping[str, Any]:
    """The unverified payload, or nothing. Not for any decision but which key to try."""
    if token is None or not is_compact_jws(token, max_chars=_MAX_TOKEN_CHARS):
        return {}
    segment = token.split(".")[1]
    try:
        payload = json.loads(base64.urlsafe_b64decode(segment + "=" * (-len(segment) % 4)))
    except (binascii.Error, ValueError, RecursionError):
        return {}
    return payload if isinstance(payload, dict) else {}


def _checked_header(token: str) -> Mapping[str, Any]:
    header = jwt.get_unverified_header(
        token
    )  # its `kid` is text if there is one; `jku`, `x5u`, `jwk` we never read
    kind = header.get("typ", "JWT")
    if not isinstance(kind, str) or kind.lower() not in _TYPES:
        raise _RefusedError("not a sign-in")
    if "crit" in header or "b64" in header:
        raise _RefusedError("asks for extensions")
    return header


def _check_times(payload: Mapping[str, Any]) -> None:
    now = clock.now().timestamp()
    if _number(payload, "exp") <= now - _LEEWAY:
        raise _RefusedError("expired")
    for claim in ("iat", "nbf"):
        if claim in payload and _number(payload, claim) > now + _LEEWAY:
            raise _RefusedError("not valid yet")


def _number(payload: Mapping[str, Any], claim: str) -> float:
    value = payload[claim]
    # True is an int, and JSON as Python reads it has NaN and Infinity. (isfinite chokes on a very large int.)
    if type(value) is int or (type(value) is float and math.isfinite(value)):
        return value
    raise _RefusedError("a time is not a number")


def _person(payload: Mapping[str, Any], issuer: ExternalIssuer) -> ExternalPerson:
    if payload.get("is_anonymous"):
        # Supabase signs tokens for visitors who never signed in, if the project allows it.
        raise _RefusedError("an anonymous visitor")
    subject = _clean(payload["sub"], _MAX_SUBJECT_CHARS)
    if subject is None:
        raise _RefusedError("an unusable subject")
    email = _clean(payload.get("email"), _MAX_EMAIL_CHARS)
    if email is not None and not _EMAIL.fullmatch(email):
        email = None
    return ExternalPerson(
        issuer=issuer.issuer,
        subject=subject,
        email=email,
        # Only the issuer's own claim: Supabase repeats one in `user_metadata`, which its users can write.
        email_verified=email is not None and payload.get("email_verified") is True,
        name=_display_name(payload),
        organisation=issuer.organisation,
        provision_members=issuer.provision_members,
    )


def _display_name(payload: Mapping[str, Any]) -> str | None:
    """How they call themselves: from where they can write it too, since nothing hangs on it."""
    profile = payload.get("user_metadata")
    own = profile if isinstance(profile, dict) else {}
    for said in (payload.get("name"), own.get("full_name"), own.get("name")):
        if name := _clean(said, _MAX_NAME_CHARS):
            return name.strip()
    return None


def _clean(value: object, max_chars: int) -> str | None:
    """The text if it can be stored and shown as it is."""
    if not isinstance(value, str) or not value.strip() or len(value) > max_chars or _UNCLEAN.search(value):
        return None
    return value
