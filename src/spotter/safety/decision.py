"""What a check says: one frozen decision, the same for people, models, tools and imports."""

from enum import StrEnum
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

Source = Literal["member", "staff", "voice", "api", "assistant", "tool", "import", "web", "csv", "knowledge"]
"""Who wrote the text. It decides how much the text is trusted, never what it may do."""

SourceKind = Literal["people", "assistant", "outside"]

KINDS: Final[dict[Source, SourceKind]] = {
    "member": "people",
    "staff": "people",
    "voice": "people",
    "api": "people",
    "assistant": "assistant",
    "tool": "outside",
    "import": "outside",
    "web": "outside",
    "csv": "outside",
    "knowledge": "outside",
}


class Action(StrEnum):
    """In rising order: of several, the last one counts."""

    ALLOW = "allow"
    WARN = "warn"
    REDACT = "redact"
    BLOCK = "block"
    EMERGENCY = "emergency"

    @property
    def rank(self) -> int:
        return _RANK[self]


_RANK: Final = {action: rank for rank, action in enumerate(Action)}


class CategoryName(StrEnum):
    SELF_HARM = "self_harm"
    MEDICAL_EMERGENCY = "medical_emergency"
    EATING_DISORDER = "eating_disorder"
    THREAT = "threat"
    HARASSMENT = "harassment"
    SEXUAL = "sexual"
    MINORS = "minors"
    DRUGS = "drugs"
    PERSONAL_DATA = "personal_data"
    INJECTION = "injection"
    # Of what a model says, not of what people ask:
    MEDICAL_CLAIM = "medical_claim"
    UNSAFE_NUMBER = "unsafe_number"
    # Not about the text: somebody who should have looked at it could not.
    SECOND_OPINION_UNAVAILABLE = "second_opinion_unavailable"


class Span(BaseModel):
    """Where in the original text, in characters: `text[start:end]`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    start: int = Field(ge=0)
    end: int = Field(ge=0)


class Category(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    name: CategoryName
    score: float = Field(ge=0, le=1)
    spans: tuple[Span, ...]


class ModerationDecision(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    allowed: bool
    action: Action
    categories: tuple[Category, ...]
    redacted: str | None = Field(
        description="the text without the personal data found in it; null when nothing had to go"
    )
    source: Source
    reason: str
