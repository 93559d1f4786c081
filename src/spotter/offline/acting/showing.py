"""Workouts in words, from what the tools answered."""

import re
from collections.abc import Iterable

from spotter.offline.acting.mind import main_part
from spotter.training.recall import Listed
from spotter.training.sources import amount

_CHANGED = re.compile(r"The check changed: (.*?)(?: Tell the athlete\.)?$", re.DOTALL)


def workout(table: Iterable[Listed]) -> list[str]:
    """The main part has numbers, by which it can be spoken of."""
    listed = tuple(table)
    before = [short(one) for one in listed if one.phase == "warmup"]
    after = [short(one) for one in listed if one.phase == "cooldown"]
    lines = [f"Warm-up: {', '.join(before)}."] if before else []
    lines += [f"{number}. {short(one)}" for number, one in enumerate(main_part(listed), start=1)]
    lines += [f"Cool-down: {', '.join(after)}."] if after else []
    return lines


def short(one: Listed) -> str:
    return re.sub(r"(?<= )(\d+)x(?=\d)", r"\1 × ", amount(one.item))


def changes(result: str) -> str:
    """What the safety check changed, if anything."""
    found = _CHANGED.search(result)
    return f"The safety check changed something: {found[1].strip()}" if found else ""


def headline(result: str) -> str:
    first = result.partition("\n")[0].strip()
    return first if first.endswith(".") else f"{first}."


def about(minutes: float | None) -> str:
    return f", about {round(minutes)} min" if minutes else ""
