"""Workouts in words, from what the tools answered."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from spotter.offline.acting.mind import Mind, main_part
from spotter.offline.acting.turn import Turn, joined
from spotter.training.recall import Listed

_CHANGED = re.compile(r"The check changed: (.*?)(?: Tell the athlete\.)?$", re.DOTALL)
_LEFT = re.compile(r"; \d+ left\.?$")
"""How many are left counts the warm-up, which nobody does."""
_MINUTE: Final = 60
_IN_SECONDS_UNTIL: Final = 90


def workout(turn: Turn) -> list[str]:
    """The main part has numbers, by which it can be spoken of."""
    table = turn.state.table
    before = [short(one, turn.mind) for one in table if one.phase == "warmup"]
    after = [short(one, turn.mind) for one in table if one.phase == "cooldown"]
    lines = [f"Warm-up: {', '.join(before)}."] if before else []
    lines += main(turn)
    lines += [f"Cool-down: {', '.join(after)}."] if after else []
    return lines


def main(turn: Turn) -> list[str]:
    mains = main_part(turn.state.table)
    lines = [f"{number}. {short(one, turn.mind)}" for number, one in enumerate(mains, start=1)]
    return [*lines, *filter(None, [_between(turn, mains)])]


def short(one: Listed, mind: Mind) -> str:
    """«Split squat 3 × 10 each side», «Plank 3 × 40 s», «Walk 2:30 min»."""
    known = mind.exercise(one)
    sides = " each side" if known is not None and known.unilateral else ""
    weight = f" @ {one.item['weight_kg']:g} kg" if one.item.get("weight_kg") else ""
    return f"{one.name} {_amount(one.item, one.phase == 'main')}{sides}{weight}".strip()


def _amount(item: Mapping[str, Any], is_main: bool) -> str:
    def times(sets: int) -> str:
        return f"{sets} × " if is_main or sets > 1 else ""

    match item.get("type"):
        case "reps":
            return f"{times(item['sets'])}{item['reps']}"
        case "hold":
            return f"{times(item['sets'])}{item['hold_time']} s"
        case "duration":
            return lasting(item["duration"])
        case "intervals":
            return f"{item['rounds']} × {item['work_time']} s, {item['rest_time']} s between"
        case _:
            return ""


def lasting(seconds: int) -> str:
    if seconds < _IN_SECONDS_UNTIL:
        return f"{seconds} s"
    minutes, rest = divmod(seconds, _MINUTE)
    return f"{minutes}:{rest:02d} min" if rest else f"{minutes} min"


def _between(turn: Turn, mains: Iterable[Listed]) -> str:
    """How long to rest, and what is done in turns: «Rest 60 to 90 s between sets; 2 and 3 in turns.»"""
    rests = [
        rest
        for one in mains
        if one.item.get("type") in ("reps", "hold") and (rest := turn.state.rests.get(one.name))
    ]
    groups: dict[str, list[str]] = {}
    for number, one in enumerate(mains, start=1):
        if letter := turn.state.pairs.get(one.name):
            groups.setdefault(letter, []).append(str(number))
    turns = [joined(group) for group in groups.values() if len(group) > 1]
    parts: list[str] = []
    if rests:
        low, high = min(rests), max(rests)
        parts.append(f"Rest {low} s between sets" if low == high else f"Rest {low} to {high} s between sets")
    if turns:
        parts.append(f"{', '.join(turns)} in turns")
    return f"{'; '.join(parts)}." if parts else ""


def changes(result: str) -> str:
    """What the safety check changed, if anything."""
    found = _CHANGED.search(result)
    return f"The safety check changed something: {found[1].strip()}" if found else ""


def headline(result: str) -> str:
    first = _LEFT.sub("", result.partition("\n")[0].strip())
    return first if first.endswith(".") else f"{first}."


def about(minutes: float | None) -> str:
    return f", about {round(minutes)} min" if minutes else ""
