"""Tools ranked for a message as documents are for a query: BM25 over name, examples, description and parameters.

A message that shares little with every tool gets no call. What little is shared must also be told apart: two tools
that fit alike lead to a question.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

_K1: Final = 1.2
_B: Final = 0.5
_ENOUGH: Final = 0.36
"""Share of what the message is about that a tool must know."""
_APART: Final = 1.15
"""How much better than the second a tool must be."""

_SYNONYMS: Final = (
    "create make build generate add new compose produce draft",
    "delete remove cancel drop erase clear discard revoke",
    "list show get see view display fetch give look read open check",
    "find search lookup locate query",
    "update change edit modify adjust set alter rename",
    "send message notify tell write inform email mail text",
    "schedule book plan reserve appointment calendar arrange",
    "move reschedule postpone shift delay",
    "member client customer athlete user person people",
    "class lesson course session",
    "pay payment charge bill invoice",
    "report summary overview statistics stats analytics metrics",
    "log record track save note store",
    "swap replace exchange substitute switch",
    "run execute start launch begin",
    "stop end finish halt",
    "revenue income sales earnings money",
    "churn cancellation leaving lapse",
)
_GROUP: Final[dict[str, frozenset[str]]] = {}

_STOP: Final = frozenset(
    [
        "a",
        "an",
        "the",
        "and",
        "or",
        "but",
        "of",
        "to",
        "for",
        "in",
        "on",
        "at",
        "by",
        "with",
        "from",
        "as",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "it",
        "its",
        "this",
        "that",
        "these",
        "those",
        "i",
        "me",
        "my",
        "we",
        "us",
        "our",
        "you",
        "your",
        "he",
        "she",
        "they",
        "them",
        "their",
        "can",
        "could",
        "would",
        "should",
        "will",
        "shall",
        "may",
        "might",
        "do",
        "does",
        "did",
        "please",
        "just",
        "some",
        "any",
        "all",
        "so",
        "if",
        "then",
        "than",
        "there",
        "here",
        "have",
        "has",
        "had",
        "not",
        "no",
        "yes",
        "what",
        "which",
        "who",
        "when",
        "where",
        "how",
        "why",
        "about",
        "into",
        "out",
        "up",
        "down",
        "over",
        "under",
        "more",
        "most",
        "very",
        "too",
        "also",
        "want",
        "need",
        "like",
        "let",
        "lets",
        "hey",
        "hi",
        "hello",
        "thanks",
        "thank",
        "ok",
    ]
)
_WORD: Final = re.compile(r"[a-z]+|\d+")


def stem(word: str) -> str:
    """Rough, and the same for both sides."""
    for end, least in (
        ("ations", 4),
        ("ation", 4),
        ("ings", 4),
        ("ing", 3),
        ("ments", 4),
        ("ment", 4),
        ("ies", 3),
        ("ers", 4),
        ("ed", 3),
        ("es", 3),
        ("er", 4),
        ("s", 3),
        ("e", 3),
        ("y", 3),
    ):
        if word.endswith(end) and len(word) - len(end) >= least:
            return word[: -len(end)]
    return word


for _line in _SYNONYMS:
    _stems = frozenset(stem(word) for word in _line.split())
    for _each in _stems:
        _GROUP[_each] = _GROUP.get(_each, frozenset()) | _stems


def terms(text: str) -> list[str]:
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text).lower()
    return [stem(word) for word in _WORD.findall(spaced) if word not in _STOP and len(word) > 1]


@dataclass(frozen=True, slots=True)
class Offered:
    """A tool as its agent describes it."""

    name: str
    description: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ranked:
    tool: Offered
    score: float
    covered: float
    """0 to 1: how much of the message the tool speaks of."""


class Verdict(StrEnum):
    CALL = "call"
    ASK = "ask"
    """Which of these?"""
    ANSWER = "answer"
    """No tool is meant."""


@dataclass(frozen=True, slots=True)
class Choice:
    verdict: Verdict
    candidates: tuple[Ranked, ...]

    @property
    def tool(self) -> Offered | None:
        return self.candidates[0].tool if self.verdict is Verdict.CALL else None


def rank(message: str, tools: Iterable[Offered]) -> list[Ranked]:
    documents = [(tool, _document(tool)) for tool in tools]
    asked = list(dict.fromkeys(terms(message)))
    if not asked or not documents:
        return []
    average = sum(sum(words.values()) for _, words in documents) / len(documents)
    rare = {term: _rarity(term, documents) for term in asked}
    weight = sum(rare.values())
    found = [
        Ranked(tool, *_score(asked, rare, weight, words, sum(words.values()) / average))
        for tool, words in documents
    ]
    return sorted((each for each in found if each.score > 0), key=lambda each: (-each.score, each.tool.name))


def choose(message: str, tools: Iterable[Offered]) -> Choice:
    found = rank(message, tools)
    if not found or found[0].covered < _ENOUGH:
        return Choice(Verdict.ANSWER, tuple(found[:3]))
    rivals = [each for each in found if each.score * _APART > found[0].score]
    if len(rivals) > 1:
        return Choice(Verdict.ASK, tuple(rivals[:3]))
    return Choice(Verdict.CALL, tuple(found[:3]))


def _document(tool: Offered) -> Counter[str]:
    words: Counter[str] = Counter()
    for text, times in (
        (tool.name, 3),
        (" ".join(tool.examples), 2),
        (tool.description, 1),
        (" ".join(_schema_words(tool.parameters)), 1),
    ):
        for term in terms(text.replace("_", " ")):
            words[term] += times
    return words


def _schema_words(schema: Mapping[str, Any]) -> Iterable[str]:
    for name, rule in _properties(schema).items():
        yield name.replace("_", " ")
        yield str(rule.get("description", ""))
        yield " ".join(str(value).replace("_", " ") for value in rule.get("enum", ()))


def _properties(schema: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    found = schema.get("properties", {})
    return (
        {name: rule for name, rule in found.items() if isinstance(rule, Mapping)}
        if isinstance(found, Mapping)
        else {}
    )


def _rarity(term: str, documents: Sequence[tuple[Offered, Counter[str]]]) -> float:
    holding = sum(any(each in words for each in _GROUP.get(term, (term,))) for _, words in documents)
    # A word that no tool knows still counts: it is what the message is about.
    return math.log(1 + (len(documents) - holding + 0.5) / (holding + 0.5)) + 0.2


def _score(
    asked: Sequence[str], rare: Mapping[str, float], weight: float, words: Counter[str], length: float
) -> tuple[float, float]:
    score = covered = 0.0
    for term in asked:
        exact = words.get(term, 0)
        near = 0 if exact else max((words.get(each, 0) for each in _GROUP.get(term, ())), default=0)
        count = exact or near * 0.6
        if count:
            part = rare[term] * count * (_K1 + 1) / (count + _K1 * (1 - _B + _B * length))
            score += part
            covered += rare[term] * (1.0 if exact else 0.7)
    return round(score, 6), round(covered / weight, 6)
