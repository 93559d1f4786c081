"""The parts that understanding is made of, one by one."""

from datetime import UTC, date, datetime, time

import pytest

from spotter.offline.evals.labels import short
from spotter.offline.understanding import Item, NameList, Table, Understander, everyday
from spotter.offline.understanding.amounts import amounts_in
from spotter.offline.understanding.dates import dates_in, period_of, when_of
from spotter.offline.understanding.language import other_language
from spotter.offline.understanding.references import by_name, by_place
from spotter.offline.understanding.spelling import ORDINARY, Speller, distance
from spotter.offline.understanding.text import flattened, fold, tokens_of

NOW = datetime(2026, 11, 16, 9, 0, tzinfo=UTC)
ITEMS = tuple(Item(f"e{n}", name, name) for n, name in enumerate(("squat", "row", "plank", "dip"), start=1))


@pytest.mark.parametrize(
    ("left", "right", "edits"),
    [
        ("squat", "squat", 0),
        ("squta", "squat", 1),
        ("sqat", "squat", 1),
        ("lunge", "plunger", 2),
        ("abc", "xyz", 3),
    ],
)
def test_distance(left: str, right: str, edits: int) -> None:
    assert distance(left, right, 3) == edits
    assert distance(right, left, 3) == edits


def test_spelling_leaves_ordinary_words_alone() -> None:
    speller = Speller((), ("chest", "squat", "lunge", "plank", "workout", "equipment"))
    assert [speller.corrected(word) for word in ("chesst", "sqaut", "wrokout", "equipement")] == [
        "chest",
        "squat",
        "workout",
        "equipment",
    ]
    assert [speller.corrected(word) for word in ("cheat", "lounge", "prank", "rest", "lun")] == [
        "cheat",
        "lounge",
        "prank",
        "rest",
        "lun",
    ]
    assert {"cheat", "lounge", "prank"} <= ORDINARY


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("30 min", 1800),
        ("half an hour", 1800),
        ("an hour and a half", 5400),
        ("1h15", 4500),
        ("45'", 2700),
        ("twenty-five minutes", 1500),
        ("three quarters of an hour", 2700),
        ("90 seconds", 90),
        ("27:30", 1650),
        ("two hours", 7200),
        ("a minute and a half", 90),
        ("one hundred and twenty seconds", 120),
    ],
)
def test_durations(text: str, seconds: int) -> None:
    (tag,) = amounts_in(tokens_of(text), set())
    assert tag.amount == seconds


@pytest.mark.parametrize(
    ("text", "day", "clock"),
    [
        ("thursday 7am", date(2026, 11, 19), time(7)),
        ("tomorrow evening", date(2026, 11, 17), time(18)),
        ("next monday", date(2026, 11, 23), None),
        ("in 3 days", date(2026, 11, 19), None),
        ("on the 5th", date(2026, 12, 5), None),
        ("3 january at half past six", date(2027, 1, 3), time(6, 30)),
        ("at 6", date(2026, 11, 17), time(6)),
        ("tonight", date(2026, 11, 16), time(20)),
        ("day after tomorrow at 18:15", date(2026, 11, 18), time(18, 15)),
        ("in two weeks", date(2026, 11, 30), None),
    ],
)
def test_days(text: str, day: date, clock: time | None) -> None:
    tokens = tokens_of(text)
    when = when_of(dates_in(tokens), NOW, tokens)
    assert when is not None
    assert (when.day, when.clock) == (day, clock)


def test_looking_back() -> None:
    today = NOW.date()
    for words, first, last in (
        ("last week", date(2026, 11, 9), date(2026, 11, 15)),
        ("this month", date(2026, 11, 1), today),
        ("last month", date(2026, 10, 1), date(2026, 10, 31)),
        ("yesterday", date(2026, 11, 15), date(2026, 11, 15)),
        ("on friday", date(2026, 11, 13), date(2026, 11, 13)),
        ("last 10 days", date(2026, 11, 6), today),
    ):
        found = period_of(words, today)
        assert found is not None
        assert (found.first, found.last) == (first, last)


@pytest.mark.parametrize(
    ("words", "ids"),
    [
        ("the second one", ("e2",)),
        ("the last 2", ("e3", "e4")),
        ("exercise 3", ("e3",)),
        ("numbers 1 and 4", ("e1", "e4")),
        ("everything", ("e1", "e2", "e3", "e4")),
        ("the other 2", ("e1", "e2", "e4")),
        ("that one", ("e3",)),
        ("the next one", ("e4",)),
        ("exercise 9", ()),
    ],
)
def test_places(words: str, ids: tuple[str, ...]) -> None:
    assert by_place(words, ITEMS, "e3") == ids


def test_names_on_the_table() -> None:
    items = (Item("a", "Goblet squat", "goblet_squat"), Item("b", "Front squat", "front_squat"))
    assert by_name("front_squat", "front squat", items) == ("b",)
    assert by_name("squat", "squats", items) == ("a", "b")
    assert by_name("lunge", "lunges", items) == ()


def test_places_in_the_text_survive() -> None:
    text = "Ｄo “3×10” – İt’s ﬁne"
    assert len(flattened(text)) == len(text)
    assert fold("lunges") == fold("lunge")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("ich möchte heute meine beine trainieren", "de"),
        ("quiero un entrenamiento sin equipo", "es"),
        ("je veux faire une séance", "fr"),
        ("make me a workout", None),
        ("yo", None),
        ("", None),
        ("хочу тренировку для ног", "other"),
    ],
)
def test_language(text: str, code: str | None) -> None:
    assert other_language(tokens_of(text)) == code


def test_names_of_another_catalogue() -> None:
    understander = Understander(NameList([("Zercher squat", "z1"), ("Zerchers", "z1")]))
    understood = understander.understand(
        "swap the zerchers", NOW, Table(workout=(Item("e1", "Zercher squat", "z1"),))
    )
    assert short(understood.slots)["references"] == ["e1"]


def test_short_names_beside_a_catalogue() -> None:
    catalogue = NameList(
        [("Push-up", "push-up"), ("One-arm dumbbell row", "db-row"), ("Rower", "rowing-machine")]
    )
    pairs = dict(everyday(catalogue).pairs())
    assert pairs["press up"] == "push-up"
    assert pairs["row"] == "row"
    understander = Understander(everyday(catalogue))
    table = Table(workout=(Item("e1", "One-arm dumbbell row", "db-row"),))
    assert short(understander.understand("kick the rows out", NOW, table).slots)["references"] == ["e1"]
    assert understander.understand("I bought a rower", NOW).slots.equipment.available == ("rower",)


def test_a_dislike_keeps_its_words() -> None:
    (taste,) = Understander().understand("I hate push-ups", NOW).slots.tastes
    assert (taste.value, taste.words) == ("push_up", "push ups")
