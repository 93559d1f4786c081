"""What was done: all of it, all but something, or as it was typed."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from spotter.offline.acting.changing import meant
from spotter.offline.acting.mind import main_part
from spotter.offline.acting.script import Call, Script
from spotter.offline.acting.turn import Turn, joined, plainly
from spotter.offline.understanding import Slots
from spotter.offline.understanding.slots import LoggedSet, SetLog
from spotter.training.check import why_not
from spotter.training.exercise import Exercise
from spotter.training.parts import told
from spotter.training.recall import Listed
from spotter.training.rules import limits_of
from spotter.training.vocabulary import Equipment, Kind, UnitType

_ALL: Final = re.compile(
    r"\b(?:everything|all|whole|entire|rest|finished|completed|log (?:it|this|that|my workout|the workout)|i'?m done"
    r"|as planned)\b|^\W*(?:all )?(?:done|finished)\b"
)
_PARTIAL: Final = re.compile(
    r"\b(?:only|just)\b[^.]*?\b(\d{1,2}|one|two|three|four|five) (sets?|reps?|rounds?)\b"
)
_OUTRIGHT: Final = re.compile(r"\b(?:log|logged|record|save|track)\b")
_MOST_SKIPPED: Final = 3
_NUMBERS: Final = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
_NAMES: Final = {"set": "actual_sets", "round": "actual_sets", "rep": "actual_reps"}


def log(turn: Turn, slots: Slots) -> Script:
    if not turn.state.table:
        yield from _from_nothing(turn, slots)
        return
    said = turn.text.lower()
    named = meant(turn, slots)
    partial = _PARTIAL.search(said)
    single = _single(turn, slots, partial)
    everything = bool(_ALL.search(said)) or not (slots.logs or named or slots.exercises)
    if not everything and not _OUTRIGHT.search(said):
        _ask_for_rest(turn, slots, single, partial)
        return
    if not everything and single and partial:
        named = [single]
    reports, strangers = _reports(turn, slots, named, everything=everything)
    if partial and single:
        count, unit = partial[1], partial[2].rstrip("s")
        reports[single.id][_NAMES[unit]] = _NUMBERS.get(count) or int(count)
    if not any(report["completed"] for report in reports.values()):
        turn.ask(
            "What did you do of it?",
            ("Log everything", *(f"Log only the {one.name}" for one in main_part(turn.state.table)[:4])),
        )
        return
    yield from _log(turn, reports)
    for name in strangers:
        turn.say(f"{name} is not part of this workout, so it is not in the log.")


def _single(turn: Turn, slots: Slots, partial: re.Match[str] | None) -> Listed | None:
    """The one exercise that a part was done of, beside «everything»."""
    if partial is not None:
        said = f"i did {turn.text[partial.start() :]}"
        alone = turn.mind.understand(said, turn.now, turn.mind.table(turn.state))
        slots = alone.slots if alone.slots.references else slots
    ids = {reference.ids[0] for reference in slots.references if len(reference.ids) == 1}
    return turn.state.listed(ids.pop()) if len(ids) == 1 else None


def _ask_for_rest(turn: Turn, slots: Slots, one: Listed | None, partial: re.Match[str] | None) -> None:
    """Logging closes the workout, so nobody is taken to have skipped the rest without being asked."""
    if one is not None and partial is not None:
        done = f"{partial[1]} {partial[2]} of {one.name}"
        options = (f"Log everything, only {done}", f"Log only {done}, nothing else")
    else:
        names = joined([each.name for each in meant(turn, slots)]) or "that"
        typed = turn.text.strip().rstrip(".!")
        options = (f"Log everything: {typed}", f"Log only {typed}" if slots.logs else f"Log only {names}")
    turn.ask("Shall I log the workout? Did you do the rest as planned?", (*options, "Not yet"))


def _reports(
    turn: Turn, slots: Slots, named: Iterable[Listed], *, everything: bool
) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """By exercise on the table; and what was typed that is not on it."""
    only = {one.id for one in named}
    reports: dict[str, dict[str, Any]] = {
        one.id: {
            "exercise_id": one.id,
            "completed": one.id not in slots.left_out and (everything or one.id in only),
        }
        for one in turn.state.table
    }
    strangers: list[str] = []
    for typed in slots.logs:
        one = _on_table(turn, typed, only)
        if one is None:
            known = turn.mind.book.get(typed.exercise or "")
            strangers.append(known.name if known else (typed.exercise or "Something").replace("_", " "))
        else:
            actual = _actual(typed.sets)
            if everything and len(typed.sets) == 1:
                del actual["actual_sets"]  # «push-ups were 8 reps» says nothing of how many sets
            reports[one.id] |= {"completed": True, **actual}
    return reports, strangers


def _on_table(turn: Turn, typed: SetLog, named: set[str]) -> Listed | None:
    for one in turn.state.table:
        known = turn.mind.exercise(one)
        if known is not None and known.id == typed.exercise:
            return one
    if typed.exercise is None and len(named) == 1:
        return turn.state.listed(next(iter(named)))
    return None


def _actual(sets: tuple[LoggedSet, ...]) -> dict[str, Any]:
    """A report has one number for all sets: their mean, with each of them in the notes."""
    reps = [one.reps for one in sets if one.reps is not None]
    seconds = [one.seconds for one in sets if one.seconds is not None]
    first = sets[0]
    found: dict[str, Any] = {"actual_sets": min(len(sets), 50)}
    notes: list[str] = []
    if reps:
        found["actual_reps"] = min(round(sum(reps) / len(reps)), 500)
        notes += [f"reps {', '.join(map(str, reps))}"] if len(set(reps)) > 1 else []
    if seconds:
        found["actual_seconds"] = min(round(sum(seconds) / len(seconds)), 4 * 3600)
        notes += [f"seconds {', '.join(map(str, seconds))}"] if len(set(seconds)) > 1 else []
    if first.weight_kg is not None and first.weight_kg <= 500:
        found["actual_weight_kg"] = first.weight_kg
    if first.rpe is not None and 1 <= first.rpe <= 10:
        found["rpe"] = first.rpe
    if first.metres:
        notes.append(f"{first.metres} m")
    return {**found, **({"notes": "; ".join(notes)} if notes else {})}


def _log(turn: Turn, reports: Mapping[str, Mapping[str, Any]]) -> Script:
    before = turn.state.table
    outcomes = yield [Call("log_workout", {"completed_exercises": list(reports.values())})]
    if turn.failed(outcomes, "log it"):
        return
    turn.say(f"{outcomes[0].text.strip()} Well done!")
    skipped = [one.name for one in main_part(before) if not reports.get(one.id, {}).get("completed")]
    if len(skipped) > _MOST_SKIPPED:
        turn.say(f"The other {len(skipped)} exercises are not in the log.")
    elif skipped:
        turn.say(f"Not done: {joined(skipped)}.")


def _from_nothing(turn: Turn, slots: Slots) -> Script:
    """Sets typed without a workout: they become one, and are logged as they were done."""
    if not slots.logs:
        turn.ask(
            "There is no workout on the table to log. What did you do?",
            ("Log 3x10 push-ups", "Log a 20 minute walk", "Make me a workout"),
        )
        return
    typed = list(_possible(turn, slots.logs))
    if not typed:
        return
    exercises = [_planned(known, each.sets) for each, known in typed]
    outcomes = yield [Call("generate_workout", {"workout": {"exercises": exercises}})]
    if turn.failed(outcomes, "log that"):
        return
    placed = {known.id: one for one in turn.state.table if (known := turn.mind.exercise(one)) is not None}
    reports = [
        {"exercise_id": one.id, "completed": True, **_actual(each.sets)}
        for each, known in typed
        if (one := placed.get(known.id)) is not None
    ]
    missing = [known.name for _, known in typed if known.id not in placed]
    if missing:
        turn.say(f"Not in the log: {joined(missing)}. The safety check would not have it.")
    if not reports:
        return
    outcomes = yield [Call("log_workout", {"completed_exercises": reports})]
    if not turn.failed(outcomes, "log that"):
        names = [f"{known.name} {_typed(each)}" for each, known in typed if known.name not in missing]
        earned = outcomes[0].text.partition(" sets. ")[2].strip()
        turn.say(f"Logged: {joined(names)}. {earned}".strip())


def _possible(turn: Turn, logs: Iterable[SetLog]) -> Iterator[tuple[SetLog, Exercise]]:
    """What can be on the table at all; the rest is told."""
    athlete = turn.athlete
    limits = limits_of(athlete)
    for each in logs:
        known = _known(turn, each)
        if known is None:
            name = (each.exercise or "the exercise").replace("_", " ")
            turn.say(f"I do not know {name}, so it is not in the log. Tell me its name with the sets.")
        elif reasons := why_not(known, athlete, limits):
            turn.say(f"I could not log {known.name}: it is not open to you here ({plainly(reasons)}).")
        else:
            yield each, known


def _known(turn: Turn, typed: SetLog) -> Exercise | None:
    if typed.exercise is None:
        return None
    own = turn.mind.book.get(typed.exercise)
    family = [own] if own is not None else turn.mind.family(typed.exercise)
    if own is not None and own.name.casefold() not in turn.text.casefold():
        family += turn.mind.family(
            own.id, _nickname(own)
        )  # «deadlifts» of who has dumbbells are done with them
    limits = limits_of(turn.athlete)
    open_to_them = [each for each in family if not why_not(each, turn.athlete, limits)]
    if typed.sets and typed.sets[0].weight_kg:
        open_to_them.sort(key=lambda each: each.unit is not UnitType.WEIGHT_REPS)
    return next(iter(open_to_them or family), None)


def _nickname(known: Exercise) -> str:
    """Its name without what it is done with."""
    return " ".join(word for word in known.name.split() if word.casefold() not in set(Equipment))


def _planned(known: Exercise, sets: tuple[LoggedSet, ...]) -> dict[str, Any]:
    done = _actual(sets)
    count = min(max(1, done["actual_sets"]), 20)
    load = {"weight_kg": done["actual_weight_kg"]} if "actual_weight_kg" in done else {}
    if "actual_reps" in done and known.kind is Kind.REPS:
        reps = max(1, min(done["actual_reps"], 200))
        return {**told(known), "type": "reps", "sets": count, "reps": reps, **load}
    if known.kind is Kind.HOLD:
        held = max(1, done.get("actual_seconds", 30))
        return {**told(known), "type": "hold", "sets": count, "hold_time": held, **load}
    if known.kind is Kind.REPS:
        return {**told(known), "type": "reps", "sets": count, "reps": known.range[0], **load}
    return {**told(known), "type": "duration", "duration": max(1, done.get("actual_seconds", 600))}


def _typed(each: SetLog) -> str:
    first = each.sets[0]
    if first.reps is not None:
        counts = [str(one.reps) for one in each.sets]
        how = f"{len(counts)}x{counts[0]}" if len(set(counts)) == 1 else ",".join(counts)
    elif first.metres:
        how = f"{first.metres} m" + (
            f" in {first.seconds // 60}:{first.seconds % 60:02d}" if first.seconds else ""
        )
    else:
        how = f"{first.seconds} s" if len(each.sets) == 1 else f"{len(each.sets)}x{first.seconds} s"
    return f"{how} @ {first.weight_kg:g} kg" if first.weight_kg else how
