"""Who runs the server and owns its files.

PostgreSQL refuses to run as root. An ordinary user runs it as themselves; root lends it to the owner of the
data folder or to a system user, and hands over only what it creates there.
"""

import os
import pwd
import secrets
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from spotter.errors import StartupRefused

SYSTEM_USERS = ("spotter", "postgres", "_postgres", "nobody")


class SpawnOptions(TypedDict):
    user: int | None
    group: int | None
    extra_groups: list[int] | None


@dataclass(frozen=True)
class ServerAccount:
    uid: int
    gid: int
    lent: bool
    """We are root and the server runs as somebody else."""

    @classmethod
    def choose(cls, folder: Path) -> "ServerAccount":
        owner = _nearest_existing(folder).stat()
        if os.geteuid() != 0:
            return cls(os.geteuid(), os.getegid(), lent=False)
        if owner.st_uid != 0:
            return cls(owner.st_uid, owner.st_gid, lent=True)
        for name in SYSTEM_USERS:
            try:
                entry = pwd.getpwnam(name)
            except KeyError:
                continue
            return cls(entry.pw_uid, entry.pw_gid, lent=True)
        raise StartupRefused(
            f"PostgreSQL cannot run as root and none of the system users {', '.join(SYSTEM_USERS)} exists. "
            "Run Spotter as an ordinary user, or `useradd --system spotter`."
        )

    @property
    def name(self) -> str:
        try:
            return pwd.getpwuid(self.uid).pw_name
        except KeyError:
            return f"uid {self.uid}"

    def spawn_options(self) -> SpawnOptions:
        if not self.lent:
            return {"user": None, "group": None, "extra_groups": None}
        return {"user": self.uid, "group": self.gid, "extra_groups": []}

    def make_data_dir(self, data_dir: Path) -> None:
        """Creates what is missing. What exists keeps its owner and mode: it is not ours to change."""
        parent = _nearest_existing(data_dir)
        if parent != data_dir:
            self.require_reach(parent)  # before leaving empty folders behind
        theirs = self.lent and parent.stat().st_uid != 0
        # Root's own folder holds other things too, so it stays root's; the server only has to pass through.
        mode = 0o711 if self.lent and not theirs else 0o700
        missing = [path for path in (data_dir, *data_dir.parents) if not path.exists()]
        for path in reversed(missing):
            try:
                path.mkdir(mode=mode)
            except FileExistsError:  # another process of ours was quicker
                continue
            path.chmod(mode)  # whatever the umask says
            if theirs:
                os.chown(path, self.uid, self.gid, follow_symlinks=False)

    def make_private_folder(self, path: Path) -> None:
        """A real folder, 0700, owned by this account; one that somebody else put there is refused."""
        path.mkdir(mode=0o700, exist_ok=True)
        found = path.lstat()
        if not stat.S_ISDIR(found.st_mode):
            raise StartupRefused(f"{path} is not a folder (perhaps a link). Remove it and start again.")
        if self.lent and found.st_uid == 0:
            os.chown(path, self.uid, self.gid, follow_symlinks=False)
        elif found.st_uid != self.uid:
            raise StartupRefused(
                f"{path} belongs to uid {found.st_uid}, not to {self.name}. Start Spotter as its owner, "
                "or choose another folder with SPOTTER_DATA_DIR."
            )
        if stat.S_IMODE(found.st_mode) != 0o700:
            path.chmod(0o700)

    def open_private(self, path: Path, flags: int) -> int:
        """A 0600 file of this account. Links are not followed: root may work in a stranger's folder here."""
        try:
            handle = os.open(path, flags | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        except PermissionError as error:
            raise StartupRefused(
                f"No permission to open {path}. Start Spotter as the owner of that folder ({self.name}), "
                "or choose another one with SPOTTER_DATA_DIR."
            ) from error
        if self.lent and os.fstat(handle).st_uid == 0:
            os.fchown(handle, self.uid, self.gid)
        return handle

    def secret(self, path: Path) -> str:
        """The password kept in this file, made up on first use. Written whole or not at all."""
        try:
            return path.read_text(encoding="ascii").strip()
        except FileNotFoundError:
            pass
        password = secrets.token_urlsafe(32)
        draft = path.with_name(path.name + ".new")
        with os.fdopen(self.open_private(draft, os.O_WRONLY | os.O_TRUNC), "w", encoding="ascii") as file:
            file.write(password + "\n")
            file.flush()
            os.fsync(file.fileno())
        draft.rename(path)
        sync_folder(path.parent)
        return password

    def first_blocked(self, path: Path) -> Path | None:
        """The first folder on the way to `path` (or `path` itself) that this account may not enter or run.

        Asked of the kernel as that user, since modes alone say nothing of ACLs and mounts."""
        if not self.lent:
            return None
        steps = [str(step) for step in (*reversed(path.parents), path)]
        script = 'for step do test -x "$step" || { printf %s "$step"; exit 1; }; done'
        answer = subprocess.run(  # noqa: S603 - a fixed script; the paths are its arguments
            ["/bin/sh", "-c", script, "sh", *steps],
            check=False,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            **self.spawn_options(),
        )
        return None if answer.returncode == 0 else Path(os.fsdecode(answer.stdout))

    def require_reach(self, path: Path) -> None:
        if blocked := self.first_blocked(path):
            raise StartupRefused(
                f"PostgreSQL cannot run as root, so it would run as {self.name}, who may not enter {blocked} "
                f"on the way to {path}. Choose a data folder that others may pass through (SPOTTER_DATA_DIR; "
                "for root normally /var/lib/spotter), or run Spotter as an ordinary user."
            )


def sync_folder(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _nearest_existing(path: Path) -> Path:
    return next(step for step in (path, *path.parents) if step.exists())
