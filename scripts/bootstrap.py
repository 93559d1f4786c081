"""Make `.venv` what the lock files say, and remember that it is so.

Run by `scripts/setup`, with any Python 3.11+ and no packages. `.make/setup.json` records which locks are
installed and where; whatever does not fit the record is put right:

* a lock or `pyproject.toml` that changed: installed again, on top
* an interpreter that is gone or was replaced, a folder that was moved: the environment is made anew
* a set-up that was interrupted (`.make/installing` is still there): the environment is made anew
"""

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
VENV_PYTHON = VENV / "bin" / "python"
STATE = ROOT / ".make"
RECORD = STATE / "setup.json"
INSTALLING = STATE / "installing"

# `dev` contains the other two in the same versions (tests/test_repository.py), so one .venv serves both.
LOCKS = {"runtime": ("runtime.txt", "build.txt"), "dev": ("dev.txt",)}
COMMANDS = {"runtime": ("spotter",), "dev": ("spotter", "pytest", "ruff")}

READY, STALE, BROKEN = 0, 3, 4


class SetupError(Exception):
    """Something the person at the keyboard can put right; the text says how."""


class KilledError(SetupError):
    """A program we called was ended by a signal, so it may have left half of its work behind."""


def main(arguments: list[str]) -> int:
    look_only = arguments[:1] == ["--look"]
    wanted = arguments[-1] if arguments else ""
    if wanted not in LOCKS:
        print(f"usage: scripts/setup {'|'.join(LOCKS)}", file=sys.stderr)
        return 2
    if look_only:
        return look(wanted)
    try:
        set_up(wanted)
    except SetupError as problem:
        print(f"set-up: {problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nset-up: interrupted; the next make starts it again", file=sys.stderr)
        return 130
    return 0


def look(wanted: str) -> int:
    """How the environment is. Run by the environment's own Python: that it runs at all is half the answer."""
    record = read_record()
    packages = VENV / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"
    if (
        INSTALLING.exists()
        or sys.version_info < (3, 11)
        or not packages.is_dir()
        or not stands_where_made(record)
    ):
        return BROKEN
    if record.get("installed", {}).get(wanted) != key(wanted):
        return STALE
    # Installers do not put back a file that somebody removed, so that takes a new environment.
    return READY if all((VENV / "bin" / name).exists() for name in COMMANDS[wanted]) else BROKEN


def stands_where_made(record: dict[str, Any]) -> bool:
    """An environment has its own path written into its scripts, so it does not survive a move."""
    if record:
        return record.get("folder") == str(ROOT)
    # Somebody made it by hand. Its activate script tells where.
    with contextlib.suppress(OSError):
        return str(ROOT) in (VENV / "bin" / "activate").read_text(errors="replace")
    return False


def key(wanted: str) -> str:
    digest = hashlib.sha256()
    for path in [ROOT / "pyproject.toml", *(ROOT / "requirements" / name for name in LOCKS[wanted])]:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def read_record() -> dict[str, Any]:
    try:
        record = json.loads(RECORD.read_text())
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


def write_record(**record: object) -> None:
    fresh = RECORD.with_suffix(".new")
    fresh.write_text(json.dumps(record, indent=1) + "\n")
    fresh.replace(RECORD)


def set_up(wanted: str) -> None:
    with alone():
        start = time.monotonic()
        state = look_from_outside(wanted)
        if state == READY:
            return
        uv = find_uv()
        try:
            install(wanted, state, uv)
        except SetupError:
            if uv is None:
                raise
            say("uv could not do it; trying again with pip")
            install(wanted, BROKEN, None)
        say(f"ready in {time.monotonic() - start:.1f} s")


def install(wanted: str, state: int, uv: str | None) -> None:
    has_installer = uv is not None or run_quietly(VENV_PYTHON, "-m", "pip", "--version")
    if state == BROKEN or not has_installer:
        make_environment(uv)
    fill(wanted, uv)


def look_from_outside(wanted: str) -> int:
    """`look`, asked of the environment's Python; anything unexpected counts as broken."""
    if os.environ.get("PYTHON") and os.path.realpath(VENV_PYTHON) != base_interpreter():
        return BROKEN  # another interpreter was asked for by name
    with contextlib.suppress(OSError):
        answer = subprocess.run(
            [VENV_PYTHON, "-I", "-S", __file__, "--look", wanted], check=False, capture_output=True
        )
        if answer.returncode in (READY, STALE):
            return answer.returncode
    return BROKEN


def make_environment(uv: str | None) -> None:
    version = ".".join(map(str, sys.version_info[:3]))
    say(f"making .venv with Python {version} ({base_interpreter()})")
    RECORD.unlink(missing_ok=True)
    INSTALLING.touch()
    try:
        if VENV.is_dir() and not VENV.is_symlink():
            shutil.rmtree(VENV)
        else:
            VENV.unlink(missing_ok=True)
    except OSError as problem:
        raise SetupError(
            f"the old .venv cannot be removed: {problem}. Remove it, then run make again"
        ) from problem
    if uv:
        run(uv, "venv", "--quiet", "--no-project", "--python", base_interpreter(), VENV)
    else:
        run(sys.executable, "-I", "-m", "venv", VENV)


def fill(wanted: str, uv: str | None) -> None:
    """Install the locks, then Spotter itself as a link to the source.

    Only hash-checked wheels: nothing but Spotter is built, with locked tools, so nothing unlocked ever runs.
    The locks name everything, so nothing is resolved: pip would look for `psycopg[pool]`, which a package asks
    for, past the pinned `psycopg`, and refuse the day a newer one is published.
    """
    installed = dict(read_record().get("installed", {}))
    locks = [option for name in LOCKS[wanted] for option in ("-r", ROOT / "requirements" / name)]
    if uv:
        installer: list[str | Path] = [
            uv,
            "pip",
            "install",
            "--quiet",
            "--compile-bytecode",
            "--python",
            VENV_PYTHON,
        ]
    else:
        installer = [VENV_PYTHON, "-m", "pip", "install", "-qq"]
    say(
        f"installing the {wanted} lock with {'uv' if uv else 'pip'}"
        + ("" if installed else " (the first time takes a while)")
    )
    INSTALLING.touch()
    try:
        run(*installer, "--no-deps", "--require-hashes", "--only-binary", ":all:", *locks)
        run(*installer, "--no-deps", "--no-build-isolation", "--editable", ROOT)
    except KilledError:
        raise
    except SetupError:
        INSTALLING.unlink()  # the installer gave up in good order, so there is no half package to fear
        raise
    installed |= {name: key(name) for name in LOCKS if wanted in (name, "dev")}
    write_record(folder=str(ROOT), installed=installed)
    INSTALLING.unlink()


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """One set-up at a time in this folder; a second `make` waits and then finds the work done."""
    for folder in (ROOT, STATE, VENV):
        if folder.exists() and not os.access(folder, os.W_OK):
            raise SetupError(
                f"{folder} needs a change, but it belongs to somebody else."
                f" As its owner, run make there or remove it: rm -rf '{VENV}' '{STATE}'"
            )
    STATE.mkdir(exist_ok=True)
    with (STATE / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting for another make in this folder")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def find_uv() -> str | None:
    name = os.environ.get("UV", "uv")
    return shutil.which(name) if name else None


def base_interpreter() -> str:
    """The interpreter itself, also when this runs inside some other virtual environment."""
    return os.path.realpath(getattr(sys, "_base_executable", sys.executable))


def clean_environment() -> dict[str, str]:
    """Whatever environment is active around us must not leak into the one we make."""
    strangers = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "PIP_USER", "PIP_TARGET", "PIP_PREFIX"}
    kept = {name: value for name, value in os.environ.items() if name not in strangers}
    return kept | {"PIP_DISABLE_PIP_VERSION_CHECK": "1"}


def run(*command: str | Path) -> None:
    try:
        subprocess.run(command, check=True, env=clean_environment(), cwd=ROOT)
    except (OSError, subprocess.CalledProcessError) as problem:
        killed = isinstance(problem, subprocess.CalledProcessError) and problem.returncode < 0
        kind = KilledError if killed else SetupError
        raise kind(f"this did not work, see above: {' '.join(map(str, command))}") from problem


def run_quietly(*command: str | Path) -> bool:
    try:
        return (
            subprocess.run(command, check=False, env=clean_environment(), capture_output=True).returncode == 0
        )
    except OSError:
        return False


def say(text: str) -> None:
    print(f"set-up: {text}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
