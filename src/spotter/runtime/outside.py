"""Text of others on its way to a model: what tools return, knowledge, imported logs. Wrapped as data, always; kept back
where it gives orders. The log keeps what was kept back, and the rule of three counts it as a stranger's words.
Personal data that an organisation does not want kept is in neither (`redacting`)."""

import re
from collections.abc import Callable
from typing import Any, Final

from pydantic_core import to_json

from spotter.runtime import verdicts
from spotter.runtime.redacting import is_text_of, kept_of, kept_text
from spotter.safety import (
    Action,
    CategoryName,
    ModerationDecision,
    Policy,
    Source,
    as_data,
    moderate,
)
from spotter.sessions.events import (
    AssistantMessage,
    Checkpoint,
    Content,
    Knowledge,
    Result,
    UserMessage,
)

WITHHELD: Final = (
    "[Withheld by Spotter: not safe to pass on. It is kept in the session's log, where people can read it.]"
)
_STRANGE_SOURCES: Final = ("import", "quarantine")
_SENTENCES: Final = re.compile(r"(?<=[.!?])\s+|\n+")
Seen = Callable[[ModerationDecision], None]


def wrapped(text: str, source: Source, label: str) -> str:
    """The one place where other people's words become part of a prompt."""
    return as_data(text, source, label=label)


def source_of(fact: Knowledge) -> Source:
    for known in _KNOWN:
        if fact.source.startswith(known):
            return known
    return "knowledge"


_KNOWN: Final[tuple[Source, ...]] = ("import", "web", "csv", "tool")


def judged_result(result: Result, policy: Policy, seen: Seen, *, strange: bool) -> Result:
    """`strange`: it holds words of strangers. A list of ours in which one of many names looks odd is shown all the
    same, with a mark: nobody hides a list from the staff by what they call themselves."""
    if not result.formatted and not result.result:
        return result
    decision = moderate(result.formatted, "tool", policy)
    seen(decision)
    text, data = kept_of(result.formatted, result.result, decision, policy)
    shown = _shown(text, data, decision, policy, strange=strange)
    error = text if result.error == result.formatted else result.error
    changed = text != result.formatted
    return result.model_copy(
        update={"result": data, "error": error, **_marks(text, shown, decision, redacted=changed)}
    )


def judged_knowledge(fact: Knowledge, policy: Policy, seen: Seen) -> Knowledge:
    if not fact.formatted and not fact.data:
        return fact
    strange = fact.untrusted or fact.source.startswith(_STRANGE_SOURCES)
    decision = moderate(fact.formatted, source_of(fact), policy)
    seen(decision)
    text, data = kept_of(fact.formatted, fact.data, decision, policy)
    shown = _shown(text, data, decision, policy, strange=strange)
    changed = text != fact.formatted
    return fact.model_copy(update={"data": data, **_marks(text, shown, decision, redacted=changed)})


def judged_import(content: Content, policy: Policy, seen: Seen) -> Content:
    """An event of a log from elsewhere. What it says about itself is not believed: it is judged here, as an import."""
    match content:
        case UserMessage(text=text) | AssistantMessage(text=text):
            decision = moderate(text, "import", policy)
            seen(decision)
            kept = kept_text(text, decision, policy)
            verdict = verdicts.as_record(decision, redacted=kept != text)
            return content.model_copy(update={"text": kept, "moderation": verdict})
        case Result():
            clean = content.model_copy(update={"moderation": None, "withheld": None})
            return judged_result(clean, policy, seen, strange=True)
        case Knowledge():
            clean_fact = content.model_copy(update={"moderation": None, "withheld": None, "untrusted": True})
            return judged_knowledge(clean_fact, policy, seen)
        case Checkpoint():
            clean_summary = content.model_copy(update={"moderation": None, "withheld": None})
            return judged_summary(clean_summary, "import", policy, seen)
        case _:
            return content


def judged_summary(content: Checkpoint, source: Source, policy: Policy, seen: Seen) -> Checkpoint:
    """`source` is "knowledge" for a summary of ours: then only the sentences that must not be read again are left out,
    because without the rest the agent would forget a whole conversation. One from elsewhere goes as a whole."""
    decision = moderate(content.summary, source, policy)
    seen(decision)
    text = kept_text(content.summary, decision, policy)
    shown = text if decision.allowed else _good_sentences(text, source, policy)
    marks = _marks(text, shown, decision, redacted=text != content.summary)
    return content.model_copy(
        update={"summary": shown, "withheld": marks["withheld"], "moderation": marks["moderation"]}
    )


def _good_sentences(text: str, source: Source, policy: Policy) -> str:
    if source == "import":
        return WITHHELD
    sentences = (one if moderate(one, source, policy).allowed else WITHHELD for one in _SENTENCES.split(text))
    kept = " ".join(sentences)
    return kept if moderate(kept, source, policy).allowed else WITHHELD


def _marks(text: str, shown: str, decision: ModerationDecision, *, redacted: bool) -> dict[str, Any]:
    """`text` is all that is kept of it. The decision is recorded also where nothing was found: who reads the log later
    can tell what was looked at from what was not."""
    withheld = text if shown != text else None
    verdict = verdicts.as_record(decision, redacted=redacted)
    return {"formatted": shown, "withheld": withheld, "moderation": verdict}


def _shown(text: str, data: Any, decision: ModerationDecision, policy: Policy, *, strange: bool) -> str:
    if not decision.allowed and (strange or not _only_by_default(decision, policy)):
        return _without_the_bad(text, data, decision.source, policy)
    return text


def _only_by_default(decision: ModerationDecision, policy: Policy) -> bool:
    """Whether nothing but the default about injection speaks against it."""
    names = {
        one.name
        for one in decision.categories
        if policy.action(one.name, one.score, decision.source) is Action.BLOCK
    }
    chosen = policy.categories.get(CategoryName.INJECTION)
    return names == {CategoryName.INJECTION} and (chosen is None or chosen.outside is None)


def _without_the_bad(text: str, data: Any, source: Source, policy: Policy) -> str:
    """Of data, only the fields that are bad are kept back; of a text, all of it: nobody knows where an order ends."""
    if not is_text_of(data, text):
        return WITHHELD
    kept = to_json(_fields(data, source, policy)).decode()
    return kept if moderate(kept, source, policy).allowed else WITHHELD


def _fields(value: Any, source: Source, policy: Policy) -> Any:
    match value:
        case str():
            return value if moderate(value, source, policy).allowed else WITHHELD
        case list():
            return [_fields(one, source, policy) for one in value]
        case dict():
            return {key: _fields(one, source, policy) for key, one in value.items()}
        case _:
            return value
