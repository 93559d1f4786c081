"""The one pipeline: normalise, gym language, categories, red flags, personal data, injection; then the policy decides.

Pure: no database, no network, never raises on any text.
"""

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Final

from spotter.safety.classifier.model import Reading, model
from spotter.safety.decision import (
    KINDS,
    Action,
    Category,
    CategoryName,
    ModerationDecision,
    Source,
    SourceKind,
    Span,
)
from spotter.safety.findings import SURE, Finding, merged
from spotter.safety.grammar import SOFT, RuleBook
from spotter.safety.injection import injection_findings
from spotter.safety.normalise import MAX_CHARS, Normalised, normalise
from spotter.safety.output import output_findings
from spotter.safety.personal_data import not_allowed, personal_data, redact
from spotter.safety.policy import DEFAULT_POLICY, Policy
from spotter.safety.rules import (
    eating,
    hostility,
    other_languages,
    red_flags,
    red_flags_body,
    self_harm,
    self_harm_hints,
)
from spotter.safety.rules.gym_language import without_gym_language
from spotter.safety.words import Words, words_of

_PEOPLE: Final = RuleBook(
    (
        *red_flags.RULES,
        *red_flags_body.RULES,
        *self_harm.RULES,
        *self_harm_hints.RULES,
        *eating.RULES,
        *other_languages.RULES,
        *hostility.RULES,
    )
)
# A model that says «if your chest hurts, stop» must not be taken for somebody whose chest hurts.
_MODELS: Final = RuleBook(hostility.RULES)


def warm() -> None:
    """Reads the rules ahead of the first text, which otherwise waits half a second for it. For a thread at start."""
    moderate("hello", "member")
    moderate("hello", "assistant")


def moderate(
    text: str,
    source: Source = "member",
    policy: Policy = DEFAULT_POLICY,
    *,
    allowed_data: Collection[str] = (),
) -> ModerationDecision:
    """The decision about one text. `allowed_data` (e-mails, numbers, …) may be shown: the reader's own."""
    seen = normalise(text[:MAX_CHARS])
    kind = KINDS[source]
    raw_words = words_of(seen)
    words = without_gym_language(raw_words)
    found = [_in_original(seen, finding) for finding in _word_findings(words, kind, policy)]
    found += injection_findings(seen, raw_words)
    personal = not_allowed(seen, personal_data(seen, policy.regions), allowed_data)
    if personal:
        kinds = ", ".join(sorted({one.kind for one in personal}))
        spans = tuple((one.start, one.end) for one in personal)
        found.append(Finding(CategoryName.PERSONAL_DATA, 0.95, spans, kinds))
    redacted = redact(text, personal, policy.regions, allowed_data) if personal else None
    return decide(found, source, policy, redacted, cut=len(text) > MAX_CHARS)


def decide(
    found: Iterable[Finding], source: Source, policy: Policy, redacted: str | None, *, cut: bool = False
) -> ModerationDecision:
    """From findings to one action: the strongest that any of them calls for."""
    by_name: dict[CategoryName, list[Finding]] = {}
    for finding in found:
        by_name.setdefault(finding.category, []).append(finding)
    categories = []
    action = Action.ALLOW
    reasons = []
    for name, findings in by_name.items():
        score = max(finding.score for finding in findings)
        asked = policy.action(name, score, source)
        if asked.rank > action.rank:
            action = asked
        spans = merged(span for finding in findings for span in finding.spans)
        categories.append(
            Category(name=name, score=round(score, 3), spans=tuple(Span(start=a, end=b) for a, b in spans))
        )
        strongest = max(findings, key=lambda finding: finding.score)
        reasons.append((asked.rank, f"{name}: {strongest.why}"))
    reasons.sort(key=lambda reason: -reason[0])
    said = [reason for _, reason in reasons] + (["only the first part was read"] if cut else [])
    return ModerationDecision(
        allowed=action.rank < Action.BLOCK.rank,
        action=action,
        categories=tuple(sorted(categories, key=lambda category: -category.score)),
        redacted=redacted,
        source=source,
        reason="; ".join(said) or "nothing found",
    )


def _word_findings(words: Words, kind: SourceKind, policy: Policy) -> list[Finding]:
    if kind == "assistant":
        return _MODELS.findings(words) + output_findings(words, policy.floors)
    reading = model().reading(words)
    return [_doubted(one, reading) for one in _PEOPLE.findings(words)] + reading.found


def _doubted(finding: Finding, reading: Reading) -> Finding:
    """A rule sees a few words; where all the others speak against it, it may warn but not stop."""
    if finding.category not in reading.doubted or finding.score < SURE:
        return finding
    return replace(finding, score=SOFT)


def _in_original(text: Normalised, finding: Finding) -> Finding:
    spans = tuple(text.span(start, end) for start, end in finding.spans)
    return Finding(finding.category, finding.score, spans, finding.why)
