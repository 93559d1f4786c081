"""The same amount, hour, thing or set, in the ways people say it."""

import pytest

from spotter.offline.evals import NOW, TABLES
from spotter.offline.evals.labels import short
from spotter.offline.understanding import Intent, Understander
from spotter.offline.understanding.answers import answer_in
from spotter.offline.understanding.dangers import danger_in
from spotter.offline.understanding.filling import fill
from spotter.offline.understanding.names import BASIC_NAMES
from spotter.offline.understanding.reading import Vocabulary, read

VOCABULARY = Vocabulary(BASIC_NAMES)


def filled(text: str, intent: Intent, name: str, table: str = "") -> object:
    """A slot of a message that is known to mean `intent`."""
    line = read(text, VOCABULARY)
    return short(fill(line, [intent], TABLES[table], NOW, message=line)).get(name)


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("legs, hour and ten", "70"),
        ("chest, about an hour ten", "70"),
        ("core for an hour and a quarter", "75"),
        ("legs 3/4 hour", "45"),
        ("quarter hour of abs", "15"),
        ("forty-five for shoulders", "45"),
        ("rear delts, 20-25", "20-25"),
        ("arms, got twenty to twenty-five", "20-25"),
        ("legs for 20 in the sitting room", "20"),
        ("slept 4 hours, legs for 30 minutes", "30"),
    ],
)
def test_lengths(text: str, minutes: str) -> None:
    assert filled(text, Intent.CREATE, "duration") == minutes


@pytest.mark.parametrize(
    ("text", "minutes"), [("knock 5 off it", "-5"), ("extend by 5", "+5"), ("add like ten mins", "+10")]
)
def test_changed_lengths(text: str, minutes: str) -> None:
    assert filled(text, Intent.LONGER, "duration", "workout") == minutes


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("thurs arvo, glutes", "2026-11-19 15:00"),
        ("quarter to seven tomorrow evening", "2026-11-17 18:45"),
        ("legs a fortnight from today", "2026-11-30"),
        ("thursday week at half 6 in the evening", "2026-11-26 18:30"),
        ("weekends at 10am", "every sat,sun 10:00"),
        ("monday through friday at 0530 hours", "every mon,tue,wed,thu,fri 05:30"),
        ("next week thursday", "2026-11-26"),
        ("on 24/11", "2026-11-24"),
        ("core first thing tomorrow", "2026-11-17 08:00"),
    ],
)
def test_days_and_hours(text: str, when: str) -> None:
    assert filled(text, Intent.SCHEDULE, "when") == when


def test_what_is_no_hour() -> None:
    assert filled("make the first thing easier", Intent.SCHEDULE, "when") is None
    assert filled("face pulls 3x15 at 20", Intent.LOG, "logs") == ["face_pull 3x15 @20"]


@pytest.mark.parametrize(
    ("text", "kit"),
    [
        ("squat rack and a barbell", "barbell rack"),
        ("push but nothing that wants a bench", "-bench"),
        ("got rid of my barbell, just the dumbbells left", "only dumbbell -barbell"),
        ("all i own is a pair of kettlebells", "only kettlebell"),
        ("no kit apart from a band", "only bands"),
        ("no bench no barbell no nothing", "only"),
        ("only got 30 mins, dumbbells and a bench", "bench dumbbell"),
        ("upper body, the cables are all taken", "-cable"),
        ("a couple of dumbbells out the back", "dumbbell"),
    ],
)
def test_kit(text: str, kit: str) -> None:
    assert filled(text, Intent.CREATE, "equipment") == kit


@pytest.mark.parametrize(
    ("text", "log"),
    [
        ("squat 12@20, 10@20, 8@20", "squat 12,10,8 @20"),
        ("lunges 10 each side x 3, 14kg", "lunge 3x10 @14 each"),
        ("curls 12.5s for 12, 10, 9", "biceps_curl 12,10,9 @12.5"),
        ("plank: 30s, 30s, 25s", "plank 30s,30s,25s"),
        ("1500m row 6:45", "rowing 1500m/405s"),
        ("ran 18k in 1:41", "running 18000m/6060s"),
        ("bench 60x8, 60x8, 60x7", "bench_press 8,8,7 @60"),
        ("15 pushups twice", "push_up 2x15"),
        ("did a 5 k in 31 minutes", "running 5000m/1860s"),
        ("squats, 3 lots of 10 with 6 kilos", "squat 3x10 @6"),
    ],
)
def test_sets(text: str, log: str) -> None:
    assert filled(text, Intent.LOG, "logs") == [log]


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("set goblets to 16 kg, i only own a 16", ["weight_kg=16"]),
        ("give me 2 minutes between sets", ["rest_seconds=120"]),
        ("hold the plank 20 seconds longer", ["seconds=+20"]),
        ("couple more reps for lunges", ["reps=+2"]),
        ("six reps on each, and heavier", ["reps=6", "weight_kg=+"]),
        ("eight would do", ["reps=8"]),
    ],
)
def test_adjustments(text: str, changes: list[str]) -> None:
    assert filled(text, Intent.ADJUST, "adjustments", "workout") == changes


@pytest.mark.parametrize(
    ("text", "injury"),
    [
        ("neck's stiff and painful", "neck both moderate"),
        ("my neck is a bit stiff", "neck both mild"),
        ("rolled my ankle, the left one, can barely walk", "ankle left severe"),
        ("my left knee clicks, it does not hurt that much", "knee left mild"),
        ("lower back is killing me", "lower_back both severe"),
        ("shoulder is grand now", "shoulder better"),
    ],
)
def test_injuries(text: str, injury: str) -> None:
    assert filled(text, Intent.REPORT_INJURY, "injuries") == [injury]


def test_worn_muscles_are_sore() -> None:
    assert filled("quads are in bits after yesterday so upper half", Intent.CREATE, "sore") == ["quads"]
    assert filled("glutes aching like mad after leg day", Intent.CREATE, "sore") == ["glutes"]
    assert filled("forearms are toast, give me legs", Intent.CREATE, "regions") == ["lower"]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("different opener please", ["e1"]),
        ("drop the second to last", ["e4"]),
        ("number five, i don't like that one", ["e5"]),
        ("something else for the one after the squats", ["e3"]),
        ("whatever is at the bottom", ["e5"]),
    ],
)
def test_places_on_the_table(text: str, ids: list[str]) -> None:
    assert filled(text, Intent.SWAP, "references", "workout") == ids


@pytest.mark.parametrize(
    ("text", "table", "option"),
    [
        ("just me and the floor", "equipment?", "Bodyweight only"),
        ("the lot! racks, cables, machines", "equipment?", "Full gym"),
        ("a couple of db's", "equipment?", "Dumbbells"),
        ("whatever's longest", "length?", "45 minutes"),
        ("30 works", "length?", "30 minutes"),
        ("3rd", "length?", "45 minutes"),
    ],
)
def test_answers(text: str, table: str, option: str) -> None:
    found = answer_in(read(text, VOCABULARY), TABLES[table], lambda said: read(said, VOCABULARY))
    assert found == (Intent.CHOOSE, option)


def test_a_new_request_is_no_answer() -> None:
    line = read("legs for 40 minutes", VOCABULARY)
    assert answer_in(line, TABLES["length?"], lambda said: read(said, VOCABULARY)) is None


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("since that deadlift i cant feel my feet properly and i wet myself", "spine"),
        ("havent eaten in 4 days to make weight, feel faint", "eating"),
        ("crushing pressure behind my breastbone", "cardiac"),
        ("sudden weakness down my right side", "neurological"),
        ("i dont want to be alive anymore", "self_harm"),
        ("why must i carry weight in front of my chest", None),
        ("just knocked out fifty sit ups", None),
    ],
)
def test_red_flags(text: str, kind: str | None) -> None:
    assert danger_in(read(text, VOCABULARY)) == kind


def test_said_for_today_and_for_good_is_for_good() -> None:
    text = "chest without push ups, half hour, and i never want push ups again"
    found = short(Understander().understand(text, NOW).slots)
    assert found["tastes"] == ["-exercise:push_up permanent"]
