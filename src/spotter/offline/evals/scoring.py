"""How well a set of utterances is understood, by intent and by slot."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from spotter.offline.evals.cases import NOW, TABLES, Case
from spotter.offline.evals.labels import expected, short
from spotter.offline.understanding import Intent, Understander, Understanding
from spotter.offline.understanding.references import by_name

_LENIENT: Final = frozenset(
    {
        "lasting",
        "exercises",
        "references",
        "left_out",
        "intensity",
        "location",
        "splits",
        "scheduled",
        "goals",
        "patterns",
    }
)
"""Said in passing, these are no fault when the label leaves them out."""

Understand = Callable[[Case], Understanding]


@dataclass(frozen=True, slots=True)
class Miss:
    text: str
    what: str
    wanted: str
    got: str


@dataclass
class Report:
    messages: int = 0
    intents: Counter[tuple[str, bool]] = field(default_factory=Counter)
    slots: Counter[tuple[str, bool]] = field(default_factory=Counter)
    misses: list[Miss] = field(default_factory=list)
    acted_wrongly: list[str] = field(default_factory=list)
    """Texts that should have got a question, and got an action."""

    def accuracy(self, counts: Counter[tuple[str, bool]], name: str | None = None) -> float:
        right = sum(count for (each, ok), count in counts.items() if ok and name in {None, each})
        total = sum(count for (each, _), count in counts.items() if name in {None, each})
        return right / total if total else 1.0

    @property
    def intent_accuracy(self) -> float:
        return self.accuracy(self.intents)

    @property
    def slot_accuracy(self) -> float:
        return self.accuracy(self.slots)

    def table(self) -> str:
        lines = [
            f"{self.messages} messages, intents {self.intent_accuracy:.1%}, slots {self.slot_accuracy:.1%}"
        ]
        for title, counts in (("intent", self.intents), ("slot", self.slots)):
            for name in sorted({each for each, _ in counts}):
                total = counts[name, True] + counts[name, False]
                lines.append(
                    f"  {title:6} {name:20} {counts[name, True]:4}/{total:<4} {self.accuracy(counts, name):.0%}"
                )
        lines += [
            f"  {miss.what}: {miss.text!r} wanted {miss.wanted}, got {miss.got}" for miss in self.misses
        ]
        return "\n".join(lines)


def score(cases: Iterable[Case], understander: Understander) -> Report:
    """A message's intents are right when they are all there and nothing else is, but for what the label allows."""
    report = Report()
    for case in cases:
        understood = understander.understand(case.text, NOW, TABLES[case.table])
        report.messages += 1
        _score_intents(case, understood, report)
        _score_slots(case, short(understood.slots), report)
    return report


def _score_intents(case: Case, understood: Understanding, report: Report) -> None:
    got = {intent.value for intent in understood.intents}
    wanted = set(case.intents)
    extra = got - wanted - set(case.also)
    for name in wanted:
        report.intents[name, name in got and not extra] += 1
    if not wanted <= got or extra:
        report.misses.append(Miss(case.text, "intent", ", ".join(sorted(wanted)), ", ".join(sorted(got))))
        if wanted & {Intent.UNKNOWN, Intent.RED_FLAG}:
            report.acted_wrongly.append(case.text)


def _score_slots(case: Case, got: dict[str, Any], report: Report) -> None:
    wanted = expected(case.slots)
    got = _as_labelled(got, wanted, case)
    for name in sorted(wanted.keys() | (got.keys() - _LENIENT)):
        if name not in wanted and Intent.UNKNOWN in case.intents:
            continue
        right = wanted.get(name) == got.get(name)
        report.slots[name, right] += 1
        if not right:
            report.misses.append(Miss(case.text, f"slot {name}", str(wanted.get(name)), str(got.get(name))))


def _as_labelled(got: dict[str, Any], wanted: dict[str, Any], case: Case) -> dict[str, Any]:
    """Without what says nothing new beside the label: the day of the plan that is meant, the exercise that is logged
    or on the table, and that all there ever was is asked for."""
    found = dict(got)
    table = TABLES[case.table]
    days = {f"{plan.day}" for plan in table.scheduled if plan.id in wanted.get("scheduled", ())}
    if "when" not in wanted and found.get("when") in days:
        del found["when"]
    if "period" not in wanted and found.get("period") == "all":
        del found["period"]
    logged = {log.partition(" ")[0] for log in wanted.get("logs", ())}
    named = {item.id for item in table.workout if item.exercise in logged}
    found = _one_word_for_kit(found, wanted)
    if "exercises" in wanted and "exercises" in found:
        labelled = set(wanted["exercises"])
        found["exercises"] = [
            each
            for each in found["exercises"]
            if each in labelled or not by_name(each, each.replace("_", " "), table.workout)
        ]
    if "references" in wanted and "references" in found:
        meant = set(wanted["references"])
        found["references"] = [each for each in found["references"] if each in meant or each not in named]
    return found


def _one_word_for_kit(got: dict[str, Any], wanted: dict[str, Any]) -> dict[str, Any]:
    """A thing that is not liked is labelled as equipment, as a taste, or as both."""
    labelled = wanted.get("tastes", [])
    disliked = {each.partition(":")[2].partition(" ")[0] for each in labelled if "equipment:" in each}
    tastes = [each for each in got.get("tastes", []) if "equipment:" not in each or each in labelled]
    kit = [
        word
        for word in got.get("equipment", "").split()
        if word.lstrip("-") not in disliked or "equipment" in wanted
    ]
    found = {**got, "tastes": tastes, "equipment": " ".join(kit)}
    return {name: value for name, value in found.items() if value}
