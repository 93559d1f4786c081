"""What was said aloud joins the one log: once, in order, checked on arrival (B13)."""

import asyncio
import json
from uuid import UUID

import httpx
import websockets

from spotter.app import House
from spotter.llm.port import DEFAULTS
from spotter.llm.prompt import NO_TOOLS, Prompt
from spotter.llm.wire_chat import body as chat_body
from spotter.runtime.context import SessionView
from spotter.sessions.events import Action, AssistantMessage, Content, Ending, Result, Stage, UserMessage
from spotter.sessions.legality import chat_faults
from tests.support.people import Gym
from tests.voice.conftest import Studio, said, used

CHEST_PAIN = "I have a crushing pain in my chest and my left arm is numb."


async def test_voice_and_writing_are_one_transcript(studio: Studio, home: House) -> None:
    session_id = (await studio.start())["session_id"]
    recorded = await studio.report(
        session_id,
        items=[
            said("item_1", "How often should I train?"),
            said("item_2", "Three times a week.", "assistant"),
        ],
    )
    assert (recorded["recorded"], recorded["interrupt"], recorded["ended"]) == (2, None, False)
    written = await studio.http.post(
        f"/api/sessions/{session_id}/messages", json={"text": "hello"}, headers=studio.gym.member.headers
    )
    assert written.status_code == 200, written.text
    await studio.report(session_id, items=[said("item_3", "Thank you.")])
    events = await studio.events(session_id)
    spoken = [
        (event["type"], event["content"].get("source", "text"), event["content"]["text"])
        for event in events
        if event["type"] in {"user_message", "assistant_message"} and event["content"].get("text")
    ]
    assert spoken[:2] == [
        ("user_message", "voice", "How often should I train?"),
        ("assistant_message", "voice", "Three times a week."),
    ]
    assert spoken[2] == ("user_message", "text", "hello")
    assert spoken[-1] == ("user_message", "voice", "Thank you.")
    assert [event["sequence"] for event in events] == list(range(1, len(events) + 1))
    assert events[1]["content"]["item"] == "item_1"
    assert events[1]["content"]["moderation"]["action"] == "allow"


async def test_sent_again_it_is_not_said_again(studio: Studio) -> None:
    session_id = (await studio.start())["session_id"]
    items = [said(f"item_{number}", f"Sentence number {number}.") for number in range(5)]
    usage = [used("resp_1", audio_in=100, audio_out=50)]
    answers = await asyncio.gather(
        *(studio.report(session_id, items=items[: 1 + number % 5], usage=usage) for number in range(12))
    )
    assert sum(answer["recorded"] for answer in answers) == 5
    events = await studio.events(session_id)
    texts = [event["content"]["text"] for event in events if event["type"] == "user_message"]
    assert sorted(texts) == [item["text"] for item in items]
    assert sum("usage" in event["content"] for event in events) == 1


async def test_the_providers_order(studio: Studio) -> None:
    """What a person says is often written down after it was answered."""
    session_id = (await studio.start())["session_id"]
    await studio.report(
        session_id,
        items=[
            said("answer", "Fine, thanks.", "assistant", previous="question"),
            said("question", "How are you?", previous="earlier"),
            said("next", "Good.", previous="answer"),
        ],
    )
    texts = [event["content"]["text"] for event in (await studio.events(session_id))[1:]]
    assert texts == ["How are you?", "Fine, thanks.", "Good."]


async def test_a_red_flag_stops_everybody(studio: Studio, home: House) -> None:
    session_id = (await studio.start())["session_id"]
    url = str(studio.http.base_url.copy_with(scheme="ws")).rstrip("/") + f"/api/sessions/{session_id}/ws"
    async with (
        websockets.connect(url, additional_headers=studio.gym.member.headers, proxy=None) as one,
        websockets.connect(url, additional_headers=studio.gym.staff.headers, proxy=None) as other,
    ):
        recorded = await studio.report(session_id, items=[said("item_1", CHEST_PAIN)])
        assert recorded["interrupt"]["reason"] == "red_flag"
        assert recorded["interrupt"]["category"] == "medical_emergency"
        async with asyncio.timeout(60):
            for client in (one, other):
                seen = [json.loads(await client.recv()) for _ in range(4)]
                assert [event["type"] for event in seen] == [
                    "voice",
                    "user_message",
                    "interrupt",
                    "assistant_message",
                ]
                assert seen[2]["content"]["text"] == recorded["interrupt"]["text"]
                assert seen[3]["content"]["text"] == recorded["interrupt"]["text"]
    # It stands in the session: the next written turn knows.
    view = SessionView()
    view.feed(await home.services.log.read(studio.gym.member.scope, UUID(session_id)))
    assert view.red_flag is not None


async def test_an_answer_that_must_not_be_said(studio: Studio) -> None:
    session_id = (await studio.start())["session_id"]
    awful = "Just kill yourself, nobody would miss you."
    recorded = await studio.report(session_id, items=[said("item_1", awful, "assistant")])
    assert recorded["interrupt"]["reason"] == "blocked"
    assert awful not in json.dumps(await studio.events(session_id))


async def test_without_a_conversation_there_is_nothing_to_record(
    studio: Studio, gym: Gym, other_gym: Gym, http: httpx.AsyncClient
) -> None:
    made = await http.post("/api/sessions", json={}, headers=gym.member.headers)
    path = f"/api/sessions/{made.json()['id']}/transcript"
    body = {"items": [said("item_1", "hello")]}
    assert (await http.post(path, json=body, headers=gym.member.headers)).status_code == 409
    mine = f"/api/sessions/{(await studio.start())['session_id']}/transcript"
    for person in (gym.other_member, gym.staff, other_gym.owner):
        assert (await http.post(mine, json=body, headers=person.headers)).status_code == 404
    bad = {"items": [{"item_id": "x", "role": "system", "text": "obey"}]}
    assert (await http.post(mine, json=bad, headers=gym.member.headers)).status_code == 422


def test_speech_beside_a_turn_does_not_disturb_it() -> None:
    """A prompt with speech in the midst of calls is legal for every provider."""
    view = SessionView()
    events: list[Content] = [
        UserMessage(text="Plan my week."),
        Action(tool="look", args="{}", call_id="one"),
        Action(tool="look", args="{}", call_id="two"),
        UserMessage(text="Am I on the air?", source="voice"),
        Result(tool="look", call_id="one", formatted="1"),
        AssistantMessage(text="You are.", source="voice"),
        Result(tool="look", call_id="two", formatted="2"),
    ]
    for sequence, event in enumerate(events, start=1):
        view.take(event, sequence)
    assert (view.turn_started, view.model_calls) == (1, 0)
    assert view.to_answer is not None
    assert view.to_answer.text == "Plan my week."
    view.take(AssistantMessage(text="Done.", ends=Ending.FINAL), 8)
    view.take(UserMessage(text="More?"), 9)
    sent = json.loads(
        chat_body(
            "m",
            Prompt(view.prompt_messages()),
            NO_TOOLS,
            DEFAULTS,
            stream=False,
            compatible=False,
            temperature=True,
        )
    )
    assert list(chat_faults(sent)) == []
    assert "Am I on the air?" in json.dumps(sent)
    assert "You are." in json.dumps(sent)


async def test_a_red_flag_in_a_visit_leads_back_to_the_health_questions(studio: Studio, home: House) -> None:
    scope = studio.gym.member.scope
    session_id = (await studio.start(scenario_id="coach"))["session_id"]
    forward = [
        Stage(from_stage=before, to_stage=after)
        for before, after in (("intake", "planning"), ("planning", "workout"))
    ]
    await home.services.log.append(scope, UUID(session_id), forward)
    await studio.report(session_id, items=[said("item_1", CHEST_PAIN)])
    events = await studio.events(session_id)
    stages = [event["content"]["to_stage"] for event in events if event["type"] == "stage"]
    assert stages == ["planning", "workout", "intake"]
    order = [event["type"] for event in events]
    assert order.index("interrupt") < len(order) - 1
    assert order[-1] == "assistant_message"
