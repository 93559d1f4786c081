"""The chain of the audit log: sealing what is new, and checking that nothing was changed since.

A changed, removed, inserted or reordered entry breaks a hash or leaves a gap; a shortened chain disagrees with its
head. Whoever can rewrite the whole database can also rewrite all of it, so heads are shown to be noted elsewhere: the
chain must still contain a head that was noted before.
"""

import hashlib
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple
from uuid import UUID

import psycopg

from spotter.store.database import Database
from spotter.store.scope import Scope

LATE: Final = timedelta(minutes=10)
"""An entry dated so long before it was sealed is shown as such: a long transaction, an outage, or somebody's hand."""
WAITING: Final = timedelta(minutes=5)
"""So long unsealed means that nobody seals."""
_BATCH: Final = 1_000
_AT_ONCE: Final = 500
_MOST_KEPT: Final = 100

_SEAL: Final = "SELECT spotter_auth.seal_audit(%s, %s)"
_LINKS: Final = """
    SELECT a.chain_number, a.hash, spotter_audit_content(a), a.at, a.sealed_at, a.ip, a.ip_salt, a.ip_digest
    FROM audit_log a WHERE a.org_id = %s AND a.chain_number >= %s ORDER BY a.chain_number LIMIT %s
"""
_HASH: Final = "SELECT hash FROM audit_log WHERE org_id = %s AND chain_number = %s"
_HEAD: Final = "SELECT number, hash FROM audit_heads WHERE org_id = %s"
_UNSEALED: Final = """
    SELECT count(*), count(*) FILTER (WHERE at < now() - %s) FROM audit_log WHERE org_id = %s AND chain_number IS NULL
"""


class Link(NamedTuple):
    """A sealed entry. `content` is the text that was hashed."""

    number: int
    hash: bytes
    content: str
    at: datetime
    sealed_at: datetime | None
    ip: str | None
    ip_salt: UUID | None
    ip_digest: bytes | None


class Head(NamedTuple):
    number: int
    hash: bytes


_NO_HEAD: Final = Head(0, b"")


class Broken(NamedTuple):
    number: int
    what: str


@dataclass(slots=True)
class Checked:
    """What was found in one organisation's chain, or the part of it that was looked at."""

    org_id: UUID
    head: Head | None = None
    entries: int = 0
    last: int = 0
    unsealed: int = 0
    waiting_long: int = 0
    late: int = 0
    early: int = 0
    forgotten: int = 0
    count: int = 0
    broken: list[Broken] = field(default_factory=list)
    late_numbers: list[int] = field(default_factory=list)

    @property
    def good(self) -> bool:
        return self.count == 0

    def note(self, link: Link) -> None:
        self.entries += 1
        self.forgotten += link.ip is None and link.ip_digest is not None
        if link.sealed_at is None:
            return  # which no sealer leaves: the hash says so
        self.early += link.at > link.sealed_at + WAITING
        if link.at < link.sealed_at - LATE:
            self.late += 1
            if len(self.late_numbers) < _MOST_KEPT:
                self.late_numbers.append(link.number)

    def add(self, number: int, what: str) -> None:
        self.count += 1
        if len(self.broken) < _MOST_KEPT:
            self.broken.append(Broken(number, what))


@dataclass(slots=True)
class Chain:
    """Takes links in order and says what is wrong with each. `hash` is that of the entry before the first one."""

    number: int = 0
    hash: bytes = b""

    def take(self, link: Link) -> Iterator[str]:
        if link.number != self.number + 1:
            yield f"comes after {self.number}: what was between them is gone"
        elif hashlib.sha256(self.hash + link.content.encode()).digest() != link.hash:
            yield "is not what was sealed, or does not follow the entry before it"
        if link.ip is not None and (link.ip_salt is None or _digest(link.ip_salt, link.ip) != link.ip_digest):
            yield "has another address than was sealed"
        self.number, self.hash = link.number, bytes(link.hash or b"")


def _digest(salt: UUID, address: str) -> bytes:
    return hashlib.sha256(salt.bytes + address.encode()).digest()


async def seal(database: Database, org_id: UUID, *, wait: bool = False) -> int:
    """Everything that is unsealed, in small transactions. How many entries it were."""
    sealed = 0
    while True:
        async with database.unit_of_work(Scope(org_id, None, "service")) as uow:
            cursor = await (await uow.driver()).execute(_SEAL, (_AT_ONCE, wait))
            row = await cursor.fetchone()
        count = int(row[0]) if row else 0
        sealed += count
        if count < _AT_ONCE:
            return sealed


async def links(
    connection: psycopg.AsyncConnection[Any], org_id: UUID, *, first: int = 1, most: int | None = None
) -> AsyncIterator[Link]:
    """In a transaction that acts for the organisation."""
    while most is None or most > 0:
        wanted = _BATCH if most is None else min(_BATCH, most)
        rows = await (await connection.execute(_LINKS, (org_id, first, wanted))).fetchall()
        for row in rows:
            yield Link(*row)
        if len(rows) < wanted:
            return
        first = rows[-1][0] + 1
        most = None if most is None else most - len(rows)


async def check(
    connection: psycopg.AsyncConnection[Any], org_id: UUID, *, first: int = 1, most: int | None = None
) -> Checked:
    """The chain from an entry on, in a transaction that acts for the organisation. It may grow meanwhile."""
    found = Checked(org_id)
    chain = Chain()
    before = await _head(connection, org_id)
    if first > 1:
        row = await (await connection.execute(_HASH, (org_id, first - 1))).fetchone()
        chain = Chain(first - 1, bytes(row[0]) if row else b"")
    async for link in links(connection, org_id, first=first, most=most):
        for what in chain.take(link):
            found.add(link.number, what)
        found.note(link)
    found.last = chain.number
    found.head = await _head(connection, org_id)
    if most is None or found.entries < most or chain.number >= max(found.head.number if found.head else 0, 1):
        _compare(found, chain, before or _NO_HEAD, found.head or _NO_HEAD)
    unsealed = await (await connection.execute(_UNSEALED, (WAITING, org_id))).fetchone()
    assert unsealed is not None
    found.unsealed, found.waiting_long = unsealed
    return found


async def _head(connection: psycopg.AsyncConnection[Any], org_id: UUID) -> Head | None:
    row = await (await connection.execute(_HEAD, (org_id,))).fetchone()
    return Head(row[0], bytes(row[1])) if row else None


def _compare(found: Checked, chain: Chain, before: Head, after: Head) -> None:
    """The end of the chain with what the sealer left as its end, before and after we read it."""
    if chain.number < before.number:
        found.add(chain.number + 1, f"and all up to {before.number} are gone: the chain was sealed so far")
    elif chain.number > after.number:
        found.add(chain.number, f"comes after the end that was sealed, which is {after.number}")
    elif any(head.number == chain.number and head.hash != chain.hash for head in (before, after)):
        found.add(chain.number, "is not the end that was sealed")


async def contains(connection: psycopg.AsyncConnection[Any], org_id: UUID, head: Head) -> bool:
    """Whether a head that was noted before is still part of the chain."""
    row = await (await connection.execute(_HASH, (org_id, head.number))).fetchone()
    return row is not None and bytes(row[0]) == head.hash
