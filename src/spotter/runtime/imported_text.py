"""The one pipeline for files that people bring along: logs of other apps, collections of exercises."""

from collections.abc import Callable

from spotter.runtime.outside import Seen
from spotter.runtime.redacting import kept_text
from spotter.safety import Policy, moderate


def screen_by(policy: Policy, seen: Seen) -> Callable[[str], str | None]:
    """What may be kept of a text; None where nothing may. It becomes part of the athlete's own history, which agents
    read without asking whose words these were: so it is decided here, before it is stored."""

    def screen(text: str) -> str | None:
        decision = moderate(text, "import", policy)
        seen(decision)
        return kept_text(text, decision, policy) if decision.allowed else None

    return screen
