"""`spotter verify` finds what it must find, and nothing in a log that is as it should be."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, TypeAlias
from uuid import UUID

import psycopg
import pytest

from spotter.app import Ground, House
from spotter.errors import InvalidInput
from spotter.ids import new_id
from spotter.llm.scripted import Line, Say, ScriptedModel, call
from spotter.runtime.context import SessionView
from spotter.sessions import directory, transfer
from spotter.sessions.events import (
    Action,
    AssistantMessage,
    Checkpoint,
    Ending,
    Outcome,
    Result,
    TurnEnded,
    UserMessage,
)
from spotter.sessions.log import Lease, SessionLog, Turn
from spotter.sessions.verify import Findings, Wanted, verify
from spotter.store.embedded import EmbeddedPostgres
from tests.support.agents import new_session, running_turns
from tests.support.approvals import asking_turns, decide, quiet, requests, say
from tests.support.databases import database_url, environment_for
from tests.support.people import Gym
from tests.support.processes import spotter

Owner: TypeAlias = psycopg.AsyncConnection[Any]
LEASE = Lease(owner=1, seconds=30)


async def check(home: House, session_id: UUID, **more: Any) -> Findings:
    return await verify(home.base.urls, SessionView, Wanted(session_id=session_id, **more))


async def broken(home: House, session_id: UUID) -> set[str]:
    return {violation.invariant for violation in (await check(home, session_id)).violations}


@pytest.fixture
async def owner(home: House, postgres: EmbeddedPostgres) -> AsyncIterator[psycopg.AsyncConnection[Any]]:
    """Somebody whom neither rights nor policies keep from damage."""
    name = psycopg.conninfo.conninfo_to_dict(home.base.urls.owner)["dbname"]
    url = database_url(postgres.superuser_url, str(name))
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        yield connection


async def conversation(home: House, gym: Gym) -> UUID:
    session_id = await new_session(home, gym.member.scope)
    script: list[Line] = [
        Say(calls=(call("note", {"text": "x"}), call("add", {"a": 1}))),
        Say(text="Now outside.", calls=(call("charge", {"amount": 3}), call("mail", {"to": "a@b.example"}))),
        "Done.",
    ]
    async with running_turns(home, ScriptedModel(script)) as turns:
        ticket = await turns.say(gym.member.scope, session_id, UserMessage(text="go"))
        assert ticket.done is not None
        assert await ticket.done is Ending.FINAL
    return session_id


async def test_a_good_log_is_found_good(home: House, gym: Gym) -> None:
    session_id = await conversation(home, gym)
    findings = await check(home, session_id)
    assert findings.violations == []
    assert (findings.sessions, findings.events, findings.open_turns) == (1, 11, 0)
    assert findings.prompts == 12


async def test_checkpoints_forks_and_imports_are_good(home: House, gym: Gym) -> None:
    session_id = await conversation(home, gym)
    scope, log = gym.member.scope, SessionLog(home.services.database.hot)
    turn = await log.open_turn(scope, session_id, UserMessage(text="more"), LEASE)
    assert isinstance(turn, Turn)
    await log.append(scope, session_id, [Checkpoint(summary="So far.", covers=11)], fence=turn.fence)
    await log.append(scope, session_id, [Action(tool="add", args="{}", call_id="c")], fence=turn.fence)
    async with home.services.database.unit_of_work(scope) as uow:
        fork = (await directory.fork(uow, session_id, at=3)).id
        exported = transfer.exported(await directory.get(uow, session_id), await log.read(scope, session_id))
        copy = (await transfer.imported(uow, log, exported, lambda one: one)).id
    for one in (session_id, fork, copy):
        assert (await check(home, one)).violations == []
    async with running_turns(home, ScriptedModel(["Well."])) as turns:
        for one in (fork, copy):
            ticket = await turns.say(scope, one, UserMessage(text="and now?"))
            assert ticket.done is not None
            await ticket.done
            assert (await check(home, one)).violations == []


async def test_an_erased_session_keeps_its_order(home: House, gym: Gym) -> None:
    session_id = await conversation(home, gym)
    async with home.services.database.unit_of_work(gym.member.scope) as uow:
        await directory.erase(uow, session_id)
    findings = await check(home, session_id)
    assert findings.violations == []
    assert findings.erased == 1


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ('UPDATE agent_events SET content = \'{"text":"other"}\' WHERE sequence_number = 1', {"I3"}),
        ("DELETE FROM agent_events WHERE sequence_number = 2", {"I1", "I3", "I4"}),
        ("UPDATE agent_sessions SET last_sequence = last_sequence + 1", {"I1"}),
        ("UPDATE agent_effects SET state = 'attempting'", {"I5"}),
        ("UPDATE agent_effects SET state = 'uncertain'", {"I5"}),
        ("DELETE FROM agent_effects", set()),
        ("UPDATE outbox SET call_id = 'nobody made this call'", {"I5"}),
        ("UPDATE agent_sessions SET fence = 0", {"I7"}),
        ("UPDATE agent_sessions SET lease_until = now()", {"I7"}),
        (
            "UPDATE agent_sessions SET turn_open = true, lease_owner = 1, lease_until = now() - interval '2 minutes'",
            {"I6"},
        ),
    ],
)
async def test_damage_is_found(home: House, gym: Gym, owner: Owner, change: str, expected: set[str]) -> None:
    session_id = await conversation(home, gym)
    column = "id" if "agent_sessions" in change else "session_id"
    joined = "AND" if "WHERE" in change else "WHERE"
    await owner.execute(f"{change} {joined} {column} = %s".encode(), (session_id,))
    assert await broken(home, session_id) == expected


async def test_what_never_happened_in_order_is_found(home: House, gym: Gym) -> None:
    """Events that a zombie, or a program with a bug, would leave."""
    scope, log = gym.member.scope, SessionLog(home.services.database.hot)

    async def session(*events: Any) -> set[str]:
        session_id = await new_session(home, scope)
        turn = await log.open_turn(scope, session_id, UserMessage(text="go"), LEASE)
        assert isinstance(turn, Turn)
        await log.append(scope, session_id, events, fence=turn.fence, close=True)
        return await broken(home, session_id)

    act, end = Action(tool="add", args="{}", call_id="c"), AssistantMessage(text="ok", ends=Ending.FINAL)
    result = Result(tool="add", call_id="c", formatted="1")
    assert await session(act, result, end) == set()
    assert await session(act, end) == {"I4"}
    assert await session(act, result, result, end) == {"I4"}
    assert await session(act, result, end, TurnEnded(ends=Ending.FAILED)) == {"I7"}
    assert await session(act, result) == {"I6"}
    assert await session(act, result, UserMessage(text="again"), end) == {"I7"}
    assert await session(act, result.model_copy(update={"outcome": Outcome.UNCERTAIN}), end) == {"I5"}


async def decided(home: House, gym: Gym, *, approve: bool) -> UUID:
    session_id = await new_session(home, gym.member.scope)
    calls = (call("pay", {"amount": 5}), call("write_to", {"to": ["a", "b", "c"]}))
    async with asking_turns(home, ScriptedModel([Say(calls=calls), "Done."])) as turns:
        assert await say(turns, gym.member, session_id) is Ending.APPROVAL
        for row in await requests(home, gym, session_id):
            await decide(home, turns, gym.staff, row, approve=approve)
        await quiet(home, gym, session_id)
    return session_id


@pytest.mark.parametrize(
    ("approve", "change", "expected"),
    [
        (True, "UPDATE approvals SET state = 'denied'", {"I16"}),
        (True, "UPDATE approvals SET state = 'approved'", {"I16"}),
        (True, "DELETE FROM approvals", {"I16"}),
        (True, "UPDATE approvals SET call_id = 'another'", {"I16"}),
        (False, "UPDATE approvals SET state = 'used'", {"I16"}),
        (False, "UPDATE approvals SET state = 'pending', decided_at = NULL", {"I16"}),
        (
            False,
            "INSERT INTO agent_effects SELECT org_id, session_id, call_id, user_id, 'done' FROM approvals",
            {"I5", "I16"},
        ),
    ],
)
async def test_what_was_not_approved_is_found(
    home: House, gym: Gym, owner: Owner, approve: bool, change: str, expected: set[str]
) -> None:
    session_id = await decided(home, gym, approve=approve)
    assert await broken(home, session_id) == set()
    await owner.execute(f"{change} WHERE session_id = %s".encode(), (session_id,))
    found = await broken(home, session_id)
    assert "I16" in found
    assert found <= expected | {"I5"}


async def test_a_call_that_waits_for_nobody_is_found(home: House, gym: Gym, owner: Owner) -> None:
    session_id = await new_session(home, gym.member.scope)
    async with asking_turns(home, ScriptedModel([Say(calls=(call("pay", {"amount": 5}),))])) as turns:
        assert await say(turns, gym.member, session_id) is Ending.APPROVAL
    findings = await check(home, session_id)
    assert (findings.violations, findings.undecided) == ([], 1)
    await owner.execute("DELETE FROM approvals WHERE session_id = %s", (session_id,))
    assert await broken(home, session_id) == {"I4", "I16"}


async def test_a_message_nobody_takes_up_is_found(home: House, gym: Gym, owner: Owner) -> None:
    scope, log = gym.member.scope, SessionLog(home.services.database.hot)
    session_id = await new_session(home, scope)
    await log.open_turn(scope, session_id, UserMessage(text="one"), LEASE)
    await log.open_turn(scope, session_id, UserMessage(text="two"), LEASE)
    assert await broken(home, session_id) == set()
    await owner.execute(
        "UPDATE agent_inbox SET created_at = now() - interval '2 minutes' WHERE session_id = %s",
        (session_id,),
    )
    await owner.execute(
        "UPDATE agent_sessions SET turn_open = false, lease_until = NULL WHERE id = %s", (session_id,)
    )
    assert await broken(home, session_id) == {"I6"}


async def test_the_journal_is_looked_for(home: House, gym: Gym, tmp_path: Path) -> None:
    scope, log = gym.member.scope, SessionLog(home.services.database.hot)
    session_id = await new_session(home, scope)
    said, lost, refused = new_id(), new_id(), new_id()
    await log.open_turn(scope, session_id, UserMessage(text="one", message_id=said), LEASE)
    journal = tmp_path / "journal.jsonl"

    def told(**statuses: tuple[UUID, int]) -> None:
        entries = [
            {"session_id": str(session_id), "message_id": str(message_id), "status": status}
            for message_id, status in statuses.values()
        ]
        journal.write_text("".join(json.dumps(entry) + "\n" for entry in entries))

    told(one=(said, 200), two=(refused, 503))
    assert (await check(home, session_id, journal=journal)).violations == []
    told(one=(said, 200), two=(lost, 200))
    (violation,) = (await check(home, session_id, journal=journal)).violations
    assert violation.invariant == "I2"
    assert str(lost) in violation.what
    journal.write_text("nonsense\n")
    with pytest.raises(InvalidInput, match="Line 1"):
        await check(home, session_id, journal=journal)


async def test_the_command_says_what_it_found(home: House, base: Ground, gym: Gym, owner: Owner) -> None:
    session_id = await conversation(home, gym)
    environment = environment_for(base.settings)
    good = await spotter("verify", "--org", gym.slug, environment=environment)
    assert good.code == 0, good.err
    assert "1 sessions of 1 organisations, 11 events" in good.out
    assert "Everything is as it should be." in good.out
    await owner.execute("UPDATE agent_sessions SET last_sequence = 12 WHERE id = %s", (session_id,))
    bad = await spotter("verify", "--session", str(session_id), environment=environment)
    assert bad.code == 1
    assert f"I1  session {session_id}, event 11" in bad.out
    nobody = await spotter("verify", "--org", "nobody", environment=environment)
    assert nobody.code == 1
    assert "There is no organisation 'nobody'" in nobody.err
