"""The health questions before anybody trains: seven topics in our own words, and what the answers come to. Pure.

An answer is `no`, `yes`, or `cleared`: yes, and a doctor who knows of it has said that exercise is fine. Trouble with a
joint stops nobody; it is planned around.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal, TypeAlias

from spotter.training.athlete import Clearance

VERSION: Final = 1
Answer: TypeAlias = Literal["no", "yes", "cleared"]


class Topic(StrEnum):
    HEART = "heart"
    CHEST_PAIN = "chest_pain"
    FAINTING = "fainting"
    CONDITION = "condition"
    MEDICINE = "medicine"
    JOINTS = "joints"
    SUPERVISED = "supervised"


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    named: str
    """In the middle of a sentence: «… high blood pressure»."""


QUESTIONS: Final[Mapping[Topic, Question]] = {
    Topic.HEART: Question(
        "Has a doctor ever found a heart problem or high blood pressure?",
        "a heart problem or high blood pressure",
    ),
    Topic.CHEST_PAIN: Question(
        "Do you get pain or pressure in your chest, at rest or when you move?", "pain in the chest"
    ),
    Topic.FAINTING: Question(
        "In the last year, have you fainted, or been so dizzy that you lost your balance?",
        "fainting or dizziness",
    ),
    Topic.CONDITION: Question(
        "Do you live with another long-term illness, such as diabetes, asthma or epilepsy?",
        "a long-term illness",
    ),
    Topic.MEDICINE: Question(
        "Do you take prescribed medicine for something long-term?", "long-term medicine"
    ),
    Topic.JOINTS: Question(
        "Is there a bone, joint or muscle that hurts now, or that exercise could make worse?",
        "a bone, joint or muscle problem",
    ),
    Topic.SUPERVISED: Question(
        "Has a doctor told you to exercise only with medical supervision?", "exercise only under supervision"
    ),
}
_PLANNED_AROUND: Final = frozenset({Topic.JOINTS})


@dataclass(frozen=True, slots=True)
class Verdict:
    clearance: Clearance
    ask_a_doctor: tuple[Topic, ...] = ()
    """What somebody has to be asked about before we train."""
    after_red_flag: bool = False
    """Something alarming was said since; nobody has looked at it yet."""


def judge(
    answers: Mapping[Topic, Answer], *, red_flag: bool = False, seen_by_doctor: bool = False
) -> Verdict:
    """Unanswered topics leave it open. After a red flag only a doctor's word counts."""
    if any(topic not in answers for topic in Topic):
        return Verdict(Clearance.UNKNOWN)
    worrying = tuple(topic for topic in Topic if answers[topic] == "yes" and topic not in _PLANNED_AROUND)
    unseen = red_flag and not seen_by_doctor
    if worrying or unseen:
        return Verdict(Clearance.SEE_CLINICIAN, worrying, unseen)
    return Verdict(Clearance.CLEARED)


def told_back(answers: Mapping[Topic, Answer], *, seen_by_doctor: bool = False) -> str:
    """What was understood, in words the person can check."""
    parts = []
    if yes := _named(answers, "yes"):
        parts.append(f"yes to {_joined(yes)}")
    if cleared := _named(answers, "cleared"):
        parts.append(f"{_joined(cleared)}, with your doctor's go-ahead")
    if no := _named(answers, "no"):
        parts.append("no to all seven" if len(no) == len(Topic) else f"no to {_joined(no, 'or')}")
    seen = " A doctor has looked at what happened and says you may train." if seen_by_doctor else ""
    return f"{'; '.join(parts)}.{seen}"


def see_a_doctor(verdict: Verdict) -> str:
    """Kindly, and with a way forward."""
    if verdict.after_red_flag and not verdict.ask_a_doctor:
        about = "what you told me"
    else:
        about = _joined([QUESTIONS[topic].named for topic in verdict.ask_a_doctor])
    return (
        f"Thank you for being open about it. Because of {about}, please talk to a doctor before we train: most people "
        "get a yes, often with a tip or two, and I would rather wait a few days than guess with your health. Tell me "
        "once you have their go-ahead and we pick up right here. A relaxed walk is fine if you feel well; if anything "
        "gets worse, get help straight away."
    )


def _named(answers: Mapping[Topic, Answer], which: Answer) -> list[str]:
    return [QUESTIONS[topic].named for topic in Topic if answers.get(topic) == which]


def _joined(parts: Iterable[str], last: str = "and") -> str:
    found = list(parts)
    return f"{', '.join(found[:-1])} {last} {found[-1]}" if len(found) > 1 else "".join(found)


_AGREEING: Final = frozenset(
    [
        "yes",
        "yep",
        "yeah",
        "yup",
        "aye",
        "correct",
        "right",
        "exactly",
        "agree",
        "agreed",
        "confirm",
        "confirmed",
        "sure",
        "ok",
        "okay",
        "absolutely",
    ]
)
_BESIDE: Final = frozenset(
    [
        "that",
        "thats",
        "is",
        "its",
        "it's",
        "that's",
        "all",
        "i",
        "please",
        "thanks",
        "thank",
        "you",
        "good",
        "fine",
        "save",
        "keep",
        "it",
        "do",
        "go",
        "ahead",
        "sounds",
        "looks",
        "great",
        "perfect",
        "true",
        "so",
        "and",
        "my",
        "me",
        "to",
        "the",
        "of",
        "course",
        "no",
        "changes",
        "cool",
        "got",
        "everything",
        "answers",
        "them",
        "with",
        "yes",
    ]
)


def is_plain_yes(text: str) -> bool:
    """Whether somebody agrees, and says nothing else. In doubt they did not: agreement to keep health data, and to
    train on it, is never guessed."""
    words = re.findall(r"[a-z']+", text.lower().replace("\u2019", "'"))
    if re.search(r"\d", text) or not words or len(words) > 12:
        return False
    agreed = any(word in _AGREEING for word in words)
    return agreed and words[0] != "no" and all(word in _AGREEING or word in _BESIDE for word in words)
