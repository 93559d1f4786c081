"""One call to a provider, whatever its dialect: open, read within the deadlines, fold, map every fault, close."""

import asyncio
import json
from abc import abstractmethod
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, Final, Protocol

import httpx2
from typing_extensions import override

from spotter.llm import tracing
from spotter.llm.faults import ModelError, ModelProtocolError, ModelTimeout, ModelUnavailable, Origin, failed
from spotter.llm.folding import Fold
from spotter.llm.limits import Limits
from spotter.llm.port import DEFAULTS, Capabilities, Chunk, ModelSettings, StreamingModel
from spotter.llm.port import Final as Answer
from spotter.llm.prompt import NO_TOOLS, Prompt, Tools
from spotter.llm.sse import EventParser, ServerEvent
from spotter.llm.tracing import CallSpan
from spotter.llm.transport import BROKEN, LATE

# A stranger's JSON: any of its parts may be missing or of another type.
MISSHAPEN = (AttributeError, IndexError, KeyError, TypeError, ValueError)

USAGE_GRACE = 2.0


DONE: Final = object()
"""A stream's own word for its end."""


class Opened(Protocol):
    """What both clients' `AsyncStream` are. Their response is read here: their decoding is a fifth of a call."""

    response: httpx2.Response

    async def close(self) -> None: ...


class ProviderModel(StreamingModel):
    """Subclasses say how a body is built, sent and read; everything that can go wrong is dealt with here."""

    vendor_errors: tuple[type[Exception], ...]
    request_id_header: str

    def __init__(
        self, name: str, *, origin: Origin, capabilities: Capabilities, limits: Limits, base_url: httpx2.URL
    ) -> None:
        self.name = name
        self.provider = origin.provider
        self.capabilities = capabilities
        self._origin = origin
        self._limits = limits
        self._address = (base_url.host, base_url.port)
        self._caught: tuple[type[Exception], ...] = (*self.vendor_errors, *BROKEN, *MISSHAPEN)

    @abstractmethod
    def _body(self, prompt: Prompt, tools: Tools, settings: ModelSettings, *, stream: bool) -> bytes: ...

    @abstractmethod
    async def _open(self, body: bytes) -> Opened: ...

    @abstractmethod
    def _decode(self, event: ServerEvent, response: httpx2.Response) -> Any:
        """The event as the fold takes it, or `DONE`, or None when it says nothing. An error that comes as an event is
        raised as the vendor's own."""

    @abstractmethod
    def _fold(self, prompt: Prompt, settings: ModelSettings) -> Fold: ...

    @abstractmethod
    def _translate(self, error: Exception, fold: Fold) -> ModelError:
        """A vendor's own error as ours."""

    @override
    async def stream(
        self, prompt: Prompt, tools: Tools = NO_TOOLS, settings: ModelSettings = DEFAULTS
    ) -> AsyncGenerator[Chunk, None]:
        body = self._body(prompt, tools, settings, stream=True)
        fold = self._fold(prompt, settings)
        deadline = self._deadline(settings)
        span = self._span(prompt, settings, streaming=True)
        opened: Opened | None = None
        try:
            try:
                async with asyncio.timeout_at(deadline):
                    opened = await self._open(body)
                async with aclosing(self._arriving(opened.response, fold, deadline)) as events:
                    async for event in events:
                        for delta in fold.feed(event):
                            span.delta()
                            yield delta
            except self._caught as error:
                # An answer that is complete is not thrown away because the line broke after its end.
                if fold.finish is None:
                    raise self._explain(error, fold) from error
            for delta in fold.rest():
                yield delta
            final = fold.final()
            span.answered(final)
            yield final
        except ModelError as error:
            span.failed(error)
            raise
        finally:
            span.dropped()
            if opened is not None:
                await opened.close()

    async def _arriving(
        self, response: httpx2.Response, fold: Fold, deadline: float
    ) -> AsyncGenerator[Any, None]:
        """The events, or nothing when the server answered whole although it was asked to stream."""
        fold.request_id = response.headers.get(self.request_id_header, "")
        kind = response.headers.get("content-type", "").partition(";")[0].strip()
        if kind == "application/json":
            async with asyncio.timeout_at(deadline):
                fold.whole(json.loads(await response.aread()))
            fold.unsaid = True
            return
        if kind == "text/html":
            raise failed(ModelProtocolError, "answered with a web page; check the base URL", self._origin)
        pieces, parser, done = response.aiter_bytes(), EventParser(), False
        while True:
            async with asyncio.timeout_at(deadline if fold.finish is None else _soon(deadline)):
                piece = await anext(pieces, None)
            if piece is None:
                return
            for event in parser.feed(piece) if not done else ():
                decoded = self._decode(event, response)
                if decoded is DONE:
                    done = True
                    break
                if decoded is not None:
                    yield decoded
            if done and fold.finish is None:
                return  # otherwise read to the end of the body, so that the connection can be used again

    async def _ask(self, body: bytes, prompt: Prompt, settings: ModelSettings) -> Answer:
        """One answer that is not streamed, for dialects where that is cheaper."""
        fold = self._fold(prompt, settings)
        span = self._span(prompt, settings, streaming=False)
        try:
            try:
                async with asyncio.timeout_at(self._deadline(settings)):
                    response = await self._post(body)
                fold.request_id = response.headers.get(self.request_id_header, "")
                fold.whole(json.loads(response.content))
            except self._caught as error:
                raise self._explain(error, fold) from error
            for _ in fold.rest():
                pass
            final = fold.final()
            span.answered(final)
            return final
        except ModelError as error:
            span.failed(error)
            raise
        finally:
            span.dropped()

    async def _post(self, body: bytes) -> httpx2.Response:
        raise NotImplementedError

    def _deadline(self, settings: ModelSettings) -> float:
        total = (
            self._limits.total if settings.deadline is None else min(settings.deadline, self._limits.total)
        )
        return asyncio.get_running_loop().time() + total

    def _span(self, prompt: Prompt, settings: ModelSettings, *, streaming: bool) -> CallSpan:
        span = tracing.start(
            provider=self.provider,
            model=self.name,
            settings=settings,
            streaming=streaming,
            address=self._address,
        )
        span.asked(prompt)
        return span

    def _explain(self, error: Exception, fold: Fold) -> ModelError:
        if isinstance(error, self.vendor_errors):
            return self._translate(error, fold)
        if isinstance(error, LATE):
            return failed(ModelTimeout, "did not answer in time", self._origin, fold.usage)
        if isinstance(error, MISSHAPEN) and not isinstance(error, httpx2.InvalidURL):
            return failed(
                ModelProtocolError, f"sent what is no answer: {what(error)}", self._origin, fold.usage
            )
        if isinstance(error, httpx2.RemoteProtocolError | httpx2.DecodingError):
            return failed(ModelProtocolError, f"broke off: {what(error)}", self._origin, fold.usage)
        return failed(ModelUnavailable, f"cannot be reached: {what(error)}", self._origin, fold.usage)


def _soon(deadline: float) -> float:
    """The answer is there; usage may follow, but nobody should wait long for it."""
    return min(deadline, asyncio.get_running_loop().time() + USAGE_GRACE)


def what(error: BaseException) -> str:
    """The error and what lies under it, in a line."""
    said = [f"{type(error).__name__}: {error}".rstrip(": ")]
    under: Any = error.__cause__ or error.__context__
    if under is not None and str(under):
        said.append(str(under))
    return " / ".join(said)
