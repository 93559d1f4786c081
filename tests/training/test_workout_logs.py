"""Logs of other apps: whatever their table looks like, the same workouts come out."""

import contextlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spotter.training.catalogue import catalogue
from spotter.training.importers import LoggedWorkout, Report, Skipped, UnreadableFile, read_log
from spotter.training.importers.logged import unmatched
from spotter.training.importers.reading import NO_DATE, decoded, duration, moment, number
from spotter.training.vocabulary import SetType

SAMPLES = Path(__file__).parent / "samples"


def read(name: str, *, pounds: bool = False) -> tuple[list[LoggedWorkout], list[Skipped]]:
    lines = decoded((SAMPLES / name).read_bytes()).splitlines(keepends=True)
    found = list(read_log(lines, catalogue(), zone=UTC, pounds=pounds))
    return [each for each in found if isinstance(each, LoggedWorkout)], [
        each for each in found if isinstance(each, Skipped)
    ]


def test_strong_with_semicolons() -> None:
    (push, run), skipped = read("strong_semicolons.csv")
    assert (push.title, push.started, push.ended) == (
        "Push day",
        datetime(2026, 3, 2, 18, 5, 11, tzinfo=UTC),
        datetime(2026, 3, 2, 19, 10, 11, tzinfo=UTC),
    )
    assert push.notes == "Slept badly, still good"
    bench, pushdown, plank = push.exercises
    assert [each.type for each in bench.sets] == [SetType.WARMUP, SetType.NORMAL, SetType.NORMAL]
    assert [each.weight_kg for each in bench.sets] == [20, 62.5, 61.235]
    assert bench.sets[2].notes == "a note; with a semicolon"
    assert bench.sets[2].rpe == 9.5
    assert (bench.exercise_id, bench.confidence) == ("barbell-bench-press", 1.0)
    assert (pushdown.exercise_id, pushdown.sets[0].type) == ("cable-pushdown", SetType.DROPSET)
    assert (plank.exercise_id, plank.sets[0].seconds, plank.sets[0].weight_kg) == ("plank", 45, None)
    assert run.exercises[0].sets[0].distance_m == 5200
    assert [each.reason for each in skipped] == ["a rest timer, no set"]


def test_what_the_catalogue_lacks_keeps_its_name() -> None:
    workouts, _ = read("strong_semicolons.csv")
    assert unmatched(workouts) == ["Zorbing Uphill"]


def test_strong_with_commas_and_pounds() -> None:
    (legs,), skipped = read("strong_commas.csv", pounds=True)
    assert legs.title == "Legs, heavy"
    assert legs.ended == legs.started + timedelta(minutes=47)
    assert legs.notes == "left knee fine"
    squat, extension = legs.exercises
    assert squat.sets[0].weight_kg == 102.058
    assert squat.exercise_id == "barbell-back-squat"
    assert extension.sets[0].type is SetType.FAILURE
    assert [(each.where, each.reason) for each in skipped] == [
        ("line 5", "nothing was recorded for this set"),
        ("line 6", NO_DATE),
        ("line 7", "a number is larger than anyone can do"),
    ]


def test_without_a_unit_the_caller_decides() -> None:
    assert read("strong_commas.csv")[0][0].exercises[0].sets[0].weight_kg == 225


def test_hevy() -> None:
    (upper, cardio), skipped = read("hevy.csv")
    bench, row, pull = upper.exercises
    assert upper.ended == datetime(2025, 12, 22, 9, 2, tzinfo=UTC)
    assert [each.type for each in bench.sets] == [SetType.WARMUP, SetType.NORMAL]
    assert (bench.superset, row.superset, pull.superset) == ("0", "0", None)
    assert bench.notes == "pause at the bottom"
    assert (pull.exercise_id, pull.sets[0].type, pull.sets[0].weight_kg) == ("pull-up", SetType.FAILURE, None)
    assert cardio.started == datetime(2026, 5, 5, 19, 26, tzinfo=UTC)
    assert (cardio.exercises[0].sets[0].distance_m, cardio.exercises[0].sets[0].seconds) == (5010, 1800)
    assert [each.reason for each in skipped] == ["no exercise"]


def test_the_third_header_of_strong() -> None:
    lines = [
        '\ufeff"Workout #";"Date";"Workout Name";"Duration (sec)";'
        '"Exercise Name";"Set Order";"Weight (lbs)";"Reps"\r\n',
        '"1";"2026-05-10 07:00:00";"Push";"1800";"Bench Press (Barbell)";"1";"100";"5"\r\n',
    ]
    (workout,) = read_log(lines, catalogue(), zone=UTC)
    assert isinstance(workout, LoggedWorkout)
    assert workout.ended == workout.started + timedelta(minutes=30)
    assert workout.exercises[0].sets[0].weight_kg == 45.359


def test_reading_twice_gives_the_same_ids_in_any_zone() -> None:
    lines = (SAMPLES / "hevy.csv").read_text().splitlines(keepends=True)
    here, there = (
        [each.id for each in read_log(lines, catalogue(), zone=zone) if isinstance(each, LoggedWorkout)]
        for zone in (UTC, ZoneInfo("Pacific/Auckland"))
    )
    assert here == there
    assert len(set(here)) == 2


def test_rows_of_one_workout_may_be_apart() -> None:
    header, *body = (SAMPLES / "hevy.csv").read_text().splitlines(keepends=True)
    shuffled = [header, body[0], body[4], *body[1:4]]
    workouts = [each for each in read_log(shuffled, catalogue(), zone=UTC) if isinstance(each, LoggedWorkout)]
    assert [each.sets for each in workouts] == [4, 1]


def test_progress_can_be_watched_line_by_line() -> None:
    taken = 0

    def watched() -> Iterator[str]:
        nonlocal taken
        for line in (SAMPLES / "strong_semicolons.csv").read_text().splitlines(keepends=True):
            taken += 1
            yield line

    log = read_log(watched(), catalogue(), zone=UTC)
    next(log)
    assert 0 < taken < 9


def test_the_report_counts() -> None:
    report = Report()
    for each in [*read("strong_commas.csv")[0], *read("strong_commas.csv")[1]]:
        report.note(each)
    assert report.imported == 1
    assert report.reasons[NO_DATE] == 1
    assert len(report.skipped) == 3


@pytest.mark.parametrize("text", ["", "a,b,c\n1,2,3\n", "Datum;Workout-Name;Name der Übung\n"])
def test_another_table_says_so(text: str) -> None:
    with pytest.raises(UnreadableFile, match="English"):
        read_log(text.splitlines(keepends=True), catalogue(), zone=UTC)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("62.5", 62.5),
        ("62,5", 62.5),
        ("1,234.5", 1234.5),
        ("1.234,5", 1234.5),
        ("0", None),
        ("", None),
        ("x", None),
    ],
)
def test_numbers(text: str, value: float | None) -> None:
    assert number(text) == value


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1h 5m", 3900),
        ("47m", 2820),
        ("1h", 3600),
        ("45s", 45),
        ("1:05:00", 3900),
        ("4440", 4440),
        ("", None),
        ("99h", None),
    ],
)
def test_durations(text: str, seconds: int | None) -> None:
    length = duration(text)
    assert (length.total_seconds() if length else None) == seconds


@pytest.mark.parametrize(
    "text",
    [
        "2026-05-05 19:26:00",
        "5 May 2026, 19:26",
        "May 5, 2026, 7:26 PM",
        "05.05.2026, 19:26",
        "2026-05-05T19:26:00",
    ],
)
def test_dates(text: str) -> None:
    assert moment(text, UTC) == datetime(2026, 5, 5, 19, 26, tzinfo=UTC)


def test_encodings() -> None:
    assert decoded("Müller".encode("utf-8-sig")) == "Müller"
    assert decoded("Müller".encode("cp1252")) == "Müller"
    assert decoded("Müller".encode("utf-16")) == "Müller"


STRONG = "Date;Workout Name;Exercise Name;Set Order;Weight;Weight Unit;Reps;Distance;Distance Unit\n"
HEVY = "title,start_time,exercise_title,set_type,weight_kg,reps,rpe\n"


def only(text: str) -> LoggedWorkout | Skipped:
    (found,) = read_log(text.splitlines(keepends=True), catalogue(), zone=UTC)
    return found


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            HEVY + "Push,2026-05-05 19:26:00,Bench Press (Barbell),normal,82,5,8,9\n",
            "more fields than the header",
        ),
        (
            HEVY + "Push;2026-05-05 19:26:00;Bench Press (Barbell);normal;82;5;8\n",
            "not separated as the header",
        ),
        (
            HEVY + 'Push,2026-05-05 19:26:00,"Bench,normal,82,8,8\nPull,2026-05-06,Row,normal,60,8,8\n',
            "not closed",
        ),
        (HEVY + "Push,5 Mai 2026 um 19:26,Bench Press (Barbell),normal,82,8,8\n", "set it to English"),
        (
            STRONG + "2026-05-05 19:26:00;Push;Bench Press (Barbell);1;4;pood;8;;\n",
            "the unit pood is not known",
        ),
        (STRONG + "2026-05-05 19:26:00;Run;Running;1;;;;3;leagues\n", "the unit leagues is not known"),
    ],
)
def test_a_row_that_would_give_wrong_numbers_is_left_out_with_the_reason(text: str, reason: str) -> None:
    found = only(text)
    assert isinstance(found, Skipped)
    assert reason in found.reason
    assert found.where.startswith("line ")


@pytest.mark.parametrize(
    ("row", "kilograms", "metres"),
    [
        ("Bench Press (Barbell);1;10;st;8;;", 63.503, None),
        ("Bench Press (Barbell);1;100;LBS;8;;", 45.359, None),
        ("Bench Press (Barbell);1;62,5;kg;8;;", 62.5, None),
        ("Running;1;;;;100;yd", None, 91.44),
    ],
)
def test_units(row: str, kilograms: float | None, metres: float | None) -> None:
    found = only(f"{STRONG}2026-05-05 19:26:00;Day;{row}\n")
    assert isinstance(found, LoggedWorkout)
    (done,) = found.exercises[0].sets
    assert (done.weight_kg, done.distance_m) == (kilograms, metres)


def test_a_date_with_a_zone_is_believed() -> None:
    found = only(HEVY + "Push,2026-05-05T19:26:00+02:00,Bench Press (Barbell),normal,82,5,8\n")
    assert isinstance(found, LoggedWorkout)
    assert found.started == datetime(2026, 5, 5, 17, 26, tzinfo=UTC)


def test_columns_that_say_nothing_of_a_set_may_be_missing() -> None:
    found = only("title,start_time,exercise_title,reps\nPush,2026-05-05 19:26:00,Push Up,12\n")
    assert isinstance(found, LoggedWorkout)
    assert [(done.type, done.reps, done.weight_kg) for done in found.exercises[0].sets] == [
        (SetType.NORMAL, 12, None)
    ]


@given(st.text(max_size=300))
def test_no_content_breaks_the_reader(text: str) -> None:
    header = "Date,Workout Name,Exercise Name,Set Order,Weight,Reps,Seconds\n"
    with contextlib.suppress(UnreadableFile):
        list(read_log([header, *text.splitlines(keepends=True)], catalogue(), zone=UTC))
