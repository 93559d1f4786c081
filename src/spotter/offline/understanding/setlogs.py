"""Sets as people type them, changes to sets, and timers."""

import re
from dataclasses import dataclass, field, replace
from typing import Final

from spotter.offline.understanding.grammar import pattern
from spotter.offline.understanding.reading import Line
from spotter.offline.understanding.slots import Adjustment, Direction, LoggedSet, SetLog, Span, Timer
from spotter.offline.understanding.tags import Kind, Tag

_MOST_SETS: Final = 50
_LIKELY_WEIGHT: Final = 20
_FELT_LIKE: Final = pattern("setlogs.felt_like")
_EACH_SIDE: Final = pattern("setlogs.each_side")
_AMOUNTS: Final = (Kind.SETS, Kind.REPS, Kind.NSETS, Kind.WEIGHT, Kind.DUR, Kind.DIST, Kind.RPE, Kind.NUM)


@dataclass
class _Entry:
    exercise: Tag | None = None
    tags: list[Tag] = field(default_factory=list)

    def of(self, *kinds: Kind) -> list[Tag]:
        return [tag for tag in self.tags if tag.kind in kinds]


def logs_in(line: Line) -> list[SetLog]:
    felt = [tag for match in _FELT_LIKE.finditer(line.text) for tag in line.tags_in(match, Kind.NUM)]
    entries = _entries(line, felt)
    each_side = bool(_EACH_SIDE.search(line.text))
    found = []
    for entry in entries:
        sets = _sets(entry)
        if sets:
            tags = [*entry.tags, *([entry.exercise] if entry.exercise else [])]
            first, last = min(tags, key=lambda tag: tag.first), max(tags, key=lambda tag: tag.end)
            span = Span(line.span_of(first).start, line.span_of(last).end)
            found.append(SetLog(entry.exercise.value if entry.exercise else None, sets, each_side, span))
    return found


def _entries(line: Line, felt: list[Tag]) -> list[_Entry]:
    entries = [_Entry()]
    for at, unit in enumerate(line.units):
        tag = unit.tag
        if tag is None:
            continue
        current = entries[-1]
        if tag in felt:
            current.tags.append(replace(tag, kind=Kind.RPE))
        elif tag.kind is Kind.EXERCISE:
            if current.exercise and current.tags:
                entries.append(current := _Entry())
            current.exercise = tag
        elif tag.kind in _AMOUNTS:
            again = tag.kind in {Kind.SETS, Kind.NSETS} and current.of(Kind.SETS, Kind.NSETS)
            if current.exercise and current.tags and _leads(line, at):
                again = [tag]
            if again and current.exercise:
                entries.append(current := _Entry())
            current.tags.append(tag)
    return entries


def _leads(line: Line, at: int) -> bool:
    """ "… and a 60 second plank": the amount belongs to what follows."""
    before = [unit.word for unit in line.units[max(0, at - 2) : at]]
    after = next((unit.tag for unit in line.units[at + 1 : at + 3] if unit.tag), None)
    return (
        bool({"and", ",", "then", "plus", "&"} & set(before))
        and after is not None
        and after.kind is Kind.EXERCISE
    )


def _sets(entry: _Entry) -> tuple[LoggedSet, ...]:
    base = LoggedSet()
    if weight := entry.of(Kind.WEIGHT):
        base = replace(base, weight_kg=round(weight[0].amount, 2))
    if rpe := entry.of(Kind.RPE):
        base = replace(base, rpe=rpe[0].amount)
    if distance := entry.of(Kind.DIST):
        base = replace(base, metres=round(distance[0].amount))
    numbers = entry.of(Kind.NUM)
    if whole := entry.of(Kind.SETS):
        return _from_sets(whole, base, numbers, entry)
    count = int(entry.of(Kind.NSETS)[0].amount) if entry.of(Kind.NSETS) else 1
    if reps := entry.of(Kind.REPS):
        base = replace(base, reps=int(reps[0].amount))
    elif len(numbers) > 1 and numbers[0].amount >= _LIKELY_WEIGHT and numbers[0].amount > numbers[1].amount:
        # "140 for 5": the heavier number is the weight.
        base = replace(base, weight_kg=base.weight_kg or numbers[0].amount, reps=int(numbers[1].amount))
        numbers = numbers[2:]
    elif numbers and (entry.exercise or base.weight_kg) and not base.metres:
        base = replace(base, reps=int(numbers[0].amount))
        numbers = numbers[1:]
    if base.weight_kg is None and numbers and base.reps is not None and numbers[0].amount > 10:
        base = replace(base, weight_kg=numbers[0].amount)
    if duration := entry.of(Kind.DUR):
        base = replace(base, seconds=round(duration[0].amount))
    if base == LoggedSet() or (
        base.reps is None and base.seconds is None and base.metres is None and not entry.exercise
    ):
        return ()
    return (base,) * max(1, min(count, _MOST_SETS))


def _from_sets(whole: list[Tag], base: LoggedSet, numbers: list[Tag], entry: _Entry) -> tuple[LoggedSet, ...]:
    if base.weight_kg is None and numbers:
        base = replace(base, weight_kg=numbers[0].amount)
    done: list[LoggedSet] = []
    for tag in whole:
        for at in range(min(tag.sets, _MOST_SETS)):
            amount = int(tag.each[at] if tag.each else tag.amount)
            done.append(replace(base, seconds=amount) if tag.value == "s" else replace(base, reps=amount))
    return tuple(done[:_MOST_SETS])


_REST: Final = pattern("setlogs.rest")
_WEIGHT: Final = pattern("setlogs.weight")
_LESS: Final = pattern("setlogs.less")
_MORE: Final = pattern("setlogs.more")
_INSTEAD: Final = pattern("setlogs.instead")
_CHANGES_BY: Final = pattern("setlogs.changes_by")


def adjustments_in(line: Line) -> list[Adjustment]:
    old = {tag for match in _INSTEAD.finditer(line.text) for tag in line.tags_in(match)}
    tags = [tag for tag in line.tags(*_AMOUNTS) if tag not in old]
    change = (
        Direction.LESS if _LESS.search(line.text) else Direction.MORE if _MORE.search(line.text) else None
    )
    relative = bool(_CHANGES_BY.search(line.text))
    found: list[Adjustment] = []
    for tag in tags:
        found += _adjustment(tag, line, change if relative else None)
    if not found and change is not None:
        what = _what(line)
        if what:
            found.append(Adjustment(what, None, change))
    return found


def _what(line: Line) -> str | None:
    words = [unit.word for unit in line.units]
    if _REST.search(line.text):
        return "rest_seconds"
    if "reps" in words:
        return "reps"
    if {"set", "sets", "round", "rounds", "volume"} & set(words):
        return "sets"
    return "weight_kg" if _WEIGHT.search(line.text) else None


def _adjustment(tag: Tag, line: Line, change: Direction | None) -> list[Adjustment]:
    if tag.kind is Kind.SETS:
        done = "seconds" if tag.value == "s" else "reps"
        return [Adjustment("sets", tag.sets), Adjustment(done, tag.high or tag.amount)]
    named = {Kind.NSETS: "sets", Kind.REPS: "reps", Kind.WEIGHT: "weight_kg", Kind.NUM: _what(line)}
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
    if "tabata" in text:
        return Timer(work=20, rest=10, rounds=8)
    rounds = next((int(tag.amount) for tag in line.tags(Kind.NSETS)), None)
    if rounds is None and (times := _TIMES.search(text)):
        rounds = next((int(tag.amount) for tag in line.tags_in(times, Kind.NUM)), None)
    if slashed := _SLASHED.search(text):
        first, second = (round(tag.amount) for tag in line.tags_in(slashed, Kind.NUM)[:2])
        return Timer(work=first, rest=second, rounds=rounds)
    work, rest = _WORK_FOR.search(text), _REST_FOR.search(text)
    on = _amount(line, work)
    off = _amount(line, rest)
    lengths = [round(tag.amount) for tag in line.tags(Kind.DUR)]
    timed = line.tags(Kind.SETS)
    if timed and timed[0].value == "s":
        rounds, on = timed[0].sets, round(timed[0].amount)
    if on is not None:
        return Timer(work=on, rest=off if off != on or len(lengths) > 1 else None, rounds=rounds)
    if lengths:
        return Timer(seconds=lengths[0], rounds=rounds)
    return Timer(rounds=rounds) if rounds else None
