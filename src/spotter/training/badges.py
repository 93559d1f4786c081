"""Badges: things worth remembering. Earned once, with the day, from the list of sessions alone."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from spotter.training.experience import Trained, monday


@dataclass(frozen=True, slots=True)
class Badge:
    id: str
    name: str
    description: str


@dataclass(frozen=True, slots=True)
class Earned:
    badge: Badge
    day: date
    session_id: str


Days = Sequence[Trained]
Watch = Callable[[Days], Iterator[bool]]
"""For sessions in order: whether the badge is due with each of them."""

_TONNE: Final = 1000.0
_COUNTS: Final = (1, 10, 50, 100, 200, 500, 1000)
_TONNES: Final = (5, 50, 100, 500, 1000, 5000, 10_000)
_RUNGS: Final = (1, 5, 10, 25)
PHOENIX_DAYS: Final = 30


def _reached(amount: Callable[[Trained], float], goal: float) -> Watch:
    def watch(sessions: Days) -> Iterator[bool]:
        so_far = 0.0
        for each in sessions:
            so_far += amount(each)
            yield so_far >= goal

    return watch


def _once(test: Callable[[Trained], bool]) -> Watch:
    return lambda sessions: (test(each) for each in sessions)


def _phoenix(sessions: Days) -> Iterator[bool]:
    last: date | None = None
    for each in sessions:
        day = each.at.date()
        yield last is not None and (day - last).days >= PHOENIX_DAYS
        last = day


def _weekends(sessions: Days) -> Iterator[bool]:
    """Four weekends in a row."""
    weekends: set[date] = set()
    for each in sessions:
        if each.at.weekday() >= 5:
            weekends.add(monday(each.at.date()))
        start = monday(each.at.date())
        yield all(start - timedelta(weeks=back) in weekends for back in range(4))


def _badges() -> Iterator[tuple[Badge, Watch]]:
    for count in _COUNTS:
        name = "First workout" if count == 1 else f"{count} workouts"
        yield Badge(f"workouts-{count}", name, f"Finished {count:,} in all."), _reached(lambda _: 1, count)
    for tonnes in _TONNES:
        # The text is made from the number that is checked, so that they cannot differ.
        yield (
            Badge(f"volume-{tonnes}t", f"{tonnes:,} t lifted", f"Moved {tonnes * _TONNE:,.0f} kg in all."),
            _reached(lambda each: each.volume_kg, tonnes * _TONNE),
        )
    for rungs in _RUNGS:
        name = "First rung" if rungs == 1 else f"{rungs} rungs"
        yield (
            Badge(f"rungs-{rungs}", name, f"Climbed {rungs} on the ladders."),
            _reached(lambda each: each.rungs, rungs),
        )
    yield (
        Badge("record", "Personal record", "Did better than ever before."),
        _once(lambda each: each.records > 0),
    )
    yield Badge("early", "Early bird", "Started before six."), _once(lambda each: each.at.hour < 6)
    yield Badge("late", "Night owl", "Started after eleven at night."), _once(lambda each: each.at.hour >= 23)
    yield (
        Badge("new-year", "New year", "Trained on the first of January."),
        _once(lambda each: (each.at.month, each.at.day) == (1, 1)),
    )
    yield Badge("phoenix", "Phoenix", f"Came back after {PHOENIX_DAYS} days or more."), _phoenix
    yield Badge("weekends", "Weekender", "Trained on four weekends in a row."), _weekends


BADGES: Final = tuple(_badges())


def earned(sessions: Sequence[Trained]) -> list[Earned]:
    """All badges due, each with the session that brought it, in the order they came."""
    ordered = sorted(sessions, key=lambda each: (each.at, each.session_id))
    found = []
    for badge, watch in BADGES:
        for session, due in zip(ordered, watch(ordered), strict=True):
            if due:
                found.append(Earned(badge, session.at.date(), session.session_id))
                break
    return sorted(found, key=lambda each: each.day)
