"""The public keys of someone else's sign-in, fetched from the address the operator set (RFC 7517).

The other end may be away, slow, wrong or hostile. Whatever it does costs one bounded request now and then,
and keys that were good stay in use for a while.
"""

import asyncio
import json
import logging
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

import httpx
import jwt
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from spotter.errors import Unavailable

_log = logging.getLogger(__name__)

FRESH_FOR: Final = 600.0
STALE_FOR: Final = 24 * 3600.0
"""How long known keys outlive an endpoint that is down; then we cannot tell whether they were withdrawn."""
REFETCH_EVERY: Final = 30.0
RETRY_EVERY: Final = 2.0
MAX_BYTES: Final = 256 * 1024
FETCH_SECONDS: Final = 5.0
_MAX_RSA_BITS: Final = 8192

# (kty, crv) to the one algorithm we verify with, and the members that make the public key. `oct` is not here:
# a symmetric key that everybody can fetch signs for everybody.
_USABLE: Final[Mapping[tuple[str, str | None], tuple[str, tuple[str, ...]]]] = {
    ("RSA", None): ("RS256", ("kty", "n", "e")),
    ("EC", "P-256"): ("ES256", ("kty", "crv", "x", "y")),
    ("OKP", "Ed25519"): ("EdDSA", ("kty", "crv", "x")),
}
ALGORITHMS: Final = tuple(algorithm for algorithm, _ in _USABLE.values())

KeySet = Mapping[tuple[str | None, str], jwt.PyJWK]
"""By key id (`None` for a key without one) and algorithm."""


class RemoteKeys:
    """One issuer's keys, cached. Use it within one event loop."""

    def __init__(
        self,
        url: str,
        http: httpx.AsyncClient,
        *,
        monotonic: Callable[[], float] = time.monotonic,
        fetch_seconds: float = FETCH_SECONDS,
    ) -> None:
        self._url = url
        self._host = httpx.URL(url).host  # for the log: an address may carry a password
        self._http = http
        self._monotonic = monotonic
        self._fetch_seconds = fetch_seconds
        self._keys: KeySet = {}
        self._fetched_at = float("-inf")
        self._tried_at = float("-inf")
        self._fetching: asyncio.Task[None] | None = None

    async def find(self, kid: str | None, algorithm: str) -> jwt.PyJWK | None:
        """The key, or None when the issuer has no such key. `Unavailable` when nobody can tell."""
        if self._age() > FRESH_FOR:
            await self._refresh(REFETCH_EVERY if self._age() <= STALE_FOR else RETRY_EVERY)
        if self._age() > STALE_FOR:
            raise Unavailable(
                "The service that signs you in cannot be reached right now. Try again in a moment.",
                retry_after=RETRY_EVERY,
            )
        key = _pick(self._keys, kid, algorithm)
        if key is None:
            await self._refresh(REFETCH_EVERY)  # perhaps the issuer has a new key since
            key = _pick(self._keys, kid, algorithm)
        return key

    def _age(self) -> float:
        return self._monotonic() - self._fetched_at

    async def _refresh(self, at_most_every: float) -> None:
        if self._fetching is None:
            if self._monotonic() - self._tried_at < at_most_every:
                return
            self._tried_at = self._monotonic()
            self._fetching = asyncio.create_task(self._fetch())
        # Shielded: one caller who hangs up must not take the answer from the others who wait for it.
        await asyncio.shield(self._fetching)

    async def _fetch(self) -> None:
        try:
            async with asyncio.timeout(self._fetch_seconds):
                keys = parse_keys(await self._download())
        except (httpx.HTTPError, TimeoutError, _UnusableAnswerError) as error:
            _log.warning("no keys from %s: %s %s", self._host, type(error).__name__, error)
        else:
            self._keys, self._fetched_at = keys, self._monotonic()
        finally:
            self._fetching = None

    async def _download(self) -> bytes:
        # Uncompressed and counted as it comes: a small gzip can unpack to more than our memory.
        headers = {"accept": "application/jwk-set+json, application/json", "accept-encoding": "identity"}
        async with self._http.stream(
            "GET", self._url, headers=headers, follow_redirects=False, timeout=self._fetch_seconds
        ) as response:
            if response.status_code != httpx.codes.OK:
                raise _UnusableAnswerError(f"status {response.status_code}")
            if response.headers.get("content-encoding", "identity") != "identity":
                raise _UnusableAnswerError("it is compressed")
            body = bytearray()
            async for chunk in response.aiter_raw():
                body += chunk
                if len(body) > MAX_BYTES:
                    raise _UnusableAnswerError(f"more than {MAX_BYTES} bytes")
            return bytes(body)


class _UnusableAnswerError(Exception):
    """What came is not a key set; the text says why."""


def parse_keys(document: bytes) -> KeySet:
    """The keys we can use. A strange one among them is skipped; a set without a good one is no answer."""
    try:
        content = json.loads(document)
    except (ValueError, RecursionError):
        raise _UnusableAnswerError("it is not JSON") from None
    listed = content.get("keys") if isinstance(content, dict) else None
    if not isinstance(listed, list):
        raise _UnusableAnswerError("it is not a key set")
    keys: dict[tuple[str | None, str], jwt.PyJWK] = {}
    for entry in listed:
        if isinstance(entry, dict) and (key := _usable_key(entry)) is not None:
            keys.setdefault((_text(entry, "kid"), key.algorithm_name), key)
    if not keys:
        raise _UnusableAnswerError("it has no key we can use")
    return keys


def _usable_key(entry: Mapping[str, Any]) -> jwt.PyJWK | None:
    kind = _USABLE.get((_text(entry, "kty") or "", _text(entry, "crv")))
    if kind is None:
        return None
    algorithm, members = kind
    if entry.get("use", "sig") != "sig" or entry.get("alg", algorithm) != algorithm:
        return None
    try:
        # The public members only: a private key published by mistake is not loaded, least of all as one.
        key = jwt.PyJWK({name: entry.get(name) for name in members}, algorithm=algorithm)
    except jwt.PyJWTError:
        return None
    if isinstance(key.key, RSAPublicKey) and not 2048 <= key.key.key_size <= _MAX_RSA_BITS:
        return None
    return key


def _pick(keys: KeySet, kid: str | None, algorithm: str) -> jwt.PyJWK | None:
    if kid is not None:
        return keys.get((kid, algorithm))
    # Without a key id there must be nothing to choose.
    fitting = [key for (_, its_algorithm), key in keys.items() if its_algorithm == algorithm]
    return fitting[0] if len(fitting) == 1 else None


def _text(entry: Mapping[str, Any], member: str) -> str | None:
    value = entry.get(member)
    return value if isinstance(value, str) else None
