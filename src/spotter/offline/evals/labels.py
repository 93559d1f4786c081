"""Slots in the short form in which the eval sets are written, see GUIDE.md."""

from collections.abc import Mapping
from typing import Any, Final

from spotter.offline.understanding.slots import (
    Adjustment,
    Direction,
    Duration,
    Goal,
    Injury,
    LoggedSet,
    SetLog,
    Side,
    Slots,
    Taste,
    Timer,
    When,
)

GROUPS: Final[dict[str, tuple[str, ...]]] = {
    "arms": ("biceps", "triceps", "brachialis", "forearms"),
    "shoulders": ("front_delts", "side_delts", "rear_delts"),
    "back": ("lats", "upper_back", "lower_back"),
    "posterior_chain": ("glutes", "hamstrings", "lower_back"),
    "legs": ("quads", "hamstrings", "glutes", "calves"),
}

_ONE_SET: Final = {"sets=+": "sets=+1", "sets=-": "sets=-1"}
"""More sets are one more set: the trainer does the same."""

_LISTS: Final = ("regions", "splits", "patterns", "exercises", "conditions", "left_out", "scheduled")
_WORDS: Final = ("level", "intensity", "location", "option", "instead", "danger")


def short(slots: Slots) -> dict[str, Any]:
    """What is said, and nothing that is not."""
    found: dict[str, Any] = {name: sorted(getattr(slots, name)) for name in (*_LISTS, "muscles", "sore")}
    found |= {name: getattr(slots, name) for name in _WORDS}
    found["duration"] = _duration(slots.duration)
    found["equipment"] = _equipment(slots)
    found["injuries"] = sorted(map(_injury, slots.injuries))
    found["goals"] = sorted(map(_goal, slots.goals))
    found["tastes"] = sorted(map(_taste, slots.tastes))
    found["when"] = _when(slots.when)
    found["period"] = slots.period.name if slots.period else None
    found["references"] = sorted({each for reference in slots.references for each in reference.ids})
    found["logs"] = sorted(map(_log, slots.logs))
    found["adjustments"] = sorted(map(_adjustment, slots.adjustments))
    found["timer"] = _timer(slots.timer)
    found["repeat"] = slots.repeat
    found["lasting"] = slots.lasting.value if slots.lasting else None
    return {name: value for name, value in found.items() if value}


def expected(label: Mapping[str, Any]) -> dict[str, Any]:
    """A label as written by hand, brought into the form of `short`."""
    found: dict[str, Any] = {}
    for name, value in label.items():
        if name in {"muscles", "sore"}:
            found[name] = sorted({part for each in value for part in GROUPS.get(each, (each,))})
        elif name == "goals":
            found[name] = sorted(part for each in value for part in _goal_group(each))
        elif name == "tastes":
            found[name] = sorted(part for each in value for part in _taste_group(each))
        elif name == "adjustments":
            found[name] = sorted(_ONE_SET.get(each, each) for each in map(_adjusted, value))
        elif name == "injuries":
            found[name] = sorted(each.replace(" none ", f" {Side.BOTH} ") for each in value)
        elif name == "equipment":
            found[name] = _kit(value.split())
        elif isinstance(value, list):
            found[name] = sorted(value)
        else:
            found[name] = str(value) if name == "duration" else value
    return found


def _adjusted(written: str) -> str:
    """A hold is counted in seconds, whatever it is called."""
    return written.removeprefix("hold_")


def _kit(words: list[str]) -> str:
    """Nobody means more by naming the rack before the bar."""
    return " ".join(sorted(words, key=lambda word: (word != "only", word[0] == "-", word)))


def _goal_group(goal: str) -> list[str]:
    kind, _, name = goal.rpartition(":")
    parts = GROUPS.get(name[:-1], (name[:-1],)) if kind == "muscle" else (name[:-1],)
    return [f"{kind}:{part}{name[-1]}" if kind else f"{part}{name[-1]}" for part in parts]


def _taste_group(taste: str) -> list[str]:
    head, _, lasting = taste.partition(" ")
    kind, _, value = head.partition(":")
    parts = GROUPS.get(value, (value,)) if kind.endswith("muscle") else (value,)
    return [f"{kind}:{part} {lasting}" for part in parts]


def _duration(duration: Duration | None) -> str | None:
    if duration is None:
        return None
    if duration.change:
        return f"{'+' if duration.change is Direction.MORE else '-'}{duration.minutes}"
    return f"{duration.minutes}-{duration.longest}" if duration.longest else f"{duration.minutes}"


def _equipment(slots: Slots) -> str | None:
    equipment = slots.equipment
    if not equipment:
        return None
    words = ["only"] if equipment.only else []
    return _kit([*words, *equipment.available, *(f"-{item}" for item in equipment.without)])


def _injury(injury: Injury) -> str:
    if injury.better:
        return f"{injury.part} better"
    return f"{injury.part} {injury.side} {injury.severity}"


def _goal(goal: Goal) -> str:
    kind = "" if goal.kind == "category" else f"{goal.kind}:"
    return f"{kind}{goal.name}{'+' if goal.weight > 0 else '-'}"


def _taste(taste: Taste) -> str:
    return f"{'+' if taste.wanted else '-'}{taste.kind}:{taste.value} {taste.lasting}"


def _when(when: When | None) -> str | None:
    if when is None:
        return None
    parts = [f"every {','.join(day[:3] for day in when.every)}"] if when.every else []
    if when.day and not when.every:
        parts.append(f"{when.day}..{when.last_day}" if when.last_day else f"{when.day}")
    if when.clock:
        parts.append(f"{when.clock:%H:%M}")
    return " ".join(parts)


def _log(log: SetLog) -> str:
    parts = [log.exercise or "-"]
    same = len(set(log.sets)) == 1
    first = log.sets[0]
    if same:
        parts.append(
            f"{len(log.sets)}x{_amount(first)}"
            if first.reps is not None or len(log.sets) > 1
            else _amount(first)
        )
    else:
        parts.append(",".join(map(_amount, log.sets)))
    if first.weight_kg is not None:
        parts.append(f"@{first.weight_kg:g}")
    if first.rpe is not None:
        parts.append(f"rpe{first.rpe:g}")
    if log.each_side:
        parts.append("each")
    return " ".join(part for part in parts if part)


def _amount(done: LoggedSet) -> str:
    parts = []
    if done.reps is not None:
        parts.append(f"{done.reps}")
    if done.metres is not None:
        parts.append(f"{done.metres}m")
    if done.seconds is not None:
        parts.append(f"{done.seconds}s")
    return "/".join(parts)


def _adjustment(change: Adjustment) -> str:
    sign = "" if change.change is None else "+" if change.change is Direction.MORE else "-"
    written = f"{change.what}={sign}{'' if change.value is None else f'{change.value:g}'}"
    return _ONE_SET.get(written, written)


def _timer(timer: Timer | None) -> str | None:
    if timer is None:
        return None
    if timer.work is not None:
        return f"{timer.work}/{timer.rest or 0}" + (f"x{timer.rounds}" if timer.rounds else "")
    seconds = f"{timer.seconds}s" if timer.seconds is not None else ""
    return seconds + (f"x{timer.rounds}" if timer.rounds else "")
