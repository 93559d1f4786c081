"""A look that fails is followed by the next; only what passes by itself is passed over in silence."""

import logging

import psycopg
import pytest
from procrastinate import exceptions
from psycopg import errors as pg

from spotter.errors import Conflict, InvalidInput, NotFound, Unavailable
from spotter.work.looking import looking_for


def _wrapped(cause: Exception) -> exceptions.ConnectorException:
    error = exceptions.ConnectorException("as Procrastinate tells it")
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    "error",
    [
        Unavailable("The database cannot be reached."),
        ConnectionRefusedError("no server"),
        psycopg.OperationalError("the connection is lost"),
        pg.AdminShutdown("restarting"),
        pg.DeadlockDetected("one of two gives way"),
        TimeoutError("no answer"),
        _wrapped(psycopg.OperationalError("the connection is lost")),
        _wrapped(TimeoutError("no answer")),
    ],
    ids=repr,
)
def test_a_database_that_is_away_is_no_news(error: Exception, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO), looking_for("lost things"):
        raise error
    assert caplog.records == []


@pytest.mark.parametrize(
    "error",
    [
        pg.UndefinedColumn("column does not exist"),
        pg.DatatypeMismatch("UNION types uuid and text cannot be matched"),
        _wrapped(pg.InsufficientPrivilege("permission denied")),
        exceptions.ConnectorException("without a cause"),
        pg.UniqueViolation("duplicate key"),
        pg.ForeignKeyViolation("still referred to"),
        pg.InvalidTextRepresentation("invalid input syntax for type uuid"),
        _wrapped(pg.NumericValueOutOfRange("integer out of range")),
        NotFound("There is no such session."),
        Conflict("Something with the same identity exists already."),
        InvalidInput("A value cannot be stored as it is."),
        FileNotFoundError("no such file"),
        KeyError("worker_id"),
    ],
    ids=repr,
)
def test_a_bug_is_told_each_time(error: Exception, caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(2):
        with caplog.at_level(logging.INFO), looking_for("lost things"):
            raise error
    assert [record.levelname for record in caplog.records] == ["ERROR", "ERROR"]
    assert "lost things" in caplog.text
    assert type(error).__name__ in caplog.text
