"""pydantic-ai: it has no store, so its messages are kept as its documentation shows: one row of JSON for each turn."""

import sqlite3
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessagesTypeAdapter
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from bench.peers.connections import Connections
from bench.peers.worker import SYSTEM, add


class PydanticAI:
    """With SQLite (WAL, synchronous NORMAL)."""

    async def open(self, model_url: str, store: str) -> None:
        provider = OpenAIProvider(base_url=model_url, api_key="none")
        self._agent = Agent(
            OpenAIChatModel("fake", provider=provider), instructions=SYSTEM, tools=[add], name="calc"
        )
        await self._open_store(store)

    async def _open_store(self, store: str) -> None:
        self._database = sqlite3.connect(store, isolation_level=None)
        self._database.execute("PRAGMA journal_mode=WAL")
        self._database.execute("PRAGMA synchronous=NORMAL")
        self._database.execute(
            "CREATE TABLE IF NOT EXISTS runs (id INTEGER PRIMARY KEY, session TEXT, body BLOB)"
        )
        self._database.execute("CREATE INDEX IF NOT EXISTS by_session ON runs (session)")

    async def _read(self, session: str) -> list[bytes]:
        rows = self._database.execute("SELECT body FROM runs WHERE session = ? ORDER BY id", (session,))
        return [row[0] for row in rows]

    async def _write(self, session: str, body: bytes) -> None:
        self._database.execute("INSERT INTO runs (session, body) VALUES (?, ?)", (session, body))

    async def prepare(self, session: str) -> None:
        return None

    async def turn(self, session: str, text: str, stream: bool) -> str:
        history: list[Any] = []
        for body in await self._read(session):
            history += ModelMessagesTypeAdapter.validate_json(body)
        if not stream:
            answer = await self._agent.run(text, message_history=history)
            await self._write(session, answer.new_messages_json())
            return answer.output
        async with self._agent.run_stream(text, message_history=history) as streamed:
            pieces = [piece async for piece in streamed.stream_text(delta=True, debounce_by=None)]
        await self._write(session, streamed.new_messages_json())
        return "".join(pieces)

    async def close(self) -> None:
        self._database.close()


class PydanticAIPostgres(PydanticAI):
    async def _open_store(self, store: str) -> None:
        self._rows = Connections(store)
        await self._rows.run(
            "CREATE TABLE IF NOT EXISTS runs (id bigserial PRIMARY KEY, session text, body text)"
        )
        await self._rows.run("CREATE INDEX IF NOT EXISTS by_session ON runs (session)")

    async def _read(self, session: str) -> list[bytes]:
        rows = await self._rows.run("SELECT body FROM runs WHERE session = %s ORDER BY id", session)
        return [row[0].encode() for row in await rows.fetchall()]

    async def _write(self, session: str, body: bytes) -> None:
        await self._rows.run("INSERT INTO runs (session, body) VALUES (%s, %s)", session, body.decode())

    async def close(self) -> None:
        await self._rows.close()
