"""Which database errors pass by themselves, which are the caller's, and which are our bugs."""

import psycopg
import pytest
from psycopg import errors as pg
from psycopg_pool import PoolTimeout
from sqlalchemy import exc as sa

from spotter.errors import Conflict, InvalidInput, Unavailable
from spotter.store.faults import as_spotter_error, is_connection_lost, is_safe_to_retry, original

LOST = (
    psycopg.OperationalError("connection refused"),
    psycopg.InterfaceError("the connection is closed"),
    pg.AdminShutdown(),
    pg.CrashShutdown(),
    pg.CannotConnectNow(),
    pg.TooManyConnections(),
    pg.DatabaseDropped(),
    pg.IdleSessionTimeout(),
    pg.IdleInTransactionSessionTimeout(),
    pg.TransactionTimeout(),
    pg.ConnectionException(),
    pg.ConnectionFailure(),
    pg.ConnectionDoesNotExist(),
    pg.SqlclientUnableToEstablishSqlconnection(),
    pg.SqlserverRejectedEstablishmentOfSqlconnection(),
    pg.ProtocolViolation(),
    pg.TransactionResolutionUnknown(),
)
BUSY = (
    pg.SerializationFailure(),
    pg.DeadlockDetected(),
    pg.LockNotAvailable(),
    pg.QueryCanceled(),
    pg.ReadOnlySqlTransaction(),
    pg.DiskFull(),
    pg.OutOfMemory(),
    pg.InsufficientResources(),
    pg.ConfigurationLimitExceeded(),
)
BUGS = (
    pg.UndefinedTable(),
    pg.SyntaxError(),
    pg.InsufficientPrivilege(),
    pg.NotNullViolation(),
    pg.CheckViolation(),
    pg.InFailedSqlTransaction(),
    ValueError("not of the database"),
)


def wrapped(error: BaseException) -> BaseException:
    """As SQLAlchemy hands it on."""
    return sa.DBAPIError("SELECT 1", None, error) if isinstance(error, psycopg.Error) else error


def named(error: BaseException) -> str:
    return type(error).__name__


@pytest.mark.parametrize("error", LOST, ids=named)
def test_a_lost_connection_is_unavailable(error: psycopg.Error) -> None:
    for seen in (error, wrapped(error)):
        assert is_connection_lost(seen)
        assert not is_safe_to_retry(seen)
        refusal = as_spotter_error(seen)
        assert isinstance(refusal, Unavailable)
        assert refusal.retry_after


@pytest.mark.parametrize("error", BUSY, ids=named)
def test_a_busy_database_is_unavailable(error: psycopg.Error) -> None:
    for seen in (error, wrapped(error)):
        assert not is_connection_lost(seen)
        refusal = as_spotter_error(seen)
        assert isinstance(refusal, Unavailable)
        assert refusal.retry_after


def test_only_what_surely_did_not_happen_is_tried_again() -> None:
    safe = {named(error) for error in (*LOST, *BUSY, *BUGS) if is_safe_to_retry(wrapped(error))}
    assert safe == {"SerializationFailure", "DeadlockDetected", "LockNotAvailable"}


@pytest.mark.parametrize(
    "error", [pg.UniqueViolation(), pg.ExclusionViolation(), pg.ForeignKeyViolation()], ids=named
)
def test_a_clash_is_a_conflict(error: psycopg.Error) -> None:
    assert isinstance(as_spotter_error(wrapped(error)), Conflict)


@pytest.mark.parametrize(
    "error",
    [
        pg.NumericValueOutOfRange(),
        pg.UntranslatableCharacter(),
        pg.InvalidTextRepresentation(),
        psycopg.DataError("PostgreSQL text fields cannot contain NUL (0x00) bytes"),
    ],
    ids=named,
)
def test_a_value_that_cannot_be_stored_is_the_callers(error: psycopg.Error) -> None:
    assert isinstance(as_spotter_error(wrapped(error)), InvalidInput)


@pytest.mark.parametrize("error", [sa.TimeoutError(), PoolTimeout()], ids=named)
def test_an_empty_pool_is_unavailable(error: Exception) -> None:
    assert isinstance(as_spotter_error(error), Unavailable)


@pytest.mark.parametrize("error", BUGS, ids=named)
def test_our_bugs_are_not_hidden(error: BaseException) -> None:
    assert as_spotter_error(wrapped(error)) is None


def test_what_is_said_tells_nothing_of_the_data() -> None:
    error = pg.UniqueViolation('Key (email)=(ann@example.org) already exists. "uq_users_email"')
    refusal = as_spotter_error(wrapped(error))
    assert refusal is not None
    assert "ann@" not in refusal.detail
    assert "uq_" not in refusal.detail


def test_the_drivers_error_is_found_inside() -> None:
    inner = pg.DeadlockDetected()
    assert original(wrapped(inner)) is inner
    assert original(inner) is inner
