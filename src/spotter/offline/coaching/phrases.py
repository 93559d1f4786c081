"""What people say, by title: the patterns of `understanding/data/coach.txt`."""

import re
from functools import cache

from spotter.offline.understanding.data import section


@cache
def phrase(title: str) -> re.Pattern[str]:
    """Over plain text in small letters; whole words only."""
    return re.compile(rf"\b(?:{'|'.join(section('coach', title))})(?!\w)")


@cache
def only(title: str) -> re.Pattern[str]:
    """Texts in which nothing else is said."""
    return re.compile(rf"\W*(?:(?:{'|'.join(section('coach', title))})\b\W*)+")


def says(title: str, text: str) -> bool:
    return phrase(title).search(text) is not None
