"""What agents do is in the audit log with the event that tells of it; what was only copied is not."""

from typing import Any
from uuid import UUID

from sqlalchemy import select

from spotter.app import House
from spotter.identity.audit_verify import verify_audit
from spotter.identity.tables import AuditEntry
from spotter.ids import new_id
from spotter.llm.scripted import Say, ScriptedModel, call
from spotter.sessions import directory, transfer
from spotter.sessions.events import (
    Action,
    ApprovalDecided,
    ApprovalRequested,
    Ending,
    Outcome,
    Result,
    TurnEnded,
    UserMessage,
)
from spotter.sessions.log import Lease, SessionLog, Turn
from spotter.sessions.tables import AgentEvent
from spotter.store.scope import NOBODY, Scope
from tests.support.agents import new_session, running_turns
from tests.support.people import Gym

BY_AGENTS = ("tool.called", "approval.requested", "approval.decided", "limit.hit")


async def audited(home: House, gym: Gym, session_id: UUID | None = None) -> list[AuditEntry]:
    query = select(AuditEntry).where(AuditEntry.action.in_(BY_AGENTS)).order_by(AuditEntry.at, AuditEntry.id)
    async with home.services.database.unit_of_work(gym.owner.scope) as uow:
        entries = list(await uow.session.scalars(query))
    return [entry for entry in entries if session_id is None or entry.detail["session_id"] == str(session_id)]


async def turn_with_calls(home: House, gym: Gym) -> UUID:
    session_id = await new_session(home, gym.member.scope)
    calls = (
        call("add", {"a": 41}),
        call("note", {"text": "a private word"}),
        call("break_down", {"how": "fail"}),
        call("ana.example+private@word.example", {}),
    )
    async with running_turns(home, ScriptedModel([Say(calls=calls), "Done."])) as turns:
        ticket = await turns.say(gym.member.scope, session_id, UserMessage(text="a private word"))
        assert ticket.done is not None
        assert await ticket.done is Ending.FINAL
    return session_id


async def test_every_call_is_audited_without_what_was_said(home: House, gym: Gym) -> None:
    session_id = await turn_with_calls(home, gym)
    entries = await audited(home, gym, session_id)
    async with home.services.database.unit_of_work(gym.owner.scope) as uow:
        query = select(AgentEvent.sequence_number, AgentEvent.content["call_id"].as_string()).where(
            AgentEvent.session_id == session_id, AgentEvent.event_type == "result"
        )
        results = {row[0]: row[1] for row in await uow.session.execute(query)}
    assert {entry.detail["sequence"]: entry.detail["call_id"] for entry in entries} == results
    assert [(entry.target, entry.detail["outcome"]) for entry in entries] == [
        ("add", "ok"),
        ("note", "ok"),
        ("break_down", "error"),
        ("?", "error"),
    ]
    for entry in entries:
        assert (entry.actor_kind, entry.actor_id) == ("agent", gym.member.user_id)
        assert set(entry.detail) == {"session_id", "sequence", "agent", "call_id", "outcome", "ms"}
        assert entry.detail["agent"] == "tester"
        assert entry.id.version == 7
        assert "private" not in f"{entry.target} {entry.detail}"
    assert (await verify_audit(home.services.database, gym.org_id)).good


async def test_copies_are_not_audited(home: House, gym: Gym) -> None:
    session_id = await turn_with_calls(home, gym)
    before = len(await audited(home, gym))
    scope, log = gym.member.scope, SessionLog(home.services.database.hot)
    async with home.services.database.unit_of_work(scope) as uow:
        fork = (await directory.fork(uow, session_id)).id
        exported = transfer.exported(await directory.get(uow, session_id), await log.read(scope, session_id))
        copy = (await transfer.imported(uow, log, exported, lambda one: one)).id
    assert len(await audited(home, gym)) == before
    for one in (fork, copy):
        async with running_turns(home, ScriptedModel([Say(calls=(call("add", {"a": 1}),)), "ok"])) as turns:
            ticket = await turns.say(scope, one, UserMessage(text="and here"))
            assert ticket.done is not None
            await ticket.done
        assert [entry.target for entry in await audited(home, gym, one)] == ["add"]


async def test_an_erased_session_stays_audited(home: House, gym: Gym) -> None:
    session_id = await turn_with_calls(home, gym)
    async with home.services.database.unit_of_work(gym.member.scope) as uow:
        await directory.erase(uow, session_id)
    assert len(await audited(home, gym, session_id)) == 4
    async with home.services.database.unit_of_work(gym.owner.scope) as uow:
        erased = await uow.session.scalars(select(AuditEntry).where(AuditEntry.action == "session.erased"))
        assert [entry.target for entry in erased] == [str(session_id)]
    assert (await verify_audit(home.services.database, gym.org_id)).good


async def appended(home: House, scope: Scope, *events: Any) -> UUID:
    log = SessionLog(home.services.database.hot)
    session_id = await new_session(home, scope)
    turn = await log.open_turn(scope, session_id, UserMessage(text="go"), Lease(owner=1))
    assert isinstance(turn, Turn)
    await log.append(scope, session_id, events, fence=turn.fence, close=True)
    return session_id


async def test_approvals_and_caps_are_audited(home: House, gym: Gym) -> None:
    asked = new_id()
    action = Action(tool="add", args='{"a": "private"}', call_id="c-1")
    session_id = await appended(
        home,
        gym.member.scope,
        action,
        ApprovalRequested(approval_id=asked, call_id="c-1", tool="add", args=action.args, reason="private"),
        ApprovalDecided(
            approval_id=asked, call_id="c-1", approved=False, by=gym.staff.user_id, reason="private"
        ),
        Result(tool="add", call_id="c-1", outcome=Outcome.DENIED, error="private", formatted="private", ms=7),
        TurnEnded(ends=Ending.LIMIT, limit="iterations", reason="private"),
    )
    entries = await audited(home, gym, session_id)
    assert [(entry.action, entry.target, entry.detail.get("outcome")) for entry in entries] == [
        ("approval.requested", "add", None),
        ("approval.decided", str(asked), "denied"),
        ("tool.called", "add", "denied"),
        ("limit.hit", "iterations", None),
    ]
    assert [(entry.actor_kind, entry.actor_id) for entry in entries] == [
        ("agent", gym.member.user_id),
        ("user", gym.staff.user_id),
        ("agent", gym.member.user_id),
        ("agent", gym.member.user_id),
    ]
    assert [entry.detail["sequence"] for entry in entries] == [3, 4, 5, 6]
    assert entries[2].detail["ms"] == 7
    assert "private" not in str([(entry.target, entry.detail) for entry in entries])


async def test_other_endings_are_no_caps_and_services_are_nobody(home: House, gym: Gym) -> None:
    ended = await appended(home, gym.member.scope, TurnEnded(ends=Ending.CANCELLED))
    assert await audited(home, gym, ended) == []
    service = Scope(gym.org_id, None, "service")
    assert service.user_id != NOBODY
    session_id = await appended(home, service, Result(tool="add", call_id="c", ends=Ending.IDLE))
    (entry,) = await audited(home, gym, session_id)
    assert (entry.actor_kind, entry.actor_id) == ("agent", None)


async def test_a_result_that_is_rolled_back_is_not_audited(home: House, gym: Gym) -> None:
    log, scope = SessionLog(home.services.database.hot), gym.member.scope
    session_id = await new_session(home, scope)
    async with home.services.database.unit_of_work(scope) as uow:
        result = Result(tool="add", call_id="c")
        await log.append(scope, session_id, [result], connection=await uow.driver())
        uow.give_up()
    assert await audited(home, gym, session_id) == []
