"""Runs cases through a model, and what came of it as a table and as JSON."""

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from spotter.errors import InvalidInput
from spotter.evaluating.judging import NOTIFY, Verdict, is_enough, judged, unsafe, verdict
from spotter.evaluating.scenes import prompt_of, result_of, trainer
from spotter.llm.faults import ModelError
from spotter.llm.port import Model, ModelSettings
from spotter.llm.prompt import Fragment, History, Prompt, ToolCall, Tools
from spotter.offline.evals import Case, Report, cases, score
from spotter.offline.understanding import Intent, Understander
from spotter.tools import TOOLS

SETS: Final = ("earlier", "tuning", "held_out")
_MOST_ANSWERS: Final = 3
_AT_ONCE: Final = 4
_MOST_FAILURES: Final = 5
_MISSES_SHOWN: Final = 20
_BY_NAME: Final = {tool.name: tool for tool in TOOLS}


@dataclass(frozen=True, slots=True)
class Run:
    """One case and what the model did."""

    case: Case
    called: tuple[str, ...] = ()
    unreadable: tuple[str, ...] = ()
    """Calls whose arguments the tool would refuse, or of tools that do not exist."""
    fault: str = ""

    @property
    def verdict(self) -> Verdict:
        return Verdict.FAILED if self.fault else verdict(self.case, self.called)

    @property
    def unsafe(self) -> bool:
        return unsafe(self.case, self.called)


@dataclass(slots=True)
class Results:
    model: str
    runs: list[Run]
    sets: Sequence[str] = ()
    understood: Report | None = None
    """Only of the offline model: others do not say what they understood."""
    verdicts: Counter[tuple[str, Verdict]] = field(init=False)

    def __post_init__(self) -> None:
        self.verdicts = Counter((name, run.verdict) for run in self.runs for name in run.case.intents)

    @property
    def unsafe(self) -> list[Run]:
        return [run for run in self.runs if run.unsafe]

    @property
    def warnings(self) -> int:
        """Utterances that report a warning sign and got an answer."""
        return sum(1 for run in self.runs if Intent.RED_FLAG in run.case.intents and not run.fault)

    def lines(self) -> Iterator[str]:
        yield f"Model {self.model}, sets: {', '.join(self.sets)}"
        if self.understood is not None:
            yield from _understanding(self.understood)
        yield ""
        yield f"First tool calls: {len(self.runs)} messages"
        yield f"  {'intent':20} {'right':>6} {'talked':>7} {'wrong':>6} {'failed':>7}"
        for name in (*sorted({name for name, _ in self.verdicts}), ""):
            counts = [self._count(name, each) for each in Verdict]
            right, talked, wrong, failed = counts
            share = right / sum(counts) if sum(counts) else 1.0
            yield f"  {name or 'all messages':20} {right:6} {talked:7} {wrong:6} {failed:7}  {share:.0%}"
        refused = sum(len(run.unreadable) for run in self.runs)
        yield f"Calls with arguments a tool would refuse: {refused} of {sum(len(run.called) for run in self.runs)}"
        yield f"Safety: {self.warnings} messages with a warning sign, {len(self.unsafe)} answered with training"
        yield from (f"  UNSAFE {run.case.text!r}: {', '.join(run.called)}" for run in self.unsafe)
        missed = [run for run in self.runs if run.verdict is not Verdict.RIGHT]
        for run in missed[:_MISSES_SHOWN]:
            yield f"  {run.verdict} {run.case.text!r} ({', '.join(run.case.intents)}): {_did(run)}"
        if len(missed) > _MISSES_SHOWN:
            yield f"  and {len(missed) - _MISSES_SHOWN} more (--json has all)"

    def _count(self, name: str, which: Verdict) -> int:
        return self.verdicts[name, which] if name else sum(1 for run in self.runs if run.verdict is which)

    def write(self, path: Path) -> None:
        path.write_text(json.dumps(self.as_json(), indent=1, ensure_ascii=False) + "\n", "utf-8")

    def as_json(self) -> dict[str, Any]:
        names = sorted({name for name, _ in self.verdicts})
        return {
            "model": self.model,
            "sets": list(self.sets),
            "messages": len(self.runs),
            "understanding": _as_json(self.understood) if self.understood else None,
            "first_calls": {
                "all": {each.value: self._count("", each) for each in Verdict},
                "by_intent": {
                    name: {each.value: self._count(name, each) for each in Verdict} for name in names
                },
                "arguments_refused": sum(len(run.unreadable) for run in self.runs),
            },
            "safety": {"warning_signs": self.warnings, "unsafe": [run.case.text for run in self.unsafe]},
            "misses": [
                {
                    "text": run.case.text,
                    "table": run.case.table,
                    "intents": list(run.case.intents),
                    "verdict": run.verdict.value,
                    "called": list(run.called),
                    "fault": run.fault,
                }
                for run in self.runs
                if run.verdict is not Verdict.RIGHT
            ],
        }


def chosen(name: str, limit: int | None = None) -> dict[str, tuple[Case, ...]]:
    """The cases of a set, or of all there are. Of each, `limit` that lie evenly in it."""
    found: dict[str, tuple[Case, ...]] = {}
    for each in SETS if name == "all" else (name,):
        try:
            found[each] = _some(cases(each), limit)
        except FileNotFoundError:
            if name != "all":
                raise InvalidInput(
                    f"This Spotter ships without the set {each!r}. Try --set tuning."
                ) from None
    return found


def _some(found: Sequence[Case], limit: int | None) -> tuple[Case, ...]:
    if limit is None or limit >= len(found):
        return tuple(found)
    return tuple(found[number * len(found) // limit] for number in range(limit))


async def evaluate(model: Model, sets: Mapping[str, Sequence[Case]], step: Callable[[int], None]) -> Results:
    """Raises the model's error when it fails again and again."""
    every = [case for found in sets.values() for case in found]
    room = asyncio.Semaphore(_AT_ONCE)
    failures = 0

    async def one(case: Case) -> Run:
        nonlocal failures
        async with room:
            try:
                run = await _run(model, case)
                failures = 0
            except ModelError as error:
                failures += 1
                if failures >= _MOST_FAILURES:
                    raise
                run = Run(case, fault=f"{error.code}: {error.detail}")
            step(1)
            return run

    tasks = [asyncio.create_task(one(case)) for case in every if judged(case)]
    step(len(every) - len(tasks))
    try:
        runs = await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    understood = score(every, Understander()) if model.provider == "offline" else None
    name = model.name if model.provider == "offline" else f"{model.provider}:{model.name}"
    return Results(name, list(runs), tuple(sets), understood)


async def _run(model: Model, case: Case) -> Run:
    agent = trainer()
    tools, settings = _tools(tuple(agent.tools)), ModelSettings(tool_choice=agent.tool_choice)
    start = prompt_of(case)
    history = History(start.messages)
    called: list[str] = []
    unreadable: list[str] = []
    for _ in range(_MOST_ANSWERS):
        final = await model.complete(Prompt(history, start.system), tools, settings)
        called += [call.name for call in final.tool_calls]
        unreadable += [call.name for call in final.tool_calls if not _readable(call)]
        if not final.tool_calls:
            called.append(NOTIFY)  # plain text is shown to the person as well
            break
        if is_enough(case, called):
            break
        history.append(Fragment(final.message()))
        history.extend(Fragment(result_of(call, case)) for call in final.tool_calls)
    return Run(case, tuple(called), tuple(unreadable))


def _tools(names: tuple[str, ...]) -> Tools:
    return Tools(_BY_NAME[name].spec for name in names)


def _readable(call: ToolCall) -> bool:
    tool = _BY_NAME.get(call.name)
    if tool is None:
        return False
    try:
        tool.arguments.model_validate_json(call.arguments or "{}")
    except ValidationError:
        return False
    return True


def _understanding(report: Report) -> Iterator[str]:
    yield (
        f"Understood: {report.messages} messages, intents {report.intent_accuracy:.1%}, "
        f"slots {report.slot_accuracy:.1%}, acted where it should ask: {len(report.acted_wrongly)}"
    )
    for title, counts in (("intent", report.intents), ("slot", report.slots)):
        for name in sorted({each for each, _ in counts}):
            total = counts[name, True] + counts[name, False]
            yield f"  {title:6} {name:20} {counts[name, True]:4}/{total:<4} {report.accuracy(counts, name):.0%}"


def _as_json(report: Report) -> dict[str, Any]:
    return {
        "messages": report.messages,
        "intent_accuracy": report.intent_accuracy,
        "slot_accuracy": report.slot_accuracy,
        "acted_wrongly": report.acted_wrongly,
        "intents": _shares(report, report.intents),
        "slots": _shares(report, report.slots),
    }


def _shares(report: Report, counts: Counter[tuple[str, bool]]) -> dict[str, float]:
    return {name: report.accuracy(counts, name) for name in sorted({each for each, _ in counts})}


def _did(run: Run) -> str:
    return run.fault or ", ".join(run.called)
