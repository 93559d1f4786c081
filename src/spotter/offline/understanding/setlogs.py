"""Sets as people type them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from spotter.offline.understanding.grammar import pattern
from spotter.offline.understanding.reading import Line
from spotter.offline.understanding.slots import LoggedSet, SetLog, Span
from spotter.offline.understanding.tags import Kind, Tag

_MOST_SETS: Final = 50
_FEW: Final = 10
_LIKELY_WEIGHT: Final = 20
_FELT_LIKE: Final = pattern("setlogs.felt_like")
EACH_SIDE: Final = pattern("setlogs.each_side")
_AMOUNTS: Final = (Kind.SETS, Kind.REPS, Kind.NSETS, Kind.WEIGHT, Kind.DUR, Kind.DIST, Kind.RPE, Kind.NUM)


@dataclass
class _Entry:
    exercise: Tag | None = None
    tags: list[Tag] = field(default_factory=list)
    fixed: int = 0
    """ "For a triple"."""
    times: int = 0
    """ "Twice", "x 3"."""

    def of(self, *kinds: Kind) -> list[Tag]:
        return [tag for tag in self.tags if tag.kind in kinds]


def logs_in(line: Line, message: Line | None = None) -> list[SetLog]:
    """`message`: all that was said, for the walk may be named before its miles."""
    felt = [tag for match in _FELT_LIKE.finditer(line.text) for tag in line.tags_in(match, Kind.NUM)[:1]]
    each_side = bool(EACH_SIDE.search(line.text))
    found = []
    for entry in _entries(line, felt):
        sets = _sets(entry, line)
        if sets:
            tags = [*entry.tags, *([entry.exercise] if entry.exercise else [])]
            first, last = min(tags, key=lambda tag: tag.first), max(tags, key=lambda tag: tag.end)
            span = Span(line.span_of(first).start, line.span_of(last).end)
            found.append(SetLog(_name(entry, sets, line, message or line), sets, each_side, span))
    return found


_MOVED_ON: Final = {"bike": "cycling", "rower": "rowing", "treadmill": "running"}
_WAYS: Final = frozenset({"walking", "running", "cycling", "swimming", "rowing"})
_A_RUN: Final = 1000


def _name(entry: _Entry, sets: Sequence[LoggedSet], line: Line, message: Line) -> str | None:
    far = sets[0].metres
    if entry.exercise:
        return "rowing" if entry.exercise.value == "row" and far else entry.exercise.value
    benches = [tag for tag in line.tags(Kind.EQUIP) if tag.value == "bench"]
    if benches and line.units[0].tag is benches[0]:
        return "bench_press"  # "Bench: 10, 8, 6 at 70": with sets beside it, the lift is meant
    moved = [tag.value for tag in message.tags(Kind.EXERCISE) if tag.value in _WAYS]
    moved += [name for tag in line.tags(Kind.EQUIP) if (name := _MOVED_ON.get(tag.value))]
    return next(iter(moved), "running") if far and far >= _A_RUN else None


_TIMES: Final = {"once": 1, "twice": 2, "thrice": 3}
_SO_MANY: Final = {"single": 1, "double": 2, "triple": 3}


def _entries(line: Line, felt: list[Tag]) -> list[_Entry]:
    entries = [_Entry()]
    counts = set(_counts(line))
    for at, unit in enumerate(line.units):
        tag = unit.tag
        current = entries[-1]
        if tag is None:
            _heard(current, line, at)
        elif tag in felt:
            current.tags.append(replace(tag, kind=Kind.RPE))
        elif tag in counts and (current.tags or current.exercise):
            current.times = round(tag.amount)
        elif tag.kind is Kind.EXERCISE:
            if current.exercise and current.tags:
                entries.append(current := _Entry())
            current.exercise = tag
        elif tag.kind in _AMOUNTS:
            again = tag.kind in {Kind.SETS, Kind.NSETS} and current.of(Kind.SETS, Kind.NSETS)
            if current.exercise and current.tags and _leads(line, at):
                again = [tag]
            if again and current.exercise and not _continues(line, at, tag):
                entries.append(current := _Entry())
            current.tags.append(tag)
        elif seconds := _stopped_at(tag, line):
            current.tags.append(replace(tag, kind=Kind.DUR, amount=seconds))
    return entries


def _heard(entry: _Entry, line: Line, at: int) -> None:
    """Amounts in words: a triple, twice, a single chin-up."""
    word = line.units[at].word
    following = line.units[at + 1].tag if at + 1 < len(line.units) else None
    if word in _TIMES:
        entry.times = _TIMES[word]
    elif word in {"one", "single"} and following and following.kind is Kind.EXERCISE and not entry.tags:
        entry.tags.append(Tag(Kind.REPS, "reps", line.units[at].first, line.units[at].end, 1.0))
    elif word in _SO_MANY and at and line.units[at - 1].word in {"a", "for"}:
        entry.fixed = _SO_MANY[word]


def _counts(line: Line) -> Iterator[Tag]:
    """ "10 each side x 3", "12 a leg, three times"."""
    for at, unit in enumerate(line.units):
        before = line.units[at - 1].word if at else ""
        after = line.units[at + 1].word if at + 1 < len(line.units) else ""
        plain = unit.tag is not None and unit.tag.kind is Kind.NUM and unit.tag.amount <= _FEW
        earlier = any(other.tag and other.tag.kind in _AMOUNTS for other in line.units[:at])
        weight = line.units[at - 2].tag if at > 1 else None
        lifted = weight is not None and weight.kind is Kind.NUM
        times = (before in {"x", "times"} and not lifted) or after in {"times", "rounds"}
        if plain and unit.tag and earlier and times:
            yield unit.tag


_RACED: Final = re.compile(r"clock:(?:in )?(\d+) : (\d\d)")


def _took(distance: Tag, seconds: float) -> float:
    """ "18k in 1:41": nobody runs that in two minutes."""
    return seconds * 60 if seconds * _FASTEST < distance.amount else seconds


_FASTEST: Final = 12
"""Metres in a second."""


def _stopped_at(tag: Tag, line: Line) -> float | None:
    """Beside a distance, 6:45 is how long it took."""
    match = _RACED.fullmatch(tag.value) if tag.kind is Kind.DATE and line.has(Kind.DIST) else None
    return int(match[1]) * 60.0 + int(match[2]) if match else None


def _leads(line: Line, at: int) -> bool:
    """ "… and a 60 second plank": the amount belongs to what follows."""
    before = [unit.word for unit in line.units[max(0, at - 2) : at]]
    ahead = list(line.units[at + 1 : at + 3])
    if ahead and ahead[0].word in {".", ";", ",", "!"}:
        return False
    after = next((unit.tag for unit in ahead if unit.tag), None)
    return (
        bool({"and", ",", "then", "plus", "&"} & set(before))
        and after is not None
        and after.kind is Kind.EXERCISE
    )


def _continues(line: Line, at: int, tag: Tag) -> bool:
    """ "Bench 60x8, 60x7": the same lift goes on, weight by repetitions."""
    return tag.kind is Kind.SETS and tag.sets > _FEW and not _leads(line, at)


def _sets(entry: _Entry, line: Line) -> tuple[LoggedSet, ...]:
    base = LoggedSet()
    if rpe := entry.of(Kind.RPE):
        base = replace(base, rpe=rpe[0].amount)
    if distance := entry.of(Kind.DIST):
        base = replace(base, metres=round(distance[0].amount))
    if each := _one_by_one(entry, base):
        return each
    if weight := entry.of(Kind.WEIGHT) or _heavy_ones(entry, line):
        base = replace(base, weight_kg=round(weight[0].amount, 2))
        entry.tags = [tag for tag in entry.tags if tag not in weight]
    numbers = entry.of(Kind.NUM)
    if entry.fixed and len(numbers) == 1:
        return (replace(base, weight_kg=base.weight_kg or numbers[0].amount, reps=entry.fixed),)
    if whole := entry.of(Kind.SETS):
        return _from_sets(whole, base, numbers)
    count = int(entry.of(Kind.NSETS)[0].amount) if entry.of(Kind.NSETS) else entry.times or 1
    if reps := entry.of(Kind.REPS):
        base = replace(base, reps=int(reps[0].amount))
    elif len(numbers) > 1 and numbers[0].amount >= _LIKELY_WEIGHT and numbers[0].amount > numbers[1].amount:
        # "140 for 5": the heavier number is the weight.
        base = replace(base, weight_kg=base.weight_kg or numbers[0].amount, reps=int(numbers[1].amount))
        numbers = numbers[2:]
    elif numbers and (entry.exercise or base.weight_kg) and not base.metres:
        base = replace(base, reps=int(numbers[0].amount))
        numbers = numbers[1:]
    if base.weight_kg is None and numbers and base.reps is not None and numbers[0].amount > _FEW:
        base = replace(base, weight_kg=numbers[0].amount)
    return _counted(base, count, entry)


def _heavy_ones(entry: _Entry, line: Line) -> list[Tag]:
    """ "Curls, the 12.5s for 12": beside repetitions, such seconds are dumbbells."""
    if not entry.of(Kind.REPS, Kind.SETS, Kind.NUM) or not entry.exercise:
        return []
    return [
        tag
        for tag in entry.of(Kind.DUR)
        if line.tokens[tag.end - 1].word == "s"
        and line.tokens[tag.end - 1].start == line.tokens[tag.first].end
    ]


def _one_by_one(entry: _Entry, base: LoggedSet) -> tuple[LoggedSet, ...]:
    """Each set written out: "12@20, 10@20", "30s, 30s, 25s", "8 reps, 7 reps", "60x8, 60x7"."""
    numbers, weights, reps = entry.of(Kind.NUM), entry.of(Kind.WEIGHT), entry.of(Kind.REPS)
    held, whole = entry.of(Kind.DUR), entry.of(Kind.SETS)
    if len(numbers) == len(weights) > 1 and not (reps or whole):
        both = zip(numbers, weights, strict=True)
        return tuple(
            replace(base, reps=int(number.amount), weight_kg=round(weight.amount, 2))
            for number, weight in both
        )
    if whole and all(tag.sets > _FEW and tag.value == "reps" and not tag.each for tag in whole):
        return tuple(_lifted(tag, base) for tag in whole)
    if reps or whole or entry.of(Kind.NSETS):
        listed = reps if len(reps) > 1 and not (whole or entry.of(Kind.NSETS)) else []
    elif all_pairs := _weight_by_reps(numbers):
        return tuple(replace(base, weight_kg=kg, reps=done) for kg, done in all_pairs)
    else:
        listed = numbers if len(numbers) >= _SEVERAL and len(weights) <= 1 else []
    weight = round(weights[0].amount, 2) if weights else None
    if listed:
        return tuple(replace(base, reps=int(tag.amount), weight_kg=weight) for tag in listed)
    if len(held) > 1 and not (numbers or reps or whole or weights or base.metres):
        return tuple(replace(base, seconds=round(tag.amount)) for tag in held)
    return ()


def _weight_by_reps(numbers: Sequence[Tag]) -> list[tuple[float, int]]:
    """ "120 x 1, 130 x 1"."""
    pairs = list(zip(numbers[::2], numbers[1::2], strict=False))
    heavy = len(pairs) > 1 and all(kg.amount >= _LIKELY_WEIGHT > done.amount for kg, done in pairs)
    return [(kg.amount, int(done.amount)) for kg, done in pairs] if heavy else []


_SEVERAL: Final = 3


def _lifted(tag: Tag, base: LoggedSet) -> LoggedSet:
    """Nobody does forty sets: of 40x10 and 12x40, the heavier is the weight."""
    reps, weight = sorted((float(tag.sets), tag.amount))
    return replace(base, reps=int(reps), weight_kg=weight)


def _counted(base: LoggedSet, count: int, entry: _Entry) -> tuple[LoggedSet, ...]:
    if duration := entry.of(Kind.DUR):
        far = entry.of(Kind.DIST)
        held = _took(far[0], duration[0].amount) if far else duration[0].amount
        base = replace(base, seconds=round(held))
        if count == 1 and base.reps and base.reps <= _FEW and base.weight_kg is None:
            # "3 planks of 45 seconds"
            count, base = base.reps, replace(base, reps=None)
    if base == LoggedSet() or (
        base.reps is None and base.seconds is None and base.metres is None and not entry.exercise
    ):
        return ()
    return (base,) * max(1, min(count, _MOST_SETS))


def _from_sets(whole: list[Tag], base: LoggedSet, numbers: list[Tag]) -> tuple[LoggedSet, ...]:
    if base.weight_kg is None and numbers:
        base = replace(base, weight_kg=numbers[0].amount)
    done: list[LoggedSet] = []
    for tag in whole:
        for at in range(min(tag.sets, _MOST_SETS)):
            amount = int(tag.each[at] if tag.each else tag.amount)
            done.append(replace(base, seconds=amount) if tag.value == "s" else replace(base, reps=amount))
    return tuple(done[:_MOST_SETS])
