"""Secrets at rest: what we must read again later (a connector's password), sealed before it reaches a table.

AES-256-GCM. The context, e.g. `org:…/connector:…`, is authenticated with the text, so a sealed value copied
to another row does not open there. Format: `v1.<fingerprint of the keyring>.<base64url of nonce and text>`.
"""

import base64
import binascii
import hmac
import re
import secrets
from collections.abc import Sequence
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from typing_extensions import override

from spotter.errors import InvalidInput, SpotterError
from spotter.identity.keyring import Keyring

_VERSION: Final = "v1"
_NONCE_BYTES: Final = 12  # random is safe for 2**32 seals under one key
_TAG_BYTES: Final = 16
_FORMAT: Final = re.compile(r"v1\.([0-9a-f]{16})\.([A-Za-z0-9_-]+)")
_LABEL: Final = "vault/v1/aes-256-gcm"
_DIGEST_LABEL: Final = "vault/v1/digest"


class VaultError(SpotterError):
    """A stored secret does not open. Trying again does not help; the text says what does."""

    code = "secret_unreadable"
    title = "A stored secret cannot be read"


class Vault:
    """Seals with the first keyring, opens with any: to rotate, put the new one before the old ones."""

    __slots__ = ("_ciphers", "_current", "_digest_key")

    def __init__(self, keyrings: Keyring | Sequence[Keyring]) -> None:
        rings = [keyrings] if isinstance(keyrings, Keyring) else list(keyrings)
        if not rings:
            raise ValueError("a vault needs at least one keyring")
        self._current = rings[0].fingerprint
        self._ciphers = {ring.fingerprint: AESGCM(ring.derive(_LABEL)) for ring in rings}
        self._digest_key = rings[0].derive(_DIGEST_LABEL)

    def seal(self, plain: bytes | str, *, context: str) -> str:
        nonce = secrets.token_bytes(_NONCE_BYTES)
        bound = _bind(self._current, context)
        text = self._ciphers[self._current].encrypt(nonce, _to_bytes(plain), bound)
        return f"{_VERSION}.{self._current}.{_encode(nonce + text)}"

    def open(self, sealed: str, *, context: str) -> bytes:
        fingerprint, blob = _parse(sealed)
        cipher = self._ciphers.get(fingerprint)
        if cipher is None:
            raise VaultError(
                f"This secret was sealed under another secret key (fingerprint {fingerprint}). Start Spotter "
                "with the SPOTTER_SECRET_KEY or secret.key file of that time, or enter the secret again."
            )
        try:
            return cipher.decrypt(blob[:_NONCE_BYTES], blob[_NONCE_BYTES:], _bind(fingerprint, context))
        except InvalidTag:
            raise VaultError(
                "This secret was changed, or moved here from elsewhere, after it was sealed. Enter it again."
            ) from None

    def needs_reseal(self, sealed: str) -> bool:
        """Whether an older keyring sealed it, so that a rotation still has this one to do."""
        return _parse(sealed)[0] != self._current

    def digest(self, *parts: bytes) -> str:
        """Equal for equal parts, and of no use without our key: from a plain hash of a request, whoever has
        the table could guess the password in it."""
        keyed = hmac.new(self._digest_key, digestmod="sha256")
        for part in parts:
            keyed.update(len(part).to_bytes(8, "big") + part)
        return keyed.hexdigest()

    @override
    def __repr__(self) -> str:
        return f"<Vault {self._current}>"


def _bind(fingerprint: str, context: str) -> bytes:
    if not context:
        raise ValueError("a sealed secret needs a context that names its row")
    return f"{_VERSION}.{fingerprint}.{context}".encode("utf-8", "surrogatepass")


def _to_bytes(plain: bytes | str) -> bytes:
    if isinstance(plain, bytes):
        return plain
    try:
        return plain.encode()
    except UnicodeEncodeError:
        raise InvalidInput("That secret has characters that are not text.") from None


def _parse(sealed: str) -> tuple[str, bytes]:
    match = _FORMAT.fullmatch(sealed)
    blob = _decode(match[2]) if match else None
    if match is None or blob is None or len(blob) < _NONCE_BYTES + _TAG_BYTES:
        raise VaultError("What is stored is not a whole sealed secret. Enter the secret again.")
    return match[1], blob


def _encode(blob: bytes) -> str:
    return base64.urlsafe_b64encode(blob).rstrip(b"=").decode("ascii")


def _decode(body: str) -> bytes | None:
    try:
        blob = base64.urlsafe_b64decode(body + "=" * (-len(body) % 4))
    except binascii.Error:
        return None
    # One text for one value: base64 ignores the last character's spare bits.
    return blob if _encode(blob) == body else None
