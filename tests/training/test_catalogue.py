"""The catalogue as it ships, and that its checker would have noticed."""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from spotter.training.catalogue import Catalogue, UnknownExercise, catalogue
from spotter.training.catalogue.book import load
from spotter.training.catalogue.check import faults
from spotter.training.catalogue.loading import DATA
from spotter.training.exercise import Exercise
from spotter.training.limits import Condition, Injury, Severity, limits_for
from spotter.training.vocabulary import (
    Equipment,
    Flag,
    Joint,
    Kind,
    Level,
    Muscle,
    Pattern,
    Region,
    Split,
    Suits,
    UnitType,
)

ROOT = Path(__file__).parents[2]

# DOMAIN: how many rungs each ladder has, and where it begins and ends.
LADDERS = {
    "push_up": (10, "wall-push-up", "one-arm-push-up"),
    "dip": (9, "bench-dip-knees-bent", "weighted-dip"),
    "row": (7, "doorway-row", "one-arm-row-bodyweight"),
    "pull_up": (9, "dead-hang", "one-arm-pull-up-negative"),
    "squat": (10, "box-sit-to-stand", "pistol-squat"),
    "hinge": (7, "glute-bridge", "nordic-curl"),
    "vertical_push": (6, "pike-push-up", "freestanding-handstand-push-up"),
    "handstand": (7, "wall-plank", "freestanding-handstand-long"),
    "l_sit": (7, "foot-supported-l-sit", "v-sit"),
    "front_lever": (7, "active-hang", "front-lever"),
    "plank": (7, "knee-plank", "standing-ab-wheel-rollout"),
    "leg_raise": (6, "dead-bug", "toes-to-bar"),
}


def test_the_catalogue_has_no_faults() -> None:
    assert faults(catalogue()) == []


def test_the_ladders_are_complete() -> None:
    book = catalogue()
    seen = {each.id: (len(each.rungs), each.rungs[0][0], each.rungs[-1][0]) for each in book.ladders.values()}
    assert seen == LADDERS


def test_the_vocabulary_is_the_agreed_one() -> None:
    assert (len(Muscle), len(Pattern), len(UnitType), len(Joint), len(Flag)) == (22, 22, 8, 8, 11)


def test_the_data_files_have_their_one_form() -> None:
    script = ROOT / "scripts" / "format_catalogue.py"
    done = subprocess.run(
        [sys.executable, str(script), "--check"], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, f"python scripts/format_catalogue.py puts this right: {done.stdout}"


def test_a_word_we_do_not_have_is_named_with_its_place(tmp_path: Path) -> None:
    for path in DATA.glob("*.json"):
        (tmp_path / path.name).write_text(
            path.read_text().replace('"mechanic": "compound"', '"mechanic": "magic"', 1)
        )
    with pytest.raises(ValueError, match=r"json: [a-z-]+: 'magic'"):
        load(tmp_path)


def broken(change: Callable[[Exercise], Exercise], exercise_id: str = "push-up") -> list[str]:
    book = catalogue()
    changed = [change(each) if each.id == exercise_id else each for each in book]
    return faults(Catalogue(changed, book.ladders.values()))


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda each: replace(each, joints={}), "wrist_extension without a load"),
        (lambda each: replace(each, flags=each.flags | {Flag.IMPACT}), "impact without a load"),
        (lambda each: replace(each, flags=frozenset({Flag.SUPINE, Flag.PRONE})), "back and the front"),
        (lambda each: replace(each, suits=frozenset({Suits.SENIOR})), "suits seniors"),
        (lambda each: replace(each, suits=frozenset({Suits.WARM_UP}), level=5), "too hard to warm up"),
        (lambda each: replace(each, cues=each.cues[:1]), "1 cues"),
        (lambda each: replace(each, cues=("No", *each.cues)), "a cue of 2 characters"),
        (lambda each: replace(each, cues=catalogue()["plank"].cues), "said 2 times"),
        (lambda each: replace(each, aliases=("sit-up",)), "is also a name of"),
        (lambda each: replace(each, aliases=("TRX push-up",)), "names a brand"),
        (lambda each: replace(each, id="Push Up"), "no slug"),
        (lambda each: replace(each, level=11), "level is not between"),
        (lambda each: replace(each, level=1), "easier on the way up"),
        (lambda each: replace(each, range=(12, 8)), "makes no sense"),
        (lambda each: replace(each, setups=(frozenset({Equipment.OTHER}),)), "imports only"),
        (lambda each: replace(each, secondary=each.primary), "named twice"),
        (lambda each: replace(each, id="press"), "no such exercise: push-up"),
    ],
)
def test_the_checker_notices(change: Callable[[Exercise], Exercise], complaint: str) -> None:
    assert [fault for fault in broken(change) if complaint in fault]


def test_the_checker_notices_a_place_with_nothing_to_do() -> None:
    book = catalogue()
    without = Catalogue([each for each in book if Muscle.BICEPS not in each.primary], book.ladders.values())
    assert any("with nothing, a beginner has nothing for biceps" in fault for fault in faults(without))


@pytest.mark.parametrize("name", ["push-up", "Push-Up", "push ups", "PRESS UP", "pushups", "push-up "])
def test_names_are_found_however_they_are_written(name: str) -> None:
    found = catalogue().named(name)
    assert found is not None
    assert found.id == "push-up"


def test_an_unknown_id_suggests_near_ones() -> None:
    with pytest.raises(UnknownExercise, match="push-up"):
        catalogue()["pushh-up"]


@pytest.mark.parametrize(
    ("exercise_id", "region", "kind", "band", "splits"),
    [
        ("push-up", Region.UPPER, Kind.REPS, Level.INTERMEDIATE, {Split.PUSH}),
        ("pull-up", Region.UPPER, Kind.REPS, Level.INTERMEDIATE, {Split.PULL}),
        ("plank", Region.CORE, Kind.HOLD, Level.BEGINNER, set()),
        ("barbell-back-squat", Region.LOWER, Kind.REPS, Level.INTERMEDIATE, {Split.LEGS}),
        ("jumping-jacks", Region.FULL_BODY, Kind.DURATION, Level.BEGINNER, set()),
        ("front-lever", Region.UPPER, Kind.HOLD, Level.ADVANCED, set()),
        ("farmers-carry", Region.FULL_BODY, Kind.DURATION, Level.BEGINNER, set()),
        ("wall-calf-stretch", Region.LOWER, Kind.HOLD, Level.BEGINNER, {Split.LEGS}),
    ],
)
def test_what_follows_from_what_is_written(
    exercise_id: str, region: Region, kind: Kind, band: Level, splits: set[Split]
) -> None:
    exercise = catalogue()[exercise_id]
    assert (exercise.region, exercise.kind, exercise.band) == (region, kind, band)
    assert set(exercise.splits) == splits


def test_all_of_one_setup_must_be_there() -> None:
    bench = catalogue()["barbell-bench-press"]
    assert bench.setup_with({Equipment.BARBELL, Equipment.BENCH}) is None
    assert bench.setup_with({Equipment.BARBELL, Equipment.BENCH, Equipment.RACK}) == bench.equipment
    bulgarian = catalogue()["bulgarian-split-squat"]
    assert bulgarian.setup_with({Equipment.CHAIR}) == frozenset({Equipment.CHAIR})
    assert bulgarian.setup_with(set()) is None
    assert catalogue()["push-up"].setup_with(set()) == frozenset({Equipment.NONE})


def test_something_we_have_no_word_for_is_never_there() -> None:
    odd = replace(catalogue()["push-up"], setups=(frozenset({Equipment.OTHER}),))
    assert odd.setup_with(frozenset(Equipment)) is None


def test_pull_ups_and_dips_need_a_bar() -> None:
    ids = {each.id for each in catalogue().where(available=frozenset())}
    assert not ids & {"pull-up", "chin-up", "dip", "ring-dip", "hanging-leg-raise", "bench-dip-knees-bent"}


@pytest.mark.parametrize(
    ("joint", "gone", "stays"),
    [
        (
            Joint.KNEE,
            {"squat-jump", "pistol-squat", "burpee", "leg-extension", "run", "knee-push-up"},
            {
                "glute-bridge",
                "barbell-hip-thrust",
                "wall-sit",
                "stationary-bike",
                "lying-leg-curl",
                "push-up",
            },
        ),
        (
            Joint.SHOULDER,
            {"overhead-press", "dip", "upright-row", "wall-handstand-push-up", "pull-up"},
            {
                "landmine-press",
                "dumbbell-floor-press",
                "low-incline-push-up",
                "band-external-rotation",
                "chest-supported-dumbbell-row",
            },
        ),
        (
            Joint.WRIST,
            {"push-up", "high-plank", "barbell-front-squat", "barbell-curl"},
            {"plank", "hammer-curl", "machine-chest-press"},
        ),
        (
            Joint.ELBOW,
            {"skull-crusher", "barbell-curl", "chin-up", "dip"},
            {"hammer-curl", "cable-pushdown", "standing-band-row"},
        ),
        (
            Joint.LOWER_BACK,
            {
                "sit-up",
                "good-morning",
                "deadlift",
                "barbell-row",
                "barbell-back-squat",
                "russian-twist",
                "lying-leg-raise",
            },
            {
                "dead-bug",
                "bird-dog",
                "side-plank",
                "glute-bridge",
                "chest-supported-dumbbell-row",
                "goblet-squat",
                "split-squat",
                "walk",
            },
        ),
        (
            Joint.HIP,
            {"bodyweight-squat", "high-knees", "sprint", "lateral-lunge"},
            {"glute-bridge", "clamshell", "lateral-band-walk", "stationary-bike"},
        ),
        (
            Joint.ANKLE,
            {"box-jump", "run", "forward-lunge", "pistol-squat", "jump-rope"},
            {"glute-bridge", "leg-extension", "lying-leg-curl", "stationary-bike"},
        ),
        (
            Joint.NECK,
            {"sit-up", "barbell-shrug", "back-to-wall-handstand"},
            {"chest-supported-dumbbell-row", "dead-bug"},
        ),
    ],
)
def test_what_a_sore_joint_rules_out(joint: Joint, gone: set[str], stays: set[str]) -> None:
    limits = limits_for([Injury(joint, Severity.MODERATE)])
    book = catalogue()
    assert {each for each in gone if limits.allow(book[each])} == set()
    assert {each for each in stays if not limits.allow(book[each])} == set()


def test_severity_decides_how_much_is_allowed() -> None:
    book = catalogue()
    squat, wall_sit, jump = book["bodyweight-squat"], book["wall-sit"], book["squat-jump"]
    allowed = {
        severity: [limits_for([Injury(Joint.KNEE, severity)]).allow(each) for each in (wall_sit, squat, jump)]
        for severity in Severity
    }
    assert allowed == {
        Severity.MILD: [True, True, False],
        Severity.MODERATE: [True, False, False],
        Severity.SEVERE: [False, False, False],
    }


def test_what_is_not_offered_says_why() -> None:
    limits = limits_for([Injury(Joint.KNEE)], [Condition.PREGNANCY], max_level=5)
    assert limits.reasons(catalogue()["burpee"]) == [
        "high load on the knee",
        "impact",
        "prone",
        "level 6, above 5",
    ]
    assert limits.reasons(catalogue()["seated-band-row"]) == []


def test_the_worse_of_two_injuries_counts() -> None:
    limits = limits_for([Injury(Joint.KNEE, Severity.SEVERE), Injury(Joint.KNEE, Severity.MILD)])
    assert limits.joints == {Joint.KNEE: 0}


def test_a_stiff_joint_spares_the_hard_variations_that_load_it() -> None:
    book, stiff = catalogue(), limits_for([Injury(Joint.SHOULDER, Severity.MILD)])
    assert not stiff.allow(book["archer-push-up"])
    assert stiff.reasons(book["archer-push-up"]) == ["level 7, above 6"]
    assert stiff.allow(book["push-up"])
    assert stiff.allow(book["nordic-curl"]), "what does not load the shoulder is not affected"
