"""How far a long command is, for whoever watches. Nothing is written when nobody does."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click


@contextmanager
def progress(total: int, label: str) -> Iterator[Callable[[int], None]]:
    """Give it how many more are done. On stderr: what a command prints can be piped on."""
    with click.progressbar(length=total, label=label, file=sys.stderr, hidden=not sys.stderr.isatty()) as bar:
        yield bar.update
