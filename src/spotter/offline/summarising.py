"""A checkpoint without a model: what was said about the athlete, what was done, what is still open. Sentences are kept
as they were said, never rephrased, and the whole never exceeds its bound."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from spotter.offline.understanding import Intent, Understander

_LONGEST_LINE: Final = 200
_HEADINGS: Final = (
    "Earlier",
    "About them",
    "Goals",
    "Injuries",
    "Preferences",
    "Done",
    "Last request",
    "Open question",
)
# What is given up first when it grows too long; the oldest line of it goes first.
_LEAST_NEEDED: Final = ("Done", "Earlier", "About them", "Preferences", "Goals", "Last request")

_SECTION: Final[dict[Intent, str]] = {
    Intent.SET_GOAL: "Goals",
    Intent.REPORT_INJURY: "Injuries",
    Intent.INJURY_BETTER: "Injuries",
    Intent.RED_FLAG: "Injuries",
    Intent.SET_PREFERENCE: "Preferences",
    Intent.DELETE_PREFERENCE: "Preferences",
}
_ABOUT_ME: Final = re.compile(
    r"\b(?:i am|i'm|im|my name|call me|i live|i work|years old|i weigh|i've been)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Said:
    role: str
    """`user`, `assistant`, `action` for what a tool did, `summary` for an earlier checkpoint."""
    text: str


def summarise(
    messages: Sequence[Said], understander: Understander, now: datetime, longest: int = 1_500
) -> str:
    sections: dict[str, list[str]] = {heading: [] for heading in _HEADINGS}
    for message in messages:
        if message.role == "summary":
            sections["Earlier"] += _lines(message.text)
        elif message.role == "action":
            sections["Done"].append(_short(message.text))
        elif message.role == "user":
            for sentence in _sentences(message.text):
                heading = _heading(sentence, understander, now)
                if heading:
                    sections[heading].append(_short(sentence))
    users = [message.text for message in messages if message.role == "user"]
    if users:
        sections["Last request"] = [_short(users[-1])]
    spoken = [message for message in messages if message.role in {"user", "assistant"}]
    if spoken and spoken[-1].role == "assistant":
        questions = [each for each in _sentences(spoken[-1].text) if each.endswith("?")]
        sections["Open question"] = [_short(each) for each in questions[-1:]]
    return _bounded({name: _unique(lines) for name, lines in sections.items()}, longest)


def _heading(sentence: str, understander: Understander, now: datetime) -> str | None:
    understood = understander.understand(sentence, now)
    for intent in understood.intents:
        if intent in _SECTION:
            return _SECTION[intent]
    return "About them" if _ABOUT_ME.search(sentence) else None


def _sentences(text: str) -> list[str]:
    return [part.strip() for part in re.split(r"(?<=[.!?])\s+|\n+", text) if part.strip()]


def _lines(text: str) -> list[str]:
    return [
        _short(line.lstrip("- ").strip())
        for line in text.splitlines()
        if line.strip() and not line.endswith(":")
    ]


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _LONGEST_LINE else f"{flat[: _LONGEST_LINE - 1]}…"


def _unique(lines: Iterable[str]) -> list[str]:
    """The latest of what was said twice."""
    return list(dict.fromkeys(reversed(list(lines))))[::-1]


def _bounded(sections: dict[str, list[str]], longest: int) -> str:
    text = _written(sections)
    for heading in _LEAST_NEEDED:
        while len(text) > longest and sections[heading]:
            sections[heading].pop(0)
            text = _written(sections)
    return text if len(text) <= longest else text[: max(0, longest - 1)] + "…"[: min(1, longest)]


def _written(sections: dict[str, list[str]]) -> str:
    blocks = [
        "\n".join((f"{name}:", *(f"- {line}" for line in lines))) for name, lines in sections.items() if lines
    ]
    return "\n".join(blocks) or "Nothing was settled yet."
