"""Numbers a human can have done. What is not among them is a slip of the thumb, and would spoil every record after."""

from typing import Final

from spotter.training.importers.logged import LoggedSet

MOST_KILOGRAMS: Final = 1000
MOST_REPS: Final = 2000
MOST_SECONDS: Final = 36 * 3600
MOST_METRES: Final = 500_000


def doubt(done: LoggedSet) -> str | None:
    """Why the set is not taken; nothing if it is."""
    if done.empty:
        return "nothing was recorded for this set"
    if any(value is not None and value < 0 for value in (done.reps, done.seconds, done.distance_m)):
        return "a number is negative"
    if (
        abs(done.weight_kg or 0) > MOST_KILOGRAMS
        or (done.reps or 0) > MOST_REPS
        or (done.seconds or 0) > MOST_SECONDS
        or (done.distance_m or 0) > MOST_METRES
    ):
        return "a number is larger than anyone can do"
    if done.rpe is not None and not 0 < done.rpe <= 10:
        return "the effort is not between 0 and 10"
    return None
