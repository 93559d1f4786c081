"""LangGraph: langchain's `create_agent` with a checkpoint saver, everything else as it comes."""

from contextlib import AsyncExitStack
from typing import Any

from langchain.agents import create_agent
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool

from bench.peers.worker import SYSTEM, add


class LangGraph:
    """With the SQLite saver."""

    async def open(self, model_url: str, store: str) -> None:
        self._stack = AsyncExitStack()
        saver = await self._saver(store)
        # Whether it streams from the model is a setting of the model: one agent for each.
        self._agents = {
            stream: create_agent(
                ChatOpenAI(
                    model="fake",
                    base_url=model_url,
                    api_key="none",
                    streaming=stream,
                    use_responses_api=False,
                ),
                [add],
                system_prompt=SYSTEM,
                checkpointer=saver,
            )
            for stream in (False, True)
        }

    async def _saver(self, store: str) -> Any:
        return await self._stack.enter_async_context(AsyncSqliteSaver.from_conn_string(store))

    async def prepare(self, session: str) -> None:
        return None

    async def turn(self, session: str, text: str, stream: bool) -> str:
        config = {"configurable": {"thread_id": session}}
        asked = {"messages": [{"role": "user", "content": text}]}
        if not stream:
            state = await self._agents[False].ainvoke(asked, config)
            return state["messages"][-1].content
        pieces = []
        async for chunk, _ in self._agents[True].astream(asked, config, stream_mode="messages"):
            if type(chunk).__name__ == "AIMessageChunk" and chunk.content:
                pieces.append(chunk.content)
        return "".join(pieces)

    async def close(self) -> None:
        await self._stack.aclose()


class LangGraphPostgres(LangGraph):
    """With the Postgres saver, on a pool, set up as its README says."""

    async def _saver(self, store: str) -> Any:
        pool = AsyncConnectionPool(
            store,
            open=False,
            min_size=1,
            max_size=8,
            kwargs={"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row},
        )
        await self._stack.enter_async_context(pool)
        saver = AsyncPostgresSaver(pool)
        await saver.setup()
        return saver
