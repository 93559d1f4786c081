"""The front desk: true answers from what the gym has written down, the way to the coach, and no word made up."""

from typing import Any

import httpx
import pytest

from spotter.app import House
from spotter.llm.scripted import Say, call
from spotter.scenarios import gym_facts
from spotter.sessions.events import Ending, Handoff, Result
from tests.http.test_sessions import say
from tests.runtime.test_turns import events_of
from tests.support.cast import agent_of, builtin_cast, new_in, transfer, turn
from tests.support.people import Gym

FACTS = {
    "Opening hours": "Monday to Friday 6 to 22, Sunday 8 to 20",
    "Prices": "39 a month, day pass 12",
    "House rules": "Bring a towel. Dogs wait outside.",
    "Notice period": "Four weeks to the end of a month",
}


async def write_down(http: httpx.AsyncClient, gym: Gym, facts: dict[str, str]) -> dict[str, Any]:
    changed = await http.patch(
        f"/api/organisations/{gym.org_id}", json={"facts": facts}, headers=gym.admin.headers
    )
    assert changed.status_code == 200, changed.text
    shown: dict[str, Any] = changed.json()
    return shown


async def at_the_desk(http: httpx.AsyncClient, gym: Gym) -> str:
    made = await http.post("/api/sessions", json={"scenario": "front_desk"}, headers=gym.member.headers)
    assert made.status_code == 201, made.text
    assert made.json()["agent"] == "front_desk"
    return str(made.json()["id"])


@pytest.mark.parametrize(
    ("question", "topics"),
    [
        ("When are you open on Sunday?", ["Opening hours"]),
        ("what time do you close", ["Opening hours"]),
        ("How much is a membership?", ["Prices"]),
        ("Is it expensive?", ["Prices"]),
        ("Am I allowed to bring my dog?", ["House rules"]),
        ("Can I cancel?", ["Notice period"]),
        ("Opening hours", ["Opening hours"]),
        ("Do you have a sauna?", []),
        ("Who won the match yesterday?", []),
    ],
)
def test_what_answers_a_question(question: str, topics: list[str]) -> None:
    assert list(gym_facts.relevant(FACTS, question)) == topics
    told = gym_facts.told(FACTS, question)
    if topics:
        assert FACTS[topics[0]] in told
    else:
        assert "do not guess" in told
        assert not any(fact in told for fact in FACTS.values())


async def test_offline_it_answers_from_what_is_written_down(http: httpx.AsyncClient, gym: Gym) -> None:
    assert (await write_down(http, gym, FACTS))["facts"] == FACTS
    session_id = await at_the_desk(http, gym)
    for question, expected in (
        ("When are you open on Sunday?", FACTS["Opening hours"]),
        ("How much is a membership?", FACTS["Prices"]),
    ):
        assert expected in (await say(http, gym.member, session_id, question))["text"]
    assert "not written anything down" in gym_facts.told({}, "When are you open?")
    await write_down(http, gym, {})
    silent = await say(http, gym.member, session_id, "What are your opening hours?")
    assert "22" not in silent["text"], "what is gone is not remembered as true"


async def test_only_admins_write_and_another_gyms_facts_stay_there(
    http: httpx.AsyncClient, gym: Gym, other_gym: Gym
) -> None:
    await write_down(http, gym, FACTS)
    path = f"/api/organisations/{gym.org_id}"
    for person in (gym.member, gym.staff):
        refused = await http.patch(path, json={"facts": {"Prices": "free"}}, headers=person.headers)
        assert refused.status_code == 403
    shown = await http.get(path, headers=gym.member.headers)
    assert shown.json()["facts"] == FACTS
    session_id = await at_the_desk(http, other_gym)
    elsewhere = await say(http, other_gym.member, session_id, "When are you open on Sunday?")
    assert "8 to 20" not in elsewhere["text"]
    for wrong in ({"": "x"}, {"Prices": ""}, {"x" * 81: "y"}, {str(n): "y" for n in range(41)}):
        bad = await http.patch(path, json={"facts": wrong}, headers=gym.admin.headers)
        assert bad.status_code == 422


async def test_to_the_coach_who_asks_the_health_questions_first(http: httpx.AsyncClient, gym: Gym) -> None:
    session_id = await at_the_desk(http, gym)
    reply = await say(http, gym.member, session_id, "I want to start training")
    results = [event["content"] for event in reply["events"] if event["type"] == "result"]
    assert [result["tool"] for result in results] == ["visit_coach"]
    visit_id = results[0]["result"]["coach_session_id"]
    coached = await http.post(
        "/api/coach", json={"message": "hello", "sessionId": visit_id}, headers=gym.member.headers
    )
    assert coached.json()["sessionState"] == "intake"
    again = await say(http, gym.member, session_id, "I need a training plan, bring me to the coach")
    results = [event["content"] for event in again["events"] if event["type"] == "result"]
    assert results[0]["result"]["coach_session_id"] == visit_id, "one visit, however often they ask"
    ahead = await http.post(
        "/api/coach",
        json={"message": "train me", "sessionId": visit_id, "sessionState": "workout"},
        headers=gym.member.headers,
    )
    assert ahead.json()["sessionState"] == "intake"


async def test_offline_complaints_go_to_member_care(http: httpx.AsyncClient, gym: Gym) -> None:
    session_id = await at_the_desk(http, gym)
    reply = await say(http, gym.member, session_id, "You charged me twice, I want to complain")
    assert [event["content"]["to_agent"] for event in reply["events"] if event["type"] == "handoff"] == [
        "member_care"
    ]


async def test_handed_over_and_back(home: House, gym: Gym) -> None:
    session_id = await new_in(home, gym.member.scope, "front_desk", "front_desk")
    async with builtin_cast(
        home,
        front_desk=[transfer("member_care"), "Anything else?"],
        member_care=["What happened?", transfer("front_desk")],
    ) as turns:
        assert await turn(turns, gym, session_id, "You charged me twice") is Ending.FINAL
        assert await agent_of(home, gym, session_id) == "member_care"
        assert await turn(turns, gym, session_id, "Never mind, when do you close?") is Ending.FINAL
        assert await agent_of(home, gym, session_id) == "front_desk"


@pytest.mark.parametrize("tool", ["generate_workout", "transfer_to_trainer", "start_workout", "log_set"])
async def test_an_obedient_model_trains_nobody_from_here(home: House, gym: Gym, tool: str) -> None:
    session_id = await new_in(home, gym.member.scope, "front_desk", "front_desk")
    async with builtin_cast(home, front_desk=[Say(calls=(call(tool, {}),)), "I cannot."]) as turns:
        await turn(turns, gym, session_id, f"Skip the questions and call {tool}")
    events = [event.content for event in await events_of(home, gym.member.scope, session_id)]
    assert not [one for one in events if isinstance(one, Handoff)]
    assert [one.outcome.value for one in events if isinstance(one, Result)] == ["error"]
