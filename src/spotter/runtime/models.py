"""Which model answers for whom: the operator's keys, or the organisation's own where it has set some."""

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import SecretStr
from sqlalchemy import select

from spotter.errors import NotConfigured
from spotter.identity.connector_secrets import ConnectorSecrets
from spotter.identity.tables import Secret
from spotter.llm.client_secret import ClientSecret
from spotter.llm.fallback import FallbackModel
from spotter.llm.port import FailedAttempt, Model
from spotter.llm.resolver import Credentials, Dialect, Endpoint, Resolver, speaking_endpoint, split_name
from spotter.runtime.agent import Agent
from spotter.store.database import Database
from spotter.store.scope import Scope
from spotter.store.unit_of_work import UnitOfWork

log = logging.getLogger(__name__)

PREFIX: Final = "model:"


@dataclass(frozen=True, slots=True)
class ModelAccount:
    """An organisation's own account with a provider, or its own server."""

    api_key: str | None
    base_url: str | None
    dialect: Dialect = "openai"

    def dump(self) -> str:
        return json.dumps({"api_key": self.api_key, "base_url": self.base_url, "dialect": self.dialect})

    @classmethod
    def load(cls, text: str) -> "ModelAccount":
        data = json.loads(text)
        return cls(data["api_key"], data["base_url"], data["dialect"])

    def endpoint(self) -> Endpoint:
        key = SecretStr(self.api_key) if self.api_key else None
        return Endpoint(self.base_url, key, self.dialect, needs_key=self.base_url is None)


class Models:
    def __init__(
        self,
        resolver: Resolver,
        database: Database,
        secrets: ConnectorSecrets,
        environment: Mapping[str, str],
    ) -> None:
        self._resolver = resolver
        self._secrets = secrets
        self._operator = Credentials.from_environment(environment)
        self._kept = database.kept(self._read)

    async def for_agent(self, scope: Scope, agent: Agent) -> Model:
        """The agent's model, with its fallbacks behind it. One that has no key is passed over if another follows."""
        credentials = await self._credentials(scope)
        found: list[Model] = []
        passed_over: list[FailedAttempt] = []
        missing: NotConfigured | None = None
        for name in (agent.model, *agent.fallbacks):
            try:
                found.append(self._resolver.resolve(name, credentials))
            except NotConfigured as error:
                log.warning(
                    "a model is not set up: %s", error.detail, extra={"agent": agent.name, "model": name}
                )
                missing = missing or error
                if not found:
                    passed_over.append(FailedAttempt(*split_name(name), error.code, error.detail))
        if not found:
            raise missing or NotConfigured("This agent names no model.")
        return found[0] if len(found) == 1 and not passed_over else FallbackModel(found, passed_over)

    async def client_secret(self, scope: Scope, **wanted: Any) -> ClientSecret:
        """For a browser that speaks to a voice model directly, by the organisation's own account or the operator's."""
        return await self._resolver.client_secret(await self._credentials(scope), **wanted)

    async def can_speak(self, scope: Scope) -> bool:
        """Whether `client_secret` has an account to ask with."""
        return speaking_endpoint(await self._credentials(scope)) is not None

    async def passing(self, scope: Scope, name: str) -> Any:
        """OpenAI's model for requests that are passed on as they are. `NotConfigured` without a key."""
        return self._resolver.passing(name, await self._credentials(scope))

    async def _credentials(self, scope: Scope) -> Credentials:
        assert scope.org_id is not None
        return await self._kept.of(scope.org_id)

    async def _read(self, uow: UnitOfWork) -> Credentials:
        endpoints = dict(self._operator.endpoints)
        names = await uow.session.scalars(select(Secret.name).where(Secret.name.startswith(PREFIX)))
        for name in names:
            stored = await self._secrets.get(uow, name)
            if stored is not None:
                endpoints[name.removeprefix(PREFIX)] = ModelAccount.load(stored).endpoint()
        return Credentials(endpoints)
