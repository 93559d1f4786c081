"""A gym floor in memory: the trainer's tools with their real schemas, checks and wording, without a database.

The conversations with real tools run over HTTP elsewhere; here a turn costs milliseconds and can be looked into.
"""

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid5

from pydantic import TypeAdapter, ValidationError

from spotter.llm.port import ModelSettings
from spotter.llm.prompt import AssistantMessage, Fragment, History, Prompt, ToolResult, Tools, UserMessage
from spotter.llm.structured import complete_json
from spotter.offline import OfflineModel
from spotter.runtime.agent import Agent
from spotter.runtime.outside import wrapped
from spotter.runtime.tool import Answer, FixAndRetry
from spotter.scenarios.builtin_files import builtin_agents
from spotter.scenarios.initializer import _SCHEMA, _question
from spotter.tools import TOOLS, preferences
from spotter.tools.calendar import line
from spotter.tools.exercises import _instead_of
from spotter.tools.timers import unknown_exercise
from spotter.tools.workouts import _told
from spotter.training import recall, sources, table, words
from spotter.training.athlete import Athlete
from spotter.training.athletes import finder
from spotter.training.catalogue import catalogue
from spotter.training.check import check_workout, why_not
from spotter.training.preferences import PreferenceType
from spotter.training.rules import limits_of
from spotter.training.tables import LoggedWorkout, Preference, ScheduledWorkout
from spotter.training.timers import timer_for, timers_for
from spotter.training.workout import Workout, WorkoutExercise

NOW = datetime(2026, 11, 16, 9, 0, tzinfo=UTC)
"""A Monday morning."""
NAMES = builtin_agents()["trainer"].tools
BY_NAME = {tool.name: tool for tool in TOOLS}
WIRE = Tools(BY_NAME[name].spec for name in NAMES)
BOOK = catalogue()
_EXERCISE: TypeAdapter[WorkoutExercise] = TypeAdapter(WorkoutExercise)
_NOWHERE = UUID("00000000-0000-0000-0000-00000000f100")


class Floor:
    """One athlete and one session."""

    def __init__(self, told: Mapping[str, str] | None = None) -> None:
        self.model = OfflineModel(lambda: NOW)
        self.history = History()
        self.kept: dict[UUID, Preference] = {}
        self.told = {"category_goals": "No category goals set.", "muscle_goals": "No muscle goals set."}
        self.told |= {"user_settings": "Default settings in use.", "workout_history": "No workout history."}
        self.told |= {
            "exercise_distribution": "No distribution data.",
            "user_profile": "No body stats recorded.",
        }
        self.told |= dict(told or {})
        self.workout: Workout | None = None
        self.logged: list[dict[str, Any]] = []
        self.calendar: dict[UUID, ScheduledWorkout] = {}
        self.known: dict[str, str] = {}
        self.calls: list[tuple[str, dict[str, Any]]] = []
        """Of the last turn."""
        self.said: list[str] = []
        self.asked: dict[str, Any] | None = None
        self.model_calls = 0
        self.broken: set[str] = set()
        """Tools that fail just now."""
        self._made = 0

    @property
    def athlete(self) -> Athlete:
        return recall.athlete(self.told, recall.preferences(self.source("active_preferences")), finder(BOOK))

    def source(self, name: str) -> str:
        if name == "active_preferences":
            found = "\n".join(map(sources.preference_line, self.kept.values()))
            return found or "No active preferences."
        return self.told[name]

    async def say(self, text: str, caution: str = "") -> str:
        self.calls, self.said, self.asked, self.model_calls = [], [], None, 0
        self.history.append(Fragment(UserMessage(text)))
        if caution:
            note = f"[A note from Spotter about the message above: {caution}]"
            self.history.append(Fragment(UserMessage(note)))
        await self._initialize(text)
        for _ in range(10):
            self.model_calls += 1
            prompt = Prompt(self.history)
            answer = await self.model.complete(prompt, WIRE, ModelSettings(tool_choice="required"))
            again = await self.model.complete(prompt, WIRE, ModelSettings(tool_choice="required"))
            assert again.tool_calls == answer.tool_calls
            assert answer.tool_calls, f"no call, but text: {answer.text}"
            ended = False
            for call in answer.tool_calls:
                self.history.append(Fragment(AssistantMessage(calls=(call,))))
            for call in answer.tool_calls:
                result, ends = self._run(call.name, call.arguments)
                text = result[0] if result[1] else wrapped(result[0], "tool", call.name)
                self.history.append(Fragment(ToolResult(call.id, text, is_error=result[1])))
                ended = ended or ends
            if ended:
                return "\n".join(self.said)
        raise AssertionError(f"{text!r} came to no end: {self.calls}")

    async def _initialize(self, text: str) -> None:
        prompt = Prompt([Fragment(UserMessage(_question(text, self.known)))])
        chosen = (await complete_json(self.model, prompt, _SCHEMA)).value
        for name in chosen["data_sources"]:
            if self.known.get(name) != self.source(name):
                self.known[name] = self.source(name)
                note = wrapped(self.source(name), "knowledge", name)
                self.history.append(Fragment(UserMessage(note)))

    def _run(self, name: str, raw: str) -> tuple[tuple[str, bool], bool]:
        arguments = json.loads(raw)
        self.calls.append((name, arguments))
        if name in self.broken:
            return (f"{name} took too long and was stopped. Nothing was changed.", True), False
        try:
            given = BY_NAME[name].arguments.model_validate_json(raw)
            values = {each: getattr(given, each) for each in type(given).model_fields}
            answer: Answer = getattr(self, f"_{name}")(**values)
        except ValidationError as error:
            raise AssertionError(f"{name} was called wrongly: {error}") from error
        except FixAndRetry as error:
            return (str(error), True), False
        return (answer.formatted or json.dumps(answer.data), False), answer.ends is not None or name in (
            "idle",
            "message_ask_user",
        )

    def names(self) -> list[str]:
        return [name for name, _ in self.calls]

    def of(self, name: str) -> dict[str, Any]:
        return next(arguments for called, arguments in self.calls if called == name)

    def main(self) -> list[str]:
        assert self.workout is not None
        return [one.name for one in self.workout.exercises if one.phase == "main"]

    def _id(self) -> UUID:
        self._made += 1
        return uuid5(_NOWHERE, str(self._made))

    # What follows are the tools, in the words of `spotter.tools`.

    def _message_notify_user(self, message: str) -> Answer:
        self.said.append(message)
        return Answer({"success": True}, "Told.")

    def _message_ask_user(self, question: str, options: list[str]) -> Answer:
        self.said.append(question)
        self.asked = {"question": question, "options": options}
        return Answer({"success": True}, f"Asked: {question}")

    def _idle(self, reason: str) -> Answer:
        return Answer({"success": True}, f"Idle: {reason}")

    def _generate_workout(self, workout: Workout) -> Answer:
        return self._put(workout, lambda placed: f"Workout with {len(placed.exercises)} exercises")

    def _put(self, workout: Workout, headline: Callable[[Workout], str]) -> Answer:
        checked = check_workout(workout, self.athlete, BOOK)
        if checked.refused is not None:
            raise FixAndRetry(checked.refused)
        named = [
            one if one.id is not None else one.model_copy(update={"id": self._id()})
            for one in checked.workout.exercises
        ]
        self.workout = checked.workout.model_copy(update={"exercises": named})
        return _told(self.workout, checked, {}, headline(self.workout))

    def _current(self) -> Workout:
        if self.workout is None:
            raise FixAndRetry("There is no workout on the table. generate_workout makes one.")
        return self.workout

    def _place(self, exercise_id: UUID) -> int:
        for place, one in enumerate(self._current().exercises):
            if one.id == exercise_id:
                return place
        raise FixAndRetry(unknown_exercise(exercise_id, self._current()))

    def _swap_exercise(self, exercise_id: UUID, new_exercise: WorkoutExercise, reason: str) -> Answer:
        place, workout = self._place(exercise_id), self._current()
        old = workout.exercises[place]
        new = new_exercise.model_copy(
            update={"id": None, "phase": old.phase, "pair": new_exercise.pair or old.pair}
        )
        exercises = [*workout.exercises[:place], new, *workout.exercises[place + 1 :]]
        return self._put(
            workout.model_copy(update={"exercises": exercises}),
            lambda placed: f"Swapped {old.name} for {placed.exercises[place].name}",
        )

    def _adjust_exercise(self, exercise_id: UUID, adjustments: dict[str, Any]) -> Answer:
        place, workout = self._place(exercise_id), self._current()
        old = workout.exercises[place]
        try:
            new = _EXERCISE.validate_python({**old.model_dump(), **adjustments})
        except ValidationError as error:
            raise FixAndRetry(f"{old.name} cannot be adjusted like this: {error}. Nothing changed.") from None
        exercises = [*workout.exercises[:place], new, *workout.exercises[place + 1 :]]
        return self._put(
            workout.model_copy(update={"exercises": exercises}),
            lambda _: f"Adjusted {old.name}: {adjustments}",
        )

    def _remove_exercise(self, exercise_id: UUID, reason: str) -> Answer:
        removed, workout = self._current().exercises[self._place(exercise_id)], self._current()
        rest = [one for one in workout.exercises if one.id != exercise_id]
        return self._put(
            workout.model_copy(update={"exercises": rest}),
            lambda placed: f"Removed {removed.name}; {len(placed.exercises)} left",
        )

    def _log_workout(self, completed_exercises: list[Any], workout_notes: str) -> Answer:
        workout = self._current()
        for one in completed_exercises:
            self._place(one.exercise_id)
        done = {one.exercise_id: one for one in completed_exercises if one.completed}
        items = [{**one.model_dump(mode="json"), "completed": one.id in done} for one in workout.exercises]
        row = LoggedWorkout(completed_at=NOW, title="", exercises={"items": items})
        self.told["workout_history"] = sources.workout_line(row)
        self.logged.append(
            {"done": [one.name for one in workout.exercises if one.id in done], "reports": done}
        )
        self.workout = None
        count = sum(1 for item in items if item["completed"])
        return Answer(
            {}, f"Logged {count} of {len(items)} exercises, {3 * count} sets. +50 XP, 50 in all, level 1."
        )

    def _set_goals(self, category_goals: list[Any], muscle_goals: list[Any]) -> Answer:
        categories = {goal.category: round(goal.weight) for goal in category_goals}
        muscles = {
            each.value: round(goal.weight) for goal in muscle_goals for each in words.muscles_of(goal.muscle)
        }
        self.told["category_goals"] = sources.weights(categories) or self.told["category_goals"]
        self.told["muscle_goals"] = sources.weights(muscles) or self.told["muscle_goals"]
        return Answer({}, f"Goals now: {sources.weights(categories | muscles)}")

    def _set_preference(
        self, preference_type: PreferenceType, value: str, duration_type: str, metadata: dict[str, Any]
    ) -> Answer:
        details = {**metadata, **preferences._understood(preference_type, value, metadata)}
        same = [
            one
            for one, each in self.kept.items()
            if (each.preference_type, each.value) == (preference_type.value, value)
        ]
        one = same[0] if same else self._id()
        self.kept.pop(one, None)
        self.kept[one] = Preference(
            id=one,
            preference_type=preference_type.value,
            value=value,
            duration_type=str(duration_type),
            details=details,
        )
        return Answer({}, f'Kept {preference_type.value} "{value}" ({duration_type}) as [{one}]')

    def _delete_preference(self, preference_id: UUID) -> Answer:
        if preference_id not in self.kept:
            raise FixAndRetry(f"This athlete has no active preference {preference_id}.")
        gone = self.kept.pop(preference_id)
        return Answer({}, f'Took back {gone.preference_type} "{gone.value}"')

    def _fetch_data(self, sources: list[str], params: dict[str, Any]) -> Answer:
        return Answer({}, "\n".join(f"{name}:\n{self.source(name)}" for name in sources))

    def _get_exercise_suggestions(self, instead_of: str | None, muscles: list[str], limit: int) -> Answer:
        found = BOOK.find(instead_of) if instead_of else None
        if found is not None:
            chosen = _instead_of(found.exercise, self.athlete, BOOK, limit)
        else:
            wanted = frozenset(each for name in muscles for each in words.muscles_of(name))
            if not wanted:
                raise FixAndRetry(f"No muscle is called {', '.join(muscles)!r}.")
            chosen = BOOK.where(muscles=wanted)[:limit]
        return Answer({}, "\n".join(f"{each.id}: {each.name} ({', '.join(each.primary)})" for each in chosen))

    def _validate_exercise(self, exercise: WorkoutExercise) -> Answer:
        known = BOOK[exercise.exercise_id or ""]
        reasons = why_not(known, self.athlete, limits_of(self.athlete))
        if not reasons:
            return Answer({}, f"{known.name} suits.")
        other = ", ".join(each.name for each in _instead_of(known, self.athlete, BOOK, 3)) or "nothing"
        return Answer({}, f"{known.name} does not suit: {'; '.join(reasons)}. Instead: {other}.")

    def _schedule_workout(
        self,
        title: str,
        scheduled_for: datetime,
        duration_minutes: int | None,
        focus: list[str],
        notes: str,
        include_current_workout: bool,
    ) -> Answer:
        if scheduled_for < NOW - timedelta(minutes=5):
            raise FixAndRetry(f"{scheduled_for.isoformat()} has passed; now it is {NOW.isoformat()}.")
        workout = table.as_json(self._current()) if include_current_workout else None
        row = ScheduledWorkout(
            id=self._id(),
            title=title,
            scheduled_for=scheduled_for,
            minutes=duration_minutes,
            focus=focus,
            notes=notes,
            workout=workout,
        )
        self.calendar[row.id] = row
        return Answer({}, f"Scheduled {line(row)}")

    def _get_scheduled_workouts(self, start: datetime | None, end: datetime | None) -> Answer:
        rows = sorted(self.calendar.values(), key=lambda row: row.scheduled_for)
        return Answer({}, "\n".join(map(line, rows)) or "Nothing is scheduled in this time.")

    def _update_scheduled_workout(
        self,
        scheduled_id: UUID,
        scheduled_for: datetime | None,
        title: str | None,
        duration_minutes: int | None,
        notes: str | None,
    ) -> Answer:
        row = self._row(scheduled_id)
        row.scheduled_for = scheduled_for or row.scheduled_for
        return Answer({}, f"Now {line(row)}")

    def _cancel_scheduled_workout(self, scheduled_id: UUID, reason: str) -> Answer:
        row = self._row(scheduled_id)
        del self.calendar[scheduled_id]
        return Answer({}, f"Cancelled {line(row)}")

    def _row(self, scheduled_id: UUID) -> ScheduledWorkout:
        if scheduled_id not in self.calendar:
            raise FixAndRetry(f"There is no scheduled workout {scheduled_id}.")
        return self.calendar[scheduled_id]

    def _get_progress_summary(self, days: int) -> Answer:
        count = len(self.logged)
        return Answer(
            {},
            f"Last {days} days: {count} workouts, {9 * count} sets, {28 * count} min (before: 0 workouts, 0 sets). "
            "Level 1, 50 XP, streak 1 weeks.",
        )

    def _get_workout_stats(self, days: int) -> Answer:
        return Answer({}, f"Last {days} days: 2 workouts, 18 sets, 900 kg moved. Sets by muscle: chest:6.")

    def _get_goal_progress(self, days: int) -> Answer:
        return Answer({}, "No goals are set yet. set_goals sets them.")

    def _generate_exercise_timer(self, exercise_id: UUID) -> Answer:
        timer = timer_for(self._current().exercises[self._place(exercise_id)])
        return Answer({}, f"Timer for {timer.name}: {timer.seconds} s")

    def _generate_workout_timers(self) -> Answer:
        timers = timers_for(self._current())
        whole = sum(timer.seconds for timer in timers)
        return Answer({}, f"Timers for {len(timers)} exercises, {whole // 60} min {whole % 60} s in all")


def trainer() -> Agent:
    return builtin_agents()["trainer"].agent("offline")
