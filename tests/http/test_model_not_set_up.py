"""An agent whose model nobody has set up is answered for by the built-in one, and people are told so: once in a
conversation, since it lasts, and for as long as it is so."""

from typing import Any

import httpx
import pytest

from spotter.app import Ground, House
from spotter.runtime.models import PREFIX, ModelAccount
from spotter.runtime.notices import BUILT_IN_INSTEAD
from tests.http.actions import another_server
from tests.http.agui_client import follow, only, run, run_input, user
from tests.http.test_own_agents import save
from tests.llm.wire_scripts import Spoken, chat_events
from tests.llm.wire_server import NO_OBJECTION, Answer, Asked, WireServer
from tests.support.people import Gym


def told(events: list[dict[str, Any]]) -> list[str]:
    return [event["value"]["text"] for event in only(events, "CUSTOM") if event["name"] == "spotter.notice"]


def state(events: list[dict[str, Any]]) -> Any:
    [snapshot] = only(events, "STATE_SNAPSHOT")
    return snapshot["snapshot"]["notice"]


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


async def test_it_is_told_once_and_stands_until_it_is_set_up(base: Ground, home: House, gym: Gym) -> None:
    def says(asked: Asked) -> Answer:
        moderates = asked.path.endswith("/moderations")
        return NO_OBJECTION if moderates else Answer(chat_events(Spoken("Here is the real one.")))

    async with another_server(base, {}) as http:
        agent = await save(http, gym.admin, name="clever", model="openai:gpt-4o")
        path, headers = f"agents/{agent['name']}", gym.member.headers
        first = await run(http, path, run_input("one", [user("hello")]), headers)
        assert told(first) == [BUILT_IN_INSTEAD]
        again = await run(http, path, run_input("one", [user("hello again")]), headers)
        assert told(again) == []
        assert state(again) == BUILT_IN_INSTEAD
        assert state(await follow(http, "one", headers)) == BUILT_IN_INSTEAD
        async with WireServer(says) as wire:
            async with home.services.database.unit_of_work(gym.owner.scope) as uow:
                account = ModelAccount("sk-of-the-gym", f"{wire.url}/v1")
                await home.services.secrets.put(uow, PREFIX + "openai", account.dump())
            async with another_server(base, {}) as with_key:
                last = await run(with_key, path, run_input("one", [user("and now?")]), headers)
                assert told(last) == []
                assert state(await follow(with_key, "one", headers)) is None


async def test_who_asked_for_the_built_in_one_is_told_nothing(http: httpx.AsyncClient, gym: Gym) -> None:
    events = await run(http, "agents/assistant", run_input("plain", [user("hello")]), gym.member.headers)
    assert told(events) == []
    assert state(events) is None
