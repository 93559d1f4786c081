"""A private PostgreSQL for people who have none: the wheel's binaries under our own supervisor."""

from pathlib import Path

from spotter.store.embedded.programs import MAJOR, wheel_bin_dir
from spotter.store.embedded.supervisor import EmbeddedPostgres

__all__ = ["EmbeddedPostgres", "newest_programs"]


def newest_programs() -> Path:
    """The folder with `pg_dump` and the rest; newer than, or as new as, any server we can meet."""
    return wheel_bin_dir(MAJOR)
