"""Models of every dialect against a server the test controls."""

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from spotter.llm.anthropic_messages import AnthropicModel
from spotter.llm.anthropic_messages import make_client as make_anthropic
from spotter.llm.limits import Limits
from spotter.llm.openai_chat import OpenAIChatModel
from spotter.llm.openai_client import make_client as make_openai
from spotter.llm.openai_responses import OpenAIResponsesModel
from spotter.llm.provider import ProviderModel
from spotter.llm.transport import http_client
from tests.llm.wire_server import WireServer

DIALECTS = ("chat", "responses", "anthropic")
KEY = "sk-canary-0123456789abcdef"
QUICK = Limits(connect=20, idle=1, total=20, retries=0)
"""For what never comes. Everything else has the time that a busy machine may need."""
PATIENT = Limits(connect=20, idle=20, total=60, retries=0)

# Reading the certificate store takes longer than most of these tests.
_TLS = ssl.create_default_context()


@asynccontextmanager
async def model_at(
    dialect: str, url: str, limits: Limits = PATIENT, name: str = "wire-model"
) -> AsyncIterator[ProviderModel]:
    """A model of this dialect at a server's root address."""
    http = http_client(limits, verify=_TLS)
    try:
        if dialect == "anthropic":
            anthropic = make_anthropic(api_key=KEY, base_url=url, http=http, limits=limits)
            yield AnthropicModel(name, anthropic, limits=limits)
        else:
            openai = make_openai(api_key=KEY, base_url=f"{url}/v1", http=http, limits=limits)
            kind = OpenAIChatModel if dialect == "chat" else OpenAIResponsesModel
            yield kind(name, openai, limits=limits)
    finally:
        await http.aclose()


@pytest.fixture
async def wire() -> AsyncIterator[WireServer]:
    async with WireServer() as server:
        yield server
