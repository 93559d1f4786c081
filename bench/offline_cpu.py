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
from spotter.training.athlete import Athlete, Request
from spotter.training.catalogue import catalogue
from spotter.training.design import design
from spotter.training.vocabulary import Level, Region
from spotter.training.words import FULL_GYM


def spread(milliseconds: Sequence[float]) -> dict[str, float]:
    ordered = sorted(milliseconds)
    at = {name: ordered[min(len(ordered) - 1, int(len(ordered) * share))] for name, share in _SHARES.items()}
    return {"count": len(ordered), **{name: round(value, 2) for name, value in at.items()}}


_SHARES = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "most": 1.0}


def understanding() -> list[float]:
    understander: Understander = mind().understander
    rows = [row for name in ("earlier", "tuning") for row in cases(name)]
    found = []
    for row in (*rows[:50], *rows):
        begun = time.process_time()
        understander.understand(row.text, NOW, TABLES[row.table])
        found.append((time.process_time() - begun) * 1000)
    return found[50:]


def planning() -> list[float]:
    book, found = catalogue(), []
    for number in range(200):
        level = list(Level)[number % 3]
        athlete = Athlete(
            user_id=UUID(int=number + 1), level=level, equipment=FULL_GYM if number % 2 else frozenset()
        )
        region = list(Region)[number % 4]
        request = Request(minutes=15 + number % 60, regions=frozenset({region}), today=date(2026, 11, 16))
        begun = time.process_time()
        design(request, athlete, book)
        found.append((time.process_time() - begun) * 1000)
    return found[5:]


if __name__ == "__main__":
    print(json.dumps({"understand_ms": spread(understanding()), "plan_ms": spread(planning())}, indent=1))
