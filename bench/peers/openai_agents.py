"""The OpenAI Agents SDK with one of its sessions, tracing off."""

from typing import Any

from agents import (
    Agent,
    OpenAIChatCompletionsModel,
    Runner,
    SQLiteSession,
    function_tool,
    set_tracing_disabled,
)
from agents.extensions.memory import SQLAlchemySession
from openai import AsyncOpenAI
from sqlalchemy.ext.asyncio import create_async_engine

from bench.peers.worker import SYSTEM, add


class OpenAIAgents:
    """With `SQLiteSession`, its default."""

    async def open(self, model_url: str, store: str) -> None:
        set_tracing_disabled(True)
        model = OpenAIChatCompletionsModel("fake", AsyncOpenAI(base_url=model_url, api_key="none"))
        self._agent = Agent(name="calc", instructions=SYSTEM, tools=[function_tool(add)], model=model)
        self._store = store
        self._sessions: dict[str, Any] = {}

    def _session(self, name: str) -> Any:
        return SQLiteSession(name, self._store)

    async def prepare(self, session: str) -> None:
        if session not in self._sessions:
            self._sessions[session] = self._session(session)

    async def turn(self, session: str, text: str, stream: bool) -> str:
        if not stream:
            answer = await Runner.run(self._agent, text, session=self._sessions[session])
            return answer.final_output
        streamed = Runner.run_streamed(self._agent, text, session=self._sessions[session])
        async for _ in streamed.stream_events():
            pass
        return streamed.final_output

    async def close(self) -> None:
        for session in self._sessions.values():
            session.close()


class OpenAIAgentsPostgres(OpenAIAgents):
    """With `SQLAlchemySession` on Postgres."""

    async def open(self, model_url: str, store: str) -> None:
        await super().open(model_url, store)
        self._engine = create_async_engine(store.replace("postgresql://", "postgresql+asyncpg://"))

    def _session(self, name: str) -> Any:
        return SQLAlchemySession(name, engine=self._engine, create_tables=True)

    async def close(self) -> None:
        await self._engine.dispose()
