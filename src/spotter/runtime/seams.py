"""Where money, safety and approvals join the loop. The rooms that know them put theirs in; these let all pass, but for
safety, which has a policy from the start.

What a call cost is not here: the log bills it by itself, with the event that records it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from spotter.billing.ledger import Call
from spotter.errors import NotConfigured
from spotter.runtime.guard import DefaultGuard, Guard
from spotter.runtime.timings import Timings
from spotter.runtime.tool import Tool
from spotter.sessions.events import Action, ApprovalDecided, Ending, Failure, Knowledge, Move
from spotter.sessions.log import Turn
from spotter.store.scope import Scope

if TYPE_CHECKING:
    from spotter.runtime.approvals import Ask, Granted, Refused
    from spotter.runtime.context import SessionView
    from spotter.runtime.turn_run import TurnRun


class Budget(Protocol):
    """Asked before a model is called, where spending is limited. The log settles or releases what it holds back."""

    async def reserve(self, scope: Scope, call: Call) -> int | None:
        """How long the answer may be, in tokens. Raises `PaymentRequired`, or `StopAsked`."""
        ...


class Approvals(Protocol):
    async def needed(self, run: "TurnRun", tool: Tool, call: Action) -> "Ask | None":
        """What a person must be asked before this call is made; None when nobody has to be."""
        ...

    async def ask(self, run: "TurnRun", asks: "Sequence[Ask]") -> Ending:
        """Leaves the requests and ends the turn."""
        ...

    async def check(
        self, run: "TurnRun", tool: Tool | None, decision: ApprovalDecided
    ) -> "Granted | Refused | Ask":
        """Whether a call that was decided about may be carried out now."""
        ...


class Initializer(Protocol):
    async def knowledge(self, run: "TurnRun") -> Sequence[Knowledge | Failure]:
        """What the agent should know before it answers this turn's message, and what finding out cost in vain."""
        ...


class Director(Protocol):
    """Who knows the course of a scenario."""

    async def after_red_flag(self, scope: Scope, turn: Turn, view: "SessionView") -> Sequence[Move]:
        """Where a session stands once safety has answered instead of the agent. In the log before that answer."""
        ...


class NoDirector:
    async def after_red_flag(self, scope: Scope, turn: Turn, view: "SessionView") -> Sequence[Move]:
        return ()


class NoBudget:
    async def reserve(self, scope: Scope, call: Call) -> int | None:
        return call.max_output


class NoApprovals:
    """Nothing is asked here. What was asked elsewhere waits for somebody who can tell whether it holds."""

    async def needed(self, run: "TurnRun", tool: Tool, call: Action) -> "Ask | None":
        return None

    async def ask(self, run: "TurnRun", asks: "Sequence[Ask]") -> Ending:
        raise NotConfigured("Approvals are not set up in this process.")

    async def check(
        self, run: "TurnRun", tool: Tool | None, decision: ApprovalDecided
    ) -> "Granted | Refused | Ask":
        raise NotConfigured("Approvals are not set up in this process.")


class NoInitializer:
    async def knowledge(self, run: "TurnRun") -> Sequence[Knowledge | Failure]:
        return ()


@dataclass(frozen=True, slots=True)
class Seams:
    budget: Budget = field(default_factory=NoBudget)
    approvals: Approvals = field(default_factory=NoApprovals)
    initializer: Initializer = field(default_factory=NoInitializer)
    guard: Guard = field(default_factory=DefaultGuard)
    director: Director = field(default_factory=NoDirector)
    timings: Timings = field(default_factory=Timings)
