"""A gym with an OpenAI account of its own, whose server is here and keeps what it was asked."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from spotter.app import House
from spotter.clock import now
from spotter.runtime.models import PREFIX, ModelAccount
from tests.llm.wire_server import NO_OBJECTION, Answer, Asked, WireServer
from tests.support.people import Gym, Person

KEY = "sk-canary-of-the-provider-0123456789abcdef"
SECRET = "ek_minted_for_a_browser_0123456789"


def minting(asked: Asked) -> Answer:
    if asked.path.endswith("/moderations"):
        return NO_OBJECTION
    assert asked.path == "/v1/realtime/client_secrets", asked.path
    made = {
        "value": SECRET,
        "expires_at": int(now().timestamp()) + json.loads(asked.body)["expires_after"]["seconds"],
        "session": {"type": "realtime", "object": "realtime.session"},
    }
    return Answer([json.dumps(made).encode()], content_type="application/json")


@dataclass(frozen=True, slots=True)
class Studio:
    http: httpx.AsyncClient
    gym: Gym
    wire: WireServer

    async def start(self, person: Person | None = None, **query: str) -> dict[str, Any]:
        answer = await self.http.get(
            "/api/session2", params=query, headers=(person or self.gym.member).headers
        )
        assert answer.status_code == 200, answer.text
        payload: dict[str, Any] = answer.json()
        return payload

    async def report(self, session_id: str, person: Person | None = None, **body: Any) -> dict[str, Any]:
        answer = await self.http.post(
            f"/api/sessions/{session_id}/transcript", json=body, headers=(person or self.gym.member).headers
        )
        assert answer.status_code == 200, answer.text
        recorded: dict[str, Any] = answer.json()
        return recorded

    async def events(self, session_id: str, person: Person | None = None) -> list[dict[str, Any]]:
        answer = await self.http.get(
            f"/api/sessions/{session_id}/events", headers=(person or self.gym.member).headers
        )
        assert answer.status_code == 200, answer.text
        items: list[dict[str, Any]] = answer.json()["items"]
        return items

    @property
    def minted(self) -> list[Asked]:
        return [asked for asked in self.wire.asked if asked.path.endswith("client_secrets")]


@pytest.fixture
async def studio(home: House, http: httpx.AsyncClient, gym: Gym) -> AsyncIterator[Studio]:
    async with WireServer(minting) as wire:
        async with home.services.database.unit_of_work(gym.owner.scope) as uow:
            account = ModelAccount(KEY, f"{wire.url}/v1")
            await home.services.secrets.put(uow, PREFIX + "openai", account.dump())
        yield Studio(http, gym, wire)


def said(item_id: str, text: str, role: str = "user", previous: str | None = None) -> dict[str, Any]:
    item = {"item_id": item_id, "role": role, "text": text}
    return item if previous is None else {**item, "previous_item_id": previous}


def used(
    response_id: str, *, audio_in: int = 0, text_in: int = 0, audio_out: int = 0, **more: int
) -> dict[str, Any]:
    """As `response.done` has it. `cached_audio` and `cached_text` are parts of what was read."""
    cached_audio, cached_text = more.get("cached_audio", 0), more.get("cached_text", 0)
    text_out = more.get("text_out", 0)
    return {
        "response_id": response_id,
        "usage": {
            "total_tokens": audio_in + text_in + audio_out + text_out,
            "input_tokens": audio_in + text_in,
            "output_tokens": audio_out + text_out,
            "input_token_details": {
                "text_tokens": text_in,
                "audio_tokens": audio_in,
                "image_tokens": 0,
                "cached_tokens": cached_audio + cached_text,
                "cached_tokens_details": {"text_tokens": cached_text, "audio_tokens": cached_audio},
            },
            "output_token_details": {"text_tokens": text_out, "audio_tokens": audio_out},
        },
    }
