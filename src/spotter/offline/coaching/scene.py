"""One message to one of the coach's agents: what was said, what was asked before, and how the visit stands."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from spotter.llm.prompt import AssistantMessage, Message, Prompt, UserMessage
from spotter.offline.acting.dialogue import is_said, outcomes
from spotter.offline.acting.mind import Mind
from spotter.offline.acting.script import Call, Outcome, Script
from spotter.offline.acting.state import State
from spotter.offline.acting.translating import CONDITIONS
from spotter.offline.acting.turn import Turn, for_people
from spotter.offline.understanding import EMPTY, Understanding
from spotter.training import words
from spotter.training.athlete import Athlete
from spotter.training.athletes import goals_from, level_from
from spotter.training.limits import Condition, Injury
from spotter.training.recall import Listed
from spotter.training.vocabulary import Equipment

LOOK: Final = "look_at_visit"
_HANDED: Final = "[The conversation was handed to "
_CAUTION: Final = "[A note from Spotter about the message above: "
_HEALTH: Final = (*CONDITIONS.values(),)


@dataclass(frozen=True, slots=True)
class Heard:
    text: str
    before: str
    """What the person said before that."""
    asked: str
    """Our last words to them, whoever of us spoke."""
    done: tuple[Outcome, ...]
    """Since the message, or since the conversation was handed over in answering it."""
    past: tuple[Outcome, ...]
    recent: tuple[Outcome, ...]
    """Since the message, whoever of us did it."""
    arrived: bool
    """We were just handed the conversation: the message was for somebody else."""


def heard(prompt: Prompt) -> Heard:
    messages = [fragment.message for fragment in (*prompt.messages, *prompt.trailing)]
    said = [at for at, message in enumerate(messages) if is_said(message)]
    start = said[-1] if said else len(messages)
    earlier, since = messages[:start], messages[start + 1 :]
    handed = max((at for at, message in enumerate(since) if _is_handover(message)), default=None)
    past = tuple(outcomes(messages))
    own = since if handed is None else since[handed + 1 :]
    return Heard(
        text=_text(messages[start]) if said else "",
        before=_text(messages[said[-2]]) if len(said) > 1 else "",
        asked=_last_words(earlier),
        done=tuple(outcomes(own)),
        past=past,
        recent=tuple(outcomes(since)),
        arrived=handed is not None,
    )


def _is_handover(message: Message) -> bool:
    return isinstance(message, UserMessage) and message.text.startswith(_HANDED)


def _text(message: Message) -> str:
    return message.text if isinstance(message, UserMessage) else ""


def _last_words(messages: Sequence[Message]) -> str:
    """Spoken, or asked by a tool."""
    spoken = ""
    for message in messages:
        if isinstance(message, AssistantMessage) and message.text:
            spoken = message.text
    asked = [each.text for each in outcomes(messages) if each.text.startswith(("Asked: ", "Told: "))]
    last_turn = [at for at, message in enumerate(messages) if is_said(message)]
    recent = list(outcomes(messages[last_turn[-1] :])) if last_turn else []
    if asked and any(each.text == asked[-1] for each in recent):
        return asked[-1]
    return spoken


@dataclass(slots=True)
class Scene:
    mind: Mind
    now: datetime
    heard: Heard
    tools: frozenset[str]
    visit: dict[str, Any] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return self.heard.text

    @property
    def said(self) -> str:
        return self.heard.text.lower().replace("\u2019", "'")

    def say(self, line: str) -> None:
        if line and line not in self.lines:
            self.lines.append(line)

    def look(self) -> Script:
        """How the visit stands, as its tool tells it."""
        done = yield [Call(LOOK)]
        try:
            found = json.loads(done[0].text)
        except ValueError:
            found = {}
        self.visit = found if isinstance(found, dict) else {}

    def did(self, outcome: Outcome, doing: str) -> bool:
        """Says so when something did not work."""
        if outcome.failed:
            self.say(f"I could not {doing}. {for_people(outcome.text)}".strip())
        return not outcome.failed

    def understood(self, text: str | None = None) -> Understanding:
        return self.mind.understand(self.text if text is None else text, self.now, EMPTY)

    @property
    def profile(self) -> Mapping[str, Any]:
        return self.visit.get("profile") or {}

    @property
    def missing(self) -> list[str]:
        return list(self.visit.get("missing") or ())

    def last(self, tool: str) -> Outcome | None:
        """The latest call of a tool that worked, in the whole conversation."""
        return next(
            (each for each in reversed(self.heard.past) if each.tool == tool and not each.failed), None
        )

    def table(self) -> tuple[Listed, ...]:
        workout = self.visit.get("workout") or {}
        return tuple(
            Listed(str(item["id"]), str(item.get("phase", "main")), item)
            for item in workout.get("exercises", ())
            if item.get("id")
        )

    def athlete(self, *more: Injury) -> Athlete:
        told = self.profile
        kept = [words.injury_of(value) for value in told.get("injuries") or () if value not in _HEALTH]
        conditions = [words.condition_of(value) for value in told.get("injuries") or ()]
        equipment = told.get("equipment")
        return Athlete(
            user_id=UUID(int=0),
            age=told.get("age"),
            weight_kg=told.get("weight_kg"),
            level=level_from(told.get("level")),
            equipment=frozenset(Equipment(item) for item in equipment if item in set(Equipment))
            if equipment is not None
            else None,
            minutes=told.get("minutes"),
            goals=goals_from(dict.fromkeys(told.get("goals") or (), 8)),
            injuries=(*(each for each in kept if each is not None), *more),
            conditions=frozenset(each for each in conditions if isinstance(each, Condition)),
        )

    def turn(self) -> Turn:
        """For what the trainer knows how to do as well."""
        state = State(table=self.table())
        return Turn(self.mind, state, self.now, self.text, self.tools)
