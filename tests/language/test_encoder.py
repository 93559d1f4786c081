"""The small language model: computes what its file says, whatever it is given, and never lets two texts mix."""

import json
import math
import random
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spotter.language import Encoder, encoder
from spotter.language.encoder import MOST_PIECES, WEIGHTS
from spotter.language.pieces import Pieces

WORDS = ["[PAD]", "[UNK]", "[CLS]", "my", "knee", "hurts", "##s", "squat", "."]
WIDTH, HEADS, LAYERS, WIDE = 8, 2, 2, 12

Rows = list[list[float]]


def made(chance: random.Random) -> tuple[bytes, dict[str, Any]]:
    """A tiny file of weights, and the same weights as plain lists."""
    plain: dict[str, Any] = {}
    arrays: dict[str, Any] = {}

    def rows(count: int, width: int) -> Rows:
        return [[chance.uniform(-1, 1) for _ in range(width)] for _ in range(count)]

    def packed(name: str, values: Rows, by_row: bool) -> None:
        whole = np.array(values, np.float32)
        scale = np.abs(whole).max(axis=1 if by_row else 0, keepdims=by_row) / 127
        small = np.round(whole / scale).astype(np.int8)
        arrays[name], arrays[f"{name}.scale"] = small, scale.astype(np.float32)
        plain[name] = (small * scale).tolist()

    def kept(name: str, values: Any) -> None:
        arrays[name], plain[name] = np.array(values, np.float32), values

    packed("words", rows(len(WORDS), WIDTH), by_row=True)
    kept("marks", rows(4, WIDTH))
    kept("places", rows(MOST_PIECES + 8, WIDTH))
    vectors = {
        "norm.weight": WIDTH,
        "norm.bias": WIDTH,
        "categories.bias": 3,
        "looks.1.bias": 3,
        "intents.bias": 4,
    }
    matrices = {}
    for at in (*range(LAYERS), "hearing.0"):
        sizes = {"attend": (WIDTH, 3 * WIDTH), "mix": (WIDTH, WIDTH)}
        sizes |= {"widen": (WIDTH, WIDE), "narrow": (WIDE, WIDTH)}
        for name, (here, there) in sizes.items():
            matrices[f"{at}.{name}.weight"] = (here, there)
            vectors[f"{at}.{name}.bias"] = there
        for name in ("mix_norm", "narrow_norm"):
            vectors |= {f"{at}.{name}.weight": WIDTH, f"{at}.{name}.bias": WIDTH}
    for name, (here, there) in matrices.items():
        packed(name, rows(here, there), by_row=False)
    for name, size in vectors.items():
        kept(name, rows(1, size)[0])
    kept("categories.weight", rows(2 * WIDTH, 3))
    kept("looks.1.weight", rows(2 * WIDTH, 3))
    kept("intents.weight", rows(WIDTH, 4))
    body, listed = bytearray(), []
    for name, array in arrays.items():
        body += b"\0" * (-len(body) % 16)
        listed.append([name, array.dtype.str, list(array.shape), len(body)])
        body += array.tobytes()
    head: dict[str, Any] = {"heads": HEADS, "layers": LAYERS, "hearing_layers": 1, "vocabulary": WORDS}
    head |= {"arrays": listed, "categories": ["a", "b", "c"], "looks": [1], "intents": ["w", "x", "y", "z"]}
    return json.dumps(head).encode() + b"\n" + bytes(body), plain


def times(row: list[float], matrix: Rows, bias: list[float]) -> list[float]:
    return [
        sum(each * line[at] for each, line in zip(row, matrix, strict=True)) + bias[at]
        for at in range(len(bias))
    ]


def normed(row: list[float], weight: list[float], bias: list[float]) -> list[float]:
    mean = sum(row) / len(row)
    spread = math.sqrt(sum((each - mean) ** 2 for each in row) / len(row) + 1e-12)
    return [(each - mean) / spread * w + b for each, w, b in zip(row, weight, bias, strict=True)]


def softened(row: list[float]) -> list[float]:
    raised = [math.exp(each - max(row)) for each in row]
    return [each / sum(raised) for each in raised]


def plainly(plain: dict[str, Any], rows: Rows, depth: int, stack: str = "") -> Rows:
    """The same sums, one number at a time."""
    rows = [
        [a + b for a, b in zip(row, place, strict=True)]
        for row, place in zip(rows, plain["places"], strict=False)
    ]
    rows = [normed(row, plain["norm.weight"], plain["norm.bias"]) for row in rows]
    size = WIDTH // HEADS
    for at in range(depth):

        def part(name: str, at: int = at) -> Any:
            return plain[f"{stack}{at}.{name}"]

        asked = [times(row, part("attend.weight"), part("attend.bias")) for row in rows]
        seen: Rows = []
        for one in asked:
            row: list[float] = []
            for head in range(HEADS):
                cut = slice(head * size, (head + 1) * size)
                against = [
                    sum(a * b for a, b in zip(one[cut], other[WIDTH:][cut], strict=True)) / math.sqrt(size)
                    for other in asked
                ]
                weights = softened(against)
                row += [
                    sum(w * other[2 * WIDTH :][cut][i] for w, other in zip(weights, asked, strict=True))
                    for i in range(size)
                ]
            seen.append(row)
        mixed = [times(row, part("mix.weight"), part("mix.bias")) for row in seen]
        rows = [
            normed([a + b for a, b in zip(x, y, strict=True)], part("mix_norm.weight"), part("mix_norm.bias"))
            for x, y in zip(rows, mixed, strict=True)
        ]
        wide = [times(row, part("widen.weight"), part("widen.bias")) for row in rows]
        wide = [
            [0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) for x in row]
            for row in wide
        ]
        narrow = [times(row, part("narrow.weight"), part("narrow.bias")) for row in wide]
        rows = [
            normed(
                [a + b for a, b in zip(x, y, strict=True)],
                part("narrow_norm.weight"),
                part("narrow_norm.bias"),
            )
            for x, y in zip(rows, narrow, strict=True)
        ]
    return rows


@pytest.mark.parametrize("seed", range(3))
def test_it_computes_what_plain_sums_do(seed: int) -> None:
    raw, plain = made(random.Random(seed))
    small = Encoder(raw)
    text, ids = "my knee hurts.", [2, 3, 4, 5, 8]

    def judged(depth: int, head: str) -> Any:
        states = plainly(plain, [plain["words"][each] for each in ids], depth)
        pooled = [sum(column) / len(states) for column in zip(*states, strict=True)]
        pooled += [max(column) for column in zip(*states, strict=True)]
        logits = times(pooled, plain[f"{head}.weight"], plain[f"{head}.bias"])
        return pytest.approx([1 / (1 + math.exp(-each)) for each in logits], abs=1e-3)

    asked: list[int] = []

    def enough(depth: int, likely: Mapping[str, float], said: bool) -> bool:
        assert list(likely.values()) == judged(1, "looks.1")
        asked.append(depth)
        return said

    whole = judged(LAYERS, "categories")
    assert list(small.about_text(text).values()) == whole
    assert list(small.about_text(text, partial(enough, said=False)).values()) == whole
    assert list(small.about_text(text, partial(enough, said=True)).values()) == judged(1, "looks.1")
    assert asked == [1, 1]

    marked = [plain["words"][2], plain["marks"][1], *(plain["words"][each] for each in ids[1:])]
    states = plainly(plain, marked, 1, "hearing.")[2:]
    heard = small.hear(text, [1])
    for row, state in zip(heard.likely.tolist(), states, strict=True):
        assert row == pytest.approx(
            softened(times(state, plain["intents.weight"], plain["intents.bias"])), abs=1e-3
        )


def test_words_are_cut_into_the_longest_pieces_known() -> None:
    pieces = Pieces({name: at for at, name in enumerate(WORDS)})
    found = pieces.of("my knees, squats", 20)
    assert [(one.id, one.start, one.end) for one in found] == [
        (3, 0, 2),
        (4, 3, 7),
        (6, 7, 8),
        (1, 8, 9),
        (7, 10, 15),
        (6, 15, 16),
    ]


@settings(deadline=None)  # the first text waits for the weights
@given(st.text(max_size=400))
def test_any_text_can_be_read(text: str) -> None:
    likely = encoder().about_text(text)
    assert all(0 <= each <= 1 for each in likely.values())
    heard = encoder().hear(text, [0])
    assert len(heard.pieces) == len(heard.likely) <= MOST_PIECES
    assert all(0 <= piece.start < piece.end <= len(text) for piece in heard.pieces)
    if len(heard.pieces):
        assert heard.likely.sum(axis=1).tolist() == pytest.approx([1.0] * len(heard.pieces), abs=1e-3)


def test_a_stretch_without_words_says_nothing() -> None:
    heard = encoder().hear("swap the second one", [1])
    assert heard.within(4, 5) is None
    assert heard.within(0, 4) is not None


def test_it_knows_what_it_was_taught() -> None:
    """Not how well: docs/safety.md and the evals say that. Only that this file belongs to this code."""
    read = encoder()
    assert (
        read.about_text("there is a crushing pressure on my chest and my arm is numb")["medical_emergency"]
        > 0.5
    )
    assert read.about_text("thanks, see you on tuesday")["medical_emergency"] < 0.1
    mean = read.hear("swap the second one", [1]).likely.mean(axis=0).tolist()
    assert read.intents[mean.index(max(mean))] == "swap"


def test_the_file_is_not_large() -> None:
    assert WEIGHTS.stat().st_size < 25_000_000
