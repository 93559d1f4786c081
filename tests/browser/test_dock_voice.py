"""The Dock aloud (B12, B13): Chromium's microphone, WebRTC to a peer like the provider, and what is in the log."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest
from playwright.async_api import FrameLocator, Page, expect
from pydantic import HttpUrl

from spotter.app import Ground, House
from spotter.runtime.models import PREFIX, ModelAccount
from tests.browser.axe import findings_as_it_is
from tests.browser.conftest import PHONE, OpenPage
from tests.browser.hosts import HostSite, host_site
from tests.browser.voice_peer import Call, RealtimePeer, Say, loudest, realtime_peer
from tests.http.actions import another_server
from tests.support.people import Gym, open_gym

WEBM = bytes.fromhex("1a45dfa3")
LOUD = 1_000
"""Of 32,767. Silence after the codec is a handful."""


@dataclass(frozen=True, slots=True)
class Studio:
    http: httpx.AsyncClient
    gym: Gym
    peer: RealtimePeer

    async def events(self, kind: str) -> list[dict[str, Any]]:
        """Of the only conversation there is, as its owner's staff see it."""
        headers = self.gym.owner.headers
        sessions = (await self.http.get("/api/sessions", headers=headers)).json()["items"]
        assert len(sessions) == 1
        path = f"/api/sessions/{UUID(sessions[0]['id'])}/events"
        items = (await self.http.get(path, headers=headers)).json()["items"]
        return [one["content"] for one in items if one["type"] == kind]


@pytest.fixture
async def studio(base: Ground, home: House) -> AsyncIterator[Studio]:
    """A gym with an account at a provider that is here."""
    gym = await open_gym(home, "voice")
    async with realtime_peer() as peer:
        calls = HttpUrl(f"{peer.url}/realtime/calls")
        async with another_server(base, {"voice_url": calls}) as http:
            async with home.services.database.unit_of_work(gym.owner.scope) as uow:
                account = ModelAccount("sk-of-the-gym-0123456789", peer.url)
                await home.services.secrets.put(uow, PREFIX + "openai", account.dump())
            yield Studio(http, gym, peer)


async def _hold(page: Page, dock: FrameLocator, peer: RealtimePeer) -> None:
    """The button is held until some of it was heard."""
    before = len(peer.of_type("input_audio_buffer.commit"))
    peer.loud_frames = 0
    button = dock.get_by_role("group", name="Talk aloud").locator(".talk")
    await button.hover()
    await page.mouse.down()
    await expect(button).to_have_text("Listening…")
    await peer.until_heard()
    await page.mouse.up()
    await peer.until_told("input_audio_buffer.commit", before + 1)


async def _connected(page: Page, site: HostSite) -> FrameLocator:
    dock = await site.visit(page)
    await dock.get_by_role("button", name="Talk aloud").click()
    await expect(dock.get_by_role("button", name="Hold to talk")).to_be_visible()
    return dock


async def test_talking_and_what_it_leaves(open_page: OpenPage, studio: Studio, tmp_path: Path) -> None:
    peer = studio.peer
    peer.answers.extend([Call("get_workout_stats", {}), Say("You trained zero times this week.")])
    async with host_site(studio.http, studio.gym) as site, open_page() as page:
        dock = await _connected(page, site)
        assert (await peer.until_told("session.update"))["session"]["audio"]["input"][
            "turn_detection"
        ] is None
        assert peer.loud_frames == 0, "nobody is heard before the button is held"
        await _hold(page, dock, peer)
        output = (await peer.until_told("conversation.item.create"))["item"]
        assert output["type"] == "function_call_output"
        assert output["output"]
        log = dock.get_by_role("log")
        await expect(log).to_contain_text(peer.heard)
        await expect(log).to_contain_text("You trained zero times this week.")
        # The same log, for everybody who reads it.
        [said] = await studio.events("user_message")
        assert (said["text"], said["source"]) == (peer.heard, "voice")
        assert [one["tool"] for one in await studio.events("result")] == ["get_workout_stats"]
        assert (await studio.events("assistant_message"))[0]["source"] == "voice"
        file = await _recording(page, dock, tmp_path)
        assert file.read_bytes()[:4] == WEBM
        assert loudest(file) > LOUD, "the visitor is in it: the other side was silent"
        await dock.get_by_role("button", name="Hang up").click()
        await expect(dock.get_by_role("button", name="Talk aloud")).to_be_visible()
        await dock.get_by_role("tab", name="Log").click()
        await expect(dock.get_by_role("list", name="Events")).to_contain_text("ended")
        assert [one["state"] for one in await studio.events("voice")] == ["started", "ended"]


async def _recording(page: Page, dock: FrameLocator, folder: Path) -> Path:
    async with page.expect_download() as arriving:
        await dock.get_by_role("button", name="Download the recording").click()
    file = folder / "recording.webm"
    await (await arriving.value).save_as(file)
    return file


async def test_hands_free(open_page: OpenPage, studio: Studio) -> None:
    """Nothing is held: the model hears itself when somebody has finished, and answers. Then the microphone closes."""
    peer = studio.peer
    peer.answers.append(Say("Good that you ask."))
    async with host_site(studio.http, studio.gym) as site, open_page() as page:
        dock = await _connected(page, site)
        switch = dock.get_by_role("button", name="Hands-free")
        await expect(switch).to_have_attribute("aria-pressed", "false")
        await switch.click()
        wished = await peer.until_told("session.update", 2)
        assert wished["session"]["audio"]["input"]["turn_detection"] == {"type": "server_vad"}
        log = dock.get_by_role("log")
        await expect(log).to_contain_text(peer.heard)
        await expect(log).to_contain_text("Good that you ask.")
        assert peer.of_type("input_audio_buffer.commit") == [], "nobody had to say when it was over"
        assert peer.of_type("response.create") == []
        await expect(switch).to_have_attribute("aria-pressed", "true")
        await switch.click()
        closed = await peer.until_told("session.update", 3)
        assert closed["session"]["audio"]["input"]["turn_detection"] is None
        await expect(dock.get_by_role("button", name="Hold to talk")).to_be_enabled()


async def test_the_other_side_is_recorded_too(open_page: OpenPage, studio: Studio, tmp_path: Path) -> None:
    peer = studio.peer
    peer.hums = True
    async with host_site(studio.http, studio.gym) as site, open_page() as page:
        dock = await _connected(page, site)
        assert peer.loud_frames == 0, "the visitor's own microphone is closed"
        for _ in range(20):
            file = await _recording(page, dock, tmp_path)
            if loudest(file) > LOUD:
                return
        raise AssertionError("only silence came of it")


async def test_interrupting(open_page: OpenPage, studio: Studio) -> None:
    peer = studio.peer
    peer.answers.append(Say("A very long story", endless=True))
    async with host_site(studio.http, studio.gym) as site, open_page() as page:
        dock = await _connected(page, site)
        await _hold(page, dock, peer)
        button = dock.get_by_role("group", name="Talk aloud").locator(".talk")
        await expect(button).to_have_text("Speaking…")
        await dock.get_by_role("button", name="Interrupt").click()
        await peer.until_told("response.cancel")
        await peer.until_told("output_audio_buffer.clear")
        await expect(button).to_have_text("Hold to talk")


async def test_another_agent_takes_over(open_page: OpenPage, studio: Studio) -> None:
    peer = studio.peer
    peer.answers.extend(
        [Call("transfer_to_order_care", {"reason": "A parcel is late."}), Say("Orders here.")]
    )
    async with (
        host_site(studio.http, studio.gym, scenario="retail") as site,
        open_page() as page,
    ):
        dock = await _connected(page, site)
        await _hold(page, dock, peer)
        changed = await peer.until_told("session.update", 2)
        assert "order" in changed["session"]["instructions"].lower()
        assert changed["session"]["tools"]
        assert "audio" not in changed["session"], "a voice that was heard cannot be changed"
        await expect(dock.get_by_role("dialog")).to_contain_text("answers now")
        [handoff] = await studio.events("handoff")
        assert handoff["to_agent"] == "order_care"


async def test_the_pages_script_speaks(open_page: OpenPage, studio: Studio) -> None:
    """On a phone, with the chat closed."""
    peer = studio.peer
    peer.answers.extend([Say("Hello there.", endless=True), Say("Typed, then.")])
    async with host_site(studio.http, studio.gym) as site, open_page(PHONE, dark=True) as page:
        dock = await site.visit(page, open_chat=False)
        await page.evaluate("Spotter.startPTT()")
        await peer.until_heard()
        await page.evaluate("Spotter.stopPTT()")
        await peer.until_told("response.create")
        await expect(page.locator("#told")).to_contain_text('"speaking"')
        assert await page.evaluate("Spotter.interrupt()") is True
        await peer.until_told("response.cancel")
        recording = await page.evaluate("Spotter.downloadRecording()")
        assert recording["bytes"] > 0
        assert recording["name"].endswith(".webm")
        await page.evaluate("Spotter.sendUserText('and in writing')")
        typed = (await peer.until_told("conversation.item.create"))["item"]
        assert typed["content"] == [{"type": "input_text", "text": "and in writing"}]
        await page.evaluate("Spotter.open()")
        await expect(dock.get_by_role("log")).to_contain_text("Typed, then.")
        frame = next(one for one in page.frames if f"/embed/{site.widget}" in one.url)
        assert await findings_as_it_is(frame) == []


async def test_without_a_voice_service_nobody_offers_it(
    open_page: OpenPage, http: httpx.AsyncClient, home: House
) -> None:
    gym = await open_gym(home, "quiet")
    async with host_site(http, gym) as site, open_page() as page:
        dock = await site.visit(page)
        await expect(dock.get_by_role("textbox")).to_be_visible()
        await expect(dock.get_by_role("group", name="Talk aloud")).to_have_count(0)
        refused = await page.evaluate("Spotter.startPTT().then(() => '', (problem) => problem.message)")
        assert "no OpenAI key" in refused
