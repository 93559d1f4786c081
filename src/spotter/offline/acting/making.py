"""Workouts: a new one, another one, or the same one shorter, longer, easier, harder, with more of something."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from spotter.offline.acting import keeping, showing
from spotter.offline.acting.mind import folded, main_part
from spotter.offline.acting.script import Call, Outcome, Script
from spotter.offline.acting.translating import (
    about,
    equipment_of,
    kit_shown,
    kit_text,
    read_request,
    region_muscles,
    request_of,
    written,
)
from spotter.offline.acting.turn import Turn, for_people, joined, plainly
from spotter.offline.understanding import Slots
from spotter.offline.understanding.slots import Direction, Lasting
from spotter.training.athlete import Athlete, Effort, Request
from spotter.training.catalogue import easier, harder
from spotter.training.check import why_not
from spotter.training.design import USUAL_MINUTES, Design, NothingFits
from spotter.training.exercise import Exercise
from spotter.training.recall import history
from spotter.training.rules import limits_of, with_the_floor
from spotter.training.vocabulary import Equipment, Muscle, Suits

_SOURCES: Final = (
    "active_preferences",
    "user_settings",
    "category_goals",
    "muscle_goals",
    "workout_history",
)
_LEAST: Final = 10
_WISH: Final = 8
_MOST_REASONS: Final = 2
_WHOLE: Final = "Workout"
_RESTED: Final = ("get a rest.", "gets a rest.")
_LEAST_WORK: Final = "had the least work in the last seven days."
_ROOMY: Final = 5


def create(turn: Turn, slots: Slots) -> Script:
    """What was said for now or for good is kept first; then the workout is planned around all of it."""
    prepared = turn.fetch(*_SOURCES)
    if prepared:
        yield prepared
    request = request_of(slots, turn.mind, turn.now.date())
    refined = bool(turn.state.table) and refines(slots)
    if slots.repeat:
        request = _again(turn, request)
    calls = [
        *keeping.injuries(turn, slots),
        *keeping.exclusions(turn, slots),
        *_for_now(turn, slots, request),
    ]
    outcomes = (yield calls) if calls else []
    turn.failed(outcomes, "keep all of that")
    keeping.told_of_injuries(turn, slots, outcomes)
    if "illness" in slots.conditions and request.effort is not Effort.EASY:
        turn.say("I have made no workout for now.")
        return
    if refined:
        yield from place(turn, _refined(turn, request), turn.athlete, "the same, changed to that")
        return
    request = replace(request, attempt=turn.state.generated)
    yield from place(turn, request, turn.athlete, about(slots), fresh=True)


def refines(slots: Slots) -> bool:
    """Said over a workout, «without a barbell» or «no chest» changes that one."""
    circumstances = slots.equipment or slots.location or any(not taste.wanted for taste in slots.tastes)
    subject = (
        slots.regions or slots.splits or slots.muscles or slots.patterns or slots.exercises or slots.goals
    )
    return bool(circumstances) and not subject and slots.duration is None and not slots.repeat


def _refined(turn: Turn, said: Request) -> Request:
    """What is in it stays, as far as it still suits."""
    athlete = turn.athlete
    limits = limits_of(athlete)
    stays = [
        each.id for each in _main(turn) if each.id not in said.exclude and not why_not(each, athlete, limits)
    ]
    request = base_request(turn)
    return replace(request, include=tuple(stays), exclude=said.exclude, effort=said.effort or request.effort)


def _for_now(turn: Turn, slots: Slots, request: Request) -> list[Call]:
    """For this conversation only: what there is to train with, and how long."""
    calls: list[Call] = []
    has = turn.athlete.equipment
    kit = equipment_of(slots, has)
    if kit is not None and kit != has:
        calls += [_session("equipment", kit_text(kit)), *keeping.overtaken(turn, "equipment")]
    usual = turn.athlete.minutes
    if request.minutes and usual and request.minutes > usual:
        calls.append(_session("time_available", f"{request.minutes} minutes"))
    return calls


def _session(kind: str, value: str) -> Call:
    return Call(
        "set_preference",
        {"preference_type": kind, "value": value, "duration_type": Lasting.SESSION.value},
    )


def _again(turn: Turn, request: Request) -> Request:
    """The same as last time: what was done then, as far as it suits today."""
    past = history(turn.state.told.get("workout_history", ""))
    if not past:
        turn.say("I have no earlier workout of yours to repeat, so here is a fresh one.")
        return request
    found = [known for item in past[0].items if (known := turn.mind.book.named(item["name"])) is not None]
    main = [each.id for each in found if not {Suits.WARM_UP, Suits.COOL_DOWN} & each.suits]
    turn.say(f"Based on your workout of {past[0].done_at:%A %d %B}:")
    return replace(request, include=tuple(dict.fromkeys((*main, *request.include))))


def place(turn: Turn, request: Request, athlete: Athlete, topic: str = "", *, fresh: bool = False) -> Script:
    """Plans it and puts it on the table; what the check refuses is planned once more, differently."""
    try:
        designed = turn.mind.design(request, athlete)
    except NothingFits as nothing:
        turn.say(str(nothing))
        turn.ask(
            "Shall I try something else?", ("A full body workout without equipment", "15 minutes of mobility")
        )
        return
    outcomes = yield [_generate(designed)]
    if outcomes[0].failed and "cleared" not in outcomes[0].text:
        request = replace(request, attempt=request.attempt + 1)
        designed = turn.mind.design(request, athlete)
        outcomes = yield [_generate(designed)]
    if outcomes[0].failed:
        _refused(turn, outcomes[0])
        return
    turn.reason = written(request)
    _shown(turn, athlete, designed, outcomes[0], topic)
    if fresh:
        _told_of_injuries(turn, athlete, designed)


def _generate(designed: Design) -> Call:
    return Call(
        "generate_workout",
        later=lambda: {"workout": designed.workout.model_dump(mode="json", exclude_none=True)},
    )


def _refused(turn: Turn, outcome: Outcome) -> None:
    if "cleared" in outcome.text:
        turn.say(
            "Before we train, please let a doctor or physiotherapist clear you: your health answers ask for that. "
            "I have made no workout. As soon as you are cleared, I am glad to plan with you."
        )
    else:
        turn.say(f"I could not put a workout together. {for_people(outcome.text)}".strip())


def _shown(turn: Turn, athlete: Athlete, designed: Design, outcome: Outcome, topic: str) -> None:
    state = turn.state
    name = f"{topic[0].upper()}{topic[1:]}" if topic else _WHOLE
    kit = kit_shown(athlete.equipment)
    lines = [f"{name}{showing.about(state.minutes)}, {kit}:", *showing.workout(turn)]
    turn.say("\n".join(lines))
    turn.say(showing.changes(outcome.text))
    for reason in [
        each for each in designed.reasons if "asked for but left out" in each or "minutes, not" in each
    ]:
        turn.say(plainly([reason]))
    if athlete.equipment is None and state.generated <= 1:
        turn.say("I took it that you have no equipment; tell me what you have and I will use it.")


def _told_of_injuries(turn: Turn, athlete: Athlete, designed: Design) -> None:
    """Said when a workout is made; not again each time it is changed."""
    for joint in dict.fromkeys(hurt.joint.value.replace("_", " ") for hurt in athlete.injuries):
        out = [
            re.sub(", (.*)", r" (\1)", each.partition(" (")[0])
            for each in designed.left_out
            if f"load on the {joint}" in each
        ]
        if out:
            turn.say(f"Left out for your {joint}: {joined(out[:3], 'and')}.")


def base_request(turn: Turn) -> Request:
    """What the workout on the table was made for, with the exercises that are in it now."""
    request = read_request(turn.state.made, turn.now.date())
    return replace(request, include=tuple(each.id for each in _main(turn)), attempt=turn.state.generated)


def _main(turn: Turn) -> list[Exercise]:
    found = (turn.mind.exercise(one) for one in main_part(turn.state.table))
    return [each for each in found if each is not None]


def resize(turn: Turn, slots: Slots, direction: Direction) -> Script:
    """The same workout in another time: exercises stay as far as they fit."""
    now = round(turn.state.minutes or turn.athlete.minutes or USUAL_MINUTES)
    wanted = slots.duration
    if wanted is None:
        minutes = max(_LEAST, round(now * 2 / 3 / 5) * 5) if direction is Direction.LESS else now + 10
    elif wanted.change is not None:
        minutes = now + wanted.minutes if wanted.change is Direction.MORE else now - wanted.minutes
    else:
        minutes = wanted.longest or wanted.minutes
    minutes = max(8, min(minutes, 120))
    yield from turn.look_up(*_SOURCES)
    request = replace(base_request(turn), minutes=minutes)
    if calls := [*keeping.exclusions(turn, slots), *_for_now(turn, slots, request)]:
        turn.failed((yield calls), "keep all of that")
    yield from place(turn, request, turn.athlete, "the same")


def other(turn: Turn) -> Script:
    """Another workout of the same kind, with other exercises where there are any."""
    yield from turn.look_up(*_SOURCES)
    request = base_request(turn)
    same = replace(request, include=(), exclude=request.exclude | {each.id for each in _main(turn)})
    try:
        turn.mind.design(same, turn.athlete)
    except NothingFits:
        same = replace(request, include=())
    yield from place(turn, same, turn.athlete, "another one")


def step_all(turn: Turn, effort: Effort) -> Script:
    """The whole workout easier or harder: the next rung of each exercise, and fewer or more sets."""
    yield from turn.look_up(*_SOURCES)
    athlete = turn.athlete
    limits = limits_of(athlete)
    available = with_the_floor(athlete.equipment or frozenset({Equipment.NONE}))
    move = easier if effort is Effort.EASY else harder
    mains = _main(turn)
    stepped = [move(turn.mind.book, each, available=available, limits=limits) or each for each in mains]
    include = [
        new.id if new.id not in athlete.excluded else old.id for old, new in zip(mains, stepped, strict=True)
    ]
    request = replace(base_request(turn), include=tuple(dict.fromkeys(include)), effort=effort)
    minutes = round(turn.state.minutes) if turn.state.minutes else request.minutes
    request = replace(request, minutes=request.minutes or minutes)
    word = "an easier version" if effort is Effort.EASY else "a harder version"
    before = [showing.short(one, turn.mind) for one in main_part(turn.state.table)]
    yield from place(turn, request, athlete, word)
    if before == [showing.short(one, turn.mind) for one in main_part(turn.state.table)]:
        degree = "gentle" if effort is Effort.EASY else "hard"
        turn.say(f"The main part is the same: it is as {degree} as it gets for your level and equipment.")


def more_of(turn: Turn, slots: Slots) -> Script:
    """More of some muscles: the workout is planned again around them and what is in it."""
    yield from turn.look_up(*_SOURCES)
    muscles = _meant(slots)
    named = [each for each in slots.exercises if each in turn.mind.book]
    if not muscles and named:
        if there := _there_already(turn, named[0]):
            turn.say(
                f"{there.name} is in it already. Say “one more set of {there.name.lower()}” for more of it."
            )
            return
        if turned_down := [
            each for each in named if why_not(turn.mind.book[each], turn.athlete, limits_of(turn.athlete))
        ]:
            _not_added(turn, turned_down)
            named = [each for each in named if each not in turned_down]
        if not named:
            return
        request = base_request(turn)
        request = replace(request, include=tuple(dict.fromkeys((*named, *request.include))))
        names = joined([turn.mind.book[each].name.lower() for each in named])
        yield from place(turn, request, turn.athlete, f"with {names}")
        return
    if not muscles:
        turn.ask("More of what?", ("More legs", "More chest", "More core", "More cardio"))
        return
    athlete = turn.athlete
    wishes = {**athlete.muscle_goals, **dict.fromkeys(muscles, _WISH)}
    request = base_request(turn)
    if request.regions or request.muscles or request.splits:
        request = replace(request, muscles=request.muscles | muscles)
    kept = [each.id for each in _main(turn)]
    request = replace(request, include=_fewer(turn, kept, muscles))
    yield from place(turn, request, replace(athlete, muscle_goals=wishes), f"with more {about(slots)}")


def _not_added(turn: Turn, names: Iterable[str]) -> None:
    for name in names:
        known = turn.mind.book[name]
        reasons = plainly(why_not(known, turn.athlete, limits_of(turn.athlete)))
        turn.say(f"I did not add {known.name}: it does not suit you now ({reasons}).")


def _there_already(turn: Turn, name: str) -> Exercise | None:
    """«Add calf raises» over a workout with dumbbell calf raises asks for what is there."""
    known = turn.mind.book[name]
    said = folded(turn.text)
    spoken = [words for each in (known.name, *known.aliases) if (words := folded(each)) and words <= said]
    wanted = max(spoken, key=len, default=folded(known.name))
    return next((each for each in _main(turn) if wanted <= folded(each.name)), None)


def _fewer(turn: Turn, ids: Sequence[str], muscles: Iterable[Muscle]) -> tuple[str, ...]:
    """Room for what is wanted: the last two that do not serve it go."""
    wanted = set(muscles)
    others = [each for each in ids if not wanted & set(turn.mind.book[each].primary)]
    gone = set(others[-1:] if len(ids) < _ROOMY else others[-2:])
    return tuple(each for each in ids if each not in gone)


def _meant(slots: Slots) -> frozenset[Muscle]:
    found = {Muscle(name) for name in slots.muscles if name in set(Muscle)}
    for region in slots.regions:
        found |= region_muscles(region)
    return frozenset(found)


def less_of(turn: Turn, slots: Slots) -> Script:
    """One exercise less for those muscles; never the only one there is."""
    muscles = _meant(slots)
    mains = main_part(turn.state.table)
    serving = [one for one in mains if (known := turn.mind.exercise(one)) and muscles & set(known.primary)]
    if not serving:
        turn.say(f"There is nothing for {about(slots) or 'that'} in this workout, so I left it as it is.")
        return
    if len(mains) < 2:
        turn.say("It is the only exercise left, so I kept it. Say “another workout” for a new one.")
        return
    outcomes = yield [Call("remove_exercise", {"exercise_id": serving[-1].id, "reason": "less of it"})]
    if not turn.failed(outcomes, "take it out"):
        turn.say(showing.headline(outcomes[0].text))
        turn.say(showing.changes(outcomes[0].text))
        turn.say("\n".join(showing.main(turn)))


def burned(turn: Turn) -> int | None:
    """About how many kilocalories the workout on the table takes; needs a body weight."""
    try:
        return turn.mind.design(base_request(turn), turn.athlete).kilocalories
    except NothingFits:
        return None


def why(turn: Turn) -> list[str]:
    """The reasons of the plan on the table; nothing when there is none."""
    if not turn.state.table:
        return []
    request = replace(base_request(turn), attempt=max(0, turn.state.generated - 1))
    try:
        designed = turn.mind.design(request, turn.athlete)
    except NothingFits:
        return []
    reasons = [each for each in designed.reasons if _holds(turn, each)]
    left_out = [f"Left out: {', '.join(designed.left_out[:3])}."] if designed.left_out else []
    return [*reasons[: _MOST_REASONS + 1], *left_out]


def _holds(turn: Turn, reason: str) -> bool:
    """Whether a reason about a muscle is true of what is on the table, which may have changed since it was planned."""
    muscle = reason.partition(" ")[0].lower() if reason.endswith((*_RESTED, _LEAST_WORK)) else ""
    if not muscle:
        return True
    trained = {name.value.partition("_")[0] for each in _main(turn) for name in each.primary}
    return (muscle in trained) is reason.endswith(_LEAST_WORK)
