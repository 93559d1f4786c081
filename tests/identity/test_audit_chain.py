"""The chain of the audit log: whatever is done to a sealed entry shows, and what must be possible does not."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any, TypeAlias
from uuid import UUID

import psycopg
import pytest
from psycopg import errors as pg

from spotter.app import House
from spotter.clock import now
from spotter.identity import audit
from spotter.identity.audit_chain import Checked, Head, check, contains, seal
from spotter.identity.audit_verify import AuditFindings, verify_audit
from spotter.ids import new_id
from spotter.store.embedded import EmbeddedPostgres
from spotter.store.scope import Scope
from tests.support.databases import database_url
from tests.support.people import Gym

Owner: TypeAlias = psycopg.AsyncConnection[Any]


@pytest.fixture
async def owner(home: House, postgres: EmbeddedPostgres) -> AsyncIterator[Owner]:
    """Somebody whom neither rights nor policies nor triggers keep from damage."""
    name = psycopg.conninfo.conninfo_to_dict(home.base.urls.owner)["dbname"]
    url = database_url(postgres.superuser_url, str(name))
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        await connection.execute("SET session_replication_role = replica")
        yield connection


async def record(home: House, gym: Gym, count: int = 1, **more: Any) -> None:
    async with home.services.database.unit_of_work(gym.owner.scope) as uow:
        for number in range(count):
            await audit.record(uow, "test.done", target=str(number), **more)


async def checked(home: House, gym: Gym) -> Checked:
    (chain,) = (await verify_audit(home.services.database, gym.org_id)).chains
    return chain


@pytest.fixture
async def sealed(home: House, gym: Gym) -> Gym:
    """With a chain of at least nine entries, one of them with an address."""
    token = audit.client_address.set("203.0.113.7")
    await record(home, gym, 1)
    audit.client_address.reset(token)
    await record(home, gym, 8, detail={"b": 1.50, "a": ["ü", None], "long name": {"x": "\u2028"}})
    chain = await checked(home, gym)
    assert chain.good
    assert chain.last >= 9
    return gym


async def test_numbers_have_no_gap_and_go_on(home: House, sealed: Gym) -> None:
    before = await checked(home, sealed)
    await record(home, sealed, 3)
    assert await seal(home.services.database, sealed.org_id) == 3
    after = await checked(home, sealed)
    assert after.good
    assert after.head is not None
    assert before.head is not None
    assert (after.entries, after.head.number) == (before.entries + 3, before.head.number + 3)
    assert await seal(home.services.database, sealed.org_id) == 0


# Each changes entry 5 or its neighbours. The first expected number is where it shows.
DAMAGE = {
    "action": ("UPDATE audit_log SET action = 'other' WHERE org_id = %(org)s AND chain_number = 5", 5),
    "target": ("UPDATE audit_log SET target = 'other' WHERE org_id = %(org)s AND chain_number = 5", 5),
    "actor": (
        "UPDATE audit_log SET actor_id = gen_random_uuid() WHERE org_id = %(org)s AND chain_number = 5",
        5,
    ),
    "kind of actor": ("UPDATE audit_log SET actor_kind = 'x' WHERE org_id = %(org)s AND chain_number = 5", 5),
    "time": (
        "UPDATE audit_log SET at = at - interval '1 microsecond' WHERE org_id = %(org)s AND chain_number = 5",
        5,
    ),
    "time of sealing": (
        "UPDATE audit_log SET sealed_at = NULL WHERE org_id = %(org)s AND chain_number = 5",
        5,
    ),
    "id": ("UPDATE audit_log SET id = gen_random_uuid() WHERE org_id = %(org)s AND chain_number = 5", 5),
    "detail": (
        "UPDATE audit_log SET detail = detail || '{\"b\": 1.50}' WHERE org_id = %(org)s AND chain_number = 5",
        5,
    ),
    "correlation": (
        "UPDATE audit_log SET correlation_id = 'x' WHERE org_id = %(org)s AND chain_number = 5",
        5,
    ),
    "address": ("UPDATE audit_log SET ip = '203.0.113.8' WHERE org_id = %(org)s AND ip IS NOT NULL", None),
    "address added": ("UPDATE audit_log SET ip = '203.0.113.8' WHERE org_id = %(org)s AND chain_number = 5", 5),
    "hash": ("UPDATE audit_log SET hash = sha256('x') WHERE org_id = %(org)s AND chain_number = 5", 5),
    "rewritten with its hash": (
        "UPDATE audit_log a SET target = 'other', hash = (SELECT sha256(b.hash || convert_to(spotter_audit_content("
        "jsonb_populate_record(a, '{\"target\": \"other\"}')), 'UTF8')) FROM audit_log b"
        " WHERE b.org_id = a.org_id AND b.chain_number = 4) WHERE a.org_id = %(org)s AND a.chain_number = 5",
        6,
    ),
    "removed": ("DELETE FROM audit_log WHERE org_id = %(org)s AND chain_number = 5", 6),
    "the newest removed": (
        "DELETE FROM audit_log a USING audit_heads h WHERE a.org_id = %(org)s AND h.org_id = a.org_id"
        " AND a.chain_number = h.number",
        None,
    ),
    "all removed": ("DELETE FROM audit_log WHERE org_id = %(org)s", 1),
    "moved to the end": (
        "UPDATE audit_log SET chain_number = 1 + (SELECT number FROM audit_heads WHERE org_id = %(org)s)"
        " WHERE org_id = %(org)s AND chain_number = 5",
        6,
    ),
    "two swapped": (
        "UPDATE audit_log SET chain_number = -6 WHERE org_id = %(org)s AND chain_number = 5;"
        "UPDATE audit_log SET chain_number = 5 WHERE org_id = %(org)s AND chain_number = 6;"
        "UPDATE audit_log SET chain_number = 6 WHERE org_id = %(org)s AND chain_number = -6",
        5,
    ),
    "one inserted, the others moved up": (
        "UPDATE audit_log SET chain_number = -chain_number - 1 WHERE org_id = %(org)s AND chain_number >= 5;"
        "UPDATE audit_log SET chain_number = -chain_number WHERE org_id = %(org)s AND chain_number < 0;"
        "INSERT INTO audit_log (org_id, id, actor_kind, action, chain_number, hash, sealed_at)"
        " SELECT org_id, gen_random_uuid(), 'user', 'never.was', 5, sha256('x'), sealed_at FROM audit_log"
        " WHERE org_id = %(org)s AND chain_number = 4",
        5,
    ),
    "one inserted at the end": (
        "INSERT INTO audit_log (org_id, id, actor_kind, action, chain_number, hash, sealed_at)"
        " SELECT org_id, gen_random_uuid(), 'user', 'never.was', number + 1, sha256('x'), sealed_at"
        " FROM audit_heads WHERE org_id = %(org)s",
        None,
    ),
    "the head removed": ("DELETE FROM audit_heads WHERE org_id = %(org)s", None),
    "the head set back": ("UPDATE audit_heads SET number = number - 1 WHERE org_id = %(org)s", None),
}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGE)
async def test_damage_is_found(home: House, sealed: Gym, owner: Owner, damage: str) -> None:
    statements, shows_at = DAMAGE[damage]
    for statement in statements.split(";"):
        changed = await owner.execute(statement.encode(), {"org": sealed.org_id})
        assert changed.rowcount > 0, "nothing was damaged, so this proves nothing"
    chain = await checked(home, sealed)
    assert not chain.good
    if shows_at is not None:
        assert chain.broken[0].number == shows_at
    assert any("S18" in line for line in AuditFindings([chain]).lines())


async def test_sealing_on_after_damage_does_not_hide_it(home: House, sealed: Gym, owner: Owner) -> None:
    await owner.execute(
        "DELETE FROM audit_log WHERE org_id = %s AND chain_number = (SELECT number FROM audit_heads WHERE org_id = %s)",
        (sealed.org_id, sealed.org_id),
    )
    await record(home, sealed, 3)
    assert not (await checked(home, sealed)).good


async def test_a_whole_new_chain_is_found_by_a_head_noted_before(
    home: House, sealed: Gym, owner: Owner
) -> None:
    head = (await checked(home, sealed)).head
    assert head is not None
    forged = Head(head.number, bytes(32))
    for one, expected in ((head, True), (forged, False), (Head(head.number + 1, head.hash), False)):
        assert await contains(owner, sealed.org_id, one) is expected
    await owner.execute(
        "UPDATE audit_log SET chain_number = NULL, hash = NULL, sealed_at = NULL, target = 'forged' WHERE org_id = %s",
        (sealed.org_id,),
    )
    await owner.execute("DELETE FROM audit_heads WHERE org_id = %s", (sealed.org_id,))
    assert (await checked(home, sealed)).good
    assert not await contains(owner, sealed.org_id, head)


async def test_an_entry_dated_back_is_shown(home: House, sealed: Gym, owner: Owner) -> None:
    assert (await checked(home, sealed)).late == 0
    for at in (now() - timedelta(days=3), now() + timedelta(hours=1)):
        await owner.execute(
            "INSERT INTO audit_log (org_id, id, at, actor_kind, action) VALUES (%s, %s, %s, 'user', 'test.late')",
            (sealed.org_id, new_id(), at),
        )
    chain = await checked(home, sealed)
    assert chain.good
    assert (chain.late, chain.early) == (1, 1)
    (number,) = chain.late_numbers
    assert number > 9
    lines = list(AuditFindings([chain]).lines())
    assert f"  organisation {sealed.org_id}, entry {number}" in lines
    assert any("after they were sealed" in line for line in lines)


async def test_a_chain_holds_in_every_time_zone(home: House, sealed: Gym, owner: Owner) -> None:
    """Also in a database that was restored elsewhere, by somebody with other habits."""
    for setting in (
        "TimeZone = 'Asia/Kathmandu'",
        "extra_float_digits = -5",
        "IntervalStyle = 'sql_standard'",
    ):
        await owner.execute(f"SET {setting}".encode())
    found = await check(owner, sealed.org_id)
    assert found.good
    assert found.entries >= 9


async def test_what_waits_long_for_its_seal_is_reported(home: House, sealed: Gym, owner: Owner) -> None:
    await owner.execute(
        "INSERT INTO audit_log (org_id, id, at, actor_kind, action)"
        " VALUES (%s, %s, now() - interval '6 minutes', 'user', 'test.waits')",
        (sealed.org_id, new_id()),
    )
    chain = await checked(home, sealed)
    assert (chain.good, chain.waiting_long, chain.unsealed) == (True, 1, 0)
    assert any("does a worker run" in line for line in AuditFindings([chain]).lines())


async def test_what_commits_late_is_sealed_late(home: House, gym: Gym) -> None:
    database = home.services.database
    await seal(database, gym.org_id)
    async with database.unit_of_work(gym.owner.scope) as slow:
        await audit.record(slow, "test.slow")
        await record(home, gym, 2)
        assert await seal(database, gym.org_id) == 2
    assert await seal(database, gym.org_id) == 1
    assert (await checked(home, gym)).good


async def test_many_sealers_at_once(home: House, gym: Gym) -> None:
    database = home.services.database
    await seal(database, gym.org_id)
    await record(home, gym, 60)
    sealed = await asyncio.gather(*(seal(database, gym.org_id, wait=n % 2 == 0) for n in range(8)))
    assert sum(sealed) == 60
    assert (await checked(home, gym)).good


async def test_a_chain_that_grows_while_it_is_read_is_good(home: House, gym: Gym) -> None:
    database = home.services.database
    stop = asyncio.Event()

    async def grow() -> None:
        while not stop.is_set():
            await record(home, gym)
            await seal(database, gym.org_id)

    growing = asyncio.create_task(grow())
    try:
        for _ in range(30):
            async with database.unit_of_work(gym.owner.scope) as uow:
                found = await check(await uow.driver(), gym.org_id)
            assert found.broken == []
    finally:
        stop.set()
        await growing


async def test_an_erased_person_leaves_no_address(home: House, sealed: Gym, owner: Owner) -> None:
    async with home.services.database.unit_of_work(sealed.owner.scope) as uow:
        assert await audit.forget_addresses(uow, sealed.owner.user_id) == 1
    left = await owner.execute(
        "SELECT count(*) FROM audit_log WHERE org_id = %s AND (ip IS NOT NULL OR ip_salt IS NOT NULL)",
        (sealed.org_id,),
    )
    assert await left.fetchone() == (0,)
    chain = await checked(home, sealed)
    assert (chain.good, chain.forgotten) == (True, 1)


async def test_organisations_do_not_seal_or_forget_for_each_other(
    home: House, gym: Gym, other_gym: Gym
) -> None:
    database = home.services.database
    await record(home, other_gym)
    await seal(database, gym.org_id)
    async with database.unit_of_work(gym.owner.scope) as uow:
        assert await audit.forget_addresses(uow, other_gym.owner.user_id) == 0
    assert await seal(database, other_gym.org_id) > 0


@pytest.mark.parametrize("role", ["owner", "service"])
@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO audit_log (org_id, id, actor_kind, action, chain_number) VALUES (%(org)s, %(id)s, 'x', 'x', 99)",
        "INSERT INTO audit_log (org_id, id, actor_kind, action, hash) VALUES (%(org)s, %(id)s, 'x', 'x', 'x')",
        "UPDATE audit_log SET chain_number = 99",
        "UPDATE audit_log SET ip = NULL",
        "INSERT INTO audit_heads (org_id, number, hash, sealed_at) VALUES (%(org)s, 1, 'x', now())",
        "UPDATE audit_heads SET number = 1",
        "DELETE FROM audit_heads",
    ],
)
async def test_the_runtime_seals_nothing_by_itself(
    home: House, sealed: Gym, statement: str, role: str
) -> None:
    async with home.services.database.unit_of_work(Scope(sealed.org_id, sealed.owner.user_id, role)) as uow:
        uow.give_up()
        connection = await uow.driver()
        with pytest.raises(pg.InsufficientPrivilege):
            await connection.execute(statement.encode(), {"org": sealed.org_id, "id": new_id()})


async def test_nobody_seals_an_entry_twice(home: House, sealed: Gym, owner: Owner) -> None:
    await owner.execute("SET session_replication_role = origin")
    with pytest.raises(pg.InsufficientPrivilege, match="append-only"):
        await owner.execute("UPDATE audit_log SET hash = 'x' WHERE org_id = %s", (sealed.org_id,))
    # Even with the rights of the sealer's own role.
    async with owner.transaction(force_rollback=True):
        await owner.execute("SET LOCAL ROLE spotter_auth")
        await owner.execute("SELECT set_config('spotter.org_id', %s, true)", (str(sealed.org_id),))
        with pytest.raises(pg.InsufficientPrivilege, match="append-only"):
            await owner.execute("UPDATE audit_log SET hash = 'x' WHERE org_id = %s", (sealed.org_id,))


async def test_all_organisations_are_looked_at(home: House, sealed: Gym, other_gym: Gym) -> None:
    seen: set[UUID] = {chain.org_id for chain in (await verify_audit(home.services.database)).chains}
    assert {sealed.org_id, other_gym.org_id} <= seen
