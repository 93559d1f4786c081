"""Changes to one exercise of the workout on the table."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from spotter.offline.acting import making, showing
from spotter.offline.acting.mind import main_part
from spotter.offline.acting.script import Call, Outcome, Script
from spotter.offline.acting.turn import Turn, plainly
from spotter.offline.understanding import Slots
from spotter.offline.understanding.slots import Adjustment, Direction
from spotter.training.amounts import Doser, stretched
from spotter.training.athlete import Athlete, Effort
from spotter.training.catalogue import easier, harder, swaps
from spotter.training.check import why_not
from spotter.training.design import USUAL_MINUTES, main_goal
from spotter.training.exercise import Exercise
from spotter.training.recall import Listed
from spotter.training.record import record_of
from spotter.training.rules import MAX_SETS_A_MUSCLE, counts, limits_of, shares_of, with_the_floor
from spotter.training.vocabulary import Equipment, Muscle
from spotter.training.workout import Phase

NO_WORKOUT: Final = "There is no workout on the table yet."
_MAKE_ONE: Final = ("Make me a 30 minute full body workout", "15 minutes, no equipment", "Leg day")
_MOST_SWAPS: Final = 4
_MOST_ADJUSTED: Final = 10
_FEWEST_SETS: Final = 2
_NEAR: Final = 2
_OTHER_WORKOUT: Final = re.compile(r"\b(?:another|different|new|fresh)\b(?! exercise)|\bsomething else\b")
_FIELDS: Final = {
    "reps": {"sets": "sets", "reps": "reps", "weight_kg": "weight_kg", "rest_seconds": "rest_between_sets"},
    "hold": {
        "sets": "sets",
        "seconds": "hold_time",
        "reps": "hold_time",
        "weight_kg": "weight_kg",
        "rest_seconds": "rest_between_sets",
    },
    "duration": {"seconds": "duration"},
    "intervals": {"sets": "rounds", "seconds": "work_time", "rest_seconds": "rest_time"},
}
_STEPS: Final = {"sets": 1, "rounds": 1, "reps": 2, "hold_time": 10, "duration": 60, "work_time": 5}


def need_workout(turn: Turn) -> bool:
    """Asks for one when there is none to change."""
    if turn.state.table:
        return True
    turn.ask(f"{NO_WORKOUT} Shall I make one?", _MAKE_ONE)
    return False


def meant(turn: Turn, slots: Slots) -> list[Listed]:
    """What a message points at, also in the warm-up and the cool-down."""
    ids = [each for reference in slots.references for each in reference.ids]
    found = [one for each in dict.fromkeys(ids) if (one := turn.state.listed(each)) is not None]
    if found:
        return found
    wanted = set(slots.exercises)
    return [one for one in turn.state.table if (known := turn.mind.exercise(one)) and known.id in wanted]


def which(turn: Turn, verb: str) -> None:
    turn.ask(
        f"Which one should I {verb.lower()}?",
        [f"{verb} the {one.name}" for one in main_part(turn.state.table)],
    )


def swap(turn: Turn, slots: Slots) -> Script:
    targets = meant(turn, slots)
    if not targets and slots.exercises:
        named = turn.mind.book.get(slots.exercises[0])
        turn.say(f"{named.name if named else 'That'} is not in this workout, so I changed nothing.")
        return
    if not targets and turn.state.focus is None and _OTHER_WORKOUT.search(turn.text.lower()):
        yield from making.other(turn)
        return
    if not targets and turn.state.focus is not None:
        focused = turn.state.listed(turn.state.focus)
        targets = [focused] if focused else []
    if not targets:
        which(turn, "Swap")
        return
    yield from turn.look_up("active_preferences", "user_settings")
    wanted = turn.mind.book.get(slots.instead) if slots.instead else None
    if slots.instead and wanted is None:
        wanted = next(iter(turn.mind.family(slots.instead)), None)
    for target in targets[:_MOST_SWAPS]:
        yield from _swap_one(turn, target, wanted)


def _swap_one(turn: Turn, target: Listed, wanted: Exercise | None) -> Script:
    athlete = turn.athlete
    if wanted is not None and (reasons := why_not(wanted, athlete, limits_of(athlete))):
        turn.say(f"I left {target.name} in: {wanted.name} does not suit you now ({plainly(reasons)}).")
        others = stand_ins(turn, target, athlete)
        turn.ask("What instead?", [f"Swap {target.name} for {each.name}" for each in others[:3]])
        return
    new = wanted or next(iter(stand_ins(turn, target, athlete)), None)
    if new is None:
        turn.say(f"I know nothing that could stand in for {target.name} with what you have. Shall I drop it?")
        return
    yield from _put(turn, target, new)


def stand_ins(turn: Turn, target: Listed, athlete: Athlete) -> list[Exercise]:
    known = turn.mind.exercise(target)
    if known is None:
        return []
    on_table = {each.id for one in turn.state.table if (each := turn.mind.exercise(one))}
    before = {each.id for name in turn.state.swapped_out if (each := turn.mind.book.named(name))}
    found = swaps(
        turn.mind.book,
        known,
        available=with_the_floor(athlete.equipment or frozenset({Equipment.NONE, Equipment.CHAIR})),
        limits=limits_of(athlete),
        exclude=athlete.excluded | on_table | before,
        limit=10,
    )
    return sorted(
        (each.exercise for each in found),
        key=lambda each: (
            known.primary[0] not in each.primary,
            abs(each.level - known.level) > _NEAR,
            _too_much(turn, target, each, athlete, _FEWEST_SETS),
        ),
    )


def _too_much(turn: Turn, target: Listed, new: Exercise, athlete: Athlete, sets: int) -> bool:
    """Whether some muscle would get more sets than a day allows, so that the check would cut something else."""
    volume: dict[Muscle, float] = {}
    for one in main_part(turn.state.table):
        known = new if one.id == target.id else turn.mind.exercise(one)
        if known is None or not counts(known):
            continue
        many = sets if one.id == target.id else int(one.item.get("sets") or one.item.get("rounds") or 1)
        for muscle, share in shares_of(known).items():
            volume[muscle] = volume.get(muscle, 0.0) + share * many
    return any(each > MAX_SETS_A_MUSCLE[athlete.level] for each in volume.values())


def dosed(turn: Turn, new: Exercise, old: Listed, athlete: Athlete) -> dict[str, Any]:
    """In the amounts that suit the athlete, with as many sets as what it stands in for."""
    if old.phase != "main":
        part = stretched(new)
    else:
        record = record_of(athlete, turn.mind.book, turn.now.date())
        minutes = round(turn.state.minutes or USUAL_MINUTES)
        part = Doser(athlete, main_goal(athlete), athlete.effort, record, minutes).dosed(new)
        sets = old.item.get("sets") or old.item.get("rounds")
        part.sets = min(int(sets), part.most_sets) if sets else part.sets
        while part.sets > _FEWEST_SETS and _too_much(turn, old, new, athlete, part.sets):
            part.sets -= 1
    part.phase = Phase(old.phase)
    return part.exercise().model_dump(mode="json", exclude_none=True, exclude={"phase"})


def _put(turn: Turn, target: Listed, new: Exercise, reason: str = "") -> Script:
    arguments = {
        "exercise_id": target.id,
        "new_exercise": dosed(turn, new, target, turn.athlete),
        **({"reason": reason} if reason else {}),
    }
    outcomes = yield [Call("swap_exercise", arguments)]
    if not turn.failed(outcomes, f"swap {target.name}"):
        _told(turn, outcomes)


def _told(turn: Turn, outcomes: Sequence[Outcome]) -> None:
    turn.say(showing.headline(outcomes[0].text))
    turn.say(showing.changes(outcomes[0].text))
    _show_last(turn)


def _show_last(turn: Turn) -> None:
    """The list as it is now, once, at the end of all changes."""
    turn.lines = [line for line in turn.lines if not line.startswith("Now:\n")]
    turn.say("\n".join(["Now:", *showing.main(turn)]))


def step(turn: Turn, slots: Slots, effort: Effort) -> Script:
    targets = meant(turn, slots)
    if len(targets) == len(main_part(turn.state.table)) or (not targets and not slots.exercises):
        yield from making.step_all(turn, effort)
        return
    if not targets:
        turn.say("That one is not in this workout, so I changed nothing.")
        return
    yield from turn.look_up("active_preferences", "user_settings")
    for target in targets[:_MOST_SWAPS]:
        yield from _step_one(turn, target, effort)


def _step_one(turn: Turn, target: Listed, effort: Effort) -> Script:
    athlete = turn.athlete
    known = turn.mind.exercise(target)
    move, word = (easier, "easier") if effort is Effort.EASY else (harder, "harder")
    available = with_the_floor(athlete.equipment or frozenset({Equipment.NONE, Equipment.CHAIR}))
    new = (
        move(turn.mind.book, known, available=available, limits=limits_of(athlete))
        if known is not None
        else None
    )
    if new is not None and new.id not in athlete.excluded:
        yield from _put(turn, target, new, word)
        return
    direction = Direction.LESS if effort is Effort.EASY else Direction.MORE
    what = "reps" if target.item.get("type") == "reps" else "seconds"
    change = dict(_changed(turn, target, (Adjustment(what, None, direction),)))
    if not change:
        turn.say(f"I know no {word} version of {target.name}.")
        return
    turn.say(f"There is no {word} version of {target.name} for you, so I changed its numbers.")
    yield from _adjust_all(turn, [(target, change)])


def remove(turn: Turn, slots: Slots) -> Script:
    targets = [one for one in meant(turn, slots) if one.id not in slots.left_out]
    if not targets:
        if slots.exercises:
            turn.say("That one is not in this workout, so there was nothing to remove.")
        else:
            which(turn, "Remove")
        return
    if len(targets) >= len(turn.state.table):
        turn.ask("That would leave nothing. Shall I make another workout?", ("Make me another workout", "No"))
        return
    for target in targets:
        outcomes = yield [Call("remove_exercise", {"exercise_id": target.id})]
        if not turn.failed(outcomes, f"remove {target.name}"):
            _told(turn, outcomes)


def adjust(turn: Turn, slots: Slots) -> Script:
    targets = meant(turn, slots) or (list(main_part(turn.state.table)) if not slots.exercises else [])
    if not slots.adjustments:
        turn.ask("What should I change?", ("One set less of each", "More reps of each", "Less rest"))
        return
    found = [(one, dict(_changed(turn, one, slots.adjustments))) for one in targets]
    changes = [(one, change) for one, change in found if change][:_MOST_ADJUSTED]
    if not changes:
        turn.say("It is that way already, or cannot be changed like this, so I left everything as it is.")
        return
    yield from _adjust_all(turn, changes)


def _changed(turn: Turn, target: Listed, wanted: Sequence[Adjustment]) -> Iterator[tuple[str, Any]]:
    fields = _FIELDS.get(str(target.item.get("type")), {})
    for each in wanted:
        name = fields.get(each.what)
        if name is None:
            continue
        now = target.item.get(name, turn.state.rests.get(target.name) if "rest" in name else None)
        if each.change is None:
            value = each.value
        elif now is None:
            continue
        else:
            by = each.value or _STEPS.get(name, 15)
            value = float(now) + by if each.change is Direction.MORE else max(_least(name), float(now) - by)
        if value is not None and value != now:
            yield name, value if name == "weight_kg" else round(value)


def _least(name: str) -> float:
    return 10.0 if "rest" in name else 1.0


def _adjust_all(turn: Turn, changes: Sequence[tuple[Listed, dict[str, Any]]]) -> Script:
    outcomes = yield [
        Call("adjust_exercise", {"exercise_id": one.id, "adjustments": change}) for one, change in changes
    ]
    turn.failed(outcomes, "change that")
    for outcome, (one, change) in zip(outcomes, changes, strict=True):
        if outcome.failed:
            continue
        now = turn.state.listed(one.id)
        rest = next((value for name, value in change.items() if "rest" in name), None)
        resting = f", {rest} s rest" if rest is not None else ""
        turn.say(f"{showing.short(now, turn.mind)}{resting} now." if now else showing.headline(outcome.text))
    if told := next((each for one in reversed(outcomes) if (each := showing.changes(one.text))), ""):
        turn.say(told)


def _tell_mended(turn: Turn) -> None:
    for text in turn.mended:
        turn.say(showing.changes(text))
    if turn.mended and turn.state.table:
        _show_last(turn)
    elif turn.mended:
        turn.say("Nothing of the workout can be done with that, so I took it off the table.")


def repair(turn: Turn) -> Script:
    """After something new about the athlete: what no longer suits goes, one at a time, for the check may mend more."""
    _tell_mended(turn)
    for _ in range(_MOST_SWAPS):
        athlete = turn.athlete
        limits = limits_of(athlete)
        wrong = next(
            (
                one
                for one in turn.state.table
                if (known := turn.mind.exercise(one)) is not None and why_not(known, athlete, limits)
            ),
            None,
        )
        if wrong is None:
            return
        new = next(iter(stand_ins(turn, wrong, athlete)), None)
        if new is not None:
            yield from _put(turn, wrong, new)
        elif len(turn.state.table) > 1:
            outcomes = yield [Call("remove_exercise", {"exercise_id": wrong.id, "reason": "does not suit"})]
            if turn.failed(outcomes, f"remove {wrong.name}"):
                return
            _told(turn, outcomes)
        else:
            return
        if turn.state.listed(wrong.id) is not None:
            return
