"""What is said in the words of an alarm and is none. It warns, and nothing else acts on these words."""

from typing import Final

from spotter.safety.decision import CategoryName
from spotter.safety.grammar import Grammar

HARMLESS: Final = 0.2
grammar: Final = Grammar({})

RULES: Final = (
    grammar.rule(
        CategoryName.SELF_HARM, "taking care not to get hurt",
        r"(?:not|dont|without|never|avoid|scared of|afraid of)~3 (?:hurt|kill|injure|hurting|killing|injuring)"
        r" (?:myself|yourself|ourselves) (?:on|with|in|during|doing|lifting|by|when|while)",
        score=HARMLESS, negatable=False,
    ),
    grammar.rule(
        CategoryName.MEDICAL_EMERGENCY, "falling asleep",
        r"pass(?:ed|ing|es)? out (?:on|in) (?:the|my|our) (?:couch|sofa|bed|recliner|armchair|hammock)",
        score=HARMLESS, negatable=False,
    ),
)  # fmt: skip
