"""The audit log, for those who answer for the organisation: to read, to check, and to take along."""

from datetime import datetime
from typing import Annotated, Any, Final
from uuid import UUID

from fastapi import Query, Response
from pydantic import BaseModel, Field, StringConstraints
from pydantic_core import to_json
from sqlalchemy import select, tuple_

from spotter.api.access import AdminCaller
from spotter.api.pages import Cursor, Page, PageParams, page_of
from spotter.api.routing import router
from spotter.api.transactions import Transaction
from spotter.errors import InvalidInput
from spotter.identity import audit, audit_chain
from spotter.identity.audit_chain import Head, Link
from spotter.identity.tables import AuditEntry

routes = router("audit", prefix="/api/audit")

NDJSON: Final = "application/x-ndjson"
_MOST: Final = 10_000

First = Annotated[int, Query(ge=1, le=2**62, description="the number of the first entry")]
Most = Annotated[int, Query(ge=1, le=_MOST, description="how many at most; ask again for the rest")]
Hash = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class Entry(BaseModel):
    id: UUID
    at: datetime = Field(description="when, as the one says who recorded it")
    actor_kind: str
    actor_id: UUID | None
    action: str
    target: str
    ip: str | None
    correlation_id: str | None
    detail: dict[str, Any]
    number: int | None = Field(description="its place in the chain; null until it is sealed, seconds later")
    hash: str | None = Field(description="over the entry and the hash of the one before it")
    sealed_at: datetime | None = Field(description="when, as the database says who sealed it")


class ChainHead(BaseModel):
    """The end of the chain. Note it elsewhere: a later check can ask whether it is still part of it."""

    number: int
    hash: str


class BrokenLink(BaseModel):
    number: int
    what: str


class ChainCheck(BaseModel):
    good: bool = Field(
        description="nothing was changed, removed, inserted or reordered, as far as was looked"
    )
    entries: int = Field(description="how many were looked at")
    next_number: int | None = Field(description="where to go on; null at the end of the chain")
    head: ChainHead | None
    known_is_there: bool | None = Field(description="whether the head you noted is still part of the chain")
    broken: list[BrokenLink] = Field(description="the first hundred")
    unsealed: int = Field(description="entries of the last seconds that are not part of the chain yet")
    waiting_long: int = Field(description="entries that should have been sealed long ago: does a worker run?")
    late: list[int] = Field(description="entries dated long before they were sealed; the first hundred")


def _shown(row: AuditEntry) -> Entry:
    return Entry(
        id=row.id,
        at=row.at,
        actor_kind=row.actor_kind,
        actor_id=row.actor_id,
        action=row.action,
        target=row.target,
        ip=row.ip,
        correlation_id=row.correlation_id,
        detail=row.detail,
        number=row.chain_number,
        hash=row.hash.hex() if row.hash is not None else None,
        sealed_at=row.sealed_at,
    )


@routes.get("")
async def list_audit_entries(caller: AdminCaller, uow: Transaction, page: PageParams) -> Page[Entry]:
    """Who did what, newest first."""
    query = select(AuditEntry).order_by(AuditEntry.at.desc(), AuditEntry.id.desc()).limit(page.limit + 1)
    if page.after is not None:
        query = query.where(tuple_(AuditEntry.at, AuditEntry.id) < page.after)
    rows = (await uow.session.scalars(query)).all()
    return page_of(rows, page, item=_shown, place=lambda row: Cursor(row.at, row.id))


@routes.get("/verify")
async def verify_audit_chain(
    caller: AdminCaller,
    uow: Transaction,
    first: First = 1,
    most: Most = _MOST,
    known_number: Annotated[int | None, Query(ge=1, le=2**62, description="of a head noted before")] = None,
    known_hash: Annotated[Hash | None, Query(description="of the same head")] = None,
) -> ChainCheck:
    """Hash the chain again and say what does not fit."""
    if (known_number is None) != (known_hash is None):
        raise InvalidInput("Give known_number and known_hash together, or neither.")
    connection = await uow.driver()
    found = await audit_chain.check(connection, caller.org_id, first=first, most=most)
    known = None
    if known_number is not None and known_hash is not None:
        head = Head(known_number, bytes.fromhex(known_hash))
        known = await audit_chain.contains(connection, caller.org_id, head)
    at_the_end = found.entries < most or (found.head is not None and found.last >= found.head.number)
    return ChainCheck(
        good=found.good and known is not False,
        entries=found.entries,
        next_number=None if at_the_end else found.last + 1,
        head=ChainHead(number=found.head.number, hash=found.head.hash.hex()) if found.head else None,
        known_is_there=known,
        broken=[BrokenLink(number=broken.number, what=broken.what) for broken in found.broken],
        unsealed=found.unsealed,
        waiting_long=found.waiting_long,
        late=found.late_numbers,
    )


@routes.get(
    "/export",
    response_class=Response,
    responses={200: {"content": {NDJSON: {"schema": {"type": "string"}}}, "description": "one entry a line"}},
)
async def export_audit_log(
    caller: AdminCaller, uow: Transaction, first: First = 1, most: Most = _MOST
) -> Response:
    """Sealed entries in the order of the chain, one JSON object a line, with exactly the text that was hashed. How
    to check them without us is in docs/audit.md."""
    connection = await uow.driver()
    lines = [
        to_json(_exported(link)) + b"\n"
        async for link in audit_chain.links(connection, caller.org_id, first=first, most=most)
    ]
    await audit.record(uow, "audit.exported", detail={"first": first, "entries": len(lines)})
    return Response(b"".join(lines), media_type=NDJSON)


def _exported(link: Link) -> dict[str, Any]:
    return {
        "number": link.number,
        "hash": link.hash.hex(),
        "sealed": link.content,
        "ip": link.ip,
        "ip_salt": link.ip_salt.hex if link.ip_salt else None,
    }
