"""What the small language model hears in a message, brought to the classes of the weights."""

from collections.abc import Mapping
from typing import Final

from spotter.language import Heard, encoder
from spotter.offline.understanding.dialogue import Table
from spotter.offline.understanding.intents import Intent
from spotter.offline.understanding.text import LONGEST_TEXT, flattened
from spotter.offline.understanding.weighing.model import MIXED

_NOTHING, _WORKOUT, _SCHEDULED, _QUESTION = range(4)
_LAST: Final[Mapping[Intent, int]] = {
    Intent.SWAP: 5,
    Intent.REMOVE: 5,
    Intent.EXPLAIN: 6,
    Intent.WHY: 6,
    Intent.MORE_OF: 7,
    Intent.LESS_OF: 7,
}
_LEAST: Final = 0.003
"""What the model cannot rule out: it has not met everything either."""
_ALARM: Final = 0.5
_CERTAIN: Final = 0.9
_ALARMING: Final = ("medical_emergency", "self_harm", "eating_disorder")


def marks_of(table: Table) -> list[int]:
    """What is on the table, in the marks the model was taught."""
    found = [_WORKOUT] if table.workout else []
    found += [_SCHEDULED] if table.scheduled else []
    found += [_QUESTION] if table.question else []
    found = found or [_NOTHING]
    if table.workout and table.last is not None and table.last in _LAST:
        found.append(_LAST[table.last])
    return found


def heard_in(text: str, table: Table) -> Heard:
    return encoder().hear(flattened(text), marks_of(table))


def is_alarm(text: str, heard: Heard) -> bool:
    """Whether a message tells of something that is no matter for a coach. Two readings must agree: of its pieces, and,
    where those say so, of the whole."""
    mean = heard.within(0, LONGEST_TEXT)
    if mean is None or mean[encoder().intents.index(Intent.RED_FLAG)] < _ALARM:
        return False
    about = encoder().about_text(flattened(text))
    return max(about[name] for name in _ALARMING) >= _CERTAIN


def likely_in(heard: Heard, start: int, end: int) -> dict[str, float]:
    """By class, for a stretch of the message; nothing where it holds no word."""
    mean = heard.within(start, end)
    if mean is None:
        return {}
    found = dict(zip(encoder().intents, mean.tolist(), strict=True))
    found[MIXED] = 1.0 - max(found.values())
    return {name: max(each, _LEAST) for name, each in found.items()}
