"""Text that every provider can take: no lone surrogates, no NUL, ids and names within their alphabets.

What is replaced stays visible (`�`, `␀`), so nobody wonders where a character went.
"""

import hashlib
import json
import re

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode

_ID = re.compile(r"[A-Za-z0-9_-]{1,40}")
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_FOREIGN = re.compile(r"[^A-Za-z0-9_-]")
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_HIGH = ("\ud800", "\udbff")


def clean(text: str) -> str:
    """The same text, with what cannot be sent or stored replaced visibly."""
    if "\x00" in text:
        text = text.replace("\x00", "␀")
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        # By way of UTF-16 so that two halves that belong together become one character again.
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def json_text(text: str) -> bytes:
    """A JSON string, quotes included."""
    return _encode(clean(text)).encode()


def json_bytes(value: object) -> bytes:
    """Any JSON value, compact; strings inside are cleaned when they have to be."""
    encoded = _encode(value)
    try:
        return encoded.encode()
    except UnicodeEncodeError:
        return clean(encoded).encode()


class Mender:
    """Cleans a streamed text whose chunks may cut a character in two halves."""

    __slots__ = ("_half",)

    def __init__(self) -> None:
        self._half = ""

    def feed(self, chunk: str) -> str:
        if not self._half and chunk.isascii() and "\x00" not in chunk:
            return chunk
        chunk = self._half + chunk
        self._half = ""
        if chunk and _HIGH[0] <= chunk[-1] <= _HIGH[1]:
            self._half = chunk[-1]
            chunk = chunk[:-1]
        return clean(chunk)

    def rest(self) -> str:
        """What is left when the stream ends: a half that never met its other half."""
        half, self._half = self._half, ""
        return clean(half)


def wire_id(call_id: str) -> str:
    """A call id that every provider accepts; ids they made themselves pass unchanged."""
    if _ID.fullmatch(call_id):
        return call_id
    # A digest keeps two ids apart that differ only in what is replaced.
    digest = hashlib.sha256(call_id.encode("utf-8", "surrogatepass")).hexdigest()[:10]
    return f"{_FOREIGN.sub('_', call_id)[:29]}_{digest}"


def wire_name(name: str) -> str:
    """A tool name that may stand in a history. Models invent names; a history that quotes one must stay legal."""
    if _NAME.fullmatch(name):
        return name
    return _FOREIGN.sub("_", name)[:64] or "unnamed"


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


def json_object(raw: str) -> bytes:
    """Raw tool arguments as a JSON object: spliced as they are when they are one, otherwise wrapped.

    For providers that want an object where the model may have written anything.
    """
    if not raw.strip():
        return b"{}"
    try:
        value = json.loads(raw, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return b'{"_invalid":' + json_text(raw) + b"}"
    if not isinstance(value, dict):
        return b'{"_invalid":' + json_text(raw) + b"}"
    if _SURROGATE_ESCAPE.search(raw) and not _sendable(value):
        return json_bytes(cleaned(value))
    return clean(raw).strip().encode()


def _sendable(value: object) -> bool:
    try:
        _encode(value).encode()
    except UnicodeEncodeError:
        return False
    return True


def cleaned(value: object) -> object:
    """A JSON value with every string in it cleaned."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(str(key)): cleaned(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [cleaned(item) for item in value]
    return value
