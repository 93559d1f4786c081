"""`@copilotkit/aimock`, a server nobody here wrote that speaks the providers' wire formats, started for the tests."""

import asyncio
import json
import shutil
import socket
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.support import node_packages

VERSION = "1.43.0"


def installed() -> Path | None:
    """The program, installed if need be; nothing when there is no npm here."""
    folder = node_packages.installed("@copilotkit/aimock", VERSION)
    return folder / "dist" / "cli.js" if folder is not None else None


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
