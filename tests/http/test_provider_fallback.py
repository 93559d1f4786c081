"""A provider that fails is no secret (A3): whoever gets another model's answer is told so, in words, once in a turn, on
every way an answer takes; what the provider said is told to nobody."""

import json
import logging
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from spotter.app import Ground, House
from spotter.llm.fallback import FallbackModel
from spotter.llm.faults import ModelTimeout
from spotter.llm.scripted import Say, ScriptedModel, call
from spotter.runtime.notices import ANOTHER_ANSWERS, BUILT_IN_ANSWERS
from spotter.sessions.events import AssistantMessage, Ending, Notice, UserMessage
from tests.http.test_coach import say
from tests.http.test_push import connected, next_of
from tests.http.test_trainer import DIALECTS, chat, served_by
from tests.llm.conftest import KEY, PATIENT, QUICK, model_at
from tests.llm.fault_list import FAULTS, Fault
from tests.llm.wire_scripts import refusal
from tests.llm.wire_server import NO_OBJECTION, Answer, Asked, WireServer
from tests.runtime.test_turns import ending_of, events_of
from tests.support.agents import new_session, running_turns
from tests.support.people import Gym

PROVIDERS_WORDS = "canary-the-account-of-the-gym-is-closed"
OURS_FOR_OPERATORS = "Check the API key"
BEFORE_ANY_WORD = tuple(
    fault
    for fault in FAULTS
    if fault.error is not None and fault.error.may_fallback and fault.name != "time-out in the middle"
)


def broken(dialect: str) -> Callable[[Asked], Answer]:
    def plan(asked: Asked) -> Answer:
        if asked.path.endswith("/moderations"):
            return NO_OBJECTION
        return refusal(dialect, 401, "authentication_error", PROVIDERS_WORDS)

    return plan


async def streamed(http: httpx.AsyncClient, path: str, headers: dict[str, str], body: Any) -> list[Any]:
    asked = {**headers, "Accept": "text/event-stream"}
    async with http.stream("POST", path, headers=asked, json=body) as stream:
        lines = [line async for line in stream.aiter_lines()]
    return [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_it_is_told_on_every_way(
    dialect: str,
    base: Ground,
    gym: Gym,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.WARNING, "spotter")
    person = gym.member
    told: list[Any] = []
    async with served_by(base, monkeypatch, dialect, broken(dialect)) as http:
        plain = await say(http, person, "hello")
        assert plain["message"].startswith(BUILT_IN_ANSWERS)
        assert plain["message"].count(BUILT_IN_ANSWERS) == 1
        assert len(plain["message"]) > len(BUILT_IN_ANSWERS) + 20, "the answer itself is there too"
        socket_path = f"/api/sessions/{plain['sessionId']}/ws"
        async with connected(http, socket_path, additional_headers=person.headers) as socket:
            coach = await streamed(http, "/api/coach", person.headers, {"message": "I want to get stronger"})
            pushed: list[Any] = []
            while sum(push["type"] == "notice" for push in pushed) < 2:
                pushed += (await next_of(socket)).get("push", ())
        assert [one["text"] for one in coach if one["type"] == "notice"] == [BUILT_IN_ANSWERS]
        assert coach[-1]["message"].count(BUILT_IN_ANSWERS) == 1
        trained = await chat(http, person, "A 20 minute workout without equipment")
        assert trained["response"]["messages"].count(BUILT_IN_ANSWERS) == 1
        assert trained["response"]["exercises"]
        trainer = await streamed(http, "/api/agent/stream", person.headers, {"message": "Make it shorter"})
        said = [one["data"]["message"] for one in trainer if one["type"] == "message_notify_user"]
        assert said.count(BUILT_IN_ANSWERS) == 1
        ordinary = (await http.post("/api/sessions", json={}, headers=person.headers)).json()
        messages = f"/api/sessions/{ordinary['id']}/messages"
        answered = await http.post(messages, json={"text": "hello"}, headers=person.headers)
        assert answered.json()["text"].count(BUILT_IN_ANSWERS) == 1
        events = await http.get(f"/api/sessions/{plain['sessionId']}/events", headers=person.headers)
        told += [plain, coach, pushed, trained, trainer, answered.json(), events.json()]
    everything = json.dumps(told)
    assert PROVIDERS_WORDS not in everything
    assert OURS_FOR_OPERATORS not in everything
    assert OURS_FOR_OPERATORS in caplog.text, "those who run it read why"


@pytest.mark.parametrize("wire_dialect", DIALECTS)
@pytest.mark.parametrize("fault", BEFORE_ANY_WORD, ids=lambda fault: fault.name)
async def test_every_fault_before_the_first_word(
    fault: Fault, wire_dialect: str, home: House, gym: Gym
) -> None:
    """Said once though two calls of the turn fell back, and never joined to words of the model that broke."""
    session_id = await new_session(home, gym.member.scope)
    stand_in = ScriptedModel(
        [Say("", (call("add", {"a": 1}),)), "Both models' words are never joined."],
        name="offline",
        provider="offline",
    )
    limits = QUICK if fault.error is ModelTimeout else PATIENT
    async with (
        WireServer(lambda asked: fault.plan(wire_dialect, True)) as wire,
        model_at(wire_dialect, wire.url, limits) as model,
        running_turns(home, FallbackModel([model, stand_in])) as turns,
    ):
        ticket = await turns.say(gym.member.scope, session_id, UserMessage(text="Add."))
        ending = await ending_of(ticket)
    events = await events_of(home, gym.member.scope, session_id)
    notices = [event.content for event in events if isinstance(event.content, Notice)]
    if ending is Ending.FAILED:
        # It broke after its first words: then nobody else speaks, and nothing is pretended.
        assert fault.name in ("truncated stream", "no stop event", "malformed JSON")
        assert notices == []
        return
    assert notices == [Notice(code="fallback", text=BUILT_IN_ANSWERS)]
    kinds = [event.type for event in events if event.type != "error"]  # what the broken answer cost is billed
    assert kinds == ["user_message", "notice", "action", "result", "assistant_message"]
    assert isinstance(events[-1].content, AssistantMessage)
    assert KEY not in str(events)


async def test_another_providers_answer_is_told_as_such_and_the_next_turn_anew(home: House, gym: Gym) -> None:
    session_id = await new_session(home, gym.member.scope)
    first = ScriptedModel([ModelTimeout("slow"), "I am back."], name="first")
    second = ScriptedModel(["I stand in."], name="second")
    async with running_turns(home, FallbackModel([first, second])) as turns:
        for text in ("one", "two"):
            await ending_of(await turns.say(gym.member.scope, session_id, UserMessage(text=text)))
    events = await events_of(home, gym.member.scope, session_id)
    assert [getattr(event.content, "text", "") for event in events] == [
        "one",
        ANOTHER_ANSWERS,
        "I stand in.",
        "two",
        "I am back.",
    ]
    # What is told to people about us is nothing a model reads, so none takes it for its own words.
    assert all(ANOTHER_ANSWERS not in str(asked.prompt.messages) for asked in first.asked)
