"""Pages on other origins, with the Dock on them: the example's own server, and a bare page of somebody else."""

import asyncio
import importlib.util
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http.server import ThreadingHTTPServer
from pathlib import Path
from types import ModuleType

import httpx
from playwright.async_api import FrameLocator, Page, expect

from tests.http.actions import create_key
from tests.support.people import Gym
from tests.support.widgets import make_widget

SERVER = Path(__file__).parents[2] / "examples" / "dock-host" / "server.py"


@dataclass(frozen=True, slots=True)
class HostSite:
    url: str
    widget: str

    async def visit(self, page: Page, *, open_chat: bool = True) -> FrameLocator:
        """The chat on its page, opened."""
        await page.goto(self.url)
        dock = page.frame_locator("iframe[title=Chat]")
        avatar = dock.get_by_role("navigation", name="Chat with").get_by_role("button").first
        await expect(avatar).to_be_visible()
        if open_chat:
            await avatar.click()
            await expect(dock.get_by_role("dialog")).to_be_visible()
        return dock


def example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("dock_host_example", SERVER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@asynccontextmanager
async def host_site(
    http: httpx.AsyncClient, gym: Gym, *, scenario: str | None = "trainer", agents: list[str] | None = None
) -> AsyncIterator[HostSite]:
    """The widget's only origin is this page's."""
    key = await create_key(http, gym.owner, ["read", "write"], role="staff")
    server: ThreadingHTTPServer = example().serve(str(http.base_url), "", key.plain)
    url = f"http://127.0.0.1:{server.server_port}"
    widget = await make_widget(http, gym, origins=[url], scenario=scenario, agents=agents)
    server.RequestHandlerClass.widget = widget  # type: ignore[attr-defined]
    async with _serving(server):
        yield HostSite(url, widget)


@dataclass(frozen=True, slots=True)
class HostPage:
    """The example's page, before its owner has a widget and a key."""

    url: str
    _server: ThreadingHTTPServer

    def use(self, widget: str, key: str) -> None:
        self._server.RequestHandlerClass.widget = widget  # type: ignore[attr-defined]
        self._server.RequestHandlerClass.key = key  # type: ignore[attr-defined]


@asynccontextmanager
async def host_page(http: httpx.AsyncClient) -> AsyncIterator[HostPage]:
    server: ThreadingHTTPServer = example().serve(str(http.base_url), "", "")
    async with _serving(server):
        yield HostPage(f"http://127.0.0.1:{server.server_port}", server)


@asynccontextmanager
async def stranger(http: httpx.AsyncClient, widget: str) -> AsyncIterator[str]:
    """The same page on an origin that the widget does not know."""
    server: ThreadingHTTPServer = example().serve(str(http.base_url), widget, "spk_none")
    async with _serving(server):
        yield f"http://127.0.0.1:{server.server_port}"


@asynccontextmanager
async def _serving(server: ThreadingHTTPServer) -> AsyncIterator[None]:
    running = threading.Thread(target=server.serve_forever, daemon=True)
    running.start()
    try:
        yield
    finally:
        await asyncio.to_thread(server.shutdown)
        server.server_close()
