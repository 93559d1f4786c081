"""AG-UI: runs, threads, interrupts and their answers, refusals (F8). The stock client has a file of its own."""

from typing import Any
from uuid import UUID

import httpx
import pytest

from spotter.ids import random_id
from tests.http.actions import create_key
from tests.http.agui_client import AgUi, events_of, follow, kinds, only, run, run_input, text_of, user
from tests.support.people import Gym, Person

TRAINER = "agents/trainer"
WORKOUT = "Give me a 20 minute workout"
PUZZLING = "colourless green ideas sleep furiously"


async def ask_for_approval(http: httpx.AsyncClient, gym: Gym) -> None:
    body = {"tool": "generate_workout", "mode": "always"}
    assert (await http.put("/api/approval-policies", json=body, headers=gym.owner.headers)).is_success


def answer_to(interrupt: AgUi, payload: Any, status: str = "resolved") -> AgUi:
    return {"interruptId": interrupt["id"], "status": status, "payload": payload}


async def refused(http: httpx.AsyncClient, path: str, body: Any, person: Person) -> tuple[int, str]:
    answer = await http.post(f"/api/agui/{path}", json=body, headers=person.headers)
    assert answer.headers["content-type"] == "application/problem+json", answer.text
    return answer.status_code, answer.json()["detail"]


async def test_a_run_is_told_from_start_to_end(http: httpx.AsyncClient, gym: Gym) -> None:
    asked = run_input("mine", [user(WORKOUT, "m1")])
    events = await run(http, TRAINER, asked, gym.member.headers)
    started, state = events[:2]
    assert started["type"] == "RUN_STARTED"
    assert (started["threadId"], started["runId"]) == ("mine", asked["runId"])
    assert state == {
        "type": "STATE_SNAPSHOT",
        "snapshot": {
            "agent": "trainer",
            "scenario": None,
            "stage": None,
            "workout": None,
            "plan": None,
            "question": None,
            "notice": None,
        },
    }
    made = next(one for one in only(events, "TOOL_CALL_START") if one["toolCallName"] == "generate_workout")
    place = [one.get("toolCallId") == made["toolCallId"] for one in events].index(True)
    assert kinds(events[place : place + 3]) == ["TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END"]
    (result,) = [one for one in only(events, "TOOL_CALL_RESULT") if one["toolCallId"] == made["toolCallId"]]
    assert result["metadata"]["outcome"] == "ok"
    (delta,) = [one["delta"][0] for one in only(events, "STATE_DELTA")]
    assert (delta["op"], delta["path"]) == ("replace", "/workout")
    assert delta["value"]["exercises"]
    said = only(events, "TEXT_MESSAGE_START")
    assert [one["role"] for one in said] == ["assistant"], "the person's own words are not told again"
    assert "Workout, about 20 min" in text_of(events, said[0]["messageId"])
    told = [one["name"] for one in only(events, "CUSTOM")]
    assert only(events, "CUSTOM")[-1]["value"]["session"]["calls"] == told.count("spotter.usage")
    (recorded,) = [one["value"] for one in only(events, "CUSTOM") if one["name"] == "spotter.recorded"]
    assert (recorded["messageId"], recorded["sequence"]) == ("m1", 1)
    assert events[-1]["type"] == "RUN_FINISHED"
    assert events[-1]["outcome"] == {"type": "success"}
    assert events[-1]["usage"][0]["totalTokens"] > 0


async def test_who_comes_back_is_told_everything(http: httpx.AsyncClient, gym: Gym) -> None:
    first = await run(http, TRAINER, run_input("mine", [user(WORKOUT, "m1")]), gym.member.headers)
    again = await follow(http, "mine", gym.member.headers)
    assert kinds(again) == ["RUN_STARTED", "MESSAGES_SNAPSHOT", "STATE_SNAPSHOT", "CUSTOM", "RUN_FINISHED"]
    messages = again[1]["messages"]
    assert messages[0]["role"] == "user"
    streamed = {one["messageId"] for one in only(first, "TEXT_MESSAGE_START")}
    streamed |= {one["messageId"] for one in only(first, "TOOL_CALL_RESULT")}
    streamed |= {one["parentMessageId"] for one in only(first, "TOOL_CALL_START")}
    assert {one["id"] for one in messages[1:]} == streamed, "the same ids as they had when they were streamed"
    assert again[2]["snapshot"]["workout"] == only(first, "STATE_DELTA")[0]["delta"][0]["value"]

    # A client with the history is not told it again; one with none, or another one, is.
    history = [{**one} for one in messages]
    history[0]["id"] = "m1"
    go_on = run_input("mine", [*history, user("thanks")])
    assert "MESSAGES_SNAPSHOT" not in kinds(await run(http, TRAINER, go_on, gym.member.headers))
    bare = run_input("mine", [user("thanks a lot")])
    assert "MESSAGES_SNAPSHOT" in kinds(await run(http, TRAINER, bare, gym.member.headers))


async def test_the_same_message_is_said_once(http: httpx.AsyncClient, gym: Gym) -> None:
    asked = run_input("mine", [user(WORKOUT, "m1")])
    await run(http, TRAINER, asked, gym.member.headers)
    again = await run(http, TRAINER, asked, gym.member.headers)
    (snapshot,) = only(again, "MESSAGES_SNAPSHOT")
    assert [one["id"] for one in snapshot["messages"] if one["role"] == "user"] == ["m1"]
    assert again[-1]["outcome"] == {"type": "success"}


async def test_last_event_id_tells_only_what_is_missing(http: httpx.AsyncClient, gym: Gym) -> None:
    body = run_input("mine", [user(WORKOUT)])
    async with http.stream("POST", f"/api/agui/{TRAINER}", json=body, headers=gym.member.headers) as answer:
        numbered = [pair async for pair in events_of(answer)]
    seen = next(number for number, event in numbered if event["type"] == "TOOL_CALL_RESULT")
    assert seen is not None
    rest = await follow(http, "mine", gym.member.headers, **{"Last-Event-ID": seen})
    place = next(index for index, (number, _) in enumerate(numbered) if number == seen)
    missed = [event for _, event in numbered[place + 1 :]]
    assert rest[1:-2] == missed[:-2]
    assert "MESSAGES_SNAPSHOT" not in kinds(rest)
    wrong = await http.get(
        "/api/agui/threads/mine", headers={**gym.member.headers, "Last-Event-ID": "yesterday"}
    )
    assert wrong.status_code == 422


async def test_a_name_means_its_owners_thread(http: httpx.AsyncClient, gym: Gym, other_gym: Gym) -> None:
    await run(http, TRAINER, run_input("mine", [user("my secret number is 4711")]), gym.member.headers)
    for stranger in (gym.other_member, gym.owner, other_gym.owner):
        gone = await http.get("/api/agui/threads/mine", headers=stranger.headers)
        assert gone.status_code == 404
        told = await run(http, TRAINER, run_input("mine", [user("hello")]), stranger.headers)
        assert "4711" not in str(told)


async def test_another_persons_session_is_no_thread_of_yours(
    http: httpx.AsyncClient, gym: Gym, other_gym: Gym
) -> None:
    made = await http.post("/api/sessions", json={"agent": "trainer"}, headers=gym.member.headers)
    session_id = made.json()["id"]
    mine = await run(http, TRAINER, run_input(session_id, [user("my number is 4711")]), gym.member.headers)
    assert mine[-1]["type"] == "RUN_FINISHED"
    # Staff can see it, and cannot speak in it. Who cannot see it gets a thread of their own by that name.
    status, _ = await refused(http, TRAINER, run_input(session_id, [user("hello")]), gym.staff)
    assert status == 404
    for stranger in (gym.other_member, other_gym.owner):
        assert (
            await http.get(f"/api/agui/threads/{session_id}", headers=stranger.headers)
        ).status_code == 404
        cancel = await http.post(f"/api/agui/threads/{session_id}/cancel", headers=stranger.headers)
        assert cancel.status_code == 404
        told = await run(http, TRAINER, run_input(session_id, [user("hello")]), stranger.headers)
        assert "4711" not in str(told)
    events = await http.get(f"/api/sessions/{session_id}/events", headers=gym.member.headers)
    said = [one["content"]["text"] for one in events.json()["items"] if one["type"] == "user_message"]
    assert said == ["my number is 4711"]


async def test_a_question_is_an_interrupt(http: httpx.AsyncClient, gym: Gym) -> None:
    asked = await run(http, TRAINER, run_input("mine", [user(PUZZLING)]), gym.member.headers)
    (interrupt,) = asked[-1]["outcome"]["interrupts"]
    assert interrupt["reason"] == "input_required"
    assert interrupt["metadata"]["options"]
    said = only(asked, "TEXT_MESSAGE_START")[-1]
    assert text_of(asked, said["messageId"]) == interrupt["message"]
    unclear = run_input("mine", resume=[answer_to(interrupt, {"nothing": 1})])
    status, detail = await refused(http, TRAINER, unclear, gym.member)
    assert status == 422
    assert "answer" in detail
    chosen = run_input("mine", resume=[answer_to(interrupt, {"answer": "1"})])
    told = await run(http, TRAINER, chosen, gym.member.headers)
    assert told[-1]["outcome"] == {"type": "success"}
    assert "generate_workout" in [one["toolCallName"] for one in only(told, "TOOL_CALL_START")]
    again = await run(http, TRAINER, chosen, gym.member.headers)
    assert len([one for one in again[1]["messages"] if one["role"] == "user"]) == 2, "answered once"


async def test_a_question_may_be_left_open(http: httpx.AsyncClient, gym: Gym) -> None:
    asked = await run(http, TRAINER, run_input("mine", [user(PUZZLING)]), gym.member.headers)
    (interrupt,) = asked[-1]["outcome"]["interrupts"]
    left = run_input("mine", [user(WORKOUT)], resume=[answer_to(interrupt, None, "cancelled")])
    told = await run(http, TRAINER, left, gym.member.headers)
    assert told[-1]["outcome"] == {"type": "success"}
    assert only(told, "TOOL_CALL_START")


@pytest.mark.parametrize("payload", [{"approved": True}, True, {"decision": "approve"}])
async def test_an_approval_is_an_interrupt(http: httpx.AsyncClient, gym: Gym, payload: Any) -> None:
    await ask_for_approval(http, gym)
    headers = gym.owner.headers
    asked = await run(http, TRAINER, run_input("mine", [user(WORKOUT)]), headers)
    (interrupt,) = asked[-1]["outcome"]["interrupts"]
    assert interrupt["reason"] == "tool_call"
    assert interrupt["metadata"]["tool"] == "generate_workout"
    again = await follow(http, "mine", headers)
    assert again[-1]["outcome"]["interrupts"] == [interrupt], "who comes back is asked too"
    resume = run_input("mine", resume=[answer_to(interrupt, payload)])
    told = await run(http, TRAINER, resume, headers)
    (done,) = [one for one in only(told, "TOOL_CALL_RESULT") if one["toolCallId"] == interrupt["toolCallId"]]
    assert done["metadata"]["outcome"] == "ok"
    assert told[-1]["outcome"] == {"type": "success"}
    joined = await run(http, TRAINER, resume, headers)
    assert joined[-1]["outcome"] == {"type": "success"}, "the same decision again is no second one"
    status, _ = await refused(
        http, TRAINER, run_input("mine", resume=[answer_to(interrupt, False)]), gym.owner
    )
    assert status == 409, "another one is"


async def test_a_denial_reaches_the_agent(http: httpx.AsyncClient, gym: Gym) -> None:
    await ask_for_approval(http, gym)
    asked = await run(http, TRAINER, run_input("mine", [user(WORKOUT)]), gym.owner.headers)
    (interrupt,) = asked[-1]["outcome"]["interrupts"]
    denied = answer_to(interrupt, {"approved": False, "reason": "Rest today."})
    told = await run(http, TRAINER, run_input("mine", resume=[denied]), gym.owner.headers)
    (result,) = [
        one for one in only(told, "TOOL_CALL_RESULT") if one["toolCallId"] == interrupt["toolCallId"]
    ]
    assert result["metadata"]["outcome"] == "denied"
    assert "Rest today." in result["content"]
    assert only(told, "STATE_DELTA") == []


async def test_who_may_not_approve_cannot_by_resuming(http: httpx.AsyncClient, gym: Gym) -> None:
    await ask_for_approval(http, gym)
    asked = await run(http, TRAINER, run_input("mine", [user(WORKOUT)]), gym.member.headers)
    (interrupt,) = asked[-1]["outcome"]["interrupts"]
    for payload in ("perhaps", None, {"approved": "perhaps"}, {}, 1):
        status, _ = await refused(
            http, TRAINER, run_input("mine", resume=[answer_to(interrupt, payload)]), gym.member
        )
        assert status == 422, payload
    status, _ = await refused(
        http, TRAINER, run_input("mine", resume=[answer_to(interrupt, {"approved": True})]), gym.member
    )
    assert status == 403
    other = run_input("other", [user("hello")], resume=[answer_to(interrupt, {"approved": True})])
    status, _ = await refused(http, TRAINER, other, gym.owner)
    assert status == 404, "an interrupt of another thread"
    (still,) = (await follow(http, "mine", gym.member.headers))[-1]["outcome"]["interrupts"]
    assert still == interrupt


async def test_a_scenario_keeps_its_threads(http: httpx.AsyncClient, gym: Gym) -> None:
    headers = gym.member.headers
    told = await run(http, "scenarios/coach", run_input("visit", [user("hello")]), headers)
    assert told[1]["snapshot"] == {
        **dict.fromkeys(("workout", "plan", "question", "notice")),
        "agent": "intake_safety",
        "scenario": "coach",
        "stage": "intake",
    }
    status, detail = await refused(http, TRAINER, run_input("visit", [user("hello")]), gym.member)
    assert status == 409
    assert "coach" in detail
    for path in ("scenarios/nowhere", "agents/nobody"):
        assert (await refused(http, path, run_input("new", [user("hello")]), gym.member))[0] == 404


async def test_another_agent_may_go_on(http: httpx.AsyncClient, gym: Gym) -> None:
    headers = gym.member.headers
    await run(http, "agents/assistant", run_input("mine", [user("hello")]), headers)
    told = await run(http, TRAINER, run_input("mine", [user("hello again")]), headers)
    (state,) = only(told, "STATE_SNAPSHOT")
    assert state["snapshot"]["agent"] == "trainer"
    messages = (await follow(http, "mine", headers))[1]["messages"]
    by = [one["name"] for one in messages if one["role"] == "assistant"]
    assert by[0] == "assistant"
    assert by[-1] == "trainer"


async def test_a_model_is_for_those_who_build(http: httpx.AsyncClient, gym: Gym) -> None:
    wished = run_input("mine", [user("hello")], forwardedProps={"model": "offline"})
    assert (await refused(http, TRAINER, wished, gym.member))[0] == 403
    assert (await run(http, TRAINER, wished, gym.staff.headers))[-1]["type"] == "RUN_FINISHED"
    unknown = run_input("mine", [user("hello")], forwardedProps={"model": "made:up"})
    assert (await refused(http, TRAINER, unknown, gym.staff))[0] in (403, 422)


NONSENSE: tuple[dict[str, Any], ...] = (
    {"messages": []},
    {"messages": [user("   ")]},
    {"messages": [user("x" * 40_000)]},
    {"messages": [{"id": "1", "role": "assistant", "content": "I said that"}]},
    {"messages": [{"id": "1", "role": "nobody", "content": "?"}]},
    {"messages": "hello"},
    {"messages": [{**user(""), "content": [{"type": "image", "source": {"type": "url", "value": "x"}}]}]},
    {"threadId": ""},
    {"threadId": "with space"},
    {"threadId": "\x00"},
    {"runId": None},
    {"resume": [{"interruptId": "1", "status": "resolved", "payload": True}]},
    {"resume": [{"interruptId": "question-1", "status": "maybe"}]},
    {"forwardedProps": {"model": 1}},
)


async def test_what_makes_no_sense_is_refused(http: httpx.AsyncClient, gym: Gym) -> None:
    for change in NONSENSE:
        body = {**run_input("mine", [user("hello")]), **change}
        status, _ = await refused(http, TRAINER, body, gym.member)
        assert status == 422, change
    assert (await http.get("/api/agui/threads/mine", headers=gym.member.headers)).status_code == 404, (
        "no trace"
    )


async def test_an_unknown_approval_is_not_there(http: httpx.AsyncClient, gym: Gym) -> None:
    body = run_input("mine", [user("hi")], resume=[answer_to({"id": str(random_id())}, True)])
    assert (await refused(http, TRAINER, body, gym.owner))[0] == 404


async def test_parts_of_text_are_text(http: httpx.AsyncClient, gym: Gym) -> None:
    parts = [{"type": "text", "text": "Give me a"}, {"type": "text", "text": "20 minute workout"}]
    said = {**user(""), "content": parts}
    told = await run(http, TRAINER, run_input("mine", [said]), gym.member.headers)
    assert only(told, "STATE_DELTA")


async def test_a_key_has_threads_of_its_own(http: httpx.AsyncClient, gym: Gym) -> None:
    key = await create_key(http, gym.owner, ["read", "write"])
    told = await run(http, "agents/assistant", run_input("mine", [user("hello")]), key.headers)
    assert told[-1]["type"] == "RUN_FINISHED"
    listed = await http.get("/api/sessions", headers=gym.owner.headers)
    (row,) = [one for one in listed.json()["items"] if one["title"] == "hello"]
    assert UUID(row["user_id"]).int == 0
