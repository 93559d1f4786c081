"""Makes the weights by which the offline model tells intents apart, from the texts in `training_data/intents`.

    .venv/bin/python scripts/train_intents.py            writes the weights: two minutes, the same bytes every time
    .venv/bin/python scripts/train_intents.py --check 5  how well it does on texts it was not shown, in five parts

Multinomial logistic regression by gradient descent; plain Python, so that nothing has to be installed.
"""

import argparse
import hashlib
import json
import math
import random
import zlib
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from operator import add
from pathlib import Path
from typing import Final

from spotter.offline.evals import TABLES, Case, cases
from spotter.offline.understanding.clauses import without_fillers
from spotter.offline.understanding.data import section
from spotter.offline.understanding.deciding import hints
from spotter.offline.understanding.names import BASIC_NAMES
from spotter.offline.understanding.reading import Line, Vocabulary, read
from spotter.offline.understanding.tags import Kind
from spotter.offline.understanding.text import tokens_of
from spotter.offline.understanding.weighing.cutting import contrasts, joined, pieces_of
from spotter.offline.understanding.weighing.features import features_of
from spotter.offline.understanding.weighing.model import MIXED, WEIGHTS, ZERO, Model

ROOT: Final = Path(__file__).resolve().parent.parent
CORPUS: Final = ROOT / "training_data" / "intents"
CODE: Final = ROOT / "src" / "spotter" / "offline" / "understanding"
ROUNDS: Final = 14
RATE: Final = 0.12
SHRINK: Final = 0.00002
LEAST: Final = 2
SCALE: Final = 32.0
SURE: Final = 0.004
PAIRS: Final = 5000
ASIDES: Final = CORPUS / "asides.txt"
ASIDE: Final = 0.2
"""How many of the texts are shown with an aside as well."""
NOT_LEARNED: Final = frozenset({"red_flag", "other_language", "choose"})
"""Found by rules before anything is weighed."""
FOCUS: Final = (
    *(Kind.REGION, Kind.MUSCLE, Kind.SPLIT, Kind.PATTERN, Kind.EQUIP, Kind.GOAL, Kind.EXERCISE),
    *(Kind.PLACE, Kind.INTENSITY, Kind.KIT, Kind.BODY, Kind.LEVEL),
)


@dataclass(frozen=True)
class Text:
    text: str
    label: str
    table: str
    weight: float = 1.0
    tuned: bool = False
    """The rules were written by it, so what they say of it proves nothing."""


@dataclass(frozen=True)
class Example:
    features: list[int]
    label: int
    weight: float


def texts() -> list[Text]:
    found: list[Text] = []
    for path in sorted(CORPUS.glob("*.txt")):
        heading, where = "", "any"
        for line in path.read_text("utf-8").splitlines():
            if line.startswith("["):
                heading, where = line.strip()[1:-1].split()
            elif line.strip() and not line.startswith("#"):
                parts = list(_parts(line)) if heading == MIXED else [(heading, line.strip())]
                found += [each for label, text in parts for each in _at_tables(text, label, where)]
                if len(parts) > 1:
                    whole = " ".join(text for _, text in parts)
                    found += _at_tables(whole, MIXED, where)
    for case in (*cases("earlier"), *cases("tuning"), *messages()):
        if len(case.intents) == 1 and not set(case.intents) & NOT_LEARNED:
            found.append(Text(case.text, case.intents[0], case.table, tuned=not case.round))
    return found


def messages() -> Iterator[Case]:
    """Whole messages of which only the intents are told."""
    for path in sorted(CORPUS.glob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            row = json.loads(line)
            yield Case(row["text"], tuple(row["intents"]), {}, row["table"], tuple(row["also"]), round=1)


def _parts(line: str) -> Iterator[tuple[str, str]]:
    for part in line.split("//"):
        label, _, text = part.partition(":")
        yield label.strip(), text.strip()


def _at_tables(text: str, label: str, where: str) -> list[Text]:
    if where != "any":
        return [Text(text, label, where)]
    return [Text(text, label, ""), Text(text, label, "workout", 0.7), Text(text, label, "scheduled", 0.3)]


def words_in(shown: Sequence[Text]) -> tuple[list[str], list[str]]:
    """The words that occur more than once, and those that are frequent enough to guess at."""
    seen = {text.text for text in shown}
    times = Counter(token.word for text in sorted(seen) for token in tokens_of(text) if token.is_word)
    for word in misspelt():
        times.pop(word, None)
    return sorted(word for word, count in times.items() if count >= LEAST), sorted(
        word for word, count in times.items() if count >= 5 and len(word) >= 5
    )


def misspelt() -> list[str]:
    return [word for line in section("ordinary", "misspelt") for word in line.split()]


def other_english(known: Sequence[str]) -> list[str]:
    """Words that people write and that are therefore no misspelt ones of ours: from the texts for the safety room."""
    times: Counter[str] = Counter()
    for path in sorted(CORPUS.parent.glob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            times.update({token.word for token in tokens_of(json.loads(line)["text"]) if token.is_word})
    have = set(known)
    return sorted(
        word
        for word, count in times.items()
        if count >= 3 and len(word) >= 4 and word.isascii() and word not in have
    )


def noisy(text: str, chance: random.Random) -> str | None:
    """With a slip of the finger in one word."""
    words = text.split()
    long = [at for at, word in enumerate(words) if len(word) >= 5 and word.isalpha()]
    if not long:
        return None
    at = chance.choice(long)
    word, place = words[at], chance.randrange(1, len(words[at]) - 1)
    match chance.randrange(3):
        case 0:
            word = word[:place] + word[place + 1] + word[place] + word[place + 2 :]
        case 1:
            word = word[:place] + word[place + 1 :]
        case _:
            word = word[:place] + word[place] + word[place:]
    return " ".join([*words[:at], word, *words[at + 1 :]])


def augmented(shown: Sequence[Text]) -> list[Text]:
    chance = random.Random(5)
    found = list(shown)
    for one in shown:
        if one.weight == 1.0 and chance.random() < 0.4 and (slip := noisy(one.text, chance)):
            found.append(Text(slip, one.label, one.table, 0.5, one.tuned))
    found += _beside(shown, random.Random(7))
    by_label: dict[str, list[Text]] = {}
    for one in shown:
        if one.label not in {"unknown", MIXED, "small_talk", "yes", "no", "greeting", "help", "stop"}:
            by_label.setdefault(one.label, []).append(one)
    labels = sorted(by_label)
    for _ in range(PAIRS):
        one, two = (chance.choice(by_label[chance.choice(labels)]) for _ in range(2))
        if one.label != two.label and one.table == two.table:
            joint = chance.choice((" and ", ", ", ". ", " then ", " ", " but ", ", also "))
            found.append(Text(one.text + joint + two.text, MIXED, one.table, 0.8))
    return found


def _beside(shown: Sequence[Text], chance: random.Random) -> Iterator[Text]:
    """A wish with an aside before or after it is still that wish."""
    asides = [line for line in ASIDES.read_text("utf-8").splitlines() if line and line[0] not in "[#"]
    for one in shown:
        if one.weight == 1.0 and one.label not in {"unknown", MIXED} and chance.random() < ASIDE:
            said = [chance.choice(asides), one.text]
            if chance.random() < 0.3:
                said.reverse()
            yield Text(
                chance.choice((", ", ". ", " ", " so ")).join(said), one.label, one.table, 0.4, one.tuned
            )


def _seen(line: Line, one: Text, known: Container[str]) -> list[str]:
    table = TABLES[one.table]
    found = features_of(without_fillers(line), table, known)
    if one.tuned:
        return found
    pieces = pieces_of(line)
    if len(pieces) > 1:
        found += contrasts([hints(without_fillers(joined(line, [piece])), table) for piece in pieces])
    return found + hints(without_fillers(line), table)


def train(shown: Sequence[Text], fingerprint_: str) -> bytes:
    words, frequent = words_in(shown)
    others = other_english(words)
    vocabulary = Vocabulary(BASIC_NAMES, (*words, *others), frequent)
    known = frozenset(words)
    rows: list[tuple[list[str], str, float]] = []
    for one in augmented(shown):
        line = read(one.text, vocabulary)
        if one.label == "create_workout" and one.table == "workout" and _only_length(line):
            continue
        rows.append((_seen(line, one, known), one.label, one.weight))
    count = Counter(feature for features, _, _ in rows for feature in features)
    names = sorted(name for name, times in count.items() if times >= LEAST)
    classes = sorted({label for _, label, _ in rows})
    index, places = {name: at for at, name in enumerate(names)}, {name: at for at, name in enumerate(classes)}
    examples = [
        Example([index[one] for one in features if one in index], places[label], weight)
        for features, label, weight in rows
    ]
    bias, weights = _descended(examples, len(names), len(classes))
    return _file(names, classes, bias, weights, (words, frequent, others), fingerprint_)


def _only_length(line: Line) -> bool:
    """ "20 minutes", said over a workout, is a new length for it."""
    return line.has(Kind.DUR, Kind.NUM) and not line.has(*FOCUS)


def _descended(
    examples: Sequence[Example], features: int, classes: int
) -> tuple[list[float], list[list[float]]]:
    weights = [[0.0] * classes for _ in range(features)]
    bias = [0.0] * classes
    order = list(range(len(examples)))
    chance = random.Random(11)
    for done in range(ROUNDS):
        chance.shuffle(order)
        rate = RATE / (1 + 0.35 * done)
        for at in order:
            one = examples[at]
            logits = list(bias)
            for feature in one.features:
                logits = list(map(add, logits, weights[feature]))
            highest = max(logits)
            raised = [math.exp(each - highest) for each in logits]
            whole = sum(raised)
            steps = [
                (place, ((place == one.label) - each / whole) * rate * one.weight)
                for place, each in enumerate(raised)
                if place == one.label or each / whole > SURE
            ]
            steps = [(place, step) for place, step in steps if abs(step) > rate * SURE]
            for place, step in steps:
                bias[place] += step * 0.1
            for feature in one.features:
                row = weights[feature]
                for place, step in steps:
                    row[place] += step
        shrink = 1 - SHRINK * len(order) * rate
        weights = [[each * shrink for each in row] for row in weights]
    return bias, weights


def _file(
    names: Sequence[str],
    classes: Sequence[str],
    bias: Sequence[float],
    weights: Sequence[Sequence[float]],
    words: tuple[Sequence[str], Sequence[str], Sequence[str]],
    fingerprint_: str,
) -> bytes:
    kept, rows = [], bytearray()
    for name, row in zip(names, weights, strict=True):
        whole = [max(-ZERO, min(ZERO - 1, round(each * SCALE))) for each in row]
        if any(whole):
            kept.append(name)
            rows += bytes(value + ZERO for value in whole)
    head = {
        "corpus": fingerprint_,
        "classes": list(classes),
        "bias": [round(each, 4) for each in bias],
        "scale": SCALE,
        "words": list(words[0]),
        "frequent": list(words[1]),
        "others": list(words[2]),
    }
    body = "\n".join(kept).encode() + b"\n\n" + bytes(rows)
    return json.dumps(head).encode() + b"\n" + zlib.compress(body, 9)


def read_by() -> list[Path]:
    """All that turns a text into features: the words and rules, and the code that reads them."""
    aside = {
        "coach.txt",
        "dangers.txt",
        "danger_words.txt",
        "hearing.py",
        "dangers.py",
        "filling.py",
        "injuries.py",
        "kit.py",
        "wishes.py",
        "setlogs.py",
        "lengths.py",
        "moving.py",
    }
    aside |= {
        "understanding.py",
        "answers.py",
        "pointing.py",
        "language.py",
        "slots.py",
        "model.py",
        "__init__.py",
    }
    found = [*CODE.glob("data/*.txt"), *CODE.glob("*.py"), *CODE.glob("weighing/*.py")]
    return sorted(path for path in found if path.name not in aside)


def fingerprint(shown: Sequence[Text]) -> str:
    """Of the texts, and of what decides which features they have."""
    digest = hashlib.sha256()
    for one in shown:
        digest.update(json.dumps([one.text, one.label, one.table]).encode() + b"\n")
    for path in read_by():
        digest.update(path.name.encode() + b"\n" + path.read_bytes())
    digest.update(json.dumps([ROUNDS, RATE, SHRINK, LEAST, SCALE, PAIRS, ASIDE]).encode())
    return digest.hexdigest()


def check(shown: Sequence[Text], parts: int, most: int) -> None:
    """Texts are kept together with their copies at other tables."""
    chance = random.Random(3)
    part_of = {text: chance.randrange(parts) for text in dict.fromkeys(one.text for one in shown)}
    right: Counter[str] = Counter()
    every: Counter[str] = Counter()
    for part in range(min(parts, most)):
        model = Model(train([one for one in shown if part_of[one.text] != part], ""))
        vocabulary = Vocabulary(BASIC_NAMES, (*model.words, *model.others), model.frequent)
        for one in shown:
            if part_of[one.text] == part and one.weight > 0.5:
                line = read(one.text, vocabulary)
                if one.label == "create_workout" and one.table == "workout" and _only_length(line):
                    continue
                best, sure = model.scores(_seen(line, one, model.words)).ranked()[0]
                every[one.label] += 1
                right[one.label] += best == one.label
                if best != one.label:
                    print(f"  {sure:.2f} {best:18} not {one.label:18} {one.table:9} {one.text}")
    for label in sorted(every):
        print(f"{label:20} {right[label]:4}/{every[label]:<4} {right[label] / every[label]:.0%}")
    print(f"all {right.total() / every.total():.1%}")


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    asked.add_argument("--check", type=int, default=0, metavar="PARTS")
    asked.add_argument("--most", type=int, default=99, help="only so many of the parts")
    given = asked.parse_args()
    shown = texts()
    if given.check:
        check(shown, given.check, given.most)
        return
    made = train(shown, fingerprint(shown))
    WEIGHTS.write_bytes(made)
    print(f"{WEIGHTS.relative_to(ROOT)}: {len(made)} bytes from {len(shown)} texts")


if __name__ == "__main__":
    main()
