"""What is told of an athlete can be read back: the writers of `sources.py` and the tools, and their reader."""

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spotter.store.unit_of_work import UnitOfWork
from spotter.tools.calendar import line
from spotter.training import athletes, own_exercises, profile, recall, sources
from spotter.training.catalogue import catalogue
from spotter.training.limits import Injury, Severity, Side
from spotter.training.tables import LoggedWorkout, Preference, ScheduledWorkout
from spotter.training.vocabulary import Equipment, Joint, Level, Muscle

BOOK = catalogue()
FIND = athletes.finder(BOOK)
names = st.sampled_from([each.name for each in BOOK])
counts = st.integers(1, 60)
loads = st.one_of(st.none(), st.integers(1, 900).map(lambda half: half / 2))
efforts = st.one_of(st.none(), st.integers(2, 20).map(lambda half: half / 2))
ids = st.uuids().map(str)
moments = st.datetimes(datetime(1990, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 - hypothesis wants it naive
plain = st.text(st.characters(whitelist_categories=("Ll", "Lu", "Nd")), min_size=1, max_size=12)
phrases = st.lists(plain, min_size=1, max_size=5).map(" ".join)


def items() -> st.SearchStrategy[dict[str, Any]]:
    def of(kind: str, **numbers: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
        return st.fixed_dictionaries({"name": names, "type": st.just(kind), **numbers})

    reps = of("reps", sets=counts, reps=counts, weight_kg=loads, rpe=efforts)
    hold = of("hold", sets=counts, hold_time=counts, weight_kg=loads, rpe=efforts)
    duration = of("duration", duration=st.integers(1, 7200), rpe=efforts)
    intervals = of("intervals", rounds=counts, work_time=counts, rest_time=st.integers(0, 90), rpe=efforts)
    return st.one_of(reps, hold, duration, intervals)


def without_nothing(item: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in item.items() if value is not None}


@given(items())
def test_amounts(item: dict[str, Any]) -> None:
    assert recall.item_of(sources.amount(item)) == without_nothing(item)


@given(
    st.lists(
        st.tuples(moments, phrases, st.lists(items(), max_size=6)),
        max_size=5,
    )
)
def test_history(rows: list[tuple[datetime, str, list[dict[str, Any]]]]) -> None:
    written = "\n".join(
        sources.workout_line(LoggedWorkout(completed_at=at, title=title, exercises={"items": done}))
        for at, title, done in rows
    )
    told = recall.history(written)
    assert [(past.done_at.date(), past.title) for past in told] == [
        (at.date(), title) for at, title, _ in rows
    ]
    assert [list(past.items) for past in told] == [
        [without_nothing(each) for each in done] for _, _, done in rows
    ]
    known = recall.past_workouts(told, FIND)
    assert len(known) == sum(bool(done) for _, _, done in rows)


@given(
    st.lists(
        st.tuples(
            st.uuids(),
            st.sampled_from(["injury", "exclusion", "equipment", "custom"]),
            phrases,
            st.sampled_from(["permanent", "session", "temporary"]),
            st.dictionaries(st.sampled_from(["joint", "severity", "side", "exercise_id"]), plain),
        ),
        max_size=5,
    )
)
def test_preferences(rows: list[tuple[UUID, str, str, str, dict[str, str]]]) -> None:
    written = [
        Preference(id=one, preference_type=kind, value=value, duration_type=lasting, details=details)
        for one, kind, value, lasting, details in rows
    ]
    told = recall.preferences("\n".join(map(sources.preference_line, written)))
    assert [
        (each.id, each.preference_type, each.value, each.duration_type, dict(each.details)) for each in told
    ] == [(str(one), *rest) for one, *rest in rows]


@given(st.dictionaries(st.sampled_from([*Muscle, "strength", "fat_loss", "my own"]), st.integers(-10, 10)))
def test_weights(found: dict[str, int]) -> None:
    assert recall.weights(sources.weights(found)) == found
    assert recall.fetched(f"muscle_goals:\n{sources.weights(found)}\nuser_settings:\nx") == {
        "muscle_goals": sources.weights(found),
        "user_settings": "x",
    }


async def test_profile_and_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    async def body(*_: object) -> SimpleNamespace:
        return SimpleNamespace(age=41, height_cm=180, weight_g=82_500, gender="")

    async def settings(*_: object) -> SimpleNamespace:
        return SimpleNamespace(
            preferred_workout_duration=45,
            fitness_level="intermediate",
            available_equipment=["dumbbell", "pullup_bar"],
            equipment_known=True,
            days_per_week=3,
            units="metric",
        )

    monkeypatch.setattr(profile, "body_stats", body)

    async def nothing(*_: object) -> str:
        return ""

    monkeypatch.setattr(profile, "settings", settings)
    monkeypatch.setattr(own_exercises, "told", nothing)
    asked = sources.Asked(UUID(int=1), None, {})
    nowhere = cast("UnitOfWork", None)
    told = {
        name: await sources.SOURCES[name].fetch(nowhere, asked) for name in ("user_profile", "user_settings")
    }
    athlete = recall.athlete(told, [], FIND)
    assert (athlete.age, athlete.weight_kg, athlete.minutes) == (41, 82.5, 45)
    assert athlete.level is Level.INTERMEDIATE
    assert athlete.equipment == frozenset({Equipment.DUMBBELL, Equipment.PULLUP_BAR})
    empty = recall.athlete(
        {"user_settings": "Default settings in use.", "user_profile": "No body stats recorded."}, [], FIND
    )
    assert (empty.age, empty.equipment, empty.minutes, empty.level) == (None, None, None, Level.BEGINNER)


def test_an_athlete_from_preferences() -> None:
    kept = recall.preferences(
        "[00000000-0000-0000-0000-000000000001] injury: left knee {joint=knee severity=moderate side=left}\n"
        "[00000000-0000-0000-0000-000000000002] exclusion: Burpee {exercise_id=burpee}\n"
        "[00000000-0000-0000-0000-000000000003] equipment: none (session)\nnot a preference"
    )
    athlete = recall.athlete({}, kept, FIND, more_goals={"strength": 8, "chest": 4})
    assert athlete.injuries == (Injury(Joint.KNEE, Severity.MODERATE, Side.LEFT),)
    assert athlete.excluded == {"burpee"}
    assert athlete.equipment == frozenset({Equipment.NONE})
    assert athlete.muscle_goals == {Muscle.CHEST: 4}


def test_what_a_tool_kept() -> None:
    told = 'Kept injury "left knee, moderate" (permanent) as [00000000-0000-0000-0000-000000000001]'
    kept = recall.kept(told, {"joint": "knee"})
    assert kept is not None
    assert (kept.preference_type, kept.value, kept.duration_type) == (
        "injury",
        "left knee, moderate",
        "permanent",
    )
    assert recall.kept("It is not clear which joint this is about. Nothing was kept.") is None


@given(st.uuids(), moments, phrases, st.one_of(st.none(), counts))
def test_scheduled_workouts(one: UUID, at: datetime, title: str, minutes: int | None) -> None:
    moment = at.replace(second=0, microsecond=0)
    row = ScheduledWorkout(id=one, scheduled_for=moment, title=title, minutes=minutes)
    assert recall.planned(f"Scheduled {line(row)}") == [recall.Planned(str(one), moment, title, minutes)]


def test_a_note_is_read_and_nothing_else() -> None:
    assert recall.note('<data source="user_settings">\nlevel advanced\n</data>') == (
        "user_settings",
        "level advanced",
    )
    assert recall.note("my data source is me") is None
