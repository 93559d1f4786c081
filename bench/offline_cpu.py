"""CPU of the offline trainer for one answer: to understand the message, and to plan when a workout is asked for.

    .venv/bin/python bench/offline_cpu.py

Processor time of this process, so that a busy machine hardly matters. Every message of the sets that were built with is
read once, after a warm-up; nothing is remembered from one to the next, because no two are the same.
"""

import json
import time
from collections.abc import Sequence
from datetime import date
from uuid import UUID

from spotter.offline.acting.mind import mind
from spotter.offline.evals import NOW, TABLES, cases
from spotter.offline.understanding import Understander
from spotter.offline.understanding.intents import Intent
from spotter.training.athlete import Athlete, Request
from spotter.training.catalogue import catalogue
from spotter.training.design import design
from spotter.training.vocabulary import Level, Region
from spotter.training.words import FULL_GYM


def spread(milliseconds: Sequence[float]) -> dict[str, float]:
    ordered = sorted(milliseconds)
    at = {name: ordered[min(len(ordered) - 1, int(len(ordered) * share))] for name, share in _SHARES.items()}
    return {"count": len(ordered), **{name: round(value, 2) for name, value in at.items()}}


_WARM = 50
_SHARES = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "most": 1.0}


def understanding() -> tuple[list[float], list[float]]:
    """Of all messages, and of those among them that ask for a workout."""
    understander: Understander = mind().understander
    rows = [row for name in ("earlier", "tuning") for row in cases(name)]
    found, workouts = [], []
    for at, row in enumerate((*rows[:_WARM], *rows)):
        begun = time.process_time()
        understood = understander.understand(row.text, NOW, TABLES[row.table])
        took = (time.process_time() - begun) * 1000
        if at >= _WARM:
            found.append(took)
            if any(each.intent is Intent.CREATE for each in understood.asked):
                workouts.append(took)
    return found, workouts


def planning(count: int) -> list[float]:
    book, found = catalogue(), []
    for number in range(count + _WARM):
        level = list(Level)[number % 3]
        athlete = Athlete(
            user_id=UUID(int=number + 1), level=level, equipment=FULL_GYM if number % 2 else frozenset()
        )
        region = list(Region)[number % 4]
        request = Request(minutes=15 + number % 60, regions=frozenset({region}), today=date(2026, 11, 16))
        begun = time.process_time()
        design(request, athlete, book)
        found.append((time.process_time() - begun) * 1000)
    return found[_WARM:]


def main() -> None:
    understood, workouts = understanding()
    planned = planning(len(workouts))
    both = [one + two for one, two in zip(workouts, planned, strict=True)]
    told = {"understand_ms": understood, "plan_ms": planned, "understand_and_plan_ms": both}
    print(json.dumps({name: spread(each) for name, each in told.items()}, indent=1))


if __name__ == "__main__":
    main()
