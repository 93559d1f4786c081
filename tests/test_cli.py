"""The command line, as people and scripts use it: real processes, real folders."""

import asyncio
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest

from spotter import __version__
from spotter.cli import main
from spotter.ids import random_id
from spotter.store.embedded import EmbeddedPostgres
from tests.support.databases import environment_for, fresh_database, settings_for
from tests.support.processes import (
    SPOTTER,
    Finished,
    Processes,
    plain_environment,
    postgres_ended_in,
    postgres_of,
    processes,
    spotter,
    until,
)

OWNER = "owner@demo.spotter"
PORT_1 = "postgresql://somebody:a-password@127.0.0.1:1/nothing"
as_root = pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("setpriv") is None, reason="needs root, to become somebody else"
)


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Processes]:
    with processes(tmp_path) as running:
        yield running


@pytest.fixture(scope="module")
async def installation(run_folder: Path) -> AsyncIterator[dict[str, str]]:
    """An environment whose data folder has an embedded database with the demo in it; nothing runs there."""
    async with postgres_ended_in(run_folder / f"cli-{random_id().hex[:8]}") as data_dir:
        environment = plain_environment(SPOTTER_DATA_DIR=str(data_dir))
        for command in ("migrate", "demo"):
            done = await spotter(command, environment=environment)
            assert done.code == 0, done.err
        yield environment


def refused(done: Finished, *words: str) -> None:
    """One paragraph for people on stderr, nothing else."""
    assert done.code not in (0, None)
    assert done.out == ""
    assert "Traceback" not in done.err
    assert done.err.startswith(("Error: ", "Usage: "))
    if done.err.startswith("Error: "):
        assert "\n\n" not in done.err.strip()
    assert "a-password" not in done.err
    for word in words:
        assert word in done.err, done.err


# --- Help ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", sorted(main.commands))
async def test_every_command_explains_itself(command: str) -> None:
    done = await spotter(command, "--help", environment=plain_environment())
    assert done.code == 0
    assert done.out.startswith(f"Usage: spotter {command}")


async def test_help_names_every_command() -> None:
    done = await spotter("--help", environment=plain_environment())
    assert done.code == 0
    for command in main.commands:
        assert f"\n  {command} " in done.out


async def test_version() -> None:
    done = await spotter("--version", environment=plain_environment())
    assert done.line == f"spotter {__version__}"


def test_nothing_heavy_is_loaded_for_help() -> None:
    """So it answers at once; `bench/idle.py` says how soon."""
    command = [sys.executable, "-X", "importtime", SPOTTER, "--help"]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=plain_environment())
    loaded = {line.rsplit("|", 1)[-1].strip() for line in done.stderr.splitlines() if "|" in line}
    assert "click" in loaded
    assert loaded.isdisjoint(
        {"sqlalchemy", "psycopg", "fastapi", "pydantic", "openai", "anthropic", "alembic"}
    )


# --- up ----------------------------------------------------------------------------------------------------


async def signed_in_as(browser: httpx.AsyncClient, url: str) -> str:
    """As the web app finds out: by its cookie alone."""
    tokens = await browser.post(f"{url}/api/auth/refresh", json={}, headers={"Origin": url})
    assert tokens.status_code == 200, tokens.text
    headers = {"Authorization": f"Bearer {tokens.json()['access_token']}"}
    return str((await browser.get(f"{url}/api/me", headers=headers)).json()["email"])


async def test_up_from_nothing_to_signed_in(run_folder: Path, started: Processes) -> None:
    async with postgres_ended_in(run_folder / f"up-{random_id().hex[:8]}") as data_dir:
        environment = plain_environment(SPOTTER_DATA_DIR=str(data_dir))
        server = started.server("up", environment=environment, program=SPOTTER)
        url = await server.ready()
        said = json.loads(server.ready_path.read_text())
        assert said == {"url": url, "pid": server.pid, "data_dir": str(data_dir)}
        await server.says("Ctrl-C stops it")
        (link,) = (word for word in server.out.split() if "/sign-in/" in word)
        assert f"{url}/docs" in server.out
        async with httpx.AsyncClient(follow_redirects=True, timeout=60) as browser:
            page = await browser.get(link)
            assert page.status_code == 200
            assert await signed_in_as(browser, url) == OWNER
            assert (await browser.get(f"{url}/docs")).status_code == 200
        async with httpx.AsyncClient(follow_redirects=True, timeout=60) as thief:
            assert (await thief.get(link)).status_code == 401

        assert await server.stop() == 0
        assert not server.ready_path.exists()
        assert postgres_of(data_dir) == []
        assert "Traceback" not in server.err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_a_signal_ends_it_properly_and_soon(
    installation: dict[str, str], started: Processes, number: signal.Signals
) -> None:
    server = started.server("up", environment=installation, program=SPOTTER)
    url = await server.ready()
    async with httpx.AsyncClient(base_url=url, timeout=60) as http:
        assert (await http.get("/api/health")).status_code == 200
        server.signal(number)
        assert await server.ended() in (0, 130)
    assert not server.ready_path.exists()
    assert postgres_of(Path(installation["SPOTTER_DATA_DIR"])) == []
    assert "Traceback" not in server.err


async def test_a_signal_while_it_starts_ends_it_too(installation: dict[str, str], started: Processes) -> None:
    for wait in (0.1, 0.3, 0.5):
        server = started.server("up", environment=installation)
        await asyncio.sleep(wait)
        server.signal(signal.SIGTERM)
        assert await server.ended(20) in (0, -signal.SIGTERM, 128 + signal.SIGTERM)
        await until(lambda: postgres_of(Path(installation["SPOTTER_DATA_DIR"])) == [], 10)
        assert "Traceback" not in server.err


async def test_a_ready_file_left_by_a_killed_server_is_not_believed(
    installation: dict[str, str], started: Processes, tmp_path: Path
) -> None:
    stale = tmp_path / "ready.json"
    stale.write_text('{"url": "http://127.0.0.1:1"}')
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = await spotter("up", "--port", port, "--ready-file", str(stale), environment=installation)
    refused(done, f"port {port}")
    assert not stale.exists()


@as_root
async def test_up_as_an_ordinary_user_in_a_folder_of_theirs(run_folder: Path, started: Processes) -> None:
    async with postgres_ended_in(run_folder / f"user-{random_id().hex[:8]}") as folder:
        folder.mkdir(mode=0o700)
        os.chown(folder, 65534, 65534)
        reachable = subprocess.run(
            ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", SPOTTER, "--version"],
            check=False,
            capture_output=True,
        )
        if reachable.returncode != 0:
            pytest.skip("an ordinary user cannot run this virtual environment")
        environment = plain_environment(
            SPOTTER_DATA_DIR=str(folder / "data"), HOME=str(folder), PYTHONDONTWRITEBYTECODE="1"
        )
        ready = folder / "ready.json"
        server = started.start(
            *("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"),
            *(SPOTTER, "up", "--port", "0", "--ready-file", str(ready)),
            environment=environment,
        )
        await until(lambda: ready.exists() or not server.running, 60)
        assert server.running, server.err
        async with httpx.AsyncClient(base_url=json.loads(ready.read_text())["url"], timeout=60) as http:
            assert (await http.get("/api/health")).status_code == 200
        assert {process.uids().effective for process in postgres_of(folder)} == {65534}
        assert await server.stop() == 0
        assert postgres_of(folder) == []


# --- Refusals ----------------------------------------------------------------------------------------------


async def test_a_port_in_use(installation: dict[str, str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        refused(await spotter("up", "--port", port, environment=installation), port, "--port 0")


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("SPOTTER_PORT", "many"),
        ("SPOTTER_SECRET_KEY", "short"),
        ("SPOTTER_CORS_ORIGINS", "*"),
        ("SPOTTER_QUEUE_CONCURRENCY", "0"),
        ("SPOTTER_LOG_LEVEL", "LOUD"),
    ],
)
async def test_a_bad_setting(setting: str, value: str, tmp_path: Path) -> None:
    environment = plain_environment(SPOTTER_DATA_DIR=str(tmp_path), **{setting: value})
    refused(await spotter("up", environment=environment), setting)


@pytest.mark.parametrize("folder", ["/dev/null/spotter", "/proc/spotter"])
async def test_a_data_folder_that_cannot_be(folder: str) -> None:
    refused(
        await spotter("up", "--port", "0", "--data-dir", folder, environment=plain_environment()), folder[:9]
    )


@as_root
async def test_a_data_folder_of_somebody_else(tmp_path: Path) -> None:
    done = subprocess.run(
        ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", SPOTTER, "up", "--port", "0"],
        check=False,
        capture_output=True,
        text=True,
        env=plain_environment(SPOTTER_DATA_DIR="/root/spotter-not-yours", HOME="/"),
        timeout=60,
    )
    if "Permission denied" in done.stderr and "spotter:" not in done.stderr and done.returncode == 127:
        pytest.skip("an ordinary user cannot run this virtual environment")
    refused(Finished(done.returncode, done.stdout, done.stderr), "/root/spotter-not-yours")


async def test_an_unmigrated_database(postgres: EmbeddedPostgres, tmp_path: Path) -> None:
    async with fresh_database(postgres, f"empty_{random_id().hex[:8]}") as url:
        environment = environment_for(settings_for(url, tmp_path))
        *others, doctor = await asyncio.gather(
            spotter("serve", "--port", "0", environment=environment),
            spotter("worker", environment=environment),
            spotter("token", "--email", OWNER, environment=environment),
            spotter("doctor", environment=environment),
        )
        for done in others:
            refused(done, "spotter migrate")
        assert doctor.code == 1
        assert "spotter migrate" in doctor.out
        migrated = await spotter("migrate", environment=environment)
        assert migrated.line.startswith("Migrated from an empty database to ")
        assert (await spotter("migrate", environment=environment)).line.startswith(
            "The database is up to date"
        )
        assert (await spotter("doctor", environment=environment)).code == 0


@pytest.mark.parametrize("url", [PORT_1, "mysql://somebody:a-password@localhost/x", "nonsense"])
async def test_a_wrong_database_address(url: str, tmp_path: Path) -> None:
    environment = plain_environment(SPOTTER_DATA_DIR=str(tmp_path), DATABASE_URL=url)
    for command in (
        ("up", "--port", "0"),
        ("serve", "--port", "0"),
        ("migrate",),
        ("token", "--email", OWNER),
    ):
        refused(await spotter(*command, environment=environment))
    doctor = await spotter("doctor", environment=environment)
    assert doctor.code == 1
    assert "FAIL" in doctor.out
    assert "a-password" not in doctor.out + doctor.err


async def test_a_public_address_without_a_secret(tmp_path: Path) -> None:
    environment = plain_environment(SPOTTER_DATA_DIR=str(tmp_path))
    for command in ("up", "serve"):
        done = await spotter(command, "--host", "0.0.0.0", "--port", "0", environment=environment)
        refused(done, "SPOTTER_SECRET_KEY")
    doctor = await spotter("doctor", environment={**environment, "SPOTTER_HOST": "0.0.0.0"})
    assert doctor.code == 1
    assert "FAIL  listening on 0.0.0.0 needs SPOTTER_SECRET_KEY" in doctor.out


async def test_a_ready_file_nowhere(tmp_path: Path) -> None:
    nowhere = str(tmp_path / "nowhere" / "ready.json")
    environment = plain_environment(SPOTTER_DATA_DIR=str(tmp_path / "data"))
    done = await spotter("up", "--port", "0", "--ready-file", nowhere, environment=environment)
    refused(done, nowhere)
    assert not (tmp_path / "data").exists()


# --- People ------------------------------------------------------------------------------------------------


async def test_a_token_is_one_line_and_works(installation: dict[str, str], started: Processes) -> None:
    server = started.server("up", environment=installation)
    url = await server.ready()
    token = (await spotter("token", "--email", OWNER, "--org", "demo", environment=installation)).line
    async with httpx.AsyncClient(base_url=url, timeout=60) as http:
        me = await http.get("/api/me", headers={"Authorization": f"Bearer {token}"})
    assert me.json()["email"] == OWNER
    assert await server.stop() == 0


async def test_a_link_signs_in_once(installation: dict[str, str], started: Processes) -> None:
    server = started.server("up", environment=installation)
    url = await server.ready()
    link = (
        await spotter("link", "--email", "member@demo.spotter", "--url", url, environment=installation)
    ).line
    assert link.startswith(f"{url}/sign-in/")
    async with httpx.AsyncClient(follow_redirects=True, timeout=60) as browser:
        page = await browser.get(link)
        assert page.status_code == 200
        assert await signed_in_as(browser, url) == "member@demo.spotter"
        browser.cookies.clear()
        assert (await browser.get(link)).status_code == 401
    assert await server.stop() == 0


async def test_an_unknown_person_or_organisation(installation: dict[str, str]) -> None:
    nobody, elsewhere, nothing = await asyncio.gather(
        spotter("token", "--email", "nobody@nowhere.example", environment=installation),
        spotter("link", "--email", OWNER, "--org", "elsewhere", environment=installation),
        spotter("token", environment=installation),
    )
    refused(nobody, "nobody@nowhere.example")
    refused(elsewhere)
    refused(nothing, "--email")


async def test_the_demo_is_there_once(installation: dict[str, str]) -> None:
    for done in await asyncio.gather(*(spotter("demo", environment=installation) for _ in range(2))):
        assert "is there already" in done.line


async def test_an_organisation_of_ones_own(installation: dict[str, str]) -> None:
    slug, email = f"temple-{random_id().hex[:6]}", "me@temple.example"
    given = ("--name", "Iron Temple", "--slug", slug, "--owner", email, "--timezone", "Europe/Berlin")
    link = (await spotter("org", *given, environment=installation)).line
    assert "/sign-in/spl_" in link
    token = await spotter("token", "--email", email, "--org", slug, environment=installation)
    assert token.code == 0
    refused(await spotter("org", *given, environment=installation), slug)
    for option, value in (("--slug", "Not A Slug"), ("--timezone", "Mars/Base"), ("--owner", "no address")):
        wrong = dict(zip(given[::2], given[1::2], strict=True)) | {"--slug": f"{slug}-2", option: value}
        parts = [part for pair in wrong.items() for part in pair]
        refused(await spotter("org", *parts, environment=installation))


# --- doctor ------------------------------------------------------------------------------------------------


async def test_the_doctor_finds_a_sound_installation_sound(installation: dict[str, str]) -> None:
    done = await spotter("doctor", environment=installation)
    assert done.code == 0, done.out
    assert "FAIL" not in done.out
    assert installation["SPOTTER_DATA_DIR"] in done.out


async def test_the_doctor_makes_nothing(tmp_path: Path) -> None:
    nothing = tmp_path / "nothing"
    done = await spotter("doctor", "--data-dir", str(nothing), environment=plain_environment())
    assert done.code == 0
    assert "spotter up" in done.out
    assert not nothing.exists()


async def test_a_model_without_a_key_is_no_sound_installation(tmp_path: Path) -> None:
    """FAIL on the screen and success for the script that asked would be two answers."""
    environment = plain_environment(SPOTTER_DATA_DIR=str(tmp_path), SPOTTER_MODEL="openai:gpt-4o")
    environment.pop("OPENAI_API_KEY", None)
    done = await spotter("doctor", environment=environment)
    assert "FAIL  model: openai:gpt-4o has no key. Set OPENAI_API_KEY" in done.out
    assert done.code == 1


async def test_the_doctor_sees_a_folder_that_cannot_be_used() -> None:
    done = await spotter("doctor", "--data-dir", "/dev/null/x", environment=plain_environment())
    assert done.code == 1
    assert "FAIL" in done.out
