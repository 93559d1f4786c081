"""Two owners: one process is frozen past its lease, another ends its turn, then the first one wakes up and goes on."""

import asyncio
import os
import random
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from spotter.ids import random_id
from spotter.store.embedded import EmbeddedPostgres
from tests.chaos.turn_lab import AT_ONCE, LONG, Lab, Told, laboratory

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(3600 if LONG else 1800)]

ZOMBIES = 100 if LONG else 8


@pytest.fixture(scope="module")
async def lab(
    postgres: EmbeddedPostgres, process_name: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Lab]:
    async with laboratory(
        postgres, f"zombie_{process_name}", Path(tmp_path_factory.mktemp("zombie"))
    ) as ready:
        yield ready


@pytest.fixture
def dice() -> random.Random:
    seed = int(os.environ.get("SPOTTER_CHAOS_SEED", random_id().int % 2**32))
    print(f"\nSPOTTER_CHAOS_SEED={seed}")
    return random.Random(seed)


async def frozen(lab: Lab, dice: random.Random, times: int, mutant: str = "") -> list[Told]:
    told: list[Told] = []
    left = iter(range(times))

    async def keep_freezing() -> None:
        for _ in left:
            told.append(await lab.zombie("all", dice.randint(12, 165), mutant=mutant))

    await asyncio.gather(*(keep_freezing() for _ in range(AT_ONCE)))
    return told


async def test_a_zombie_is_refused(lab: Lab, dice: random.Random) -> None:
    told = await frozen(lab, dice, ZOMBIES)
    refused = sum(one.fenced > 0 for one in told)
    print(
        f"{len(told)} were frozen and woken, {refused} of them refused, {sum(t.uncertain for t in told)} uncertain"
    )
    assert [f"frozen {one.names}: {fault}" for one in told for fault in one.faults] == []
    assert all(one.blows == 1 for one in told), "somebody was not frozen"
    assert [one.names for one in told if one.taken and one.fenced == 0] == [], "a zombie was not refused"
    assert sum(one.taken for one in told) >= len(told) / 2, "most were frozen too late to be taken over"


async def test_the_suite_notices_a_missing_fence(lab: Lab, dice: random.Random) -> None:
    for _ in range(5):
        faults = [fault for one in await frozen(lab, dice, AT_ONCE, "no fence") for fault in one.faults]
        if faults:
            print(f"found: {faults[0][:200]}")
            return
    pytest.fail("the mutant survived")
