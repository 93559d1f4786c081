"""The calendar. Times are local; in UTC, and said to be, as long as nobody has told us a zone."""

import re
from collections.abc import Iterable
from datetime import date, datetime, timedelta
from typing import Any, Final

from spotter.offline.acting.script import Call, Outcome, Script
from spotter.offline.acting.translating import about, topics
from spotter.offline.acting.turn import Turn, joined
from spotter.offline.understanding import Slots
from spotter.offline.understanding.slots import When
from spotter.training import recall
from spotter.training.recall import Planned

_SHIFT: Final = re.compile(
    r"\b(?:by )?(an?|one|two|three|half an?|\d{1,3}) (hours?|minutes?|mins?|days?)\s*(later|earlier|back|forward)"
)
_COUNTS: Final = {"a": 1.0, "an": 1.0, "one": 1.0, "two": 2.0, "three": 3.0, "half a": 0.5, "half an": 0.5}
_THIS: Final = re.compile(r"\b(?:it|this|that|the workout|this workout)\b")
_DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def moment(at: datetime) -> str:
    return f"{at:%A %d %B, %H:%M}{' UTC' if at.tzname() == 'UTC' else ''}"


def schedule(turn: Turn, slots: Slots) -> Script:
    times = _times(slots.when, turn.now)
    topic = about(slots) or joined(
        [known.name.lower() for each in slots.exercises if (known := turn.mind.book.get(each))]
    )
    title = f"{topic[0].upper()}{topic[1:]}" if topic else "Workout"
    if not times:
        day = turn.now + timedelta(days=1)
        what = topic or "a workout"
        turn.ask(
            "When should I put it on your calendar?",
            [f"Put {what} on {each:%A} at {each:%H:%M}" for each in _offers(day)],
        )
        return
    whole = bool(turn.state.table) and not topic and bool(_THIS.search(turn.text.lower()))
    calls = [Call("schedule_workout", _arguments(title, at, slots, whole=whole)) for at in times]
    outcomes = yield calls
    if turn.failed(outcomes, "put it on the calendar"):
        return
    found = [plan for outcome in outcomes for plan in recall.planned(outcome.text)]
    turn.say(f"On your calendar: {'; '.join(f'{each.title}, {moment(each.at)}' for each in found)}.")
    if slots.when and slots.when.clock is None:
        turn.say("You named no time, so I took 9:00; tell me if another one suits you better.")
    if slots.when and slots.when.every:
        turn.say("I cannot repeat it every week by myself yet: these are the next ones only.")


def _arguments(title: str, at: datetime, slots: Slots, *, whole: bool) -> dict[str, Any]:
    found: dict[str, Any] = {"title": title, "scheduled_for": at.isoformat()}
    if slots.duration and slots.duration.change is None:
        found["duration_minutes"] = max(5, min(slots.duration.minutes, 300))
    focus = topics(slots)[:8]
    if focus:
        found["focus"] = focus
    return {**found, **({"include_current_workout": True} if whole else {})}


def _offers(day: datetime) -> list[datetime]:
    return [
        day.replace(hour=hour, minute=0, second=0, microsecond=0) + timedelta(days=more)
        for more, hour in ((0, 7), (0, 18), (1, 7), (1, 18))
    ]


def _times(when: When | None, now: datetime) -> list[datetime]:
    if when is None:
        return []
    if when.every:
        days = [now.date() + timedelta(days=more) for more in range(1, 8)]
        wanted = [day for day in days if _DAYS[day.weekday()] in when.every]
        return [at for day in wanted if (at := _on(when, day, now)) is not None]
    if when.last_day is not None:
        return []
    at = when.at(now)
    return [at] if at is not None else []


def _on(when: When, day: date, now: datetime) -> datetime | None:
    return When(day=day, clock=when.clock).at(now)


def know_plans(turn: Turn) -> Script:
    if turn.state.planned is None and turn.can("get_scheduled_workouts"):
        yield [Call("get_scheduled_workouts")]


def list_schedule(turn: Turn, slots: Slots) -> Script:
    outcomes = yield [Call("get_scheduled_workouts")]
    if turn.failed(outcomes, "look at the calendar"):
        return
    plans = recall.planned(outcomes[0].text)
    when = slots.when
    if when is not None and when.day is not None:
        last = when.last_day or when.day
        plans = [plan for plan in plans if when.day <= plan.at.date() <= last]
    if not plans:
        turn.say("Nothing is on your calendar for that time. Say “put legs on Thursday 7am” and it will be.")
        return
    lines = [f"- {moment(plan.at)}: {plan.title}{_lasting(plan)}" for plan in plans[:12]]
    turn.say("\n".join(["On your calendar:", *lines]))


def _lasting(plan: Planned) -> str:
    return f" ({plan.minutes} min)" if plan.minutes else ""


def reschedule(turn: Turn, slots: Slots) -> Script:
    plans = _named(turn, slots)
    if len(plans) != 1:
        _which(turn, plans, "Move", "to tomorrow")
        return
    plan = plans[0]
    at = _new_time(turn, slots.when, plan)
    if at is None:
        turn.ask(
            f"To when should I move {plan.title}?",
            [
                f"Move {plan.title} to {each:%A} at {each:%H:%M}"
                for each in _offers(turn.now + timedelta(days=1))
            ],
        )
        return
    outcomes = yield [
        Call("update_scheduled_workout", {"scheduled_id": plan.id, "scheduled_for": at.isoformat()})
    ]
    if not turn.failed(outcomes, "move it"):
        moved = recall.planned(outcomes[0].text)
        turn.say(f"Moved {plan.title} to {moment(moved[0].at if moved else at)}.")


def _new_time(turn: Turn, when: When | None, plan: Planned) -> datetime | None:
    if (shift := _SHIFT.search(turn.text.lower())) is not None:
        count = _COUNTS.get(shift[1]) or float(shift[1])
        unit = "hours" if shift[2].startswith("h") else "days" if shift[2].startswith("d") else "minutes"
        by = timedelta(**{unit: count})
        return plan.at + by if shift[3] in ("later", "back") else plan.at - by
    if when is None:
        return None
    day = when.day or plan.at.date()
    clock = when.clock or plan.at.timetz().replace(tzinfo=None)
    return When(day=day, clock=clock).at(turn.now)


def cancel(turn: Turn, slots: Slots) -> Script:
    plans = _named(turn, slots)
    everything = re.search(r"\b(?:all|everything)\b", turn.text.lower())
    if everything and turn.state.planned:
        plans = list(turn.state.planned.values())
    elif len(plans) != 1:
        _which(turn, plans, "Cancel")
        return
    outcomes = yield [Call("cancel_scheduled_workout", {"scheduled_id": plan.id}) for plan in plans]
    turn.failed(outcomes, "cancel it")
    gone = _gone(outcomes)
    if gone:
        turn.say(f"Cancelled: {joined(gone)}.")


def _gone(outcomes: Iterable[Outcome]) -> list[str]:
    found = [plan for each in outcomes if not each.failed for plan in recall.planned(each.text)]
    return [f"{plan.title} on {moment(plan.at)}" for plan in found]


def _named(turn: Turn, slots: Slots) -> list[Planned]:
    """Of several on the day that was said, the one whose title was said too."""
    planned = turn.state.planned or {}
    found = [planned[each] for each in slots.scheduled if each in planned]
    said = set(re.findall(r"[a-z]+", turn.text.lower()))
    titled = [plan for plan in found if set(re.findall(r"[a-z]+", plan.title.lower())) <= said]
    return titled if len(titled) == 1 else found


def _which(turn: Turn, plans: list[Planned], verb: str, to: str = "") -> None:
    all_plans = list((turn.state.planned or {}).values())
    if not all_plans:
        turn.say("There is nothing on your calendar, so I changed nothing.")
        return
    offered = [f"{verb} {plan.title} on {plan.at:%A %d %B} {to}".strip() for plan in plans or all_plans]
    turn.ask(f"Which one should I {verb.lower()}?", offered)
