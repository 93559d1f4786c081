"""Who connects as whom. From the owner's URL and the installation's secret come the other logins.

The logins are named after the database, because roles belong to the whole server: two Spotters on one
server must not change each other's passwords.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from typing_extensions import override

from spotter.errors import StartupRefused

DerivePassword: TypeAlias = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Login:
    name: str
    password: str = field(repr=False)


@dataclass(frozen=True, slots=True, repr=False)
class DatabaseUrls:
    """Connection strings (libpq form). `runtime` may go through a pooler; the rest are direct."""

    owner: str
    runtime: str
    runtime_direct: str
    job: str
    runtime_login: Login
    job_login: Login
    pooled: bool = False

    @override
    def __repr__(self) -> str:
        return f"DatabaseUrls({describe(self.owner)})"


def derive_urls(owner: str, derive_password: DerivePassword, *, pooled: str | None = None) -> DatabaseUrls:
    database = str(_parse(owner).get("dbname") or _parse(owner).get("user") or "")
    runtime, job = (
        Login(_login_name(database, kind), derive_password(f"database/{database}/{kind}"))
        for kind in ("runtime", "job")
    )
    return DatabaseUrls(
        owner=_libpq(owner),
        runtime=_as_login(pooled or owner, runtime),
        runtime_direct=_as_login(owner, runtime),
        job=_as_login(owner, job),
        runtime_login=runtime,
        job_login=job,
        pooled=pooled is not None,
    )


def _login_name(database: str, kind: str) -> str:
    """At most 63 bytes, which is where PostgreSQL cuts names without a word: two long ones would become one."""
    name = f"{database}_{kind}_login"
    if len(name.encode()) <= 63:
        return name
    digest = hashlib.sha256(database.encode()).hexdigest()[:12]
    return f"{database.encode()[:32].decode(errors='ignore')}_{digest}_{kind}_login"


def describe(url: str) -> str:
    """The address without its password, for people and logs."""
    parts = _parse(url)
    return f"{parts.get('user')}@{parts.get('host') or 'localhost'}/{parts.get('dbname')}"


def _as_login(url: str, login: Login) -> str:
    return make_conninfo(_libpq(url), user=f"{login.name}{_route(_parse(url))}", password=login.password)


def _route(parts: dict[str, object]) -> str:
    """Supabase's pooler routes by a suffix of the user name: "postgres.projectref"."""
    _, dot, tenant = str(parts.get("user") or "").partition(".")
    return f"{dot}{tenant}" if "pooler" in str(parts.get("host") or "") else ""


def _libpq(url: str) -> str:
    scheme, separator, rest = url.partition("://")
    return f"postgresql://{rest}" if separator and scheme.startswith("postgres") else url


def _parse(url: str) -> dict[str, object]:
    try:
        return dict(conninfo_to_dict(_libpq(url)))
    except ProgrammingError:
        raise StartupRefused(
            "DATABASE_URL is not a PostgreSQL address. It should look like postgresql://user:password@host:5432/name"
        ) from None  # the original error shows the URL with its password
