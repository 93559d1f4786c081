"""An athlete as the rules see them, put together from what is stored."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final, Protocol, TypeAlias
from uuid import UUID

from spotter.clock import now
from spotter.store.unit_of_work import UnitOfWork
from spotter.training import goals, history, lengths, preferences, profile, words
from spotter.training.athlete import Athlete, Effort, Goal, PastWorkout
from spotter.training.catalogue import Catalogue
from spotter.training.families import family_of
from spotter.training.limits import Condition, Injury, Severity, Side
from spotter.training.progression import LONG_AGO
from spotter.training.tables import UserSettings
from spotter.training.vocabulary import Equipment, Joint, Level, Muscle

_NO: Final = ("no ", "never ", "nothing ", "avoid ", "without ")

_RECENTLY: Final = timedelta(days=LONG_AGO)

FindExercise: TypeAlias = Callable[[str], str | None]
"""From what somebody calls an exercise to its id in the catalogue."""


class Finder:
    """Names of a catalogue, one by one and in families."""

    def __init__(self, book: Catalogue) -> None:
        self._book: Final = book

    def __call__(self, name: str) -> str | None:
        found = self._book.find(name)
        return found.exercise.id if found is not None else None

    def family(self, said: str) -> frozenset[str]:
        return family_of(said, self._book)

    def is_name(self, said: str, exercise_id: str) -> bool:
        known = self._book.get(exercise_id)
        return known is not None and known.name == said


def finder(book: Catalogue) -> Finder:
    return Finder(book)


class Wish(Protocol):
    """A preference, wherever it was read."""

    @property
    def preference_type(self) -> str: ...
    @property
    def value(self) -> str: ...
    @property
    def details(self) -> Mapping[str, Any]: ...


@dataclass(slots=True)
class Wishes:
    """What preferences come to, taken in the order in which they were said."""

    equipment: frozenset[Equipment] | None = None
    minutes: int | None = None
    injuries: dict[tuple[Joint, Side], Injury] = field(default_factory=dict)
    conditions: set[Condition] = field(default_factory=set)
    excluded: set[str] = field(default_factory=set)
    focus: set[Muscle] = field(default_factory=set)
    effort: Effort = Effort.NORMAL

    def add(self, wish: Wish, find: FindExercise) -> None:
        match wish.preference_type:
            case "equipment":
                self.equipment = words.equipment_of(wish.value) or self.equipment
            case "location":
                self._add_place(wish.value)
            case "time_available":
                self.minutes = lengths.minutes_of(wish.value) or self.minutes
            case "injury":
                self._add_injury(wish)
            case "exclusion":
                self._exclude(wish, find)
            case "custom" if wish.value.casefold().startswith(_NO) and isinstance(find, Finder):
                self.excluded |= find.family(wish.value)
            case "focus":
                self.focus |= words.muscles_of(wish.value)
            case "intensity":
                self.effort = words.effort_of(wish.value) or self.effort
            case _:
                pass

    def _exclude(self, wish: Wish, find: FindExercise) -> None:
        """One exercise where it is named as the catalogue does, else all that are meant by the words."""
        told = wish.details.get("exercise_id")
        named = isinstance(told, str) and isinstance(find, Finder) and find.is_name(wish.value, told)
        family = find.family(wish.value) if isinstance(find, Finder) and not named else frozenset[str]()
        self.excluded |= family
        found = told or (None if family else find(wish.value))
        if isinstance(found, str):
            self.excluded.add(found)

    def _add_place(self, value: str) -> None:
        if "gym" in words.plain(value).split():
            self.equipment = self.equipment or words.FULL_GYM

    def _add_injury(self, wish: Wish) -> None:
        if condition := wish.details.get("condition") or words.condition_of(wish.value):
            self.conditions.add(Condition(condition))
        told = wish.details
        if told.get("joint") in set(Joint):
            severity = told.get("severity")
            side = told.get("side")
            injury: Injury | None = Injury(
                Joint(told["joint"]),
                Severity(severity) if severity in set(Severity) else words.severity_of(wish.value),
                Side(side) if side in set(Side) else words.side_of(wish.value),
            )
        else:
            injury = words.injury_of(wish.value)
        if injury is not None:
            self.injuries[injury.joint, injury.side] = injury


def wishes_of(found: Iterable[Wish], find: FindExercise) -> Wishes:
    wishes = Wishes()
    for wish in found:
        wishes.add(wish, find)
    return wishes


async def load(uow: UnitOfWork, user_id: UUID, session_id: UUID | None, find: FindExercise) -> Athlete:
    stats = await profile.body_stats(uow, user_id)
    settings = await profile.settings(uow, user_id)
    wishes = wishes_of(await preferences.active(uow, session_id), find)
    muscle_goals = {
        Muscle(name): weight
        for name, weight in (await goals.muscle_goals(uow, user_id)).items()
        if name in set(Muscle)
    }
    for muscle in wishes.focus:
        muscle_goals[muscle] = max(muscle_goals.get(muscle, 0), 5)
    past = await history.past(uow, user_id, now() - _RECENTLY, latest=history.MOST_TOLD)
    return Athlete(
        user_id=user_id,
        age=stats.age if stats else None,
        weight_kg=stats.weight_g / 1000 if stats and stats.weight_g is not None else None,
        level=level_from(settings.fitness_level if settings else None),
        equipment=wishes.equipment or _equipment(settings),
        minutes=wishes.minutes or (settings.preferred_workout_duration if settings else None),
        goals=goals_from(await goals.category_goals(uow, user_id)),
        muscle_goals=muscle_goals,
        injuries=tuple(wishes.injuries.values()),
        conditions=frozenset(wishes.conditions),
        clearance=await profile.clearance(uow, user_id),
        excluded=frozenset(wishes.excluded),
        effort=wishes.effort,
        past=past,
        rusty=rusty_in(past, now() - _RECENTLY),
    )


def rusty_in(past: Iterable[PastWorkout], recently: datetime) -> frozenset[str]:
    """What was done once, and not since."""
    lately, ever = set[str](), set[str]()
    for workout in past:
        done = {one.exercise_id for one in workout.sets}
        ever |= done
        lately |= done if workout.done_at >= recently else set()
    return frozenset(ever - lately)


def goals_from(found: Mapping[str, int]) -> dict[Goal, int]:
    known = ((words.goal_of(name), weight) for name, weight in found.items())
    return {goal: weight for goal, weight in known if goal is not None}


def level_from(value: str | None) -> Level:
    return Level(value) if value in set(Level) else Level.BEGINNER


def _equipment(settings: UserSettings | None) -> frozenset[Equipment] | None:
    if settings is None or not settings.equipment_known:
        return None
    return frozenset(Equipment(item) for item in settings.available_equipment if item in set(Equipment))
