"""Streamed output, released sentence by sentence after the check. What was not checked is never shown."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from spotter.safety.decision import Action, ModerationDecision
from spotter.safety.replies import reply_for

Check = Callable[[str], ModerationDecision]

_LONGEST: Final = 1_200
"""A sentence without an end is cut here, at a space: nobody should wait for a full stop that never comes."""
_HARD_LIMIT: Final = 4_000
_LOOK_BACK: Final = 300
"""Earlier text that is read along, for what only shows across two sentences."""
_END: Final = re.compile(r"[.!?…]+[\"'”’)\]*_]*(?=\s)|[。！？]|\n")
_ABBREVIATION: Final = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|approx|ca|min|max|reps?|sec|no|nr|dr|mr|mrs|ms|prof|st|fig|incl|resp|z\.b"
    r"|d\.h|bzw|u\.a|usw|p\.ej|a\.m|p\.m|cf|ex|est|avg|temp)|\b[a-z]|(?:^|\n)\s*\d{1,3})\.$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Released:
    text: str
    decision: ModerationDecision
    """Of this piece; its text may have been redacted."""


class SentenceGate:
    """Feed deltas, get pieces that may be shown. After a block nothing more comes out, and `replacement` says what to
    show instead."""

    def __init__(self, check: Check, *, region: str | None = None) -> None:
        self._check = check
        self._region = region
        self._waiting = ""
        self._shown = ""
        self.blocked: ModerationDecision | None = None

    @property
    def replacement(self) -> str | None:
        return None if self.blocked is None else reply_for(self.blocked, region=self._region)

    def feed(self, delta: str) -> list[Released]:
        if self.blocked is not None:
            return []
        self._waiting += delta
        released: list[Released] = []
        while (end := _sentence_end(self._waiting)) is not None:  # nothing waits after a block
            self._release(end, released)
        return released

    def finish(self) -> list[Released]:
        """The end of the stream: the rest is a sentence too."""
        released: list[Released] = []
        if self.blocked is None and self._waiting:
            self._release(len(self._waiting), released)
        return released

    def _release(self, end: int, released: list[Released]) -> None:
        sentence, self._waiting = self._waiting[:end], self._waiting[end:]
        decision = self._check(sentence) if sentence.strip() else None
        if decision is None:
            released.append(Released(sentence, _NOTHING))
            self._shown = (self._shown + sentence)[-_LOOK_BACK:]
            return
        if decision.allowed and self._shown.strip():
            together = self._check(self._shown + sentence)
            decision = decision if together.allowed else together
        if not decision.allowed:
            self.blocked, self._waiting = decision, ""
            return
        redacting = decision.action is Action.REDACT and decision.redacted is not None
        text = decision.redacted if redacting and decision.redacted is not None else sentence
        self._shown = (self._shown + text)[-_LOOK_BACK:]
        released.append(Released(text, decision))


_NOTHING: Final = ModerationDecision(
    allowed=True,
    action=Action.ALLOW,
    categories=(),
    redacted=None,
    source="assistant",
    reason="nothing to read",
)


def _sentence_end(text: str) -> int | None:
    """Where the first whole sentence ends, its white space included; None while it may go on."""
    for found in _END.finditer(text):
        if text[found.start()] == "." and _ABBREVIATION.search(text[: found.start() + 1]):
            continue
        end = found.end()
        while end < len(text) and text[end].isspace():
            end += 1
        if end == len(text) and text[found.start()] != "\n":
            # More white space may follow; the next delta or the end of the stream will tell.
            end = found.end()
        return end
    if len(text) > _LONGEST:
        at = text.rfind(" ", 0, _LONGEST)
        if at > 0:
            return at + 1
        return _LONGEST if len(text) > _HARD_LIMIT else None
    return None
