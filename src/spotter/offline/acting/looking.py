"""Answers that only look: how it went, why, how it is done, what else there is, how long it takes."""

import re
from datetime import timedelta
from typing import Final

from spotter.offline.acting import making
from spotter.offline.acting.absent import why_absent
from spotter.offline.acting.changing import meant, need_workout
from spotter.offline.acting.mind import folded, main_part
from spotter.offline.acting.script import Call, Script
from spotter.offline.acting.state import EXPLAINED
from spotter.offline.acting.translating import about
from spotter.offline.acting.turn import Turn, joined, plainly
from spotter.offline.understanding import Slots
from spotter.offline.understanding.slots import Period
from spotter.training import recall
from spotter.training.exercise import Exercise
from spotter.training.sources import amount
from spotter.training.vocabulary import Equipment, Kind

_STANDING: Final = re.compile(r"\b(?:streak|level|xp|points|badge)")
_SUMMARY: Final = re.compile(
    r"Last (\d+) days: (\d+) workouts?, (\d+) sets?, (\d+) min \(before: (\d+) workouts?, (\d+) sets?\)\. (.*)",
    re.DOTALL,
)
_LEVEL: Final = re.compile(r"Level (\d+), (\d+) XP, streak (\d+) weeks")
_LAST_TIME: Final = re.compile(r"\blast (?:time|workout|session|one)\b|\bpreviously\b|\bthe other day\b")
_MOST_MUSCLES: Final = 6
_MOST_SHOWN: Final = 8
_MOST_ITEMS: Final = 6


def days_of(period: Period | None, turn: Turn, usual: int) -> int:
    if period is None or period.first is None:
        return 366 if period is not None and period.name == "all" else usual
    days = (turn.now.date() - period.first).days + 1
    return max(7 if "week" in period.name else 1, min(days, 366))


def progress(turn: Turn, slots: Slots) -> Script:
    days = days_of(slots.period, turn, 7)
    outcomes = yield [Call("get_progress_summary", {"days": days})]
    if turn.failed(outcomes, "look that up"):
        return
    found = _SUMMARY.match(outcomes[0].text)
    if found is None:
        turn.say(outcomes[0].text)
        return
    count, sets, before = int(found[2]), int(found[3]), int(found[5])
    span, earlier = (
        ("This week", "the week before")
        if days == 7
        else (f"In the last {days} days", f"the {days} days before")
    )
    if not count:
        turn.say(
            f"{span} there is no workout in your log yet. {_standing(found[7])} Ten minutes would be a fine start."
        )
        return
    word = "workout" if count == 1 else "workouts"
    trend = (
        f"{earlier.capitalize()} there was none."
        if not before
        else f"More than the {before} of {earlier}."
        if count > before
        else f"As many as {earlier} ({found[6]} sets then)."
        if count == before
        else f"Fewer than the {before} of {earlier}."
    )
    turn.say(f"{span}: {count} {word}, {sets} sets, {found[4]} minutes. {trend} {_standing(found[7])}")


def _standing(told: str) -> str:
    """Level, points and streak as one would say them; a streak of none is not worth a word."""
    told = told.replace(", streak 0 weeks", "").replace("streak 1 weeks", "a streak of 1 week")
    told = re.sub(r"streak (\d+) weeks", r"a streak of \1 weeks", told)
    return told.replace("Little work for:", "Little work so far for:")


def stats(turn: Turn, slots: Slots) -> Script:
    if _STANDING.search(turn.text.lower()):
        outcomes = yield [Call("get_progress_summary", {"days": days_of(slots.period, turn, 7)})]
        if not turn.failed(outcomes, "look that up"):
            turn.say(_where_you_stand(outcomes[0].text))
        return
    outcomes = yield [Call("get_workout_stats", {"days": days_of(slots.period, turn, 30)})]
    if turn.failed(outcomes, "look that up"):
        return
    named = [known for name in slots.exercises if (known := _known(turn, name)) is not None]
    turn.say(_best_of(named[0], outcomes[0].text) if named else _numbers(outcomes[0].text))


def _numbers(told: str) -> str:
    """The muscles that had most, not all of them."""
    head, title, rest = told.replace("_", " ").partition("Sets by muscle: ")
    listed, end, best = rest.partition(". Best estimated")
    muscles = [each.strip().replace(":", " ") for each in listed.split(",") if each.strip()]
    more = " and less for others" if len(muscles) > _MOST_MUSCLES else ""
    told = f"{head}{title}{', '.join(muscles[:_MOST_MUSCLES])}{more}{end}{best}"
    return re.sub(r"\b1 workouts\b", "1 workout", told).replace(" Best estimated single lifts: none.", "")


def _best_of(known: Exercise, told: str) -> str:
    """Of one lift, from the list of the best ones."""
    listed = told.partition("Best estimated single lifts: ")[2].rstrip(".")
    wanted = folded(known.name) - {item.value for item in Equipment}
    found = [each for each in listed.split(", ") if wanted <= folded(each)]
    if not found:
        return f"Among your best lifts I find no {known.name.lower()} with a weight and repetitions."
    return f"Your best, as a single lift worked out from your sets: {joined(found)}."


def _where_you_stand(told: str) -> str:
    found = _LEVEL.search(told)
    if found is None:
        return told
    weeks = int(found[3])
    streak = (
        f"Your streak is {weeks} {'week' if weeks == 1 else 'weeks'}"
        if weeks
        else "There is no streak yet: it grows with every week in which you train as often as you planned"
    )
    return f"{streak}. You are at level {found[1]} with {found[2]} XP."


def calories(turn: Turn) -> Script:
    if not turn.state.table:
        turn.say("Ask me that over a workout: then I can estimate it from the exercises and your weight.")
        return
    yield from turn.look_up("user_profile", "active_preferences", "user_settings")
    found = making.burned(turn)
    turn.say(
        f"About {round(found, -1)} kcal, as a rough estimate from the exercises, the time and your weight."
        if found
        else "I cannot say: your weight is not in your profile, and without it a number would be made up."
    )


def goal_progress(turn: Turn, _: Slots) -> Script:
    outcomes = yield [Call("get_goal_progress")]
    if turn.failed(outcomes, "look that up"):
        return
    text = outcomes[0].text
    if text.startswith("No goals"):
        turn.ask(
            "You have no goals yet. What do you train for?", ("I want to get stronger", "I want to lose fat")
        )
        return
    turn.say(text.replace("_", " "))


def history(turn: Turn, slots: Slots) -> Script:
    outcomes = yield [
        Call("fetch_data", {"sources": ["workout_history"], "params": {"workout_history": {"limit": 20}}})
    ]
    if turn.failed(outcomes, "look that up"):
        return
    past = recall.history(turn.state.told.get("workout_history", ""))
    period = slots.period
    if period is not None and period.first is not None:
        last = period.last or turn.now.date() + timedelta(days=1)
        past = [one for one in past if period.first <= one.done_at.date() <= last]
    if slots.exercises:
        wanted = set(slots.exercises)
        past = [
            one
            for one in past
            if any((known := turn.mind.book.named(item["name"])) and known.id in wanted for item in one.items)
        ]
    if not past:
        turn.say("I find no workout in your log for that.")
        return
    if _LAST_TIME.search(turn.text.lower()):
        last_one = past[0]
        title = f" ({last_one.title})" if last_one.title else ""
        done = ", ".join(amount(item) for item in last_one.items) or "nothing completed"
        turn.say(f"Last time, on {last_one.done_at:%A %d %B}{title}: {done}.")
        return
    lines = [
        f"- {one.done_at:%a %d %b}{f' ({one.title})' if one.title else ''}: "
        f"{', '.join(amount(item) for item in one.items[:_MOST_ITEMS]) or 'nothing completed'}"
        f"{' …' if len(one.items) > _MOST_ITEMS else ''}"
        for one in past[:_MOST_SHOWN]
    ]
    turn.say("\n".join([f"{len(past)} {'workout' if len(past) == 1 else 'workouts'}:", *lines]))


def why(turn: Turn, slots: Slots) -> Script:
    yield from turn.look_up(
        "active_preferences", "user_settings", "category_goals", "muscle_goals", "workout_history"
    )
    there = meant(turn, slots)
    for one in there[:2]:
        known = turn.mind.exercise(one)
        if known is not None:
            muscles = joined([muscle.replace("_", " ") for muscle in known.primary])
            turn.say(f"{one.name} is in it for your {muscles}.")
    missing = [] if there else [turn.mind.book.get(name) for name in slots.exercises]
    for missed in filter(None, missing[:2]):
        turn.say(why_absent(turn, missed))
    if any(missing):
        return
    if not turn.state.table:
        need_workout(turn)
        return
    for reason in making.why(turn):
        turn.say(reason)
    if not turn.lines:
        turn.say("It follows from the time you have, your equipment and what you told me.")


def explain(turn: Turn, slots: Slots) -> Script:
    """Looks nothing up: the catalogue is known."""
    yield from ()
    found = [known for one in meant(turn, slots) if (known := turn.mind.exercise(one)) is not None]
    found += [
        known for name in slots.exercises if (known := _known(turn, name)) is not None and known not in found
    ]
    if not found and turn.state.focus and (one := turn.state.listed(turn.state.focus)):
        found = [known] if (known := turn.mind.exercise(one)) is not None else []
    if not found:
        turn.ask(
            "Which exercise should I explain?",
            [f"How do I do the {one.name}?" for one in main_part(turn.state.table)]
            or ["How do I do a push-up?", "How do I do a squat?"],
        )
        return
    for known in found[:2]:
        turn.say(f"{known.name}: {' '.join(known.cues)}")
        turn.say(_about(known))
    turn.reason = f"{EXPLAINED}{found[0].name}"


def _known(turn: Turn, name: str) -> Exercise | None:
    return turn.mind.book.get(name) or next(iter(turn.mind.family(name)), None)


def _about(known: Exercise) -> str:
    low, high = known.range
    unit = "repetitions" if known.kind is Kind.REPS else "seconds"
    side = " a side" if known.unilateral else ""
    muscles = joined([muscle.replace("_", " ") for muscle in known.primary])
    return f"It trains {muscles}; {low} to {high} {unit}{side} are usual."


def suggest(turn: Turn, slots: Slots) -> Script:
    arguments: dict[str, object] = {}
    named = [one.name for one in meant(turn, slots)] or [
        known.name for name in slots.exercises if (known := _known(turn, name)) is not None
    ]
    if named:
        arguments = {"instead_of": named[0]}
    else:
        muscles = list(slots.muscles) or [
            {"lower": "legs", "upper": "back"}.get(each, each) for each in slots.regions
        ]
        if muscles:
            arguments = {"muscles": muscles[:6]}
    if not arguments:
        turn.ask("Exercises for what?", ("Exercises for legs", "Exercises for chest", "Exercises for core"))
        return
    outcomes = yield [Call("get_exercise_suggestions", {**arguments, "limit": 5})]
    if turn.failed(outcomes, "find any"):
        return
    lines = [line.partition(": ")[2] for line in outcomes[0].text.splitlines() if ": " in line]
    what = f"Instead of {named[0]}" if named else f"For {about(slots)}"
    turn.say(
        "\n".join([f"{what}, these suit you:", *(f"- {line}" for line in lines)])
        if lines
        else outcomes[0].text
    )
    if lines and named and meant(turn, slots):
        turn.say(f"Say “swap {named[0].lower()} for {lines[0].partition(' (')[0].lower()}” and it is done.")


def validate(turn: Turn, slots: Slots) -> Script:
    known = next((each for name in slots.exercises if (each := _known(turn, name)) is not None), None)
    if known is None:
        turn.say("I do not know that exercise, so I cannot say whether it suits you.")
        return
    wanted: dict[str, object] = {"name": known.name, "exercise_id": known.id}
    match known.kind:
        case Kind.REPS:
            wanted |= {"type": "reps", "sets": 3, "reps": known.range[0]}
        case Kind.HOLD:
            wanted |= {"type": "hold", "sets": 3, "hold_time": known.range[0]}
        case Kind.DURATION:
            wanted |= {"type": "duration", "duration": 60}
    outcomes = yield [Call("validate_exercise", {"exercise": wanted})]
    if not turn.failed(outcomes, "check that"):
        suits = outcomes[0].text.endswith("suits.")
        turn.say(
            f"{known.name} suits you, by all I know about you. Start light, and stop if anything hurts."
            if suits
            else plainly([outcomes[0].text])
        )


def timer(turn: Turn, slots: Slots) -> Script:
    if not turn.state.table:
        wanted = slots.timer
        if wanted and (wanted.seconds or wanted.work):
            turn.say("I can only time the exercises of a workout, and there is none on the table.")
        need_workout(turn)
        return
    targets = meant(turn, slots)
    named = next((known for name in slots.exercises if (known := _known(turn, name)) is not None), None)
    if not targets and named is not None:
        turn.say(f"{named.name} is not in this workout, so there is no timer for it.")
        turn.ask("Shall I make timers for the whole workout?", ("Timers for the whole workout", "No"))
        return
    if targets:
        calls = [Call("generate_exercise_timer", {"exercise_id": one.id}) for one in targets[:4]]
    else:
        calls = [Call("generate_workout_timers")]
    outcomes = yield calls
    if not turn.failed(outcomes, "make a timer"):
        turn.say(f"{'; '.join(each.text for each in outcomes)}. Ready when you are.")
    if slots.timer and (slots.timer.seconds or slots.timer.work):
        turn.say("The times are those of the workout; to change one, say for example “plank 40 seconds”.")
