"""Answers to the health questions in people's own words. What was not clear is asked again, never assumed."""

import re
from typing import Final

from spotter.offline.coaching.phrases import only, phrase, says
from spotter.training.screening import Answer, Topic

_NO: Final = re.compile(r"\b(?:no|nope|none|nothing|nah|never)\b")
_NUMBERED: Final = re.compile(r"\b([1-7])\s*[.):=-]?\s*(yes|no|y|n)\b")
_YES_TO: Final = re.compile(r"\byes (?:to |for )?(?:number |question |#)?([1-7](?:(?:,| and|,? &)? ?[1-7])*)")
_CLAUSES: Final = re.compile(r"[,;.!?\n]|\bbut\b|\bthough\b|\bhowever\b|\bexcept\b|\band i\b|\bapart from\b")


def plain(text: str) -> str:
    return text.lower().replace("\u2019", "'").strip()


def is_bare_yes(said: str) -> bool:
    return only("health.bare_yes").fullmatch(said) is not None


def cleared_in(said: str) -> bool:
    return says("health.cleared", said) and not says("health.not_cleared", said)


def answers_in(said: str) -> dict[Topic, Answer]:
    """What was answered to all seven at once. Nothing where it does not sound like an answer. Topics that were not
    spoken of count as no, where others were: everything is read back before it counts."""
    said = plain(said)
    if not said or is_bare_yes(said):
        return {}
    found = mentioned(said)
    if not found and not _says_no(said):
        return {}
    cleared = cleared_in(said)
    answers: dict[Topic, Answer] = dict.fromkeys(Topic, "no")
    for topic, yes in found.items():
        answers[topic] = answer(topic, yes, cleared=cleared)
    return answers


def answer(topic: Topic, yes: bool, *, cleared: bool) -> Answer:
    """A joint is planned around: nobody has to clear it."""
    if not yes:
        return "no"
    return "cleared" if cleared and topic is not Topic.JOINTS else "yes"


def mentioned(said: str) -> dict[Topic, bool]:
    """Only what was spoken of."""
    return _by_number(plain(said)) or _by_topic(plain(said))


def _says_no(said: str) -> bool:
    if says("health.all_no", said):
        return True
    return only("health.no_words").fullmatch(said) is not None and _NO.search(said) is not None


def _by_number(said: str) -> dict[Topic, bool]:
    topics = list(Topic)
    found = {topics[int(number) - 1]: given.startswith("y") for number, given in _NUMBERED.findall(said)}
    if listed := _YES_TO.search(said):
        found |= {topics[int(number) - 1]: True for number in re.findall(r"[1-7]", listed[1])}
    return found


def _by_topic(said: str) -> dict[Topic, bool]:
    found: dict[Topic, bool] = {}
    for clause in filter(None, map(str.strip, _CLAUSES.split(said))):
        for topic in Topic:
            match = phrase(f"health.{topic.value}").search(clause)
            if match is not None:
                before = clause[: match.start()]
                yes = not says("health.not", before) or says("health.only", before)
                found[topic] = yes or found.get(topic, False)
    return found
