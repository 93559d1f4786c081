"""Which calls a person must approve. Pure: the same policies and the same call always give the same rule.

The order, strongest first:

1. The organisation's policies that name the tool. Among them the one that also names the agent wins, then the one
   that names the role, then the one that names neither.
2. The stricter of what the tool says of itself and the organisation's most specific policy that names no tool
   (agent before role before neither). So "ask for everything" holds for every tool, and "ask for nothing" takes
   no tool's own caution away unless it is named.
3. Never.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from spotter.identity.principal import Role


class Mode(StrEnum):
    NEVER = "never"
    ALWAYS = "always"
    ABOVE = "above"


_STRICTNESS: Final = {Mode.NEVER: 0, Mode.ABOVE: 1, Mode.ALWAYS: 2}


@dataclass(frozen=True, slots=True)
class Rule:
    """When a call must be approved, and by whom."""

    mode: Mode = Mode.NEVER
    argument: str = ""
    """With `above`: the number that is compared, or the list whose length is."""
    above: float = 0.0
    approver: Role = Role.STAFF
    four_eyes: bool = False
    """Whoever asked may not approve it, and neither may an API key."""
    trusts_tainted: bool = False
    """Lets the tool send outside without asking though untrusted text and private data were read (S7)."""


NEVER: Final = Rule()
ALWAYS: Final = Rule(Mode.ALWAYS)


def above(argument: str, limit: float, *, approver: Role = Role.STAFF) -> Rule:
    """For a tool's declaration: ask when there are more of them, or more of it, than this."""
    return Rule(Mode.ABOVE, argument, limit, approver)


@dataclass(frozen=True, slots=True)
class Policy:
    """A rule of an organisation, and for which calls. An empty name means any."""

    rule: Rule
    tool: str = ""
    agent: str = ""
    role: str = ""

    def fits(self, tool: str, agent: str, role: str) -> bool:
        return self.tool in ("", tool) and self.agent in ("", agent) and self.role in ("", role)

    @property
    def specificity(self) -> tuple[bool, bool, bool]:
        return self.tool != "", self.agent != "", self.role != ""


def rule_for(policies: Iterable[Policy], declared: Rule, *, tool: str, agent: str, role: str) -> Rule:
    fitting = [policy for policy in policies if policy.fits(tool, agent, role)]
    chosen = max(fitting, key=lambda policy: policy.specificity, default=None)
    if chosen is None:
        return declared
    if chosen.tool:
        return chosen.rule
    return chosen.rule if _STRICTNESS[chosen.rule.mode] >= _STRICTNESS[declared.mode] else declared


def demand(rule: Rule, arguments: Mapping[str, Any]) -> str | None:
    """Why the rule wants this call approved; None when it does not."""
    match rule.mode:
        case Mode.NEVER:
            return None
        case Mode.ALWAYS:
            return "This always needs approval."
        case Mode.ABOVE:
            size = _size(arguments.get(rule.argument))
            if size is None:
                return (
                    f"This needs approval above {rule.above:g} {rule.argument}, and that cannot be read off."
                )
            if size > rule.above:
                return f"This needs approval above {rule.above:g} {rule.argument}; here it is {size:g}."
            return None


def _size(value: Any) -> float | None:
    """None for what has no size: then it is asked rather than let pass."""
    if isinstance(value, list | tuple | set | dict):
        return float(len(value))
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        size = float(value)
    except OverflowError:
        return math.inf
    return None if math.isnan(size) else size
