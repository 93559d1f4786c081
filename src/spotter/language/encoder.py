"""A transformer of a few layers, read from one file of eight-bit weights. A short message takes milliseconds."""

import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeAlias

# Its matrices are small: more threads would only wait for each other, and steal from other turns.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import numpy.typing as npt

from spotter.language.pieces import Piece, Pieces

WEIGHTS: Final = Path(__file__).parent / "weights.bin"
MOST_PIECES: Final = 120
_START: Final = "[CLS]"
_TINY: Final = 1e-12

Matrix: TypeAlias = npt.NDArray[np.float32]
Enough: TypeAlias = Callable[[int, Mapping[str, float]], bool]
"""After so many layers it is that likely."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What each piece of a message wants: one row a piece, one column a class, each row together one."""

    pieces: Sequence[Piece]
    likely: Matrix

    def within(self, start: int, end: int) -> Matrix | None:
        """The mean over the pieces of a stretch of the text; nothing where it holds none."""
        rows = [at for at, piece in enumerate(self.pieces) if piece.start < end and piece.end > start]
        if not rows:
            return None
        mean: Matrix = self.likely[rows].mean(axis=0)
        return mean


@dataclass(frozen=True, slots=True)
class _Layer:
    attend: Matrix
    attend_bias: Matrix
    mix: Matrix
    mix_bias: Matrix
    mix_norm: tuple[Matrix, Matrix]
    widen: Matrix
    widen_bias: Matrix
    narrow: Matrix
    narrow_bias: Matrix
    narrow_norm: tuple[Matrix, Matrix]


class Encoder:
    def __init__(self, raw: bytes) -> None:
        head, _, body = raw.partition(b"\n")
        self.about: dict[str, Any] = json.loads(head)
        arrays = _arrays(self.about["arrays"], body)
        self._heads: int = self.about["heads"]
        self._pieces = Pieces({name: at for at, name in enumerate(self.about["vocabulary"])})
        self._start = self._pieces.ids[_START]
        self._words, self._words_scale = arrays["words"], arrays["words.scale"]
        self._marks, self._places = arrays["marks"], arrays["places"]
        self._norm = (arrays["norm.weight"], arrays["norm.bias"])
        self._layers = [_layer(arrays, f"{at}") for at in range(self.about["layers"])]
        self._hearing = [_layer(arrays, f"hearing.{at}") for at in range(self.about["hearing_layers"])]
        self.categories: tuple[str, ...] = tuple(self.about["categories"])
        self.intents: tuple[str, ...] = tuple(self.about["intents"])
        self._category_head = (arrays["categories.weight"], arrays["categories.bias"])
        self._looks = {
            at: (arrays[f"looks.{at}.weight"], arrays[f"looks.{at}.bias"]) for at in self.about["looks"]
        }
        self._intent_head = (arrays["intents.weight"], arrays["intents.bias"])

    def about_text(self, text: str, enough: Enough | None = None) -> dict[str, float]:
        """How likely a text is of each category, by itself. `text`: lower case, as `normalise` folds it. `enough`: of a
        first look after few layers, whether it says enough; most texts are plainly nothing, and that is soon seen."""
        states = self._begun(self._pieces.of(text, MOST_PIECES))
        for depth, layer in enumerate(self._layers, 1):
            states = self._through(layer, states)
            if enough is not None and (look := self._looks.get(depth)) is not None:
                likely = self._likely(states, look)
                if enough(depth, likely):
                    return likely
        return self._likely(states, self._category_head)

    def _likely(self, states: Matrix, head: tuple[Matrix, Matrix]) -> dict[str, float]:
        pooled = np.concatenate([states.mean(axis=0), states.max(axis=0)])
        likely = 1.0 / (1.0 + np.exp(-(pooled @ head[0] + head[1])))
        return dict(zip(self.categories, likely.tolist(), strict=True))

    def hear(self, text: str, marks: Sequence[int]) -> Heard:
        """What the pieces of a message want, said where `marks` stand for what is on the table."""
        pieces = self._pieces.of(text, MOST_PIECES)
        states = self._begun(pieces, marks)
        for layer in self._hearing:
            states = self._through(layer, states)
        weight, bias = self._intent_head
        return Heard(pieces, _softmax(states[1 + len(marks) :] @ weight + bias))

    def _begun(self, pieces: Sequence[Piece], marks: Sequence[int] = ()) -> Matrix:
        numbers = [self._start, *(piece.id for piece in pieces)]
        states: Matrix = self._words[numbers] * self._words_scale[numbers]
        if marks:
            states = np.concatenate([states[:1], self._marks[list(marks)], states[1:]])
        return _normed(states + self._places[: len(states)], self._norm)

    def _through(self, layer: _Layer, states: Matrix) -> Matrix:
        count, width = states.shape
        size = width // self._heads
        asked = (states @ layer.attend + layer.attend_bias).reshape(count, 3, self._heads, size)
        query, key, value = asked.transpose(1, 2, 0, 3)
        alike: Matrix = query @ key.transpose(0, 2, 1) * np.float32(1.0 / math.sqrt(size))
        seen = _softmax(alike) @ value
        mixed = seen.transpose(1, 0, 2).reshape(count, width) @ layer.mix + layer.mix_bias
        states = _normed(states + mixed, layer.mix_norm)
        wide = _gelu(states @ layer.widen + layer.widen_bias)
        return _normed(states + (wide @ layer.narrow + layer.narrow_bias), layer.narrow_norm)


def _softmax(logits: Matrix) -> Matrix:
    raised: Matrix = np.exp(logits - logits.max(axis=-1, keepdims=True))
    raised /= raised.sum(axis=-1, keepdims=True)
    return raised


def _normed(states: Matrix, norm: tuple[Matrix, Matrix]) -> Matrix:
    centred = states - states.mean(axis=-1, keepdims=True)
    spread: Matrix = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + np.float32(_TINY))
    result: Matrix = centred / spread * norm[0] + norm[1]
    return result


def _gelu(values: Matrix) -> Matrix:
    squares: Matrix = values * values
    inner: Matrix = values * (squares * np.float32(0.0356774081) + np.float32(0.7978845608))
    bent: Matrix = np.tanh(inner) + np.float32(1.0)
    result: Matrix = values * bent * np.float32(0.5)
    return result


def _layer(arrays: dict[str, Any], at: str) -> _Layer:
    def one(name: str) -> Matrix:
        found: Matrix = arrays[f"{at}.{name}"]
        return found

    return _Layer(
        *(one("attend.weight"), one("attend.bias"), one("mix.weight"), one("mix.bias")),
        (one("mix_norm.weight"), one("mix_norm.bias")),
        *(one("widen.weight"), one("widen.bias"), one("narrow.weight"), one("narrow.bias")),
        (one("narrow_norm.weight"), one("narrow_norm.bias")),
    )


def _arrays(listed: Sequence[Sequence[Any]], body: bytes) -> dict[str, Any]:
    """By name. Matrices of layers are stored in bytes with a scale for each column and are made whole at once; the
    words', of which a message needs few, are made whole row by row when they are needed."""
    found: dict[str, Any] = {}
    for name, kind, shape, offset in listed:
        size = math.prod(shape)
        found[name] = np.frombuffer(body, np.dtype(kind), size, offset).reshape(shape)
    for name in [name for name in found if name.endswith(".weight") and f"{name}.scale" in found]:
        found[name] = found[name].astype(np.float32) * found.pop(f"{name}.scale")
    return found


@cache
def encoder() -> Encoder:
    return Encoder(WEIGHTS.read_bytes())
