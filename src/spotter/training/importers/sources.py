"""Which app or collection a file comes from, and reading it."""

import json
from collections.abc import Iterable, Iterator
from datetime import tzinfo
from itertools import chain
from typing import Any

from spotter.training.catalogue import Catalogue
from spotter.training.importers import hevy, open_collections, strong
from spotter.training.importers.imported import ImportedExercise, Record, imported
from spotter.training.importers.logged import LoggedWorkout
from spotter.training.importers.outcome import Skipped, UnreadableFile


def read_log(
    lines: Iterable[str], book: Catalogue, *, zone: tzinfo, pounds: bool = False
) -> Iterator[LoggedWorkout | Skipped]:
    """The workouts of a log. Lines are taken one by one, so whoever hands them over can show how far it is."""
    source = iter(lines)
    header = next((line for line in source if line.strip()), "")
    columns = {
        column.strip(' "\ufeff\r\n').lower()
        for column in header.replace("\t", ",").replace(";", ",").split(",")
    }
    whole = chain([header], source)
    if columns >= strong.COLUMNS:
        return strong.read(whole, book, zone=zone, pounds=pounds)
    if columns >= hevy.COLUMNS:
        return hevy.read(whole, book, zone=zone)
    seen = ", ".join(sorted(column for column in columns if column))[:200] or "nothing"
    raise UnreadableFile(
        "This is no log of Strong or Hevy as we know them. Nothing was imported. If the app speaks another "
        f"language, set it to English and export again. The first line has: {seen}."
    )


def read_exercises(
    text: str, book: Catalogue, *, images: bool = False
) -> Iterator[ImportedExercise | Skipped]:
    """The exercises of a collection. Entries that cannot be used come as `Skipped`, with the reason."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableFile(f"This is no JSON: {error}. Nothing was imported.") from error
    seen: set[str] = set()
    for record in _records(content):
        outcome = imported(record, book, images=images)
        if isinstance(outcome, ImportedExercise):
            if outcome.exercise.id in seen:
                yield Skipped(record.source_id, record.name, "it is in the file twice")
                continue
            seen.add(outcome.exercise.id)
        yield outcome


def _records(content: Any) -> Iterator[Record]:
    entries = content
    if isinstance(content, dict):
        entries = content.get("exercises", content.get("results", []))
    first: dict[str, Any] = (
        next((each for each in entries if isinstance(each, dict)), {}) if isinstance(entries, list) else {}
    )
    if "primaryMuscles" in first:
        return open_collections.free_exercise_db(entries)
    if "primary_muscles" in first:
        return open_collections.exercemus(entries)
    if "model" in first and "pk" in first:
        return open_collections.wger_fixtures(entries)
    if "muscles" in first and "category" in first:
        return open_collections.wger_api(entries)
    raise UnreadableFile(
        "This is no collection we know (free-exercise-db, exercemus, or wger's API or fixtures). Nothing was imported."
    )
