"""Every word checked: moderation, medical red flags, personal data, injection. One pipeline for everybody's text.

`moderate` is pure; `Moderation` adds the organisation's policy and a second opinion; `SentenceGate` checks a stream;
`as_data` wraps other people's text for a prompt.
"""

from spotter.safety.accounts import OpenAIAccounts
from spotter.safety.decision import Action, Category, CategoryName, ModerationDecision, Source, Span
from spotter.safety.gate import Released, SentenceGate
from spotter.safety.injection import DATA_NOTE, as_data
from spotter.safety.normalise import MAX_CHARS
from spotter.safety.personal_data import redact_for_logs
from spotter.safety.pipeline import moderate, warm
from spotter.safety.policy import DEFAULT_POLICY, Policy
from spotter.safety.replies import guidance_for, reply_for
from spotter.safety.service import Moderation, get_policy, put_policy

__all__ = [
    "DATA_NOTE",
    "DEFAULT_POLICY",
    "MAX_CHARS",
    "Action",
    "Category",
    "CategoryName",
    "Moderation",
    "ModerationDecision",
    "OpenAIAccounts",
    "Policy",
    "Released",
    "SentenceGate",
    "Source",
    "Span",
    "as_data",
    "get_policy",
    "guidance_for",
    "moderate",
    "put_policy",
    "redact_for_logs",
    "reply_for",
    "warm",
]
