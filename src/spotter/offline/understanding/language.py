"""Is this English? A count of small words is enough for a whole sentence, and for less nothing is claimed."""

from typing import Final

from spotter.offline.understanding.data import words
from spotter.offline.understanding.text import Token

_SMALL_WORDS: Final = {code: words(f"language.{code}") for code in ("de", "es", "fr")}
_ENGLISH: Final = words("language.english")


_GREETINGS: Final = {
    "hola": "es",
    "bonjour": "fr",
    "salut": "fr",
    "servus": "de",
    "moin": "de",
    "gracias": "es",
    "merci": "fr",
    "danke": "de",
}


def other_language(tokens: list[Token]) -> str | None:
    """The code of the language, when clearly not English."""
    words = [token.word for token in tokens if token.is_word]
    if not words:
        return None
    english = sum(word in _ENGLISH for word in words)
    best, most = None, 0
    for code, small in _SMALL_WORDS.items():
        count = sum(word in small and word not in _ENGLISH for word in words)
        if count > most:
            best, most = code, count
    if len(words) == 1:
        return _GREETINGS.get(words[0])
    if most >= 2 and most > english and most * 4 >= len(words):
        return best
    if english == 0 and len(words) >= 3 and _foreign_letters(words) * 2 > len(words):
        return "other"
    return None


def _foreign_letters(words: list[str]) -> int:
    return sum(any(ord(letter) > 0x24F for letter in word) for word in words)
