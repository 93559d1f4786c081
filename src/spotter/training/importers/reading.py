"""Text as other apps write it: encodings, separators, numbers, dates and durations."""

import csv
import re
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta, tzinfo
from functools import lru_cache
from itertools import chain
from typing import Final

from spotter.training.importers.outcome import UnreadableFile

_DATES: Final = (
    "%Y-%m-%d %H:%M:%S",
    "%Y-%m-%d %H:%M",
    "%Y-%m-%dT%H:%M:%S",
    "%d %b %Y, %H:%M",
    "%d %B %Y, %H:%M",
    "%b %d, %Y, %I:%M %p",
    "%B %d, %Y, %I:%M %p",
    "%d.%m.%Y, %H:%M",
    "%Y-%m-%d",
)
_PARTS: Final = re.compile(r"(\d+)\s*(h|m|s)", re.IGNORECASE)
_CLOCK: Final = re.compile(r"(?:(\d+):)?(\d{1,2}):(\d{2})")
_UNIT_SECONDS: Final = {"h": 3600, "m": 60, "s": 1}
_LONGEST: Final = timedelta(days=2)


NO_DATE: Final = (
    "the date cannot be read; if the app speaks another language, set it to English and export again"
)


def decoded(data: bytes) -> str:
    """What the bytes say. Spreadsheets on Windows leave marks and old encodings behind."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        encodings: tuple[str, ...] = ("utf-16",)
    else:
        encodings = ("utf-8-sig", "cp1252")
    for encoding in encodings:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise UnreadableFile("This is not a text file. Nothing was imported; export it again as CSV or JSON.")


def rows(lines: Iterable[str]) -> Iterator[tuple[int, dict[str, str] | str]]:
    """Line numbers and rows by column name (small letters), or what is wrong with a row: one whose fields are not
    those of the header would put numbers into the wrong columns. The separator is the one the header has most of."""
    source = iter(lines)
    header = next((line for line in source if line.strip()), "")
    header = header.removeprefix("\ufeff")
    delimiter = max(";,\t", key=header.count)
    reader = csv.reader(chain([header], source), delimiter=delimiter, strict=False)
    try:
        columns = [column.strip().lower() for column in next(reader, [])]
        for row in reader:
            fields = [field.strip() for field in row]
            if any(fields):
                told = _torn(fields, columns) or dict(zip(columns, fields, strict=False))
                yield reader.line_num, told
    except csv.Error as error:
        raise UnreadableFile(
            f"Line {reader.line_num} cannot be read as CSV: {error}. Lines before it were understood."
        ) from error


def _torn(fields: list[str], columns: list[str]) -> str:
    """Why the fields of a row cannot be those of the header; nothing when they can."""
    if any(fields[len(columns) :]):
        return "it has more fields than the header: a number or a text with the separator in it needs quotes"
    if len(fields) < len(columns) and any("\n" in field for field in fields):
        return "a quotation mark is not closed, so what follows it could not be told apart"
    if len(fields) == 1 < len(columns):
        return "it is not separated as the header is"
    return ""


def number(text: str) -> float | None:
    """A number, with a point or a comma. Other apps write 0 where nothing was recorded, so 0 is nothing."""
    cleaned = text.replace("\u00a0", "").replace(" ", "")
    if "," in cleaned:
        # The last separator is the decimal one.
        cleaned = (
            cleaned.replace(",", "")
            if "." in cleaned and cleaned.rfind(".") > cleaned.rfind(",")
            else cleaned.replace(".", "").replace(",", ".")
        )
    if not re.fullmatch(r"[+-]?\d{1,9}(\.\d*)?", cleaned):
        return None
    return float(cleaned) or None


def whole(text: str) -> int | None:
    value = number(text)
    return None if value is None else round(value)


@lru_cache(maxsize=1024)  # every set of a workout repeats its date
def moment(text: str, zone: tzinfo) -> datetime | None:
    """Exports carry local time without a zone, so the reader has to know where the athlete trained; one with a zone is
    believed."""
    for form in _DATES:
        try:
            return datetime.strptime(text.strip(), form).replace(tzinfo=zone)
        except ValueError:
            continue
    try:
        exact = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return exact if exact.tzinfo is not None else exact.replace(tzinfo=zone)


def duration(text: str) -> timedelta | None:
    """ "1h 5m", "47m", "1:05:00", or plain seconds."""
    found = _PARTS.findall(text)
    if found:
        seconds = sum(int(amount) * _UNIT_SECONDS[unit.lower()] for amount, unit in found)
    elif clock := _CLOCK.fullmatch(text.strip()):
        hours, minutes, rest = (int(part or 0) for part in clock.groups())
        seconds = hours * 3600 + minutes * 60 + rest
    else:
        seconds = whole(text) or 0
    length = timedelta(seconds=min(seconds, 10**8))
    return length if timedelta(0) < length <= _LONGEST else None
