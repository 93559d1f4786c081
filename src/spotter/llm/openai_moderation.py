"""OpenAI's moderation endpoint: category scores for a text. Loaded lazily, like everything that knows a vendor."""

import asyncio
import json
from collections.abc import Mapping
from typing import Final

import httpx2
import openai
from openai import AsyncOpenAI

from spotter.llm.faults import (
    ModelProtocolError,
    ModelTimeout,
    ModelUnavailable,
    Origin,
    Refusal,
    failed,
    refused,
)
from spotter.llm.provider import what
from spotter.llm.transport import BROKEN, LATE

MODEL: Final = "omni-moderation-latest"
PATIENCE: Final = 3.0
"""A message waits for this; better to say that nobody answered."""


class OpenAIModeration:
    def __init__(self, client: AsyncOpenAI, *, secret: str = "", patience: float = PATIENCE) -> None:
        self._client = client.with_options(max_retries=0)
        self._origin = Origin("openai", MODEL, secret)
        self._patience = patience

    async def scores(self, text: str) -> Mapping[str, float]:
        try:
            async with asyncio.timeout(self._patience):
                response = await self._client.post(
                    "/moderations", cast_to=httpx2.Response, body={"model": MODEL, "input": text}
                )
            return _scores(json.loads(response.content))
        except (openai.APITimeoutError, *LATE) as error:
            raise failed(ModelTimeout, "did not answer in time", self._origin) from error
        except openai.APIStatusError as error:
            codes = frozenset({str(value).lower() for value in (error.code, error.type) if value})
            raise refused(Refusal(error.status_code, codes, error.message), self._origin) from error
        except (openai.APIError, *BROKEN) as error:
            raise failed(ModelUnavailable, f"cannot be reached: {what(error)}", self._origin) from error
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            raise failed(
                ModelProtocolError, f"sent what is no answer: {what(error)}", self._origin
            ) from error


def _scores(answer: object) -> Mapping[str, float]:
    """A stranger's JSON: anything but the documented shape is an error, never «nothing found»."""
    if not isinstance(answer, dict):
        raise TypeError("not an object")
    scores = answer["results"][0]["category_scores"]
    if not isinstance(scores, dict) or not scores:
        raise ValueError("no scores")
    return {str(name): float(score) for name, score in scores.items() if isinstance(score, int | float)}
