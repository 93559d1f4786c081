"""The installation's one secret, and every key derived from it.

Nothing uses the secret itself: each purpose derives its own key by label, so a key that leaks says nothing
about the others. Losing the secret signs everybody out and makes the sealed secrets (`vault.py`) unreadable.
"""

import logging
import os
import re
import secrets
from pathlib import Path
from typing import Final, NoReturn

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from typing_extensions import override

from spotter.errors import StartupRefused
from spotter.settings import Settings

_log = logging.getLogger(__name__)

SECRET_FILE: Final = "secret.key"  # noqa: S105 - the name of the file
_SECRET_BYTES: Final = 32
_FILE_CONTENT: Final = re.compile(rb"[0-9a-f]{64}")
_SALT: Final = b"spotter/keyring/v1"


class Keyring:
    __slots__ = ("_fingerprint", "_secret")

    def __init__(self, secret: bytes) -> None:
        if len(secret) < _SECRET_BYTES:
            raise ValueError(f"a keyring needs a secret of at least {_SECRET_BYTES} bytes")
        self._secret = bytes(secret)
        self._fingerprint = self.derive("fingerprint", 8).hex()

    def derive(self, label: str, length: int = 32) -> bytes:
        """The key for one purpose. The same secret and label always give the same key."""
        if not label:
            raise ValueError("a derived key needs a label")
        return HKDF(algorithm=SHA256(), length=length, salt=_SALT, info=label.encode()).derive(self._secret)

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal characters, equal exactly when two installations share the secret. Safe to store."""
        return self._fingerprint

    @override
    def __repr__(self) -> str:
        return f"<Keyring {self._fingerprint}>"

    @override
    def __reduce__(self) -> NoReturn:
        raise TypeError("a keyring is not to be written down")


def load_keyring(settings: Settings) -> Keyring:
    """From `SPOTTER_SECRET_KEY`, else from `<data_dir>/secret.key`, which the first start makes."""
    if settings.secret_key is not None:
        # The environment may hold bytes that are not text; Python hands those over as lone surrogates.
        return Keyring(settings.secret_key.get_secret_value().encode("utf-8", "surrogatepass"))
    path = settings.data_dir / SECRET_FILE
    try:
        return Keyring(_read_or_create(path))
    except OSError as error:
        raise StartupRefused(
            f"The secret key file {path} cannot be used: {error.strerror or error}. "
            "Start Spotter as the user who owns that folder, or set SPOTTER_SECRET_KEY."
        ) from error


def _read_or_create(path: Path) -> bytes:
    # lexists: a dangling link is a mistake to be told, not an invitation to make a new secret.
    if not os.path.lexists(path):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _create(path)
    return _read(path)


def _read(path: Path) -> bytes:
    if path.exists() and not path.is_file():
        raise StartupRefused(f"{path} should be the secret key file but is not a file. Move it away first.")
    content = path.read_bytes()
    if not _FILE_CONTENT.fullmatch(content.strip()):
        raise StartupRefused(
            f"The secret key file {path} is damaged: it has {len(content)} bytes, not one line of 64 "
            "hexadecimal characters. Sign-ins and the stored secrets of connected services depend on it, so "
            "Spotter does not replace it. Restore the file from a backup. If there is none, delete it and "
            "start again: everybody then signs in anew and enters the secrets of connected services again."
        )
    if path.stat().st_mode & 0o077:
        _log.warning("%s can be read by other users of this machine; run: chmod 600 %s", path, path)
    return bytes.fromhex(content.strip().decode("ascii"))


def _create(path: Path) -> None:
    """Put a complete file in place in one step. Of several processes one wins; the others find its file.

    A hard link does what no rename can: it appears whole and fails if the name is taken.
    """
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        _write_draft(draft)
        _publish(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def _write_draft(draft: Path) -> None:
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(secrets.token_hex(_SECRET_BYTES).encode() + b"\n")
        file.flush()
        folder = draft.parent.stat()
        if os.geteuid() == 0 and folder.st_uid != 0:
            # `sudo spotter …` once must not lock out the user who runs it every day.
            os.fchown(descriptor, folder.st_uid, folder.st_gid)
        os.fsync(descriptor)


def _publish(draft: Path, path: Path) -> None:
    try:
        path.hardlink_to(draft)
    except FileExistsError:
        return
    except OSError as error:
        raise StartupRefused(
            f"The folder {path.parent} cannot hold the secret key file: its file system has no hard links "
            f"({error.strerror}). Put the data folder (SPOTTER_DATA_DIR) elsewhere or set SPOTTER_SECRET_KEY."
        ) from error
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
