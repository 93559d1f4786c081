"""Making a workout as long as it should be: how many exercises, sets, pairs and how much rest. Pure.

Short of time: sets go (two stay), then rest to the goal's least, then exercises from the end; the warm-up stays. With
time left: exercises, sets, rest, something easy for the heart, stretches.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from spotter.training.parts import Form, Part, seconds, sets_of_muscles
from spotter.training.rules import LONGEST_INTERVALS, LONGEST_INTERVALS_A_SESSION
from spotter.training.scoring import thrust
from spotter.training.slots import CORES, PULLS, PUSHES
from spotter.training.vocabulary import Mechanic, Muscle, Pattern

_CLOSE: Final = 0.03
_REST_STEP: Final = 5
_LEAST_FINISHER: Final = 180
_MOST_ROUNDS: Final = 12
_LEAST_ROUNDS: Final = 3
_LONGEST_AFTER: Final = 15 * 60
_LONGEST_RAISE: Final = 10 * 60
_MORE_THAN_MOST: Final = 2
_SHORT: Final = 12 * 60
_FAST: Final = 8.0
_LEGS_FIRST: Final = frozenset({Pattern.SQUAT, Pattern.HINGE})
"""The heaviest there is comes while one is fresh; of the others the plan says which matters most."""
_HEAVY_REPS: Final = 6


@dataclass(slots=True)
class Plan:
    """A workout being fitted, and what it may still take."""

    before: list[Part]
    main: list[Part]
    after: list[Part]
    target: int
    """Seconds."""
    caps: Mapping[Muscle, float]
    """Fractional sets each muscle can use today."""
    most_sets: int
    most: int
    """Exercises, as a rule."""
    least: int = 2
    balanced: bool = True
    spare: list[Part] = field(default_factory=list)
    """Further exercises, the best first."""
    others: list[Part] = field(default_factory=list)
    """What was not asked for, for when that has had its share."""
    finishers: list[Part] = field(default_factory=list)
    stretches: list[Part] = field(default_factory=list)

    @property
    def parts(self) -> list[Part]:
        return [*self.before, *self.main, *self.after]

    @property
    def off(self) -> float:
        """How far from the time wanted, as a share of it."""
        return (seconds(self.parts) - self.target) / self.target

    def sound(self) -> bool:
        """Within what muscles take in a day, and no more push than pull."""
        if not self._short_intervals():
            return False
        counted = [part for part in self.main if part.counted]
        if sum(part.sets for part in counted) > self.most_sets:
            return False
        if any(sets > self.caps[muscle] for muscle, sets in sets_of_muscles(counted).items()):
            return False
        pulls = sum(part.sets for part in counted if part.known.pattern in PULLS)
        pushes = sum(part.sets for part in counted if part.known.pattern in PUSHES)
        return not self.balanced or pushes <= pulls

    def _short_intervals(self) -> bool:
        rounds = [part.sets * (part.amount + part.rest) for part in self.main if part.form is Form.ROUNDS]
        return max(rounds, default=0) <= LONGEST_INTERVALS and sum(rounds) <= LONGEST_INTERVALS_A_SESSION


def choose_from(plan: Plan, parts: Sequence[Part], wanted: int = 0) -> None:
    """As many as the time and the muscles allow, in the order given; the others are spare. Those wanted by name come
    first, and fewer sets make room for them."""
    plan.most = max(plan.most, min(wanted, plan.most + _MORE_THAN_MOST))
    for place, part in enumerate(parts):
        if len(plan.main) >= plan.most:
            plan.spare += parts[place:]
            return
        if not _add(plan, part):
            continue
        if plan.off > 0.08 and len(plan.main) > max(plan.least, wanted):
            plan.main.pop()
            plan.spare += parts[place:]
            return


def fit(plan: Plan) -> None:
    arrange(plan)
    _shrink(plan)
    _grow(plan)
    arrange(plan)


def pair(plan: Plan, *, whole: bool) -> None:
    """A pull with a push, one resting while the other works; or, when it is short, everything in turns."""
    ready = [part for part in plan.main if part.form in (Form.REPS, Form.HOLD) and part.counted]
    if whole:
        groups = [ready] if len(ready) > 1 else []
    else:
        pulls = [part for part in ready if part.known.pattern in PULLS]
        pushes = [part for part in ready if part.known.pattern in PUSHES]
        groups = [list(pairing) for pairing in zip(pulls, pushes, strict=False)]
    for letter, group in zip("ABCDEF", groups, strict=False):
        sets = min(part.sets for part in group)
        for part in group:
            part.pair, part.sets = letter, sets


def circuits(plan: Plan, size: int) -> None:
    """Rounds of several exercises, one after the other."""
    ready = [part for part in plan.main if part.form in (Form.REPS, Form.HOLD) and part.counted]
    for letter, start in zip("ABCDEF", range(0, len(ready), size), strict=False):
        group = ready[start : start + size]
        if len(group) < 2:
            break
        sets = min(part.sets for part in group)
        for part in group:
            part.pair, part.sets = letter, sets


def arrange(plan: Plan) -> None:
    """Skill and speed first, then heavy, big, small, the trunk, and what makes one breathe; pairs stay together."""
    first: dict[str, int] = {}
    for place, part in enumerate(plan.main):
        if part.pair is not None:
            first.setdefault(part.pair, place)

    def key(place: int) -> tuple[int, int, int]:
        part = plan.main[place]
        leader = first[part.pair] if part.pair is not None else place
        return rank(plan.main[leader]), leader, place

    plan.main = [plan.main[place] for place in sorted(range(len(plan.main)), key=key)]
    used = Counter(part.pair for part in plan.main if part.pair is not None)
    letters = dict(zip((old for old, count in used.items() if count > 1), "ABCDEF", strict=False))
    for part in plan.main:
        part.pair = letters.get(part.pair) if part.pair is not None else None


def rank(part: Part) -> int:
    known = part.known
    if not part.counted:
        return 6 if part.form is not Form.TIME else 7
    if known.pattern in (Pattern.JUMP, Pattern.HOLD_SKILL) or known.met >= _FAST:
        return 0
    if known.pattern in CORES:
        return 5
    if known.pattern is Pattern.CARRY:
        return 4
    if known.mechanic is Mechanic.ISOLATION and not thrust(known):
        return 3
    return 1 if known.pattern in _LEGS_FIRST and known.range[0] <= _HEAVY_REPS else 2


def _add(plan: Plan, part: Part) -> bool:
    """With its own sets, or with two."""
    for sets in dict.fromkeys((part.sets, 2)):
        if sets > part.sets:
            continue
        part.sets = sets
        plan.main.append(part)
        if plan.sound():
            return True
        plan.main.pop()
    return False


def _shrink(plan: Plan) -> None:
    last = (_shorter_ends, _drop) if plan.target <= _SHORT else (_drop, _shorter_ends)
    for step in (_fewer_sets, _less_time, _less_rest, *last, _single_sets):
        while plan.off > _CLOSE and step(plan):
            pass


def _fewer_sets(plan: Plan) -> bool:
    def may(part: Part) -> bool:
        return part.sets > (2 if part.counted or part.form is not Form.ROUNDS else _LEAST_ROUNDS)

    most = max((part.sets for part in plan.main if may(part)), default=0)
    return any(
        part.sets == most and may(part) and _change_sets(plan, part, -1) for part in reversed(plan.main)
    )


def _single_sets(plan: Plan) -> bool:
    return any(part.sets == 2 and _change_sets(plan, part, -1) for part in reversed(plan.main))


def _change_sets(plan: Plan, part: Part, by: int) -> bool:
    """Of all that are done in turns with it."""
    together = [other for other in plan.main if other is part or (part.pair and other.pair == part.pair)]
    for other in together:
        other.sets += by
    if plan.sound():
        return True
    for other in together:
        other.sets -= by
    return False


def _less_time(plan: Plan) -> bool:
    long = [part for part in plan.main if part.form is Form.TIME and part.amount > 120]
    for part in long:
        part.amount = max(120, part.amount - 30)
    return bool(long)


def _less_rest(plan: Plan) -> bool:
    return _change_rest(plan, -_REST_STEP)


def _change_rest(plan: Plan, by: int) -> bool:
    changed = False
    for part in plan.main:
        rest = part.rest + by
        if part.form is not Form.TIME and part.least_rest <= rest <= part.most_rest:
            part.rest = rest
            if part.form is Form.ROUNDS and not plan.sound():
                part.rest -= by
            else:
                changed = True
    return changed


def _drop(plan: Plan) -> bool:
    for place in reversed(range(len(plan.main))):
        if len(plan.main) <= 1:
            return False
        gone = plan.main.pop(place)
        if plan.sound():
            plan.spare.append(gone)
            gone.pair = None
            return True
        plan.main.insert(place, gone)
    return False


def _shorter_ends(plan: Plan) -> bool:
    for parts in (plan.after, plan.before):
        if len(parts) > 1:
            parts.pop()
            return True
    return False


def _grow(plan: Plan) -> None:
    for step in (
        *(_more_parts, _more_sets, _others, _more_rest, _more_than_usual, _finish, _stretch, _longer_raise),
    ):
        while plan.off < -_CLOSE and step(plan):
            pass
    while plan.off > _CLOSE and _change_rest(plan, -_REST_STEP):
        pass


def _more_parts(plan: Plan) -> bool:
    return len(plan.main) < plan.most and _one_more(plan)


def _others(plan: Plan) -> bool:
    if plan.others:
        plan.spare += plan.others
        plan.others = []
    return _more_parts(plan)


def _more_than_usual(plan: Plan) -> bool:
    return len(plan.main) < plan.most + _MORE_THAN_MOST and _one_more(plan)


def _one_more(plan: Plan) -> bool:
    while plan.spare:
        part = plan.spare.pop(0)
        if _add(plan, part):
            if plan.off <= _CLOSE:
                return True
            while plan.off > _CLOSE and part.sets > 2 and _change_sets(plan, part, -1):
                pass
            if plan.off <= _CLOSE:
                return True
            plan.main.remove(part)
    return False


def _more_sets(plan: Plan) -> bool:
    """Of what has fewest, the most important first."""
    for part in sorted(plan.main, key=lambda each: each.sets):
        most = _MOST_ROUNDS if part.form is Form.ROUNDS and not part.counted else part.most_sets
        if part.form is Form.TIME:
            if part.amount + 30 <= part.most_amount:
                part.amount += 30
                return True
        elif part.sets < most and _change_sets(plan, part, 1):
            if plan.off <= _CLOSE:
                return True
            _change_sets(plan, part, -1)
    return False


def _more_rest(plan: Plan) -> bool:
    return _change_rest(plan, _REST_STEP)


def _finish(plan: Plan) -> bool:
    """Something easy for what is left."""
    left = -plan.off * plan.target - 40
    if not plan.finishers or left < _LEAST_FINISHER:
        return False
    part = plan.finishers.pop(0)
    if part.form is Form.TIME:
        part.amount = min(int(left // 30) * 30, part.most_amount)
    else:
        part.sets = max(1, min(part.sets, int(left // (part.amount + part.rest))))
    if part.known.id not in {other.known.id for other in plan.main}:
        plan.main.append(part)
        if not plan.sound():
            plan.main.pop()
    return True


def _stretch(plan: Plan) -> bool:
    taken = {part.known.id for part in plan.parts}
    while plan.stretches and seconds(plan.after) < _LONGEST_AFTER:
        part = plan.stretches.pop(0)
        if part.known.id not in taken:
            plan.after.append(part)
            return True
    return False


def _longer_raise(plan: Plan) -> bool:
    for part in (*plan.before, *plan.after):
        if part.form is Form.TIME and part.amount + 15 <= min(part.known.range[1], _LONGEST_RAISE):
            part.amount += 15
            return True
    return False
