"""What an organisation has written down about itself, and what of it answers a question. Pure: nothing is made up."""

import re
from collections.abc import Iterable, Mapping
from typing import Final

_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_STEM: Final = 5
"""Letters that must be alike: «opening» and «open» are not told apart, «class» and «closed» are."""
_EMPTY: Final = frozenset(
    re.findall(
        r"\w+",
        "the and for are you your what when where how which who does can could have has with this that there they"
        " about tell know please want need much many get got our from any some",
    )
)
_ALIKE: Final = (
    "hours open opens opening close closes closing today tomorrow sunday monday saturday weekend holiday",
    "price prices cost costs fee fees membership expensive cheap pay trial contract",
    "address location place parking park find",
    "contact phone email call reach number",
    "class classes course courses timetable schedule",
    "rule rules allowed bring towel guest shoes age",
    "cancel cancellation notice pause freeze leave",
)


def _stems(text: str) -> set[str]:
    return {word[:_STEM] for word in _WORD.findall(text.lower()) if word not in _EMPTY}


_GROUPS: Final = tuple(frozenset(_stems(words)) for words in _ALIKE)


def _meant(stems: Iterable[str]) -> set[str]:
    """With the words that mean the same to somebody who asks."""
    found = set(stems)
    for group in _GROUPS:
        if group & found:
            found |= group
    return found


def relevant(facts: Mapping[str, str], question: str) -> dict[str, str]:
    """Those whose topic is asked for; where none is, those whose text has the very words."""
    asked = _stems(question)
    by_topic = {topic: text for topic, text in facts.items() if _stems(topic) & _meant(asked)}
    return by_topic or {topic: text for topic, text in facts.items() if _stems(text) & asked}


def told(facts: Mapping[str, str], question: str) -> str:
    """The answer as it is written down, or that it is not."""
    found = relevant(facts, question)
    if found:
        return "\n".join(f"{topic}: {text}" for topic, text in found.items())
    if not facts:
        return "The gym has not written anything down for me yet, so I cannot tell you. The team can."
    return (
        "That is not written down for me, so I do not guess; the team can tell you. "
        f"I know about: {', '.join(facts)}."
    )
