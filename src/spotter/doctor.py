"""`spotter doctor`: what is configured, what is missing, how to fix it."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from spotter import __version__
from spotter.app import Ground, ground, house, require_current_schema
from spotter.errors import SpotterError
from spotter.llm.resolver import Credentials, split_name
from spotter.settings import Settings
from spotter.store.urls import describe

Say = Callable[[str], None]

_GOOD, _HINT, _BAD = "ok  ", "hint", "FAIL"
_LITTLE_SPACE = 1_000_000_000


async def examine(settings: Settings, say: Say) -> bool:
    """True when Spotter can run as it is configured."""
    say(f"Spotter {__version__}")
    sound = _data_folder(settings, say)
    _secrets(settings, say)
    sound = _address(settings, say) and sound
    sound = _models(settings, say) and sound
    if settings.embedded_database and not (settings.data_dir / "postgres").exists():
        say(f"{_HINT}  database: none yet; `spotter up` makes one here (set DATABASE_URL to use your own)")
        return sound
    try:
        async with ground(settings) as base:
            await _database(base, say)
    except SpotterError as error:
        say(f"{_BAD}  database: {error.detail}")
        return False
    return sound


def _data_folder(settings: Settings, say: Say) -> bool:
    folder = settings.data_dir
    existing = _existing(folder)
    if folder == existing:
        say(f"{_GOOD}  data folder {folder}")
    else:
        say(f"{_HINT}  data folder {folder} does not exist yet; the first start makes it")
    if not existing.is_dir() or not os.access(existing, os.W_OK):
        say(f"{_BAD}  {existing} cannot be written to. Run as its owner, or choose another with --data-dir")
        return False
    free = shutil.disk_usage(existing).free
    if free < _LITTLE_SPACE:
        say(f"{_BAD}  only {free // 1_000_000} MB are free there; the database needs room to work")
        return False
    return True


def _existing(folder: Path) -> Path:
    return folder if folder.exists() else _existing(folder.parent)


def _secrets(settings: Settings, say: Say) -> None:
    if settings.secret_key is not None:
        say(f"{_GOOD}  secret key from SPOTTER_SECRET_KEY")
    else:
        say(
            f"{_GOOD}  secret key from {settings.data_dir / 'secret.key'} (made by the first start; back it up)"
        )
        if not settings.embedded_database:
            say(f"{_HINT}  several machines on one DATABASE_URL need the same SPOTTER_SECRET_KEY")


def _address(settings: Settings, say: Say) -> bool:
    if settings.binds_public_address and settings.public_url is None:
        say(f"{_HINT}  set SPOTTER_PUBLIC_URL to the address people use, so that links and hosts are checked")
    if settings.binds_public_address and settings.secret_key is None:
        say(f"{_BAD}  listening on {settings.host} needs SPOTTER_SECRET_KEY; set it or listen on 127.0.0.1")
        return False
    say(f"{_GOOD}  listens on {settings.host} port {settings.port}")
    return True


def _models(settings: Settings, say: Say) -> bool:
    if settings.model == "offline":
        say(f"{_GOOD}  model: offline (needs no key; set SPOTTER_MODEL, e.g. openai:gpt-4o, to use another)")
        return True
    provider, _ = split_name(settings.model)
    if Credentials.from_environment(os.environ).endpoint(provider) is None:
        say(
            f"{_BAD}  model: {settings.model} has no key. Set {provider.upper()}_API_KEY; until then offline answers"
        )
        return False
    say(f"{_GOOD}  model: {settings.model}, with offline behind it")
    return True


async def _database(base: Ground, say: Say) -> None:
    kind = "embedded PostgreSQL" if base.settings.embedded_database else "PostgreSQL from DATABASE_URL"
    say(f"{_HINT}  database: {kind} ({describe(base.urls.owner)})")
    await require_current_schema(base)
    say(f"{_GOOD}  schema is current")
    async with house(base) as home:
        await home.services.database.ping()
        say(f"{_GOOD}  runtime login works and cannot bypass row-level security")
