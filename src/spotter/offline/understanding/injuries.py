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
    "acting": {"up"},
    "acts": {"up"},
    "playing": {"up", "silly"},
    "plays": {"up"},
    "killing": {"me"},
    "giving": {"me", "us", "out", "my"},
    "flared": {"up", "again"},
    "blown": {"out"},
    "seized": {"up", "again", ""},
}
_NEEDS_IN: Final = frozenset(
    {"fire", "bits", "ribbons", "tatters", "shreds", "pieces", "knots", "agony", "spasm"}
)
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


_ABOUT: Final = re.compile(r"\blike an? (\d+)\S*(?=$| [,.!;])")


def pain_in(
    line: Line, *, told: bool = False, healed: bool = False, message: Line | None = None
) -> tuple[list[Injury], list[str]]:
    """Injuries, and muscles that are merely sore. `told`, `healed`: the clause is about an injury, or about one that
    is over, in whatever words. `message`: all that was said, for the side may be told in a second breath."""
    injuries: dict[str, Injury] = {}
    sore: list[str] = []
    trained = bool(_TRAINED.search(line.text))

    def hurt(at: int, tag: Tag, part: str, *, better: bool) -> None:
        side = _side(message or line, tag)
        severity = _severity(line)
        if severity is Severity.MODERATE and message:
            severity = _severity(_next_breath(line, message))
        injuries.setdefault(part, Injury(part, side, severity, better, line.span_of(tag)))

    for at, tag in _places(line):
        words = set(_pain_words(line, at))
        spoken = line.units[at].word
        if _is_sore(tag, spoken, words, trained):
            sore += muscles_of(tag)
        elif part := part_of(tag):
            if tag.kind is Kind.BODY and words and (words == {"tight"} or (trained and words <= SORENESS)):
                continue  # worn, not hurt
            better = _said_better(line, at)
            if words or better or _COMPLAINTS.search(spoken):
                hurt(at, tag, part, better=better)
    if told and not injuries and not sore and not line.has(Kind.CONDITION):
        for at, tag in _places(line):
            if _could_be_meant(line, tag) and (part := part_of(tag)):
                hurt(at, tag, part, better=healed)
    if healed:
        injuries = {part: replace(injury, better=True) for part, injury in injuries.items()}
    return list(_without_limbs(injuries)), list(dict.fromkeys(sore))


_BREATH: Final = 7


def _next_breath(line: Line, message: Line) -> Line:
    """The few plain words after a clause: "nothing dramatic though"."""
    following = [unit for unit in message.units if unit.first >= line.units[-1].end][:_BREATH]
    plain = []
    for unit in following:
        if unit.tag and unit.tag.kind not in {Kind.NUM, Kind.INTENSITY}:
            break
        plain.append(unit)
        if unit.word in {"so", "and", "but"} and len(plain) > 1:
            break
    return Line(message.tokens, tuple(plain))


def _places(line: Line) -> Iterator[tuple[int, Tag]]:
    """Parts of the speaker's own body."""
    for at, unit in enumerate(line.units):
        tag = unit.tag
        if tag and tag.kind in {Kind.BODY, Kind.MUSCLE, Kind.REGION} and not _anothers(line, at):
            yield at, tag


def _without_limbs(injuries: dict[str, Injury]) -> Iterator[Injury]:
    """ "Tennis elbow again, right arm": the arm only says where."""
    joints = injuries.keys() & {"elbow", "wrist", "shoulder"}
    for part, injury in injuries.items():
        if not (part == "biceps" and joints):
            yield injury


def _anothers(line: Line, at: int) -> bool:
    """ "My sister hurt her knee" is no injury of ours, and "sore from leg day" no sore leg."""
    before = [unit.word for unit in line.units[max(0, at - 2) : at]]
    if {"her", "his", "their", "someones"} & set(before):
        return True
    tag = line.units[at].tag
    return tag is not None and tag.kind is Kind.REGION and bool({"from", "after", "since"} & set(before))


_SOMETHING: Final = re.compile(
    r"\b(?:done|did|gone|went|go|something|popped|twang\w*|felt|cannot|can not|wrong|funny|off)\b"
)


def _could_be_meant(line: Line, tag: Tag) -> bool:
    """Of a joint, nobody has to say more; of a muscle, something must have happened."""
    if tag.kind is Kind.BODY or (tag.kind is Kind.MUSCLE and "|" in tag.value):
        return True
    return tag.kind is Kind.MUSCLE and bool(_SOMETHING.search(line.text))


def _pain_words(line: Line, at: int) -> Iterator[str]:
    tag = line.units[at].tag
    joint = tag is not None and (tag.kind is Kind.BODY or "|" in tag.value)
    window = _WINDOW + 2 * (tag is not None and tag.kind is Kind.BODY)
    first, end = _within(line, at)
    for other in range(max(first, at - window), min(end, at + window + 1)):
        word = line.units[other].word
        if word not in PAIN and word not in SORENESS:
            continue
        following = line.units[other + 1].word if other + 1 < len(line.units) else ""
        if word in _NEEDS_MORE and following not in _NEEDS_MORE[word]:
            continue
        if word in _NEEDS_IN and line.units[other - 1].word not in {"in", "on"}:
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


def _within(line: Line, at: int) -> tuple[int, int]:
    """ "My chest is sore, so legs today": what follows a "so" is not what hurts."""
    tag = line.units[at].tag
    breaks = _BREAKS | {","} if tag and tag.kind is Kind.REGION else _BREAKS
    ends = [place for place, unit in enumerate(line.units) if unit.tag is None and unit.word in breaks]
    first = max((place + 1 for place in ends if place < at), default=0)
    return first, min((place for place in ends if place > at and place - at > 1), default=len(line.units))


_BREAKS: Final = frozenset({"so", ".", ";", "!", "?"})
# Muscles, though a joint is named after them.
_FLESH: Final = re.compile(r"delt|forearm|adductor|abductor|thigh|rhomboid|erector|inner|outer")


def _is_sore(tag: Tag, spoken: str, words: set[str], trained: bool) -> bool:
    if not words or tag.kind is Kind.BODY:
        return False
    soft = words <= SORENESS | {"ache", "aches", "aching", "achy"}
    if tag.kind is Kind.REGION:
        return True if soft else trained
    joint = "|" in tag.value and not _FLESH.search(spoken)
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


def _side(line: Line, tag: Tag) -> Side:
    at = next(place for place, unit in enumerate(line.units) if unit.first == tag.first)
    near = [unit.word for unit in line.units[max(0, at - 3) : at]] + [
        unit.word for unit in line.units[at + 1 : at + 5]
    ]
    before = line.units[at - 1].word if at else ""
    if before in {"left", "right"}:
        return Side(before)
    if "both" in near:
        return Side.BOTH
    for word in near:
        if word in {"left", "right"} and not (word == "right" and "now" in near):
            return Side(word)
    hurt = [unit for unit in line.units if unit.tag and unit.tag.kind is Kind.BODY]
    if len(hurt) <= 1 and (match := _SIDE_LATER.search(line.text)):
        return Side(match["side"])
    return Side.BOTH


# "Rolled my ankle at footy, the left one."
_SIDE_LATER: Final = re.compile(
    r"(?:(?:\bthe|\bmy|\bon|\bit is|\bthat is|,|\.|;) )(?P<side>left|right)\b(?! now| away| after| then| so| ,)"
    r"(?=$| one| side| arm| leg| hand| foot| \.| !)"
)


def _severity(line: Line) -> Severity:
    if match := _SCALE.search(line.text) or _ABOUT.search(line.text):
        score = float(match[1]) if match[1].replace(".", "", 1).isdigit() else 5.0
        return Severity.MILD if score <= 3 else Severity.MODERATE if score <= 5 else Severity.SEVERE
    if re.search(r"\bmoderate(?:ly)?\b", line.text):
        return Severity.MODERATE
    if _CANNOT.search(line.text):
        return Severity.SEVERE
    mild = {match[0] for match in _MILD.finditer(line.text)}
    if mild and not (mild <= _STIFF and _HURTS.search(line.text)):
        return Severity.MILD
    return Severity.SEVERE if _SEVERE.search(line.text) else Severity.MODERATE


_STIFF: Final = frozenset({"stiff", "stiffness", "tight", "sensitive", "tender"})
_HURTS: Final = re.compile(r"\b(?:painful|pain|hurts?|hurting|agony|aches?|throbbing|really|very|badly)\b")


_CANNOT: Final = re.compile(
    r"\bcan (?:not|barely|hardly) (?:even )?(?:stand|get up|sit|sleep|walk|put|turn|get out|bend|straighten|lift|raise|"
    r"move|grip|hold|touch|look)\b"
)


def _said_better(line: Line, at: int) -> bool:
    tag = line.units[at].tag
    if tag is None or (
        tag.kind is Kind.MUSCLE
        and "|" not in tag.value
        and not re.search(r"pain|injur|hurt|strain|heal|recover", line.text)
    ):
        return False
    return bool(_BETTER.search(line.text)) and not _STILL.search(line.text)
