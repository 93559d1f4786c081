"""Exercises an organisation has beside the catalogue that ships."""

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from spotter.sessions.codec import storable
from spotter.store.unit_of_work import UnitOfWork
from spotter.training.exercise import Exercise
from spotter.training.importers import ImportedExercise
from spotter.training.tables import OwnExercise


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
