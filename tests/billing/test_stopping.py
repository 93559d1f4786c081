"""Stop stops spending, and what a dead turn had reserved comes back: then, and not before."""

import asyncio
from typing import Any
from uuid import UUID, uuid4

import pytest
from typing_extensions import override

from spotter.app import House
from spotter.billing.caps import CapScope, CapUnit
from spotter.billing.ledger import Call, Ledger
from spotter.billing.sweeping import release_abandoned
from spotter.llm.port import Usage
from spotter.llm.scripted import Line, Say, ScriptedModel, call
from spotter.runtime.seams import Seams
from spotter.runtime.turns import Turns
from spotter.sessions import directory
from spotter.sessions.events import Ending, UserMessage
from spotter.sessions.log import Fenced, Lease, Turn
from spotter.store.scope import Scope
from spotter.work.turn_rescue import TurnRescue
from tests.runtime.test_turns import ending_of, events_of
from tests.support.agents import new_session, running_turns
from tests.support.money import (
    account,
    cap,
    credits_left,
    entries,
    give_credits,
    money_is_right,
    rows,
    set_price,
)
from tests.support.people import Gym

DEAR = Usage(input=20, output=250, reported=True)


class SlowBudget(Ledger):
    """Waits before or after it reserves, until it is told to go on."""

    def __init__(self, home: House, *, before: bool) -> None:
        services = home.services
        super().__init__(services.database, services.prices, services.accounts)
        self.before = before
        self.asked = asyncio.Event()
        self.go_on = asyncio.Event()

    @override
    async def reserve(self, scope: Scope, call: Call) -> int | None:
        most = None if self.before else await super().reserve(scope, call)
        self.asked.set()
        await self.go_on.wait()
        return await super().reserve(scope, call) if self.before else most


async def ask_to_stop(home: House, scope: Scope, session_id: UUID) -> None:
    """As another process does it: in the database only."""
    async with home.services.database.unit_of_work(scope) as uow:
        assert await directory.request_cancel(uow, session_id)


async def test_nothing_is_asked_after_a_stop_while_reserving(home: House, gym: Gym) -> None:
    await set_price(home, gym)
    await cap(home, gym, 10**6)
    scope = gym.member.scope
    for before in (True, False):
        budget, model = SlowBudget(home, before=before), ScriptedModel(["never said"])
        session_id = await new_session(home, scope)
        async with running_turns(home, model, seams=Seams(budget=budget)) as turns:
            ticket = await turns.say(scope, session_id, UserMessage(text="go"))
            await asyncio.wait_for(budget.asked.wait(), 60)
            assert turns.cancel_here(session_id)
            assert await ending_of(ticket) is Ending.CANCELLED
        assert model.asked == []
    assert await rows(home, gym, "SELECT id FROM spend_reservations") == []
    await money_is_right(home, gym)


async def test_a_stop_that_only_the_database_knows_of_holds(home: House, gym: Gym) -> None:
    await set_price(home, gym)
    await cap(home, gym, 10**6)
    scope, budget, model = gym.member.scope, SlowBudget(home, before=True), ScriptedModel(["never said"])
    session_id = await new_session(home, scope)
    async with running_turns(home, model, seams=Seams(budget=budget)) as turns:
        ticket = await turns.say(scope, session_id, UserMessage(text="go"))
        await asyncio.wait_for(budget.asked.wait(), 60)
        await ask_to_stop(home, scope, session_id)
        budget.go_on.set()
        assert await ending_of(ticket) is Ending.CANCELLED
    assert model.asked == []
    await money_is_right(home, gym)


async def test_a_stop_while_a_tool_runs_is_the_last_call(home: House, gym: Gym) -> None:
    """Without caps too: the log says so with the tool's own result, long before the lease is renewed."""
    await set_price(home, gym)
    scope, session_id = gym.member.scope, await new_session(home, gym.member.scope)
    began, go_on = asyncio.Event(), asyncio.Event()

    async def slowly(turns: Turns) -> None:
        run = turns._executor.run

        async def waits(site: Any) -> Any:
            began.set()
            await go_on.wait()
            return await run(site)

        setattr(turns._executor, "run", waits)  # noqa: B010

    script: list[Line] = [Say(calls=(call("add", {"a": 1}),), usage=DEAR), "never said"]
    model = ScriptedModel(script)
    async with running_turns(home, model) as turns:
        await slowly(turns)
        ticket = await turns.say(scope, session_id, UserMessage(text="go"))
        await asyncio.wait_for(began.wait(), 60)
        await ask_to_stop(home, scope, session_id)
        go_on.set()
        assert await ending_of(ticket) is Ending.CANCELLED
    assert len(model.asked) == 1
    assert [event.type for event in await events_of(home, scope, session_id)] == [
        "user_message", "action", "result", "turn_ended",
    ]  # fmt: skip
    assert len(await entries(home, gym)) == 1
    await money_is_right(home, gym)


async def test_what_a_dead_turn_reserved_comes_back_and_not_before(home: House, gym: Gym) -> None:
    await set_price(home, gym)
    await cap(home, gym, 4000)
    await account(home, gym, prepaid=True)
    await give_credits(home, gym, 1)
    scope, log = gym.member.scope, home.services.log
    session_id = await new_session(home, scope)
    turn = await log.open_turn(scope, session_id, UserMessage(text="hi"), Lease(1))
    assert isinstance(turn, Turn)
    assert turn.capped
    asked = Call(session_id, turn.fence, ScriptedModel([]), 20)
    assert await home.services.ledger.reserve(scope, asked)
    held = "SELECT reserved FROM spend_counters"
    assert await rows(home, gym, held) == [(4000,)]
    assert await credits_left(home, gym) == 600_000
    ((reservation,),) = await rows(home, gym, "SELECT id FROM spend_reservations")

    await sweep(home)
    assert not await release_abandoned(home.services.database, gym.org_id, reservation)
    assert await rows(home, gym, held) == [(4000,)]
    await money_is_right(home, gym)

    assert await log.take_over(scope, session_id, Lease(2), turn.fence) is not None
    await sweep(home)
    assert await rows(home, gym, held) == [(0,)]
    assert await credits_left(home, gym) == 1_000_000
    assert await rows(home, gym, "SELECT id FROM spend_reservations") == []
    await money_is_right(home, gym)


async def sweep(home: House) -> None:
    """One look of the sweeper; taking turns over is another matter."""

    class Nobody:
        async def take_over(self, *_: object) -> bool:
            return False

        async def take_up_waiting(self, *_: object) -> bool:
            return False

    rescue = TurnRescue(home.workshop, Nobody())  # type: ignore[arg-type]
    async with await home.workshop.as_job() as connection:
        await rescue.look(connection)


async def test_a_reservation_without_a_turn_lives_until_it_expires(home: House, gym: Gym) -> None:
    made = "INSERT INTO spend_reservations (org_id, id, amount, tokens, credits, counters, expires_at) VALUES"
    fresh, old = uuid4(), uuid4()
    await rows(
        home,
        gym,
        f"{made} (%s, %s, 0, 0, 0, '{{}}', now() + interval '1 hour'), (%s, %s, 0, 0, 0, '{{}}', now()) RETURNING 1",
        gym.org_id, fresh, gym.org_id, old,
    )  # fmt: skip
    await sweep(home)
    assert await rows(home, gym, "SELECT id FROM spend_reservations") == [(fresh,)]


async def test_a_turn_that_was_taken_over_cannot_reserve(home: House, gym: Gym) -> None:
    """A zombie spends nothing."""
    await set_price(home, gym)
    await cap(home, gym, 4000)
    scope, log = gym.member.scope, home.services.log
    session_id = await new_session(home, scope)
    turn = await log.open_turn(scope, session_id, UserMessage(text="hi"), Lease(1))
    assert isinstance(turn, Turn)
    await log.take_over(scope, session_id, Lease(2), turn.fence)
    with pytest.raises(Fenced):
        await home.services.ledger.reserve(scope, Call(session_id, turn.fence, ScriptedModel([]), 20))
    assert await rows(home, gym, "SELECT 1 FROM spend_reservations") == []


async def test_the_next_reservation_of_a_turn_replaces_the_last(home: House, gym: Gym) -> None:
    """A call that failed, a checkpoint that was not made: nothing has to be given back by hand."""
    await set_price(home, gym)
    await cap(home, gym, 4000)
    scope, log = gym.member.scope, home.services.log
    session_id = await new_session(home, scope)
    turn = await log.open_turn(scope, session_id, UserMessage(text="hi"), Lease(1))
    assert isinstance(turn, Turn)
    for _ in range(3):
        assert await home.services.ledger.reserve(scope, Call(session_id, turn.fence, ScriptedModel([]), 20))
    assert await rows(home, gym, "SELECT reserved FROM spend_counters") == [(4000,)]
    await money_is_right(home, gym)


async def test_no_two_of_many_at_once_are_in_each_other_s_way(home: House, gym: Gym) -> None:
    """Several caps, several people, reserving, settling and releasing in every order: no deadlock."""
    await set_price(home, gym)
    for scope in CapScope:
        for unit in CapUnit:
            await cap(home, gym, 10**9, scope=scope, unit=unit)
    people = [gym.member.scope, gym.other_member.scope, gym.staff.scope]
    sessions = [(people[n % 3], await new_session(home, people[n % 3])) for n in range(12)]

    async def live(scope: Scope, session_id: UUID, turns: Turns) -> None:
        for _ in range(5):
            ticket = await turns.say(scope, session_id, UserMessage(text="go"))
            assert await ending_of(ticket) is Ending.FINAL

    async with running_turns(home, ScriptedModel([Say("Yes.", usage=DEAR)] * 60)) as turns:
        await asyncio.gather(*(live(scope, session_id, turns) for scope, session_id in sessions))
    assert len(await entries(home, gym)) == 60
    await money_is_right(home, gym)
