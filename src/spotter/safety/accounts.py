"""Whose key a second opinion is asked with: the organisation's own OpenAI account, or the operator's."""

import json
import time
from collections.abc import Mapping
from typing import Final
from uuid import UUID

from pydantic import SecretStr

from spotter.identity.connector_secrets import ConnectorSecrets
from spotter.llm.resolver import Credentials, Endpoint, Resolver
from spotter.safety.second_opinion import Moderator
from spotter.store.database import Database
from spotter.store.scope import Scope

_SECRET: Final = "model:openai"  # noqa: S105 - where it is kept, as model accounts are
_FRESH_SECONDS: Final = 5.0
_KEPT: Final = 10_000


class OpenAIAccounts:
    def __init__(
        self,
        resolver: Resolver,
        database: Database,
        secrets: ConnectorSecrets,
        environment: Mapping[str, str],
    ) -> None:
        self._resolver = resolver
        self._database = database
        self._secrets = secrets
        self._operator = Credentials.from_environment(environment).endpoint("openai")
        self._known: dict[UUID, tuple[float, Endpoint | None]] = {}

    async def moderator(self, scope: Scope) -> Moderator | None:
        assert scope.org_id is not None
        known = self._known.get(scope.org_id)
        if known is None or known[0] < time.monotonic():
            if len(self._known) >= _KEPT:
                self._known.clear()
            known = (time.monotonic() + _FRESH_SECONDS, await self._endpoint(scope.org_id))
            self._known[scope.org_id] = known
        moderator: Moderator | None = self._resolver.moderator(known[1])
        return moderator

    async def _endpoint(self, org_id: UUID) -> Endpoint | None:
        async with self._database.unit_of_work(Scope(org_id, None, "service")) as uow:
            stored = await self._secrets.get(uow, _SECRET)
        if stored is None:
            return self._operator
        account = json.loads(stored)
        key = account["api_key"]
        return Endpoint(account["base_url"], SecretStr(key) if key else None, account["dialect"])
