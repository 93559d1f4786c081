"""What `POST /api/responses` passes back is checked like every other output, whole and as a stream."""

import json
from typing import Any

import httpx
import pytest

from spotter.app import House
from spotter.runtime.proxied_answers import ProxiedAnswer
from spotter.safety import Policy
from tests.http.test_responses_proxy import Provider, ask, billed, ended
from tests.http.test_responses_proxy import provider as provider_fixture
from tests.llm.wire_scripts import Called, Spoken, responses_events, responses_whole
from tests.llm.wire_server import Answer
from tests.support.approvals import checked_events
from tests.support.money import money_is_right
from tests.support.people import Gym

provider = provider_fixture
BAD = "You clearly have a torn meniscus, so take 800 mg of ibuprofen every four hours."
ANSWER = f"Let us go easy today. {BAD} Then squat."
CALL = Called("note", '{"text": "squat"}', "c1")
MAIL = "ben.b@example.com"


def spoken(text: str, *calls: Called) -> Spoken:
    return Spoken(text, calls=calls, tokens=(100, 20, 0, 0), model="gpt-4o-mini-2024-07-18")


def says(provider: Provider, said: Spoken, *, stream: bool) -> None:
    whole = [json.dumps(responses_whole(said)).encode()]
    provider.answer = (
        Answer(responses_events(said)) if stream else Answer(whole, content_type="application/json")
    )


def events_in(content: bytes) -> list[dict[str, Any]]:
    lines = content.decode().splitlines()
    return [json.loads(line[6:]) for line in lines if line.startswith("data: ")]


def last_of(answer: httpx.Response, *, stream: bool) -> dict[str, Any]:
    found: dict[str, Any] = events_in(answer.content)[-1]["response"] if stream else answer.json()
    return found


@pytest.mark.parametrize("stream", [False, True])
async def test_a_blocked_sentence_is_not_passed_on(
    http: httpx.AsyncClient, home: House, gym: Gym, provider: Provider, stream: bool
) -> None:
    says(provider, spoken(ANSWER, CALL), stream=stream)
    answer = await ask(http, gym.staff, stream=stream)
    assert answer.status_code == 200, answer.text
    assert "ibuprofen" not in answer.text
    assert "squat" not in answer.text, "nothing after it, and no call that came with it"
    last = last_of(answer, stream=stream)
    assert (last["status"], last["incomplete_details"]) == ("incomplete", {"reason": "content_filter"})
    ((part,),) = [item["content"] for item in last["output"]]
    assert part["text"].startswith("Let us go easy today. I left out something I cannot judge")
    if stream:
        told = events_in(answer.content)
        shown = "".join(one["delta"] for one in told if one["type"] == "response.output_text.delta")
        assert shown.startswith("Let us go easy today. I left out something")
        assert told[-1]["type"] == "response.incomplete"
    record = await ended(home, gym)
    said = (await checked_events(home, gym, record.id))[-1].content
    assert said.moderation["action"] == "block"  # type: ignore[union-attr,index]
    assert (await billed(http, gym))["tokens"]["output"] == 20, "billed in full"
    await money_is_right(home, gym)


@pytest.mark.parametrize("stream", [False, True])
async def test_strangers_data_is_taken_out_and_the_callers_own_is_not(
    http: httpx.AsyncClient, home: House, gym: Gym, provider: Provider, stream: bool
) -> None:
    said = spoken(f"Good. You are own.me@example.com. Ben is at {MAIL}. Bye.", CALL)
    says(provider, said, stream=stream)
    answer = await ask(http, gym.staff, stream=stream, input="I am own.me@example.com")
    assert MAIL not in answer.text
    last = last_of(answer, stream=stream)
    message, call = last["output"]
    assert message["content"][0]["text"] == "Good. You are own.me@example.com. Ben is at [email]. Bye."
    assert (last["status"], call["arguments"]) == ("completed", CALL.arguments)
    if stream:
        told = events_in(answer.content)
        shown = "".join(one["delta"] for one in told if one["type"] == "response.output_text.delta")
        assert shown == message["content"][0]["text"]
    record = await ended(home, gym)
    kept = (await checked_events(home, gym, record.id))[-1].content
    assert kept.moderation["redacted"] is True  # type: ignore[union-attr,index]


@pytest.mark.parametrize("stream", [False, True])
async def test_words_for_a_tool_are_stopped_too(
    http: httpx.AsyncClient, home: House, gym: Gym, provider: Provider, stream: bool
) -> None:
    says(provider, spoken("Fine.", Called("note", json.dumps({"text": BAD}), "c1")), stream=stream)
    answer = await ask(http, gym.staff, stream=stream)
    assert "ibuprofen" not in answer.text
    last = last_of(answer, stream=stream)
    assert [item["type"] for item in last["output"]] == ["message"]
    assert last["incomplete_details"] == {"reason": "content_filter"}


async def test_a_good_answer_says_it_was_looked_at(
    http: httpx.AsyncClient, home: House, gym: Gym, provider: Provider
) -> None:
    await ask(http, gym.staff)
    record = await ended(home, gym)
    said = (await checked_events(home, gym, record.id))[-1].content
    assert said.moderation == {"action": "allow"}  # type: ignore[union-attr]


def checker(gym: Gym) -> ProxiedAnswer:
    return ProxiedAnswer(Policy(), gym.staff.scope, "Hi")


@pytest.mark.parametrize("size", [1, 7, 64, 10_000])
def test_however_the_bytes_are_cut_a_good_stream_is_the_same(gym: Gym, size: int) -> None:
    sent = b": hello\n\n" + b"".join(responses_events(spoken("One. Two!\nThree", CALL))) + b"data: [DONE]\n\n"
    answer = checker(gym)
    out = [
        piece for at in range(0, len(sent), size) for piece in answer.feed(sent[at : at + size])
    ] + answer.finish()
    assert b"".join(out) == sent


def test_sentences_go_out_before_the_answer_ends(gym: Gym) -> None:
    answer, (created, added, *deltas) = checker(gym), responses_events(spoken("Well done now. Go on."))[:-2]
    assert answer.feed(created + added) == [created, added]
    out = [answer.feed(delta) for delta in deltas]
    assert any(out), "before anything says that the answer is over"


def test_what_cannot_be_read_is_not_passed_on(gym: Gym) -> None:
    answer = checker(gym)
    assert answer.feed(b"data: {broken\n\n") == []
    assert answer.feed(b'data: {"type":"response.telepathy.delta","delta":"x"}\n\n') == []
