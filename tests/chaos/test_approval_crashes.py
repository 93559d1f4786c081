"""kill -9 anywhere between a request, its decision and its effect: what was approved happens once, what was denied
never, and what nobody can know is said to be uncertain."""

import asyncio
import random
from collections.abc import AsyncIterator
from itertools import count
from pathlib import Path

import pytest

from spotter.store.embedded import EmbeddedPostgres
from tests.chaos.test_turn_crashes import PLENTY, SEED, strike
from tests.chaos.turn_lab import AT_ONCE, LONG, Blow, Lab, laboratory

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(7200 if LONG else 600)]


@pytest.fixture(scope="module")
async def lab(
    postgres: EmbeddedPostgres, process_name: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Lab]:
    folder = Path(tmp_path_factory.mktemp("asked"))
    async with laboratory(postgres, f"asked_{process_name}", folder) as ready:
        yield ready


async def test_killed_between_approval_and_effect(lab: Lab) -> None:
    tally = await strike(lab, "asks", count(1) if LONG else count(1 + SEED % 13, 13))
    tally.tell("kill -9 around approvals")
    assert tally.through, "the end was never reached"
    assert tally.blows >= (300 if LONG else 25)


async def test_killed_while_people_talk_on(lab: Lab) -> None:
    dice = random.Random(SEED)
    places = count(1) if LONG else sorted(dice.sample(range(1, 260), 12))
    (await strike(lab, "asks and talks on", places)).tell("kill -9 around approvals, people talking on")


async def test_killed_at_awaits_around_approvals(lab: Lab) -> None:
    dice = random.Random(SEED)
    places = count(1) if LONG else [dice.randint(1, 160) for _ in range(8)]
    (await strike(lab, "asks", places, steps=True)).tell("kill -9 at awaits around approvals")


async def test_killed_again_and_again(lab: Lab) -> None:
    dice, faults = random.Random(SEED), []
    for _ in range(40 if LONG else 4):
        blows = [Blow(dice.randint(1, 150)) for _ in range(dice.randint(2, 4))]
        faults += (await lab.case("asks", blows)).faults
    assert faults == []


async def test_the_suite_notices_an_effect_without_its_transaction(lab: Lab) -> None:
    """The effect commits before its result and before its approval is used up."""
    found: list[str] = []
    left = iter(range(280, PLENTY, 2))

    async def search() -> None:
        for at in left:
            if found:
                return
            told = await lab.case("asks", [Blow(at)], mutant="no transaction")
            found.extend(fault for fault in told.faults if "happened 2 times" in fault)
            assert told.blows, "the mutant survived"

    await asyncio.gather(*(search() for _ in range(AT_ONCE)))
    print(f"\nfound: {found[0]}")
