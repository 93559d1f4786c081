"""Arguments for a tool out of the words of a message, as far as its schema says what to look for. Nothing is made up:
what is required and was not said is reported, so that one question can be asked."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, Final

from spotter.offline.choosing.ranking import Offered, stem
from spotter.offline.understanding.dates import when_of
from spotter.offline.understanding.names import NameList
from spotter.offline.understanding.reading import Line, Vocabulary, read
from spotter.offline.understanding.tags import Kind, Tag

_QUOTED: Final = re.compile(r"[\"“”]([^\"“”]{1,400})[\"“”]|(?<!\w)'([^']{1,400})'(?!\w)")
_EMAIL: Final = re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]*\w")
_URL: Final = re.compile(r"https?://\S+")
_ID: Final = re.compile(
    r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b[a-z]{1,12}[-_][0-9a-z]*\d[0-9a-z]*\b|#\w+",
    re.IGNORECASE,
)
_WHOLE: Final = frozenset({"query", "question", "message", "text", "content", "prompt", "request", "body"})
_DEEPEST: Final = 3


@dataclass(frozen=True, slots=True)
class Filled:
    arguments: Mapping[str, Any]
    missing: tuple[str, ...]
    """Required, and not said."""


@dataclass(frozen=True, slots=True)
class _Said:
    text: str
    line: Line
    now: datetime


@cache
def _vocabulary() -> Vocabulary:
    return Vocabulary(NameList(()))


def fill_arguments(tool: Offered, message: str, now: datetime) -> Filled:
    said = _Said(message, read(message, _vocabulary()), now)
    return _object(tool.parameters, said, 0)


def question_for(tool: Offered, missing: Sequence[str]) -> str:
    """One question for what is missing, in the tool's own words."""
    properties = tool.parameters.get("properties", {})
    wanted = []
    for name in missing:
        rule = properties.get(name, {}) if isinstance(properties, Mapping) else {}
        about = str(rule.get("description", "")).rstrip(".") or name.replace("_", " ")
        options = rule.get("enum")
        wanted.append(f"{about} ({', '.join(map(str, options))})" if options else about)
    return f"To do that I need to know: {'; '.join(wanted)}?"


def _object(schema: Mapping[str, Any], said: _Said, depth: int) -> Filled:
    properties = schema.get("properties", {})
    required = [str(name) for name in schema.get("required", ())]
    found: dict[str, Any] = {}
    if isinstance(properties, Mapping) and depth < _DEEPEST:
        numbers = sum(
            _type(rule) in {"number", "integer"} for rule in properties.values() if isinstance(rule, Mapping)
        )
        for name, rule in properties.items():
            if isinstance(rule, Mapping):
                value = _value(str(name), rule, said, depth, lonely=numbers == 1)
                if value is not None:
                    found[str(name)] = value
    return Filled(found, tuple(name for name in required if name not in found))


def _type(rule: Mapping[str, Any]) -> str:
    kind = rule.get("type", "string")
    return str(kind[0] if isinstance(kind, list) and kind else kind)


def _value(name: str, rule: Mapping[str, Any], said: _Said, depth: int, *, lonely: bool) -> Any:
    if "const" in rule:
        return rule["const"]
    if isinstance(rule.get("enum"), list):
        return next(iter(_named(rule["enum"], said)), None)
    kind = _type(rule)
    if kind == "object":
        inner = _object(rule, said, depth + 1)
        return dict(inner.arguments) if inner.arguments and not inner.missing else None
    if kind in {"number", "integer"}:
        return _number(name, rule, said, lonely=lonely)
    if kind == "array":
        return _array(rule, said)
    return _truth(name, said) if kind == "boolean" else _string(name, rule, said)


def _named(options: Sequence[Any], said: _Said) -> list[Any]:
    words = {stem(word) for word in re.findall(r"[a-z0-9]+", said.text.lower())}
    scored = []
    for option in options:
        parts = {stem(word) for word in re.findall(r"[a-z0-9]+", str(option).lower())}
        if parts and parts <= words:
            scored.append((len(parts), option))
    return [option for _, option in sorted(scored, key=lambda each: -each[0])]


_AMOUNT_OF: Final[tuple[tuple[re.Pattern[str], Kind, Callable[[Tag], float]], ...]] = (
    (re.compile(r"hours?"), Kind.DUR, lambda tag: tag.amount / 3600),
    (re.compile(r"sec|rest|hold"), Kind.DUR, lambda tag: tag.amount),
    (re.compile(r"min|duration|length|time"), Kind.DUR, lambda tag: tag.amount / 60),
    (re.compile(r"weight|kg|load"), Kind.WEIGHT, lambda tag: tag.amount),
    (re.compile(r"dist|met(?:re|er)s?|km"), Kind.DIST, lambda tag: tag.amount),
    (re.compile(r"rpe|effort"), Kind.RPE, lambda tag: tag.amount),
    (re.compile(r"rep"), Kind.REPS, lambda tag: tag.amount),
    (re.compile(r"rep"), Kind.SETS, lambda tag: tag.amount),
    (re.compile(r"set|round"), Kind.NSETS, lambda tag: tag.amount),
    (re.compile(r"set|round"), Kind.SETS, lambda tag: float(tag.sets)),
    (re.compile(r"percent|share|discount"), Kind.PERCENT, lambda tag: tag.amount),
)


def _number(name: str, rule: Mapping[str, Any], said: _Said, *, lonely: bool) -> float | int | None:
    lowered = name.lower()
    value = next(
        (
            count(tag)
            for pattern, kind, count in _AMOUNT_OF
            if pattern.search(lowered)
            for tag in said.line.tags(kind)
        ),
        None,
    )
    if value is None:
        value = _number_beside(lowered, said)
    bare = said.line.tags(Kind.NUM)
    if value is None and lonely and len(bare) == 1:
        value = bare[0].amount
    if value is None:
        return None
    low, high = rule.get("minimum"), rule.get("maximum")
    if (isinstance(low, int | float) and value < low) or (isinstance(high, int | float) and value > high):
        return None
    return round(value) if _type(rule) == "integer" else value


def _number_beside(name: str, said: _Said) -> float | None:
    """ "limit 5", "5 people": the number next to a word of the parameter's name."""
    words = {stem(word) for word in name.split("_")}
    units = said.line.units
    for at, unit in enumerate(units):
        if unit.tag is None and stem(unit.word) in words:
            for near in (at + 1, at - 1, at + 2):
                tag = units[near].tag if 0 <= near < len(units) else None
                if tag and tag.kind is Kind.NUM:
                    return tag.amount
    return None


def _truth(name: str, said: _Said) -> bool | None:
    words = [stem(word) for word in re.findall(r"[a-z']+", said.text.lower())]
    for part in name.split("_"):
        if stem(part) in words and len(part) > 2:
            before = words[max(0, words.index(stem(part)) - 3) : words.index(stem(part))]
            return not {"no", "not", "without", "don't", "never"} & set(before)
    return None


def _array(rule: Mapping[str, Any], said: _Said) -> list[Any] | None:
    items = rule.get("items")
    if isinstance(items, Mapping) and isinstance(items.get("enum"), list):
        return _named(items["enum"], said) or None
    if isinstance(items, Mapping) and _type(items) == "string":
        return _quotes(said.text) or None
    return None


def _quotes(text: str) -> list[str]:
    return [match[1] or match[2] for match in _QUOTED.finditer(text)]


_MOMENT: Final = re.compile(r"(?:^|_)(?:date|day|when|time|at|start|end|until)(?:$|_)")


def _string(name: str, rule: Mapping[str, Any], said: _Said) -> str | None:
    lowered, form = name.lower(), str(rule.get("format", ""))
    if form in {"date", "date-time", "time"} or _MOMENT.search(lowered):
        return _moment(form, said)
    for shape, asked in (
        (_EMAIL, form == "email" or "email" in lowered),
        (_URL, form in {"uri", "url"} or "url" in lowered),
        (_ID, lowered == "id" or lowered.endswith("_id")),
    ):
        if asked:
            return _first(shape, said.text)
    if quoted := _quotes(said.text):
        return quoted[0]
    return (said.text.strip() or None) if lowered in _WHOLE else _after_its_name(lowered, said.text)


def _first(pattern: re.Pattern[str], text: str) -> str | None:
    match = pattern.search(text)
    return match[0].lstrip("#") if match else None


def _moment(form: str, said: _Said) -> str | None:
    when = when_of(said.line.tags(Kind.DATE), said.now, said.line.tokens)
    if when is None:
        return None
    if form == "time":
        return when.clock.isoformat() if when.clock else None
    moment = when.at(said.now)
    if moment is None:
        return None
    return moment.date().isoformat() if form == "date" or when.clock is None else moment.isoformat()


def _after_its_name(name: str, text: str) -> str | None:
    """ "the title is Spring Sale", "reason: ill", "a member called Ana"."""
    word = name.rsplit("_", 1)[-1]
    match = re.search(
        rf"\b{re.escape(word)}\s*(?::|=|\bis\b|\bto\b)\s*([^,.;!?\n]{{1,200}})", text, re.IGNORECASE
    )
    if match is None and word in {"name", "title"}:
        match = re.search(r"\b(?:called|named|titled)\s+([^,.;!?\n]{1,200})", text, re.IGNORECASE)
    return match[1].strip() if match else None
