"""Notices as NOTIFY payloads, `["sender", number, item, item, ...]`, each within PostgreSQL's 8,000 bytes."""

import json
import logging
from collections.abc import Iterable, Iterator
from typing import Any

from spotter.store.bus.notices import Delta, Highest, Latest, Message, Notice, Resync, ResyncReason

logger = logging.getLogger(__name__)

PAYLOAD_LIMIT = 7_900
_FRAME_ROOM = 64  # sender, number and brackets
ITEM_LIMIT = PAYLOAD_LIMIT - _FRAME_ROOM
# A text this short fits even if each character takes 12 bytes; if it does not, its topic or key is too long.
_UNCUT_TEXT = 200


class PayloadError(ValueError):
    """Not a payload of ours, or of a version that says things we do not know."""


def encode(notice: Notice | Resync) -> list[str]:
    """Items that each fit into one NOTIFY. What cannot travel becomes a mark to re-read its topic."""
    try:
        item = _dump(_fields(notice))
    except (TypeError, ValueError, RecursionError):
        # A caller's bug that the types should have caught; its readers still get their wake-up.
        logger.exception("a notice on %r is no JSON; other processes are only told to re-read", notice.topic)
        return encode(Resync(ResyncReason.MISSED, notice.topic))
    if _size(item) <= ITEM_LIMIT:
        return [item]
    match notice:
        case Delta(text=text) if len(text) > _UNCUT_TEXT:
            return [part for half in _halves(notice) for part in encode(half)]
        case Resync():
            return encode(Resync(ResyncReason.MISSED))
        case _:
            return encode(Resync(ResyncReason.MISSED, notice.topic))


def pack(items: Iterable[str], *, sender: str, numbers: Iterator[int]) -> list[str]:
    """As few payloads as hold the items in order. The number keeps payloads apart: PostgreSQL delivers
    equal ones of a transaction once."""
    payloads: list[str] = []
    group: list[str] = []
    size = 0
    for item in items:
        more = _size(item) + 1
        if group and size + more > ITEM_LIMIT:
            payloads.append(_frame(group, sender, next(numbers)))
            group, size = [], 0
        group.append(item)
        size += more
    if group:
        payloads.append(_frame(group, sender, next(numbers)))
    return payloads


def sender_mark(sender: str) -> str:
    """How every payload of `sender` begins, so that an echo is known without parsing it."""
    return f'["{sender}",'


def greeting(sender: str) -> str:
    """Of somebody who has just begun to listen: a payload that says nothing."""
    return f"{sender_mark(sender)}0]"


def unpack(payload: str) -> list[Notice | Resync]:
    try:
        parsed: Any = json.loads(payload)
    except (ValueError, RecursionError) as error:
        raise PayloadError("not JSON") from error
    match parsed:
        case [str(), int(), *items]:
            return [_item(item) for item in items]
        case _:
            raise PayloadError("not a list of sender, number and items")


def _frame(items: list[str], sender: str, number: int) -> str:
    return f"{sender_mark(sender)}{number},{','.join(items)}]"


def _fields(notice: Notice | Resync) -> list[Any]:
    match notice:
        case Message(topic, payload):
            return ["m", topic, payload]
        case Latest(topic, key, value):
            return ["l", topic, key, value]
        case Highest(topic, key, number):
            return ["h", topic, key, number]
        case Delta(topic, key, offset, text):
            return ["d", topic, key, offset, text]
        case Resync(_, marked):
            return ["r", marked]


def _item(fields: Any) -> Notice | Resync:
    match fields:
        case ["m", str(topic), payload]:
            return Message(topic, payload)
        case ["l", str(topic), str(key), value]:
            return Latest(topic, key, value)
        case ["h", str(topic), str(key), int(number)]:
            return Highest(topic, key, number)
        case ["d", str(topic), str(key), int(offset), str(text)]:
            return Delta(topic, key, offset, text)
        case ["r", None | str() as marked]:
            return Resync(ResyncReason.MISSED, marked)
        case _:
            raise PayloadError("an item of unknown kind")


def _halves(delta: Delta) -> tuple[Delta, Delta]:
    middle = len(delta.text) // 2
    first, second = delta.text[:middle], delta.text[middle:]
    return (
        Delta(delta.topic, delta.key, delta.offset, first),
        Delta(delta.topic, delta.key, delta.offset + middle, second),
    )


def _dump(value: Any) -> str:
    # Plain UTF-8 is half the bytes of \u escapes; only lone surrogates need those.
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":"))
    return text


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())
