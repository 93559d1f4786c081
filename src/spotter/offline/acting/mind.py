"""What the offline model knows from the start: the exercises, their names, how people speak of them. Loaded once."""

import re
from collections import OrderedDict
from collections.abc import Hashable, Iterable
from dataclasses import replace
from datetime import datetime
from functools import cache, lru_cache
from typing import Final, Generic, TypeVar

from spotter.offline.acting.state import State
from spotter.offline.understanding import (
    Item,
    NameList,
    Scheduled,
    Table,
    Understander,
    Understanding,
    everyday,
)
from spotter.training import athletes, own_lines, recall
from spotter.training.athlete import Athlete, Request
from spotter.training.catalogue import Catalogue, catalogue
from spotter.training.design import Design, design
from spotter.training.exercise import Exercise
from spotter.training.families import of_equipment, of_pattern
from spotter.training.recall import Kept, Listed
from spotter.training.vocabulary import Muscle, Suits

WHEELCHAIR: Final = "wheelchair"
"""Kept in free words: whoever sits gets only what was chosen for it."""
_MOST: Final = 256
K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Remembered(Generic[K, V]):
    """The latest answers. A turn asks for the same several times; nothing depends on finding it here."""

    def __init__(self, most: int = _MOST) -> None:
        self._found: OrderedDict[K, V] = OrderedDict()
        self._most = most

    def get(self, key: K) -> V | None:
        return self._found.get(key)

    def put(self, key: K, value: V) -> V:
        self._found[key] = value
        while len(self._found) > self._most:
            self._found.popitem(last=False)
        return value


class Mind:
    def __init__(self, book: Catalogue) -> None:
        self.book: Final = book
        self.find: Final = athletes.finder(book)
        pairs = [(name, each.id) for each in book for name in (each.name, *each.aliases)]
        self._understander: Final = Understander(everyday(NameList(pairs)))
        self._understood: Remembered[tuple[str, datetime, Table], Understanding] = Remembered()
        self._standing: Final = frozenset(each.id for each in book if Suits.WHEELCHAIR not in each.suits)
        self._designed: Remembered[tuple[str, str], Design] = Remembered(64)

    @property
    def understander(self) -> Understander:
        return self._understander

    def understand(self, text: str, now: datetime, table: Table) -> Understanding:
        key = (text, now.replace(second=0, microsecond=0), table)
        return self._understood.get(key) or self._understood.put(
            key, self._understander.understand(text, now, table)
        )

    def design(self, request: Request, athlete: Athlete) -> Design:
        """Raises `NothingFits`."""
        key = (repr(request), repr(athlete))
        return self._designed.get(key) or self._designed.put(key, design(request, athlete, self.book))

    def exercise(self, listed: Listed) -> Exercise | None:
        return self.book.named(listed.name)

    def table(self, state: State) -> Table:
        """What can be spoken of. Places count the main part, as it is shown with numbers."""
        return Table(
            workout=tuple(
                Item(one.id, one.name, known.id if (known := self.exercise(one)) else "")
                for one in main_part(state.table)
            ),
            minutes=round(state.minutes) if state.minutes else None,
            focus=state.focus,
            question=state.question,
            last=state.last,
            scheduled=tuple(
                Scheduled(plan.id, plan.title, plan.at.date()) for plan in (state.planned or {}).values()
            ),
        )

    def athlete(self, state: State, now: datetime) -> Athlete:
        known = recall.athlete(state.told, state.preferences, self.find, more_goals=state.goals)
        unwanted, sore = self._in_words(state.preferences, now)
        return replace(known, excluded=known.excluded | unwanted, sore=known.sore | sore)

    def _in_words(self, kept: Iterable[Kept], now: datetime) -> tuple[frozenset[str], frozenset[Muscle]]:
        """What was kept in free words: «no lunges», «sore quads»."""
        unwanted: set[str] = set()
        sore: set[Muscle] = set()
        for each in kept:
            if each.preference_type != "custom":
                continue
            if each.value == WHEELCHAIR:
                unwanted |= self._standing
            slots = self.understand(each.value, now, Table()).slots
            for taste in slots.tastes:
                if not taste.wanted:
                    unwanted |= self.meant(taste.kind, taste.value, taste.words)
            sore |= {Muscle(name) for name in slots.sore if name in set(Muscle)}
        return frozenset(unwanted), frozenset(sore)

    def meant(self, kind: str, value: str, words: str = "") -> frozenset[str]:
        """The exercises that somebody means who does not want this."""
        match kind:
            case "exercise":
                return frozenset(each.id for each in self.family(value, words))
            case "muscle":
                return frozenset(each.id for each in self.book if value in each.primary)
            case "pattern":
                return of_pattern(value, self.book)
            case "equipment":
                return of_equipment(value, self.book)
            case "region":
                return frozenset(each.id for each in self.book if each.region == value)
            case _:
                return frozenset()

    def family(self, value: str, words: str = "") -> list[Exercise]:
        """All that bear the name: «lunges» are all lunges, «walking lunges» only those."""
        spoken = folded(words or value)
        found = [each for each in self.book if spoken and spoken <= folded(each.name)]
        own = self.book.get(value)
        if own is not None and own not in found:
            found.insert(0, own)
        return sorted(found, key=lambda each: (each is not own, each.level, each.id))


def folded(text: str) -> frozenset[str]:
    return frozenset(
        word[:-1] if word.endswith("s") and len(word) > 3 and not word.endswith("ss") else word
        for word in re.findall(r"[^\W_]+", text.lower())
    )


def main_part(table: Iterable[Listed]) -> tuple[Listed, ...]:
    return tuple(one for one in table if one.phase == "main")


@cache
def mind() -> Mind:
    """Read once, when first needed or when somebody warms us up."""
    return Mind(catalogue())


@lru_cache(maxsize=8)
def _with_own(listed: str) -> Mind:
    own = own_lines.exercises_in(listed)
    return Mind(catalogue().also(own)) if own else mind()


def mind_for(state: State) -> Mind:
    """With the exercises an organisation has beside ours, once they have been told."""
    _, title, listed = state.told.get("user_settings", "").partition(own_lines.TITLE)
    return _with_own(title + listed) if title else mind()
