"""The labelled texts, and how well the pipeline reads them."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from spotter.safety import Action, ModerationDecision, Source, moderate

FOLDER = Path(__file__).parent / "labelled"
HELD_OUT = "held_out"


@dataclass(frozen=True)
class Labelled:
    text: str
    labels: tuple[str, ...]
    action: Action
    source: Source
    set: str


def every_text() -> Iterator[Labelled]:
    """Every file in the folder; the one written after the rules, and never tuned on, is `held_out.jsonl`."""
    for path in sorted(FOLDER.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.strip():
                row = json.loads(line)
                yield Labelled(
                    row["text"], tuple(row["labels"]), Action(row["action"]), row["source"], row["set"]
                )


@dataclass
class Score:
    """Of one category in one set."""

    texts: int = 0
    found: int = 0
    """With its category, and with at least the action that was expected."""
    exact: int = 0
    false_blocks: int = 0
    misses: list[str] = field(default_factory=list)
    """What was got wrong, in words. Not of texts held out: who reads them can no longer measure with them."""

    @property
    def recall(self) -> float:
        return self.found / self.texts if self.texts else 1.0


def is_found(expected: Labelled, decision: ModerationDecision) -> bool:
    names = {category.name.value for category in decision.categories}
    return set(expected.labels) <= names and decision.action.rank >= expected.action.rank


def report() -> dict[tuple[str, str], Score]:
    """By set and category; ordinary texts are under `ordinary`."""
    scores: dict[tuple[str, str], Score] = {}
    for one in every_text():
        decision = moderate(one.text, one.source)
        for name in one.labels or ("ordinary",):
            score = scores.setdefault((one.set, name), Score())
            score.texts += 1
            score.exact += decision.action is one.action
            if not one.labels:
                score.found += decision.allowed
                score.false_blocks += not decision.allowed
            else:
                score.found += is_found(one, decision)
            good = is_found(one, decision) if one.labels else decision.allowed
            if not good and one.set != HELD_OUT:
                score.misses.append(f"{one.text[:100]!r}: {decision.action} ({decision.reason})")
    return scores


def table(scores: dict[tuple[str, str], Score]) -> str:
    rows = [f"{'set':10} {'category':20} {'texts':>5} {'recall':>7} {'exact':>6} {'false blocks':>13}"]
    for (name, category), score in sorted(scores.items()):
        exact = score.exact / score.texts
        rows.append(
            f"{name:10} {category:20} {score.texts:5} {score.recall:7.3f} {exact:6.2f} {score.false_blocks:13}"
        )
        rows += [f"    {miss}" for miss in score.misses]
    return "\n".join(rows)
