"""Personal data and secrets in a text, and the text without them.

What has a check digit is checked (cards, IBANs); what has none needs its shape or a word that announces it, because
a gym is full of numbers: sets, loads, times, dates.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import Final

from spotter.safety.findings import merged
from spotter.safety.normalise import Normalised, normalise
from spotter.safety.personal_search import LOOKS, views_of
from spotter.safety.phones import DEFAULT_REGIONS, phone_spans

_FEWEST_OF_A_PHONE: Final = 7
_DIGIT_RUNS: Final = re.compile(r"\d")
_APART: Final = frozenset(" \t\n([\"':=")
_ENDED: Final = frozenset(" \t\n)]\"',;")
_LOG_KINDS: Final = frozenset(
    {"private key", "secret", "email", "social security number", "iban", "card", "phone"}
)
_NOT_SECRET: Final = re.compile(
    r"(?i)(?:wrong|right|correct|incorrect|not|the|a|an|my|your|it|that|too|very|really|same|secure|safe"
    r"|strong|weak|needed|required|expired|invalid|working|broken|gone|lost|important|key|forgotten|reset"
    r"|changed|being|always|just|still|ready|on|in|to|for|one|hard|easy|short|long|stored|here|there|what"
    r"|none|null|true|false|unknown|sent|coming|\[.*|\*+|x+|…|never|where|how|when|this|now|used|everything"
    r"|progress|patience|consistency|protein|sleep|simple|good|about|better)[.!?)]*$"
)


@dataclass(frozen=True, slots=True)
class Found:
    kind: str
    start: int
    end: int
    crowded: bool = False
    """Something else could have been read in the same place."""


def personal_data(
    text: Normalised, regions: Iterable[str] = DEFAULT_REGIONS, kinds: Collection[str] | None = None
) -> list[Found]:
    """Where it is in the original text. Overlaps are resolved in favour of the kind that is named first above."""
    plain = text.plain
    taken: list[Found] = []
    for kind, start, end in _candidates(plain, views_of(plain), regions, kinds):
        first, last = text.span(start, end)
        if first >= last:
            continue
        over = [at for at, other in enumerate(taken) if first < other.end and other.start < last]
        for at in over:
            taken[at] = replace(taken[at], crowded=True)
        if not over:
            taken.append(Found(kind, first, last))
    return sorted(taken, key=lambda found: found.start)


def _candidates(
    plain: str, views: Mapping[str, str], regions: Iterable[str], kinds: Collection[str] | None
) -> Iterator[tuple[str, int, int]]:
    digits = views["shape"].count("0")
    starts: list[int] = []
    for look in LOOKS:
        kind = look.kind
        if (kinds is not None and kind not in kinds) or digits < _NUMERIC.get(kind, 0):
            continue
        for found in look.matches(plain, views[look.hints.view], starts):
            start, end = found.span(look.group)
            if kind in _CHECKED:
                end = _longest_valid(plain, start, end, _CHECKED[kind])
            if end > start and _holds(kind, plain[start:end], announced=look.announced):
                yield kind, start, end
    if digits >= _FEWEST_OF_A_PHONE and (kinds is None or "phone" in kinds):
        for start, end in phone_spans(plain, tuple(regions)):
            yield "phone", start, end


_NUMERIC: Final = {
    "social security number": 9, "national insurance number": 6, "id number": 5, "national id": 7, "date of birth": 5,
    "iban": 10, "card": 13, "ip address": 2, "address": 1,
}  # fmt: skip


def _holds(kind: str, value: str, *, announced: bool) -> bool:
    match kind:
        case "ip address":
            return _is_address(value)
        case "secret" if announced:
            return _NOT_SECRET.match(value) is None and not value.startswith("[")
        case "email":
            return not value.startswith("@") and ".." not in value
        case _:
            return True


def _digits(value: str) -> str:
    return "".join(character for character in value if character.isdigit())


def luhn(digits: str) -> bool:
    total = 0
    for index, digit in enumerate(reversed(digits)):
        number = int(digit)
        if index % 2:
            number = number * 2 - 9 if number > 4 else number * 2
        total += number
    return total % 10 == 0


def _is_card(value: str) -> bool:
    digits = _digits(value)
    return 13 <= len(digits) <= 19 and digits[0] in "23456" and len(set(digits)) > 1 and luhn(digits)


def is_iban(value: str) -> bool:
    """Mod 97 over letters as numbers (ISO 7064); lengths differ by country, the check digits do not."""
    compact = re.sub(r"[ -]", "", value).upper()
    if not 15 <= len(compact) <= 34 or not compact.isascii():
        return False
    turned = compact[4:] + compact[:4]
    return int("".join(str(int(character, 36)) for character in turned)) % 97 == 1


_CHECKED: Final[dict[str, Callable[[str], bool]]] = {"card": _is_card, "iban": is_iban}


def _longest_valid(plain: str, start: int, end: int, valid: Callable[[str], bool]) -> int:
    """What follows a number may look like more of it: back to where its check digits are right, or to nothing."""
    for stop in range(end, start, -1):
        whole = stop == len(plain) or not (plain[stop].isalnum() and plain[stop - 1].isalnum())
        if whole and plain[stop - 1].isalnum() and valid(plain[start:stop]):
            return stop
    return start


def _is_address(value: str) -> bool:
    try:
        return (
            IPv4Address(value).packed[0] != 0 if ":" not in value else IPv6Address(value).compressed != "::"
        )
    except AddressValueError:
        return False


# --- Redaction -------------------------------------------------------------------------------------------

_SHORTEST_REPEAT: Final = 5


def placeholder(kind: str) -> str:
    return f"[{kind}]"


def redact(
    text: str, found: Iterable[Found], regions: Iterable[str] = DEFAULT_REGIONS, allowed: Collection[str] = ()
) -> str:
    """Without what was found, wherever it stands again, and without what only shows once the rest is gone."""
    result, regions, found = text, tuple(regions), list(found)
    for _ in range(8):
        if not found:
            break
        apart = all(_stands_apart(result, one) for one in found)
        result = redact_once(result, found)
        if apart and len(_DIGIT_RUNS.findall(result)) < _FEWEST_OF_A_PHONE:
            break  # nothing was hidden by what is gone: too few digits are left for another number
        seen = normalise(result)
        found = not_allowed(seen, personal_data(seen, regions), allowed)
    return result


def _stands_apart(text: str, one: Found) -> bool:
    """Whether nothing that touches it could be read differently without it."""
    before = one.start == 0 or text[one.start - 1] in _APART
    after = text[one.end : one.end + 2]
    ended = not after or after[0] in _ENDED or (after[0] in ".!?" and not after[1:].strip())
    return before and ended and not one.crowded


def not_allowed(text: Normalised, found: list[Found], allowed: Collection[str]) -> list[Found]:
    """Without what may be shown: the reader's own."""
    if not allowed:
        return found
    known = {_compact(value) for value in allowed}
    return [one for one in found if _compact(text.original[one.start : one.end]) not in known]


def _compact(value: str) -> str:
    return "".join(character for character in value.lower() if character.isalnum())


def redact_once(text: str, found: list[Found]) -> str:
    spans = {(one.start, one.end): one.kind for one in found}
    for one in found:
        value = text[one.start : one.end]
        at = text.find(value) if len(value) >= _SHORTEST_REPEAT else -1
        while at >= 0:
            spans.setdefault((at, at + len(value)), one.kind)
            at = text.find(value, at + len(value))
    pieces: list[str] = []
    position = 0
    for start, end in merged(spans):
        kind = next(kind for (first, last), kind in spans.items() if first < end and start < last)
        pieces += (text[position:start], placeholder(kind))
        position = end
    return "".join(pieces) + text[position:]


_LOG_HINT: Final = re.compile(
    r"@|\d[\d ().-]{7,}\d|-----BEGIN|[A-Za-z]{2}\d{2}[ \dA-Za-z]|_live_|_test_|AKIA|gh[pousr]_|pat[-_]|xox"
    r"|AIza|pass|pin|secret|token|key",
    re.IGNORECASE,
)
_UUID: Final = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", re.IGNORECASE)


def redact_for_logs(text: str) -> str:
    """For `spotter.logs.register_redactor`: personal data and secrets, but no machines' addresses, no ids of ours."""
    if _LOG_HINT.search(text) is None:
        return text
    # Our own ids are numbers too, and logs are useless without them.
    ids = [found.span() for found in _UUID.finditer(text)]
    found = [
        one
        for one in personal_data(normalise(text), kinds=_LOG_KINDS)
        if not any(start < one.end and one.start < end for start, end in ids)
    ]
    return redact_once(text, found) if found else text
