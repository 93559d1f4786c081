"""All exercises in one place: look-ups, filters, ladders."""

from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from spotter.errors import NotFound
from spotter.training.catalogue.loading import DATA, read_exercises, read_ladders
from spotter.training.catalogue.matching import Match, Matcher, normal
from spotter.training.exercise import Exercise, LadderPlace
from spotter.training.limits import NO_LIMITS, Limits
from spotter.training.vocabulary import Equipment, Muscle, Pattern, Region, Suits


class UnknownExercise(NotFound):
    code = "unknown_exercise"
    title = "There is no such exercise"


@dataclass(frozen=True, slots=True)
class Gate:
    """What has to be done on a rung before the next one is tried."""

    sets: int
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Ladder:
    id: str
    name: str
    rungs: tuple[tuple[str, ...], ...]
    """Ids of exercises, easiest first; those on one rung are equally hard."""
    gate: Gate | None
    """For what is counted in repetitions; without one, an exercise's own range says it."""


class Catalogue:
    def __init__(self, exercises: Iterable[Exercise], ladders: Iterable[Ladder] = ()) -> None:
        self._by_id = {exercise.id: exercise for exercise in exercises}
        self.ladders = {ladder.id: ladder for ladder in ladders}

    def __iter__(self) -> Iterator[Exercise]:
        return iter(self._by_id.values())

    def __len__(self) -> int:
        return len(self._by_id)

    def __contains__(self, exercise_id: object) -> bool:
        return exercise_id in self._by_id

    def also(self, exercises: Iterable[Exercise]) -> "Catalogue":
        """With others beside ours; an id of ours stays ours."""
        return Catalogue([*(each for each in exercises if each.id not in self), *self], self.ladders.values())

    def get(self, exercise_id: str) -> Exercise | None:
        return self._by_id.get(exercise_id)

    def __getitem__(self, exercise_id: str) -> Exercise:
        found = self._by_id.get(exercise_id)
        if found is None:
            raise UnknownExercise(self._suggest(exercise_id))
        return found

    def named(self, name: str) -> Exercise | None:
        """By id, name or alias, however it is hyphenated or capitalised."""
        return self._by_id.get(name) or self._by_name.get(normal(name))

    def search(self, text: str, limit: int = 5, least: float = 0.35) -> list[Match]:
        """What the text may mean, the likeliest first."""
        return self._matcher.search(text, limit=limit, least=least)

    def find(self, text: str, least: float = 0.72) -> Match | None:
        """The one exercise the text means, if that is clear enough to act on."""
        if (exact := self.named(text)) is not None:
            return Match(exact, 1.0)
        best = self._matcher.search(text, limit=1, least=least)
        return best[0] if best else None

    def where(
        self,
        *,
        muscles: Set[Muscle] = frozenset(),
        patterns: Set[Pattern] = frozenset(),
        regions: Set[Region] = frozenset(),
        available: Set[Equipment] | None = None,
        max_level: int = 10,
        limits: Limits = NO_LIMITS,
        suits: Suits | None = None,
    ) -> list[Exercise]:
        """Those that pass every filter given. An empty set, or None, does not filter."""
        tests: list[Callable[[Exercise], bool]] = [lambda each: each.level <= max_level]
        if muscles:
            tests.append(lambda each: not muscles.isdisjoint(each.primary))
        if patterns:
            tests.append(lambda each: each.pattern in patterns)
        if regions:
            tests.append(lambda each: each.region in regions)
        if available is not None:
            tests.append(lambda each: each.setup_with(available) is not None)
        if suits is not None:
            tests.append(lambda each: suits in each.suits)
        if limits is not NO_LIMITS:
            tests.append(limits.allow)
        return [each for each in self if all(test(each) for test in tests)]

    def rung(self, place: LadderPlace) -> list[Exercise]:
        return [self._by_id[each] for each in self.ladders[place.ladder].rungs[place.rung - 1]]

    @cached_property
    def _by_name(self) -> dict[str, Exercise]:
        names = {normal(alias): each for each in self for alias in each.aliases}
        return names | {normal(each.name): each for each in self}

    @cached_property
    def _matcher(self) -> Matcher:
        return Matcher(self)

    def _suggest(self, wanted: str) -> str:
        near = [match.exercise.id for match in self.search(wanted, limit=3)]
        hint = f" Did you mean {', '.join(near)}?" if near else ""
        return f"The catalogue has no exercise {wanted[:80]!r}.{hint}"


def load(folder: Path = DATA) -> Catalogue:
    ladders = [
        Ladder(
            id=entry["id"],
            name=entry["name"],
            rungs=tuple(tuple(rung) for rung in entry["rungs"]),
            gate=Gate(*entry["gate"]) if entry["gate"] else None,
        )
        for entry in read_ladders(folder)
    ]
    places: dict[str, tuple[LadderPlace, ...]] = {}
    for ladder in ladders:
        for number, rung in enumerate(ladder.rungs, start=1):
            for each in rung:
                places[each] = (*places.get(each, ()), LadderPlace(ladder.id, number))
    return Catalogue((exercise for _, exercise in read_exercises(places, folder)), ladders)


@cache
def catalogue() -> Catalogue:
    """Read once, when first asked for."""
    return load()
