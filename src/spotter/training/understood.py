"""What the rules need to know of something an athlete said, so that it really changes the next workout."""

from collections.abc import Mapping
from typing import Any

from spotter.errors import InvalidInput
from spotter.training import lengths, words
from spotter.training.catalogue import catalogue
from spotter.training.preferences import PreferenceType
from spotter.training.vocabulary import Joint


def details_of(kind: PreferenceType, value: str, told: Mapping[str, Any]) -> dict[str, str]:
    """What cannot be understood is asked for again: an injury nobody heeds is worse than a question."""
    match kind:
        case PreferenceType.INJURY:
            return _injury(value, told)
        case PreferenceType.EXCLUSION:
            found = catalogue().find(value)
            return {"exercise_id": found.exercise.id} if found is not None else {}
        case PreferenceType.EQUIPMENT:
            if words.equipment_of(value) is None:
                raise InvalidInput(
                    f"Equipment {value!r} is not known. Use a list of names such as «dumbbell, bands», «none» or "
                    "«full gym». Nothing was kept."
                )
            return {}
        case PreferenceType.TIME_AVAILABLE:
            if lengths.minutes_of(value) is None:
                raise InvalidInput(
                    f"It is not clear how long {value!r} is. Say it in minutes or hours, such as «45 minutes» or "
                    "«1.5 hours». Nothing was kept."
                )
            return {}
        case _:
            return {}


def _injury(value: str, told: Mapping[str, Any]) -> dict[str, str]:
    if condition := words.condition_of(value):
        return {"condition": condition.value}
    if told.get("joint") in set(Joint):
        return {}
    injury = words.injury_of(value)
    if injury is None:
        raise InvalidInput(
            f"It is not clear which joint {value!r} is about. Say one of {', '.join(Joint)}. Nothing was kept."
        )
    return {
        "joint": injury.joint.value,
        "severity": str(told.get("severity", injury.severity.value)),
        "side": str(told.get("side", injury.side.value)),
    }
