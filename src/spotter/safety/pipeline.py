"""The one pipeline: normalise, gym language, categories, red flags, personal data, injection; then the policy decides.

Pure: no database, no network, never raises on any text.
"""

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Final

from spotter.safety import injection
from spotter.safety.classifier.judging import Reading, reading
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
from spotter.safety.needed_words import COMMON
from spotter.safety.normalise import MAX_CHARS, Normalised, normalise
from spotter.safety.output import output_findings
from spotter.safety.personal_data import not_allowed, personal_data, redact
from spotter.safety.policy import DEFAULT_POLICY, Policy
from spotter.safety.rules import (
    eating,
    figures_of_speech,
    hostility,
    other_languages,
    red_flags,
    red_flags_body,
    self_harm,
    self_harm_hints,
)
from spotter.safety.rules.gym_language import without_gym_language
from spotter.safety.words import Words, words_of

PEOPLE: Final = RuleBook(
    (
        *red_flags.RULES,
        *red_flags_body.RULES,
        *self_harm.RULES,
        *self_harm_hints.RULES,
        *eating.RULES,
        *figures_of_speech.RULES,
        *other_languages.RULES,
        *hostility.RULES,
    )
)
_CERTAIN: Final = 0.78
"""Tired people say they want to die: for that, and that only, a rule's doubt outweighs a less certain reading."""
# A model that says «if your chest hurts, stop» must not be taken for somebody whose chest hurts.
_MODELS: Final = RuleBook(hostility.RULES)


def warm() -> None:
    """Reads the rules ahead of the first text, which otherwise waits half a second for it. For a thread at start."""
    # The words that most sentences are made of: which rules they call for is worked out once for each word.
    everyday = " ".join(sorted(COMMON))
    moderate(everyday, "member")
    moderate(everyday, "assistant")
    injection.warm()


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
    found = [_in_original(seen, finding) for finding in _word_findings(seen, words, kind, policy)]
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


def _word_findings(seen: Normalised, words: Words, kind: SourceKind, policy: Policy) -> list[Finding]:
    if kind == "assistant":
        return _MODELS.findings(words) + output_findings(words, policy.floors)
    ruled = PEOPLE.findings(words)
    read = reading(seen, words, ruled)
    calm = [one for one in ruled if one.score < SURE]
    return [_doubted(one, read) for one in ruled] + [_calmed(one, calm) for one in read.found]


def _doubted(finding: Finding, read: Reading) -> Finding:
    """A rule sees a few words; where the whole text is about something else, it may warn but not stop."""
    if finding.category not in read.doubted or finding.score < SURE:
        return finding
    return replace(finding, score=SOFT)


def _calmed(finding: Finding, calm: Iterable[Finding]) -> Finding:
    """A rule takes a stretch for a figure of speech: what only reads it must be certain to stop it all the same."""
    ((start, end),) = finding.spans
    known = min(
        (
            one.score
            for one in calm
            if one.category is finding.category
            and any(first < end and start < last for first, last in one.spans)
        ),
        default=SURE,
    )
    certain = finding.category is not CategoryName.SELF_HARM or finding.score >= _CERTAIN
    stays = known >= SURE or (known > figures_of_speech.HARMLESS and certain)
    return finding if stays or finding.score < SURE else replace(finding, score=SOFT)


def _in_original(text: Normalised, finding: Finding) -> Finding:
    spans = tuple(text.span(start, end) for start, end in finding.spans)
    return Finding(finding.category, finding.score, spans, finding.why)
