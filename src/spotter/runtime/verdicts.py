"""What safety said about a text, as the event that holds the text keeps it. Compact, and never the text itself.

Everything that follows from a verdict is worked out from the event: whoever takes a turn over answers as the one who
heard the message would have, and the prompt rebuilds byte for byte.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import ValidationError

from spotter.safety import Action, Category, CategoryName, ModerationDecision, Source, Span, guidance_for
from spotter.safety.findings import SURE
from spotter.sessions.codec import Event
from spotter.sessions.events import AssistantMessage, Checkpoint, Content, UserMessage

NEEDS_CARE: Final = frozenset(
    {CategoryName.SELF_HARM, CategoryName.MEDICAL_EMERGENCY, CategoryName.EATING_DISORDER}
)
"""What is answered with care instead of a refusal. The model reads such a message too: it matters for what comes."""
_STOPS: Final = (Action.BLOCK, Action.EMERGENCY)


@dataclass(frozen=True, slots=True)
class RedFlag:
    """Somebody said something after which no workout is planned, until a person has seen to it."""

    sequence: int
    """The event that says it: the last one, where there are several."""
    category: CategoryName


def as_record(decision: ModerationDecision, *, redacted: bool = False, spans: bool = True) -> dict[str, Any]:
    """`redacted`: what is kept is not what was said. Its spans are then those of what was said."""
    record: dict[str, Any] = {"action": decision.action.value}
    if decision.categories:
        record["source"] = decision.source
        record["reason"] = decision.reason
        record["categories"] = [_category(one, spans) for one in decision.categories]
    if redacted or decision.action is Action.REDACT:
        record["redacted"] = redacted
    return record


def _category(category: Category, spans: bool) -> dict[str, Any]:
    record: dict[str, Any] = {"name": category.name.value, "score": category.score}
    if spans and category.spans:
        record["spans"] = [[span.start, span.end] for span in category.spans]
    return record


def decision_in(record: Mapping[str, Any] | None) -> ModerationDecision | None:
    """None where nothing was found, or where nobody looked (see `was_judged`)."""
    if record is None or not record.get("categories"):
        return None
    try:
        return ModerationDecision(
            allowed=Action(record["action"]) not in _STOPS,
            action=record["action"],
            categories=tuple(
                Category(
                    name=one["name"],
                    score=one["score"],
                    spans=tuple(Span(start=start, end=end) for start, end in one.get("spans", ())),
                )
                for one in record["categories"]
            ),
            redacted=None,
            source=record.get("source", "member"),
            reason=record.get("reason", ""),
        )
    except (ValidationError, KeyError, TypeError, ValueError):
        return None  # written by another version: see `was_judged`


def was_judged(record: Mapping[str, Any] | None) -> bool:
    """False for what an older or newer version left: then it is looked at again."""
    if record is None or record.get("action") not in set(Action):
        return False
    return not record.get("categories") or decision_in(record) is not None


def stops(record: Mapping[str, Any] | None) -> bool:
    decision = decision_in(record)
    return decision is not None and not decision.allowed


def is_strange(record: Mapping[str, Any] | None) -> bool:
    """Whether it tries to give orders to the agent."""
    decision = decision_in(record)
    return decision is not None and any(one.name is CategoryName.INJECTION for one in decision.categories)


def as_read(message: UserMessage | AssistantMessage) -> str:
    """What a model reads of it. What was refused is not put before it a second time."""
    record = message.moderation
    if (
        record is None
        or not stops(record)
        or (isinstance(message, AssistantMessage) and not _is_import(record))
    ):
        return message.text
    names = _sure(record)
    if not _is_import(record) and names & NEEDS_CARE:
        return message.text
    return f"[A message was held back: {', '.join(sorted(names)) or 'not safe'}.]"


def guidance(message: UserMessage) -> str | None:
    """What the model should keep in mind, where a message goes on with a warning."""
    decision = decision_in(message.moderation)
    note = guidance_for(decision) if decision is not None else None
    return f"[A note from Spotter about the message above: {note}]" if note else None


def red_flag_of(content: Content, sequence: int) -> RedFlag | None:
    """What this event says about it; a checkpoint brings along what it covers."""
    if isinstance(content, Checkpoint) and content.red_flag is not None:
        return RedFlag(content.red_flag.sequence, CategoryName(content.red_flag.category))
    if not isinstance(content, UserMessage) or not stops(content.moderation):
        return None
    names = _sure(content.moderation) & NEEDS_CARE
    return RedFlag(sequence, min(names)) if names else None


def red_flag_in(events: Iterable[Event]) -> RedFlag | None:
    """The red flag that stands in this session. The workout tools refuse while there is one."""
    standing = None
    for event in events:
        standing = red_flag_of(event.content, event.sequence) or standing
    return standing


def merged(decisions: Iterable[tuple[int | None, ModerationDecision]], source: Source) -> ModerationDecision:
    """One decision about a text that was checked in pieces. A piece that is not shown as it was has no place."""
    action, reasons = Action.ALLOW, []
    scores: dict[CategoryName, float] = {}
    spans: dict[CategoryName, list[Span]] = {}
    for place, decision in decisions:
        action = max(action, decision.action, key=lambda one: one.rank)
        if decision.categories and decision.reason not in reasons:
            reasons.append(decision.reason)
        for one in decision.categories:
            scores[one.name] = max(scores.get(one.name, 0.0), one.score)
            if place is not None:
                moved = (Span(start=place + span.start, end=place + span.end) for span in one.spans)
                spans.setdefault(one.name, []).extend(moved)
    return ModerationDecision(
        allowed=action not in _STOPS,
        action=action,
        categories=tuple(
            Category(name=name, score=score, spans=tuple(spans.get(name, ())))
            for name, score in sorted(scores.items(), key=lambda pair: -pair[1])
        ),
        redacted=None,
        source=source,
        reason="; ".join(reasons) or "nothing found",
    )


def _is_import(record: Mapping[str, Any]) -> bool:
    return record.get("source") == "import"


def _sure(record: Mapping[str, Any] | None) -> set[CategoryName]:
    decision = decision_in(record)
    return {one.name for one in decision.categories if one.score >= SURE} if decision is not None else set()
