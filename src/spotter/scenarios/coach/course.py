"""The course a session has taken, read off its log: where it stands, since when, and how many steps it took there."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from spotter.scenarios.coach.stages import CoachStage
from spotter.sessions.codec import Event
from spotter.sessions.events import Stage, UserMessage


@dataclass(frozen=True, slots=True)
class Taken:
    """A step, or one that was refused."""

    from_stage: str
    to_stage: str
    at: datetime
    accepted: bool
    reason: str


@dataclass(slots=True)
class Course:
    stage: str = CoachStage.INTAKE
    entered_at: datetime | None = None
    """None as long as nothing was said."""
    steps: dict[str, int] = field(default_factory=dict)
    """Messages of the person, by the stage they were said in."""
    taken: list[Taken] = field(default_factory=list)

    @property
    def total_steps(self) -> int:
        return sum(self.steps.values())


def course_of(events: Iterable[Event]) -> Course:
    course = Course()
    for event in events:
        match event.content:
            case UserMessage():
                course.entered_at = course.entered_at or event.at
                course.steps[course.stage] = course.steps.get(course.stage, 0) + 1
            case Stage(from_stage=before, to_stage=after, accepted=accepted, reason=reason):
                course.taken.append(Taken(before, after, event.at, accepted, reason))
                if accepted:
                    course.stage, course.entered_at = after, event.at
            case _:
                pass
    return course
