"""Calls that wait for a person: the turn ends without holding anything, and goes on exactly once."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import psycopg
import pytest
from sqlalchemy import select
from sqlalchemy.exc import DBAPIError
from typing_extensions import override

from spotter.app import House, house
from spotter.clock import now
from spotter.errors import SpotterError
from spotter.identity.organisations import remove_member
from spotter.ids import new_id
from spotter.llm.port import DEFAULTS, Chunk, ModelSettings
from spotter.llm.prompt import NO_TOOLS, Prompt, ToolResult, Tools
from spotter.llm.prompt import UserMessage as Heard
from spotter.llm.scripted import Asked, Line, Say, ScriptedModel, call
from spotter.runtime import approval_decisions
from spotter.runtime.agent import Limits
from spotter.runtime.approval_decisions import AlreadyDecided, ApprovalExpired, Decision, NotWhatWasShown
from spotter.runtime.approval_policy import Mode
from spotter.runtime.registry import ToolRegistry
from spotter.runtime.tables import Approval
from spotter.runtime.turns import Turns
from spotter.safety import as_data
from spotter.sessions import directory, projections, transfer
from spotter.sessions.events import ApprovalDecided, AssistantMessage, Ending, Outcome, Result, UserMessage
from spotter.sessions.log import Lease, SessionLog, Turn
from spotter.sessions.tables import AgentSession
from spotter.store.embedded import EmbeddedPostgres
from spotter.store.unit_of_work import UnitOfWork
from spotter.work.approval_expiry import expire_approvals
from spotter.work.job import JobCall, Workshop
from tests.support.agents import idle, new_session
from tests.support.approvals import (
    TOOLS,
    World,
    asking_turns,
    audited,
    change,
    checked_events,
    decide,
    endings,
    outcomes,
    paid,
    pay,
    principal,
    quiet,
    requests,
    say,
    set_policy,
)
from tests.support.databases import fresh_database, migrated_ground, settings_for
from tests.support.people import Gym

MANY = {"to": ["a", "b", "c"]}


@pytest.fixture(scope="module")
async def home(
    postgres: EmbeddedPostgres, process_name: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[House]:
    """With a database of its own: no server looks for turns in it that nobody runs."""
    async with fresh_database(postgres, f"approvals_{process_name}") as url:
        settings = settings_for(url, tmp_path_factory.mktemp("approvals"))
        async with migrated_ground(settings) as base, house(base) as ready:
            yield ready


class HeldModel(ScriptedModel):
    """Its second answer waits for us."""

    def __init__(self, script: list[Line], begun: asyncio.Event, go: asyncio.Event) -> None:
        super().__init__(script)
        self._begun, self._go = begun, go

    @override
    async def stream(
        self, prompt: Prompt, tools: Tools = NO_TOOLS, settings: ModelSettings = DEFAULTS
    ) -> AsyncGenerator[Chunk, None]:
        if len(self.asked) == 1:
            self._begun.set()
            await self._go.wait()
        async with aclosing(super().stream(prompt, tools, settings)) as chunks:
            async for chunk in chunks:
                yield chunk


def results_told(asked: Asked) -> dict[str, str]:
    told = [one.message for one in asked.prompt.messages]
    return {message.call_id: message.text for message in told if isinstance(message, ToolResult)}


def paying(call_id: str = "", amount: int = 5) -> Say:
    return Say(calls=(call("pay", {"amount": amount}, call_id or f"pay{new_id().hex}"),))


async def test_nothing_happens_and_nothing_is_held_until_a_person_decides(home: House, gym: Gym) -> None:
    session_id = await new_session(home, gym.member.scope)
    model = ScriptedModel([paying("c-hold"), "Paid."])
    async with asking_turns(home, model) as turns:
        assert await say(turns, gym.member, session_id) is Ending.APPROVAL
        async with home.services.database.unit_of_work(gym.owner.scope) as uow:
            session = await directory.get(uow, session_id)
        assert (session.turn_open, session.lease_owner, session.lease_until) == (False, None, None)
        (row,) = await requests(home, gym, session_id)
        assert (row.tool, row.arguments, row.state) == ("pay", '{"amount":5,"to":"gym"}', "pending")
        assert await paid(home, gym, "c-hold") == 0
        await checked_events(home, gym, session_id)
        await decide(home, turns, gym.staff, row)
        await quiet(home, gym, session_id)
    events = await checked_events(home, gym, session_id)
    assert endings(events) == [Ending.APPROVAL, Ending.FINAL]
    assert outcomes(events) == {"c-hold": Outcome.OK}
    assert await paid(home, gym, "c-hold") == 1
    assert results_told(model.asked[1]) == {"c-hold": as_data("paid 5 to gym", "tool", label="pay")}
    (row,) = await requests(home, gym, session_id)
    assert row.state == "used"
    assert await audited(home, gym, row.id) == ["approval.requested", "approval.approved", "approval.used"]


async def test_what_is_denied_never_happens_and_the_agent_hears_why(home: House, gym: Gym) -> None:
    session_id = await new_session(home, gym.member.scope)
    model = ScriptedModel([paying("c-deny"), "I see."])
    async with asking_turns(home, model) as turns:
        await say(turns, gym.member, session_id)
        (row,) = await requests(home, gym, session_id)
        await decide(home, turns, gym.staff, row, approve=False, reason="Not this month.")
        await quiet(home, gym, session_id)
    assert outcomes(await checked_events(home, gym, session_id)) == {"c-deny": Outcome.DENIED}
    assert "Not this month." in results_told(model.asked[1])["c-deny"]
    assert await paid(home, gym, "c-deny") == 0
    assert await audited(home, gym, row.id) == ["approval.requested", "approval.denied"]


async def test_some_calls_of_a_step_need_approval_and_others_do_not(home: House, gym: Gym) -> None:
    session_id = await new_session(home, gym.member.scope)
    calls = (
        call("pay", {"amount": 1}, "p1"),
        call("look", {}, "l1"),
        call("pay", {"amount": 2}, "p2"),
        call("write_to", {"to": ["a"]}, "w1"),
        call("write_to", MANY, "w2"),
    )
    model = ScriptedModel([Say(calls=calls), "All done."])
    async with asking_turns(home, model) as turns:
        assert await say(turns, gym.member, session_id) is Ending.APPROVAL
        first, second, third = await requests(home, gym, session_id)
        assert {first.call_id, second.call_id, third.call_id} == {"p1", "p2", "w2"}
        assert outcomes(await checked_events(home, gym, session_id)) == {"l1": Outcome.OK, "w1": Outcome.OK}
        by_call = {row.call_id: row for row in (first, second, third)}
        await decide(home, turns, gym.staff, by_call["p2"])
        await quiet(home, gym, session_id)
        assert len(model.asked) == 1, "the model waits until its whole step is answered"
        await decide(home, turns, gym.staff, by_call["p1"], approve=False)
        await decide(home, turns, gym.staff, by_call["w2"])
        await quiet(home, gym, session_id)
    events = await checked_events(home, gym, session_id)
    assert outcomes(events)["p1"] is Outcome.DENIED
    assert outcomes(events)["p2"] is Outcome.OK
    assert outcomes(events)["w2"] is Outcome.OK
    assert endings(events)[-1] is Ending.FINAL
    assert len(model.asked) == 2
    assert set(results_told(model.asked[1])) == {"p1", "p2", "l1", "w1", "w2"}
    assert World.sent.count("w2") == 1


async def test_a_call_that_would_end_the_turn_leaves_no_other_unasked(home: House, gym: Gym) -> None:
    session_id = await new_session(home, gym.member.scope)
    calls = (call("pay", {"amount": 1}, "p-end"), call("idle", {}, "i-end"))
    async with asking_turns(home, ScriptedModel([Say(calls=calls), "Done."]), tools=(*TOOLS, idle)) as turns:
        assert await say(turns, gym.member, session_id) is Ending.APPROVAL
        (row,) = await requests(home, gym, session_id)
        await decide(home, turns, gym.staff, row)
        await quiet(home, gym, session_id)
    events = await checked_events(home, gym, session_id)
    assert outcomes(events) == {"p-end": Outcome.OK, "i-end": Outcome.OK}
    assert endings(events) == [Ending.APPROVAL, Ending.FINAL]


async def test_people_go_on_talking_meanwhile(home: House, gym: Gym) -> None:
    session_id = await new_session(home, gym.member.scope)
    model = ScriptedModel([paying("c-talk"), "Still waiting.", "Now it is paid."])
    async with asking_turns(home, model) as turns:
        assert await say(turns, gym.member, session_id) is Ending.APPROVAL
        assert await say(turns, gym.member, session_id, "and?") is Ending.FINAL
        assert "waiting for a person's approval" in results_told(model.asked[1])["c-talk"]
        await checked_events(home, gym, session_id)
        (row,) = await requests(home, gym, session_id)
        await decide(home, turns, gym.staff, row)
        await quiet(home, gym, session_id)
    heard = [one.message.text for one in model.asked[2].prompt.messages if isinstance(one.message, Heard)]
    assert "paid 5 to gym" in heard[-1]
    events = await checked_events(home, gym, session_id)
    assert endings(events) == [Ending.APPROVAL, Ending.FINAL, Ending.FINAL]
    assert await paid(home, gym, "c-talk") == 1


async def test_a_decision_while_another_turn_is_going_on(home: House, gym: Gym) -> None:
    """It is recorded at once, and gone on with as soon as there is time."""
    session_id = await new_session(home, gym.member.scope)
    begun, go = asyncio.Event(), asyncio.Event()
    model = HeldModel([paying("c-busy"), "Slowly.", "And paid."], begun, go)
    async with asking_turns(home, model) as turns:
        assert await say(turns, gym.member, session_id) is Ending.APPROVAL
        ticket = await turns.say(gym.member.scope, session_id, UserMessage(text="meanwhile"))
        await begun.wait()
        (row,) = await requests(home, gym, session_id)
        await decide(home, turns, gym.staff, row)
        events = await SessionLog(home.services.database.hot).read(gym.owner.scope, session_id)
        assert isinstance(events[-1].content, ApprovalDecided)
        assert await paid(home, gym, "c-busy") == 0
        go.set()
        assert ticket.done is not None
        await asyncio.wait_for(ticket.done, 60)
        await quiet(home, gym, session_id)
    assert await paid(home, gym, "c-busy") == 1
    events = await checked_events(home, gym, session_id)
    assert "turn_resumed" in [event.type for event in events]
    assert endings(events) == [Ending.APPROVAL, Ending.FINAL, Ending.FINAL]


async def test_a_waiting_call_survives_a_checkpoint_and_a_cold_start(home: House, gym: Gym) -> None:
    def answer(asked: Asked) -> str:
        first = asked.prompt.messages[0].message
        return "SUMMARY" if isinstance(first, Heard) and first.text.startswith("<record>") else "words " * 40

    session_id = await new_session(home, gym.member.scope)
    limits = Limits(checkpoint_tokens=600)
    script: list[Line] = [paying("c-long"), *[answer] * 60]
    async with asking_turns(home, ScriptedModel(script), limits=limits) as turns:
        assert await say(turns, gym.member, session_id) is Ending.APPROVAL
        for number in range(14):
            assert await say(turns, gym.member, session_id, f"say {number} " * 10) is Ending.FINAL
    events = await checked_events(home, gym, session_id)
    assert sum(event.type == "checkpoint" for event in events) >= 2
    (row,) = await requests(home, gym, session_id)
    cold = ScriptedModel([answer] * 3)
    async with asking_turns(home, cold, limits=limits) as turns:
        assert await say(turns, gym.member, session_id, "still there?") is Ending.FINAL
        first = cold.asked[0].prompt.messages[0].message
        assert isinstance(first, Heard)
        assert "c-long" in first.text
        assert "waiting for a person's approval" in first.text
        await decide(home, turns, gym.staff, row)
        await quiet(home, gym, session_id)
    assert await paid(home, gym, "c-long") == 1
    await checked_events(home, gym, session_id)


async def test_a_copy_has_the_words_of_a_request_but_not_its_power(home: House, gym: Gym) -> None:
    session_id = await new_session(home, gym.member.scope)
    scope, log = gym.member.scope, SessionLog(home.services.database.hot)
    model = ScriptedModel([paying("c-fork"), "Well.", "Well.", "Done."])
    async with asking_turns(home, model) as turns:
        await say(turns, gym.member, session_id)
        async with home.services.database.unit_of_work(scope) as uow:
            fork = (await directory.fork(uow, session_id)).id
            exported = transfer.exported(
                await directory.get(uow, session_id), await log.read(scope, session_id)
            )
            copy = (await transfer.imported(uow, log, exported, lambda one: one)).id
        for one in (fork, copy):
            assert await requests(home, gym, one) == []
            assert outcomes(await checked_events(home, gym, one)) == {"c-fork": Outcome.CANCELLED}
            assert await say(turns, gym.member, one, "and here?") is Ending.FINAL
            events = await checked_events(home, gym, one)
            assert projections.pending_approvals(events) == []
        (row,) = await requests(home, gym, session_id)
        await decide(home, turns, gym.staff, row)
        await quiet(home, gym, session_id)
    assert await paid(home, gym, "c-fork") == 1
    await checked_events(home, gym, session_id)


async def test_edited_arguments_are_a_new_request(home: House, gym: Gym) -> None:
    session_id = await new_session(home, gym.member.scope)
    model = ScriptedModel([paying("c-edit", 500), "Paid less."])
    async with asking_turns(home, model) as turns:
        await say(turns, gym.member, session_id)
        (old,) = await requests(home, gym, session_id)
        registry, log = ToolRegistry(TOOLS), SessionLog(home.services.database.hot)

        async def edit(arguments: dict[str, object]) -> Approval:
            async with home.services.database.unit_of_work(gym.staff.scope) as uow:
                by, day = principal(gym.staff), timedelta(hours=1)
                new, _ = await approval_decisions.edit(uow, log, by, old.id, arguments, registry, day)
            return new

        with pytest.raises(SpotterError, match="does not take these arguments"):
            await edit({"amount": "much"})
        new = await edit({"amount": 50})
        assert new.args_hash != old.args_hash
        for wrong in (old, replace_hash(new, old.args_hash)):
            with pytest.raises((AlreadyDecided, NotWhatWasShown)):
                await decide(home, turns, gym.staff, wrong)
        assert await paid(home, gym, "c-edit") == 0
        (shown,) = projections.pending_approvals(await checked_events(home, gym, session_id))
        assert (shown.approval_id, shown.replaces) == (new.id, old.id)
        await decide(home, turns, gym.admin, new)
        await quiet(home, gym, session_id)
    assert await paid(home, gym, "c-edit") == 1
    told = results_told(model.asked[1])["c-edit"]
    assert "paid 50 to gym" in told
    assert "A person changed the arguments" in told
    await checked_events(home, gym, session_id)


def replace_hash(row: Approval, args_hash: str) -> Approval:
    return Approval(id=row.id, args_hash=args_hash)


@pytest.mark.parametrize("talked", [False, True])
async def test_cancelling_withdraws_what_waits(home: House, gym: Gym, talked: bool) -> None:
    session_id = await new_session(home, gym.member.scope)
    model = ScriptedModel([paying("c-stop"), "Hm.", "Fine."])
    log = SessionLog(home.services.database.hot)
    async with asking_turns(home, model) as turns:
        await say(turns, gym.member, session_id)
        if talked:
            await say(turns, gym.member, session_id, "well?")
        (row,) = await requests(home, gym, session_id)
        async with home.services.database.unit_of_work(gym.member.scope) as uow:
            assert await approval_decisions.withdraw(uow, log, session_id) is not None
        async with home.services.database.unit_of_work(gym.member.scope) as uow:
            assert await approval_decisions.withdraw(uow, log, session_id) is None
        with pytest.raises(AlreadyDecided, match="superseded"):
            await decide(home, turns, gym.staff, row)
        assert outcomes(await checked_events(home, gym, session_id)) == {"c-stop": Outcome.CANCELLED}
        assert await say(turns, gym.member, session_id, "go on") is Ending.FINAL
    await checked_events(home, gym, session_id)


async def test_a_turn_that_is_stopped_takes_its_approvals_with_it(home: House, gym: Gym) -> None:
    session_id = await new_session(home, gym.member.scope)
    model = ScriptedModel([paying("c-old"), Say("slowly " * 500, delay=0.05)])
    async with asking_turns(home, model) as turns:
        await say(turns, gym.member, session_id)
        ticket = await turns.say(gym.member.scope, session_id, UserMessage(text="talk"))
        while len(model.asked) < 2:
            await asyncio.sleep(0.01)
        turns.cancel_here(session_id)
        assert ticket.done is not None
        assert await asyncio.wait_for(ticket.done, 60) is Ending.CANCELLED
        (row,) = await requests(home, gym, session_id)
        assert row.state == "superseded"
    assert outcomes(await checked_events(home, gym, session_id)) == {"c-old": Outcome.CANCELLED}


async def test_a_tool_that_has_changed_is_asked_about_again(home: House, gym: Gym) -> None:
    session_id = await new_session(home, gym.member.scope)
    async with asking_turns(home, ScriptedModel([paying("c-new")])) as turns:
        await say(turns, gym.member, session_id)
    (old,) = await requests(home, gym, session_id)
    changed = tuple(replace(one, version=2) if one is pay else one for one in TOOLS)
    async with asking_turns(home, ScriptedModel(["Paid."]), tools=changed) as turns:
        await decide(home, turns, gym.staff, old)
        await quiet(home, gym, session_id)
        assert await paid(home, gym, "c-new") == 0
        void, new = await requests(home, gym, session_id)
        assert (void.state, new.state, new.replaces) == ("superseded", "pending", old.id)
        await checked_events(home, gym, session_id)
        await decide(home, turns, gym.staff, new)
        await quiet(home, gym, session_id)
    assert await paid(home, gym, "c-new") == 1
    await checked_events(home, gym, session_id)


async def test_swapped_arguments_are_refused(home: House, gym: Gym) -> None:
    """In the table before the decision: nobody can approve it. After it: it is not what is carried out."""
    session_id = await new_session(home, gym.member.scope)
    swap = "UPDATE approvals SET arguments = :args WHERE id = :id"
    forge = "UPDATE approvals SET args_hash = 'x' WHERE id = :id"
    async with asking_turns(home, ScriptedModel([paying("c-swap")])) as turns:
        await say(turns, gym.member, session_id)
        (row,) = await requests(home, gym, session_id)
        await change(home, gym, swap, id=row.id, args='{"amount":9,"to":"thief"}')
        with pytest.raises(NotWhatWasShown):
            await decide(home, turns, gym.staff, row)
        await change(home, gym, swap, id=row.id, args=row.arguments)
        # Approved where no turns are run, then changed before somebody goes on with it.
        nowhere = Turns(turns._kit)
        await decide(home, nowhere, gym.staff, row)
        await change(home, gym, forge, id=row.id)
        fence = await fence_of(home, gym, row)
        assert await turns.take_over(gym.member.scope, session_id, fence)
        await quiet(home, gym, session_id)
    assert await paid(home, gym, "c-swap") == 0
    states = [one.state for one in await requests(home, gym, session_id)]
    assert states == ["superseded", "pending"]


async def fence_of(home: House, gym: Gym, row: Approval) -> int:
    async with home.services.database.unit_of_work(gym.owner.scope) as uow:
        fence = await uow.session.scalar(
            select(AgentSession.fence).where(AgentSession.id == row.session_id, AgentSession.turn_open)
        )
    assert fence is not None
    return fence


async def test_nobody_decides_in_time(home: House, gym: Gym) -> None:
    session_id = await new_session(home, gym.member.scope)
    model = ScriptedModel([paying("c-late"), "Too late then."])
    async with asking_turns(home, model) as turns:
        await say(turns, gym.member, session_id)
        (row,) = await requests(home, gym, session_id)
        job = JobCall(1, 1, None, {}, workshop_of(home))
        await expire_approvals(job)
        assert [one.state for one in await requests(home, gym, session_id)] == ["pending"]
        await change(home, gym, "UPDATE approvals SET expires_at = :at WHERE id = :id", id=row.id, at=now())
        with pytest.raises(ApprovalExpired):
            await decide(home, turns, gym.staff, row)
        await expire_approvals(job)
        await expire_approvals(job)
        assert await turns.take_over(gym.member.scope, session_id, await fence_of(home, gym, row))
        await quiet(home, gym, session_id)
    assert outcomes(await checked_events(home, gym, session_id)) == {"c-late": Outcome.DENIED}
    assert "Nobody approved it in time." in results_told(model.asked[1])["c-late"]
    assert await paid(home, gym, "c-late") == 0
    assert await audited(home, gym, row.id) == ["approval.requested", "approval.expired", "approval.denied"]


def workshop_of(home: House) -> Workshop:
    return Workshop(home.services.settings, home.services.database, home.services.bus)


async def test_whoever_has_left_gets_nothing_done(home: House, gym: Gym) -> None:
    session_id = await new_session(home, gym.other_member.scope)
    model = ScriptedModel([paying("c-left"), "Sorry."])
    async with asking_turns(home, model) as turns:
        await say(turns, gym.other_member, session_id)
        (row,) = await requests(home, gym, session_id)
        async with home.services.database.unit_of_work(gym.owner.scope) as uow:
            await remove_member(uow, principal(gym.owner), gym.other_member.user_id)
        await decide(home, turns, gym.staff, row)
        await quiet(home, gym, session_id)
    assert outcomes(await checked_events(home, gym, session_id)) == {"c-left": Outcome.DENIED}
    assert await paid(home, gym, "c-left") == 0


async def test_staff_who_speak_in_somebody_elses_session(home: House, gym: Gym) -> None:
    session_id = await new_session(home, gym.member.scope)
    async with asking_turns(home, ScriptedModel([paying("c-staff"), "Paid."])) as turns:
        assert await say(turns, gym.staff, session_id) is Ending.APPROVAL
        (row,) = await requests(home, gym, session_id)
        assert (row.user_id, row.requested_by) == (gym.member.user_id, gym.staff.user_id)
        await decide(home, turns, gym.admin, row)
        await quiet(home, gym, session_id)
    assert await paid(home, gym, "c-staff") == 1
    await checked_events(home, gym, session_id)


async def test_another_process_goes_on(home: House, gym: Gym) -> None:
    session_id = await new_session(home, gym.member.scope)
    async with asking_turns(home, ScriptedModel([paying("c-else")])) as turns:
        await say(turns, gym.member, session_id)
    (row,) = await requests(home, gym, session_id)
    async with asking_turns(home, ScriptedModel(["Paid elsewhere."])) as other:
        await decide(home, other, gym.staff, row)
        await quiet(home, gym, session_id)
    assert await paid(home, gym, "c-else") == 1
    assert endings(await checked_events(home, gym, session_id)) == [Ending.APPROVAL, Ending.FINAL]


async def test_policies_of_the_organisation_count(home: House, gym: Gym) -> None:
    async def ending(script: Say) -> Ending:
        session_id = await new_session(home, gym.member.scope)
        async with asking_turns(home, ScriptedModel([script, "Done."])) as turns:
            return await say(turns, gym.member, session_id)

    looks, writes = Say(calls=(call("look"),)), Say(calls=(call("write_to", {"to": ["a"]}),))
    assert await ending(looks) is Ending.FINAL
    await set_policy(home, gym, role="member")
    assert await ending(looks) is Ending.APPROVAL
    await set_policy(home, gym, tool="look", mode=Mode.NEVER)
    assert await ending(looks) is Ending.FINAL
    assert await ending(writes) is Ending.APPROVAL
    await set_policy(home, gym, tool="write_to", agent="tester", mode=Mode.ABOVE, argument="to", above=1)
    assert await ending(writes) is Ending.FINAL
    await set_policy(home, gym, tool="pay", mode=Mode.ABOVE, argument="amount", above=100)
    assert await ending(paying(amount=100)) is Ending.FINAL
    assert await ending(paying(amount=101)) is Ending.APPROVAL


async def test_who_has_read_strangers_and_secrets_asks_before_sending(home: House, gym: Gym) -> None:
    mail = call("write_to", {"to": ["a"]})

    async def ending(*before: str, talks: bool = False) -> Ending:
        session_id = await new_session(home, gym.member.scope)
        steps: list[Line] = [Say(calls=(call(name),)) for name in before]
        if talks:
            steps.append("Read.")
        async with asking_turns(home, ScriptedModel([*steps, Say(calls=(mail,)), "Sent."])) as turns:
            first = await say(turns, gym.member, session_id)
            return await say(turns, gym.member, session_id, "send it") if talks else first

    assert await ending("browse") is Ending.FINAL
    assert await ending("members") is Ending.FINAL
    assert await ending("browse", "members") is Ending.APPROVAL
    assert await ending("members", "browse", talks=True) is Ending.APPROVAL
    await set_policy(home, gym, tool="write_to", mode=Mode.NEVER)
    assert await ending("browse", "members") is Ending.APPROVAL, "`never` does not switch the rule off"
    await set_policy(home, gym, tool="write_to", mode=Mode.NEVER, trusts_tainted=True)
    assert await ending("browse", "members") is Ending.FINAL


async def test_a_session_from_a_file_is_a_strangers_word(home: House, gym: Gym) -> None:
    scope, log = gym.member.scope, SessionLog(home.services.database.hot)
    reads, sends = Say(calls=(call("members"),)), Say(calls=(call("write_to", {"to": ["a"]}),))
    script: list[Line] = [reads, "Read.", sends, "Sent.", sends]
    session_id = await new_session(home, scope)
    async with asking_turns(home, ScriptedModel(script)) as turns:
        assert await say(turns, gym.member, session_id) is Ending.FINAL
        async with home.services.database.unit_of_work(scope) as uow:
            exported = transfer.exported(
                await directory.get(uow, session_id), await log.read(scope, session_id)
            )
            copy = (await transfer.imported(uow, log, exported, lambda one: one)).id
            fork = (await directory.fork(uow, copy)).id
        assert await say(turns, gym.member, session_id, "send") is Ending.FINAL
        assert await say(turns, gym.member, fork, "send") is Ending.APPROVAL


async def test_nothing_decided_starts_after_a_stop(home: House, gym: Gym) -> None:
    """Approved while a turn was going on that nobody goes on with; then somebody says stop."""
    session_id = await new_session(home, gym.member.scope)
    log = SessionLog(home.services.database.hot)
    async with asking_turns(home, ScriptedModel([paying("c-after")])) as turns:
        await say(turns, gym.member, session_id)
    (row,) = await requests(home, gym, session_id)
    lease = Lease(owner=1, seconds=30)
    turn = await log.open_turn(gym.member.scope, session_id, UserMessage(text="more"), lease)
    assert isinstance(turn, Turn)
    await decide(home, turns, gym.staff, row)
    last = AssistantMessage(text="Well.", ends=Ending.FINAL)
    await log.append(gym.member.scope, session_id, [last], fence=turn.fence, close=True)
    async with home.services.database.unit_of_work(gym.member.scope) as uow:
        assert await approval_decisions.withdraw(uow, log, session_id) is not None
    assert await log.next_turn(gym.member.scope, session_id, lease) is None
    assert outcomes(await checked_events(home, gym, session_id)) == {"c-after": Outcome.CANCELLED}
    assert await paid(home, gym, "c-after") == 0


async def test_what_would_be_refused_anyway_asks_nobody(home: House, gym: Gym) -> None:
    session_id = await new_session(home, gym.member.scope)
    bad = Say(calls=(call("pay", {"amount": "x"}, "bad"), call("fly", {}, "none")))
    async with asking_turns(home, ScriptedModel([bad, "Oh."])) as turns:
        assert await say(turns, gym.member, session_id) is Ending.FINAL
    assert await requests(home, gym, session_id) == []


async def race(
    home: House, gym: Gym, call_id: str, *refusals: type[Exception]
) -> tuple[UUID, Approval, list[str]]:
    """Fifty approve and fifty deny; what those who got through were told."""
    session_id = await new_session(home, gym.member.scope)
    async with asking_turns(home, ScriptedModel([paying(call_id), "Decided.", "Again?"])) as turns:
        await say(turns, gym.member, session_id)
        (row,) = await requests(home, gym, session_id)
        room = asyncio.Semaphore(12)
        refused: tuple[type[Exception], ...] = (AlreadyDecided, *refusals)

        async def try_to(approve: bool) -> str:
            async with room:
                try:
                    return (await decide(home, turns, gym.staff, row, approve=approve)).state
                except refused:
                    return ""

        said = await asyncio.gather(*(try_to(number % 2 == 0) for number in range(100)))
        if not refusals:  # who knows what becomes of a mutant
            await quiet(home, gym, session_id)
    return session_id, row, [one for one in said if one]


async def test_fifty_approve_and_fifty_deny_at_once(home: House, gym: Gym) -> None:
    session_id, row, said = await race(home, gym, "c-race")
    (decision,) = said
    events = await checked_events(home, gym, session_id)
    assert sum(isinstance(event.content, ApprovalDecided) for event in events) == 1
    assert sum(isinstance(event.content, Result) for event in events) == 1
    assert await paid(home, gym, "c-race") == (decision == "approved")
    assert await audited(home, gym, row.id) in (
        ["approval.requested", "approval.approved", "approval.used"],
        ["approval.requested", "approval.denied"],
    )


async def test_the_race_notices_a_missing_lock(
    home: House, gym: Gym, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def unlocked(uow: UnitOfWork, row: Approval) -> Approval:
        return await approval_decisions.get(uow, row.id)

    monkeypatch.setattr(approval_decisions, "_locked", unlocked)
    for number in range(5):
        _, _, said = await race(home, gym, f"c-mutant-{number}", DBAPIError, psycopg.Error)
        if len(said) > 1:
            print(f"\nwithout the lock {len(said)} of 100 decisions were accepted")
            return
    pytest.fail("the mutant survived")


async def test_a_decision_without_a_turn_to_run_it_is_found_by_others(home: House, gym: Gym) -> None:
    """The deciding process runs none, or dies at once: the open turn is taken over like any other."""
    session_id = await new_session(home, gym.member.scope)
    async with asking_turns(home, ScriptedModel([paying("c-none"), "Paid."])) as turns:
        await say(turns, gym.member, session_id)
        (row,) = await requests(home, gym, session_id)
        async with home.services.database.unit_of_work(gym.staff.scope) as uow:
            decision = Decision(approve=True, args_hash=row.args_hash)
            log, by = SessionLog(home.services.database.hot), principal(gym.staff)
            nobody = approval_decisions.NOBODY_AT_ONCE
            await approval_decisions.decide(uow, log, by, row.id, decision, nobody)
        assert await turns.take_over(gym.member.scope, session_id, await fence_of(home, gym, row))
        await quiet(home, gym, session_id)
    assert await paid(home, gym, "c-none") == 1
    await checked_events(home, gym, session_id)
