"""What sets come to in the one line the history has for an exercise. Pure.

Models read that line and nothing else of a workout, so it says what was done, not what was planned: as many sets, the
most weight, and what the weakest of the sets with it had. Who failed the last set has not earned more next time.
"""

from collections.abc import Sequence
from typing import Any

from spotter.training.athlete import PastSet
from spotter.training.history import DoneSet
from spotter.training.record import performed_of


def amount_done(kind: str, sets: Sequence[DoneSet]) -> dict[str, Any]:
    """In the fields of a workout's exercise of that kind. Nothing where no set has a number."""
    done = performed_of(
        [PastSet(one.exercise_id, one.reps, one.seconds, one.weight_kg, one.rpe) for one in sets]
    )
    if not done.amounts:
        return {}
    weight = {"weight_kg": done.weight_kg} if done.weight_kg else {}
    rpe = {"rpe": 10 - done.in_reserve} if done.in_reserve is not None else {}
    weakest = min(done.amounts)
    match kind:
        case "reps":
            return {"sets": len(sets), "reps": weakest, **weight, **rpe}
        case "hold":
            return {"sets": len(sets), "hold_time": weakest, **weight, **rpe}
        case "duration":
            return {"duration": sum(done.amounts), **rpe}
        case "intervals":
            return {"rounds": len(sets), "work_time": weakest, **rpe}
        case _:
            return {}
