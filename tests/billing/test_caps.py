"""Caps that cannot be passed: by many at once, by a model nobody knows, by a cap that came late."""

import asyncio
from datetime import datetime
from uuid import UUID

import pytest

from spotter.app import House
from spotter.billing.caps import CapPeriod, CapScope, CapUnit, change_cap, delete_cap, standings
from spotter.clock import now
from spotter.llm.port import Usage
from spotter.llm.scripted import Asked, Line, Say, ScriptedModel
from spotter.runtime.context import SessionView
from spotter.runtime.seams import NoBudget, Seams
from spotter.sessions.events import AssistantMessage, Ending, Notice, TurnEnded, UsageRecord, UserMessage
from spotter.sessions.verify import Wanted, verify
from spotter.store.scope import Scope
from tests.runtime.test_turns import ending_of, events_of, say
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

PARALLEL = 100
DEAR = Usage(input=20, output=250, reported=True)
CHARGE = 3024  # (20 x 1 + 250 x 10) x 1.2


def answers(usage: Usage = DEAR, delay: float = 0.02) -> list[Line]:
    return [Say("Well, that is so.", usage=usage, delay=delay)] * (PARALLEL + 10)


async def ended(home: House, scope: Scope, session_id: object) -> TurnEnded:
    last = (await events_of(home, scope, session_id))[-1].content  # type: ignore[arg-type]
    assert isinstance(last, TurnEnded)
    return last


async def all_at_once(
    home: House, gym: Gym, seams: Seams | None = None, turns_wanted: int = PARALLEL
) -> list[Ending]:
    people = [gym.member, gym.other_member, gym.staff]
    scopes = [people[number % 3].scope for number in range(turns_wanted)]
    sessions = [await new_session(home, scope) for scope in scopes]
    async with running_turns(home, ScriptedModel(answers()), seams=seams) as turns:
        said = await asyncio.gather(
            *(
                turns.say(scope, session_id, UserMessage(text="hello"))
                for scope, session_id in zip(scopes, sessions, strict=True)
            )
        )
        async with asyncio.timeout(120):
            endings = [await ticket.done for ticket in said if ticket.done is not None]
    for scope, session_id, ending in zip(scopes, sessions, endings, strict=True):
        if ending is Ending.LIMIT:
            refused = await ended(home, scope, session_id)
            assert refused.limit == "budget"
            assert refused.detail is not None
            assert refused.detail["left"] < refused.detail["needed"]
    return endings


async def test_a_hundred_at_once_with_budget_for_one(home: House, gym: Gym) -> None:
    await set_price(home, gym)
    await cap(home, gym, 5000)
    endings = await all_at_once(home, gym)
    assert sorted(endings) == [Ending.FINAL] + [Ending.LIMIT] * (PARALLEL - 1)
    assert await entries(home, gym) == [(CHARGE,)]
    async with home.services.database.unit_of_work(gym.owner.scope) as uow:
        (standing,) = await standings(uow)
    assert (standing.spent, standing.reserved, standing.left) == (CHARGE, 0, 5000 - CHARGE)
    assert standing.resets_at is not None
    assert standing.resets_at > now()
    hits = await rows(home, gym, "SELECT detail FROM audit_log WHERE action = 'cap.hit'")
    assert len(hits) == PARALLEL - 1
    assert datetime.fromisoformat(hits[0][0]["resets_at"]) == standing.resets_at
    await money_is_right(home, gym)


async def test_without_the_guard_the_same_turns_overrun(home: House, gym: Gym) -> None:
    """What the test above would see if nothing were reserved."""
    await set_price(home, gym)
    await cap(home, gym, 5000)
    endings = await all_at_once(home, gym, Seams(budget=NoBudget()), turns_wanted=10)
    assert endings == [Ending.FINAL] * 10
    assert len(await entries(home, gym)) == 10


async def test_a_hundred_at_once_with_credits_for_one(home: House, gym: Gym) -> None:
    await set_price(home, gym)
    await account(home, gym, prepaid=True, credit_rate=5000)
    await give_credits(home, gym, 1)
    endings = await all_at_once(home, gym)
    assert sorted(endings) == [Ending.FINAL] + [Ending.LIMIT] * (PARALLEL - 1)
    assert await credits_left(home, gym) == 1_000_000 - 604_800  # 3024 / 5000
    await money_is_right(home, gym)


async def test_an_answer_is_as_long_as_the_budget_allows(home: House, gym: Gym) -> None:
    await set_price(home, gym)
    await cap(home, gym, 40_000)
    prompts: list[int] = []

    def answer(asked: Asked) -> Say:
        prompts.append(asked.prompt.tokens + asked.tools.tokens)
        return Say("So.", usage=DEAR)

    model = ScriptedModel([answer, answer])
    session_id = await new_session(home, gym.member.scope)
    async with running_turns(home, model) as turns:
        await say(turns, gym, session_id)
        most = model.asked[0].settings.max_output_tokens
        assert most is not None
        prompt = 2 * prompts[0]
        # The whole prompt written to the cache, and every token said: that and a fifth is within, one more is not.
        assert (prompt * 1.25 + most * 10) * 1.2 <= 40_000 < (prompt * 1.25 + (most + 1) * 10 + 1) * 1.2 + 1
        await say(turns, gym, session_id)
    assert (model.asked[1].settings.max_output_tokens or 0) < most
    await money_is_right(home, gym)


async def test_without_caps_nothing_is_asked(home: House, gym: Gym) -> None:
    await set_price(home, gym)
    model = ScriptedModel(answers())
    session_id = await new_session(home, gym.member.scope)
    async with running_turns(home, model) as turns:
        await say(turns, gym, session_id)
    assert model.asked[0].settings.max_output_tokens is None


@pytest.mark.parametrize(
    ("scope", "stops"),
    [
        (CapScope.USER, ("the same person", "another session")),
        (CapScope.SESSION, ("the same person",)),
        (CapScope.AGENT, ("the same person", "another session", "another person")),
        (CapScope.RUN, ()),
    ],
)
async def test_whom_a_cap_holds_for(home: House, gym: Gym, scope: CapScope, stops: tuple[str, ...]) -> None:
    await set_price(home, gym)
    await cap(home, gym, 5000, scope=scope, period=CapPeriod.MONTH)
    member, other = gym.member.scope, gym.other_member.scope
    first, second = await new_session(home, member), await new_session(home, member)
    third = await new_session(home, other)
    async with running_turns(home, ScriptedModel(answers())) as turns:
        assert await say(turns, gym, first) is Ending.FINAL
        for what, who, session_id in (
            ("the same person", member, first), ("another session", member, second), ("another person", other, third),
        ):  # fmt: skip
            ending = await ending_of(await turns.say(who, session_id, UserMessage(text="and?")))
            assert ending is (Ending.LIMIT if what in stops else Ending.FINAL), what
    await money_is_right(home, gym)


async def test_a_cap_for_one_person_leaves_others_alone(home: House, gym: Gym) -> None:
    await set_price(home, gym)
    await cap(home, gym, 10, scope=CapScope.USER, subject=str(gym.other_member.user_id))
    session_id = await new_session(home, gym.member.scope)
    theirs = await new_session(home, gym.other_member.scope)
    async with running_turns(home, ScriptedModel(answers())) as turns:
        assert await say(turns, gym, session_id) is Ending.FINAL
        ticket = await turns.say(gym.other_member.scope, theirs, UserMessage(text="hello"))
        assert await ending_of(ticket) is Ending.LIMIT
    assert (await ended(home, gym.other_member.scope, theirs)).reason.startswith(
        "Your budget for today has $0.00001"
    )


async def test_tokens_can_be_capped_too(home: House, gym: Gym) -> None:
    """Of models without a price as well: tokens are counted, whatever they cost."""
    await cap(home, gym, 900, unit=CapUnit.TOKENS, period=CapPeriod.TOTAL)
    session_id = await new_session(home, gym.member.scope)
    async with running_turns(home, ScriptedModel(answers())) as turns:
        endings = [await say(turns, gym, session_id) for _ in range(3)]
    assert endings[0] is Ending.FINAL
    assert endings[-1] is Ending.LIMIT
    refused = await ended(home, gym.member.scope, session_id)
    assert refused.detail is not None
    assert refused.detail["unit"] == "tokens"
    assert "resets_at" not in refused.detail
    await money_is_right(home, gym)


async def test_a_model_without_a_price_cannot_pass_a_money_cap(home: House, gym: Gym) -> None:
    await cap(home, gym, 1_000_000)
    session_id = await new_session(home, gym.member.scope)
    async with running_turns(home, ScriptedModel(answers())) as turns:
        assert await say(turns, gym, session_id) is Ending.LIMIT
        refused = await ended(home, gym.member.scope, session_id)
        assert "Nobody knows what scripted costs" in refused.reason
        await account(home, gym, unpriced_rate=100_000_000)
        assert await say(turns, gym, session_id) is Ending.FINAL
    assert await entries(home, gym, "charge, price, counted") == [(0, None, 27_000)]
    await money_is_right(home, gym)


async def test_a_late_cap_knows_what_was_spent(home: House, gym: Gym) -> None:
    await set_price(home, gym)
    session_id = await new_session(home, gym.member.scope)
    async with running_turns(home, ScriptedModel(answers())) as turns:
        assert await say(turns, gym, session_id) is Ending.FINAL
        for period in CapPeriod:
            await cap(home, gym, 5000 + CHARGE, period=period)
        assert await say(turns, gym, session_id) is Ending.FINAL
        assert await say(turns, gym, session_id) is Ending.LIMIT
    assert len(await entries(home, gym)) == 2
    await money_is_right(home, gym)


async def test_caps_come_and_go_while_calls_are_recorded(home: House, gym: Gym) -> None:
    """Whatever falls between: each cap's counter is the sum of the entries."""
    await set_price(home, gym)
    sessions = [await new_session(home, gym.member.scope) for _ in range(8)]
    model = ScriptedModel([Say("Yes.", usage=DEAR)] * 500)

    async def talk(turns: object, session_id: object) -> None:
        for _ in range(12):
            await say(turns, gym, session_id)  # type: ignore[arg-type]

    async def meddle() -> None:
        for number in range(12):
            made = await cap(
                home, gym, 10**9, period=list(CapPeriod)[number % 3], scope=list(CapScope)[number % 5]
            )
            await asyncio.sleep(0.05)
            if number % 2:
                async with home.services.database.unit_of_work(gym.owner.scope) as uow:
                    await delete_cap(uow, made)

    async with running_turns(home, model) as turns:
        await asyncio.gather(meddle(), *(talk(turns, session_id) for session_id in sessions))
    assert len(await entries(home, gym)) == 96
    await money_is_right(home, gym)


async def test_people_are_warned_once(home: House, gym: Gym) -> None:
    await set_price(home, gym)
    cap_id = await cap(home, gym, None, soft=CHARGE + 1)
    session_id = await new_session(home, gym.member.scope)
    warned = "SELECT target, detail ->> 'spent' FROM audit_log WHERE action = 'cap.warning'"
    async with running_turns(home, ScriptedModel(answers())) as turns:
        await say(turns, gym, session_id)
        assert await rows(home, gym, warned) == []
        for _ in range(3):
            await say(turns, gym, session_id)
        assert await rows(home, gym, warned) == [(str(cap_id), str(2 * CHARGE))]
        async with home.services.database.unit_of_work(gym.owner.scope) as uow:
            await change_cap(uow, cap_id, soft=5 * CHARGE, hard=None)
        await say(turns, gym, session_id)
    assert len(await rows(home, gym, warned)) == 2
    await money_is_right(home, gym)


async def notices(home: House, scope: Scope, session_id: UUID) -> list[tuple[int, str]]:
    return [
        (event.sequence, event.content.text)
        for event in await events_of(home, scope, session_id)
        if isinstance(event.content, Notice) and event.content.code == "budget"
    ]


async def test_a_person_is_told_in_the_conversation_that_their_budget_runs_low(home: House, gym: Gym) -> None:
    """Before the answer that brought it there, once; the bill and the credits still name the answer itself."""
    await set_price(home, gym)
    await account(home, gym, prepaid=True)
    await give_credits(home, gym, 100)
    await cap(home, gym, 100_000, soft=CHARGE + 1, scope=CapScope.USER)
    await cap(home, gym, None, soft=2 * DEAR.total, scope=CapScope.SESSION, unit=CapUnit.TOKENS)
    session_id = await new_session(home, gym.member.scope)
    async with running_turns(home, ScriptedModel(answers())) as turns:
        assert [await say(turns, gym, session_id) for _ in range(4)] == [Ending.FINAL] * 4
    told = await notices(home, gym.member.scope, session_id)
    assert [number for number, _ in told] == [4, 5]
    assert {text for _, text in told} == {
        "Your budget for today runs low: $0.006048 of $0.1 is used.",
        "This session's budget for today has come to 540 tokens; a warning was wanted at 540 tokens.",
    }
    assert await entries(home, gym, "sequence_number") == [(2,), (6,), (8,), (10,)]
    await money_is_right(home, gym)
    assert (await verify(home.base.urls, SessionView, Wanted(session_id=session_id))).count == 0


async def test_what_the_organisation_spends_is_told_to_its_staff(home: House, gym: Gym) -> None:
    await set_price(home, gym)
    await cap(home, gym, 100_000, soft=1, period=CapPeriod.MONTH)
    theirs, ours = await new_session(home, gym.member.scope), await new_session(home, gym.staff.scope)
    async with running_turns(home, ScriptedModel(answers())) as turns:
        await say(turns, gym, theirs)
        for _ in range(2):
            await ending_of(await turns.say(gym.staff.scope, ours, UserMessage(text="hello")))
    assert await notices(home, gym.member.scope, theirs) == []
    said = "Your organisation's budget for this month runs low: $0.006048 of $0.1 is used."
    assert await notices(home, gym.staff.scope, ours) == [(2, said)]
    await money_is_right(home, gym)


async def test_what_was_cut_off_counts_as_all_that_was_held(home: House, gym: Gym) -> None:
    """The provider may ask for it; a cap that took it for nothing could be passed by stopping often."""
    await set_price(home, gym)
    await cap(home, gym, 5000)
    session_id = await new_session(home, gym.member.scope)
    async with running_turns(home, ScriptedModel([Say("One. " * 100, delay=0.05)])) as turns:
        ticket = await turns.say(gym.member.scope, session_id, UserMessage(text="go"))
        async with asyncio.timeout(60):
            while not (run := turns._running[session_id].run) or not run.speech or not run.speech.text:
                await asyncio.sleep(0.01)
        assert turns.cancel_here(session_id)
        assert await ending_of(ticket) is Ending.CANCELLED
    assert await entries(home, gym, "charge, counted, reported") == [(0, 5000, False)]
    await money_is_right(home, gym)


async def test_a_turn_that_used_more_than_was_held_is_shown_in_full(home: House, gym: Gym) -> None:
    """A provider that ignores the limit we gave it. It is recorded and counted, and nothing goes on after it."""
    await set_price(home, gym)
    await account(home, gym, prepaid=True)
    await give_credits(home, gym, 1)
    await cap(home, gym, 5000)

    def excessive(asked: Asked) -> Say:
        return Say("!", usage=Usage(input=1_000_000, output=0, reported=True))

    session_id = await new_session(home, gym.member.scope)
    async with running_turns(home, ScriptedModel([excessive, "never said"])) as turns:
        assert await say(turns, gym, session_id) is Ending.FINAL
        assert await say(turns, gym, session_id) is Ending.LIMIT
    assert await entries(home, gym) == [(1_200_000,)]
    assert await credits_left(home, gym) == 0
    await money_is_right(home, gym)


async def test_a_new_cap_waits_for_calls_that_do_not_know_it(home: House, gym: Gym) -> None:
    """Else it would count neither what is being recorded just now, nor find it in the entries that it starts from."""
    await set_price(home, gym)
    scope, log = gym.member.scope, home.services.log
    first, second = [await new_session(home, scope) for _ in range(2)]
    spoken = AssistantMessage(text="x", usage=UsageRecord(model="scripted", provider="scripted", output=100))
    waits = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND classid = 7266"
    async with home.services.database.unit_of_work(scope) as uow:
        await log.append(scope, first, [spoken], connection=await uow.driver())
        making = asyncio.create_task(cap(home, gym, 10**9))
        async with asyncio.timeout(60):
            while not making.done() and not await rows(home, gym, waits):
                await asyncio.sleep(0.01)
        if making.done():  # it must not be: then this call would not be seen by the next one
            await log.append(scope, second, [spoken])
    await making
    await log.append(scope, second, [spoken])
    assert await rows(home, gym, "SELECT spent FROM spend_counters") == [(2400,)]
    await money_is_right(home, gym)
