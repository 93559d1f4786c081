"""One message being answered: who it is for, what is on the table, and what there is to say at the end."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from spotter.offline.acting.mind import Mind, mind_for
from spotter.offline.acting.script import Call, Outcome, Script
from spotter.offline.acting.state import HISTORY, State
from spotter.training.athlete import Athlete
from spotter.training.history import MOST_TOLD
from spotter.training.recall import checked_again

NOTIFY: Final = "message_notify_user"
ASK: Final = "message_ask_user"
IDLE: Final = "idle"
_LONGEST: Final = 7_000
_MOST_OPTIONS: Final = 6
_TOOL_NAME: Final = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")


@dataclass(slots=True)
class Turn:
    mind: Mind
    state: State
    now: datetime
    text: str
    tools: frozenset[str]
    before: str = ""
    caution: str = ""
    lines: list[str] = field(default_factory=list)
    question: tuple[str, tuple[str, ...]] | None = None
    reason: str = "Answered."
    mended: list[str] = field(default_factory=list)
    """What the check did to the workout after something new about the athlete, as it was told."""
    _athlete: Athlete | None = None

    @property
    def athlete(self) -> Athlete:
        if self._athlete is None:
            self._athlete = self.mind.athlete(self.state, self.now)
        return self._athlete

    def hear(self, outcome: Outcome) -> None:
        self.state.take(outcome)
        if outcome.tool == "set_preference" and (text := checked_again(outcome.text)) and not outcome.failed:
            self.mended.append(text)
        self.mind = mind_for(self.state)
        self._athlete = None

    def can(self, *tools: str) -> bool:
        return set(tools) <= self.tools

    def say(self, line: str) -> None:
        if line and line not in self.lines:
            self.lines.append(line)

    def ask(self, question: str, options: Iterable[str] = ()) -> None:
        """One question at most; its options are things that could be said to us."""
        if self.question is None:
            self.question = (question, tuple(dict.fromkeys(options))[:_MOST_OPTIONS])

    def fetch(self, *sources: str) -> list[Call]:
        """A call for what is not known yet."""
        missing = [source for source in sources if not self.state.knows(source)]
        if not missing or not self.can("fetch_data"):
            return []
        # Six hard weeks are seen only by who is told all of them, and some train every day.
        params = {HISTORY: {"limit": MOST_TOLD}} if HISTORY in missing else {}
        return [Call("fetch_data", {"sources": missing, **({"params": params} if params else {})})]

    def look_up(self, *sources: str) -> Script:
        if calls := self.fetch(*sources):
            yield calls

    def failed(self, outcomes: Sequence[Outcome], doing: str) -> bool:
        """Says so when something did not work."""
        for outcome in outcomes:
            if outcome.failed:
                self.say(f"I could not {doing}. {for_people(outcome.text)}".strip())
        return any(outcome.failed for outcome in outcomes)

    def closing(self) -> Script:
        if self.question is not None and self.can(ASK):
            told = [Call(NOTIFY, {"message": self._told()})] if self.lines and self.can(NOTIFY) else []
            yield [*told, Call(ASK, _question(*self.question))]
            return
        if self.question is not None:
            self.say(self.question[0])
        calls = [Call(NOTIFY, {"message": self._told()})] if self.can(NOTIFY) else []
        if self.can(IDLE):
            calls.append(Call(IDLE, {"reason": self.reason[:300]}))
        yield calls

    def _told(self) -> str:
        text = "\n".join(self.lines) or "Done."
        return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _question(question: str, options: tuple[str, ...]) -> dict[str, Any]:
    return {"question": question, "options": [option[:200] for option in options]}


def for_people(error: str) -> str:
    """A tool's words without what only a model could act on."""
    sentences = re.split(r"(?<=[.!?])\s+", " ".join(error.split()))
    kept = [each for each in sentences if each and not _TOOL_NAME.search(each) and "{" not in each]
    return " ".join(kept[:2])[:300]


def plainly(reasons: Sequence[str]) -> str:
    """The catalogue's ranks mean nothing to a person."""
    return "; ".join(re.sub(r"level \d+, above \d+", "above your level", each) for each in reasons)


def joined(parts: Sequence[str], last: str = "and") -> str:
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {last} {parts[-1]}"
