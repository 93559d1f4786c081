"""The trainer's turn: everything a message asks for, in an order that makes sense, and one answer at the end."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Final, TypeAlias

from spotter.offline.acting import (
    changing,
    chatting,
    keeping,
    looking,
    making,
    planning,
    reporting,
)
from spotter.offline.acting.script import Script
from spotter.offline.acting.turn import Turn
from spotter.offline.understanding import Intent, Slots, Table, Understanding
from spotter.offline.understanding.slots import Direction
from spotter.training.athlete import Effort

Doing: TypeAlias = Callable[[Turn, Slots], Script]

_FIRST: Final = (
    Intent.LOG,
    Intent.INJURY_BETTER,
    Intent.DELETE_PREFERENCE,
    Intent.SET_GOAL,
    Intent.SET_PREFERENCE,
    Intent.REPORT_INJURY,
    Intent.CREATE,
    Intent.REMOVE,
    Intent.SWAP,
    Intent.EASIER,
    Intent.HARDER,
    Intent.MORE_OF,
    Intent.LESS_OF,
    Intent.SHORTER,
    Intent.LONGER,
    Intent.ADJUST,
    Intent.CANCEL_SCHEDULED,
    Intent.RESCHEDULE,
    Intent.SCHEDULE,
)
"""What was done before what is planned; what is known of the athlete before what is made for them."""
_THEN: Final = (
    Intent.LIST_SCHEDULE,
    Intent.PROGRESS,
    Intent.STATS,
    Intent.GOAL_PROGRESS,
    Intent.HISTORY,
    Intent.LIST_PREFERENCES,
    Intent.WHY,
    Intent.EXPLAIN,
    Intent.SUGGEST,
    Intent.TIMER,
)
_ORDER: Final = (*_FIRST, *_THEN)
_CHATTING: Final = frozenset(
    {Intent.GREETING, Intent.THANKS, Intent.HELP, Intent.SMALL_TALK, Intent.YES, Intent.NO, Intent.STOP}
)
_PLACED: Final = frozenset({Intent.CREATE, Intent.SHORTER, Intent.LONGER, Intent.MORE_OF})
_MAY_I: Final = re.compile(
    r"^\W*(?:(?:can|could|may|should) i (?:still )?(?:do|try)\b|(?:is|are) .*\b(?:safe|ok|okay|good|bad|fine)\b.*\?)"
)
_AMOUNT: Final = re.compile(r"\b\d+ ?(?:sets?|reps?|seconds?|secs?|rounds?|kg)\b")
_ENDS: Final = re.compile(r"\b(?:remove|skip|drop|no|without|lose|cut)\b.*\b(?:warm.?up|cool.?down)")
_CALORIES: Final = re.compile(
    r"\b(?:calories|kcal|cals)\b.*\b(?:burn|use|is|does|this|it)|\bburn\b.*\b(?:calories|kcal)\b.*\?"
)
_PROGRAMME: Final = re.compile(
    r"\b(?:weekly|monthly|week|month|\d+[- ](?:day|week)s?) (?:\w+ )?(?:plan|program|programme|routine|split)\b"
)
_STARTS: Final = (
    "Put full body on every Monday and Thursday at 18:00",
    "Make me a 30 minute full body workout",
)
_ERASE: Final = re.compile(r"\b(?:delete|erase|forget|wipe|clear)\b.*\b(?:everything|all)\b")
_TOO: Final = re.compile(r"\b(?:too|as well|also)\W*$")
_CLEAR: Final = 0.8
_OF_A_REQUEST: Final = (
    *("duration", "regions", "splits", "muscles", "patterns", "goals", "intensity", "location", "exercises"),
    *("injuries", "conditions", "sore", "tastes"),
)
_A_SENTENCE: Final = 4
"""Words: with fewer, an answer to a question."""
_TELLING: Final = frozenset({Intent.REPORT_INJURY, Intent.SET_PREFERENCE})
_TRAINING: Final = re.compile(
    r"^\W*(?:(?:an?|some|quick|easy|hard|short|light) )*"
    r"(?:\d+ ?-?(?:min|mins|minutes?|hours?)\b|(?:half an hour|leg day|push day|pull day|upper body|lower body"
    r"|full body|hiit|cardio|mobility|workout|session)\b.*(?:,|\b(?:with|but|bad|dodgy|my|no)\b))"
)
_HABIT: Final = re.compile(r"\b(?:usually|most days|normally|always|never|every|only have)\b")
_WARM_UP_STAYS: Final = (
    "I keep a short warm-up and cool-down in every workout: they are part of training safely. Nothing has changed; "
    "“make it shorter” makes both shorter."
)
_CALENDAR: Final = re.compile(r"\b(?:cancel|move|postpone|reschedule|push back|bring forward|call off)\b")
_FORGET: Final = re.compile(r"\b(?:forget|undo|take back|allow|again|ok now|okay now|fine now)\b")
_ASKED_WHEN: Final = re.compile(r"^(?:When |To when )")
_TOOLS: Final[Mapping[Intent, str]] = {
    Intent.CREATE: "generate_workout",
    Intent.LOG: "log_workout",
    Intent.SET_GOAL: "set_goals",
    Intent.SET_PREFERENCE: "set_preference",
    Intent.DELETE_PREFERENCE: "delete_preference",
    Intent.SCHEDULE: "schedule_workout",
    Intent.LIST_SCHEDULE: "get_scheduled_workouts",
    Intent.RESCHEDULE: "update_scheduled_workout",
    Intent.CANCEL_SCHEDULED: "cancel_scheduled_workout",
    Intent.PROGRESS: "get_progress_summary",
    Intent.STATS: "get_workout_stats",
    Intent.GOAL_PROGRESS: "get_goal_progress",
    Intent.HISTORY: "fetch_data",
    Intent.LIST_PREFERENCES: "fetch_data",
    Intent.SUGGEST: "get_exercise_suggestions",
    Intent.SWAP: "swap_exercise",
    Intent.REMOVE: "remove_exercise",
    Intent.ADJUST: "adjust_exercise",
    Intent.TIMER: "generate_workout_timers",
}


def converse(turn: Turn) -> Script:
    understood = _read_again(turn, _understood(turn))
    if _CALENDAR.search(turn.text.lower()) and turn.state.planned is None:
        yield from planning.know_plans(turn)
        understood = _understood(turn)
    yield from _act(turn, understood)
    if not turn.lines and turn.question is None:
        chatting.unknown(turn)
    yield from turn.closing()


def _understood(turn: Turn) -> Understanding:
    """An answer to our question is what it chose: its options are things one could have said."""
    table = turn.mind.table(turn.state)
    understood = turn.mind.understand(turn.text, turn.now, table)
    question = table.question
    if question is None:
        return understood
    chosen = next((each.slots.option for each in understood.asked if each.intent is Intent.CHOOSE), None)
    if understood.intents == (Intent.YES,) and question.options and question.options[0].lower() != "yes":
        chosen = question.options[0]
    if chosen and chosen.lower() == "no":
        return understood
    plain = replace(table, question=None)
    if chosen is not None and _says_more(turn, chosen, plain):
        chosen = None
    if chosen is not None:
        turn.text = chosen
        turn.state.question = None
        return turn.mind.understand(chosen, turn.now, plain)
    if understood.intents == (Intent.UNKNOWN,):
        own = turn.mind.understand(turn.text, turn.now, plain)
        if set(own.intents) & set(_ORDER):
            return own
    if understood.intents == (Intent.UNKNOWN,) or (
        _ASKED_WHEN.match(question.text) and Intent.CREATE in understood.intents
    ):
        together = f"{turn.before.rstrip('.!? ')} {turn.text}"
        again = turn.mind.understand(together, turn.now, plain)
        if again.intents != (Intent.UNKNOWN,):
            turn.text = together
            turn.state.question = None
            return again
    return understood


def _says_more(turn: Turn, chosen: str, plain: Table) -> bool:
    """«Swap the last one for push-ups» after a question is a wish of its own, not the last of the options."""
    if len(turn.text.split()) < _A_SENTENCE or turn.text.strip().casefold() == chosen.strip().casefold():
        return False
    own = turn.mind.understand(turn.text, turn.now, plain)
    meant = {each.intent for each in own.asked if each.confidence >= _CLEAR} & set(_ORDER)
    return bool(meant) and not meant <= set(turn.mind.understand(chosen, turn.now, plain).intents)


def _read_again(turn: Turn, understood: Understanding) -> Understanding:
    """A second look where the first is not enough to act on; it counts only if it finds what it looked for."""
    said = turn.text.lower().rstrip(".! ")
    table = turn.mind.table(turn.state)
    request = understood.of(Intent.CREATE)
    if (
        request is not None
        and request.slots.sore
        and request.confidence < _CLEAR
        and not request.slots.duration
    ):
        # «My legs hurt after leg day» tells of them and asks for nothing.
        told = replace(request, intent=Intent.REPORT_INJURY)
        return Understanding((told,), understood.slots)
    unsure = understood.intents in ((Intent.UNKNOWN,), (Intent.CREATE,)) and bool(table.workout)
    looked: tuple[str, Intent] | None = None
    if set(understood.intents) <= _TELLING and _TRAINING.search(said) and not _HABIT.search(said):
        # «45 min legs with a bad shoulder»: who begins with a time or a kind of training wants to train.
        looked = f"give me {said}", Intent.CREATE
    elif unsure and (amount := _AMOUNT.search(said)) is not None:
        looked = _as_amount(turn, understood, said, amount)
    elif unsure and _TOO.search(said):
        looked = f"more {_TOO.sub('', said).strip()}", Intent.MORE_OF
    elif unsure and said.endswith(" either"):
        looked = said.removesuffix(" either"), Intent.SWAP
    if looked is None:
        return understood
    again = turn.mind.understand(looked[0], turn.now, table)
    return again if looked[1] in again.intents else understood


def _as_amount(
    turn: Turn, understood: Understanding, said: str, amount: re.Match[str]
) -> tuple[str, Intent] | None:
    """Over a workout, «3 sets of the first one» and «the plank 20 seconds» say how it should be."""
    on_table = {known.id for one in turn.state.table if (known := turn.mind.exercise(one)) is not None}
    named = [name for name in understood.slots.exercises if name in on_table]
    if Intent.CREATE in understood.intents and not named:
        return None
    thing = turn.mind.book[named[0]].name if named else said[amount.end() :].removeprefix(" of ")
    return f"do {amount[0]} of {thing}", Intent.ADJUST


def _act(turn: Turn, understood: Understanding) -> Script:
    intents = set(understood.intents)
    said = turn.text.lower()
    if Intent.RED_FLAG in intents:
        chatting.danger(turn, understood.slots.danger)
    elif chatting.cautious(turn, sore_spot=bool(understood.slots.injuries or understood.slots.conditions)):
        return
    elif Intent.OTHER_LANGUAGE in intents:
        chatting.foreign(turn)
    elif _MAY_I.search(said) and understood.slots.exercises and turn.can("validate_exercise"):
        yield from _may_i(turn, understood)
    elif _CALORIES.search(said):
        yield from looking.calories(turn)
    elif _PROGRAMME.search(said) and intents & {Intent.CREATE, Intent.UNKNOWN, Intent.SCHEDULE}:
        turn.say(
            "I plan one workout at a time, and put days on your calendar; whole programmes I cannot write yet."
        )
        turn.ask("Shall we start with one of these?", _STARTS)
    elif _ERASE.search(said):
        yield from _erase(turn)
    elif turn.state.table and intents <= {Intent.UNKNOWN, Intent.REMOVE} and _ENDS.search(said):
        turn.say(_WARM_UP_STAYS)
    elif Intent.UNKNOWN in intents and _FORGET.search(said):
        yield from _forgotten(turn, understood.slots)
    else:
        yield from _all_of_it(turn, understood)


def _all_of_it(turn: Turn, understood: Understanding) -> Script:
    intents = set(understood.intents)
    for intent in _ORDER:
        asked = understood.of(intent)
        if asked is None or _goes_with_another(intent, intents):
            continue
        needed = _TOOLS.get(intent)
        if needed is not None and not turn.can(needed):
            turn.say(f"I cannot do that here: {intent.value.replace('_', ' ')} is not among my tools.")
            continue
        slots = asked.slots
        if intent is Intent.CREATE:
            slots = _with_injuries(_as_if_alone(turn, slots, intents), understood)
        yield from _DOERS[intent](turn, slots)
        if turn.question is not None:
            return
    if intents & {Intent.SET_PREFERENCE, Intent.REPORT_INJURY} and not intents & _PLACED:
        yield from changing.repair(turn)
    for intent in understood.intents:
        if intent in _CHATTING and not turn.lines:
            chatting.courtesy(turn, intent)


def _goes_with_another(intent: Intent, intents: set[Intent]) -> bool:
    """What hurts is kept with the workout asked for; of easier and harder, the safe one; «why is it never in my
    workouts» asks for no list of them."""
    return (
        (intent is Intent.REPORT_INJURY and Intent.CREATE in intents)
        or (intent is Intent.HARDER and Intent.EASIER in intents)
        or (intent is Intent.HISTORY and Intent.WHY in intents)
    )


def _as_if_alone(turn: Turn, slots: Slots, intents: set[Intent]) -> Slots:
    """A new workout is asked for in the same words whether or not there is one: what was heard of them without the one
    on the table counts too."""
    if not turn.state.table or intents != {Intent.CREATE}:
        return slots
    alone = turn.mind.understand(turn.text, turn.now, Table()).of(Intent.CREATE)
    if alone is None:
        return slots
    told = {name: getattr(alone.slots, name) for name in _OF_A_REQUEST}
    missed = {name: value for name, value in told.items() if value and not getattr(slots, name)}
    if alone.slots.equipment != Slots().equipment and slots.equipment == Slots().equipment:
        missed["equipment"] = alone.slots.equipment
    if set(slots.muscles) < set(alone.slots.muscles):
        missed["muscles"] = alone.slots.muscles
    return replace(slots, **missed)


def _with_injuries(slots: Slots, understood: Understanding) -> Slots:
    """What hurts belongs to the workout that is asked for in the same breath."""
    hurt = understood.of(Intent.REPORT_INJURY)
    if hurt is None:
        return slots
    return replace(
        slots,
        injuries=tuple(dict.fromkeys((*slots.injuries, *hurt.slots.injuries))),
        conditions=tuple(dict.fromkeys((*slots.conditions, *hurt.slots.conditions))),
        sore=tuple(dict.fromkeys((*slots.sore, *hurt.slots.sore))),
        lasting=slots.lasting or hurt.slots.lasting,
    )


def _may_i(turn: Turn, understood: Understanding) -> Script:
    if (hurt := understood.of(Intent.REPORT_INJURY)) is not None:
        yield from keeping.report_injury(turn, hurt.slots)
    yield from looking.validate(turn, understood.slots)


def _erase(turn: Turn) -> Script:
    yield from turn.look_up("active_preferences")
    count = len(turn.state.preferences)
    if re.search(r"\ball (?:my )?preferences\b", turn.text.lower()) and count:
        yield from keeping.delete_preference(turn, Slots())
    elif count:
        turn.say(
            "Your training log and your account are not mine to delete; your gym or your settings can do that."
        )
        turn.ask(f"Shall I forget all {count} preferences?", ("Forget all my preferences", "No"))
    else:
        turn.say(
            "I keep no preferences of yours. Your training log and your account are not mine to delete; your gym or "
            "your settings can do that."
        )


def _forgotten(turn: Turn, slots: Slots) -> Script:
    """Words that sound like taking something back do so only when something kept is named."""
    yield from turn.look_up("active_preferences")
    if keeping.matching(turn, slots):
        yield from keeping.delete_preference(turn, slots)
    else:
        chatting.unknown(turn)


def _over_a_workout(doing: Doing) -> Doing:
    """Asks for a workout first when there is none to change."""

    def do(turn: Turn, slots: Slots) -> Script:
        if changing.need_workout(turn):
            yield from doing(turn, slots)

    return do


_DOERS: Final[Mapping[Intent, Doing]] = {
    Intent.LOG: reporting.log,
    Intent.INJURY_BETTER: keeping.injury_better,
    Intent.DELETE_PREFERENCE: keeping.delete_preference,
    Intent.SET_GOAL: keeping.set_goal,
    Intent.SET_PREFERENCE: keeping.set_preference,
    Intent.REPORT_INJURY: keeping.report_injury,
    Intent.LIST_PREFERENCES: keeping.list_preferences,
    Intent.CREATE: making.create,
    Intent.REMOVE: _over_a_workout(changing.remove),
    Intent.SWAP: _over_a_workout(changing.swap),
    Intent.ADJUST: _over_a_workout(changing.adjust),
    Intent.EASIER: _over_a_workout(partial(changing.step, effort=Effort.EASY)),
    Intent.HARDER: _over_a_workout(partial(changing.step, effort=Effort.HARD)),
    Intent.MORE_OF: _over_a_workout(making.more_of),
    Intent.LESS_OF: _over_a_workout(making.less_of),
    Intent.SHORTER: _over_a_workout(partial(making.resize, direction=Direction.LESS)),
    Intent.LONGER: _over_a_workout(partial(making.resize, direction=Direction.MORE)),
    Intent.CANCEL_SCHEDULED: planning.cancel,
    Intent.RESCHEDULE: planning.reschedule,
    Intent.SCHEDULE: planning.schedule,
    Intent.LIST_SCHEDULE: planning.list_schedule,
    Intent.PROGRESS: looking.progress,
    Intent.STATS: looking.stats,
    Intent.GOAL_PROGRESS: looking.goal_progress,
    Intent.HISTORY: looking.history,
    Intent.WHY: looking.why,
    Intent.EXPLAIN: looking.explain,
    Intent.SUGGEST: looking.suggest,
    Intent.TIMER: looking.timer,
}
