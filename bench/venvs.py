"""A venv for each peer (their pins conflict), made once and kept outside the repository."""

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

CACHE = Path.home() / ".cache" / "spotter-bench"
PACKAGES = {
    "langgraph": (
        "langgraph langchain langchain-openai langgraph-checkpoint-sqlite langgraph-checkpoint-postgres "
        "psycopg[binary,pool] aiosqlite uvloop"
    ),
    "openai-agents": "openai-agents[sqlalchemy] aiosqlite asyncpg uvloop",
    "agno": "agno openai sqlalchemy[asyncio] aiosqlite psycopg[binary] uvloop",
    "pydantic-ai": "pydantic-ai-slim[openai] psycopg[binary] uvloop",
}
_LONGEST_INSTALL = 300


@dataclass(frozen=True, slots=True)
class Venv:
    python: Path
    versions: dict[str, str]


class CannotInstall(Exception):
    pass


def venv_for(peer: str, *, install: bool = True) -> Venv:
    folder = CACHE / peer
    wanted = PACKAGES[peer]
    stamp = folder / "installed.txt"
    python = folder / "bin" / "python"
    if (
        not stamp.exists()
        or stamp.read_text(encoding="utf-8").split("\n")[0] != wanted
        or not python.exists()
    ):
        if not install:
            raise CannotInstall(f"{folder} is not there and --no-install was given")
        print(f"installing {peer} into {folder}", flush=True)
        _make(folder, wanted.split())
        stamp.write_text(wanted + "\n", encoding="utf-8")
    return Venv(python, _versions(python, wanted.split()))


def _make(folder: Path, packages: list[str]) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    uv = shutil.which("uv")
    python = str(folder / "bin" / "python")
    if uv:
        _run([uv, "venv", "--quiet", "--clear", "--python", sys.executable, str(folder)])
        _run([uv, "pip", "install", "--quiet", "--python", python, *packages])
    else:
        _run([sys.executable, "-m", "venv", "--clear", str(folder)])
        _run([python, "-m", "pip", "install", "--quiet", *packages])


def _run(command: list[str]) -> None:
    try:
        subprocess.run(command, check=True, capture_output=True, text=True, timeout=_LONGEST_INSTALL)
    except subprocess.CalledProcessError as error:
        reason = str(error.stderr).strip().splitlines() or ["no reason given"]
        raise CannotInstall(reason[-1]) from error
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CannotInstall(str(error)) from error


def _versions(python: Path, packages: list[str]) -> dict[str, str]:
    names = [package.partition("[")[0] for package in packages]
    code = f"import importlib.metadata as m\nfor n in {names!r}: print(n, m.version(n))"
    told = subprocess.run([str(python), "-c", code], check=False, capture_output=True, text=True, timeout=60)
    return dict(line.split() for line in told.stdout.splitlines())
