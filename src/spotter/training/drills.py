"""Before and after: raise the pulse, move and wake what will be trained; then ease off and stretch what was."""

from collections.abc import Callable, Collection, Sequence
from typing import Final

from spotter.training.exercise import Exercise
from spotter.training.parts import Form, Part, seconds
from spotter.training.vocabulary import Intensity, Joint, Kind, Muscle, Pattern, Suits
from spotter.training.workout import Phase

_RAISES: Final = frozenset({Pattern.CARDIO, Pattern.LOCOMOTION})
_BIG: Final = frozenset({Muscle.QUADS, Muscle.GLUTES, Muscle.HAMSTRINGS, Muscle.CALVES})
_HARDEST: Final = 4
_LEAST_RAISE: Final = 60
_MOST_RAISE: Final = 300
_LEAST_MET: Final = 3.5
_TOO_HOT: Final = 8.0
_DRILL: Final = 40
_STRETCH: Final = 30
_HARD: Final = 0.2
"""What each level of a drill takes from its worth."""
_MOST_DRILLS: Final = 6
_SHORT: Final = 150
"""Seconds: a warm-up with no time for anything long."""
_RAISE_SHARE: Final = 0.4

Tie = Callable[[Exercise], float]


def warm_up(
    allowed: Sequence[Exercise],
    trained: Sequence[Exercise],
    room: float,
    tie: Tie,
    *,
    gently: bool = False,
    sore: Collection[Joint] = (),
) -> list[Part]:
    """About so many seconds: one thing to get warm, then by turns a movement for the joints and one for the muscles."""
    wanted = weights(trained)
    taken = {each.id for each in trained}
    fit = [
        each
        for each in allowed
        if Suits.WARM_UP in each.suits and each.id not in taken and each.level <= _HARDEST
    ]
    parts: list[Part] = []
    if (warm := _raiser(fit, tie, gently, sore)) is not None:
        parts.append(Part(warm, Form.TIME, 1, _LEAST_RAISE, phase=Phase.WARM_UP, most_amount=_longest(warm)))
    moving = [each for each in fit if each.pattern is Pattern.MOBILITY and each.kind is Kind.REPS]
    waking = [
        each for each in fit if each.pattern not in _RAISES | {Pattern.MOBILITY} and each.kind is Kind.REPS
    ]
    if room <= _SHORT:
        moving, waking = ([each for each in some if _least(each) <= _DRILL] for some in (moving, waking))
    left = dict(wanted)
    for number in range(_MOST_DRILLS):
        first, second = (moving, waking) if number % 2 == 0 else (waking, moving)
        best = _best(first, left, tie) or _best(second, left, tie)
        if best is None:
            break
        part = _drill(best, Phase.WARM_UP, _DRILL)
        if number and seconds([*parts, part]) > room - (_RAISE_SHARE * room - _LEAST_RAISE):
            break
        for each in (moving, waking):
            if best in each:
                each.remove(best)
        _cover(left, best)
        parts.append(part)
    _fill(parts, room)
    return parts


def cool_down(
    allowed: Sequence[Exercise],
    trained: Sequence[Exercise],
    room: float,
    tie: Tie,
    *,
    taken: Sequence[Exercise] = (),
) -> list[Part]:
    """Something easy when there is time for it, then stretches for what worked most."""
    wanted = weights(trained)
    used = {each.id for each in (*trained, *taken)}
    fit = [
        each
        for each in allowed
        if Suits.COOL_DOWN in each.suits and each.id not in used and each.level <= _HARDEST
    ]
    easy = [
        each for each in fit if each.pattern in _RAISES and each.kind is Kind.DURATION and each.met < _TOO_HOT
    ]
    easy.sort(key=lambda each: (Muscle.QUADS not in each.primary, each.met, -tie(each), each.id))
    parts: list[Part] = []
    if easy and room >= 150:
        parts.append(
            Part(easy[0], Form.TIME, 1, _LEAST_RAISE, phase=Phase.COOL_DOWN, most_amount=2 * _LEAST_RAISE)
        )
    for part in stretches(fit, wanted, tie):
        if parts and seconds([*parts, part]) > room + 15:
            break
        parts.append(part)
    _fill(parts, room)
    return parts


def stretches(allowed: Sequence[Exercise], wanted: dict[Muscle, float], tie: Tie) -> list[Part]:
    """The best first; each new one for what the others left out."""
    fit = [
        each
        for each in allowed
        if each.pattern is Pattern.MOBILITY and Suits.COOL_DOWN in each.suits and each.level <= _HARDEST
    ]
    still = [each for each in fit if each.kind is Kind.HOLD] or list(fit)
    left = dict(wanted)
    parts: list[Part] = []
    while still and len(parts) < 10:
        best = _best(still, left, tie) or max(still, key=lambda each: (tie(each), each.id))
        still.remove(best)
        _cover(left, best)
        parts.append(_drill(best, Phase.COOL_DOWN, _STRETCH))
    return parts


def weights(trained: Sequence[Exercise]) -> dict[Muscle, float]:
    found: dict[Muscle, float] = {}
    for each in trained:
        for muscle in each.secondary:
            found[muscle] = found.get(muscle, 0.0) + 0.4
        for muscle in each.primary:
            found[muscle] = found.get(muscle, 0.0) + 1.0
    return found


def _raiser(fit: Sequence[Exercise], tie: Tie, gently: bool, sore: Collection[Joint]) -> Exercise | None:
    """Big muscles get one warm; arms alone only when the legs cannot, and nothing that works on what hurts."""
    found = [
        each
        for each in fit
        if each.pattern in _RAISES and each.kind is Kind.DURATION and (gently or each.met >= _LEAST_MET)
    ]

    def value(each: Exercise) -> tuple[float, str]:
        legs = bool(_BIG & set(each.primary))
        hot = each.met >= _TOO_HOT and (gently or each.level >= _HARDEST)
        seated = "seated" in each.id
        crawls = Pattern.LOCOMOTION is each.pattern and not legs
        machine = each.setups[0].isdisjoint({"none", "chair", "wall", "box"})
        good = 1.5 * legs + 1.0 * (each.met >= _LEAST_MET) + 0.6 * machine + 0.8 * tie(each)
        hurts = sum(each.load_on(joint) for joint in sore)
        return good - 1.0 * hot - 2.0 * seated - 2.0 * crawls - 1.0 * hurts, each.id

    return max(found, key=value, default=None)


def _best(fit: Sequence[Exercise], wanted: dict[Muscle, float], tie: Tie) -> Exercise | None:
    def value(each: Exercise) -> float:
        direct = sum(wanted.get(muscle, 0.0) for muscle in each.primary)
        helped = sum(wanted.get(muscle, 0.0) for muscle in each.secondary)
        return direct + 0.3 * helped - _HARD * (each.level - 1)

    found = [(value(each), each) for each in fit]
    found = [each for each in found if each[0] > 0.3]
    if not found:
        return None
    return max(found, key=lambda each: (each[0] + 0.8 * tie(each[1]), each[1].id))[1]


def _least(exercise: Exercise) -> float:
    return exercise.work_seconds(exercise.range[0])


def _cover(left: dict[Muscle, float], drill: Exercise) -> None:
    for muscle in drill.primary:
        left[muscle] = left.get(muscle, 0.0) * 0.2


def _drill(exercise: Exercise, phase: Phase, length: int) -> Part:
    low, high = exercise.range
    sides = 2 if exercise.unilateral else 1
    match exercise.kind:
        case Kind.REPS:
            reps = round(length / (exercise.seconds_per_unit * sides))
            return Part(exercise, Form.REPS, 1, min(max(_round(reps), low), high), phase=phase)
        case Kind.HOLD:
            return Part(exercise, Form.HOLD, 1, min(max(length, low), high), phase=phase)
        case Kind.DURATION:
            return Part(exercise, Form.TIME, 1, max(low, length), phase=phase, most_amount=high)


def _round(reps: int) -> int:
    """Nobody prescribes thirteen."""
    return reps if reps < 8 else reps - reps % 2


def _fill(parts: list[Part], room: float) -> None:
    """What simply takes a while takes what is left."""
    for part in parts:
        if part.form is Form.TIME and part.known.intensity is not Intensity.STRETCHING:
            spare = room - seconds(parts)
            longer = part.amount + int(spare // 15) * 15
            part.amount = max(part.amount, min(longer, part.most_amount))


def _longest(warm: Exercise) -> int:
    """Jumping jacks get one warm, but not for five minutes."""
    high = warm.range[1]
    return min(_MOST_RAISE, max(high, min(2 * high, 2 * _LEAST_RAISE)))
