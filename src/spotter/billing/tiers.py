"""Subscriptions as data: `tiers.toml`, read once."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from types import MappingProxyType

from spotter.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Tier:
    """What an organisation may do. None: as much as it likes."""

    name: str
    title: str
    runs_a_month: int | None = None
    concurrent_runs: int | None = None
    concurrent_turns: int | None = None
    tools_per_agent: int | None = None
    credits_a_month: int = 0


@cache
def tiers() -> Mapping[str, Tier]:
    return MappingProxyType(_read()[1])


@cache
def default_tier() -> Tier:
    default, known = _read()
    return known[default]


def tier(name: str) -> Tier:
    """The limits of one tier: what runs, turns and agents ask before they begin."""
    found = tiers().get(name)
    if found is None:
        raise InvalidInput(f"There is no tier {name!r}. There are: {', '.join(tiers())}.")
    return found


def _read() -> tuple[str, dict[str, Tier]]:
    data = tomllib.loads(resources.files(__package__).joinpath("tiers.toml").read_text("utf-8"))
    default = data.pop("default")
    return default, {name: Tier(name=name, **limits) for name, limits in data.items()}
