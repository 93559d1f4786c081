"""From names to models."""

import subprocess
import sys
from collections.abc import AsyncIterator

import pytest
from pydantic import SecretStr

from spotter.errors import InvalidInput, NotConfigured
from spotter.llm.fallback import FallbackModel
from spotter.llm.prompt import UserMessage, prompt_of
from spotter.llm.resolver import Credentials, Endpoint, Resolver
from spotter.llm.scripted import ScriptedModel
from spotter.llm.windows import capabilities_of, context_window
from tests.llm.wire_scripts import Spoken, answer
from tests.llm.wire_server import WireServer

OFFLINE = ScriptedModel([], name="offline", provider="offline")
KEYS = Credentials.from_environment(
    {"OPENAI_API_KEY": "sk-o", "ANTHROPIC_API_KEY": "sk-a", "GROQ_API_KEY": "gq"}
)


@pytest.fixture
async def resolver() -> AsyncIterator[Resolver]:
    resolver = Resolver(offline=lambda: OFFLINE)
    yield resolver
    await resolver.aclose()


@pytest.mark.parametrize(
    ("name", "kind", "provider", "model"),
    [
        ("openai:gpt-4o", "OpenAIChatModel", "openai", "gpt-4o"),
        ("gpt-4o", "OpenAIChatModel", "openai", "gpt-4o"),
        ("o3-mini", "OpenAIChatModel", "openai", "o3-mini"),
        ("ft:gpt-4o:acme::1", "OpenAIChatModel", "openai", "ft:gpt-4o:acme::1"),
        ("openai-responses:gpt-5", "OpenAIResponsesModel", "openai", "gpt-5"),
        ("claude-opus-5", "AnthropicModel", "anthropic", "claude-opus-5"),
        ("anthropic:claude-haiku-4-5", "AnthropicModel", "anthropic", "claude-haiku-4-5"),
        ("ollama:llama3:8b", "OpenAIChatModel", "ollama", "llama3:8b"),
        ("groq:llama-70b", "OpenAIChatModel", "groq", "llama-70b"),
        ("offline", "ScriptedModel", "offline", "offline"),
    ],
)
def test_names(resolver: Resolver, name: str, kind: str, provider: str, model: str) -> None:
    found = resolver.resolve(name, KEYS)
    assert (type(found).__name__, found.provider, found.name) == (kind, provider, model)


def test_what_is_missing_is_said(resolver: Resolver) -> None:
    nothing = Credentials()
    with pytest.raises(NotConfigured, match="OPENAI_API_KEY"):
        resolver.resolve("gpt-4o", nothing)
    with pytest.raises(NotConfigured, match="OPENAI_API_KEY"):
        resolver.resolve("openai-responses:gpt-5", nothing)
    with pytest.raises(NotConfigured, match="ANTHROPIC_API_KEY"):
        resolver.resolve("claude-opus-5", nothing)
    with pytest.raises(NotConfigured, match="MISTRAL_API_KEY"):
        resolver.resolve("mistral:large", nothing)
    with pytest.raises(InvalidInput, match="provider:model"):
        resolver.resolve("my-model", KEYS)
    with pytest.raises(InvalidInput, match="'acme'"):
        resolver.resolve("acme:m", KEYS)


def test_a_chain(resolver: Resolver) -> None:
    found = resolver.chain(["gpt-4o", "claude-opus-5", "offline"], KEYS)
    assert isinstance(found, FallbackModel)
    assert [model.provider for model in found.models] == ["openai", "anthropic", "offline"]
    assert resolver.chain(["offline"], KEYS) is OFFLINE


def test_secrets_do_not_show() -> None:
    assert "sk-o" not in repr(KEYS)


async def test_each_owner_has_their_own_key_and_address(resolver: Resolver, wire: WireServer) -> None:
    wire.plan = lambda asked: answer("chat", Spoken("ok"), asked.body)
    for key in ("key-a", "key-b"):
        endpoint = Endpoint(f"{wire.url}/v1", SecretStr(key), headers={"x-team": key})
        model = resolver.resolve("house:m", Credentials({"house": endpoint}))
        assert (await model.complete(prompt_of(UserMessage("hi")))).text == "ok"
    assert [asked.headers["authorization"] for asked in wire.asked] == ["Bearer key-a", "Bearer key-b"]
    assert [asked.headers["x-team"] for asked in wire.asked] == ["key-a", "key-b"]
    assert not any(name.startswith("openai-") for name in wire.asked[0].headers)


async def test_the_operators_organisation_header_stays_with_the_operators_key(
    resolver: Resolver, wire: WireServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-operator")
    wire.plan = lambda asked: answer("chat", Spoken("ok"), asked.body)
    theirs = Credentials({"openai": Endpoint(f"{wire.url}/v1", SecretStr("key-b"))})
    await resolver.resolve("gpt-4o", theirs).complete(prompt_of(UserMessage("hi")))
    assert "openai-organization" not in wire.asked[0].headers


async def test_azure_names_the_deployment_in_the_path(resolver: Resolver, wire: WireServer) -> None:
    wire.plan = lambda asked: answer("chat", Spoken("ok"), asked.body)
    endpoint = Endpoint(f"{wire.url}/openai", SecretStr("az"), azure_api_version="2026-01-01")
    model = resolver.resolve("azure:my-gpt", Credentials({"azure": endpoint}))
    assert (await model.complete(prompt_of(UserMessage("hi")))).text == "ok"
    (asked,) = wire.asked
    assert asked.path == "/openai/deployments/my-gpt/chat/completions?api-version=2026-01-01"
    assert asked.headers["api-key"] == "az"
    assert "authorization" not in asked.headers


@pytest.mark.parametrize(
    ("name", "window"),
    [
        ("gpt-4o", 128_000), ("gpt-4", 8_192), ("gpt-4.1-mini", 1_000_000), ("gpt-5-nano", 400_000), ("o3", 200_000),
        ("gpt-5.4-mini", 400_000), ("gpt-5.5", 1_000_000), ("claude-sonnet-4-5", 200_000), ("claude-opus-5", 1_000_000),
        ("openrouter:anthropic/claude-opus-4-6", 1_000_000), ("llama3", 128_000), ("ft:gpt-4o:acme", 128_000),
    ],
)  # fmt: skip
def test_windows(name: str, window: int) -> None:
    assert context_window(name) == window


def test_settings_a_model_refuses_are_known() -> None:
    assert capabilities_of("gpt-4o").temperature
    assert not capabilities_of("o3").temperature
    assert not capabilities_of("gpt-5-mini").temperature
    assert capabilities_of("claude-sonnet-4-5").thinking


def test_nothing_of_a_vendor_is_loaded_before_it_is_needed() -> None:
    code = (
        "import sys; import spotter.llm.resolver, spotter.llm.scripted, spotter.llm.structured; "
        "print(sorted({'openai', 'anthropic', 'httpx2'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
