"""Changes to sets, and timers."""

import re
from typing import Final

from spotter.offline.understanding.grammar import pattern
from spotter.offline.understanding.reading import Line
from spotter.offline.understanding.slots import Adjustment, Direction, Timer
from spotter.offline.understanding.tags import Kind, Tag

_AMOUNTS: Final = (Kind.SETS, Kind.REPS, Kind.NSETS, Kind.WEIGHT, Kind.DUR, Kind.DIST, Kind.RPE, Kind.NUM)

_REST: Final = pattern("setlogs.rest")
_WEIGHT: Final = pattern("setlogs.weight")
_LESS: Final = pattern("setlogs.less")
_MORE: Final = pattern("setlogs.more")
_INSTEAD: Final = pattern("setlogs.instead")
_CHANGES_BY: Final = pattern("setlogs.changes_by")


def adjustments_in(line: Line) -> list[Adjustment]:
    old = {tag for match in _INSTEAD.finditer(line.text) for tag in line.tags_in(match)}
    tags = [tag for tag in line.tags(*_AMOUNTS) if tag not in old]
    if any(tag.kind is not Kind.NUM for tag in tags):
        # "I only own a 16, set them to 16 kg": an amount with a unit says what is meant.
        tags = [tag for tag in tags if tag.kind is not Kind.NUM]
    elif len(tags) > 1 and _what(line) is None:
        tags = tags[-1:]  # "twelve is a lot, eight would do"
    change = (
        Direction.LESS if _LESS.search(line.text) else Direction.MORE if _MORE.search(line.text) else None
    )
    relative = bool(_CHANGES_BY.search(line.text))
    found: list[Adjustment] = []
    for tag in tags:
        found += _adjustment(tag, line, _direction(tag, line) or (change if relative else None))
    if found and (heavier := _HEAVIER.search(line.text)) and all(each.what != "weight_kg" for each in found):
        found.append(Adjustment("weight_kg", None, Direction.MORE if heavier["more"] else Direction.LESS))
    what = _what(line)
    if not found and change is not None and what:
        found.append(Adjustment(what, None, change))
    return found


def _of_a_number(tag: Tag) -> str | None:
    """ "Eight would do" is said of repetitions, "up 2.5" of kilograms."""
    if tag.amount != round(tag.amount):
        return "weight_kg"
    return "reps" if 1 <= tag.amount <= _MOST_REPS else None


_MOST_REPS: Final = 50


def _direction(tag: Tag, line: Line) -> Direction | None:
    """ "Two more reps"."""
    said = {token.word for token in line.tokens[tag.first : tag.end]}
    if said & {"more", "extra", "additional"}:
        return Direction.MORE
    return Direction.LESS if said & {"fewer", "less"} else None


_HEAVIER: Final = re.compile(r"\b(?:(?P<more>heavier|more weight)|lighter|less weight)\b")
_A_SET: Final = re.compile(r"\b(?:one|an?|another|extra|more|fewer|less|last|per|each|\S+/NUM) set\b")


def _what(line: Line) -> str | None:
    words = [unit.word for unit in line.units]
    if _REST.search(line.text):
        return "rest_seconds"
    if "reps" in words:
        return "reps"
    if {"hold", "holds", "holding"} & set(words):
        return "seconds"
    if {"sets", "round", "rounds", "volume"} & set(words) or _A_SET.search(line.text):
        return "sets"
    return "weight_kg" if _WEIGHT.search(line.text) else None


def _adjustment(tag: Tag, line: Line, change: Direction | None) -> list[Adjustment]:
    if tag.kind is Kind.SETS:
        done = "seconds" if tag.value == "s" else "reps"
        return [Adjustment("sets", tag.sets), Adjustment(done, tag.high or tag.amount)]
    named = {
        Kind.NSETS: "sets",
        Kind.REPS: "reps",
        Kind.WEIGHT: "weight_kg",
        Kind.NUM: _what(line) or _of_a_number(tag),
    }
    named[Kind.DUR] = "rest_seconds" if _REST.search(line.text) else "seconds"
    what = named.get(tag.kind)
    return [Adjustment(what, round(tag.amount, 2), change)] if what else []


_TIMES: Final = pattern("setlogs.times")
_SLASHED: Final = re.compile(r"\S+/NUM _ \S+/NUM")
_WORK_FOR: Final = pattern("setlogs.work_for")
_REST_FOR: Final = pattern("setlogs.rest_for")


def _amount(line: Line, match: re.Match[str] | None) -> int | None:
    found = line.tags_in(match, Kind.DUR, Kind.NUM) if match else []
    return round(found[0].amount) if found else None


def timer_in(line: Line) -> Timer | None:
    text = line.text
    rounds = next((int(tag.amount) for tag in line.tags(Kind.NSETS)), None)
    slashed = _SLASHED.search(text)
    pair = line.tags_in(slashed, Kind.NUM) if slashed else []
    for times in _TIMES.finditer(text) if rounds is None else ():
        rounds = next((int(tag.amount) for tag in line.tags_in(times, Kind.NUM) if tag not in pair), rounds)
    if slashed:
        first, second = (round(tag.amount) for tag in line.tags_in(slashed, Kind.NUM)[:2])
        return Timer(work=first, rest=second, rounds=rounds)
    work, rest = _WORK_FOR.search(text), _REST_FOR.search(text)
    on = _amount(line, work)
    off = _amount(line, rest)
    lengths = [round(tag.amount) for tag in line.tags(Kind.DUR)]
    timed = line.tags(Kind.SETS)
    if timed and timed[0].value == "s":
        rounds, on = timed[0].sets, round(timed[0].amount)
    if on is None and off is not None and lengths and lengths[0] != off:
        on = lengths[0]  # "every 45 seconds with 15 rest"
    if on is not None:
        return Timer(work=on, rest=off if off != on or len(_counted(line)) > 1 else None, rounds=rounds)
    if "tabata" in text:
        return Timer(work=20, rest=10, rounds=8)
    if lengths:
        return Timer(seconds=lengths[0], rounds=rounds)
    return _lone_number(line, rounds)


def _counted(line: Line) -> list[Tag]:
    return [tag for tag in line.tags(Kind.DUR, Kind.NUM) if tag.amount >= _FEW]


_FEW: Final = 10


def _lone_number(line: Line, rounds: int | None) -> Timer | None:
    """ "Timer 30" is in seconds; few of them would be minutes."""
    numbers = [round(tag.amount) for tag in line.tags(Kind.NUM) if round(tag.amount) != rounds]
    if len(numbers) == 1:
        return Timer(seconds=numbers[0] if numbers[0] >= _FEW else numbers[0] * 60, rounds=rounds)
    return Timer(rounds=rounds) if rounds else None
