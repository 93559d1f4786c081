"""Saving organisations' own agents and scenarios: checked before, versioned, recorded, and never really deleted."""

from collections.abc import Iterator, Sequence
from typing import Any, Final, cast
from uuid import UUID

from sqlalchemy import select, text

from spotter.billing.accounts import read_account
from spotter.billing.tiers import Tier
from spotter.clock import now
from spotter.errors import Conflict, NotFound
from spotter.identity import audit, projects
from spotter.ids import new_id
from spotter.scenarios.book import Book
from spotter.scenarios.checking import CannotWork, Problem, check, check_course, check_plan
from spotter.scenarios.definitions import Definitions
from spotter.scenarios.own import File, Kind, Own, as_kept, read_own
from spotter.scenarios.scenario_files import ScenarioFile
from spotter.scenarios.tables import AiAgent, AiAgentVersion, Scenario, ScenarioVersion
from spotter.sessions.codec import storable
from spotter.store.unit_of_work import UnitOfWork

_LOCK: Final = 7270
_ONE_AT_A_TIME: Final = text(f"SELECT pg_advisory_xact_lock({_LOCK}, uuid_hash(:org))")
_MOST_VERSIONS_SHOWN: Final = 200

Row = AiAgent | Scenario
Version = AiAgentVersion | ScenarioVersion


class StillNeeded(Conflict):
    """It cannot be put away: others would not work without it."""

    code = "definition_needed"
    title = "Still in use"


async def create(
    uow: UnitOfWork, definitions: Definitions, kind: Kind[File], file: File, project_id: UUID | None = None
) -> Row:
    own = await _begin(uow)
    if project_id is not None:
        await projects.open_one(uow, project_id)
    _refuse_taken(kind, own, kind.name_of(file), project_id)
    if sum(isinstance(each.definition, kind.file) for each in own.kept) >= kind.most:
        raise Conflict(f"An organisation can have {kind.most} {kind.word}s. Put one away first.")
    row = kind.rows(
        org_id=uow.scope.org_id,
        id=new_id(),
        name=kind.name_of(file),
        project_id=project_id,
        version=1,
        definition=_written(file),
        updated_by=uow.scope.user_id,
        created_at=now(),
        updated_at=now(),
    )
    plan = (await read_account(uow)).tier
    _refuse_broken(definitions, own, own.changed(None, as_kept(kind, row)), kind, row, plan)
    uow.session.add(row)
    await uow.session.flush()
    await _remember(uow, kind, row, "saved")
    return row


async def change(
    uow: UnitOfWork,
    definitions: Definitions,
    kind: Kind[File],
    row: Row,
    file: File,
    *,
    note: str = "saved",
) -> Row:
    """The next version. One that was put away comes back with it."""
    own = await _begin(uow)
    await uow.session.refresh(row)
    _refuse_taken(kind, own, kind.name_of(file), row.project_id, but=row.id)
    row.name = kind.name_of(file)
    row.definition = _written(file)
    row.version += 1
    row.updated_by = uow.scope.user_id
    row.updated_at = now()
    row.archived_at = None
    plan = (await read_account(uow)).tier
    _refuse_broken(definitions, own, own.changed(row.id, as_kept(kind, row)), kind, row, plan)
    await uow.session.flush()
    await _remember(uow, kind, row, note)
    return row


async def archive(uow: UnitOfWork, definitions: Definitions, kind: Kind[File], row: Row) -> None:
    """Put away. Where it stood in for one that ships with Spotter, that one holds again."""
    own = await _begin(uow)
    await uow.session.refresh(row)
    if row.archived_at is not None:
        return
    found = list(_new_problems(definitions, own, own.changed(row.id, None), row.project_id))
    if found:
        told = " ".join(f"{each.where}: {each.message}" for each in found[:5])
        raise StillNeeded(f"It was not put away, because others need it. {told}")
    row.archived_at = now()
    row.updated_by = uow.scope.user_id
    await uow.session.flush()
    uow.settings_changed()
    await audit.record(uow, f"{kind.word}.archived", target=str(row.id), detail={"name": row.name})


async def roll_back(
    uow: UnitOfWork, definitions: Definitions, kind: Kind[File], row: Row, version: int
) -> Row:
    """A new version that is like an old one; it is checked like any other, for tools and models may have changed."""
    old = await uow.session.scalar(
        select(kind.versions.definition).where(
            kind.versions.definition_id == row.id, kind.versions.version == version
        )
    )
    if old is None:
        raise NotFound(f"There is no version {version} of it.")
    file = kind.file.model_validate(old)
    return await change(uow, definitions, kind, row, file, note=f"back to version {version}")


async def by_id(uow: UnitOfWork, kind: Kind[File], row_id: UUID) -> Row:
    row: Row | None = await uow.session.scalar(select(kind.rows).where(kind.rows.id == row_id))
    if row is None:
        raise NotFound(f"There is no such {kind.word}.")
    return row


async def by_name(uow: UnitOfWork, kind: Kind[File], name: str, project_id: UUID | None) -> Row | None:
    """The one that is not put away, or else the one that was put away last."""
    found: Row | None = await uow.session.scalar(
        select(kind.rows)
        .where(kind.rows.name == name, kind.rows.project_id.is_not_distinct_from(project_id))
        .order_by(kind.rows.archived_at.desc().nulls_first())
        .limit(1)
    )
    return found


async def book_in(uow: UnitOfWork, definitions: Definitions, project_id: UUID | None) -> Book:
    """As it will be once this transaction is committed."""
    return (await read_own(uow)).book(definitions.builtin, project_id)


async def versions(uow: UnitOfWork, kind: Kind[File], row: Row) -> Sequence[Version]:
    """Newest first."""
    found = await uow.session.scalars(
        select(kind.versions)
        .where(kind.versions.definition_id == row.id)
        .order_by(kind.versions.version.desc())
        .limit(_MOST_VERSIONS_SHOWN)
    )
    return cast("Sequence[Version]", found.all())


async def archived(uow: UnitOfWork, kind: Kind[File], project_id: UUID | None) -> Sequence[Row]:
    found = await uow.session.scalars(
        select(kind.rows)
        .where(kind.rows.archived_at.is_not(None), kind.rows.project_id.is_not_distinct_from(project_id))
        .order_by(kind.rows.name, kind.rows.archived_at.desc())
        .limit(kind.most)
    )
    return cast("Sequence[Row]", found.all())


def problems_with(book: Book, definitions: Definitions) -> list[Problem]:
    return check(book.agents, book.scenarios, definitions.rules)


async def _begin(uow: UnitOfWork) -> Own:
    """One writer at a time in an organisation: two changes that are fine alone may not be together."""
    await uow.session.execute(_ONE_AT_A_TIME, {"org": uow.scope.org_id})
    return await read_own(uow)


async def _remember(uow: UnitOfWork, kind: Kind[File], row: Row, note: str) -> None:
    uow.session.add(
        kind.versions(
            org_id=row.org_id,
            definition_id=row.id,
            version=row.version,
            definition=row.definition,
            note=note,
            created_by=uow.scope.user_id,
            created_at=row.updated_at,
        )
    )
    uow.settings_changed()
    detail = {"name": row.name, "version": row.version, "note": note}
    await audit.record(uow, f"{kind.word}.saved", target=str(row.id), detail=detail)


def _refuse_taken(
    kind: Kind[File], own: Own, name: str, project_id: UUID | None, but: UUID | None = None
) -> None:
    for each in own.kept:
        same = each.name == name and each.project_id == project_id and each.id != but
        if same and isinstance(each.definition, kind.file):
            raise Conflict(f"There is a {kind.word} called {name!r} already ({each.id}). Change that one.")


def _refuse_broken(
    definitions: Definitions, before: Own, after: Own, kind: Kind[File], row: Row, plan: Tier
) -> None:
    found = list(_new_problems(definitions, before, after, row.project_id, f"{kind.word} {row.name}"))
    file = as_kept(kind, row).definition
    if isinstance(file, ScenarioFile):
        found.extend(check_course(file, definitions.builtin.scenarios.get(file.id)))
    else:
        found.extend(check_plan(file, plan))
    if found:
        raise CannotWork(found)


def _new_problems(
    definitions: Definitions, before: Own, after: Own, project_id: UUID | None, subject: str = ""
) -> Iterator[Problem]:
    """What the change would break, and what is wrong with what is saved. What was broken before stays possible: it has
    to be put right one by one. A change of the organisation's holds in its projects too."""
    places = {project_id} if project_id is not None else {None, *before.projects}
    seen: set[Problem] = set()
    for place in sorted(places, key=str):
        known = set(problems_with(before.book(definitions.builtin, place), definitions))
        for problem in problems_with(after.book(definitions.builtin, place), definitions):
            if problem not in seen and (problem not in known or problem.where == subject):
                seen.add(problem)
                yield problem


def _written(file: File) -> dict[str, Any]:
    written = _storable(file.model_dump(mode="json", exclude_none=True))
    assert isinstance(written, dict)
    return written


def _storable(value: Any) -> Any:
    match value:
        case str():
            return storable(value)
        case dict():
            return {key: _storable(each) for key, each in value.items()}
        case list():
            return [_storable(each) for each in value]
        case _:
            return value
