"""One transaction: how it opens, commits, gives up, and what is left behind when something goes wrong."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from psycopg import errors as pg
from sqlalchemy import event, select, text
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolIsEmpty

from spotter.app import Ground, House
from spotter.errors import Unavailable
from spotter.identity.tables import Secret
from spotter.ids import new_id, random_id
from spotter.store.database import Database
from spotter.store.embedded import EmbeddedPostgres
from spotter.store.faults import as_spotter_error, is_safe_to_retry
from spotter.store.scope import UNSCOPED
from spotter.store.unit_of_work import UnitOfWork
from tests.support.people import Gym
from tests.support.raw_sql import Connection, as_superuser


@asynccontextmanager
async def database_with(base: Ground, **settings: object) -> AsyncIterator[Database]:
    changed = base.settings.model_copy(
        update={"database_pool_overflow": 0, "database_pool_wait": 5.0, **settings}
    )
    async with Database(base.urls, changed) as database:
        yield database


@pytest.fixture
async def lone(base: Ground, home: House) -> AsyncIterator[Database]:
    """A pool of one connection: whatever is not given back is missed at once."""
    async with database_with(base, database_pool_size=1) as database:
        yield database


@pytest.fixture(scope="module")
def superuser(base: Ground, postgres: EmbeddedPostgres) -> Iterator[Connection]:
    with as_superuser(base, postgres) as connection:
        yield connection


def secret(gym: Gym, name: str = "") -> Secret:
    return Secret(org_id=gym.org_id, id=new_id(), name=name or random_id().hex, sealed="sealed")


async def names(database: Database, gym: Gym) -> set[str]:
    async with database.unit_of_work(gym.owner.scope) as uow:
        return set(await uow.session.scalars(select(Secret.name).where(Secret.org_id == gym.org_id)))


async def server_pid(uow: UnitOfWork) -> int:
    return int((await uow.session.execute(text("SELECT pg_backend_pid()"))).scalar_one())


def state_of(superuser: Connection, pid: int) -> str | None:
    """Of a server process; the rollback may be a moment behind the answer."""
    row = None
    for _ in range(50):
        row = superuser.execute("SELECT state FROM pg_stat_activity WHERE pid = %s", (pid,)).fetchone()
        if row in (None, ("idle",)):
            break
        time.sleep(0.02)
    return row[0] if row else None


async def test_one_statement_opens_it(lone: Database, gym: Gym) -> None:
    await names(lone, gym)  # the driver asks its own questions on a first connection
    seen: list[str] = []

    def note(_c: Any, _cursor: Any, statement: str, *_: Any) -> None:
        seen.append(statement)

    event.listen(lone.engine.sync_engine, "before_cursor_execute", note)
    async with lone.unit_of_work(gym.owner.scope) as uow:
        assert len(seen) == 1
        assert seen[0].startswith("SELECT set_config('spotter.org_id'")
        found = await uow.session.execute(
            text(
                "SELECT "
                + ", ".join(f"current_setting('spotter.{key}')" for key in ("org_id", "user_id", "role"))
            )
        )
        assert tuple(found.one()) == (str(gym.org_id), str(gym.owner.user_id), "owner")
    assert len(seen) == 2


async def test_it_commits_at_the_end_and_not_before(home: House, lone: Database, gym: Gym) -> None:
    async with lone.unit_of_work(gym.owner.scope) as uow:
        uow.session.add(secret(gym, "mine"))
        await uow.session.flush()
        assert await names(home.services.database, gym) == set()
    assert await names(home.services.database, gym) == {"mine"}


async def test_an_error_takes_everything_back(lone: Database, gym: Gym, superuser: Connection) -> None:
    pids: list[int] = []

    async def work() -> None:
        async with lone.unit_of_work(gym.owner.scope) as uow:
            pids.append(await server_pid(uow))
            uow.session.add(secret(gym))
            await uow.session.flush()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await work()
    assert state_of(superuser, pids[0]) == "idle"
    assert await names(lone, gym) == set()


async def test_an_error_at_the_commit_is_told(lone: Database, gym: Gym) -> None:
    hooks: list[str] = []

    async def work() -> None:
        async with lone.unit_of_work(gym.owner.scope) as uow:
            uow.after_commit(lambda: hooks.append("ran"))
            uow.session.add_all([secret(gym, "twice"), secret(gym, "twice")])

    with pytest.raises(DBAPIError):
        await work()
    assert hooks == []
    assert await names(lone, gym) == set()


async def test_the_scope_does_not_stay_on_the_connection(lone: Database, gym: Gym, other_gym: Gym) -> None:
    async with lone.unit_of_work(gym.owner.scope) as uow:
        pid = await server_pid(uow)
        uow.session.add(secret(gym))
    async with lone.engine.connect() as bare:
        assert (await bare.execute(text("SELECT pg_backend_pid()"))).scalar_one() == pid
        assert (await bare.execute(select(Secret.name))).all() == []
        assert (await bare.execute(text("SELECT current_setting('spotter.org_id', true)"))).scalar_one() == ""
    async with lone.unit_of_work(UNSCOPED) as uow:
        assert await server_pid(uow) == pid
        assert (await uow.session.scalars(select(Secret.name))).all() == []
    assert await names(lone, other_gym) == set()


async def test_hooks_run_after_the_commit(home: House, gym: Gym) -> None:
    hooks: list[str] = []
    async with home.services.database.unit_of_work(gym.owner.scope) as uow:
        uow.after_commit(lambda: hooks.append("first"))
        uow.after_commit(lambda: hooks.append("second"))
        uow.session.add(secret(gym))
        await uow.session.flush()
        assert hooks == []
    assert hooks == ["first", "second"]


async def test_what_is_committed_has_its_hooks_run_even_for_a_cancelled_caller(
    lone: Database, gym: Gym
) -> None:
    hooks: list[str] = []

    async def work() -> None:
        async with lone.unit_of_work(gym.owner.scope) as uow:
            uow.after_commit(lambda: hooks.append("ran"))
            uow.session.add(secret(gym, "kept"))

    for number in range(1, 60):
        hooks.clear()
        task = asyncio.create_task(work())
        for _ in range(number):  # each one a moment later, until it comes too late
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        kept = "kept" in await names(lone, gym)
        assert hooks == (["ran"] if kept else [])
        if kept:
            return
    raise AssertionError("it was never committed")


async def test_giving_up_takes_back_without_an_error(lone: Database, gym: Gym, superuser: Connection) -> None:
    hooks: list[str] = []
    async with lone.unit_of_work(gym.owner.scope) as uow:
        uow.after_commit(lambda: hooks.append("ran"))
        uow.session.add(secret(gym))
        await uow.session.flush()
        pid = await server_pid(uow)
        uow.give_up()
    assert state_of(superuser, pid) == "idle"
    assert (hooks, await names(lone, gym)) == ([], set())


def jobs_with(superuser: Connection, label: str) -> list[tuple[Any, ...]]:
    return superuser.execute(
        "SELECT args ->> 'org_id' FROM queue.procrastinate_jobs WHERE args ->> 'label' = %s", (label,)
    ).fetchall()


async def test_a_job_leaves_with_the_commit(lone: Database, gym: Gym, superuser: Connection) -> None:
    label = random_id().hex
    async with lone.unit_of_work(gym.owner.scope) as uow:
        assert (
            await uow.defer("not.a.job", queue_name="nobody", label=label, org_id="somebody else's")
            is not None
        )
        assert jobs_with(superuser, label) == []
    assert jobs_with(superuser, label) == [(str(gym.org_id),)]


async def test_a_job_stays_when_nothing_is_committed(lone: Database, gym: Gym, superuser: Connection) -> None:
    label = random_id().hex
    async with lone.unit_of_work(gym.owner.scope) as uow:
        assert await uow.defer("not.a.job", queue_name="nobody", label=label) is not None
        uow.give_up()

    async def work() -> None:
        async with lone.unit_of_work(gym.owner.scope) as uow:
            await uow.defer("not.a.job", queue_name="nobody", label=label)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await work()
    assert jobs_with(superuser, label) == []


async def test_a_second_waiting_job_is_none_and_no_harm(
    lone: Database, gym: Gym, superuser: Connection
) -> None:
    label, lock = random_id().hex, random_id().hex
    async with lone.unit_of_work(gym.owner.scope) as uow:
        first = await uow.defer("not.a.job", queue_name="nobody", queueing_lock=lock, label=label)
        second = await uow.defer("not.a.job", queue_name="nobody", queueing_lock=lock, label=label)
        assert first is not None
        assert second is None
        uow.session.add(secret(gym, "after"))
    assert len(jobs_with(superuser, label)) == 1
    assert await names(lone, gym) == {"after"}


async def test_it_can_go_on_for_somebody_else(lone: Database, gym: Gym, other_gym: Gym) -> None:
    async with lone.unit_of_work(gym.owner.scope) as uow:
        uow.session.add(secret(gym, "ours"))  # written before the scope changes, although nobody flushed
        await uow.act_for(other_gym.owner.scope)
        assert uow.scope == other_gym.owner.scope
        assert (await uow.session.scalars(select(Secret.name))).all() == []
        uow.session.add(secret(other_gym, "theirs"))
    assert (await names(lone, gym), await names(lone, other_gym)) == ({"ours"}, {"theirs"})


async def test_the_driver_shares_the_transaction(lone: Database, gym: Gym) -> None:
    async with lone.unit_of_work(gym.owner.scope) as uow:
        uow.session.add(secret(gym, "by the session"))
        driver = await uow.driver()
        row = await (await driver.execute("SELECT name, pg_backend_pid() FROM secrets")).fetchone()
        assert row == ("by the session", await server_pid(uow))
        await driver.execute("UPDATE secrets SET name = 'by the driver'")
    assert await names(lone, gym) == {"by the driver"}


async def test_cancellation_gives_the_connection_back(
    lone: Database, gym: Gym, superuser: Connection
) -> None:
    """Fifty times, at every moment: while opening, in a query, in the body, while closing."""

    async def work() -> None:
        async with lone.unit_of_work(gym.owner.scope) as uow:
            uow.session.add(secret(gym))
            await uow.session.execute(text("SELECT pg_sleep(0.05)"))
            uow.give_up()

    for number in range(50):
        task = asyncio.create_task(work())
        await asyncio.sleep(number * 0.0012)
        task.cancel()
        await asyncio.wait([task])
    assert await names(lone, gym) == set()
    found = superuser.execute(
        "SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%%' AND usename = %s",
        (lone.urls.runtime_login.name,),
    ).fetchone()
    assert found == (0,)


async def test_cancellation_stops_the_query_on_the_server(
    lone: Database, gym: Gym, superuser: Connection
) -> None:
    pid: list[int] = []

    async def work() -> None:
        async with lone.unit_of_work(gym.owner.scope) as uow:
            pid.append(await server_pid(uow))
            await uow.session.execute(text("SELECT pg_sleep(60)"))

    task = asyncio.create_task(work())
    while not pid:
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert state_of(superuser, pid[0]) in (None, "idle")


async def test_connections_that_died_in_the_pool_are_replaced(
    base: Ground, gym: Gym, superuser: Connection
) -> None:
    async with database_with(base, database_pool_size=4) as database:
        units = [database.unit_of_work(gym.owner.scope) for _ in range(4)]
        pids = [await server_pid(await unit.__aenter__()) for unit in units]
        for unit in units:
            await unit.__aexit__(None)
        superuser.execute("SELECT pg_terminate_backend(p) FROM unnest(%s::int[]) p", (pids,))
        await asyncio.gather(*(names(database, gym) for _ in range(8)))


async def cut(superuser: Connection, pid: int) -> None:
    """The server ends this connection, and has done so."""
    superuser.execute("SELECT pg_terminate_backend(%s)", (pid,))
    async with asyncio.timeout(60):
        while state_of(superuser, pid) is not None:
            await asyncio.sleep(0.01)


async def test_a_connection_lost_on_the_way_is_unavailable(
    lone: Database, gym: Gym, superuser: Connection
) -> None:
    async def work() -> None:
        async with lone.unit_of_work(gym.owner.scope) as uow:
            await cut(superuser, await server_pid(uow))
            uow.session.add(secret(gym))

    with pytest.raises(OperationalError) as lost:
        await work()
    assert isinstance(as_spotter_error(lost.value), Unavailable)
    assert not is_safe_to_retry(lost.value)
    assert await names(lone, gym) == set()


async def test_a_lost_connection_does_not_hide_what_went_wrong(
    lone: Database, gym: Gym, superuser: Connection
) -> None:
    async def work() -> None:
        async with lone.unit_of_work(gym.owner.scope) as uow:
            await cut(superuser, await server_pid(uow))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await work()
    assert await names(lone, gym) == set()


async def test_an_empty_pool_is_unavailable_in_time(base: Ground, gym: Gym) -> None:
    async with database_with(base, database_pool_size=1, database_pool_wait=0.2) as database:
        async with database.unit_of_work(gym.owner.scope):
            with pytest.raises(PoolIsEmpty) as empty:
                await names(database, gym)
        refusal = as_spotter_error(empty.value)
        assert isinstance(refusal, Unavailable)
        assert refusal.retry_after
        assert await names(database, gym) == set()


async def test_two_in_each_others_way_may_be_tried_again(home: House, gym: Gym) -> None:
    database = home.services.database
    async with database.unit_of_work(gym.owner.scope) as uow:
        uow.session.add_all([secret(gym, "a"), secret(gym, "b")])
    both, locking = asyncio.Barrier(2), text("SELECT 1 FROM secrets WHERE name = :name FOR UPDATE")

    async def lock(first: str, second: str) -> None:
        async with database.unit_of_work(gym.owner.scope) as uow:
            await uow.session.execute(locking, {"name": first})
            await both.wait()
            await uow.session.execute(locking, {"name": second})

    results = await asyncio.gather(lock("a", "b"), lock("b", "a"), return_exceptions=True)
    failed = [result for result in results if result is not None]
    assert len(failed) == 1
    assert isinstance(failed[0], OperationalError)
    assert isinstance(failed[0].orig, pg.DeadlockDetected)
    assert is_safe_to_retry(failed[0])
