"""Looks repeated for ever whether somebody needs help: what passes and what is a bug, told apart."""

import logging
from types import TracebackType

from procrastinate import exceptions
from typing_extensions import override

from spotter.errors import Unavailable
from spotter.store.faults import as_spotter_error, is_connection_lost

log = logging.getLogger(__name__)


class looking_for:  # noqa: N801 - read as a clause: `with looking_for("abandoned jobs"):`
    """Whatever happens, the next look follows. A database that is away comes back by then; a bug would be missed only
    when the look is needed, so it is told each time."""

    def __init__(self, what: str) -> None:
        self._what = what

    def __enter__(self) -> None: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if not isinstance(error, Exception):
            return False
        if _passes(error):
            log.debug("cannot look for %s now: %s", self._what, error)
        else:
            log.error("the look for %s met a bug and is tried again", self._what, exc_info=error)
        return True


class helping_one(looking_for):  # noqa: N801 - read as a clause: `with helping_one("an abandoned turn"):`
    """One of many whom a look has found: whatever is wrong with it, the others get their help. Only a lost connection
    ends the look, for each of the others would wait for it again."""

    @override
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        return not (error is not None and is_connection_lost(error)) and super().__exit__(kind, error, trace)


def _passes(error: Exception) -> bool:
    cause = error.__cause__ if isinstance(error, exceptions.ConnectorException) else error
    if cause is None:
        return False
    # A look asks for nothing that could be refused: a clash or a missing thing is a bug here, whoever reports it.
    # So is a missing file: a missing socket is told by the driver, as a connection that cannot be made.
    return isinstance(as_spotter_error(cause) or cause, Unavailable | ConnectionError | TimeoutError)
