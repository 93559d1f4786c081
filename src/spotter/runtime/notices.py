"""What a person is told about us ourselves, beside the answer: that another model than the usual one gave it.

In the log before the answer: once in a turn where the usual one failed, once in a conversation where it has no key,
since that lasts. Why the usual one failed is no business of theirs: that is in the log lines, and by its code with the
answer's usage.
"""

from typing import Final

from spotter.errors import NotConfigured
from spotter.llm.port import Final as ModelFinal
from spotter.sessions.events import Notice

OFFLINE: Final = "offline"
BUILT_IN_ANSWERS: Final = (
    "Our usual AI model can't be reached right now, so Spotter's built-in model answers; it understands less, and "
    "nothing you said is lost."
)
ANOTHER_ANSWERS: Final = "Our usual AI model can't be reached right now, so another one answers."
BUILT_IN_INSTEAD: Final = (
    "The AI model chosen for this conversation is not set up here, so Spotter's built-in model answers; it understands "
    "less."
)
ANOTHER_INSTEAD: Final = (
    "The AI model chosen for this conversation is not set up here, so another one answers."
)


def fallback_notice(answer: ModelFinal) -> Notice | None:
    """None where whoever was asked first has answered."""
    if not answer.failed:
        return None
    built_in = answer.provider == OFFLINE
    if all(attempt.code == NotConfigured.code for attempt in answer.failed):
        return Notice(code="not_set_up", text=BUILT_IN_INSTEAD if built_in else ANOTHER_INSTEAD)
    return Notice(code="fallback", text=BUILT_IN_ANSWERS if built_in else ANOTHER_ANSWERS)
