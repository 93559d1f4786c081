"""Whatever the order, the retries and the crashes: ledger = counters = balance = the month's bill."""

import asyncio
from contextlib import suppress
from typing import Any
from uuid import UUID

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spotter.app import House
from spotter.billing.caps import CapPeriod, CapScope, CapUnit
from spotter.billing.credit_ledger import give
from spotter.billing.ledger import Call
from spotter.billing.sweeping import release_abandoned
from spotter.errors import Conflict, PaymentRequired
from spotter.llm.scripted import ScriptedModel
from spotter.money import CREDIT
from spotter.sessions.events import AssistantMessage, Ending, TurnEnded, UsageRecord, UserMessage
from spotter.sessions.log import Fenced, Lease, Turn
from tests.support.agents import new_session
from tests.support.money import account, cap, money_is_right, rows, set_price
from tests.support.people import Gym, open_gym

# What may happen to a turn: in any order, by several at once.
MOVES = (
    "reserve",
    "record",
    "record twice",
    "crash",
    "take over",
    "close",
    "grant",
    "grant again",
    "sweep",
    "cap",
)
STORIES = st.lists(
    st.lists(
        st.tuples(st.sampled_from(MOVES), st.integers(0, 3_000), st.booleans()), min_size=1, max_size=10
    ),
    min_size=1,
    max_size=4,
)


class Storyteller:
    """One session, to which these things happen."""

    def __init__(self, home: House, gym: Gym, session_id: UUID) -> None:
        self.home, self.gym, self.session_id = home, gym, session_id
        self.scope = gym.member.scope
        self.turn: Turn | None = None

    async def tell(self, story: list[tuple[str, int, bool]]) -> None:
        for move, amount, reported in story:
            try:
                await self._do(move, amount, reported=reported)
            except (Fenced, PaymentRequired):
                continue

    async def _do(self, move: str, amount: int, *, reported: bool) -> None:
        log, services = self.home.services.log, self.home.services
        if self.turn is None:
            opened = await log.open_turn(self.scope, self.session_id, UserMessage(text="hi"), Lease(1))
            assert isinstance(opened, Turn)
            self.turn = opened
        match move:
            case "reserve":
                await services.ledger.reserve(self.scope, self._call(amount))
            case "record" | "record twice":
                for fence in (self.turn.fence, self.turn.fence - 1)[: 1 + (move == "record twice")]:
                    await log.append(self.scope, self.session_id, [_spoken(amount, reported)], fence=fence)
            case "crash":
                await self._crash(amount)
            case "take over":
                self.turn = await log.take_over(self.scope, self.session_id, Lease(2), self.turn.fence)
            case "close":
                end = TurnEnded(ends=Ending.CANCELLED)
                await log.append(self.scope, self.session_id, [end], fence=self.turn.fence, close=True)
                self.turn = None
            case "grant" | "grant again":
                async with services.database.unit_of_work(self.gym.owner.scope) as uow:
                    reference = f"{self.session_id} {amount // 1000}" if move == "grant again" else None
                    await give(uow, "grant", CREDIT // 10, reference=reference, note="")
            case "sweep":
                await self._sweep()
            case _:
                await self._new_cap(amount)

    async def _crash(self, amount: int) -> None:
        """Everything was said, but the commit never came."""
        assert self.turn is not None
        async with self.home.services.database.unit_of_work(self.scope) as uow:
            await self.home.services.log.append(
                self.scope, self.session_id, [_spoken(amount, True)], fence=self.turn.fence,
                connection=await uow.driver(),
            )  # fmt: skip
            uow.give_up()

    async def _sweep(self) -> None:
        for (reservation,) in await rows(self.home, self.gym, "SELECT id FROM spend_reservations"):
            await release_abandoned(self.home.services.database, self.gym.org_id, reservation)

    async def _new_cap(self, amount: int) -> None:
        scope, period = list(CapScope)[amount % 5], list(CapPeriod)[amount % 3]
        unit = list(CapUnit)[amount % 2]
        known = "SELECT 1 FROM spend_caps WHERE (scope, period, unit) = (%s, %s, %s)"
        if not await rows(self.home, self.gym, known, scope.value, period.value, unit.value):
            with suppress(Conflict):  # another story was quicker
                await cap(self.home, self.gym, 20_000 + amount, scope=scope, period=period, unit=unit)

    def _call(self, amount: int) -> Call:
        assert self.turn is not None
        return Call(self.session_id, self.turn.fence, ScriptedModel([]), amount // 10)


def _spoken(amount: int, reported: bool) -> AssistantMessage:
    kinds: dict[str, Any] = {}
    if reported:
        kinds = {
            "input": amount,
            "output": amount // 7,
            "cache_read": amount // 3,
            "cache_write": amount % 11,
        }
    usage = UsageRecord(model="scripted", provider="scripted", reported=reported, **kinds)
    return AssistantMessage(text="x", usage=usage)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(stories=STORIES, prepaid=st.booleans())
async def test_every_sum_is_the_sum_of_its_entries(
    home: House, stories: list[list[tuple[str, int, bool]]], prepaid: bool
) -> None:
    gym = await open_gym(home)
    await set_price(home, gym)
    if prepaid:
        await account(home, gym, prepaid=True, credit_rate=777)
    tellers = [Storyteller(home, gym, await new_session(home, gym.member.scope)) for _ in stories]
    await asyncio.gather(*(one.tell(story) for one, story in zip(tellers, stories, strict=True)))
    await money_is_right(home, gym)
    ((entries, charge),) = await rows(
        home, gym, "SELECT count(*), coalesce(sum(charge), 0) FROM usage_entries"
    )
    ((calls, billed),) = await rows(
        home, gym, "SELECT coalesce(sum(calls), 0), coalesce(sum(charge), 0) FROM ai_usage_billing"
    )
    assert (entries, charge) == (calls, billed)
    used = "SELECT count(*) FROM agent_events WHERE content ->> 'usage' IS NOT NULL"
    assert await rows(home, gym, used) == [(entries,)]
