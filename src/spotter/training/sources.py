"""The seven things an agent can be told about an athlete (C3), each in as few tokens as will do.

What is written here is read again by models, the offline one among them: `training/recall.py` is its reader, and a test
holds the two together.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias
from uuid import UUID
from zoneinfo import ZoneInfo

import psycopg
from sqlalchemy.exc import SQLAlchemyError

from spotter.errors import SpotterError
from spotter.store.database import Database
from spotter.store.scope import Scope
from spotter.store.unit_of_work import UnitOfWork
from spotter.training import goals, history, own_exercises, preferences, profile
from spotter.training.local_time import UTC_ZONE, zone_of
from spotter.training.tables import LoggedWorkout, Preference, UserSettings

log = logging.getLogger(__name__)

_AT_ONCE: Final = 3


@dataclass(frozen=True, slots=True)
class Asked:
    """For whom, and what more was said about it."""

    user_id: UUID
    session_id: UUID | None
    params: Mapping[str, Any]


Fetch: TypeAlias = Callable[[UnitOfWork, Asked], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class Source:
    name: str
    description: str
    fetch: Fetch


@dataclass(frozen=True, slots=True)
class Fetched:
    source: str
    formatted: str
    failed: bool = False


async def fetch_all(
    database: Database,
    scope: Scope,
    names: Iterable[str],
    *,
    session_id: UUID | None = None,
    params: Mapping[str, Mapping[str, Any]] | None = None,
) -> list[Fetched]:
    """Side by side, each in a transaction of its own: one that fails says so and spoils nothing else."""
    assert scope.user_id is not None
    user_id, given = scope.user_id, params or {}
    room = asyncio.Semaphore(_AT_ONCE)

    async def one(name: str) -> Fetched:
        asked = Asked(user_id, session_id, given.get(name, {}))
        async with room:
            try:
                async with database.unit_of_work(scope) as uow:
                    return Fetched(name, await SOURCES[name].fetch(uow, asked))
            except (SQLAlchemyError, psycopg.Error, SpotterError) as error:
                log.warning("a data source failed", extra={"source": name}, exc_info=error)
                return Fetched(name, "This could not be loaded just now.", failed=True)

    return list(await asyncio.gather(*(one(name) for name in dict.fromkeys(names))))


async def _user_profile(uow: UnitOfWork, asked: Asked) -> str:
    stats = await profile.body_stats(uow, asked.user_id)
    if stats is None:
        return "No body stats recorded."
    parts = [
        f"age {stats.age}" if stats.age is not None else "",
        f"height {stats.height_cm} cm" if stats.height_cm is not None else "",
        f"weight {stats.weight_g / 1000:g} kg" if stats.weight_g is not None else "",
        f"gender {stats.gender}" if stats.gender else "",
    ]
    return " | ".join(filter(None, parts)) or "No body stats recorded."


async def _category_goals(uow: UnitOfWork, asked: Asked) -> str:
    return weights(await goals.category_goals(uow, asked.user_id)) or "No category goals set."


async def _muscle_goals(uow: UnitOfWork, asked: Asked) -> str:
    return weights(await goals.muscle_goals(uow, asked.user_id)) or "No muscle goals set."


async def _active_preferences(uow: UnitOfWork, asked: Asked) -> str:
    found = await preferences.active(uow, asked.session_id)
    return "\n".join(preference_line(row) for row in found) or "No active preferences."


async def _workout_history(uow: UnitOfWork, asked: Asked) -> str:
    limit = asked.params.get("limit")
    limit = limit if isinstance(limit, int) else history.USUALLY_TOLD
    found = await history.recent(uow, asked.user_id, limit=max(1, min(limit, history.MOST_TOLD)))
    zone = await zone_of(uow, asked.user_id)
    return "\n".join(workout_line(row, zone) for row in found) or "No workout history."


async def _exercise_distribution(uow: UnitOfWork, asked: Asked) -> str:
    found = await history.distribution(uow, asked.user_id)
    if found is None:
        return "No distribution data."
    lines = [
        f"{title}: " + ", ".join(f"{name}:{count}" for name, count in sorted(counts.items()))
        for title, counts in (("Categories", found.category_counts), ("Muscles", found.muscle_counts))
        if counts
    ]
    return "\n".join(lines) or "No distribution data."


async def _user_settings(uow: UnitOfWork, asked: Asked) -> str:
    own = await own_exercises.told(uow)
    return "\n".join(filter(None, [_settings(await profile.settings(uow, asked.user_id)), own]))


def _settings(found: UserSettings | None) -> str:
    if found is None:
        return "Default settings in use."
    parts = [
        f"duration {found.preferred_workout_duration} min" if found.preferred_workout_duration else "",
        f"level {found.fitness_level}" if found.fitness_level else "",
        f"equipment {', '.join(sorted(found.available_equipment)) or 'none'}"
        if found.equipment_known
        else "",
        f"{found.days_per_week} days a week" if found.days_per_week else "",
        f"units {found.units}",
    ]
    return " | ".join(filter(None, parts))


def weights(found: Mapping[str, int]) -> str:
    return ", ".join(f"{name}: {weight:+d}" for name, weight in sorted(found.items()))


def preference_line(row: Preference) -> str:
    lasting = "" if row.duration_type == "permanent" else f" ({row.duration_type})"
    known = {key: value for key, value in row.details.items() if isinstance(value, str) and key in _TOLD}
    told = f" {{{' '.join(f'{key}={value}' for key, value in sorted(known.items()))}}}" if known else ""
    return f"[{row.id}] {row.preference_type}: {row.value}{lasting}{told}"


def workout_line(row: LoggedWorkout, zone: ZoneInfo = UTC_ZONE) -> str:
    """The main part; what was before and after it only when there was nothing else."""
    items: Sequence[Mapping[str, Any]] = [
        item for item in row.exercises["items"] if item.get("completed", True)
    ]
    main = [item for item in items if item.get("phase", "main") == "main"]
    done = ", ".join(amount(item) for item in main or items) or "nothing completed"
    title = f" {row.title}" if row.title else ""
    return f"{row.completed_at.astimezone(zone):%Y-%m-%d}{title}: {done}"


def listed(workout: Mapping[str, Any]) -> list[str]:
    """A workout as agents read it: with the ids by which it is changed."""
    lines = [f"[{item['id']}] {item['phase']}: {amount(item)}" for item in workout["exercises"]]
    if minutes := workout["summary"].get("total_duration_estimate"):
        lines.append(f"About {minutes:g} min.")
    return lines


def amount(item: Mapping[str, Any]) -> str:
    """«Push-up 3x10», «Plank 3x45s», «Rower 600s», «Burpee 8x20s/10s», with weight and effort where there are any."""
    weight = f" @{item['weight_kg']:g}kg" if item.get("weight_kg") else ""
    rpe = f" rpe {item['rpe']:g}" if item.get("rpe") else ""
    sets = item.get("sets_done") or item.get("sets")
    match item.get("type"):
        case "reps":
            how = f"{sets}x{item['reps']}"
        case "hold":
            how = f"{sets}x{item['hold_time']}s"
        case "duration":
            how = f"{item['duration']}s"
        case "intervals":
            how = f"{item.get('sets_done') or item['rounds']}x{item['work_time']}s/{item['rest_time']}s"
        case _:
            how = ""
    return f"{item['name']} {how}{weight}{rpe}".strip()


_TOLD: Final = frozenset({"joint", "severity", "side", "exercise_id", "condition", "expires_at"})

SOURCES: Final[Mapping[str, Source]] = {
    source.name: source
    for source in (
        Source("user_profile", "age, height, weight and gender", _user_profile),
        Source("category_goals", "what the athlete trains for, weighted from -10 to 10", _category_goals),
        Source("muscle_goals", "muscles the athlete wants more or less of, from -10 to 10", _muscle_goals),
        Source(
            "active_preferences",
            "equipment, injuries, exclusions, time and other wishes that hold now, with their ids",
            _active_preferences,
        ),
        Source("workout_history", "the latest workouts with sets and loads", _workout_history),
        Source(
            "exercise_distribution", "how often each category and muscle was trained", _exercise_distribution
        ),
        Source(
            "user_settings",
            "usual duration, level, equipment, days a week, and exercises of one's own",
            _user_settings,
        ),
    )
}
