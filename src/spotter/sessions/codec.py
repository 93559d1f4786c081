"""Events to text and back. What was written by an older version is brought up to date when it is read."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, TypeAlias

from pydantic import ValidationError
from pydantic_core import from_json

from spotter.errors import SpotterError
from spotter.sessions.events import KINDS, Content, Erased

Upcaster: TypeAlias = Callable[[dict[str, Any]], dict[str, Any]]

# (type, version) → how its content looks one version later. Golden files in the tests keep these honest.
UPCASTERS: Final[dict[tuple[str, int], Upcaster]] = {}

# PostgreSQL's json refuses U+0000 when read as text, and no encoding takes half a surrogate pair.
_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")
_VISIBLE: Final = "\N{REPLACEMENT CHARACTER}"


class UnreadableEvent(SpotterError):
    code = "unreadable_event"
    status = 500
    title = "An event in the log cannot be read"


@dataclass(frozen=True, slots=True)
class Event:
    sequence: int
    at: datetime
    content: Content

    @property
    def type(self) -> str:
        return self.content.event_type


def storable(text: str) -> str:
    """The text with what cannot be stored replaced, visibly."""
    return _UNSTORABLE.sub(_VISIBLE, text)


def dump(content: Content) -> str:
    """Compact, without defaults: most fields of most events are not there."""
    return content.model_dump_json(exclude_defaults=True)


def load(event_type: str, text: str) -> Content:
    kind = KINDS.get(event_type)
    if kind is None:
        raise UnreadableEvent(
            f"Events of type {event_type!r} are not known. Was this written by a newer Spotter?"
        )
    try:
        return kind.model_validate_json(text)
    except ValidationError as error:
        return _load_old(event_type, kind, text, error)


def _load_old(event_type: str, kind: type[Content], text: str, error: ValidationError) -> Content:
    """Rare: only what today's model does not understand gets here, so today's events pay nothing."""
    data = from_json(text)
    if isinstance(data, dict) and data.get("erased") is True:
        return Erased()
    version = data.get("v", 1) if isinstance(data, dict) else 1
    while (upcast := UPCASTERS.get((event_type, version))) is not None:
        data = upcast(data)
        version += 1
        data["v"] = version
    try:
        return kind.model_validate(data)
    except ValidationError:
        raise UnreadableEvent(
            f"An event of type {event_type!r}, version {version}, cannot be read."
        ) from error
