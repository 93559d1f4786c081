"""Who thinks: instructions, a model, tools, limits. Files and database rows become this."""

from dataclasses import dataclass, field
from typing import Literal

from spotter.llm.prompt import Section
from spotter.safety import DATA_NOTE


@dataclass(frozen=True, slots=True)
class Limits:
    """A turn stops at the first of these, and says at which."""

    iterations: int = 25
    identical_calls: int = 3
    wall_seconds: float = 300.0
    checkpoint_tokens: int = 80_000
    output_tokens: int | None = None
    """Of one answer; the provider's own limit if not set."""


@dataclass(frozen=True, slots=True)
class Handover:
    """Another agent this one may hand the conversation to."""

    to: str
    when: str
    """What the other is for: the model decides by it."""
    history: Literal["all", "turn"] = "all"


@dataclass(frozen=True, slots=True)
class Agent:
    name: str
    instructions: str
    model: str = "offline"
    tools: tuple[str, ...] = ()
    tool_choice: Literal["auto", "required"] = "auto"
    limits: Limits = Limits()
    fallbacks: tuple[str, ...] = ()
    handoffs: tuple[Handover, ...] = ()
    small_model: str | None = None
    """Summarises and picks sources; the agent's own model if not set."""
    sections: tuple[Section, ...] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        # Encoded once: the same bytes begin every request of every session with this agent.
        object.__setattr__(self, "sections", (Section(self.instructions), Section(DATA_NOTE)))
