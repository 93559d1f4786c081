"""What our own offline coach says passes its own checks: as it is said, and when it comes back as imported text."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import spotter
from spotter.safety import Source, moderate

ROOT = Path(spotter.__file__).parent
SPEAKING = ("offline", "training")
"""The rooms whose sentences reach people without a model."""
STAND_IN = "5"
LEAST_WORDS = 3


def sentences(path: Path) -> Iterator[str]:
    """Every string of a module that reads like a sentence; what is put into it, as a number."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    silent = set(_silent(tree))
    for node in ast.walk(tree):
        if id(node) in silent:
            continue
        if isinstance(node, ast.JoinedStr):
            silent.update(id(part) for part in ast.walk(node) if part is not node)
            text = "".join(_said(part) for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
        else:
            continue
        if len(text.split()) >= LEAST_WORDS and text[0].isupper() and text.rstrip()[-1] in ".!?:":
            yield text


def _said(part: ast.expr) -> str:
    return part.value if isinstance(part, ast.Constant) and isinstance(part.value, str) else STAND_IN


def _silent(tree: ast.Module) -> Iterator[int]:
    """Docstrings, and what is raised for programmers."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield id(node.value)
        elif isinstance(node, ast.Raise | ast.Assert):
            yield from (id(part) for part in ast.walk(node))


def every_sentence() -> list[str]:
    found = [
        sentence
        for room in SPEAKING
        for path in sorted((ROOT / room).rglob("*.py"))
        for sentence in sentences(path)
    ]
    return list(dict.fromkeys(found))


def test_there_is_something_to_check() -> None:
    assert len(every_sentence()) > 100


@pytest.mark.parametrize("source", ["assistant", "import"])
def test_nothing_we_say_is_stopped(source: Source) -> None:
    stopped = [
        (sentence, decision.reason)
        for sentence in every_sentence()
        if not (decision := moderate(sentence, source)).allowed
    ]
    assert stopped == []
