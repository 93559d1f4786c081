"""AG-UI while a model is speaking: joining, stopping, what it cost. The model speaks a provider's wire format."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest

from spotter.app import Ground
from tests.http.agui_client import AgUi, events_of, follow, only, run, run_input, text_of, user
from tests.support.people import Gym
from tests.support.speaking import Speaker, speaking_server

PATH = "agents/assistant"
WHOLE = "The first sentence is here. The second one is here too. This is the last one."
FIRST = "The first sentence is here."


@pytest.fixture
async def speaker() -> Speaker:
    return Speaker(WHOLE)


@asynccontextmanager
async def serving(
    base: Ground, monkeypatch: pytest.MonkeyPatch, speaker: Speaker
) -> AsyncIterator[httpx.AsyncClient]:
    async with (
        speaking_server(base, monkeypatch, speaker) as (_, url),
        httpx.AsyncClient(base_url=url, timeout=60) as client,
    ):
        yield client


async def until_speaking(
    answer: httpx.Response, events: list[AgUi]
) -> AsyncIterator[tuple[str | None, AgUi]]:
    """Until the first sentence was heard; the rest can be read from what is returned."""
    told = events_of(answer)
    async for _, event in told:
        events.append(event)
        if FIRST in "".join(one["delta"] for one in only(events, "TEXT_MESSAGE_CONTENT")):
            break
    return told


async def test_who_joins_in_the_middle_hears_all_of_it(
    base: Ground, gym: Gym, monkeypatch: pytest.MonkeyPatch, speaker: Speaker
) -> None:
    headers = gym.member.headers
    body = run_input("mine", [user("Tell me", "m1")])
    async with serving(base, monkeypatch, speaker) as http:
        first: list[AgUi] = []
        async with http.stream("POST", f"/api/agui/{PATH}", json=body, headers=headers) as answer:
            await until_speaking(answer, first)
        # That connection is gone. The same request again joins the turn, and so does looking at the thread.
        joined: list[AgUi] = []
        async with http.stream("POST", f"/api/agui/{PATH}", json=body, headers=headers) as answer:
            told = await until_speaking(answer, joined)
            following = asyncio.create_task(follow(http, "mine", headers))
            speaker.may_go_on.set()
            joined += [event async for _, event in told]
        followed = await following
        (streamed,) = only(first, "TEXT_MESSAGE_START")
        for events in (joined, followed):
            assert events[-1]["outcome"] == {"type": "success"}
            (snapshot,) = only(events, "MESSAGES_SNAPSHOT")[:1]
            known = {one["id"]: one.get("content") for one in snapshot["messages"]}
            said = text_of(events, streamed["messageId"]) or known[streamed["messageId"]]
            assert said == WHOLE
        assert [one["content"] for one in only(joined, "MESSAGES_SNAPSHOT")[0]["messages"]] == ["Tell me"]


async def test_stopping_ends_every_stream_of_it(
    base: Ground, gym: Gym, monkeypatch: pytest.MonkeyPatch, speaker: Speaker
) -> None:
    headers = gym.member.headers
    async with serving(base, monkeypatch, speaker) as http:
        events: list[AgUi] = []
        body = run_input("mine", [user("Tell me")])
        async with http.stream("POST", f"/api/agui/{PATH}", json=body, headers=headers) as answer:
            told = await until_speaking(answer, events)
            stopped = await http.post("/api/agui/threads/mine/cancel", headers=headers)
            assert stopped.json() == {"cancelled": True}
            events += [event async for _, event in told]
        assert events[-1]["outcome"] == {"type": "cancelled"}
        later = await follow(http, "mine", headers)
        assert later[-1]["outcome"] == {"type": "cancelled"}
        said = later[1]["messages"][-1]
        assert said["role"] == "assistant"
        assert said["content"].startswith(FIRST), "what was heard stays"
        assert not said["content"].endswith("last one.")
        again = await http.post("/api/agui/threads/mine/cancel", headers=headers)
        assert again.json() == {"cancelled": False}


async def test_what_it_cost_is_told(
    base: Ground, gym: Gym, monkeypatch: pytest.MonkeyPatch, speaker: Speaker
) -> None:
    speaker.may_go_on.set()
    async with serving(base, monkeypatch, speaker) as http:
        events = await run(http, PATH, run_input("mine", [user("Tell me")]), gym.member.headers)
    _, usage, cost = (one["value"] for one in only(events, "CUSTOM"))
    assert (usage["model"], usage["output"]) == ("gpt-4o", 200)
    # 1000 in at 2.50 and 200 out at 10 dollars a million, and a fifth on top.
    (call,) = cost["calls"]
    assert (call["charge"], call["priced"]) == (5400, True)
    assert cost["session"]["charge"] == 5400
    (counted,) = events[-1]["usage"]
    assert (counted["inputTokens"], counted["outputTokens"], counted["totalTokens"]) == (1000, 200, 1200)
    said = only(events, "TEXT_MESSAGE_END")[0]["metadata"]["sequence"]
    assert call["sequence"] == said, "the bill knows the message by its number"
