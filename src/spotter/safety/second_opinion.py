"""A second opinion from a moderation model. It can only add: what we found stays found, and when it does not answer,
the decision says so instead of pretending that all is well."""

import logging
from collections.abc import Mapping
from typing import Final, Protocol

from spotter.llm.faults import ModelError, ModerationMissing
from spotter.safety.decision import CategoryName, ModerationDecision
from spotter.safety.findings import Finding
from spotter.safety.pipeline import decide
from spotter.safety.policy import Policy

log = logging.getLogger(__name__)

_C = CategoryName
# Theirs to ours. What we have no word for (violence described, illicit advice in general) is not ours to judge.
_OURS: Final[Mapping[str, CategoryName]] = {
    "self-harm": _C.SELF_HARM,
    "self-harm/intent": _C.SELF_HARM,
    "self-harm/instructions": _C.SELF_HARM,
    "harassment": _C.HARASSMENT,
    "harassment/threatening": _C.THREAT,
    "hate": _C.HARASSMENT,
    "hate/threatening": _C.THREAT,
    "sexual": _C.SEXUAL,
    "sexual/minors": _C.MINORS,
}
_LEAST: Final = 0.5
# A gym's language misleads general models: where our allow-list saw nothing, theirs alone may warn but not stop,
# except for what must never be missed.
_MAY_STOP_ALONE: Final = frozenset({_C.SELF_HARM, _C.MINORS})
_SURE_ALONE: Final = 0.85
_ONLY_WARNS: Final = 0.55
_NOBODY: Final = "no second opinion: the model gateway offers none"


class Moderator(Protocol):
    async def scores(self, text: str) -> Mapping[str, float]:
        """Their categories and how sure they are, 0 to 1. Raises `ModelError` when they do not answer, and
        `ModerationMissing` when there is nobody to ask."""
        ...


async def with_second_opinion(
    decision: ModerationDecision, text: str, moderator: Moderator, policy: Policy
) -> ModerationDecision:
    found = [
        Finding(one.name, one.score, tuple((span.start, span.end) for span in one.spans), "ours")
        for one in decision.categories
    ]
    try:
        # Personal data does not leave the house for this.
        scores = await moderator.scores(decision.redacted if decision.redacted is not None else text)
    except ModerationMissing:
        # No alarm on each message: there is nobody who should have looked and did not. The log said so once.
        return decision.model_copy(update={"reason": f"{decision.reason}; {_NOBODY}"})
    except ModelError as error:
        log.warning(
            "second opinion not available: %s",
            error.code,
            extra={"safety_source": decision.source, "error": error.detail},
        )
        missing = Finding(_C.SECOND_OPINION_UNAVAILABLE, 0.0, (), error.code)
        merged = decide([*found, missing], decision.source, policy, decision.redacted)
        return merged.model_copy(
            update={"reason": f"{decision.reason}; second opinion not available ({error.code})"}
        )
    ours = {one.name for one in decision.categories}
    theirs = _as_findings(scores, ours)
    if not theirs:
        return decision
    merged = decide([*found, *theirs], decision.source, policy, decision.redacted)
    names = ", ".join(sorted({finding.category for finding in theirs}))
    return merged.model_copy(update={"reason": f"{decision.reason}; second opinion: {names}"})


def _as_findings(scores: Mapping[str, float], ours: set[CategoryName]) -> list[Finding]:
    best: dict[CategoryName, float] = {}
    for name, score in scores.items():
        mapped = _OURS.get(name)
        if mapped is not None and score >= _LEAST:
            best[mapped] = max(best.get(mapped, 0.0), min(score, 1.0))
    return [Finding(name, _weighed(name, score, ours), (), "second opinion") for name, score in best.items()]


def _weighed(name: CategoryName, score: float, ours: set[CategoryName]) -> float:
    if name in ours or (name in _MAY_STOP_ALONE and score >= _SURE_ALONE):
        return score
    return min(score, _ONLY_WARNS)
