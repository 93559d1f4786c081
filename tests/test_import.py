"""`spotter import`, as people use it: real files, a real process, a real database."""

import asyncio
import csv
import os
import subprocess
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import func, select

from spotter.app import House
from spotter.clock import now
from spotter.settings import Settings
from spotter.training import athletes, history, importing
from spotter.training.athlete import Athlete, Request
from spotter.training.catalogue import catalogue
from spotter.training.design import design
from spotter.training.record import record_of
from spotter.training.tables import LoggedSet, LoggedWorkout, OwnExercise
from spotter.training.vocabulary import Level
from spotter.training.words import FULL_GYM
from tests.support.databases import environment_for
from tests.support.people import Gym, Person
from tests.support.processes import SPOTTER, Finished, spotter

SAMPLES = Path(__file__).parent / "training" / "samples"
HEVY = (
    "title",
    "start_time",
    "end_time",
    "exercise_title",
    "set_index",
    "set_type",
    "weight_kg",
    "reps",
    "rpe",
)
BENCH = "barbell-bench-press"


def hevy_file(path: Path, workouts: int, sets_each: int = 20, last: datetime | None = None) -> Path:
    """The newest two days ago, every other day; the bench goes up by 100 g each time and ends at 80 kg."""
    last = last or now() - timedelta(days=2)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, HEVY)
        writer.writeheader()
        for number in range(workouts):
            start = last - timedelta(days=2 * number)
            for index in range(sets_each):
                name, weight = _EXERCISES[index * len(_EXERCISES) // sets_each]
                writer.writerow(
                    {
                        "title": f"Day {number % 3}",
                        "start_time": f"{start:%d %b %Y, %H:%M}",
                        "end_time": f"{start + timedelta(minutes=55):%d %b %Y, %H:%M}",
                        "exercise_title": name,
                        "set_index": index,
                        "set_type": "normal",
                        "weight_kg": round(weight - number * 0.1, 1) if weight else "",
                        "reps": 8,
                        "rpe": 8,
                    }
                )
    return path


_EXERCISES = (
    ("Bench Press (Barbell)", 80.0),
    ("Squat (Barbell)", 100.0),
    ("Push Up", 0.0),
    ("Zorbing Uphill", 0.0),
)


async def imported(settings: Settings, file: Path, who: Person, *more: str) -> Finished:
    return await spotter(
        "import", str(file), "--email", who.email, *more, environment=environment_for(settings)
    )


async def counted(home: House, who: Person) -> tuple[int, int]:
    """Workouts and sets of somebody."""
    async with home.services.database.unit_of_work(who.scope) as uow:
        workouts = await uow.session.scalar(
            select(func.count()).select_from(LoggedWorkout).where(LoggedWorkout.user_id == who.user_id)
        )
        sets = await uow.session.scalar(
            select(func.count()).select_from(LoggedSet).where(LoggedSet.user_id == who.user_id)
        )
    return workouts or 0, sets or 0


async def athlete_of(home: House, who: Person) -> Athlete:
    async with home.services.database.unit_of_work(who.scope) as uow:
        return await athletes.load(uow, who.user_id, None, athletes.finder(catalogue()))


def refused(done: Finished, *words: str) -> None:
    assert done.code not in (0, None)
    assert done.out == ""
    assert "Traceback" not in done.err
    for word in words:
        assert word in done.err, done.err


async def test_five_thousand_sets_once_and_again(
    home: House, settings: Settings, gym: Gym, tmp_path: Path
) -> None:
    file = hevy_file(tmp_path / "hevy.csv", workouts=250)
    foreseen = await imported(settings, file, gym.member, "--dry-run")
    assert foreseen.code == 0, foreseen.err
    assert "Would add      250 (5000 sets)" in foreseen.out
    assert "nothing was changed" in foreseen.out
    assert await counted(home, gym.member) == (0, 0)

    done = await imported(settings, file, gym.member)
    assert done.code == 0, done.err
    assert "Read           250 workouts with 5000 sets of hevy" in done.out
    assert "Added          250 (5000 sets)" in done.out
    assert "3 known, 1 kept under their own names" in done.out
    assert "Zorbing Uphill (1250 sets)" in done.out
    assert done.err == "", "no bar where nobody watches"
    assert await counted(home, gym.member) == (250, 5000)

    again = await imported(settings, file, gym.member)
    assert "Added          0 (0 sets)" in again.out
    assert "Already there  250" in again.out
    assert await counted(home, gym.member) == (250, 5000)
    assert await counted(home, gym.other_member) == (0, 0)
    async with home.services.database.unit_of_work(gym.member.scope) as uow:
        kept = await history.distribution(uow, gym.member.user_id)
        categories, muscles = await history.recount(uow, gym.member.user_id)
    assert kept is not None
    assert (Counter(kept.category_counts), Counter(kept.muscle_counts)) == (categories, muscles)
    assert categories["strength"] == 750


async def test_the_next_workout_uses_it(home: House, settings: Settings, gym: Gym, tmp_path: Path) -> None:
    assert (await imported(settings, hevy_file(tmp_path / "hevy.csv", workouts=6), gym.member)).code == 0
    athlete = await athlete_of(home, gym.member)
    assert len(athlete.past) == 6
    bench = [done for done in athlete.past[0].sets if done.exercise_id == BENCH]
    assert [(done.weight_kg, done.reps, done.rpe) for done in bench] == [(80.0, 8, 8.0)] * 5
    today = date.today()  # noqa: DTZ011 - the day the rules would take
    record = record_of(athlete, catalogue(), today)
    assert record.sessions[BENCH][-1].weight_kg == 80.0
    planned: dict[bool, float | None] = {}
    for somebody in (athlete, Athlete(user_id=athlete.user_id)):
        known = Athlete(
            user_id=somebody.user_id, level=Level.INTERMEDIATE, equipment=FULL_GYM, past=somebody.past
        )
        made = design(Request(minutes=45, include=(BENCH,), today=today), known, catalogue())
        planned[bool(known.past)] = next(
            getattr(one, "weight_kg", None) for one in made.workout.exercises if one.exercise_id == BENCH
        )
    with_it, without = planned[True], planned[False]
    assert with_it is not None
    assert 60 <= with_it <= 90
    assert with_it != without


async def test_what_was_interrupted_is_finished_by_a_second_run(
    home: House, settings: Settings, gym: Gym, tmp_path: Path
) -> None:
    file = hevy_file(tmp_path / "hevy.csv", workouts=120, sets_each=4)
    contents = importing.Reader(catalogue(), UTC, now(), lambda text: text).read(file)

    def power_cut(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await importing.store(home.services.database, gym.member.scope, contents, power_cut)
    assert await counted(home, gym.member) == (50, 200)
    done = await imported(settings, file, gym.member)
    assert "Added          70 (280 sets)" in done.out
    assert await counted(home, gym.member) == (120, 480)


async def test_a_longer_export_adds_what_is_new(
    home: House, settings: Settings, gym: Gym, tmp_path: Path
) -> None:
    last = datetime(2026, 3, 2, 18, 0, tzinfo=UTC)
    assert (await imported(settings, hevy_file(tmp_path / "a.csv", 60, 4, last), gym.member)).code == 0
    longer = hevy_file(tmp_path / "b.csv", 75, 4, last)
    done = await imported(settings, longer, gym.member)
    assert "Added          15 (60 sets)" in done.out
    assert "Already there  60" in done.out
    assert await counted(home, gym.member) == (75, 300)


@pytest.mark.parametrize(
    ("name", "more", "weights"),
    [
        ("strong_semicolons.csv", (), {20_000, 62_500, 61_235}),
        ("strong_commas.csv", ("--pounds", "--kind", "strong"), None),
    ],
)
async def test_both_dialects_of_strong(
    home: House, settings: Settings, gym: Gym, name: str, more: tuple[str, ...], weights: set[int] | None
) -> None:
    done = await imported(settings, SAMPLES / name, gym.member, *more)
    assert done.code == 0, done.err
    assert "of strong" in done.out
    again = await imported(settings, SAMPLES / name, gym.member, *more)
    assert "Added          0 (0 sets)" in again.out
    async with home.services.database.unit_of_work(gym.member.scope) as uow:
        rows = (await uow.session.scalars(select(LoggedSet))).all()
    assert rows
    assert all(row.user_id == gym.member.user_id for row in rows)
    if weights:
        assert weights <= {row.weight_g for row in rows}
        assert "1  a rest timer, no set (line" in done.out


async def test_a_line_in_the_history_claims_no_more_than_was_done(
    home: House, settings: Settings, gym: Gym, tmp_path: Path
) -> None:
    file = tmp_path / "hevy.csv"
    rows = [("warmup", 40, 10), ("normal", 80, 10), ("normal", 90, 8), ("normal", 90, 7)]
    lines = [f'Push,"2 Mar 2026, 18:00",Bench Press (Barbell),{kind},{kg},{reps}' for kind, kg, reps in rows]
    file.write_text("\n".join(["title,start_time,exercise_title,set_type,weight_kg,reps", *lines]))
    done = await imported(settings, file, gym.member, "--kind", "hevy")
    assert done.code == 0, done.err
    async with home.services.database.unit_of_work(gym.member.scope) as uow:
        (workout,) = await history.recent(uow, gym.member.user_id)
    (item,) = workout.exercises["items"]
    assert (item["sets"], item["reps"], item["weight_kg"]) == (2, 7, 90)
    assert item["exercise_id"] == BENCH
    assert workout.source == "hevy"


async def test_what_cannot_be_is_left_out_and_said(
    home: House, settings: Settings, gym: Gym, tmp_path: Path
) -> None:
    head = "title,start_time,exercise_title,set_type,weight_kg,reps,exercise_notes"
    good = '"Ni\0ght","2 Mar 2026, 18:00",Squat (Barbell),normal,100,5,"a\0b"'
    bad = [
        '"Night","2 Mar 2026, 18:00",Squat (Barbell),normal,100000,5,',
        '"Night","no date",Squat (Barbell),normal,100,5,',
        '"Night","2 Mar 2999, 18:00",Squat (Barbell),normal,100,5,',
        '"Night","2 Mar 0001, 18:00",Squat (Barbell),normal,100,5,',
    ]
    file = tmp_path / "odd.csv"
    file.write_text("\n".join([head, good, *bad]))
    done = await imported(settings, file, gym.member)
    assert done.code == 0, done.err
    assert "Skipped        4" in done.out
    assert "2  nobody can have trained at that date" in done.out
    assert "larger than anyone can do (line 3 Squat (Barbell))" in done.out
    assert await counted(home, gym.member) == (1, 1)


async def test_a_collection_becomes_the_organisations_own(
    home: House, settings: Settings, gym: Gym, other_gym: Gym
) -> None:
    for name in ("free_exercise_db", "exercemus", "wger_api", "wger_fixtures"):
        file = SAMPLES / f"{name}.json"
        foreseen = await imported(settings, file, gym.staff, "--dry-run")
        done = await imported(settings, file, gym.staff)
        assert done.code == 0, done.err
        assert f"Would add      {_added(done)}" in foreseen.out
        again = await imported(settings, file, gym.staff)
        assert _added(again) == 0
    async with home.services.database.unit_of_work(gym.owner.scope) as uow:
        rows = (await uow.session.scalars(select(OwnExercise))).all()
    assert len({row.source for row in rows}) == 3
    assert all(row.exercise["id"] == row.id and row.exercise["primary"] for row in rows)
    async with home.services.database.unit_of_work(other_gym.owner.scope) as uow:
        assert (await uow.session.scalars(select(OwnExercise))).all() == []


def _added(done: Finished) -> int:
    (line,) = (line for line in done.out.splitlines() if line.startswith("Added"))
    return int(line.split()[1])


async def test_clear_words_for_what_is_wrong(settings: Settings, gym: Gym, tmp_path: Path) -> None:
    good = hevy_file(tmp_path / "good.csv", 1, 4)
    text, binary, broken = tmp_path / "a.csv", tmp_path / "b.csv", tmp_path / "c.json"
    text.write_text("one,two,three\n1,2,3\n")
    binary.write_bytes(b"\xff\xfe\x00\xd8\x00")
    broken.write_text('[{"name": ')
    refused(await imported(settings, tmp_path / "none.csv", gym.member), "none.csv", "does not exist")
    refused(await imported(settings, text, gym.member), "no log of Strong or Hevy", "Nothing was imported")
    refused(await imported(settings, binary, gym.member), "Nothing was imported")
    refused(await imported(settings, broken, gym.member), "no JSON", "Nothing was imported")
    refused(await imported(settings, good, gym.member, "--kind", "strong"), "a file of hevy, not of strong")
    refused(await imported(settings, good, gym.member, "--kind", "wger"), "no JSON")
    refused(await imported(settings, good, gym.member, "--org", "nowhere-at-all"))
    nobody = await spotter(
        "import", str(good), "--email", "nobody@nowhere.example", environment=environment_for(settings)
    )
    refused(nobody, "Nobody here has the e-mail")


async def test_whoever_watches_sees_how_far_it_is(settings: Settings, gym: Gym, tmp_path: Path) -> None:
    file = hevy_file(tmp_path / "hevy.csv", workouts=120, sets_each=4)
    seen, terminal = os.openpty()
    command = [SPOTTER, "import", str(file), "--email", gym.member.email]
    process = await asyncio.to_thread(
        subprocess.run,
        command,
        stdout=subprocess.PIPE,
        stderr=terminal,
        env=environment_for(settings),
        check=True,
    )
    os.close(terminal)
    bar = os.read(seen, 65_536).decode()
    os.close(seen)
    assert "Importing" in bar
    assert "100%" in bar
    assert b"Importing" not in process.stdout
