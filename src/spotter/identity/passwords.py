"""Passwords: argon2id, off the event loop, and the few rules we ask of a new one."""

import asyncio
import base64
import logging
import os
import secrets
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import VerificationError, VerifyMismatchError

from spotter.errors import InvalidInput

_log = logging.getLogger(__name__)

MIN_LENGTH: Final = 10
MAX_LENGTH: Final = 256

# RFC 9106's profile for machines with little memory (64 MiB, 3 passes): the library's default, stated here
# so that an upgrade of the library does not change ours unseen.
_hasher: Final = PasswordHasher(time_cost=3, memory_cost=64 * 1024, parallelism=4, hash_len=32, salt_len=16)

# Its own few threads: each hash holds 64 MiB, and a burst of sign-ins must not take the threads others need.
_threads: Final = ThreadPoolExecutor(max_workers=min(4, os.cpu_count() or 1), thread_name_prefix="argon2")

_COMMONEST: Final = {
    "0123456789", "0987654321", "1122334455", "11223344556677", "123123123123", "12345678900",
    "1234567890", "12345678910", "123456789a", "123456789q", "1q2w3e4r5t", "1q2w3e4r5t6y",
    "1qaz2wsx3edc", "9876543210", "abc1234567", "abcd123456", "abcdefghij", "admin12345",
    "administrator", "changeme123", "football123", "iloveyou123", "letmein123", "monkey12345",
    "password01", "password1!", "password12", "password123", "password1234", "password12345",
    "passw0rd123", "p@ssw0rd123", "princess123", "q1w2e3r4t5", "q1w2e3r4t5y6", "qazwsxedcrfv",
    "qwerty1234", "qwerty12345", "qwerty123456", "qwertyuiop", "qwertyuiop123", "qwertzuiop",
    "superman123", "welcome123", "welcome1234", "zaq12wsxcde3",
}  # fmt: skip


def _dummy_hash() -> str:
    """Well-formed, matches nothing, and costs what a real one costs to check."""
    salt, digest = (
        base64.b64encode(secrets.token_bytes(size)).rstrip(b"=").decode()
        for size in (_hasher.salt_len, _hasher.hash_len)
    )
    cost = f"m={_hasher.memory_cost},t={_hasher.time_cost},p={_hasher.parallelism}"
    return f"$argon2id$v=19${cost}${salt}${digest}"


_DUMMY: Final = _dummy_hash()


async def hash_password(password: str) -> str:
    return await asyncio.get_running_loop().run_in_executor(_threads, _hash, password)


async def verify_password(stored: str | None, password: str) -> bool:
    """Whether the password fits. `None` (no such e-mail, or no password set) takes just as long."""
    return await asyncio.get_running_loop().run_in_executor(_threads, _verify, stored, password)


def needs_rehash(stored: str) -> bool:
    """Whether to hash the password anew, now that its owner has just typed it."""
    try:
        return _hasher.check_needs_rehash(stored)
    except ValueError:  # InvalidHashError is one; so is a field that is not a number
        return True


def check_password_rules(password: str, email: str) -> None:
    if len(password) < MIN_LENGTH:
        raise InvalidInput(f"That password is too short: use at least {MIN_LENGTH} characters.")
    if len(password) > MAX_LENGTH:
        raise InvalidInput(f"That password is too long: use at most {MAX_LENGTH} characters.")
    if len(set(password)) == 1:
        raise InvalidInput("That password is one character repeated: choose something harder to guess.")
    folded, address = password.strip().casefold(), email.strip().casefold()
    if folded in {address, address.partition("@")[0]}:
        raise InvalidInput("That password is your e-mail address: choose something others do not know.")
    if folded in _COMMONEST:
        raise InvalidInput("That password is among the commonest there are: choose one harder to guess.")


def _hash(password: str) -> str:
    return _hasher.hash(_to_bytes(password))


def _verify(stored: str | None, password: str) -> bool:
    try:
        _hasher.verify(_DUMMY if stored is None else stored, _to_bytes(password))
    except VerifyMismatchError:
        return False
    except (VerificationError, ValueError) as error:
        _log.error(
            "a stored password hash cannot be read (%s); a new password mends it", type(error).__name__
        )
        return False
    return stored is not None


def _to_bytes(password: str) -> bytes:
    """The same bytes for the same typed text: keyboards differ in how they compose "é" (RFC 8265: NFC)."""
    if len(password) <= 4 * MAX_LENGTH:
        # Only where it can matter: normalising takes quadratic time on long runs of combining marks.
        password = unicodedata.normalize("NFC", password)
    # A lone surrogate, which JSON can carry, is not encodable otherwise.
    return password.encode("utf-8", "surrogatepass")
