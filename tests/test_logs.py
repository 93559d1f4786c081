import io
import json
import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from typing_extensions import override

from spotter import logs
from spotter.logs import (
    JsonFormatter,
    add_log_context,
    bind_log_context,
    configure_logs,
    correlation_id,
    redact,
    register_redactor,
)
from spotter.settings import Settings

JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlLXNpZ25hdHVyZQ"


class Terminal(io.StringIO):
    @override
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def untouched_logging() -> Iterator[None]:
    names = ("uvicorn", "uvicorn.error", "uvicorn.access", *logs.TALKATIVE)
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    before = {
        name: (
            logging.getLogger(name).level,
            logging.getLogger(name).propagate,
            logging.getLogger(name).disabled,
        )
        for name in names
    }
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    for name, (old_level, propagate, disabled) in before.items():
        logger = logging.getLogger(name)
        logger.setLevel(old_level)
        logger.propagate, logger.disabled = propagate, disabled
        logger.filters.clear()


@pytest.fixture
def lines() -> Callable[[], list[dict[str, Any]]]:
    output = io.StringIO()
    configure_logs(Settings(log_format="auto", log_level="DEBUG"), stream=output)
    return lambda: [json.loads(line) for line in output.getvalue().splitlines()]


Lines = Callable[[], list[dict[str, Any]]]


def test_a_line_has_the_fields(lines: Lines) -> None:
    token = correlation_id.set("abc")
    with bind_log_context(org_id="o1"):
        add_log_context(user_id="u1")
        logging.getLogger("spotter.test").info("hello %s", "you", extra={"count": 3})
    correlation_id.reset(token)
    (line,) = lines()
    assert line.pop("time").endswith("Z")
    assert line == {
        "level": "INFO",
        "logger": "spotter.test",
        "message": "hello you",
        "correlation_id": "abc",
        "org_id": "o1",
        "user_id": "u1",
        "count": 3,
    }


def test_the_context_ends_with_its_block(lines: Lines) -> None:
    with bind_log_context(org_id="o1"):
        add_log_context(user_id="u1")
    logging.getLogger("spotter.test").info("after")
    assert lines()[0]["org_id"] is None
    assert lines()[0]["user_id"] is None


def test_an_extra_cannot_pose_as_a_field_of_the_line(lines: Lines) -> None:
    logging.getLogger("spotter.test").info("true", extra={"level": "FAKE", "time": "never", "logger": "x"})
    assert lines()[0]["level"] == "INFO"
    assert lines()[0]["logger"] == "spotter.test"


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("Authorization: Bearer abc.def-ghi", "abc.def-ghi"),
        ("authorization: Basic dXNlcjpwdw==", "dXNlcjpwdw"),
        ("[(b'authorization', b'Bearer topsecret1')]", "topsecret1"),
        ("[(b'authorization', b'Basic dXNlcjpwdw==')]", "dXNlcjpwdw"),
        ("{'authorization': 'Token s3cr3t'}", "s3cr3t"),
        ('{"password": "hunter2"}', "hunter2"),
        ("?access_token=qwertz&x=1", "qwertz"),
        ("x-api-key: 123456", "123456"),
        ("key spk_live_0123abcd used", "0123abcd"),
        ("refresh spr_AbCd-123", "AbCd"),
        ("/api/auth/links/spl_tokentoken", "tokentoken"),
        ("invite spi_tokentoken.", "tokentoken"),
        (f"token was {JWT}!", "eyJ"),
        ("postgresql://spotter:pw123@db:5432/x", "pw123"),
        ("postgresql+psycopg://u:p@ss:w@rd@db/x", "rd@"),
        ("host=db password=pw123 user=x", "pw123"),
        ("sk-" + "ant-api03-Zm9vYmFyYmF6cXV4", "Zm9vYmFy"),
        ("null value\nDETAIL:  Failing row contains (ana@private.example).\nmore", "ana@"),
        ("Key\nDETAIL:  Key (email)=(ana@private.example) already exists.", "ana@"),
        ("CONTEXT:  JSON data, line 1: {ana@private.example", "ana@"),
        ("[type=int_parsing, input_value='ana@private.example', input_type=str]", "ana@"),
        ("[type=x, input_value={'a': 'b, c',\n 'ana@x.example': 1}, input_type=dict]", "ana@"),
        ("[SQL: SELECT 1]\n[parameters: {'email': 'ana@private.example'}]\n(Background", "ana@"),
    ],
)
def test_secrets_are_removed(text: str, secret: str) -> None:
    assert secret not in redact(text)
    assert logs.REDACTED in redact(text)


@pytest.mark.parametrize(
    "text",
    [
        "the basic training token expired",
        "https://example.com:8420/a/b@c",
        "sprint spk split_squat special",
        "password reset asked for",
        "GET /api/members 200 12.1ms",
        "key=value secretary=Ana",
    ],
)
def test_other_text_stays(text: str) -> None:
    assert redact(text) == text


def test_secrets_are_removed_everywhere(lines: Lines) -> None:
    logger = logging.getLogger("spotter.test")
    secret = "spk_canarycanary"
    try:
        raise ValueError(f"bad key {secret}")
    except ValueError:
        logger.exception(
            "failed with %s",
            secret,
            extra={
                "headers": {"Authorization": f"Bearer {secret}", "nested": [{"password": "hunter2"}]},
                "db_password": "hunter2",
                "url": "postgresql://a:hunter2@h/d",
                "odd": object,
                secret: 1,
            },
        )
    with bind_log_context(note=secret):
        logger.info("context")
    text = json.dumps(lines())
    assert "canary" not in text
    assert "hunter2" not in text


def test_more_redactors_can_be_registered(lines: Lines, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "_more_redactors", [])
    register_redactor(lambda text: text.replace("Ana", "A."))
    logging.getLogger("spotter.test").info("Ana came")
    assert lines()[0]["message"] == "A. came"


def test_an_exception_is_a_field(lines: Lines) -> None:
    try:
        raise ValueError("nope")
    except ValueError:
        logging.getLogger("spotter.test").exception("failed")
    exception = lines()[0]["exception"]
    assert exception["type"] == "ValueError"
    assert exception["message"] == "nope"
    assert "test_an_exception_is_a_field" in exception["traceback"]


def hide_from_pytest() -> None:
    """Its own handlers keep what they see for its reports, which cannot carry half a pair between processes."""
    root = logging.getLogger()
    root.handlers[:] = [handler for handler in root.handlers if type(handler).__module__ == "spotter.logs"]


EVIL = (
    "one\n2026 ERROR forged\r\x1b[31m\x9b31m\x85\u2028\u2029\u202e\u2066\u061c\u200b\u200d\ufeff\x00\ud800"
    "\U000e0041\ufff9"
)


def test_a_message_cannot_forge_a_json_line() -> None:
    output = io.StringIO()
    configure_logs(Settings(log_format="json"), stream=output)
    hide_from_pytest()
    logging.getLogger("spotter.test").info(EVIL, extra={"path": EVIL})
    assert output.getvalue().count("\n") == 1
    assert output.getvalue().strip().isprintable()
    assert json.loads(output.getvalue())["message"] == EVIL


def test_a_message_cannot_forge_a_text_line() -> None:
    output = io.StringIO()
    configure_logs(Settings(log_format="text"), stream=output)
    hide_from_pytest()
    try:
        raise ValueError(EVIL)
    except ValueError:
        logging.getLogger("spotter.test").exception(EVIL, extra={"path": EVIL})
    first, *rest = output.getvalue().rstrip("\n").split("\n")
    assert first.isprintable()
    assert all(line.startswith("    ") and line.isprintable() for line in rest)


def test_text_is_for_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    output = Terminal()
    configure_logs(Settings(), stream=output)
    logging.getLogger("spotter.test").warning("careful", extra={"count": 3})
    assert "careful" in output.getvalue()
    assert "count=3" in output.getvalue()
    assert "\x1b[33m" in output.getvalue()
    monkeypatch.setenv("NO_COLOR", "1")
    plain = Terminal()
    configure_logs(Settings(), stream=plain)
    logging.getLogger("spotter.test").warning("careful")
    assert "\x1b" not in plain.getvalue()


def test_wrong_arguments_lose_nothing() -> None:
    record = logging.makeLogRecord({"msg": "%d apples", "args": ("many",)})
    assert "%d apples" in JsonFormatter().format(record)


def test_a_huge_message_is_cut(lines: Lines) -> None:
    logging.getLogger("spotter.test").info("x" * 100_000)
    assert len(lines()[0]["message"]) < 20_000


def test_libraries_go_the_same_way(lines: Lines) -> None:
    logging.getLogger("uvicorn.error").info("started")
    logging.getLogger("procrastinate.worker").info("never")
    logging.getLogger("procrastinate.worker").warning("waiting")
    logging.getLogger("uvicorn.access").info("never")
    for name in logs.TALKATIVE:
        logging.getLogger(name).info("never")
    assert [line["message"] for line in lines()] == ["started", "waiting"]


def test_uvicorn_repeats_nothing(lines: Lines) -> None:
    class Known(Exception):
        already_logged = True

    logger = logging.getLogger("uvicorn.error")
    logger.info('%s - "WebSocket %s" [accepted]', "127.0.0.1", "/ws?token=abc")
    logger.error("Exception in ASGI application\n", exc_info=Known())
    logger.error("Exception in ASGI application\n", exc_info=ValueError())
    assert len(lines()) == 1


def test_setting_up_twice_writes_once(lines: Lines) -> None:
    output = io.StringIO()
    configure_logs(Settings(), stream=output)
    configure_logs(Settings(), stream=output)
    logging.getLogger("spotter.test").info("once")
    assert output.getvalue().count("once") == 1
    assert lines() == []
