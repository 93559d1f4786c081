"""OpenAI's moderation endpoint: category scores for a text. Loaded lazily, like everything that knows a vendor."""

import asyncio
import json
import logging
import time
from collections.abc import Mapping, MutableMapping
from typing import Final

import httpx2
import openai
from openai import AsyncOpenAI

from spotter.llm.faults import (
    ModelProtocolError,
    ModelTimeout,
    ModelUnavailable,
    ModerationMissing,
    Origin,
    Refusal,
    failed,
    refused,
)
from spotter.llm.provider import what
from spotter.llm.transport import BROKEN, LATE

log = logging.getLogger(__name__)

MODEL: Final = "omni-moderation-latest"
PATIENCE: Final = 3.0
"""A message waits for this; better to say that nobody answered."""


REMEMBERED: Final = 600.0
"""Seconds for which a gateway without moderation is not asked again."""
_HAS_NONE: Final = frozenset({404, 405, 501})
_KEPT: Final = 1_000


class OpenAIModeration:
    """`missing` is for somebody else's address: gateways without moderation, and until when that is believed. Of
    OpenAI's own address «not found» stays an error."""

    def __init__(
        self,
        client: AsyncOpenAI,
        *,
        secret: str = "",
        patience: float = PATIENCE,
        missing: MutableMapping[str, float] | None = None,
    ) -> None:
        self._client = client.with_options(max_retries=0)
        self._origin = Origin("openai", MODEL, secret)
        self._patience = patience
        self._missing = missing
        self._address = str(client.base_url)

    async def scores(self, text: str) -> Mapping[str, float]:
        if self._missing is not None and self._missing.get(self._address, 0.0) > time.monotonic():
            raise failed(ModerationMissing, "is not offered at this address", self._origin)
        try:
            async with asyncio.timeout(self._patience):
                response = await self._client.post(
                    "/moderations", cast_to=httpx2.Response, body={"model": MODEL, "input": text}
                )
            return _scores(json.loads(response.content))
        except (openai.APITimeoutError, *LATE) as error:
            raise failed(ModelTimeout, "did not answer in time", self._origin) from error
        except openai.APIStatusError as error:
            if self._missing is not None and error.status_code in _HAS_NONE:
                self._remember(self._missing)
                raise failed(ModerationMissing, "is not offered at this address", self._origin) from error
            codes = frozenset({str(value).lower() for value in (error.code, error.type) if value})
            raise refused(Refusal(error.status_code, codes, error.message), self._origin) from error
        except (openai.APIError, *BROKEN) as error:
            raise failed(ModelUnavailable, f"cannot be reached: {what(error)}", self._origin) from error
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            raise failed(
                ModelProtocolError, f"sent what is no answer: {what(error)}", self._origin
            ) from error

    def _remember(self, missing: MutableMapping[str, float]) -> None:
        log.warning(
            "the gateway for models offers no moderation: no second opinions for %d minutes", REMEMBERED / 60,
            extra={"address": self._address},
        )  # fmt: skip
        if len(missing) >= _KEPT:
            missing.clear()
        missing[self._address] = time.monotonic() + REMEMBERED


def _scores(answer: object) -> Mapping[str, float]:
    """A stranger's JSON: anything but the documented shape is an error, never «nothing found»."""
    if not isinstance(answer, dict):
        raise TypeError("not an object")
    scores = answer["results"][0]["category_scores"]
    if not isinstance(scores, dict) or not scores:
        raise ValueError("no scores")
    return {str(name): float(score) for name, score in scores.items() if isinstance(score, int | float)}
