"""What the model is shown: texts for the safety room by label, and messages for the offline model by intent."""

import hashlib
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import train_intents
import train_safety

from spotter.language.pieces import Pieces
from spotter.offline.evals import TABLES, cases
from spotter.offline.understanding.intents import Intent
from spotter.offline.understanding.text import flattened
from spotter.offline.understanding.weighing.hearing import marks_of
from spotter.safety.normalise import normalise

CATEGORIES = list(train_safety.ASKS)
INTENTS = [intent.value for intent in Intent]
FINE = train_safety.FINE
SOME = 0.15
MOST, MOST_ABOUT = 64, 120
"""Pieces that are shown of a message, and of a text that has a category: whatever makes it one may come last."""
WINDOW = 24
"""Words that `safety/` reads at first of a long text."""
JOINTS = (" and ", ", ", ". ", " then ", " ", " but ", ", also ", " plus ", ". oh and ", "! ", " btw ")
LIGHT = {"unknown", "small_talk", "yes", "no", "greeting", "help", "stop", "thanks"}
"""Said beside a wish, these are no wish."""
ALARMS = ("medical_emergency", "self_harm", "eating_disorder")
ANYWHERE = ("", "workout", "scheduled", "swapped", "explained", "more")
IGNORED = -100
SENTENCE = re.compile(r"(?<=[.!?])\s+")


@dataclass(frozen=True)
class Labelled:
    text: str
    label: str


@dataclass(frozen=True)
class Said:
    """A message in parts, each with its intent (nothing: not to be learned), and where it is said."""

    parts: tuple[tuple[str | None, str], ...]
    where: str


@dataclass(frozen=True)
class Message:
    """A whole message of which only is known what it wants, not where it says so."""

    text: str
    intents: tuple[str, ...]
    also: tuple[str, ...]
    table: str


@dataclass(frozen=True)
class Item:
    """`kind`: a text with categories, a message with an intent for each piece, or one with intents somewhere."""

    kind: str
    ids: list[int]
    wanted: list[float] | list[int]
    extra: list[float] | list[int]


def labelled() -> list[Labelled]:
    shown = [*train_safety.texts(), *train_safety.requests()]
    return [Labelled(normalise(one.original).folded, one.label) for one in shown]


def written() -> set[str]:
    """What somebody wrote whole."""
    rows = (row for path in train_safety.CORPUS.glob("*.jsonl") for row in train_safety._rows(path))
    return {normalise(row["text"]).folded for row in rows}


def said() -> list[Said]:
    found = []
    for path in sorted(train_intents.CORPUS.glob("*.txt")):
        heading, where = "", "any"
        for line in path.read_text("utf-8").splitlines():
            if line.startswith("["):
                heading, where = line.strip()[1:-1].split()
            elif line.strip() and not line.startswith("#") and path != train_intents.ASIDES:
                mixed = heading == train_intents.MIXED
                parts = tuple(train_intents._parts(line)) if mixed else ((heading, line.strip()),)
                found.append(Said(parts, where))
    return found


def asides() -> list[str]:
    lines = train_intents.ASIDES.read_text("utf-8").splitlines()
    return [line for line in lines if line and line[0] not in "[#"]


def messages() -> list[Message]:
    shown = (*cases("earlier"), *cases("tuning"), *train_intents.messages())
    return [Message(case.text, case.intents, case.also, case.table) for case in shown]


def fingerprint(*shown: Sequence[object]) -> str:
    digest = hashlib.sha256()
    for one in (each for listed in shown for each in listed):
        digest.update(repr(one).encode() + b"\n")
    return digest.hexdigest()


class Shown:
    """All of it, drawn anew for each round: with slips of the finger, asides and second wishes."""

    def __init__(self, *, mostly_written: bool = False) -> None:
        """`mostly_written`: of what was put together from alternatives, only some."""
        self.labelled = labelled()
        if mostly_written:
            ours, chance = written(), random.Random(1)
            self.labelled = [one for one in self.labelled if one.text in ours or chance.random() < SOME]
        self.said, self.messages, self.asides = said(), messages(), asides()
        self.fingerprint = fingerprint(self.labelled, self.said, self.messages, self.asides)
        self._short = [one.text for one in self.labelled if one.label == FINE and len(one.text) < 120]
        self._long = [one.text for one in self.labelled if one.label == FINE and len(one.text) > 150]
        self._by_intent: dict[str, list[tuple[str, str]]] = {}
        for one in self.said:
            if len(one.parts) == 1 and one.parts[0][0] != "unknown":
                label, text = one.parts[0]
                self._by_intent.setdefault(str(label), []).append((text, one.where))

    def texts(self) -> Iterator[str]:
        yield from (one.text for one in self.labelled)
        yield from (flattened(text) for one in self.said for _, text in one.parts)
        yield from (flattened(one) for one in self.asides)
        yield from (flattened(one.text) for one in self.messages)

    def round(self, pieces: Pieces, start: int, chance: random.Random) -> list[Item]:
        found = [self._category(one, pieces, start, chance) for one in self._beside(chance)]
        found += [self._wishes(one, pieces, start, chance) for one in self.said]
        found += [self._wishes(one, pieces, start, chance) for one in self._alarms(chance)]
        for one in self.messages:
            found += [self._message(one, pieces, start, chance) for _ in range(2)]
        return found

    def _alarms(self, chance: random.Random) -> Iterator[Said]:
        """What the safety room stops is no wish either."""
        for one in self.labelled:
            if one.label in ALARMS and chance.random() < 0.25:
                yield Said((("red_flag", one.text),), "any")

    def _beside(self, chance: random.Random) -> Iterator[Labelled]:
        """As they are; some with ordinary sentences around them; of long ordinary ones parts, of short ones some."""
        for one in self.labelled:
            if one.label == FINE and len(one.text) < 50 and chance.random() < 0.6:
                continue
            yield one
            if one.label != FINE:
                if chance.random() < 0.4:
                    yield Labelled(self._among(one.text, chance), one.label)
            elif len(one.text) > 150:
                yield Labelled(_part(one.text, chance), FINE)
                yield Labelled(_part(one.text, chance), FINE)
                yield Labelled(_window(one.text, chance), FINE)
            elif chance.random() < 0.1:
                yield Labelled(self._among(one.text, chance), FINE)

    def _among(self, text: str, chance: random.Random) -> str:
        """With what people say before and after."""
        ordinary = [chance.choice(self._short), _part(chance.choice(self._long), chance)]
        before, after = chance.choice(([0], [1], [], [0])), chance.choice(([1], [], [1], [0]))
        said = [ordinary[at] for at in before] + [text] + [ordinary[at] for at in after]
        return chance.choice((". ", ". ", " ", ", ")).join(each.rstrip(".") for each in said)

    def _category(self, one: Labelled, pieces: Pieces, start: int, chance: random.Random) -> Item:
        ids = [start, *(piece.id for piece in pieces.of(varied(one.text, chance), MOST_ABOUT))]
        if one.label == FINE:
            return Item("category", ids, [0.0] * len(CATEGORIES), [1.0] * len(CATEGORIES))
        # That a text is not of another category as well, its label does not say for certain.
        wanted = [float(name == one.label) for name in CATEGORIES]
        return Item("category", ids, wanted, [1.0 if each else 0.1 for each in wanted])

    def _wishes(self, one: Said, pieces: Pieces, start: int, chance: random.Random) -> Item:
        table = one.where
        if table == "any":
            table = chance.choices(ANYWHERE, (5, 4, 1, 0.6, 0.3, 0.3))[0]
        parts = list(one.parts)
        if len(parts) == 1 and parts[0][0] not in ("unknown", "red_flag"):
            parts = self._with_more(parts[0], one.where, chance)
        joined = [(label, text + chance.choice(JOINTS)) for label, text in parts[:-1]] + parts[-1:]
        ids = [start, *(-1 - mark for mark in marks_of(TABLES[table]))]
        wanted = [IGNORED] * len(ids)
        for label, text in joined:
            cut = pieces.of(varied(flattened(text), chance), MOST)
            ids += [piece.id for piece in cut]
            wanted += [IGNORED if label is None else INTENTS.index(label)] * len(cut)
        return Item("pieces", ids[:MOST], wanted[:MOST], [])

    def _with_more(
        self, part: tuple[str | None, str], where: str, chance: random.Random
    ) -> list[tuple[str | None, str]]:
        lot = chance.random()
        if lot < 0.2:
            parts = [(None, chance.choice(self.asides)), part]
        elif lot < 0.45:
            label = chance.choice(list(self._by_intent))
            fitting = [text for text, there in self._by_intent[label] if there in ("any", where)]
            if not fitting or label == part[0]:
                return [part]
            parts = [part, (label, chance.choice(fitting))]
            if LIGHT & {str(each) for each, _ in parts}:
                parts = [(None if each in LIGHT else each, text) for each, text in parts]
            if all(each is None for each, _ in parts):
                return [part]
        else:
            return [part]
        chance.shuffle(parts)
        return parts

    def _message(self, one: Message, pieces: Pieces, start: int, chance: random.Random) -> Item:
        ids = [start, *(-1 - mark for mark in marks_of(TABLES[one.table]))]
        before = len(ids)
        ids += [piece.id for piece in pieces.of(varied(flattened(one.text), chance), MOST)]
        wanted = [INTENTS.index(each) for each in one.intents]
        if len(wanted) == 1:
            return Item(
                "pieces", ids[:MOST], ([IGNORED] * before + wanted * len(ids))[: min(len(ids), MOST)], []
            )
        return Item("message", ids[:MOST], wanted, [INTENTS.index(each) for each in one.also])


def _part(text: str, chance: random.Random) -> str:
    """Some sentences in a row of a longer text."""
    sentences = SENTENCE.split(text)
    count = chance.randint(1, min(4, len(sentences)))
    first = chance.randint(0, len(sentences) - count)
    return " ".join(sentences[first : first + count])


def _window(text: str, chance: random.Random) -> str:
    """As it is read when something in a long text has to be looked at: cut anywhere."""
    words = text.split()
    first = chance.randint(0, max(0, len(words) - WINDOW))
    return " ".join(words[first : first + WINDOW])


def varied(text: str, chance: random.Random) -> str:
    """As thumbs write: a slip, no apostrophes, no punctuation."""
    lot = chance.random()
    if lot < 0.12:
        return train_intents.noisy(text, chance) or text
    if lot < 0.2:
        return text.replace("'", "")
    if lot < 0.3:
        return "".join(each for each in text if each not in ",.!?;:")
    return text


def developed() -> list[tuple[str, list[str]]]:
    """For watching only: the texts that choose the bars, folded, with their labels."""
    rows = [
        row
        for path in sorted((train_safety.CORPUS / "bars").glob("*.jsonl"))
        for row in train_safety._rows(path)
    ]
    return [(normalise(row["text"]).folded, [row["label"]] if row["label"] != FINE else []) for row in rows]
