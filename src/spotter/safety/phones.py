"""Telephone numbers. `phonenumbers` knows every country's plan, but any row of reps looks like some country's number;
so a candidate also needs the shape of one, or a word that announces it."""

import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any, Final

DEFAULT_REGIONS: Final = ("US", "GB", "DE", "FR", "ES", "AU")
"""Tried for numbers without a country code."""

_CANDIDATE: Final = re.compile(
    # Behind a comma or colon only where no number stands before it: a column of a table, not «1,200».
    r"(?:(?<![\w.,:/+-])|(?<=[^\d][,:;]))(?:\+|00)?\(?\d(?:[\d ().\-/–]|\(0\)){5,22}\d(?![\w/]|[.:-]\d|,\d{3}(?!\d))"
)
_ANNOUNCED: Final = re.compile(
    r"(?:phone|tel|mobile|cell|call|calls|text|txt|sms|whats ?app|signal|telegram|number|no\.?|nr\.?|ring"
    r"|reach|contact|fax|handy|telefon|rufnummer|nummer|tel[eé]fono|m[oó]vil|num[eé]ro|portable|dial"
    r"|hotline|dm|imessage|line|landline|digits)\b"
    r"[^\d\n]{0,40}$",
    re.IGNORECASE,
)
_OTHER_NUMBER: Final = re.compile(
    r"(?:order|booking|member|membership|invoice|locker|ticket|ref|reference|customer|account|serial|model"
    r"|tracking|case|confirmation|receipt|session|class|room|bib|lot|bestell|kunden|rechnungs)[ -]*"
    r"(?:number|nummer|no\.?|nr\.?|id|#)?[^\d\n]{0,12}$",
    re.IGNORECASE,
)
_SHAPES: Final = re.compile(
    r"\(?[2-9]\d{2}\)?[ .-]\d{3}[ .-]\d{4}|1[ .-]\(?[2-9]\d{2}\)?[ .-]\d{3}[ .-]\d{4}"
    r"|\(\d{2,5}\)[ .-]?\d[\d .-]{5,9}\d|0\d{2,4}[ ./-]?\d{3,4}[ .-]?\d{3,5}|0\d{9,11}"
    r"|0[1-9](?:[ .-]\d{2}){4}|0\d{3,4}[ /-]\d{5,8}|[679]\d{2}[ -]\d{3}[ -]\d{3}|04\d{2} \d{3} \d{3}"
)
_NOT_A_PHONE: Final = re.compile(
    r"(?:19|20)\d{2}[-./ ](?:0?[1-9]|1[0-2])[-./ ](?:0?[1-9]|[12]\d|3[01])(?:\D.*)?|(?:0?[1-9]|[12]\d"
    r"|3[01])[-./](?:0?[1-9]|1[0-2])[-./](?:19|20)?\d{2}(?:\D.*)?"
    r"|\d{1,3}(?:[ /-]\d{1,3}){2,}(?<!\d{3}[ -]\d{3}[ -]\d{3})|(?:19|20)\d{2}\s?[-–/]\s?(?:19|20)?\d{2}"
)
_SHORT: Final = re.compile(r"\d{3,4}[ .-]?\d{4}")
_TO_LAST_NUMBER: Final = re.compile(r"(?s:.*)[\d\n]")


@cache
def _library() -> Any:
    """Half a megabyte of metadata: loaded by the first text that has something like a number in it."""
    return import_module("phonenumbers")


def phone_spans(text: str, regions: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    for found in _CANDIDATE.finditer(text):
        value = found[0].rstrip(" .-/–(")
        if is_phone(value, text[max(0, found.start() - 60) : found.start()], regions):
            yield found.start(), found.start() + len(value)


def is_phone(value: str, before: str, regions: tuple[str, ...]) -> bool:
    digits = sum(character.isdigit() for character in value)
    if not 7 <= digits <= 15:
        return False
    if value.startswith(("+", "00")):
        number = "+" + value.lstrip("+0") if value.startswith("00") else value
        return _possible(number.replace("(0)", ""), None)
    if _SHAPES.fullmatch(value) and not _NOT_A_PHONE.fullmatch(value):
        if any(_possible(value, region) for region in regions):
            return True
        return _short(value, digits) and _announced(before)
    if not _announced(before):
        return False
    return _short(value, digits) or any(_possible(value, region) for region in regions)


def _short(value: str, digits: int) -> bool:
    return digits in (7, 8) and _SHORT.fullmatch(value) is not None


def _announced(before: str) -> bool:
    last_number = _TO_LAST_NUMBER.match(before)
    # No word that announces has a digit, and none stands between it and the number.
    begin = last_number.end() if last_number else 0
    return _ANNOUNCED.search(before, begin) is not None and _OTHER_NUMBER.search(before, begin) is None


def _possible(value: str, region: str | None) -> bool:
    """Possible, not valid: numbers in examples and of new ranges are numbers too."""
    library = _library()
    try:
        number = library.parse(value, region)
    except library.NumberParseException:
        return False
    return bool(library.is_possible_number(number))
