"""The official OpenAI client: how one is made, and its errors as ours. Loaded lazily: it costs half a second."""

from collections.abc import Mapping

import httpx2
import openai
from openai import AsyncAzureOpenAI

from spotter.llm.faults import (
    ModelError,
    ModelProtocolError,
    ModelTimeout,
    ModelUnavailable,
    Refusal,
    failed,
    refused,
)
from spotter.llm.folding import Fold
from spotter.llm.limits import Limits
from spotter.llm.provider import what
from spotter.llm.repeated import RepeatedRequests
from spotter.llm.transport import LATE, retry_after, timeout


class AsyncOpenAI(RepeatedRequests, openai.AsyncOpenAI):
    """The official one. It tells providers its name, so this has the same."""


def make_client(
    *,
    api_key: str,
    base_url: str | None,
    http: httpx2.AsyncClient,
    limits: Limits,
    headers: Mapping[str, str] | None = None,
    azure_api_version: str | None = None,
) -> openai.AsyncOpenAI:
    client: openai.AsyncOpenAI
    if azure_api_version is not None and base_url is not None:
        client = AsyncAzureOpenAI(
            api_key=api_key,
            api_version=azure_api_version,
            base_url=base_url,
            http_client=http,
            timeout=timeout(limits),
            max_retries=limits.retries,
            default_headers=headers,
        )
    else:
        client = AsyncOpenAI(
            api_key=api_key,
            base_url=base_url or "https://api.openai.com/v1",
            http_client=http,
            timeout=timeout(limits),
            max_retries=limits.retries,
            default_headers=headers,
        )
    # The client fills these from the environment; they belong to the operator's key, not to any other.
    client.organization = client.project = None
    return client


def translate(error: Exception, fold: Fold) -> ModelError:
    origin, usage = fold.origin, fold.usage
    match error:
        case openai.APITimeoutError():
            return failed(ModelTimeout, "did not answer in time", origin, usage)
        case openai.APIConnectionError() if isinstance(error.__cause__, httpx2.RemoteProtocolError):
            return failed(ModelProtocolError, f"broke off: {error.__cause__}", origin, usage)
        case openai.APIConnectionError():
            kind = ModelTimeout if isinstance(error.__cause__, LATE) else ModelUnavailable
            return failed(kind, f"cannot be reached: {what(error)}", origin, usage)
        case openai.APIStatusError():
            return refused(_refusal(error, error.status_code, error.response), origin, usage)
        case openai.APIError():
            return refused(_refusal(error, 0, None), origin, usage)
        case _:
            return failed(ModelUnavailable, f"cannot be asked: {what(error)}", origin, usage)


def _refusal(error: openai.APIError, status: int, response: httpx2.Response | None) -> Refusal:
    codes = {str(value).lower() for value in (error.code, error.type) if value}
    return Refusal(
        status=status,
        codes=frozenset(codes),
        message=error.message,
        retry_after=retry_after(response) if response is not None else None,
        request_id=response.headers.get("x-request-id", "") if response is not None else "",
    )
