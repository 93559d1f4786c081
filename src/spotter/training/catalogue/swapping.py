"""What can stand in for an exercise. Computed, so that a new exercise is a swap the day it is added."""

from collections.abc import Iterator, Set
from dataclasses import dataclass
from typing import Final

from spotter.training.catalogue.book import Catalogue
from spotter.training.exercise import Exercise, LadderPlace
from spotter.training.limits import NO_LIMITS, Limits
from spotter.training.vocabulary import Equipment, Joint, Pattern

# A stretch does not stand in for a lift, nor a run for a squat, whatever muscles they share.
_OF_THEIR_OWN: Final = frozenset({Pattern.MOBILITY, Pattern.CARDIO})


@dataclass(frozen=True, slots=True)
class Swap:
    exercise: Exercise
    score: float
    """0 to 1: how well it does the other's job."""
    reasons: tuple[str, ...]


def swaps(
    book: Catalogue,
    exercise: Exercise,
    *,
    available: Set[Equipment] | None = None,
    limits: Limits = NO_LIMITS,
    exclude: Set[str] = frozenset(),
    limit: int = 5,
) -> list[Swap]:
    """The best stand-ins first: same pattern, then same muscles, gentler on limited joints, near in level.

    Only what the equipment and the limits allow; without `available`, any equipment counts as there.
    """
    found = []
    for other in book:
        if other.id == exercise.id or other.id in exclude or not limits.allow(other):
            continue
        if available is not None and other.setup_with(available) is None:
            continue
        swap = _rated(exercise, other, limits)
        if swap is not None:
            found.append(swap)
    return sorted(found, key=lambda swap: (-swap.score, swap.exercise.id))[:limit]


def _rated(exercise: Exercise, other: Exercise, limits: Limits) -> Swap | None:
    overlap = _overlap(exercise, other)
    same_pattern = exercise.pattern is other.pattern
    if not same_pattern and _OF_THEIR_OWN & {exercise.pattern, other.pattern}:
        return None
    if not overlap or not (same_pattern or set(exercise.primary) & set(other.primary)):
        return None
    # Loaded work is best replaced by loaded work, and a hold by a hold.
    same_way = 1.0 if exercise.unit is other.unit else 0.4 if exercise.kind is other.kind else 0.0
    near = 1 - min(abs(exercise.level - other.level), 5) / 5
    ladder = any(mine.ladder == theirs.ladder for mine in exercise.places for theirs in other.places)
    score = (
        0.34 * same_pattern
        + 0.30 * overlap
        + 0.12 * near
        + 0.06 * (exercise.mechanic is other.mechanic)
        + 0.10 * same_way
        + 0.03 * (exercise.unilateral is other.unilateral)
        + 0.05 * ladder
    )
    # A joint that is limited is spared as far as possible, not only as far as required.
    score -= 0.05 * sum(other.load_on(joint) for joint in limits.joints)
    reasons = ["same movement" if same_pattern else "same muscles"]
    if ladder:
        reasons.append("same ladder")
    reasons += _relief(exercise, other, limits)
    return Swap(other, round(max(score, 0.0), 4), tuple(reasons))


def _overlap(one: Exercise, other: Exercise) -> float:
    """Of the muscles worked; those an exercise is done for count twice."""
    left = dict.fromkeys(one.secondary, 1) | dict.fromkeys(one.primary, 2)
    right = dict.fromkeys(other.secondary, 1) | dict.fromkeys(other.primary, 2)
    shared = sum(min(weight, right.get(muscle, 0)) for muscle, weight in left.items())
    return shared / max(sum(left.values()), sum(right.values()))


def _relief(exercise: Exercise, other: Exercise, limits: Limits) -> Iterator[str]:
    for joint in Joint:
        if joint in limits.joints and other.load_on(joint) < exercise.load_on(joint):
            yield f"less load on the {joint.value.replace('_', ' ')}"


def easier(
    book: Catalogue,
    exercise: Exercise,
    *,
    available: Set[Equipment] | None = None,
    limits: Limits = NO_LIMITS,
    ladder: str | None = None,
) -> Exercise | None:
    """The next rung down, or the nearest easier stand-in for what is on no ladder; nothing if there is none."""
    return _step(book, exercise, -1, available=available, limits=limits, ladder=ladder)


def harder(
    book: Catalogue,
    exercise: Exercise,
    *,
    available: Set[Equipment] | None = None,
    limits: Limits = NO_LIMITS,
    ladder: str | None = None,
) -> Exercise | None:
    return _step(book, exercise, 1, available=available, limits=limits, ladder=ladder)


def _step(
    book: Catalogue,
    exercise: Exercise,
    direction: int,
    *,
    available: Set[Equipment] | None,
    limits: Limits,
    ladder: str | None,
) -> Exercise | None:
    def possible(other: Exercise) -> bool:
        return limits.allow(other) and (available is None or other.setup_with(available) is not None)

    for place in exercise.places:
        if ladder in (None, place.ladder):
            for rung in _onward(book, place, direction):
                if fitting := [other for other in book.rung(rung) if possible(other)]:
                    return fitting[0]
    ranked = swaps(book, exercise, available=available, limits=limits, limit=len(book))
    steps = [
        swap
        for swap in ranked
        if swap.exercise.pattern is exercise.pattern
        and swap.exercise.primary[0] in exercise.primary
        and (swap.exercise.level - exercise.level) * direction > 0
    ]
    # A step is small: what is one level away comes before what is merely similar.
    steps.sort(key=lambda swap: (abs(swap.exercise.level - exercise.level), -swap.score))
    return steps[0].exercise if steps else None


def _onward(book: Catalogue, place: LadderPlace, direction: int) -> Iterator[LadderPlace]:
    rung = place.rung + direction
    while 1 <= rung <= len(book.ladders[place.ladder].rungs):
        yield LadderPlace(place.ladder, rung)
        rung += direction
