"""Models behind OpenAI's Chat Completions, at OpenAI or at any server that speaks it. Loaded lazily."""

import json
from typing import Any
from urllib.parse import quote

import httpx2
import openai
from openai import AsyncOpenAI, AsyncStream
from typing_extensions import override

from spotter.llm import wire_chat
from spotter.llm.faults import ModelError, Origin
from spotter.llm.folding import Fold
from spotter.llm.limits import Limits
from spotter.llm.openai_client import translate
from spotter.llm.port import DEFAULTS, Capabilities, Final, ModelSettings
from spotter.llm.prompt import NO_TOOLS, Prompt, Tools
from spotter.llm.provider import DONE, Opened, ProviderModel
from spotter.llm.sse import ServerEvent
from spotter.llm.transport import patient


class OpenAIChatModel(ProviderModel):
    vendor_errors = (openai.OpenAIError,)
    request_id_header = "x-request-id"
    endpoint = "/chat/completions"

    def __init__(
        self,
        name: str,
        client: AsyncOpenAI,
        *,
        provider: str = "openai",
        capabilities: Capabilities = Capabilities(),
        limits: Limits = Limits(),
        azure: bool = False,
    ) -> None:
        origin = Origin(provider=provider, model=name, secret=client.api_key)
        super().__init__(
            name, origin=origin, capabilities=capabilities, limits=limits, base_url=client.base_url
        )
        self._client = client
        self._compatible = provider not in {"openai", "azure"}
        # Azure names the model in the path; its client would look for it in a body we do not hand over as a dict.
        self._path = f"/deployments/{quote(name, safe='')}{self.endpoint}" if azure else self.endpoint

    @override
    def _body(self, prompt: Prompt, tools: Tools, settings: ModelSettings, *, stream: bool) -> bytes:
        return wire_chat.body(
            self.name,
            prompt,
            tools,
            settings,
            stream=stream,
            compatible=self._compatible,
            temperature=self.capabilities.temperature,
        )

    @override
    async def _open(self, body: bytes) -> Opened:
        return await self._client.post(
            self._path, cast_to=object, content=body, stream=True, stream_cls=AsyncStream[object]
        )

    @override
    def _decode(self, event: ServerEvent, response: httpx2.Response) -> Any:
        if event.data.startswith(b"[DONE]"):
            return DONE
        data = json.loads(event.data.decode())
        if isinstance(data, dict) and (error := data.get("error")):
            said = error.get("message") if isinstance(error, dict) else None
            raise openai.APIError(str(said or "an error without a word"), response.request, body=error)
        return data

    @override
    async def _post(self, body: bytes) -> httpx2.Response:
        return await self._client.post(
            self._path, cast_to=httpx2.Response, content=body, options={"timeout": patient(self._limits)}
        )

    @override
    async def complete(
        self, prompt: Prompt, tools: Tools = NO_TOOLS, settings: ModelSettings = DEFAULTS
    ) -> Final:
        return await self._ask(self._body(prompt, tools, settings, stream=False), prompt, settings)

    @override
    def _fold(self, prompt: Prompt, settings: ModelSettings) -> Fold:
        return wire_chat.ChatFold(prompt, self._origin)

    @override
    def _translate(self, error: Exception, fold: Fold) -> ModelError:
        return translate(error, fold)
