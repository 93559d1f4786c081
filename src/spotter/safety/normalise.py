"""Text as it is meant, whatever it is dressed up in, with the way back to the original offsets.

`plain` keeps case (keys and IBANs need it); `folded` is lower case without accents and look-alikes. Both have the same
length, so one table of offsets serves both. ASCII, which is most text, takes a short cut.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

MAX_CHARS: Final = 100_000
"""What is looked at. Longer texts are refused where they come in."""

# Letters of other alphabets that look like ours: the ones seen in disguises, not the whole Unicode table.
_LOOK_ALIKES: Final = {
    **dict(zip("аеорсухіјѕԁԛԝһкмтвнгпиьЅ", "aeopcyxijsdqwhkmtbhrnubs", strict=True)),
    **dict(zip("αβεικνορτυχωγηκσ", "abeiknoptuxwynks", strict=True)),
    **dict(zip("ıɑɡɩʟɴʀʏᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ", "iagilnryabcdefghijklmnoprstuvwyz", strict=True)),
    "ß": "s", "ł": "l", "ø": "o", "đ": "d", "æ": "a", "œ": "o", "þ": "t", "’": "'", "‘": "'", "`": "'", "´": "'",
    "“": '"', "”": '"', "–": "-", "—": "-", "‐": "-", "‑": "-", "−": "-", "…": ".", "。": ".", "，": ",",
}  # fmt: skip

_TAG_START, _TAG_END = 0xE0000, 0xE007F
INVISIBLE: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e007f\U000e0100-\U000e01ef]"
)


_OTHERS: Final = re.compile(r"[^\x00-\x7f]+")


@dataclass(frozen=True, slots=True)
class Normalised:
    original: str
    plain: str
    folded: str
    offsets: Sequence[int]
    """`offsets[i]` is where character `i` of `plain` begins in the original; one more entry for its end."""

    def span(self, start: int, end: int) -> tuple[int, int]:
        """A span of `plain`, in the original. What was stripped inside of it belongs to it."""
        if isinstance(self.offsets, range):
            return start, end
        if start >= end:
            return self.offsets[start], self.offsets[start]
        return self.offsets[start], self.offsets[end - 1] + 1


def normalise(text: str) -> Normalised:
    if text.isascii():
        return Normalised(text, text, text.lower(), range(len(text) + 1))
    plain: list[str] = []
    folded: list[str] = []
    offsets: list[int] = []
    begin = 0
    for others in _OTHERS.finditer(text):
        _append_ascii(text, begin, others.start(), plain, folded, offsets)
        for index in range(*others.span()):
            for one, low in _folded(text[index]):
                plain.append(one)
                folded.append(low)
                offsets.append(index)
        begin = others.end()
    _append_ascii(text, begin, len(text), plain, folded, offsets)
    offsets.append(len(text))
    return Normalised(text, "".join(plain), "".join(folded), offsets)


def _append_ascii(
    text: str, begin: int, end: int, plain: list[str], folded: list[str], offsets: list[int]
) -> None:
    run = text[begin:end]
    plain.append(run)
    folded.append(run.lower())
    offsets.extend(range(begin, end))


@lru_cache(maxsize=8192)
def _folded(character: str) -> tuple[tuple[str, str], ...]:
    """What one character becomes: nothing, itself, or several (a ligature)."""
    if INVISIBLE.match(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return ()
    result = []
    for one in unicodedata.normalize("NFKC", character):
        if unicodedata.category(one) in ("Mn", "Me", "Cf"):
            continue
        low = one.lower()[:1] or one
        base = unicodedata.normalize("NFD", low)[:1]
        result.append((one, _LOOK_ALIKES.get(low, _LOOK_ALIKES.get(base, base))))
    return tuple(result)


def without_invisible(text: str) -> str:
    """For text that goes into a prompt: what nobody can see, nobody meant."""
    return INVISIBLE.sub("", text)


def hidden_message(text: str) -> str:
    """What Unicode tag characters spell out: invisible to people, readable to some models."""
    return "".join(
        chr(ord(character) - _TAG_START)
        for character in text
        if _TAG_START + 0x20 <= ord(character) < _TAG_END
    )
