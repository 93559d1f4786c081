"""S18: nobody forges a line of a log, whatever they send: a line is a line, and shows what it holds."""

import json
import re

import pytest

from spotter import logs
from spotter.llm.scripted import Say, ScriptedModel, call
from spotter.sessions.events import Ending, UserMessage
from tests.canaries.careless import careless
from tests.canaries.conftest import Place
from tests.llm.wire_scripts import refusal
from tests.runtime.test_turns import ending_of
from tests.support import agents
from tests.support.agents import new_session, running_turns
from tests.support.people import Gym

FORGED = '12:00:00 ERROR   forged  correlation_id=x {"level": "CRITICAL", "message": "forged"}'
EVIL = f"a\r\n{FORGED}\n{FORGED}\x0b\x0c\x1b[2K\x1b[31m\x85\u2028\u202eevil\u2066\u200b\u061c\U000e0041"
QUOTED = EVIL.encode().hex("%")
_STARTS = re.compile(r"\d\d:\d\d:\d\d (DEBUG|INFO|WARNING|ERROR|CRITICAL) ")


def check(place: Place) -> int:
    """How often the evil text was logged, harmlessly."""
    as_json, as_text = (place.net.written[name].getvalue() for name in ("json log", "text log"))
    lines = [json.loads(line) for line in as_json.splitlines()]
    assert as_json.isascii()
    assert "CRITICAL" not in {line["level"] for line in lines}
    records = 0
    for line in as_text.removesuffix("\n").split("\n"):
        assert line.isprintable(), ascii(line)
        assert line.startswith("    ") or _STARTS.match(line), ascii(line)
        assert not line.startswith(FORGED[:20])
        records += not line.startswith("    ")
    assert records == len(lines)
    return as_json.count("forged")


async def attack(place: Place, gym: Gym, monkeypatch: pytest.MonkeyPatch) -> None:
    headers = {**gym.member.headers, "X-Correlation-ID": FORGED, "User-Agent": FORGED}
    for path in (f"/api/members/%{QUOTED}", f"/%{QUOTED}", f"/api/me?x=%{QUOTED}", f"/sign-in/%{QUOTED}"):
        await place.ask("GET", path, headers=headers)
    await place.ask("POST", "/api/sessions", json={"title": EVIL, "agent": EVIL}, headers=headers)
    made = await place.ask("POST", "/api/sessions", json={"title": EVIL[:100]}, headers=headers)
    place.wire.plan = lambda asked: refusal("chat", 400, EVIL, EVIL)
    path = f"/api/sessions/{made.json()['id']}/messages"
    await place.ask("POST", path, json={"text": EVIL}, headers=headers)
    session_id = await new_session(place.home, gym.member.scope)
    model = ScriptedModel([Say(calls=(call("careless", {"how": "words", "contact": EVIL}),)), "Sorry."])
    async with running_turns(place.home, model, tools=(*agents.TOOLS, careless)) as turns:
        ticket = await turns.say(gym.member.scope, session_id, UserMessage(text=EVIL))
        assert await ending_of(ticket) is Ending.FINAL


async def test_no_line_is_forged(place: Place, gym: Gym, monkeypatch: pytest.MonkeyPatch) -> None:
    await attack(place, gym, monkeypatch)
    assert check(place) >= 1


async def test_without_escaping_it_would_show(
    place: Place, gym: Gym, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "_escape", lambda text: text)
    await attack(place, gym, monkeypatch)
    with pytest.raises(AssertionError):
        check(place)
