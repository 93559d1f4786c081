"""Points, levels and weekly streaks: an append-only list of entries and what can be read off it.

Nothing here rewards losing weight, burning calories, doing more than planned, or training through pain.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from math import isqrt
from typing import Final

COMPLETED: Final = 50
PER_SET, MOST_SETS = 2, 25
PER_RECORD, MOST_RECORDS = 10, 3
COMEBACK, COMEBACK_DAYS = 20, 7
PLAN_KEPT: Final = 10
MOBILITY: Final = 5
MOST_A_DAY: Final = 250
STREAK_STEP, MOST_STREAK_BONUS = 0.05, 0.25

WEEKS_FOR_A_FREEZE, MOST_FREEZES = 4, 2


class Rule(StrEnum):
    COMPLETED = "completed"
    SETS = "sets"
    RECORDS = "records"
    COMEBACK = "comeback"
    PLAN_KEPT = "plan_kept"
    MOBILITY = "mobility"
    STREAK = "streak"


@dataclass(frozen=True, slots=True)
class Trained:
    """What counts about one finished session. `at` is in the athlete's own zone."""

    session_id: str
    at: datetime
    working_sets: int
    planned_sets: int
    records: int = 0
    all_planned: bool = False
    mobility: bool = False
    through_pain: bool = False
    volume_kg: float = 0.0
    rungs: int = 0
    """Rungs of ladders reached for the first time."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Points for one reason. `key` says for what, so that counting something twice cannot happen."""

    session_id: str
    rule: Rule
    points: int
    day: date
    undone: bool = False
    """Takes back what an earlier entry gave."""

    @property
    def key(self) -> tuple[str, Rule, bool]:
        return self.session_id, self.rule, self.undone


def award(trained: Trained, ledger: Sequence[Entry], *, last: date | None, streak_weeks: int) -> list[Entry]:
    """New entries for a session; none if it has its points already. `last` is the day trained before this one."""
    if trained.through_pain or any(entry.session_id == trained.session_id for entry in ledger):
        return []
    day = trained.at.date()
    sets = min(trained.working_sets, trained.planned_sets, MOST_SETS)
    points = {
        Rule.COMPLETED: COMPLETED,
        Rule.SETS: PER_SET * max(sets, 0),
        Rule.RECORDS: PER_RECORD * min(max(trained.records, 0), MOST_RECORDS),
        Rule.COMEBACK: COMEBACK if last and (day - last).days >= COMEBACK_DAYS else 0,
        Rule.PLAN_KEPT: PLAN_KEPT if trained.all_planned else 0,
        Rule.MOBILITY: MOBILITY if trained.mobility else 0,
    }
    bonus = min(STREAK_STEP * max(streak_weeks, 0), MOST_STREAK_BONUS)
    points[Rule.STREAK] = int(sum(points.values()) * bonus)
    left = MOST_A_DAY - sum(entry.points for entry in ledger if entry.day == day)
    entries = []
    for rule, amount in points.items():
        given = min(amount, max(left, 0))
        left -= given
        if given:
            entries.append(Entry(trained.session_id, rule, given, day))
    return entries


def undo(session_id: str, ledger: Sequence[Entry]) -> list[Entry]:
    """Entries that take a session's points back, once."""
    own = [entry for entry in ledger if entry.session_id == session_id]
    taken = {entry.rule for entry in own if entry.undone}
    return [
        Entry(session_id, entry.rule, -entry.points, entry.day, undone=True)
        for entry in own
        if not entry.undone and entry.rule not in taken
    ]


def total(ledger: Iterable[Entry]) -> int:
    return sum(entry.points for entry in ledger)


def points_to_reach(level: int) -> int:
    return 50 * level * (level - 1)


def level_at(points: int) -> int:
    """The highest level whose points are reached: the root of 50·L·(L−1), in whole numbers."""
    return (1 + isqrt(1 + max(points, 0) * 4 // 50)) // 2


@dataclass(frozen=True, slots=True)
class Streak:
    weeks: int
    best: int
    freezes: int
    """Ready to save a missed week."""


def monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


def weekly_streak(days: Iterable[date], goal: int, today: date, paused: Iterable[date] = ()) -> Streak:
    """Weeks in a row with at least `goal` training days. The running week counts once it is kept and never breaks.

    `paused` holds days of illness, injury, holiday or ordered rest: their weeks neither count nor break anything.
    """
    trained: dict[date, int] = {}
    for day in set(days):
        trained[monday(day)] = trained.get(monday(day), 0) + 1
    if not trained:
        return Streak(0, 0, 0)
    pauses = {monday(day) for day in paused}
    this_week, week = monday(today), min(trained)
    weeks = best = freezes = earned = 0
    while week <= this_week:
        if trained.get(week, 0) >= goal:
            weeks += 1
            earned += 1
            best = max(best, weeks)
            if earned == WEEKS_FOR_A_FREEZE:
                earned, freezes = 0, min(freezes + 1, MOST_FREEZES)
        elif week not in pauses and week != this_week and weeks:
            if freezes:
                freezes -= 1
            else:
                weeks = earned = 0
        week += timedelta(days=7)
    return Streak(weeks, best, freezes)
