"""S13, S16: the provider's key is in nothing that voice leaves behind, and the browser's key only where it belongs."""

import asyncio
import json

import pytest
import websockets

from spotter.clock import now
from spotter.llm import faults
from spotter.runtime.guard import Guard
from spotter.sessions.events import UserMessage
from spotter.store.scope import Scope
from spotter.voice import transcripts
from tests.canaries.conftest import Place
from tests.llm.wire_server import NO_OBJECTION, Answer, Asked
from tests.support.canaries import secret
from tests.support.people import Gym
from tests.voice.conftest import said, used

MINTED = secret("ek_")


async def _believed(guard: Guard, scope: Scope, message: UserMessage) -> UserMessage:
    """Keeps what was said as it was said."""
    return message.model_copy(update={"moderation": {"allowed": True, "action": "allow"}})


def _minting(asked: Asked) -> Answer:
    if asked.path.endswith("/moderations"):
        return NO_OBJECTION
    made = {"value": MINTED, "expires_at": int(now().timestamp()) + 60, "session": {"type": "realtime"}}
    return Answer([json.dumps(made).encode()], content_type="application/json")


def _refusing(status: int, body: str) -> Answer:
    return Answer([body.encode()], status=status, content_type="application/json")


async def _conversation(place: Place, gym: Gym) -> None:
    """With a key said aloud, and a provider that quotes it when it refuses."""
    key, member = place.net.canaries["OpenAI's key"], gym.member.headers
    place.wire.plan = _minting
    answers = [await place.ask("GET", path, headers=member) for path in ("/api/session", "/api/session2")]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert all(asked.headers["authorization"] == f"Bearer {key}" for asked in place.wire.asked)
    for answer in answers:
        # This is where the browser's key belongs; nowhere else.
        assert answer.text.count(MINTED) == 1
        place.net.collect("what the browser gets", f"{answer.headers} {answer.text.replace(MINTED, '')}")
    place.net.plant(minted=MINTED)

    session_id = answers[1].json()["session_id"]
    path = f"/api/sessions/{session_id}"
    url = str(place.http.base_url.copy_with(scheme="ws")).rstrip("/") + f"{path}/ws"
    async with websockets.connect(url, additional_headers=member, proxy=None) as socket:
        body = {
            "items": [said("item_1", f"My key is {key}, is it not?"), said("item_2", "Hello.", "assistant")],
            "usage": [used("resp_1", audio_in=100, audio_out=100)],
            "ended": True,
        }
        recorded = await place.ask("POST", f"{path}/transcript", json=body, headers=member)
        assert recorded.status_code == 200, recorded.text
        place.net.collect("transcript", recorded.text)
        async with asyncio.timeout(60):
            while (message := await socket.recv()) and json.loads(message)["sequence"] < recorded.json()[
                "last_sequence"
            ]:
                place.net.collect("pushed", str(message))
    for name, address in (("events", f"{path}/events"), ("export", f"{path}/export")):
        place.net.collect(name, (await place.http.get(address, headers=member)).text)
    for status in (401, 403, 429, 500):
        place.wire.plan = lambda asked, status=status: _refusing(
            status, json.dumps({"error": {"message": f"{key} {asked.headers} {MINTED}", "code": "nope"}})
        )
        refused = await place.ask("GET", "/api/session2", headers=member)
        assert refused.is_error
    token = {"Authorization": f"Bearer {place.net.canaries['the metrics token']}"}
    for address, headers in (("/api/audit?limit=200", gym.owner.headers), ("/metrics", token)):
        place.net.collect(address, (await place.http.get(address, headers=headers)).text)


async def test_a_conversation_leaves_no_key_behind(place: Place, gym: Gym) -> None:
    await _conversation(place, gym)
    assert place.caught() == []
    assert "voice.started" in "".join(place.net.artefacts["/api/audit?limit=200"])


@pytest.mark.parametrize(
    ("guard", "where"),
    [("what is heard", "events"), ("what is heard", "export"), ("what is quoted", "problems")],
)
async def test_without_its_guard_the_key_is_caught(
    place: Place, gym: Gym, monkeypatch: pytest.MonkeyPatch, guard: str, where: str
) -> None:
    if guard == "what is heard":
        monkeypatch.setattr(transcripts, "heard", _believed)
    else:
        monkeypatch.setattr(faults, "quote", lambda message, origin: str(message))
    await _conversation(place, gym)
    assert ("OpenAI's key", where) in {(canary, artefact) for canary, artefact, _ in place.caught()}
