"""What agents can do: one file per family. A tool checks, calls a service of the room that knows, and says what came of
it; rules live in those rooms."""

from itertools import chain

from spotter.runtime.tool import Tool
from spotter.tools import (
    calendar,
    coach,
    data,
    drafts,
    exercises,
    front_desk,
    goals,
    preferences,
    progress,
    talk,
    timers,
    workouts,
)

TOOLS: tuple[Tool, ...] = tuple(
    chain.from_iterable(
        family.TOOLS
        for family in (
            talk,
            workouts,
            goals,
            preferences,
            data,
            exercises,
            calendar,
            progress,
            timers,
            drafts,
            coach,
            front_desk,
        )
    )
)
