"""Which exercises, the most important first: every place of the workout gets the best one that is allowed."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final

from spotter.training.athlete import EVERYWHERE, Athlete
from spotter.training.catalogue import Catalogue
from spotter.training.exercise import Exercise
from spotter.training.limits import Limits
from spotter.training.rules import strains, with_the_floor
from spotter.training.scoring import FAST, Scorer, loaded
from spotter.training.slots import CORES, PULL_DOWN, PULLS, PUSHES, ROW, Slot
from spotter.training.vocabulary import Equipment, Flag, Kind, Mechanic, Muscle, Pattern

_SECOND_BEST: Final = 0.8
_TOO_MUCH: Final = 4.0
_SETS: Final = 3.0
_BESIDE: Final = 0.9
_SAME_LADDER: Final = 1.8
_ALMOST_THE_SAME: Final = 3.0
_NOT_SMALL: Final = 1.5
_ENOUGH_TO_BE_CHOOSY: Final = 3
"""Exercises after which a place stays empty rather than take what is there already in another dress."""
_LONGEST_LIST: Final = 18
_MOST_PUSHES_ALONE: Final = 2


class Pool:
    """All that somebody may and can do."""

    def __init__(self, athlete: Athlete, book: Catalogue, limits: Limits) -> None:
        self.available = available_to(athlete)
        self.equipped = _equipped(book, self.available)
        self.allowed = [
            each
            for each in self.equipped
            if each.id not in athlete.excluded and limits.allow(each) and strains(each, athlete) is None
        ]
        self.by_pattern: dict[Pattern, list[Exercise]] = defaultdict(list)
        for each in self.allowed:
            self.by_pattern[each.pattern].append(each)

    def get(self, exercise_id: str) -> Exercise | None:
        return next((each for each in self.allowed if each.id == exercise_id), None)


@lru_cache(maxsize=64)
def _equipped(book: Catalogue, available: frozenset[Equipment]) -> tuple[Exercise, ...]:
    """Few people's equipment differs from everybody else's, so it is remembered."""
    return tuple(each for each in book if each.setup_with(available) is not None)


def available_to(athlete: Athlete) -> frozenset[Equipment]:
    return with_the_floor(athlete.equipment) if athlete.equipment is not None else EVERYWHERE


class Chooser:
    def __init__(self, pool: Pool, scorer: Scorer, balanced: bool, caps: Mapping[Muscle, float]) -> None:
        self._pool = pool
        self._scorer = scorer
        self._caps = caps
        self.can_pull = any(pool.by_pattern[pattern] for pattern in PULLS)
        self._balanced = balanced and self.can_pull
        self._few_pushes = balanced and not self._balanced
        self._weights = any(loaded(each) for each in pool.allowed)
        self.chosen: list[Exercise] = []
        self._waiting: list[Exercise] = []
        self._marked: dict[str, frozenset[object]] = {}

    def put(self, exercises: Iterable[Exercise]) -> None:
        """What was asked for by name comes first, with as much pulling before it as it pushes."""
        asked = list(dict.fromkeys(exercises))
        pushes = sum(each.pattern in PUSHES for each in asked) - sum(each.pattern in PULLS for each in asked)
        if self._balanced and pushes > 0:
            self.chosen += asked
            pulls = [each for slot in (ROW, PULL_DOWN, ROW) if (each := self._best(slot)) is not None]
            asked = [*dict.fromkeys(pulls[:pushes]), *asked]
        self.chosen = asked

    def fill(self, slots: Sequence[Slot], *, by_need: bool) -> None:
        """Wherever one stops reading the list, there is no more push than pull in it."""
        if by_need:
            placed = sorted(
                enumerate(slots), key=lambda each: each[0] * 0.5 - 2.0 * self._scorer.need(each[1])
            )
            slots = [slot for _, slot in placed]
        for slot in slots:
            if len(self.chosen) >= _LONGEST_LIST:
                return
            best = self._best(slot)
            if best is not None:
                self._place(best)

    def _place(self, exercise: Exercise) -> None:
        if exercise.pattern in PUSHES:
            pushes = sum(each.pattern in PUSHES for each in self.chosen)
            pulls = sum(each.pattern in PULLS for each in self.chosen)
            if self._few_pushes and pushes >= _MOST_PUSHES_ALONE:
                return
            if self._balanced and pushes >= pulls:
                self._waiting.append(exercise)
                return
        self.chosen.append(exercise)
        if exercise.pattern in PULLS and self._waiting:
            self.chosen.append(self._waiting.pop(0))

    def _best(self, slot: Slot) -> Exercise | None:
        taken = {each.id for each in (*self.chosen, *self._waiting)}
        possible = [
            each
            for pattern in slot.patterns
            for each in self._pool.by_pattern[pattern]
            if each.id not in taken and _for_main(each, slot)
        ]
        found = [each for each in possible if each.primary[0] in slot.muscles]
        if not found or len(slot.muscles) == 1:
            found = [each for each in possible if not slot.muscles.isdisjoint(each.primary)]
        if slot.small and self.chosen:
            found = [each for each in found if self._serves(each, slot)]
        else:
            found = found or [each for each in possible if not slot.muscles.isdisjoint(each.secondary)]
        if slot.big:
            found = [each for each in found if each.mechanic is Mechanic.COMPOUND] or found
        ladders = {place.ladder for each in (*self.chosen, *self._waiting) for place in each.places}
        worked = self._worked()
        there = (*self.chosen, *self._waiting)
        marks = {mark for each in there for mark in self._marks(each)}
        if len(there) >= _ENOUGH_TO_BE_CHOOSY:
            found = [each for each in found if marks.isdisjoint(self._marks(each))]

        def value(each: Exercise) -> tuple[float, str]:
            score = self._scorer.score(each)
            score -= _SECOND_BEST * (each.pattern is not slot.patterns[0])
            score -= _BESIDE * (each.primary[0] not in slot.muscles)
            score -= _SAME_LADDER * any(place.ladder in ladders for place in each.places)
            score -= _ALMOST_THE_SAME * (not marks.isdisjoint(self._marks(each)))
            score -= _NOT_SMALL * (slot.small and each.mechanic is Mechanic.COMPOUND)
            score -= _TOO_MUCH * self._fills_up(each, worked)
            return score, each.id

        return max(found, key=value, default=None)

    def _marks(self, exercise: Exercise) -> frozenset[object]:
        """Asked again for each place, of which a workout has many."""
        if (known := self._marked.get(exercise.id)) is None:
            known = self._marked[exercise.id] = _marks(exercise)
        return known

    def _serves(self, exercise: Exercise, slot: Slot) -> bool:
        """Whether it is for that muscle before others, and no hold or trick for want of anything better."""
        if exercise.primary[0] not in slot.muscles or exercise.kind is Kind.HOLD:
            return False
        return not self._scorer.too_hard(exercise) and not (self._weights and self._scorer.too_easy(exercise))

    def _worked(self) -> dict[Muscle, float]:
        """What the muscles will have had, more or less."""
        worked: dict[Muscle, float] = defaultdict(float)
        for each in self.chosen:
            for muscle in each.primary:
                worked[muscle] += _SETS
            for muscle in each.secondary:
                worked[muscle] += _SETS / 2
        return worked

    def _fills_up(self, exercise: Exercise, worked: Mapping[Muscle, float]) -> bool:
        """Whether two sets of it would be more than a muscle can use today."""
        caps = self._caps
        return any(worked.get(muscle, 0.0) + 2 > caps[muscle] for muscle in exercise.primary) or any(
            worked.get(muscle, 0.0) + 1 > caps[muscle] for muscle in exercise.secondary
        )


_ARMS: Final = frozenset({Muscle.BICEPS, Muscle.BRACHIALIS, Muscle.TRICEPS})


def _marks(exercise: Exercise) -> frozenset[object]:
    """What makes two exercises one too many: the same muscles moved alike; of the trunk also the same name."""
    same: tuple[object, ...] = (
        *(exercise.pattern, exercise.mechanic, frozenset(exercise.primary), exercise.unilateral),
        *(Flag.OVERHEAD in exercise.flags, exercise.met >= FAST, not _ARMS.isdisjoint(exercise.secondary)),
    )
    words = exercise.name.casefold().replace("-", " ").split() if exercise.pattern in CORES else ()
    return frozenset({same, *(word for word in words if len(word) >= 5)})


_ONLY_ON_PURPOSE: Final = frozenset({Pattern.MOBILITY, Pattern.CARDIO, Pattern.LOCOMOTION})


def _for_main(exercise: Exercise, slot: Slot | None = None) -> bool:
    """Stretches and cardio only where they are meant."""
    if exercise.pattern is Pattern.MOBILITY:
        return slot is not None and (Muscle.NECK in slot.muscles or len(slot.patterns) == 1)
    if exercise.pattern in _ONLY_ON_PURPOSE:
        return slot is not None and exercise.kind is Kind.REPS
    return True
