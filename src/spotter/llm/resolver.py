"""From a name to a model: `openai:gpt-4o`, `anthropic:claude-opus-5`, `gpt-4o`, `ollama:llama3`, `offline`.

Whose key is used is decided by the `Credentials` handed in, so the same name may mean another account for another
organisation. Vendor clients are imported by the first name that needs one, and share one connection pool.
"""

import re
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Final, Literal

from pydantic import SecretStr

from spotter.errors import InvalidInput, NotConfigured
from spotter.llm.client_secret import ClientSecret
from spotter.llm.fallback import FallbackModel
from spotter.llm.limits import Limits
from spotter.llm.port import Model
from spotter.llm.windows import capabilities_of

Dialect = Literal["openai", "openai-responses", "anthropic"]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server that speaks one of the dialects. OpenAI's base URLs end in `/v1`, Anthropic's do not."""

    base_url: str | None = None
    api_key: SecretStr | None = None
    dialect: Dialect = "openai"
    needs_key: bool = True
    azure_api_version: str | None = None
    """For Azure: the base URL is `https://NAME.openai.azure.com/openai`, models are named by their deployments."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


# Servers by the names people use; all speak Chat Completions.
KNOWN_ENDPOINTS: Final[Mapping[str, tuple[str, str]]] = {
    "ollama": ("http://127.0.0.1:11434/v1", ""),
    "openrouter": ("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    "groq": ("https://api.groq.com/openai/v1", "GROQ_API_KEY"),
    "gemini": ("https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY"),
    "mistral": ("https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
    "deepseek": ("https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
}
_BARE: Final = (
    (re.compile(r"(gpt-|o\d|chatgpt-|ft:gpt-)"), "openai"),
    (re.compile(r"claude-"), "anthropic"),
)


@dataclass(frozen=True, slots=True)
class Credentials:
    """Keys and addresses of one owner (the operator, or an organisation), by endpoint name."""

    endpoints: Mapping[str, Endpoint] = field(default_factory=dict)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> "Credentials":
        """The operator's, from the variables everybody already sets (`OPENAI_API_KEY`, `OPENAI_BASE_URL`, …)."""
        found: dict[str, Endpoint] = {}
        vendors: tuple[Dialect, ...] = ("openai", "anthropic")
        for name in vendors:
            key = environment.get(f"{name.upper()}_API_KEY")
            url = environment.get(f"{name.upper()}_BASE_URL") or None
            if key or url:
                # Somebody's own server may well want no key.
                found[name] = Endpoint(url, SecretStr(key) if key else None, name, needs_key=url is None)
        for known, (usual, variable) in KNOWN_ENDPOINTS.items():
            key = environment.get(variable) if variable else None
            address = environment.get(f"{known.upper()}_BASE_URL") or usual
            if key or not variable:
                found[known] = Endpoint(address, SecretStr(key) if key else None, needs_key=bool(variable))
        return cls(found)

    def endpoint(self, name: str) -> Endpoint | None:
        if name == "openai-responses" and name not in self.endpoints:
            return self.endpoints.get("openai")
        return self.endpoints.get(name)


def split_name(name: str) -> tuple[str, str]:
    """(endpoint, model) of a model's full name."""
    if name == "offline":
        return "offline", "offline"
    # `ft:` starts a fine-tuned model's own name, not an endpoint's.
    endpoint, colon, model = name.partition(":")
    if colon and model and endpoint != "ft":
        return endpoint, model
    for pattern, owner in _BARE:
        if pattern.match(name):
            return owner, name
    raise InvalidInput(
        f"{name!r} is no model name. Write provider:model, for example openai:gpt-4o, anthropic:claude-opus-5, "
        "ollama:llama3, or offline."
    )


class Resolver:
    """Makes models and keeps their clients. Close it once, at the end."""

    def __init__(self, *, offline: Callable[[], Model], limits: Limits = Limits(), kept: int = 256) -> None:
        self._offline = offline
        self._limits = limits
        self._kept = kept
        self._http: Any = None
        self._clients: OrderedDict[tuple[object, ...], Any] = OrderedDict()
        self._without_moderation: dict[str, float] = {}

    def resolve(self, name: str, credentials: Credentials) -> Model:
        wanted, model = split_name(name.strip())
        if wanted == "offline":
            return self._offline()
        endpoint = credentials.endpoint(wanted)
        if endpoint is None:
            raise _unknown(wanted)
        if endpoint.needs_key and endpoint.api_key is None:
            raise NotConfigured(f"No API key for {wanted}. {_how(wanted)}")
        dialect: Dialect = "openai-responses" if wanted == "openai-responses" else endpoint.dialect
        return self._make(wanted, model, endpoint, dialect)

    def chain(self, names: Sequence[str], credentials: Credentials) -> Model:
        """The first model, with the others behind it."""
        models = [self.resolve(name, credentials) for name in names]
        return models[0] if len(models) == 1 else FallbackModel(models)

    def passing(self, model: str, credentials: Credentials) -> Any:
        """OpenAI's Responses API for requests that are passed on as they are."""
        endpoint = credentials.endpoint("openai")
        if endpoint is None or (endpoint.needs_key and endpoint.api_key is None):
            raise _unknown("openai")
        module = import_module("spotter.llm.openai_proxy")
        return module.PassedOn(
            model,
            self._client(endpoint, "openai"),
            capabilities=capabilities_of(model),
            limits=self._limits,
            provider="openai",
        )

    def moderator(self, endpoint: Endpoint | None) -> Any:
        """OpenAI's moderation at this endpoint; None where there is no key or it is not theirs."""
        if endpoint is None or endpoint.api_key is None or endpoint.dialect == "anthropic":
            return None
        secret = endpoint.api_key.get_secret_value()
        module = import_module("spotter.llm.openai_moderation")
        missing = None if endpoint.base_url is None else self._without_moderation
        return module.OpenAIModeration(self._client(endpoint, "openai"), secret=secret, missing=missing)

    async def client_secret(self, credentials: Credentials, **wanted: Any) -> ClientSecret:
        """For a browser that speaks to OpenAI's voice model directly: see `realtime.py`."""
        endpoint = speaking_endpoint(credentials)
        if endpoint is None:
            raise NotConfigured(
                f"Voice needs an OpenAI account, and there is no API key for it. {_how('openai')}"
            )
        module = import_module("spotter.llm.realtime")
        minted: ClientSecret = await module.mint_client_secret(self._client(endpoint, "openai"), **wanted)
        return minted

    async def aclose(self) -> None:
        self._clients.clear()
        if self._http is not None:
            await self._http.aclose()
            self._http = None

    def _make(self, wanted: str, model: str, endpoint: Endpoint, dialect: Dialect) -> Model:
        client = self._client(endpoint, "anthropic" if dialect == "anthropic" else "openai")
        common = {"capabilities": capabilities_of(model), "limits": self._limits, "provider": wanted}
        made: Model
        match dialect:
            case "anthropic":
                made = import_module("spotter.llm.anthropic_messages").AnthropicModel(model, client, **common)
            case "openai-responses":
                common["provider"] = "openai" if wanted == "openai-responses" else wanted
                made = import_module("spotter.llm.openai_responses").OpenAIResponsesModel(
                    model, client, **common
                )
            case "openai":
                azure = endpoint.azure_api_version is not None
                made = import_module("spotter.llm.openai_chat").OpenAIChatModel(
                    model, client, **common, azure=azure
                )
        return made

    def _client(self, endpoint: Endpoint, vendor: str) -> Any:
        """One client per key and address, the most recently used ones kept."""
        key = endpoint.api_key.get_secret_value() if endpoint.api_key else ""
        headers = dict(endpoint.headers)
        known = (vendor, endpoint.base_url, key, endpoint.azure_api_version, *sorted(headers.items()))
        if known in self._clients:
            self._clients.move_to_end(known)
            return self._clients[known]
        options: dict[str, Any] = {
            "base_url": endpoint.base_url,
            "http": self._pool(),
            "limits": self._limits,
        }
        if endpoint.azure_api_version is not None:
            options["azure_api_version"] = endpoint.azure_api_version
        module = import_module(
            "spotter.llm.anthropic_messages" if vendor == "anthropic" else "spotter.llm.openai_client"
        )
        client = module.make_client(api_key=key or "none", headers=headers, **options)
        self._clients[known] = client
        if len(self._clients) > self._kept:
            self._clients.popitem(last=False)
        return client

    def _pool(self) -> Any:
        if self._http is None:
            transport = import_module("spotter.llm.transport")
            self._http = transport.http_client(self._limits)
        return self._http


def speaking_endpoint(credentials: Credentials) -> Endpoint | None:
    """The account that voice is spoken by; None where there is none."""
    endpoint = credentials.endpoint("openai")
    if endpoint is None or endpoint.api_key is None or endpoint.dialect == "anthropic":
        return None
    return endpoint


def _unknown(wanted: str) -> Exception:
    if wanted in {"openai", "openai-responses", "anthropic"} or wanted in KNOWN_ENDPOINTS:
        return NotConfigured(f"No API key for {wanted}. {_how(wanted)}")
    return InvalidInput(
        f"Nobody has set up a model server named {wanted!r}. Add it with its base URL, or use a known one."
    )


def _how(wanted: str) -> str:
    known = KNOWN_ENDPOINTS.get(wanted)
    variable = known[1] if known else f"{wanted.removesuffix('-responses').upper()}_API_KEY"
    return (
        f"Set {variable}, or add a key for the organisation."
        if variable
        else "Add a key for the organisation."
    )
