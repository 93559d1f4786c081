"""What a person's page shows, as an agent may be told of it (B6): records, access and drafts, without personal data
where the organisation's policy says so, and without ids: references stand in for them, which tool calls resolve."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from spotter.clock import now
from spotter.context.records import KINDS, Record, Wanted
from spotter.context.tables import ContextSnapshot, SessionContext
from spotter.errors import InvalidInput, NotFound
from spotter.identity import organisations, projects
from spotter.identity.tables import Project
from spotter.ids import new_id
from spotter.safety import Action, CategoryName, Policy, moderate
from spotter.sessions.codec import storable
from spotter.store.scope import NOBODY
from spotter.store.unit_of_work import UnitOfWork

MOST_RECORDS: Final = 50
_OF_THE_PAGE: Final = 10
_OF_OTHERS: Final = 3
_LONGEST_LINE: Final = 400
_ID: Final = re.compile(r"[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}", re.IGNORECASE)
_HOW: Final = (
    "Where a tool asks for an id, give the reference, e.g. {one}. References of older context no longer hold."
)


@dataclass(frozen=True, slots=True)
class Asked:
    page: str
    user_id: UUID | None = None
    project_id: UUID | None = None
    record_ids: Collection[UUID] | None = None


async def take(uow: UnitOfWork, asked: Asked, policy: Policy) -> ContextSnapshot:
    """A new snapshot, the caller's own. Of another person as far as the caller may see them, which a `user_id` does not
    change: it names whose records are wanted, nothing more."""
    project = await projects.open_one(uow, asked.project_id)
    person = asked.user_id or uow.scope.user_id
    if person is not None and person != uow.scope.user_id:
        await organisations.get_member(uow, person)
    found = await _records(uow, asked, project, person)
    references, labels, lines, drafts = _with_references(found)
    access = await _access(uow, project, person)
    first = next(iter(references), None)
    block = "\n".join(
        [
            f"Page: {_without_ids(asked.page, references)}",
            f"Project: {project.name}",
            f"Access: {_told(access)}",
            *lines,
            *([_HOW.format(one=first)] if first else []),
        ]
    )
    snapshot = ContextSnapshot(
        org_id=project.org_id,
        id=new_id(),
        user_id=uow.scope.user_id or NOBODY,
        project_id=project.id,
        page=storable(asked.page),
        block=storable(stripped(block, policy)),
        reference_ids=references,
        labels={name: storable(stripped(label, policy)) for name, label in labels.items()},
        access=access,
        drafts={"items": [{**one, "title": storable(stripped(one["title"], policy))} for one in drafts]},
        untrusted=any(record.strange for _, records in found for record in records),
        created_at=now(),
    )
    uow.session.add(snapshot)
    await uow.session.flush()
    return snapshot


async def get(uow: UnitOfWork, context_id: UUID) -> ContextSnapshot:
    """The caller's own; another person's is not there, also for staff."""
    found = await uow.session.scalar(
        select(ContextSnapshot).where(
            ContextSnapshot.id == context_id, ContextSnapshot.user_id == (uow.scope.user_id or NOBODY)
        )
    )
    if found is None:
        raise NotFound("There is no such context. Take a snapshot first; it is kept for 90 days.")
    return found


async def attach(uow: UnitOfWork, session_id: UUID, snapshot: ContextSnapshot) -> bool:
    """Gives a session the snapshot's references. False when it has them already."""
    given = await uow.session.execute(
        insert(SessionContext)
        .values(
            org_id=snapshot.org_id,
            session_id=session_id,
            context_id=snapshot.id,
            user_id=snapshot.user_id,
            created_at=now(),
        )
        .on_conflict_do_nothing()
        .returning(SessionContext.context_id)
    )
    return given.first() is not None


async def of_session(uow: UnitOfWork, session_id: UUID) -> Sequence[ContextSnapshot]:
    """What it was given, the newest last."""
    rows = await uow.session.scalars(
        select(ContextSnapshot)
        .join(SessionContext, SessionContext.context_id == ContextSnapshot.id)
        .where(
            SessionContext.session_id == session_id,
            ContextSnapshot.user_id == (uow.scope.user_id or NOBODY),
        )
        .order_by(SessionContext.created_at, ContextSnapshot.id)
    )
    return rows.all()


async def _records(
    uow: UnitOfWork, asked: Asked, project: Project, person: UUID | None
) -> list[tuple[str, Sequence[Record]]]:
    if asked.record_ids is not None and len(asked.record_ids) > MOST_RECORDS:
        raise InvalidInput(f"At most {MOST_RECORDS} records at a time.")
    page = asked.page.lower()
    about = [kind for kind in KINDS if any(word in page for word in kind.words)]
    found: list[tuple[str, Sequence[Record]]] = []
    seen: set[UUID] = set()
    for kind in KINDS:
        limit = _OF_THE_PAGE if kind in about else _OF_OTHERS
        if asked.record_ids is not None:
            limit = MOST_RECORDS
        wanted = Wanted(person, project.id, limit, asked.record_ids)
        records = await kind.fetch(uow, wanted)
        if not records and kind.always and asked.record_ids is not None:
            records = await kind.fetch(uow, Wanted(person, project.id, _OF_OTHERS))
        seen.update(record.id for record in records if record.id is not None)
        found.append((kind.name, records))
    if set(asked.record_ids or ()) - seen:
        raise NotFound("There are no such records here, or not all of them.")
    return found


def _with_references(
    found: Sequence[tuple[str, Sequence[Record]]],
) -> tuple[dict[str, Any], dict[str, str], list[str], list[dict[str, Any]]]:
    titles = {kind.name: kind.title for kind in KINDS}
    references: dict[str, Any] = {}
    labels: dict[str, str] = {}
    lines: list[str] = []
    drafts: list[dict[str, Any]] = []
    for kind, records in found:
        if records:
            lines.append(f"{titles[kind]}:")
        for number, record in enumerate(records, start=1):
            told = " ".join(record.told.split())[:_LONGEST_LINE]
            if record.id is None:
                lines.append(f"- {told}")
                continue
            name = f"{kind}_{number}"
            references[name] = str(record.id)
            labels[name] = record.label
            lines.append(f"- {name}: {told}")
            if record.data is not None:
                drafts.append({"reference": name, **record.data})
    return references, labels, [_without_ids(line, references) for line in lines], drafts


def _without_ids(text: str, references: dict[str, Any]) -> str:
    """Ids that the page itself carries (in its address, say): as references where they are known, else not at all."""
    known = {str(identifier): name for name, identifier in references.items()}
    return _ID.sub(lambda found: known.get(found[0].lower(), "[id]"), text)


async def _access(uow: UnitOfWork, project: Project, person: UUID | None) -> dict[str, Any]:
    return {
        "role": uow.scope.role or "",
        "project": project.name,
        "default_project": project.is_default,
        "shares_drafts": await projects.shares(uow, project.id),
        "own_records": person == uow.scope.user_id,
    }


def _told(access: dict[str, Any]) -> str:
    whose = "their own records" if access["own_records"] else "another person's records"
    drafts = "the project's drafts" if access["shares_drafts"] else "their own drafts"
    return f"a {access['role']}, who looks at {whose} and {drafts}"


def stripped(text: str, policy: Policy) -> str:
    """Without e-mails, telephone numbers and the like, unless the organisation's policy lets them pass."""
    if policy.action(CategoryName.PERSONAL_DATA, 1.0, "knowledge") is Action.ALLOW:
        return text
    return moderate(text, "knowledge", policy).redacted or text
