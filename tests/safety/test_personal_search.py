"""What is searched only where it can be is found as if it were searched everywhere."""

import random
import re

import pytest

from spotter.safety.normalise import normalise
from spotter.safety.personal_data import personal_data
from spotter.safety.personal_patterns import PATTERNS
from spotter.safety.personal_search import LOOKS, Look, views_of
from tests.safety.labels import every_text

TEXTS = [text.text for text in every_text()]
DENSE = [
    " ".join(
        random.Random(seed).sample([text.text for text in every_text() if "personal_data" in text.labels], 12)
    )
    for seed in range(100)
]


@pytest.mark.parametrize(
    ("look", "pattern"), [(look, pattern) for look, (_, pattern) in zip(LOOKS, PATTERNS, strict=True)]
)
def test_nothing_is_missed(look: Look, pattern: str) -> None:
    everywhere = re.compile(pattern)
    for text in (*TEXTS, *DENSE):
        plain = normalise(text).plain
        found = [match.span() for match in look.matches(plain, views_of(plain)[look.hints.view], [])]
        assert found == [match.span() for match in everywhere.finditer(plain)], text


def test_a_token_is_found_to_its_end() -> None:
    token = f"eyJ{'a1B2' * 200}.{'c3D4' * 200}.{'e5F6' * 50}"
    (found,) = personal_data(normalise(f"use {token} please"))
    assert (found.kind, found.start, found.end) == ("secret", 4, 4 + len(token))
