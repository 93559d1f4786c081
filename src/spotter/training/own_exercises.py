"""Exercises an organisation has beside the catalogue that ships."""

from collections import OrderedDict
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import insert

from spotter.sessions.codec import storable
from spotter.store.unit_of_work import UnitOfWork
from spotter.training.catalogue import Catalogue, catalogue
from spotter.training.catalogue.loading import exercise_from
from spotter.training.exercise import Exercise
from spotter.training.importers import ImportedExercise
from spotter.training.own_lines import TITLE, line_of, name_of
from spotter.training.tables import OwnExercise
from spotter.training.vocabulary import Equipment, Pattern

_MOST_TOLD: Final = 40
"""A prompt is no catalogue: the first of them, and how many there are."""
_MOST_BOOKS: Final = 32
_books: OrderedDict[tuple[UUID, int, datetime | None], Catalogue] = OrderedDict()


async def add(uow: UnitOfWork, found: Sequence[ImportedExercise]) -> int:
    """How many are new. What is there already stays as it is: somebody may have put it right."""
    added = await uow.session.execute(
        insert(OwnExercise)
        .values([_row(uow, one) for one in found])
        .on_conflict_do_nothing()
        .returning(OwnExercise.id)
    )
    return len(added.all())


async def known(uow: UnitOfWork, ids: Collection[str]) -> set[str]:
    return set(await uow.session.scalars(select(OwnExercise.id).where(OwnExercise.id.in_(ids))))


async def book_for(uow: UnitOfWork) -> Catalogue:
    """The catalogue that ships with what the organisation has beside it; kept until that changes."""
    there = await uow.session.execute(select(func.count(), func.max(OwnExercise.updated_at)))
    count, changed = there.one()
    if not count or uow.scope.org_id is None:
        return catalogue()
    key = (uow.scope.org_id, count, changed)
    if (known := _books.get(key)) is None:
        known = _books[key] = catalogue().also(await every(uow))
        while len(_books) > _MOST_BOOKS:
            _books.popitem(last=False)
    return known


async def every(uow: UnitOfWork) -> list[Exercise]:
    rows = await uow.session.scalars(select(OwnExercise.exercise).order_by(OwnExercise.id))
    return [_read(entry) for entry in rows]


async def told(uow: UnitOfWork) -> str:
    """For models: what there is beside the catalogue. What is stated fully comes first."""
    found = await every(uow)
    if not found:
        return ""
    found.sort(
        key=lambda each: (each.unproven, Equipment.OTHER in each.equipment, each.name.lower(), each.id)
    )
    more = f"\n({len(found) - _MOST_TOLD} more are not listed.)" if len(found) > _MOST_TOLD else ""
    return "\n".join([TITLE, *map(line_of, found[:_MOST_TOLD])]) + more


def _read(entry: dict[str, Any]) -> Exercise:
    found = exercise_from(entry, Pattern(entry["pattern"]), ())
    return replace(found, name=name_of(found))


def entry_of(exercise: Exercise) -> dict[str, Any]:
    """In the form of the catalogue's files, with the pattern that is a file's name there."""
    return {
        "id": exercise.id,
        "name": storable(exercise.name),
        "aliases": [storable(alias) for alias in exercise.aliases],
        "pattern": exercise.pattern.value,
        "primary": [muscle.value for muscle in exercise.primary],
        "secondary": [muscle.value for muscle in exercise.secondary],
        "equipment": [sorted(item.value for item in setup) for setup in exercise.setups],
        "level": exercise.level,
        "unit": exercise.unit.value,
        "mechanic": exercise.mechanic.value,
        "force": exercise.force.value,
        "unilateral": exercise.unilateral,
        "range": list(exercise.range),
        "seconds": exercise.seconds_per_unit,
        "intensity": exercise.intensity.value,
        "joints": {joint.value: load for joint, load in exercise.joints.items()},
        "flags": sorted(flag.value for flag in exercise.flags),
        "suits": sorted(each.value for each in exercise.suits),
        "cues": list(exercise.cues),
    }


def _row(uow: UnitOfWork, one: ImportedExercise) -> dict[str, Any]:
    assert uow.scope.org_id is not None
    more = {
        "instructions": [storable(line) for line in one.instructions],
        "images": [storable(image) for image in one.images],
        "guessed": list(one.guessed),
    }
    return {
        "org_id": uow.scope.org_id,
        "id": one.exercise.id,
        "exercise": {**entry_of(one.exercise), **more},
        "source": one.source,
        "source_id": storable(one.source_id),
        "licence": storable(one.licence),
        "licence_author": storable(one.licence_author),
    }
