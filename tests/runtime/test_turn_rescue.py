"""A dead process' turns are taken over within five seconds: how many looks that takes, and how far they are apart.

Counted in looks, because seconds would measure the machine: a look is one query, and a busy machine makes all of
them slow. `tests/chaos` kills real processes.
"""

import asyncio
from uuid import UUID

import psycopg
import pytest
from sqlalchemy import select

from spotter.app import House
from spotter.errors import NotFound
from spotter.llm.scripted import ScriptedModel
from spotter.runtime.turns import INSTANCE_LOCK, Turns
from spotter.sessions.events import AssistantMessage, Ending, TurnEnded, UserMessage
from spotter.sessions.log import Lease, Turn
from spotter.sessions.tables import AgentSession
from spotter.settings import Settings
from spotter.store.scope import Scope
from spotter.work.turn_rescue import TurnRescue
from tests.support.agents import new_session, running_turns
from tests.support.people import Gym

NOBODY = 1_234_567
"""No process holds the lock of this number: whoever had it has died."""
PROMISED = 5.0


async def opened(home: House, scope: Scope, lease: Lease) -> Turn:
    session_id = await new_session(home, scope)
    turn = await home.services.log.open_turn(scope, session_id, UserMessage(text="hello"), lease)
    assert isinstance(turn, Turn)
    return turn


async def owner_of(home: House, scope: Scope, session_id: UUID) -> int | None:
    async with home.services.database.unit_of_work(scope) as uow:
        return await uow.session.scalar(select(AgentSession.lease_owner).where(AgentSession.id == session_id))


async def answered(home: House, scope: Scope, session_id: UUID) -> bool:
    events = await home.services.log.read(scope, session_id)
    return any(isinstance(event.content, AssistantMessage) for event in events)


def test_two_looks_leave_more_than_half_of_the_time_for_themselves() -> None:
    """At worst a process dies just after a look: then two pauses pass, and two looks."""
    assert 2 * Settings().turn_rescue_every < PROMISED / 2


async def test_what_a_dead_process_left_is_taken_over_at_the_second_look(home: House, gym: Gym) -> None:
    scope = gym.member.scope
    session_id = (await opened(home, scope, Lease(NOBODY, seconds=3600))).session_id
    async with running_turns(home, ScriptedModel(["Hello there."])) as turns:
        rescue = TurnRescue(home.workshop, turns)
        async with await home.workshop.as_job() as connection:
            await rescue.look(connection)
            # Once may be a process that is just connecting again.
            assert await owner_of(home, scope, session_id) == NOBODY
            await rescue.look(connection)
            assert await owner_of(home, scope, session_id) in (turns.owner, None)
        async with asyncio.timeout(60):
            while not await answered(home, scope, session_id):
                await asyncio.sleep(0.01)


async def test_a_lease_that_has_run_out_is_taken_at_the_first_look(home: House, gym: Gym) -> None:
    """By the database's clock. Also from a process that holds its lock: it may be stopped."""
    scope = gym.member.scope
    await home.services.bus.hold(INSTANCE_LOCK, NOBODY)
    try:
        session_id = (await opened(home, scope, Lease(NOBODY, seconds=-1))).session_id
        async with running_turns(home, ScriptedModel(["Hello there."])) as turns:
            async with await home.workshop.as_job() as connection:
                await TurnRescue(home.workshop, turns).look(connection)
            assert await owner_of(home, scope, session_id) in (turns.owner, None)
    finally:
        await home.services.bus.release(INSTANCE_LOCK, NOBODY)


async def test_a_living_process_keeps_its_turn_however_often_one_looks(home: House, gym: Gym) -> None:
    scope = gym.member.scope
    await home.services.bus.hold(INSTANCE_LOCK, NOBODY)
    try:
        turn = await opened(home, scope, Lease(NOBODY, seconds=3600))
        async with running_turns(home, ScriptedModel([])) as turns:
            rescue = TurnRescue(home.workshop, turns)
            async with await home.workshop.as_job() as connection:
                for _ in range(4):
                    await rescue.look(connection)
            assert await owner_of(home, scope, turn.session_id) == NOBODY
        ended = TurnEnded(ends=Ending.CANCELLED, reason="The test is over.")
        await home.services.log.append(scope, turn.session_id, [ended], fence=turn.fence, close=True)
    finally:
        await home.services.bus.release(INSTANCE_LOCK, NOBODY)


def break_one_of(turns: Turns, sessions: set[UUID], monkeypatch: pytest.MonkeyPatch) -> set[UUID]:
    """Whichever of them is come to first cannot be taken over, ever; it is in the answer then."""
    broken: set[UUID] = set()
    take_over = turns.take_over

    async def take_over_others(scope: Scope, session_id: UUID, fence: int) -> bool:
        if session_id in sessions and (not broken or session_id in broken):
            broken.add(session_id)
            raise NotFound("There is no such session.")
        return await take_over(scope, session_id, fence)

    monkeypatch.setattr(turns, "take_over", take_over_others)
    return broken


async def test_one_that_cannot_be_helped_keeps_nobody_else_waiting(
    home: House, gym: Gym, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    scope = gym.member.scope
    sessions = {(await opened(home, scope, Lease(NOBODY, seconds=3600))).session_id for _ in range(2)}
    async with running_turns(home, ScriptedModel(["Hello there.", "And again."])) as turns:
        broken = break_one_of(turns, sessions, monkeypatch)
        rescue = TurnRescue(home.workshop, turns)
        async with await home.workshop.as_job() as connection:
            for _ in range(2):
                await rescue.look(connection)
            (other,) = sessions - broken
            assert await owner_of(home, scope, other) in (turns.owner, None)
            assert f"the abandoned turn of session {next(iter(broken))}" in caplog.text
            monkeypatch.undo()
            await rescue.look(connection)
        async with asyncio.timeout(60):
            for session_id in sessions:
                while not await answered(home, scope, session_id):
                    await asyncio.sleep(0.01)


async def test_an_outage_ends_the_look_and_it_still_counts_as_the_first(
    home: House, gym: Gym, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of the others would wait for the database again."""
    scope = gym.member.scope
    expired = (await opened(home, scope, Lease(NOBODY, seconds=-1))).session_id
    orphan = (await opened(home, scope, Lease(NOBODY, seconds=3600))).session_id
    async with running_turns(home, ScriptedModel(["Hello there.", "And again."])) as turns:

        async def away(*_: object) -> bool:
            raise psycopg.OperationalError("the connection is lost")

        rescue = TurnRescue(home.workshop, turns)
        async with await home.workshop.as_job() as connection:
            with monkeypatch.context() as outage:
                outage.setattr(turns, "take_over", away)
                with pytest.raises(psycopg.OperationalError):
                    await rescue.look(connection)
            await rescue.look(connection)
        for session_id in (expired, orphan):
            assert await owner_of(home, scope, session_id) in (turns.owner, None)
