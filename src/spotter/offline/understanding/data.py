"""The data files of this room: sections in brackets, one entry a line. A line that begins with `#` is a remark."""

from collections.abc import Iterator
from functools import cache
from importlib import resources


@cache
def sections(name: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    found: list[tuple[str, list[str]]] = []
    text = resources.files("spotter.offline.understanding").joinpath("data", f"{name}.txt").read_text("utf-8")
    for line in text.splitlines():
        if line.startswith("[") and line.rstrip().endswith("]"):
            found.append((line.strip()[1:-1], []))
        elif line.strip() and not line.startswith("#"):
            found[-1][1].append(line)
    return tuple((title, tuple(lines)) for title, lines in found)


def section(name: str, title: str) -> tuple[str, ...]:
    return next(lines for found, lines in sections(name) if found == title)


def phrases(name: str, title: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Lines of `value: phrase, phrase`."""
    for line in section(name, title):
        value, _, listed = line.partition(":")
        yield value.strip(), tuple(phrase.strip() for phrase in listed.split(",") if phrase.strip())


def words(title: str) -> frozenset[str]:
    """A list of words in `data/words.txt`."""
    return frozenset(word for line in section("words", title) for word in line.split())
