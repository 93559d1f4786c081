"""Models behind Anthropic's Messages API. Loaded lazily: importing the official client costs more than a second."""

import json
from collections.abc import Mapping
from typing import Any

import anthropic
import httpx2
from anthropic import AsyncAnthropic, AsyncStream
from typing_extensions import override

from spotter.llm import wire_anthropic
from spotter.llm.faults import (
    ModelError,
    ModelProtocolError,
    ModelTimeout,
    ModelUnavailable,
    Origin,
    Refusal,
    failed,
    refused,
)
from spotter.llm.fold_anthropic import AnthropicFold
from spotter.llm.folding import Fold
from spotter.llm.limits import Limits
from spotter.llm.port import Capabilities, ModelSettings
from spotter.llm.prompt import Prompt, Tools
from spotter.llm.provider import Opened, ProviderModel, what
from spotter.llm.sse import ServerEvent
from spotter.llm.transport import LATE, retry_after, timeout


def make_client(
    *,
    api_key: str,
    base_url: str | None,
    http: httpx2.AsyncClient,
    limits: Limits,
    headers: Mapping[str, str] | None = None,
) -> AsyncAnthropic:
    return AsyncAnthropic(
        api_key=api_key,
        base_url=base_url or "https://api.anthropic.com",
        http_client=http,
        timeout=timeout(limits),
        max_retries=limits.retries,
        default_headers=headers,
        open_telemetry=False,  # ours are enough, and know about fallbacks
    )


class AnthropicModel(ProviderModel):
    """Always streamed, also for `complete()`: long answers are refused otherwise."""

    vendor_errors = (anthropic.AnthropicError,)
    request_id_header = "request-id"

    def __init__(
        self,
        name: str,
        client: AsyncAnthropic,
        *,
        provider: str = "anthropic",
        capabilities: Capabilities = Capabilities(),
        limits: Limits = Limits(),
    ) -> None:
        origin = Origin(provider=provider, model=name, secret=client.api_key or "")
        super().__init__(
            name, origin=origin, capabilities=capabilities, limits=limits, base_url=client.base_url
        )
        self._client = client

    @override
    def _body(self, prompt: Prompt, tools: Tools, settings: ModelSettings, *, stream: bool) -> bytes:
        return wire_anthropic.body(
            self.name, prompt, tools, settings, temperature=self.capabilities.temperature
        )

    @override
    async def _open(self, body: bytes) -> Opened:
        return await self._client.post(
            "/v1/messages", cast_to=object, content=body, stream=True, stream_cls=AsyncStream[object]
        )

    @override
    def _decode(self, event: ServerEvent, response: httpx2.Response) -> Any:
        if event.name in {"", "ping"}:
            return None
        if event.name == "error":
            said = event.data.decode(errors="replace")
            raise anthropic.APIStatusError(said, response=response, body=_json_or_none(said))
        return json.loads(event.data.decode())

    @override
    def _fold(self, prompt: Prompt, settings: ModelSettings) -> Fold:
        return AnthropicFold(prompt, self._origin, settings.json_schema)

    @override
    def _translate(self, error: Exception, fold: Fold) -> ModelError:
        origin, usage = fold.origin, fold.usage
        match error:
            case anthropic.APITimeoutError():
                return failed(ModelTimeout, "did not answer in time", origin, usage)
            case anthropic.APIConnectionError() if isinstance(error.__cause__, httpx2.RemoteProtocolError):
                return failed(ModelProtocolError, f"broke off: {error.__cause__}", origin, usage)
            case anthropic.APIConnectionError():
                kind = ModelTimeout if isinstance(error.__cause__, LATE) else ModelUnavailable
                return failed(kind, f"cannot be reached: {what(error)}", origin, usage)
            case anthropic.APIStatusError():
                return refused(_refusal(error), origin, usage)
            case _:
                return failed(ModelUnavailable, f"cannot be asked: {what(error)}", origin, usage)


def _json_or_none(text: str) -> object | None:
    try:
        return json.loads(text)  # type: ignore[no-any-return]
    except ValueError:
        return None


def _refusal(error: anthropic.APIStatusError) -> Refusal:
    # In the middle of a stream an error comes under the stream's own status, which was fine.
    status = error.status_code if error.status_code >= 300 else 0
    body: Any = error.body if isinstance(error.body, dict) else {}
    inner: Any = body.get("error") if isinstance(body.get("error"), dict) else {}
    message = str(inner.get("message") or error.message)
    if "credit balance is too low" in message:
        return Refusal(status=402, codes=frozenset(), message=message)
    return Refusal(
        status=status,
        codes=frozenset({str(inner.get("type", "")).lower()} - {""}),
        message=message,
        retry_after=retry_after(error.response),
        request_id=error.response.headers.get("request-id", ""),
    )
