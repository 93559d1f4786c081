"""What hurts, where, how much, and what no longer does. Sore muscles after training are something else."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from spotter.offline.understanding.data import words
from spotter.offline.understanding.grammar import pattern
from spotter.offline.understanding.reading import PAIN, SORENESS, Line
from spotter.offline.understanding.slots import Injury, Severity, Side
from spotter.offline.understanding.tags import Kind, Tag

_WINDOW: Final = 5
"""Words between the part and what is said of it."""

# These words alone do not make an injury of a muscle; of a joint they do.
_WEAK: Final = words("injuries.weak")
_NEEDS_MORE: Final = {
    "acting": "up",
    "acts": "up",
    "playing": "up",
    "plays": "up",
    "killing": "me",
}
# Names of a complaint: nobody has to add that it hurts.
_COMPLAINTS: Final = re.compile(
    r"sciatic|elbows?_|tennis|golfer|disc|disk|shin_splint|plantar|carpal|lumbago|meniscus|acl|whiplash|labrum"
)
_TRAINED: Final = pattern("injuries.trained")
_BETTER: Final = pattern("injuries.better")
_STILL: Final = pattern("injuries.still")

_MILD: Final = pattern("injuries.mild")
_SEVERE: Final = pattern("injuries.severe")
_SCALE: Final = re.compile(r"([\d.]+)\S* (?:_|out of|of) (?:10|ten)\b")


def pain_in(line: Line, *, told: bool = False, healed: bool = False) -> tuple[list[Injury], list[str]]:
    """Injuries, and muscles that are merely sore. `told`, `healed`: the clause is about an injury, or about one that
    is over, in whatever words."""
    injuries: dict[str, Injury] = {}
    sore: list[str] = []
    trained = bool(_TRAINED.search(line.text))
    for at, unit in enumerate(line.units):
        tag = unit.tag
        if tag is None or tag.kind not in {Kind.BODY, Kind.MUSCLE, Kind.REGION}:
            continue
        words = set(_pain_words(line, at))
        if _is_sore(tag, words, trained):
            sore += muscles_of(tag)
        elif (part := part_of(tag)) and (words or _COMPLAINTS.search(unit.word) or _said_better(line, at)):
            better = _said_better(line, at)
            if words or better or _COMPLAINTS.search(unit.word):
                injuries.setdefault(
                    part, Injury(part, _side(line, at), _severity(line), better, line.span_of(tag))
                )
    if told and not injuries and not sore:
        for at, unit in enumerate(line.units):
            if unit.tag and unit.tag.kind in {Kind.BODY, Kind.MUSCLE} and (part := part_of(unit.tag)):
                injuries.setdefault(
                    part, Injury(part, _side(line, at), _severity(line), healed, line.span_of(unit.tag))
                )
    if healed:
        injuries = {part: replace(injury, better=True) for part, injury in injuries.items()}
    return list(injuries.values()), list(dict.fromkeys(sore))


def _pain_words(line: Line, at: int) -> Iterator[str]:
    tag = line.units[at].tag
    joint = tag is not None and (tag.kind is Kind.BODY or "|" in tag.value)
    for other in range(max(0, at - _WINDOW), min(len(line.units), at + _WINDOW + 1)):
        word = line.units[other].word
        if word not in PAIN and word not in SORENESS:
            continue
        following = line.units[other + 1].word if other + 1 < len(line.units) else ""
        if word in _NEEDS_MORE and following != _NEEDS_MORE[word]:
            continue
        if word == "bad" and not (0 < at - other <= 2 or 0 < other - at <= 3):
            continue
        if (
            word in {"trouble", "issue", "issues", "problem", "problems"}
            and following in {"finding", "getting", "with"}
            and not joint
        ):
            continue
        if word == "pulled" and other > at and following not in {"again", "yesterday", "DATE", ""}:
            continue
        if word not in _WEAK or joint or word in SORENESS:
            yield word


def _is_sore(tag: Tag, words: set[str], trained: bool) -> bool:
    if not words or tag.kind is Kind.BODY:
        return False
    soft = words <= SORENESS | {"ache", "aches", "aching", "achy"}
    if tag.kind is Kind.REGION:
        return True if soft else trained
    joint = "|" in tag.value
    if "soreness" in words or (soft and trained):
        return True
    if trained and words <= SORENESS | {
        "hurt",
        "hurts",
        "hurting",
        "ache",
        "aches",
        "aching",
        "achy",
        "killing",
        "pain",
    }:
        return True
    return soft and not joint


def part_of(tag: Tag) -> str | None:
    """The joint, or the muscle where there is no joint to blame."""
    if tag.kind is Kind.BODY:
        return tag.value if tag.value != "head" else None
    if tag.kind is Kind.REGION:
        return None
    muscles, _, joint = tag.value.partition("|")
    return joint.strip() or muscles.strip().split("+")[0]


def muscles_of(tag: Tag) -> list[str]:
    if tag.kind is Kind.REGION:
        return ["quads", "hamstrings", "glutes", "calves"] if tag.value == "lower" else []
    return [] if tag.kind is Kind.BODY else tag.value.partition("|")[0].strip().split("+")


def _side(line: Line, at: int) -> Side:
    near = [unit.word for unit in line.units[max(0, at - 3) : at]] + [
        unit.word for unit in line.units[at + 1 : at + 4]
    ]
    if "both" in near:
        return Side.BOTH
    for word in near:
        if word in {"left", "right"} and not (word == "right" and "now" in near):
            return Side(word)
    return Side.BOTH


def _severity(line: Line) -> Severity:
    if match := _SCALE.search(line.text):
        score = float(match[1]) if match[1].replace(".", "", 1).isdigit() else 5.0
        return Severity.MILD if score <= 3 else Severity.MODERATE if score <= 5 else Severity.SEVERE
    if _MILD.search(line.text):
        return Severity.MILD
    return Severity.SEVERE if _SEVERE.search(line.text) else Severity.MODERATE


def _said_better(line: Line, at: int) -> bool:
    tag = line.units[at].tag
    if tag is None or (
        tag.kind is Kind.MUSCLE
        and "|" not in tag.value
        and not re.search(r"pain|injur|hurt|strain|heal|recover", line.text)
    ):
        return False
    return bool(_BETTER.search(line.text)) and not _STILL.search(line.text)
