"""What a conversation has come to, as far as its messages tell: folded from notes, calls and their results."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from spotter.offline.acting.script import Outcome
from spotter.offline.understanding import Intent, Question
from spotter.training import recall
from spotter.training.history import MOST_TOLD, USUALLY_TOLD
from spotter.training.recall import Kept, Listed, Planned

HISTORY: Final = "workout_history"
MADE: Final = "Workout:"
EXPLAINED: Final = "Explained "
"""How the reasons given to `idle` begin, by which a later turn knows what this one was about."""

_LAST: Final = {
    "generate_workout": Intent.CREATE,
    "swap_exercise": Intent.SWAP,
    "remove_exercise": Intent.REMOVE,
    "adjust_exercise": Intent.ADJUST,
    "log_workout": Intent.LOG,
    "schedule_workout": Intent.SCHEDULE,
}
_BY_REASON: Final = {"easier": Intent.EASIER, "harder": Intent.HARDER}
_TABLE_TOOLS: Final = frozenset({"generate_workout", "swap_exercise", "adjust_exercise", "remove_exercise"})
_CHECKED: Final = "workout_checked"
_SWAPPED: Final = re.compile(r"Swapped (.+) for (.+)\.")


_on_table = lru_cache(maxsize=512)(recall.on_table)
"""A history is read anew for each call, and its results do not change."""


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


@dataclass(slots=True)
class State:
    told: dict[str, str] = field(default_factory=dict)
    stale: set[str] = field(default_factory=set)
    """Sources that something we did has overtaken."""
    workouts_asked: int = USUALLY_TOLD
    """When the history was told."""
    kept: dict[str, Kept] | None = None
    """Preferences by id; None as long as nobody has told them all."""
    new_kept: dict[str, Kept] = field(default_factory=dict)
    goals: dict[str, int] = field(default_factory=dict)
    """Set here, over what the sources say."""
    table: tuple[Listed, ...] = ()
    minutes: float | None = None
    rests: dict[str, int] = field(default_factory=dict)
    """Seconds between sets by the exercise's name, which no result tells."""
    pairs: dict[str, str] = field(default_factory=dict)
    """What is done in turns has the same letter."""
    made: str = ""
    """The request the workout was made for, as we wrote it down."""
    generated: int = 0
    focus: str | None = None
    last: Intent | None = None
    swapped_out: list[str] = field(default_factory=list)
    """Names."""
    planned: dict[str, Planned] | None = None
    question: Question | None = None

    @property
    def preferences(self) -> tuple[Kept, ...]:
        found = {**(self.kept or {}), **self.new_kept}
        return tuple(found.values())

    def listed(self, exercise_id: str) -> Listed | None:
        return next((one for one in self.table if one.id == exercise_id), None)

    def knows(self, source: str) -> bool:
        if source not in self.told or source in self.stale:
            return False
        return source != HISTORY or not self._history_was_cut()

    def _history_was_cut(self) -> bool:
        """There are as many workouts as were asked for: there may be more."""
        return self.workouts_asked <= len(self.told[HISTORY].splitlines()) < MOST_TOLD

    def take_note(self, source: str, text: str, workouts_asked: int = USUALLY_TOLD) -> None:
        self.told[source] = text
        self.stale.discard(source)
        if source == HISTORY:
            self.workouts_asked = workouts_asked
        if source == "active_preferences":
            self.kept = {each.id: each for each in recall.preferences(text)}
            self.new_kept = {}
        if source in ("category_goals", "muscle_goals"):
            told = recall.weights(text)
            self.goals = {name: weight for name, weight in self.goals.items() if name not in told}
        if source == _CHECKED:
            self._show(_on_table(text), recall.minutes_of(text))

    def take_summary(self, text: str) -> None:
        """A checkpoint keeps the table as the tools showed it."""
        self._show(_on_table(text), recall.minutes_of(text))
        made = re.search(rf"^(?:- )?({re.escape(MADE)}.*)$", text, re.MULTILINE)
        self.made = made[1] if made else self.made

    def start_turn(self) -> None:
        self.question = None

    def take(self, outcome: Outcome) -> None:
        if outcome.failed:
            return
        name, arguments, text = outcome.tool, outcome.arguments, outcome.text
        self.last = _LAST.get(name, self.last)
        if name in _TABLE_TOOLS:
            self._change_table(name, arguments, text)
        elif name.endswith(("scheduled_workouts", "scheduled_workout", "schedule_workout")):
            self._plan(name, arguments, text)
        elif name.endswith("_preference"):
            self._keep(name, arguments, text)
        else:
            self._take_other(name, arguments, text)

    def _take_other(self, name: str, arguments: Mapping[str, Any], text: str) -> None:
        match name:
            case "log_workout":
                self._show((), None)
                self.stale |= {HISTORY, "exercise_distribution"}
            case "fetch_data":
                asked = _dict(_dict(arguments.get("params")).get(HISTORY)).get("limit", USUALLY_TOLD)
                for source, told in recall.fetched(text).items():
                    self.take_note(source, told, asked)
            case "set_goals":
                self.goals |= recall.weights(text.removeprefix("Goals now:"))
            case "message_ask_user":
                self._ask(arguments)
            case "idle":
                self._rest(str(arguments.get("reason", "")))
            case _:
                pass

    def _change_table(self, name: str, arguments: Mapping[str, Any], text: str) -> None:
        before = {one.id for one in self.table}
        self._show(_on_table(text), recall.minutes_of(text))
        fresh = [one.id for one in self.table if one.id not in before]
        self._rest_between(name, arguments)
        if name == "generate_workout":
            self.generated += 1
            self.focus = None
            self.swapped_out = []
        elif name == "swap_exercise":
            if (names := _SWAPPED.match(text)) is not None:
                self.swapped_out.append(names[1])
                if letter := self.pairs.get(names[1]):
                    self.pairs.setdefault(names[2], letter)
            self.focus = fresh[0] if fresh else self.focus
            self.last = _BY_REASON.get(str(arguments.get("reason", "")), Intent.SWAP)
        elif name == "adjust_exercise":
            self.focus = str(arguments.get("exercise_id", "")) or None
        else:
            self.focus = None

    def _rest_between(self, name: str, arguments: Mapping[str, Any]) -> None:
        written: list[Any] = []
        if name == "generate_workout":
            self.rests, self.pairs = {}, {}
            written = _dict(arguments.get("workout")).get("exercises") or []
        elif name == "swap_exercise":
            written = [arguments.get("new_exercise")]
        elif (
            name == "adjust_exercise" and (one := self.listed(str(arguments.get("exercise_id")))) is not None
        ):
            written = [{"name": one.name, **_dict(arguments.get("adjustments"))}]
        for each in map(_dict, written):
            rest = each.get("rest_between_sets", each.get("rest_time"))
            if isinstance(rest, int):
                self.rests[str(each.get("name"))] = rest
            if isinstance(letter := each.get("pair"), str):
                self.pairs[str(each.get("name"))] = letter

    def _show(self, table: tuple[Listed, ...], minutes: float | None) -> None:
        self.table, self.minutes = table, minutes
        if not table:
            self.focus = None

    def _keep(self, name: str, arguments: Mapping[str, Any], text: str) -> None:
        gone = str(arguments.get("preference_id", ""))
        kept = recall.kept(text, _dict(arguments.get("metadata"))) if name == "set_preference" else None
        for one in (gone, kept.id if kept else ""):
            (self.kept or {}).pop(one, None)
            self.new_kept.pop(one, None)
        if kept is not None:
            self.new_kept[kept.id] = kept
            self._take_check(recall.checked_again(text))

    def _take_check(self, text: str) -> None:
        """What something new about the athlete did to the workout, if there was one and it did not suit any more."""
        if text:
            self._show(_on_table(text), recall.minutes_of(text))

    def _plan(self, name: str, arguments: Mapping[str, Any], text: str) -> None:
        found = {plan.id: plan for plan in recall.planned(text)}
        if name == "get_scheduled_workouts":
            self.planned = found
        elif name == "cancel_scheduled_workout":
            (self.planned or {}).pop(str(arguments.get("scheduled_id", "")), None)
        elif self.planned is not None:
            self.planned |= found

    def _ask(self, arguments: Mapping[str, Any]) -> None:
        options = arguments.get("options") or ()
        self.question = Question(str(arguments.get("question", "")), tuple(map(str, options)))

    def _rest(self, reason: str) -> None:
        if reason.startswith(MADE):
            self.made = reason
        elif reason.startswith(EXPLAINED):
            name = reason.removeprefix(EXPLAINED)
            self.focus = next((one.id for one in self.table if one.name == name), self.focus)
            self.last = Intent.EXPLAIN
