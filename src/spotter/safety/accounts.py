"""Whose key a second opinion is asked with: the organisation's own OpenAI account, or the operator's."""

import json
from collections.abc import Mapping
from typing import Final

from pydantic import SecretStr

from spotter.identity.connector_secrets import ConnectorSecrets
from spotter.llm.resolver import Credentials, Endpoint, Resolver
from spotter.safety.second_opinion import Moderator
from spotter.store.database import Database
from spotter.store.scope import Scope
from spotter.store.unit_of_work import UnitOfWork

_SECRET: Final = "model:openai"  # noqa: S105 - where it is kept, as model accounts are


class OpenAIAccounts:
    def __init__(
        self,
        resolver: Resolver,
        database: Database,
        secrets: ConnectorSecrets,
        environment: Mapping[str, str],
    ) -> None:
        self._resolver = resolver
        self._secrets = secrets
        self._operator = Credentials.from_environment(environment).endpoint("openai")
        self._kept = database.kept(self._endpoint)

    async def moderator(self, scope: Scope) -> Moderator | None:
        assert scope.org_id is not None
        moderator: Moderator | None = self._resolver.moderator(await self._kept.of(scope.org_id))
        return moderator

    async def _endpoint(self, uow: UnitOfWork) -> Endpoint | None:
        stored = await self._secrets.get(uow, _SECRET)
        if stored is None:
            return self._operator
        account = json.loads(stored)
        key = account["api_key"]
        return Endpoint(account["base_url"], SecretStr(key) if key else None, account["dialect"])
