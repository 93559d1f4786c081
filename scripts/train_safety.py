"""Makes the weights of the safety classifier from the texts in `training_data` and our own labelled ones.

    .venv/bin/python scripts/train_safety.py            writes the weights: a minute, the same bytes every time
    .venv/bin/python scripts/train_safety.py --check 5  says how well it does on texts it was not shown, in five parts

Support vector machines, one per label, by dual coordinate descent; plain Python, so that nothing has to be installed.
"""

import argparse
import hashlib
import json
import random
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from spotter.safety.classifier.features import MARKS, context_features, share_of, word_features
from spotter.safety.classifier.model import WEIGHTS, ZERO, Model
from spotter.safety.classifier.stretches import stretches
from spotter.safety.findings import SURE
from spotter.safety.normalise import normalise
from spotter.safety.pipeline import PEOPLE
from spotter.safety.rules.gym_language import without_gym_language
from spotter.safety.words import words_of

ROOT: Final = Path(__file__).resolve().parent.parent
CORPUS: Final = ROOT / "training_data"
LABELLED: Final = ROOT / "tests" / "safety" / "labelled"
FAMILIES: Final = CORPUS / "families"
REQUESTS: Final = CORPUS / "intents"
CODE: Final = ROOT / "src" / "spotter" / "safety" / "classifier"
FINE: Final = "fine"
# By label: from which score on the language model is asked. Low, so that next to nothing is missed; chosen on texts of
# a writer that nothing had learnt from.
ASKS: Final = {
    "medical_emergency": -0.7,
    "self_harm": -0.75,
    "eating_disorder": -0.75,
    "threat": -0.6,
    "harassment": -0.6,
    "sexual": -0.6,
    "minors": -0.6,
    "drugs": -0.6,
    "injection": -0.7,
}
COST: Final = 0.3
VALUE: Final = 0.25
"""What a feature counts when it is there. Small, next to the constant: most features are there by chance."""
OTHER: Final = 0.2
"""How much it matters that a text of another label is not taken for this one: little, both are found."""
BURIED: Final = 0.5
"""What a text counts with an ordinary one beside it."""
ROUNDS: Final = 25
ALL_EVERY: Final = 5
"""In the rounds between, only the texts near the border are looked at: the others change nothing."""
LEAST: Final = 2
SCALE: Final = 600.0
SHORT: Final = 25
PER_FAMILY: Final = 14
_INTENT: Final = re.compile(r"^\s*[a-z]+(?:_[a-z]+)*: ")
_CHOICE: Final = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True)
class Text:
    words: tuple[str, ...]
    label: str
    original: str
    ours: bool
    """Of the tuning texts, which the rules were written by."""


@dataclass(frozen=True)
class Example:
    features: list[int]
    label: str
    weight: float
    value: float
    """What each of its features counts."""


def texts() -> list[Text]:
    found = []
    for path in sorted(CORPUS.glob("*.jsonl")):
        for row in _rows(path):
            found.append(Text(_words(row["text"]), row["label"], row["text"], ours=False))
    for path in sorted(FAMILIES.glob("*.txt")):
        label = FINE if path.stem.startswith(FINE) else path.stem
        for line in path.read_text(encoding="utf-8").splitlines():
            if line and not line.startswith("#"):
                found += [Text(_words(one), label, one, ours=False) for one in members(line)]
    for path in sorted(LABELLED.glob("*.jsonl")):
        for row in _rows(path):
            if row["set"] == "tuning" and row["source"] != "assistant":
                known = [label for label in row["labels"] if label in ASKS]
                found.append(Text(_words(row["text"]), (known or [FINE])[0], row["text"], ours=True))
    return found


def requests() -> list[Text]:
    """What people ask the offline model for: thousands of ordinary messages, nearly all of them harmless.

    Not those that a rule calls an alarm: a knee that gives way is in there as well. No part of the fingerprint, so that
    whoever teaches the offline model need not train this one.
    """
    found = []
    for path in sorted(REQUESTS.glob("*.txt")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if not line.strip() or line.startswith(("#", "[")):
                continue
            said = ", ".join(_INTENT.sub("", part).strip() for part in line.split("//"))
            read = without_gym_language(words_of(normalise(said)))
            if all(one.score < SURE for one in PEOPLE.findings(read)):
                found.append(Text(tuple(read.clean.split()), FINE, said, ours=False))
    return found


def members(family: str) -> list[str]:
    """Some of the texts a family stands for: of each `{one|or|the other}`, one, at random but always the same."""
    chance = random.Random(family)
    made = (
        _CHOICE.sub(lambda found: chance.choice(found[1].split("|")), family) for _ in range(2 * PER_FAMILY)
    )
    return list(dict.fromkeys(one.replace("\\n", "\n") for one in made))[:PER_FAMILY]


def fingerprint(shown: Iterable[Text]) -> str:
    """Of the texts, and of the code that decides which features they have."""
    digest = hashlib.sha256()
    for one in shown:
        digest.update(json.dumps([one.original, one.label]).encode() + b"\n")
    for name in ("concepts.py", "features.py", "stretches.py"):
        digest.update((CODE / name).read_bytes())
    digest.update(
        json.dumps([ASKS, COST, VALUE, OTHER, BURIED, ROUNDS, ALL_EVERY, LEAST, SCALE, SHORT]).encode()
    )
    return digest.hexdigest()


def features_of(words: Sequence[str]) -> list[str]:
    own = [feature for word in words if word not in MARKS for feature in word_features(word)]
    return own + [feature for _, feature in context_features(words)]


def train(shown: Sequence[Text], fingerprint_: str) -> bytes:
    """The file of weights."""
    features = [features_of(one.words) for one in shown]
    count = Counter(feature for each in features for feature in set(each))
    names = sorted(name for name, times in count.items() if times >= LEAST)
    index = {name: at + 1 for at, name in enumerate(names)}
    numbered = [[index[one] for one in each if one in index] for each in features]
    examples = [
        *(
            Example(each, one.label, 1.0, _value(len(one.words)))
            for each, one in zip(numbered, shown, strict=True)
        ),
        *_buried(shown, numbered),
        *_parts_of_ordinary(shown, index),
    ]
    columns = [_separated(examples, label, len(names) + 1) for label in ASKS]
    return _file(names, columns, fingerprint_)


def _value(words: int) -> float:
    return VALUE * share_of(words)


def _buried(shown: Sequence[Text], numbered: Sequence[list[int]]) -> list[Example]:
    """Each text with an ordinary one beside it, as people write: what is ordinary then weighs nothing."""
    chance = random.Random(7)
    ordinary = [at for at, one in enumerate(shown) if one.label == FINE and len(one.words) < SHORT]
    found = []
    for each, one in zip(numbered, shown, strict=True):
        other = chance.choice(ordinary)
        size = len(one.words) + len(shown[other].words)
        found.append(Example(each + numbered[other], one.label, BURIED, _value(size)))
    return found


def _parts_of_ordinary(shown: Sequence[Text], index: dict[str, int]) -> list[Example]:
    """Any stretch of a text may raise an alarm, so each one of an ordinary text is an ordinary text."""
    found = []
    for one in shown:
        if one.label == FINE:
            for start, end in stretches(one.words):
                if 1 < end - start < len(one.words):
                    part = [index[name] for name in features_of(one.words[start:end]) if name in index]
                    found.append(Example(part, FINE, 1.0, _value(end - start)))
    return found


def _separated(examples: Sequence[Example], label: str, size: int) -> list[float]:
    """Weights that tell a label from everything else (squared hinge loss, L2). Place 0 is the constant."""
    weights = [0.0] * size
    sides = [1.0 if one.label == label else -1.0 for one in examples]
    costs = [COST * one.weight * (1.0 if one.label in (label, FINE) else OTHER) for one in examples]
    slack = [0.5 / cost for cost in costs]
    norms = [
        1.0 + one.value * one.value * sum(times * times for times in Counter(one.features).values()) + extra
        for one, extra in zip(examples, slack, strict=True)
    ]
    multipliers = [0.0] * len(examples)
    chance = random.Random(11)
    get = weights.__getitem__
    order: list[int] = []
    for turn in range(ROUNDS):
        if turn % ALL_EVERY == 0:
            order = list(range(len(examples)))
        chance.shuffle(order)
        matter = []
        for at in order:
            present, value = examples[at].features, examples[at].value
            margin = sides[at] * (weights[0] + value * sum(map(get, present)))
            old = multipliers[at]
            new = max(old - (margin - 1.0 + slack[at] * old) / norms[at], 0.0)
            if new > 0.0:
                matter.append(at)
            if new != old:
                multipliers[at] = new
                step = (new - old) * sides[at]
                weights[0] += step
                step *= value
                for feature in present:
                    weights[feature] += step
        order = matter
    return weights


def _file(names: Sequence[str], columns: Sequence[Sequence[float]], fingerprint_: str) -> bytes:
    kept, rows = [], bytearray()
    for at, name in enumerate(names):
        row = [max(-ZERO, min(ZERO - 1, round(column[at + 1] * VALUE * SCALE))) for column in columns]
        if any(row):
            kept.append(name)
            rows += bytes(value + ZERO for value in row)
    head = {
        "corpus": fingerprint_,
        "scale": SCALE,
        "features": len(kept),
        "labels": [
            {"name": label, "bias": round(column[0], 4), "ask": ask}
            for (label, ask), column in zip(ASKS.items(), columns, strict=True)
        ],
    }
    body = "\n".join(kept).encode() + b"\n\n" + bytes(rows)
    return json.dumps(head).encode() + b"\n" + zlib.compress(body, 9)


# --- How well it does on texts it was not shown ------------------------------------------------------------


def check(shown: Sequence[Text], parts: int) -> list[list[float]]:
    """The scores of every text by a model that saw neither it nor one much like it."""
    scores: list[list[float]] = [[] for _ in shown]
    part_of = _parts(shown, parts)
    for part in range(parts):
        model = Model(train([one for at, one in enumerate(shown) if part_of[at] != part], ""))
        for at, one in enumerate(shown):
            if part_of[at] == part:
                scores[at] = [each.score for each in model.scores(one.words)]
    return scores


def _parts(shown: Sequence[Text], parts: int) -> list[int]:
    """At random, but texts that share more than half of their words stay together."""
    chance = random.Random(1)
    bags = [frozenset(one.words) for one in shown]
    times = Counter(word for bag in bags for word in bag)
    with_word: dict[str, list[int]] = {}
    part_of: list[int] = []
    for bag in bags:
        shared = Counter(
            other for word in bag if times[word] < len(shown) / 15 for other in with_word.get(word, ())
        )
        like = [
            other
            for other, common in shared.items()
            if common > 1 and 2 * len(bag & bags[other]) > len(bag | bags[other])
        ]
        for word in bag:
            with_word.setdefault(word, []).append(len(part_of))
        part_of.append(part_of[like[0]] if like else chance.randrange(parts))
    return part_of


def report(shown: Sequence[Text], scores: Sequence[Sequence[float]], examples: int) -> None:
    for at, (label, ask) in enumerate(ASKS.items()):
        ordinary = sorted(
            ((score[at], one) for one, score in zip(shown, scores, strict=True) if one.label == FINE),
            key=lambda pair: -pair[0],
        )
        meant = [
            score[at] for one, score in zip(shown, scores, strict=True) if one.label == label and not one.ours
        ]
        print(f"{label:18} {len(meant):4} texts, ordinary {len(ordinary)}; recall by false alarms:", end="")
        for allowed in (0, 2, 5, 10, 20, 40):
            bar = ordinary[allowed][0]
            print(f"  {allowed}: {sum(score > bar for score in meant) / len(meant):.3f} ({bar:.2f})", end="")
        false = sum(score >= ask for score, _ in ordinary)
        print(
            f"  at {ask}: {sum(score >= ask for score in meant) / len(meant):.3f}, {false} asked for nothing"
        )
        for score, one in ordinary[:examples]:
            print(f"      {score:6.2f} {one.original[:140]!r}")


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    asked.add_argument("--check", type=int, default=0, metavar="PARTS")
    asked.add_argument("--examples", type=int, default=0, help="ordinary texts shown that come closest")
    given = asked.parse_args()
    learnt = texts()
    shown = learnt + requests()
    if given.check:
        report(shown, check(shown, given.check), given.examples)
        return
    made = train(shown, fingerprint(learnt))
    WEIGHTS.write_bytes(made)
    print(f"{WEIGHTS.relative_to(ROOT)}: {len(made)} bytes from {len(shown)} texts")


def _rows(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def _words(text: str) -> tuple[str, ...]:
    return tuple(without_gym_language(words_of(normalise(text))).clean.split())


if __name__ == "__main__":
    main()
