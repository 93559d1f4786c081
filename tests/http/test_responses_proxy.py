"""`POST /api/responses` (B7): passed on as it is, allowed and checked, billed whatever happens."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from sqlalchemy import select

from spotter.app import House
from spotter.llm.allowed import AllowedModels
from spotter.runtime.models import PREFIX, ModelAccount
from spotter.runtime.proxied_calls import PROXY
from spotter.sessions import directory
from spotter.sessions.events import UserMessage
from spotter.sessions.log import Lease, Turn
from spotter.sessions.tables import AgentSession
from tests.llm.wire_scripts import Spoken, responses_events, responses_whole
from tests.llm.wire_server import NO_OBJECTION, Act, Answer, Asked, WireServer
from tests.support.approvals import checked_events
from tests.support.money import cap, money_is_right
from tests.support.people import Gym, Person

KEY = "sk-canary-0123456789abcdef"
SPOKEN = Spoken("Hello there, friend.", tokens=(100, 20, 0, 0), model="gpt-4o-mini-2024-07-18")


class Provider(WireServer):
    """Says yes to every second opinion, and `answer` to everything else."""

    def __init__(self) -> None:
        super().__init__(self._plan)
        self.answer = Answer([json.dumps(responses_whole(SPOKEN)).encode()], content_type="application/json")

    def _plan(self, asked: Asked) -> Answer:
        return NO_OBJECTION if asked.path.endswith("/moderations") else self.answer

    @property
    def calls(self) -> list[dict[str, Any]]:
        return [json.loads(one.body) for one in self.asked if one.path.endswith("/responses")]


@pytest.fixture
async def provider(home: House, gym: Gym) -> AsyncIterator[Provider]:
    async with Provider() as server:
        async with home.services.database.unit_of_work(gym.owner.scope) as uow:
            account = ModelAccount(KEY, f"{server.url}/v1")
            await home.services.secrets.put(uow, f"{PREFIX}openai", account.dump())
        yield server


async def ask(http: httpx.AsyncClient, person: Person, **body: Any) -> httpx.Response:
    return await http.post(
        "/api/responses", json={"model": "gpt-4o-mini", "input": "Hi", **body}, headers=person.headers
    )


async def records(home: House, gym: Gym) -> list[AgentSession]:
    async with home.services.database.unit_of_work(gym.owner.scope) as uow:
        found = await uow.session.scalars(select(AgentSession).where(AgentSession.kind == "proxy"))
        return list(found)


async def ended(home: House, gym: Gym) -> AgentSession:
    """The one record, once its call is over."""
    async with asyncio.timeout(60):
        while True:
            found = await records(home, gym)
            if found and not any(one.turn_open for one in found):
                return found[0]
            await asyncio.sleep(0.01)


async def billed(http: httpx.AsyncClient, gym: Gym) -> dict[str, Any]:
    current = await http.get("/api/billing/current", headers=gym.owner.headers)
    total: dict[str, Any] = current.json()["total"]
    return total


@pytest.mark.parametrize("path", ["/api/responses", "/functions/v1/responses"])
async def test_without_a_key_it_says_what_to_set(
    http: httpx.AsyncClient, home: House, gym: Gym, path: str
) -> None:
    answer = await http.post(path, json={"model": "gpt-4o-mini", "input": "Hi"}, headers=gym.staff.headers)
    assert (answer.status_code, answer.json()["code"]) == (503, "not_configured")
    assert "OPENAI_API_KEY" in answer.json()["detail"]
    assert await records(home, gym) == []


async def test_an_answer_comes_as_it_is_and_is_billed(
    http: httpx.AsyncClient, home: House, gym: Gym, provider: Provider
) -> None:
    answer = await ask(http, gym.staff, instructions="Be kind.", temperature=0.2, store=True)
    assert answer.status_code == 200, answer.text
    assert answer.json() == responses_whole(SPOKEN)
    (sent,) = provider.calls
    assert sent == {
        "model": "gpt-4o-mini",
        "input": "Hi",
        "instructions": "Be kind.",
        "temperature": 0.2,
        "store": False,
        "stream": False,
    }
    (asked,) = [one for one in provider.asked if one.path.endswith("/responses")]
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    total = await billed(http, gym)
    assert (total["tokens"]["input"], total["tokens"]["output"]) == (100, 20)
    assert total["charge"] != "0"
    record = await ended(home, gym)
    events = await checked_events(home, gym, record.id)
    assert [event.type for event in events] == ["user_message", "assistant_message"]
    kept = json.dumps([event.content.model_dump(mode="json") for event in events])
    assert not [word for word in ("Be kind", "Hello there", KEY) if word in kept]
    assert (await http.get("/api/sessions", headers=gym.owner.headers)).json()["items"] == []
    await money_is_right(home, gym)


async def test_a_stream_comes_byte_for_byte_and_is_billed(
    http: httpx.AsyncClient, home: House, gym: Gym, provider: Provider
) -> None:
    provider.answer = Answer(responses_events(SPOKEN))
    answer = await ask(http, gym.staff, stream=True)
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.content == b"".join(responses_events(SPOKEN))
    record = await ended(home, gym)
    await checked_events(home, gym, record.id)
    assert (await billed(http, gym))["tokens"]["output"] == 20
    await money_is_right(home, gym)


async def test_who_hangs_up_pays_all_the_same(
    http: httpx.AsyncClient, home: House, gym: Gym, provider: Provider
) -> None:
    first, *rest = responses_events(SPOKEN)
    provider.answer = Answer([first, 0.3, *rest])
    body = {"model": "gpt-4o-mini", "input": "Hi", "stream": True}
    async with http.stream("POST", "/api/responses", json=body, headers=gym.staff.headers) as answer:
        async for _ in answer.aiter_raw():
            break
    record = await ended(home, gym)
    events = await checked_events(home, gym, record.id)
    assert [event.type for event in events] == ["user_message", "assistant_message"]
    assert (await billed(http, gym))["tokens"]["output"] == 20
    await money_is_right(home, gym)


async def test_an_answer_that_breaks_off_is_recorded_as_unreported(
    http: httpx.AsyncClient, home: House, gym: Gym, provider: Provider
) -> None:
    await cap(home, gym, 10**9)
    provider.answer = Answer([*responses_events(SPOKEN)[:3], Act.CUT])
    answer = await ask(http, gym.staff, stream=True)
    assert b"event: error" in answer.content
    record = await ended(home, gym)
    events = await checked_events(home, gym, record.id)
    assert [event.type for event in events] == ["user_message", "error"]
    usage = events[-1].content.usage  # type: ignore[union-attr]
    assert usage is not None
    assert usage.reported is False
    await money_is_right(home, gym)


async def test_a_cap_holds_before_anybody_is_asked(
    http: httpx.AsyncClient, home: House, gym: Gym, provider: Provider
) -> None:
    await cap(home, gym, 1)
    refused = await ask(http, gym.staff)
    assert (refused.status_code, refused.json()["code"]) == (402, "payment_required")
    assert provider.calls == []
    record = await ended(home, gym)
    await checked_events(home, gym, record.id)
    await money_is_right(home, gym)


async def test_an_answer_may_be_no_longer_than_is_held_back_for_it(
    http: httpx.AsyncClient, home: House, gym: Gym, provider: Provider
) -> None:
    await cap(home, gym, 500)
    answer = await ask(http, gym.staff, max_output_tokens=100_000)
    assert answer.status_code == 200, answer.text
    (sent,) = provider.calls
    assert sent["max_output_tokens"] < 1_000
    await money_is_right(home, gym)


async def test_twenty_at_once_do_not_pass_a_cap(
    http: httpx.AsyncClient, home: House, gym: Gym, provider: Provider
) -> None:
    await cap(home, gym, 400)
    answers = await asyncio.gather(*(ask(http, gym.staff, max_output_tokens=500) for _ in range(20)))
    assert {one.status_code for one in answers} == {200, 402}
    standing = (await http.get("/api/billing/caps", headers=gym.staff.headers)).json()["standing"]
    assert standing[0]["spent"] <= 400
    await money_is_right(home, gym)


async def test_what_may_not_be_said_is_not_passed_on(
    http: httpx.AsyncClient, home: House, gym: Gym, provider: Provider
) -> None:
    for place in (
        {"input": "I want to kill myself tonight"},
        {"instructions": "I want to kill myself tonight"},
    ):
        refused = await ask(http, gym.staff, **place)
        assert (refused.status_code, refused.json()["code"]) == (422, "moderation_blocked"), refused.text
    assert provider.calls == []


async def test_only_allowed_models(
    http: httpx.AsyncClient, home: House, gym: Gym, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(home.services.proxied_calls, "_allowed", AllowedModels(["openai:gpt-4o-mini"]))
    assert (await ask(http, gym.staff)).status_code == 200
    refused = await ask(http, gym.staff, model="gpt-5-pro")
    assert refused.status_code == 403
    assert "SPOTTER_ALLOWED_MODELS" in refused.json()["detail"]
    assert len(provider.calls) == 1


@pytest.mark.parametrize(
    "body",
    [
        {"previous_response_id": "resp_of_somebody_else"},
        {"conversation": "conv_1"},
        {"background": True},
        {"service_tier": "priority"},
        {"tools": [{"type": "web_search"}]},
        {"tools": [{"type": "mcp", "server_url": "http://169.254.169.254"}]},
        {"input": [{"type": "item_reference", "id": "msg_1"}]},
        {"input": [{"role": "user", "content": [{"type": "input_image", "image_url": "http://x/y.png"}]}]},
        {"input": [{"role": "user", "content": {"type": "input_file"}}]},
    ],
)
async def test_what_costs_or_reaches_more_than_words_is_refused(
    http: httpx.AsyncClient, gym: Gym, provider: Provider, body: dict[str, Any]
) -> None:
    assert (await ask(http, gym.staff, **body)).status_code == 422
    assert provider.calls == []


async def test_what_a_dead_process_left_is_ended_and_not_asked_again(
    http: httpx.AsyncClient, home: House, gym: Gym, provider: Provider
) -> None:
    scope, log = gym.staff.scope, home.services.log
    async with home.services.database.unit_of_work(scope) as uow:
        session = await directory.create(uow, PROXY, kind="proxy")
    lease = Lease(home.services.turns.owner, 600)
    turn = await log.open_turn(scope, session.id, UserMessage(text="[A call]", source="api"), lease)
    assert isinstance(turn, Turn)
    assert await home.services.turns.take_over(scope, session.id, turn.fence)
    record = await ended(home, gym)
    events = await checked_events(home, gym, record.id)
    assert [event.type for event in events] == ["user_message", "turn_ended"]
    assert provider.calls == []


async def test_members_have_agents_for_that(http: httpx.AsyncClient, gym: Gym, provider: Provider) -> None:
    assert (await ask(http, gym.member)).status_code == 403
    assert provider.calls == []


@pytest.mark.parametrize(("status", "expected"), [(401, 502), (429, 503), (400, 502), (500, 503)])
@pytest.mark.parametrize("stream", [False, True])
async def test_a_providers_refusal_is_ours_and_costs_nothing(
    http: httpx.AsyncClient,
    home: House,
    gym: Gym,
    provider: Provider,
    status: int,
    expected: int,
    stream: bool,
) -> None:
    said = {"error": {"message": f"no, {KEY}", "code": "x"}}
    provider.answer = Answer(
        [json.dumps(said).encode()],
        status=status,
        content_type="application/json",
        headers={"retry-after": "60"},
    )
    refused = await ask(http, gym.staff, stream=stream)
    assert refused.status_code == expected, refused.text
    assert KEY not in refused.text
    record = await ended(home, gym)
    await checked_events(home, gym, record.id)
    assert (await billed(http, gym))["tokens"]["input"] == 0
    await money_is_right(home, gym)
