"""Logs: one line per event, as JSON for machines or as short text on a terminal.

Every text that leaves is redacted and has its control characters escaped, whoever wrote it: secrets must
not reach a log, and nobody may forge a line in it.
"""

import json
import logging
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Final, TextIO

from typing_extensions import override

from spotter.settings import Settings

correlation_id: ContextVar[str | None] = ContextVar("correlation_id", default=None)
log_context: ContextVar[Mapping[str, object]] = ContextVar("log_context", default=MappingProxyType({}))


@contextmanager
def bind_log_context(**fields: object) -> Iterator[None]:
    """Adds `fields` to every line logged inside, also by what is called. Ends with the block."""
    token = log_context.set({**log_context.get(), **fields})
    try:
        yield
    finally:
        log_context.reset(token)


def add_log_context(**fields: object) -> None:
    """Adds `fields` until the enclosing `bind_log_context` ends: for those that have no block to wrap."""
    log_context.set({**log_context.get(), **fields})


# --- Redaction -------------------------------------------------------------------------------------------

REDACTED: Final = "[redacted]"

_MAX_TEXT: Final = 16_384
_MAX_DEPTH: Final = 6

_SENSITIVE: Final = (
    r"(?:proxy-)?authorization|(?:set-)?cookie|x-api-key|api[_-]?key|password|passwd|pgpassword|client_secret"
    r"|secret(?:_key)?|(?:access|refresh|id|metrics)_token"
)

# One pass over the text. Groups `keep…` stay, the rest of the match goes; a match without one goes whole.
_SECRETS: Final = re.compile(
    # name: value, name=value, {'name': 'value'}, (b'name', b'scheme value'); the value ends where it must
    rf"(?P<keep1>\b(?:{_SENSITIVE})\b\\?['\"]?\s*[:=,]\s*(?:b(?=['\"]))?\\?['\"]?"
    r"(?:(?:basic|bearer|digest|negotiate|token)\s+)?)[^\s'\",;&)}\\]+"
    r"|(?P<keep2>\bbearer\s+)[a-z0-9._~+/=-]{8,}"
    # our own tokens, provider keys, anything shaped like a JWT
    r"|\bsp[krli]_[a-z0-9_.-]{4,}|\bsk-[a-z0-9_-]{16,}|\bek_[a-z0-9_-]{12,}"
    r"|(?<![a-z0-9_-])eyj[a-z0-9_-]{4,}\.[a-z0-9_-]+(?:\.[a-z0-9_-]*)?"
    # scheme://user:password@host. Greedy to the last @ before the path: passwords contain @ and : too
    r"|(?P<keep3>://[^\s:/@]{0,200}:)[^\s/]+(?=@)",
    re.IGNORECASE,
)
# What databases and validators quote of a value they refuse: somebody's data, whatever it looks like.
_QUOTED: Final = re.compile(
    r"(?P<keep1>\bDETAIL:\s+|\bJSON data, line \d+: )[^\n]+"
    r"|(?P<keep2>\binput_value=).+?(?=, input_type=)"
    r"|(?P<keep3>\[parameters: )[^\n]+(?=\])",
    re.DOTALL,
)
_QUOTES: Final = ("DETAIL:", "JSON data, line ", "input_value=", "[parameters: ")
# Most texts contain none of these and need no search at all: 1 µs instead of 40.
_HINTS: Final = (
    *("authorization", "bearer", "cookie", "key", "passw", "secret", "_token"),
    *("spk_", "spr_", "spl_", "spi_", "sk-", "ek_", "eyj", "://"),
)
_SECRET_KEY: Final = re.compile(rf"(?:\w+[_-])?(?:{_SENSITIVE})", re.IGNORECASE)

Redactor = Callable[[str], str]
_more_redactors: list[Redactor] = []


def register_redactor(redactor: Redactor) -> None:
    """A further rule, run after the built-in ones on every text that is logged. Registered again, it runs once."""
    if redactor not in _more_redactors:
        _more_redactors.append(redactor)


def _keep_the_name(match: re.Match[str]) -> str:
    return (match["keep1"] or match["keep2"] or match["keep3"] or "") + REDACTED


def redact(text: str) -> str:
    lowered = text.lower()
    if any(hint in lowered for hint in _HINTS):
        text = _SECRETS.sub(_keep_the_name, text)
    if any(quote in text for quote in _QUOTES):
        text = _QUOTED.sub(_keep_the_name, text)
    for redactor in _more_redactors:
        text = redactor(text)
    return text


def _clean(value: object, depth: int = 0) -> object:
    """A value that is safe to write: redacted, bounded, and made of JSON types only."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, Mapping) and depth < _MAX_DEPTH:
        return {
            _text(key): REDACTED if _SECRET_KEY.fullmatch(str(key)) else _clean(item, depth + 1)
            for key, item in value.items()
        }
    if isinstance(value, list | tuple | set | frozenset) and depth < _MAX_DEPTH:
        return [_clean(item, depth + 1) for item in value]
    return _text(value)


def _text(value: object) -> str:
    text = value if isinstance(value, str) else str(value)
    if len(text) > _MAX_TEXT:
        text = text[:_MAX_TEXT] + f"… ({len(text) - _MAX_TEXT} more characters)"
    return redact(text)


# --- Formats ---------------------------------------------------------------------------------------------

_STANDARD: Final = frozenset(logging.makeLogRecord({}).__dict__) | {
    "asctime",
    "color_message",  # uvicorn's copy of the message with terminal colours
    "message",
    "taskName",
}


def _message(record: logging.LogRecord) -> str:
    try:
        return _text(record.getMessage())
    except (TypeError, ValueError, KeyError) as error:  # arguments that do not fit the format
        return _text(f"{record.msg} (could not be formatted: {error})")


def _extra(record: logging.LogRecord) -> dict[str, object]:
    named = {**log_context.get(), **record.__dict__}
    fields = {key: value for key, value in named.items() if key not in _STANDARD}
    cleaned = _clean(fields)
    assert isinstance(cleaned, dict)
    return cleaned


def _time(record: logging.LogRecord) -> datetime:
    return datetime.fromtimestamp(record.created, UTC)


class JsonFormatter(logging.Formatter):
    """One JSON object per line. ASCII only: no character of a message can end or disguise the line."""

    @override
    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "time": _time(record).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "level": record.levelname,
            "logger": record.name,
            "message": _message(record),
            "correlation_id": correlation_id.get(),
            "org_id": None,
            "user_id": None,
        }
        own = frozenset(line) - {"correlation_id", "org_id", "user_id"}
        line.update((key, value) for key, value in _extra(record).items() if key not in own)
        if record.exc_info and record.exc_info[1] is not None:
            error = record.exc_info[1]
            line["exception"] = {
                "type": type(error).__qualname__,
                "message": _text(error),
                "traceback": _text("".join(traceback.format_exception(error))),
            }
        if record.stack_info:
            line["stack"] = _text(record.stack_info)
        return json.dumps(line, default=str)


_COLOURS: Final = {"DEBUG": "2", "INFO": "36", "WARNING": "33", "ERROR": "31", "CRITICAL": "1;31"}


def _escape(text: str) -> str:
    """Whatever is not plainly visible (controls, line ends, bidi marks, zero widths, tags) is spelled out."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


class TextFormatter(logging.Formatter):
    """`12:30:01 INFO  message  key=value`, for people at a terminal."""

    def __init__(self, *, colour: bool) -> None:
        super().__init__()
        self._colour = colour

    @override
    def format(self, record: logging.LogRecord) -> str:
        level = self._paint(f"{record.levelname:<7}", _COLOURS.get(record.levelname, "0"))
        fields = {"correlation_id": correlation_id.get(), **_extra(record)}
        details = " ".join(
            f"{_escape(key)}={_escape(str(value))}" for key, value in fields.items() if value is not None
        )
        clock = self._paint(f"{_time(record).astimezone():%H:%M:%S}", "2")
        line = f"{clock} {level} {_escape(_message(record))}"
        if details:
            line += "  " + self._paint(details, "2")
        if record.exc_info and record.exc_info[1] is not None:
            # Indented, so that no line of an exception's text can pass for a log line.
            text = _text("".join(traceback.format_exception(record.exc_info[1])))
            line += "".join(f"\n    {_escape(part)}" for part in text.split("\n") if part)
        return line

    def _paint(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self._colour else text


# --- Set-up ----------------------------------------------------------------------------------------------


# Not even at debug level: httpx logs each address it calls, with its query; what the providers' clients log of a
# conversation is theirs to change with each version.
TALKATIVE: Final = (
    *("httpx", "httpx2", "httpcore", "httpcore2", "openai", "anthropic"),
    *("asyncio", "alembic", "procrastinate"),
)


class _Handler(logging.StreamHandler[TextIO]):
    """Ours, so that setting up again replaces it and leaves handlers of others (a test runner's) alone."""


def _not_known_already(record: logging.LogRecord) -> bool:
    """Drops what uvicorn says again: WebSocket lines (they show the query string, so tokens), and the
    exceptions our own middleware has logged with the correlation id."""
    if isinstance(record.msg, str) and record.msg.startswith('%s - "WebSocket'):
        return False
    error = record.exc_info[1] if record.exc_info else None
    return not getattr(error, "already_logged", False)


def configure_logs(settings: Settings, *, stream: TextIO | None = None) -> None:
    """Sends everything through one handler. Start uvicorn with `log_config=None` or it undoes this."""
    output = stream or sys.stderr
    as_text = settings.log_format == "text" or (settings.log_format == "auto" and output.isatty())
    handler = _Handler(output)
    if as_text:
        handler.setFormatter(TextFormatter(colour=output.isatty() and "NO_COLOR" not in os.environ))
    else:
        handler.setFormatter(JsonFormatter())

    root = logging.getLogger()
    for old in [old for old in root.handlers if isinstance(old, _Handler)]:
        root.removeHandler(old)
    root.addHandler(handler)
    root.setLevel(settings.log_level)

    for name in ("uvicorn", "uvicorn.error", "uvicorn.asgi", "procrastinate"):
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True
        logger.setLevel(logging.NOTSET)
    error_logger = logging.getLogger("uvicorn.error")
    error_logger.removeFilter(_not_known_already)
    error_logger.addFilter(_not_known_already)

    # We log requests ourselves, without the query string.
    logging.getLogger("uvicorn.access").disabled = True
    for name in TALKATIVE:
        logging.getLogger(name).setLevel(logging.WARNING)
