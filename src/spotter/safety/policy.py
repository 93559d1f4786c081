"""Which category leads to which action, for whose text. Defaults in code; an organisation may differ, within limits.

Emergencies and self-harm of people always get their answer: there is no switch for that.
"""

from collections.abc import Mapping
from typing import Annotated, Final, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from spotter.safety.decision import KINDS, Action, CategoryName, Source, SourceKind
from spotter.safety.findings import SURE
from spotter.safety.output import Floors
from spotter.safety.phones import DEFAULT_REGIONS

_C = CategoryName
_A = Action

# For what is sure; a finding below SURE only warns. Text of machines never starts an emergency: a web page about
# heart attacks is not one.
DEFAULTS: Final[Mapping[CategoryName, Mapping[SourceKind, Action]]] = {
    _C.SELF_HARM: {"people": _A.EMERGENCY, "assistant": _A.BLOCK, "outside": _A.WARN},
    _C.MEDICAL_EMERGENCY: {"people": _A.EMERGENCY, "assistant": _A.ALLOW, "outside": _A.WARN},
    _C.EATING_DISORDER: {"people": _A.BLOCK, "assistant": _A.BLOCK, "outside": _A.WARN},
    _C.THREAT: {"people": _A.BLOCK, "assistant": _A.BLOCK, "outside": _A.WARN},
    _C.HARASSMENT: {"people": _A.BLOCK, "assistant": _A.BLOCK, "outside": _A.WARN},
    _C.SEXUAL: {"people": _A.BLOCK, "assistant": _A.BLOCK, "outside": _A.WARN},
    _C.MINORS: {"people": _A.BLOCK, "assistant": _A.BLOCK, "outside": _A.BLOCK},
    _C.DRUGS: {"people": _A.BLOCK, "assistant": _A.BLOCK, "outside": _A.WARN},
    _C.PERSONAL_DATA: {"people": _A.REDACT, "assistant": _A.REDACT, "outside": _A.REDACT},
    _C.INJECTION: {"people": _A.WARN, "assistant": _A.WARN, "outside": _A.BLOCK},
    _C.MEDICAL_CLAIM: {"people": _A.ALLOW, "assistant": _A.BLOCK, "outside": _A.ALLOW},
    _C.UNSAFE_NUMBER: {"people": _A.ALLOW, "assistant": _A.BLOCK, "outside": _A.ALLOW},
    _C.SECOND_OPINION_UNAVAILABLE: {"people": _A.ALLOW, "assistant": _A.ALLOW, "outside": _A.ALLOW},
}

# The least that must happen.
LEAST: Final[Mapping[tuple[CategoryName, SourceKind], Action]] = {
    (_C.SELF_HARM, "people"): _A.EMERGENCY,
    (_C.SELF_HARM, "assistant"): _A.BLOCK,
    (_C.MEDICAL_EMERGENCY, "people"): _A.EMERGENCY,
    (_C.EATING_DISORDER, "people"): _A.BLOCK,
    (_C.EATING_DISORDER, "assistant"): _A.BLOCK,
    (_C.MINORS, "people"): _A.BLOCK,
    (_C.MINORS, "assistant"): _A.BLOCK,
    (_C.MINORS, "outside"): _A.BLOCK,
    (_C.INJECTION, "outside"): _A.WARN,
    (_C.MEDICAL_CLAIM, "assistant"): _A.WARN,
    (_C.UNSAFE_NUMBER, "assistant"): _A.WARN,
}
_ONLY_EMERGENCIES: Final = frozenset({_C.SELF_HARM, _C.MEDICAL_EMERGENCY})
_FIXED: Final = frozenset({_C.SECOND_OPINION_UNAVAILABLE})

Region = Annotated[str, Field(pattern=r"^[A-Z]{2}$")]


class CategoryPolicy(BaseModel):
    """What happens to a sure finding. What is left out stays as it is by default."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    people: Action | None = None
    assistant: Action | None = None
    outside: Action | None = None


class Policy(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    categories: dict[CategoryName, CategoryPolicy] = Field(default_factory=dict)
    regions: tuple[Region, ...] = Field(
        default=DEFAULT_REGIONS,
        min_length=1,
        max_length=12,
        description="countries whose telephone numbers are known without a code",
    )
    daily_kcal_floor: int = Field(default=Floors().daily_kcal, ge=1000, le=2500)
    second_opinion: bool = Field(
        default=True,
        description="whether OpenAI's moderation is asked when there is a key; personal data is taken out first",
    )

    @model_validator(mode="after")
    def _within_limits(self) -> Self:
        for name, chosen in self.categories.items():
            if name in _FIXED:
                raise ValueError(f"{name} is not a matter of policy")
            for kind, action in _given(chosen):
                least = LEAST.get((name, kind))
                if least is not None and action.rank < least.rank:
                    raise ValueError(f"{name} of {kind} cannot be set below {least}")
                if action is _A.EMERGENCY and (name not in _ONLY_EMERGENCIES or kind != "people"):
                    raise ValueError(f"{name} of {kind} cannot be an emergency")
                if action is _A.REDACT and name is not _C.PERSONAL_DATA:
                    raise ValueError(f"redact is for personal_data; {name} can be allow, warn or block")
        return self

    @property
    def floors(self) -> Floors:
        return Floors(daily_kcal=self.daily_kcal_floor)

    def action(self, name: CategoryName, score: float, source: Source) -> Action:
        kind = KINDS[source]
        chosen = self.categories.get(name)
        action = (getattr(chosen, kind) if chosen is not None else None) or DEFAULTS[name][kind]
        assert isinstance(action, Action)
        return action if score >= SURE or action.rank <= Action.WARN.rank else Action.WARN


def _given(chosen: CategoryPolicy) -> list[tuple[SourceKind, Action]]:
    pairs: tuple[tuple[SourceKind, Action | None], ...] = (
        ("people", chosen.people),
        ("assistant", chosen.assistant),
        ("outside", chosen.outside),
    )
    return [(kind, action) for kind, action in pairs if action is not None]


DEFAULT_POLICY: Final = Policy()
