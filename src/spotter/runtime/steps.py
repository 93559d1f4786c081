"""What a step of the loop can come to. The loop does nothing but act on these."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from spotter.sessions.events import Ending, Failure, UsageRecord

BUDGET = "budget"
"""The limit that money is."""

if TYPE_CHECKING:
    from spotter.runtime.approvals import Ask


@dataclass(frozen=True, slots=True)
class Continue:
    """Something was added to the log; look again."""


@dataclass(frozen=True, slots=True)
class Final:
    """The turn is over and its last event is in the log."""

    ending: Ending


@dataclass(frozen=True, slots=True)
class NeedApproval:
    """People must decide first. Without new requests: only calls that were asked about before are left."""

    asks: "tuple[Ask, ...]" = ()


@dataclass(frozen=True, slots=True)
class Limit:
    name: str
    reason: str
    detail: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Failed:
    code: str
    detail: str
    usage: UsageRecord | None = None
    """What the attempt is billed all the same."""
    earlier: tuple[Failure, ...] = ()
    """Models that were asked before, and are billed too."""


Step: TypeAlias = Continue | Final | NeedApproval | Limit | Failed
