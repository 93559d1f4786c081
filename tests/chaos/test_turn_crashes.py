"""kill -9 at every boundary of a turn: nothing lost, nothing twice, and what nobody can know is said to be uncertain.

Boundaries are before and after each statement, commit, call of the log, tool and piece of the model's answer; and,
finer, every step of the turn's tasks. Other processes end what the dead began. kill -9 does not test power loss.
"""

import asyncio
import os
import random
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import pytest

from spotter.ids import random_id
from spotter.store.embedded import EmbeddedPostgres
from tests.chaos.turn_lab import AT_ONCE, LONG, Blow, Lab, Told, laboratory
from tests.chaos.turn_script import SCENARIOS

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(7200 if LONG else 1800)]

SEED = int(os.environ.get("SPOTTER_CHAOS_SEED", random_id().int % 2**32))
PLENTY = 10_000


@pytest.fixture(scope="module")
async def lab(
    postgres: EmbeddedPostgres, process_name: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Lab]:
    async with laboratory(postgres, f"crash_{process_name}", Path(tmp_path_factory.mktemp("crash"))) as ready:
        yield ready


@dataclass
class Tally:
    blows: int = 0
    cases: int = 0
    uncertain: int = 0
    through: int = 0
    """Cases in which nothing was hit: the boundary lay behind the end."""
    names: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def add(self, what: str, told: Told) -> None:
        self.cases += 1
        self.blows += told.blows
        self.uncertain += told.uncertain
        self.through += told.blows == 0
        self.names.update(told.names)
        self.faults += [f"{what}, hit {told.names}: {fault}" for fault in told.faults]

    def tell(self, label: str) -> None:
        print(
            f"\n{label}: {self.blows} blows in {self.cases} cases, {len(self.names)} kinds of boundaries, "
            f"{self.uncertain} effects uncertain, {len(self.faults)} faults (SPOTTER_CHAOS_SEED={SEED})"
        )
        assert self.faults == []


async def strike(lab: Lab, scenario: str, places: Iterable[int], **blow: object) -> Tally:
    """One case for each place, several at once, until they lie behind the turn's end."""
    tally, left = Tally(), iter(places)

    async def keep_striking() -> None:
        for at in left:
            told = await lab.case(scenario, [Blow(at, **blow)], hasty=at % 2 == 0)  # type: ignore[arg-type]
            tally.add(f"{scenario} at {at}", told)
            if told.blows == 0 and isinstance(places, count):
                return

    await asyncio.gather(*(keep_striking() for _ in range(AT_ONCE)))
    return tally


async def test_killed_at_every_boundary(lab: Lab) -> None:
    tally = await strike(lab, "all", count(1) if LONG else count(1 + SEED % 5, 5))
    tally.tell("kill -9")
    assert tally.through, "the end was never reached"
    assert tally.blows >= (150 if LONG else 30)
    assert tally.uncertain, "no kill was between the two marks of an effect outside"


@pytest.mark.parametrize("scenario", [name for name in SCENARIOS if name != "all"])
async def test_killed_in_other_stories(lab: Lab, scenario: str) -> None:
    dice = random.Random(SEED)
    places: Iterable[int] = count(1 + SEED % 2, 2) if LONG else [dice.randint(1, 30), dice.randint(31, 90)]
    tally = await strike(lab, scenario, places)
    tally.tell(f"kill -9 in {scenario!r}")


async def test_a_programs_call_killed_at_every_boundary(lab: Lab) -> None:
    """No model and no message: each call is carried out once, whoever ends it, or said to be uncertain."""
    tally = await strike(lab, "called", count(1) if LONG else count(1 + SEED % 9, 9))
    tally.tell("kill -9 in a program's calls")
    assert tally.through, "the end was never reached"
    assert tally.blows >= 10


async def test_killed_at_every_await(lab: Lab) -> None:
    dice = random.Random(SEED)
    places = count(1) if LONG else [dice.randint(1, 90) for _ in range(8)]
    (await strike(lab, "all", places, steps=True)).tell("kill -9 at awaits")


async def test_killed_again_while_being_taken_over(lab: Lab) -> None:
    dice, tally = random.Random(SEED), Tally()
    for _ in range(15 if LONG else 1):
        stories = [dice.choice(list(SCENARIOS)) for _ in range(AT_ONCE)]
        blows = [
            [Blow(dice.randint(1, 80)) for _ in range(dice.randint(1, 5))]
            if dice.random() < 0.5
            else [Blow(after=dice.uniform(0, 0.5)) for _ in range(dice.randint(1, 5))]
            for _ in stories
        ]
        for story, told in zip(stories, await asyncio.gather(*map(lab.case, stories, blows)), strict=True):
            tally.add(story, told)
    tally.tell("kill -9, again and again")


async def test_told_to_stop_at_every_boundary(lab: Lab) -> None:
    dice = random.Random(SEED)
    places = count(1, 4) if LONG else [dice.randint(1, 150) for _ in range(4)]
    (await strike(lab, "all", places, how="term")).tell("SIGTERM")


@pytest.mark.parametrize("how", ["raise a bug", "raise a loss"])
async def test_something_breaks_at_every_boundary(lab: Lab, how: str) -> None:
    dice = random.Random(SEED)
    places = count(1, 2) if LONG else [dice.randint(1, 150) for _ in range(6)]
    (await strike(lab, "all", places, how=how)).tell(how)


async def test_another_server_takes_over_without_waiting_for_the_lease(lab: Lab) -> None:
    dice = random.Random(SEED)
    seconds: list[float] = []
    while len(seconds) < (20 if LONG else 2):
        rescued = await lab.rescue("all", dice.randint(20, 120))
        if rescued is None:
            continue
        told, taken = rescued
        assert told.faults == []
        assert told.blows == 1
        seconds.append(taken)
    seconds.sort()
    print(f"\ntaken over and ended after {seconds[len(seconds) // 2]:.2f} s, at most {seconds[-1]:.2f} s")


async def test_the_suite_notices_a_missing_transaction(lab: Lab) -> None:
    """The effect commits before its result: sooner or later a kill falls in between, and the effect happens twice."""
    found: list[str] = []
    left = iter(range(22, PLENTY))

    async def search() -> None:
        for at in left:
            if found:
                return
            told = await lab.case("ours", [Blow(at)], mutant="no transaction")
            found.extend(fault for fault in told.faults if "happened 2 times" in fault)
            assert told.blows, "the mutant survived"

    await asyncio.gather(*(search() for _ in range(AT_ONCE)))
    print(f"\nfound: {found[0]}")


async def test_the_suite_notices_a_call_that_is_billed_apart(lab: Lab) -> None:
    """The answer commits before its entry in the ledger: sooner or later a kill falls in between, and nobody pays."""
    found: list[str] = []
    left = iter(range(22, PLENTY))

    async def search() -> None:
        for at in left:
            if found:
                return
            told = await lab.case("ours", [Blow(at)], mutant="billed apart")
            found.extend(fault for fault in told.faults if "no entry in the ledger" in fault)
            assert told.blows, "the mutant survived"

    await asyncio.gather(*(search() for _ in range(AT_ONCE)))
    print(f"\nfound: {found[0]}")
