"""Open exercise collections: free-exercise-db, exercemus and wger, as lists of records in their own words."""

import re
from collections.abc import Iterator, Mapping
from html import unescape
from typing import Any, Final

from spotter.training.importers.imported import Record
from spotter.training.importers.translation import (
    WGER_CATEGORIES,
    WGER_EQUIPMENT,
    WGER_LICENCES,
    WGER_MUSCLES,
)

FREE_EXERCISE_DB: Final = "free-exercise-db"
EXERCEMUS: Final = "exercemus"
WGER: Final = "wger"

WGER_ENGLISH: Final = 2
_TAG: Final = re.compile(r"<[^>]+>")


def free_exercise_db(entries: list[Any]) -> Iterator[Record]:
    for entry in _objects(entries):
        tool = entry.get("equipment")
        yield Record(
            source=FREE_EXERCISE_DB,
            source_id=_text(entry.get("id")) or _text(entry.get("name")),
            name=_text(entry.get("name")),
            category=_text(entry.get("category")),
            primary=_texts(entry.get("primaryMuscles")),
            secondary=_texts(entry.get("secondaryMuscles")),
            equipment=[tool] if isinstance(tool, str) else [],
            level=_text(entry.get("level")),
            force=_text(entry.get("force")),
            mechanic=_text(entry.get("mechanic")),
            aliases=_texts(entry.get("alternateNames")),
            instructions=_texts(entry.get("instructions")),
            images=_texts(entry.get("images")),
            licence="Unlicense",
        )


def exercemus(entries: list[Any]) -> Iterator[Record]:
    for entry in _objects(entries):
        licence = entry.get("license")
        title = (
            licence.get("short_name") or licence.get("full_name") if isinstance(licence, Mapping) else licence
        )
        yield Record(
            source=EXERCEMUS,
            source_id=_text(entry.get("name")),
            name=_text(entry.get("name")),
            category=_text(entry.get("category")),
            primary=_texts(entry.get("primary_muscles")),
            secondary=_texts(entry.get("secondary_muscles")),
            equipment=_texts(entry.get("equipment")),
            aliases=_texts(entry.get("aliases")),
            instructions=_texts(entry.get("instructions")),
            images=_texts(entry.get("images")),
            licence=_text(title) or "unstated",
            licence_author=_text(entry.get("license_author")),
        )


def wger_api(entries: list[Any]) -> Iterator[Record]:
    """What `/api/v2/exerciseinfo/` returns, one page's `results` or several pages' joined."""
    for entry in _objects(entries):
        english = next(
            (each for each in _objects(entry.get("translations")) if each.get("language") == WGER_ENGLISH), {}
        )
        yield _wger(entry, english, str(entry.get("uuid") or entry.get("id") or ""))


def wger_fixtures(entries: list[Any]) -> Iterator[Record]:
    """The two fixture files, base data and translations, joined into one list."""
    bases: dict[Any, Mapping[str, Any]] = {}
    english: dict[Any, Mapping[str, Any]] = {}
    for entry in _objects(entries):
        fields = entry.get("fields")
        if not isinstance(fields, Mapping):
            continue
        if "muscles" in fields:
            bases[entry.get("pk")] = fields
        elif fields.get("language") == WGER_ENGLISH:
            english.setdefault(fields.get("exercise_base", fields.get("exercise")), fields)
    for key, base in bases.items():
        yield _wger(base, english.get(key, {}), str(base.get("uuid") or key))


def _wger(entry: Mapping[str, Any], english: Mapping[str, Any], source_id: str) -> Record:
    licence = entry.get("license")
    number = licence.get("id") if isinstance(licence, Mapping) else licence
    category = entry.get("category")
    category_id = category.get("id") if isinstance(category, Mapping) else category
    return Record(
        source=WGER,
        source_id=source_id,
        name=_text(english.get("name") or entry.get("name")),
        category=WGER_CATEGORIES.get(category_id, "") if isinstance(category_id, int) else "",
        primary=_named(entry.get("muscles"), dict(enumerate(WGER_MUSCLES, start=1))),
        secondary=_named(entry.get("muscles_secondary"), dict(enumerate(WGER_MUSCLES, start=1))),
        equipment=_named(entry.get("equipment"), WGER_EQUIPMENT),
        aliases=[_text(each.get("alias")) for each in _objects(english.get("aliases")) if each.get("alias")],
        instructions=_paragraphs(_text(english.get("description"))),
        images=[_text(each.get("image")) for each in _objects(entry.get("images")) if each.get("image")],
        licence=WGER_LICENCES.get(number, "unstated") if isinstance(number, int) else "unstated",
        licence_author=_text(english.get("license_author") or entry.get("license_author")),
    )


def _named(items: object, names: Mapping[int, str]) -> list[str]:
    """Numbers, or objects with numbers, as words; an unknown number stays visible as what it is."""
    found = []
    for item in items if isinstance(items, list) else []:
        number = item.get("id") if isinstance(item, Mapping) else item
        found.append(names.get(number, f"#{number}") if isinstance(number, int) else f"#{number}")
    return found


def _paragraphs(html: str) -> list[str]:
    parts = re.split(r"</p>|</li>|<br\s*/?>", html)
    return [text for part in parts if (text := " ".join(unescape(_TAG.sub(" ", part)).split()))]


def _objects(items: object) -> Iterator[Mapping[str, Any]]:
    for item in items if isinstance(items, list) else []:
        if isinstance(item, Mapping):
            yield item


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _texts(values: object) -> list[str]:
    return [value.strip() for value in values if isinstance(value, str)] if isinstance(values, list) else []
