"""Two locks the kernel frees for us, however a process ends.

`turn` is held while one process starts or stops the server. `Membership` is shared by all who use it; who can
have it alone is the last one.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from spotter.errors import Unavailable
from spotter.store.embedded.account import ServerAccount
from spotter.store.embedded.patience import Patience

TURN_SECONDS = 180.0


def _try_lock(handle: int, kind: int) -> bool:
    try:
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _release(handle: int) -> None:
    # Unlocked by name, not only closed: a child caught between fork and exec holds a copy for a moment.
    fcntl.flock(handle, fcntl.LOCK_UN)
    os.close(handle)


@contextmanager
def turn(path: Path, account: ServerAccount, patience: Patience) -> Iterator[None]:
    handle = account.open_private(path, os.O_RDWR)
    try:
        if not patience.until(lambda: _try_lock(handle, fcntl.LOCK_EX), TURN_SECONDS):
            raise Unavailable(
                f"Another Spotter process has been starting or stopping the database for {TURN_SECONDS:.0f} "
                f"s (it holds {path}). Wait for it, or end that process, then start again."
            )
        yield
    finally:
        _release(handle)


class Membership:
    """Used while holding the turn, so only a dying process can change the answer meanwhile."""

    def __init__(self, path: Path, account: ServerAccount) -> None:
        self._handle = account.open_private(path, os.O_RDWR)
        # Never in the way: the exclusive kind is only tried for an instant, by who holds the turn.
        fcntl.flock(self._handle, fcntl.LOCK_SH)

    def alone(self) -> bool:
        # A failed conversion loses the lock one had, hence the second call in both cases.
        alone = _try_lock(self._handle, fcntl.LOCK_EX)
        fcntl.flock(self._handle, fcntl.LOCK_SH)
        return alone

    def leave(self) -> None:
        _release(self._handle)
