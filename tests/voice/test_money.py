"""What a conversation may cost is held back before it begins, and settled by what is reported (B13, F6)."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from spotter.app import House
from spotter.billing.caps import CapUnit
from spotter.billing.ledger import Ledger
from spotter.billing.price import Price
from spotter.clock import now
from spotter.llm.port import Usage
from spotter.sessions.log import SessionLog
from spotter.voice.transcripts import end_overdue
from tests.support.money import account, cap, credits_left, give_credits, money_is_right, rows
from tests.voice.conftest import Studio, said, used

DOLLAR = 1_000_000


async def _standing(home: House, studio: Studio) -> tuple[int, int]:
    (row,) = await rows(home, studio.gym, "SELECT spent, reserved FROM spend_counters")
    return row[0], row[1]


async def _overdue(home: House, studio: Studio, session_id: str) -> UUID:
    """Its time is over."""
    ((voice_id,),) = await rows(
        home,
        studio.gym,
        "UPDATE voice_sessions SET ends_at = %s WHERE session_id = %s RETURNING id",
        now() - timedelta(seconds=1),
        session_id,
    )
    found: UUID = voice_id
    return found


async def _end(home: House, studio: Studio, voice_id: UUID) -> Any:
    database = home.services.database
    log = SessionLog(database.hot, Ledger.for_database(database))
    return await end_overdue(database, log, studio.gym.org_id, voice_id)


async def test_sound_has_prices_of_its_own(home: House, studio: Studio) -> None:
    price = await home.services.prices.price(studio.gym.member.scope, "openai", "gpt-realtime-2", now())
    assert isinstance(price, Price)
    text = price.cost(Usage(input=1_000_000, output=1_000_000, reported=True))
    assert text == (4 + 24) * DOLLAR
    sound = Usage(
        input=1_000_000, output=1_000_000, reported=True, audio_input=1_000_000, audio_output=1_000_000
    )
    assert price.cost(sound) == (32 + 64) * DOLLAR
    mixed = Usage(2_000_000, 0, 1_000_000, 0, True, audio_input=500_000, audio_cache_read=1_000_000)
    assert price.cost(mixed) == 6 * DOLLAR + 16 * DOLLAR + 400_000
    assert price.worst_case_spoken(1_000_000, 1_000_000, 1_000_000) == (4 + 32 + 64) * DOLLAR


async def test_reported_use_is_billed_once(home: House, studio: Studio) -> None:
    session_id = (await studio.start())["session_id"]
    report = used(
        "resp_1",
        audio_in=1_500,
        text_in=3_000,
        audio_out=600,
        text_out=100,
        cached_text=1_000,
        cached_audio=500,
    )
    items = [said("item_1", "hello")]
    recorded = [await studio.report(session_id, items=items, usage=[report]) for _ in range(3)]
    cost = 2_000 * 4 + 1_000 * 32 + 1_000 * 0.4 + 500 * 0.4 + 100 * 24 + 600 * 64
    ((calls, charged, spent_by),) = await rows(
        home,
        studio.gym,
        "SELECT count(*), sum(charge), sum(cost) FROM usage_entries WHERE session_id = %s",
        session_id,
    )
    assert (calls, spent_by) == (1, round(cost))
    assert charged == round(cost * 1.2)
    assert {one["spent_micro_dollars"] for one in recorded} == {charged}
    await money_is_right(home, studio.gym)


async def test_the_worst_case_is_held_back_and_settled(home: House, studio: Studio) -> None:
    await cap(home, studio.gym, 100 * DOLLAR)
    payload = await studio.start()
    session_id, limits = payload["session_id"], payload["limits"]
    assert limits["seconds"] == 600
    budget = limits["budget_micro_dollars"]
    assert 4 * DOLLAR < budget < 20 * DOLLAR
    assert await _standing(home, studio) == (0, budget)
    first = await studio.report(session_id, usage=[used("resp_1", audio_in=2_000, audio_out=800)])
    spent = round((2_000 * 32 + 800 * 64) * 1.2)
    assert first["spent_micro_dollars"] == spent
    assert await _standing(home, studio) == (spent, budget - spent)
    # A written turn beside it neither takes nor gives back what is held.
    written = await studio.http.post(
        f"/api/sessions/{session_id}/messages", json={"text": "hello"}, headers=studio.gym.member.headers
    )
    assert written.status_code == 200
    assert await _standing(home, studio) == (spent, budget - spent)
    await money_is_right(home, studio.gym)
    ended = await studio.report(session_id, ended=True)
    assert ended["ended"] is True
    assert await _standing(home, studio) == (spent, 0)
    late = await studio.report(session_id, usage=[used("resp_2", audio_out=100)])
    assert late["spent_micro_dollars"] == spent + round(100 * 64 * 1.2)
    assert await _standing(home, studio) == (spent + round(100 * 64 * 1.2), 0)
    await money_is_right(home, studio.gym)


async def test_less_money_means_fewer_minutes(home: House, studio: Studio) -> None:
    full = (await studio.start())["limits"]
    limit = full["budget_micro_dollars"] // 3
    await cap(home, studio.gym, limit)
    limits = (await studio.start())["limits"]
    assert 190 <= limits["seconds"] <= 200
    assert limits["budget_micro_dollars"] == limit
    refused = await studio.http.get("/api/session2", headers=studio.gym.member.headers)
    assert refused.status_code == 402
    assert "Nothing was begun" in refused.json()["detail"]
    listed = (await studio.http.get("/api/sessions", headers=studio.gym.member.headers)).json()["items"]
    assert len(listed) == 2
    await money_is_right(home, studio.gym)


async def test_a_budget_in_tokens(home: House, studio: Studio) -> None:
    await cap(home, studio.gym, 200_000, unit=CapUnit.TOKENS)
    payload = await studio.start()
    assert payload["limits"]["seconds"] < 600
    await studio.report(payload["session_id"], usage=[used("resp_1", audio_in=500, audio_out=500)])
    spent, reserved = await _standing(home, studio)
    assert spent == 1000
    assert spent + reserved <= 200_000
    await money_is_right(home, studio.gym)


async def test_who_speaks_beyond_the_budget_is_interrupted(home: House, studio: Studio) -> None:
    await cap(home, studio.gym, 100 * DOLLAR)
    payload = await studio.start()
    much = used("resp_1", audio_out=payload["limits"]["budget_micro_dollars"] // 64)
    recorded = await studio.report(payload["session_id"], usage=[much])
    assert recorded["interrupt"]["reason"] == "budget"
    assert recorded["ended"] is True
    types = [event["type"] for event in await studio.events(payload["session_id"])]
    assert types == ["voice", "assistant_message", "interrupt", "voice"]
    spent, reserved = await _standing(home, studio)
    assert (spent, reserved) == (recorded["spent_micro_dollars"], 0)
    await money_is_right(home, studio.gym)


async def test_silence_is_not_free(home: House, studio: Studio) -> None:
    """Nothing was reported in all its time: it counts as all that was held back, and is not charged."""
    await cap(home, studio.gym, 100 * DOLLAR)
    payload = await studio.start()
    voice_id = await _overdue(home, studio, payload["session_id"])
    assert await _end(home, studio, voice_id) is not None
    assert await _end(home, studio, voice_id) is None
    assert await _standing(home, studio) == (payload["limits"]["budget_micro_dollars"], 0)
    ((charged, reported),) = await rows(home, studio.gym, "SELECT charge, reported FROM usage_entries")
    assert (charged, reported) == (0, False)
    events = await studio.events(payload["session_id"])
    assert [event["type"] for event in events] == ["voice", "interrupt", "voice"]
    assert events[1]["content"]["reason"] == "time"
    await money_is_right(home, studio.gym)


async def test_an_abandoned_conversation_gives_the_rest_back(home: House, studio: Studio) -> None:
    await cap(home, studio.gym, 100 * DOLLAR)
    payload = await studio.start()
    await studio.report(payload["session_id"], usage=[used("resp_1", audio_out=1_000)])
    assert await _end(home, studio, await _overdue(home, studio, payload["session_id"])) is not None
    assert await _standing(home, studio) == (round(1_000 * 64 * 1.2), 0)
    await money_is_right(home, studio.gym)


async def test_one_that_lives_is_not_ended(home: House, studio: Studio) -> None:
    payload = await studio.start()
    voice_id = UUID(payload["limits"]["voice_id"])
    assert await _end(home, studio, voice_id) is None
    assert [event["type"] for event in await studio.events(payload["session_id"])] == ["voice"]


@pytest.mark.parametrize("reports", [1, 3])
async def test_prepaid_credits(home: House, studio: Studio, reports: int) -> None:
    """All credits may be held by the conversation itself: its reports are paid with them."""
    await account(home, studio.gym, prepaid=True)
    await give_credits(home, studio.gym, 500)
    payload = await studio.start()
    left = await credits_left(home, studio.gym)
    assert left < 500 * DOLLAR
    for number in range(reports):
        await studio.report(payload["session_id"], usage=[used(f"resp_{number}", audio_out=10_000)])
        await money_is_right(home, studio.gym)
    await studio.report(payload["session_id"], ended=True)
    # A credit is worth a cent: 0.64 $ and a fifth are 76.8 credits.
    assert await credits_left(home, studio.gym) == 500_000_000 - reports * 76_800_000
    await money_is_right(home, studio.gym)
