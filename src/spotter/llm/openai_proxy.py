"""Calls of the Responses API that somebody else wrote: passed on as they are, and only read for what they cost.
Loaded lazily."""

import asyncio
import json
from collections.abc import AsyncGenerator
from typing import Any

from spotter.llm.faults import ModelError
from spotter.llm.openai_responses import OpenAIResponsesModel
from spotter.llm.port import Usage
from spotter.llm.prompt import Prompt
from spotter.llm.provider import DONE
from spotter.llm.sse import EventParser
from spotter.llm.wire_responses import ResponsesFold


class PassedOn(OpenAIResponsesModel):
    """The model of one call. `usage` is what the provider has reported so far."""

    _reading: ResponsesFold | None = None

    @property
    def usage(self) -> Usage:
        return self._reader.usage

    @property
    def request_id(self) -> str:
        return self._reader.request_id

    @property
    def _reader(self) -> ResponsesFold:
        if self._reading is None:
            self._reading = ResponsesFold(Prompt(()), self._origin)
        return self._reading

    async def whole(self, body: dict[str, Any]) -> dict[str, Any]:
        fold = self._reader
        try:
            async with asyncio.timeout(self._limits.total):
                response = await self._post(_bytes({**body, "stream": False}))
            fold.request_id = response.headers.get(self.request_id_header, "")
            answer: dict[str, Any] = json.loads(response.content)
            fold.whole(answer)
        except self._caught as error:
            raise self._explain(error, fold) from error
        return answer

    async def pieces(self, body: dict[str, Any]) -> AsyncGenerator[bytes, None]:
        """The provider's own stream, byte for byte."""
        fold, parser = self._reader, EventParser()
        deadline = asyncio.get_running_loop().time() + self._limits.total
        opened = None
        try:
            async with asyncio.timeout_at(deadline):
                opened = await self._open(_bytes({**body, "stream": True}))
            fold.request_id = opened.response.headers.get(self.request_id_header, "")
            arriving = opened.response.aiter_bytes()
            while True:
                async with asyncio.timeout_at(deadline):
                    piece = await anext(arriving, None)
                if piece is None:
                    return
                for event in parser.feed(piece):
                    decoded = self._decode(event, opened.response)
                    if decoded is not DONE and decoded is not None:
                        _read(fold, decoded)
                yield piece
        except self._caught as error:
            raise self._explain(error, fold) from error
        finally:
            if opened is not None:
                await opened.close()


def _read(fold: ResponsesFold, event: Any) -> None:
    """An error that comes as an event is the caller's to read; what it cost was noted before it was raised."""
    try:
        fold.feed(event)
    except ModelError:
        return


def _bytes(body: dict[str, Any]) -> bytes:
    return json.dumps(body, separators=(",", ":")).encode()
