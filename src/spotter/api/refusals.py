"""What the framework refuses, in our words: validation errors and HTTP exceptions as `SpotterError`s."""

from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any, Final

from fastapi.routing import iter_route_contexts
from starlette.exceptions import HTTPException
from starlette.types import Scope

from spotter.errors import (
    BadRequest,
    Conflict,
    Forbidden,
    InvalidInput,
    NotFound,
    PayloadTooLarge,
    PaymentRequired,
    SpotterError,
    TooManyRequests,
    Unauthenticated,
    Unavailable,
)

# --- Validation ------------------------------------------------------------------------------------------

_MAX_ERRORS: Final = 50
_MAX_LOCATION: Final = 200

_MESSAGES: Final = {
    "missing": "This field is required.",
    "extra_forbidden": "This field is not known here.",
    "json_invalid": "The body is not valid JSON.",
    "string_type": "Give a text.",
    "string_unicode": "The text contains characters that are not valid Unicode.",
    "string_too_short": "Give at least {min_length} character(s).",
    "string_too_long": "Give at most {max_length} character(s).",
    "string_pattern_mismatch": "The text does not have the right form ({pattern}).",
    "too_short": "Give at least {min_length} item(s).",
    "too_long": "Give at most {max_length} item(s).",
    "int_type": "Give a whole number.",
    "int_parsing": "Give a whole number.",
    "int_from_float": "Give a whole number.",
    "float_type": "Give a number.",
    "float_parsing": "Give a number.",
    "finite_number": "Give a finite number.",
    "bool_type": "Give true or false.",
    "bool_parsing": "Give true or false.",
    "greater_than": "Give a number greater than {gt}.",
    "greater_than_equal": "Give {ge} or more.",
    "less_than": "Give a number less than {lt}.",
    "less_than_equal": "Give {le} or less.",
    "enum": "Give one of: {expected}.",
    "literal_error": "Give one of: {expected}.",
    "uuid_type": "Give an id (a UUID).",
    "uuid_parsing": "Give an id (a UUID).",
    "list_type": "Give a list.",
    "dict_type": "Give an object.",
    "model_type": "Give an object.",
    "model_attributes_type": "Give an object. Is the Content-Type application/json?",
    "union_tag_invalid": "{discriminator} must be one of: {expected_tags}.",
    "union_tag_not_found": "{discriminator} is required: it says which kind this is.",
    "datetime_parsing": "Give a date and time such as 2026-01-31T08:30:00Z.",
    "datetime_from_date_parsing": "Give a date and time such as 2026-01-31T08:30:00Z.",
    "timezone_aware": "Give the time with its zone, such as 2026-01-31T08:30:00Z.",
    "date_parsing": "Give a date such as 2026-01-31.",
    "date_from_datetime_parsing": "Give a date such as 2026-01-31.",
}


def from_validation_errors(errors: Iterable[Mapping[str, Any]]) -> InvalidInput:
    """Says which fields are wrong and how, never what was in them: a field may hold a password."""
    known = [
        {"loc": _location(error), "message": _message(error), "type": str(error["type"])} for error in errors
    ]
    first = known[0]
    detail = f"{first['loc']}: {first['message']}" if first["loc"] else first["message"]
    if len(known) > 1:
        detail += f" ({len(known) - 1} more in errors.)"
    return InvalidInput(detail, extra={"errors": known[:_MAX_ERRORS]})


def _location(error: Mapping[str, Any]) -> str:
    parts = error["loc"]
    if error["type"] == "json_invalid":
        parts = parts[:1]  # what follows is the position in the text, not a field
    location = ".".join(str(part) for part in parts)
    return location if len(location) <= _MAX_LOCATION else location[:_MAX_LOCATION] + "…"


def _message(error: Mapping[str, Any]) -> str:
    context = error.get("ctx") or {}
    if error["type"] == "json_invalid" and len(error["loc"]) > 1:
        return f"The body is not valid JSON (character {error['loc'][1]})."
    if (template := _MESSAGES.get(error["type"])) is not None:
        return template.format_map(_Blanks(context))
    text = str(error["msg"]).removeprefix("Value error, ").removeprefix("Assertion failed, ")
    text = text.replace("Input should be", "Should be")
    if _echoes(text, error.get("input")):
        return "This value is not valid."
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


class _Blanks(dict[str, object]):
    """So that a context without a value a template names gives a poorer sentence, not an error."""

    def __missing__(self, key: str) -> str:
        return "…"


def _echoes(text: str, value: object) -> bool:
    """A validator's own words may quote the value, or a part of what it stood in."""
    if isinstance(value, Mapping):
        return any(_echoes(text, item) for item in value.values())
    if isinstance(value, list | tuple):
        return any(_echoes(text, item) for item in value)
    if isinstance(value, str | bytes):
        shown = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
        return len(shown) > 1 and shown in text
    return False


# --- HTTP exceptions -------------------------------------------------------------------------------------


class MethodNotAllowedError(SpotterError):
    code = "method_not_allowed"
    status = 405
    title = "This method is not allowed here"


class UnsupportedMediaTypeError(SpotterError):
    code = "unsupported_media_type"
    status = 415
    title = "This kind of content is not understood"


_BY_STATUS: Final[dict[int, type[SpotterError]]] = {
    error.status: error
    for error in (
        BadRequest,
        Unauthenticated,
        PaymentRequired,
        Forbidden,
        NotFound,
        MethodNotAllowedError,
        Conflict,
        PayloadTooLarge,
        UnsupportedMediaTypeError,
        InvalidInput,
        TooManyRequests,
        Unavailable,
    )
}
EVERY_PAGE: Final = "/{path:path}"
_DETAILS: Final = {
    400: "The request could not be read. Is the body valid JSON in UTF-8?",
    404: "There is nothing at this address.",
    405: "This address exists, but not for this method. The Allow header lists those it has.",
}
_FRAMEWORK_TEXTS: Final = {"There was an error parsing the body"}


def from_http_exception(exc: HTTPException, scope: Scope) -> tuple[SpotterError, dict[str, str]]:
    headers = dict(exc.headers or {})
    status = exc.status_code
    if status == 405 and (methods := _allowed_methods(scope)):
        headers["Allow"] = ", ".join(sorted(methods))
    text = str(exc.detail)
    if not text or text in _FRAMEWORK_TEXTS or text == _phrase(status):
        text = _DETAILS.get(status) or f"{_phrase(status)}."
    return _error_class(status)(text), headers


def _error_class(status: int) -> type[SpotterError]:
    if (known := _BY_STATUS.get(status)) is not None:
        return known
    phrase = _phrase(status)
    code = phrase.lower().replace(" ", "_").replace("-", "_").replace("'", "")
    made = type("HttpError", (SpotterError,), {"code": code, "status": status, "title": phrase})
    return _BY_STATUS.setdefault(status, made)


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return f"HTTP {status}"


def _allowed_methods(scope: Scope) -> set[str]:
    """Of every route at this path; the framework names only those of the first one it met."""
    methods: set[str] = set()
    app = scope.get("app")
    if app is None or scope["type"] != "http":
        return methods
    path = scope["path"].removeprefix(scope.get("root_path", ""))
    for context in iter_route_contexts(app.routes):
        pattern = getattr(context, "path_regex", None)
        if getattr(context, "path", None) == EVERY_PAGE:
            continue  # the web app's: it leaves this address alone
        if context.methods and pattern is not None and pattern.match(path):
            methods |= context.methods
    return methods
