"""The floor: the official client's `create()`, the history read by one SELECT, and four INSERTs that each commit."""

import json
from typing import Any

import openai

from bench.peers.connections import Connections
from bench.peers.worker import SYSTEM, add

TOOL = {
    "type": "function",
    "function": {
        "name": "add",
        "description": "Add two integers.",
        "parameters": {
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
            "required": ["a", "b"],
            "additionalProperties": False,
        },
    },
}


class Floor:
    async def open(self, model_url: str, store: str) -> None:
        self._client = openai.AsyncOpenAI(base_url=model_url, api_key="none")
        self._database = Connections(store)
        await self._database.run(
            "CREATE TABLE IF NOT EXISTS messages (session text, place int, body json, PRIMARY KEY (session, place))"
        )

    async def prepare(self, session: str) -> None:
        return None

    async def turn(self, session: str, text: str, stream: bool) -> str:
        rows = await self._database.run(
            "SELECT body FROM messages WHERE session = %s ORDER BY place", session
        )
        history = [row[0] for row in await rows.fetchall()]
        place = len(history)
        messages = [{"role": "system", "content": SYSTEM}, *history]

        async def put(message: dict[str, Any]) -> None:
            nonlocal place
            messages.append(message)
            await self._database.run(
                "INSERT INTO messages VALUES (%s, %s, %s)", session, place, json.dumps(message)
            )
            place += 1

        ask = self._ask_streaming if stream else self._ask
        await put({"role": "user", "content": text})
        reply = await ask(messages)
        await put(reply)
        call = reply["tool_calls"][0]
        result = add(**json.loads(call["function"]["arguments"]))
        await put({"role": "tool", "tool_call_id": call["id"], "content": str(result)})
        reply = await ask(messages)
        await put(reply)
        return str(reply["content"])

    async def _ask(self, messages: list[Any]) -> dict[str, Any]:
        tools: Any = [TOOL]
        answer = await self._client.chat.completions.create(model="fake", messages=messages, tools=tools)
        message = answer.choices[0].message
        reply: dict[str, Any] = {"role": "assistant", "content": message.content}
        if message.tool_calls:
            reply["tool_calls"] = [call.model_dump() for call in message.tool_calls]
        return reply

    async def _ask_streaming(self, messages: list[Any]) -> dict[str, Any]:
        tools: Any = [TOOL]
        text: list[str] = []
        arguments: list[str] = []
        started: Any = None
        async for chunk in await self._client.chat.completions.create(
            model="fake", messages=messages, tools=tools, stream=True
        ):
            if not chunk.choices:
                continue
            delta = chunk.choices[0].delta
            text.append(delta.content or "")
            for call in delta.tool_calls or ():
                started = call if call.id else started
                arguments.append((call.function and call.function.arguments) or "")
        reply: dict[str, Any] = {"role": "assistant", "content": "".join(text) or None}
        if started:
            function = {"name": started.function.name, "arguments": "".join(arguments)}
            reply["tool_calls"] = [{"id": started.id, "type": "function", "function": function}]
        return reply

    async def close(self) -> None:
        await self._database.close()
        await self._client.close()
