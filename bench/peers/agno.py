"""Agno: an `Agent` with one of its databases, the whole history in its context, telemetry off."""

from typing import Any

from agno.agent import Agent
from agno.db.postgres import AsyncPostgresDb
from agno.db.sqlite import AsyncSqliteDb
from agno.models.openai import OpenAIChat

from bench.peers.worker import SYSTEM, add


class Agno:
    """With SQLite."""

    async def open(self, model_url: str, store: str) -> None:
        self._agent = Agent(
            id="calc",
            model=OpenAIChat(id="fake", base_url=model_url, api_key="none"),
            tools=[add],
            db=self._database(store),
            instructions=SYSTEM,
            telemetry=False,
            add_history_to_context=True,
            num_history_runs=1_000_000,  # it sends only the last three otherwise
        )

    def _database(self, store: str) -> Any:
        return AsyncSqliteDb(db_file=store)

    async def prepare(self, session: str) -> None:
        return None

    async def turn(self, session: str, text: str, stream: bool) -> str:
        if not stream:
            return (await self._agent.arun(text, session_id=session)).content
        pieces = []
        async for event in self._agent.arun(text, session_id=session, stream=True):
            if getattr(event, "event", "") == "RunContent" and event.content:
                pieces.append(event.content)
        return "".join(pieces)

    async def close(self) -> None:
        return None


class AgnoPostgres(Agno):
    def _database(self, store: str) -> Any:
        return AsyncPostgresDb(db_url=store.replace("postgresql://", "postgresql+psycopg_async://"))
