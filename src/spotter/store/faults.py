"""Database errors, mapped once to ours: passing troubles become 503, refused values 422, clashes 409."""

from collections.abc import Callable

import psycopg
from psycopg import errors as pg
from psycopg_pool import PoolTimeout
from sqlalchemy import exc as sa

from spotter.errors import Conflict, InvalidInput, SpotterError, Unavailable

_AWAY = (
    psycopg.InterfaceError,
    pg.AdminShutdown,
    pg.CrashShutdown,
    pg.CannotConnectNow,
    pg.TooManyConnections,
    pg.DatabaseDropped,
    pg.IdleSessionTimeout,
    pg.IdleInTransactionSessionTimeout,
    pg.TransactionTimeout,
)
_BUSY = (
    pg.SerializationFailure,
    pg.DeadlockDetected,
    pg.LockNotAvailable,
    pg.QueryCanceled,
    pg.ReadOnlySqlTransaction,
    pg.DiskFull,
    pg.OutOfMemory,
    pg.InsufficientResources,
    pg.ConfigurationLimitExceeded,
)
_ROLLED_BACK_FOR_SURE = (pg.SerializationFailure, pg.DeadlockDetected, pg.LockNotAvailable)

_REFUSALS: tuple[tuple[tuple[type[Exception], ...], Callable[[], SpotterError]], ...] = (
    (_BUSY, lambda: Unavailable("The database is busy. Nothing was changed; try again.", retry_after=1)),
    (
        (pg.UniqueViolation, pg.ExclusionViolation),
        lambda: Conflict("Something with the same identity exists already. Nothing was changed."),
    ),
    (
        (pg.ForeignKeyViolation,),
        lambda: Conflict("This refers to something that does not exist, or is still referred to by others."),
    ),
    ((psycopg.DataError,), lambda: InvalidInput("A value cannot be stored as it is. Nothing was changed.")),
)


def original(error: BaseException) -> BaseException:
    """The driver's error inside SQLAlchemy's wrapper."""
    if isinstance(error, sa.DBAPIError) and error.orig is not None:
        return error.orig
    return error


def is_connection_lost(error: BaseException) -> bool:
    cause = original(error)
    if isinstance(cause, _AWAY):
        return True
    # A refused or cut connection is a plain OperationalError without an SQLSTATE; 08… are connection exceptions.
    return isinstance(cause, psycopg.OperationalError) and (cause.sqlstate or "08").startswith("08")


def is_safe_to_retry(error: BaseException) -> bool:
    """The server itself says the transaction did not happen, so doing it again cannot do it twice."""
    return isinstance(original(error), _ROLLED_BACK_FOR_SURE)


def as_spotter_error(error: BaseException) -> SpotterError | None:
    """Ours for a database error, or None if it is a bug that nobody should hide."""
    cause = original(error)
    if isinstance(error, sa.TimeoutError | PoolTimeout):
        return Unavailable("All database connections are busy. Try again in a moment.", retry_after=1)
    if is_connection_lost(error):
        return Unavailable("The database cannot be reached right now. Try again in a moment.", retry_after=2)
    return next((make() for kinds, make in _REFUSALS if isinstance(cause, kinds)), None)
