"""The weights: made by `scripts/train_intents.py` from `training_data/intents`, the same bytes every time."""

import json
import math
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from operator import add
from pathlib import Path
from typing import Final

ZERO: Final = 128
MIXED: Final = "mixed"
"""The class of stretches that hold several wishes and are to be cut."""
WEIGHTS: Final = Path(str(resources.files("spotter.offline.understanding.weighing").joinpath("weights.bin")))


@dataclass(frozen=True, slots=True)
class Scores:
    """How likely each class is, together one."""

    by_class: Mapping[str, float]

    def ranked(self) -> list[tuple[str, float]]:
        return sorted(self.by_class.items(), key=lambda pair: -pair[1])

    def together_with(self, likely: Mapping[str, float], share: float) -> "Scores":
        """What both say: of this, a `share` of the logarithm counts, of the other all of it."""
        if not likely:
            return self
        both = {name: each**share * likely[name] for name, each in self.by_class.items()}
        whole = sum(both.values())
        return Scores({name: each / whole for name, each in both.items()})


class Model:
    def __init__(self, file: bytes) -> None:
        head, _, body = file.partition(b"\n")
        about = json.loads(head)
        names, _, rows = zlib.decompress(body).partition(b"\n\n")
        self.corpus: Final[str] = about["corpus"]
        self.classes: Final[list[str]] = about["classes"]
        self.words: Final[frozenset[str]] = frozenset(about["words"])
        self.frequent: Final[list[str]] = about["frequent"]
        self.others: Final[list[str]] = about["others"]
        """Words to leave as they are; of no weight."""
        self._bias: Final[list[float]] = about["bias"]
        self._scale: Final[float] = about["scale"]
        width = len(self.classes)
        self._rows: Final = {
            name: rows[at * width : (at + 1) * width] for at, name in enumerate(names.decode().split("\n"))
        }

    def scores(self, features: Iterable[str]) -> Scores:
        rows = [row for feature in features if (row := self._rows.get(feature)) is not None]
        totals = [0] * len(self.classes)
        for row in rows:
            totals = list(map(add, totals, row))
        shift = ZERO * len(rows)
        logits = [
            bias + (total - shift) / self._scale for bias, total in zip(self._bias, totals, strict=True)
        ]
        highest = max(logits)
        raised = [math.exp(logit - highest) for logit in logits]
        whole = sum(raised)
        return Scores({name: each / whole for name, each in zip(self.classes, raised, strict=True)})


@cache
def default_model() -> Model:
    return Model(WEIGHTS.read_bytes())
