"""CPU per model call against the history's length: our spliced bodies and the official client's `create()`.

    python bench/llm_encode.py [--calls 20]

One process, interleaved, with a zero-latency server of its own on loopback in another process. A turn of history is
a question, a tool call, its result and an answer. `build` is only making the body; the rest is a whole call, with its
answer read and folded.
"""

import argparse
import asyncio
import json
import multiprocessing
import time
from collections.abc import Awaitable, Callable
from typing import Any

from openai import AsyncOpenAI

from spotter.llm import wire_anthropic, wire_chat
from spotter.llm.anthropic_messages import AnthropicModel
from spotter.llm.anthropic_messages import make_client as make_anthropic
from spotter.llm.limits import Limits
from spotter.llm.openai_chat import OpenAIChatModel
from spotter.llm.openai_client import make_client as make_openai
from spotter.llm.port import DEFAULTS, Model
from spotter.llm.prompt import (
    AssistantMessage,
    Fragment,
    History,
    Prompt,
    Section,
    ToolCall,
    ToolResult,
    Tools,
    ToolSpec,
    UserMessage,
)
from spotter.llm.transport import http_client

WORDS = [f"word{n % 7}" for n in range(24)]
PARAMETERS = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}}
TOOLS = Tools([ToolSpec("add", "Add two integers.", PARAMETERS)])
SYSTEM = "You are a helpful coach. Use tools for sums."


def fragments(turns: int) -> list[Fragment]:
    history: list[Fragment] = []
    for n in range(turns):
        call = ToolCall(f"call_{n:012d}", "add", '{"a": 1, "b": 2}')
        history += [
            Fragment(UserMessage(f"What is one plus two? This is turn number {n} of the conversation.")),
            Fragment(AssistantMessage("", (call,))),
            Fragment(ToolResult(call.id, "3")),
            Fragment(AssistantMessage(" ".join(WORDS))),
        ]
    return [*history, Fragment(UserMessage("And now?"))]


def as_dicts(history: list[Fragment]) -> list[dict[str, Any]]:
    return [{"role": "system", "content": SYSTEM}, *map(json.loads, wire_chat.messages(Prompt(history)))]


# ---- The other side


def _chat(stream: bool) -> bytes:
    base: dict[str, Any] = {"id": "c", "created": 1, "model": "fake", "object": "chat.completion.chunk"}
    usage = {"prompt_tokens": 10, "completion_tokens": 20, "total_tokens": 30}
    if not stream:
        message = {"role": "assistant", "content": " ".join(WORDS)}
        whole = {**base, "object": "chat.completion", "usage": usage}
        return json.dumps(
            {**whole, "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
        ).encode()
    deltas = [{"content": f" {word}"} for word in WORDS]
    chunks = [{**base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    chunks.append({**base, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    chunks.append({**base, "choices": [], "usage": usage})
    return b"".join(b"data: %s\n\n" % json.dumps(chunk).encode() for chunk in chunks) + b"data: [DONE]\n\n"


def _claude() -> bytes:
    events: list[dict[str, Any]] = [
        {
            "type": "message_start",
            "message": {"id": "m", "model": "fake", "usage": {"input_tokens": 10, "output_tokens": 1}},
        },
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        *(
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": f" {w}"}}
            for w in WORDS
        ),
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 20}},
        {"type": "message_stop"},
    ]
    return b"".join(b"event: %s\ndata: %s\n\n" % (e["type"].encode(), json.dumps(e).encode()) for e in events)


def serve(port: "multiprocessing.connection.Connection[int, int]") -> None:
    def http(body: bytes, kind: bytes) -> bytes:
        return b"HTTP/1.1 200 OK\r\ncontent-type: %s\r\ncontent-length: %d\r\n\r\n%s" % (
            kind,
            len(body),
            body,
        )

    streamed, plain = http(_chat(True), b"text/event-stream"), http(_chat(False), b"application/json")
    claude = http(_claude(), b"text/event-stream")

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
                body = await reader.readexactly(length)
                asked_stream = b'"stream":true' in body[:300] or b'"stream":true' in body[-300:]
                writer.write(claude if b"/v1/messages" in head[:40] else streamed if asked_stream else plain)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def main() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", 0, limit=2**24)
        port.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(main())


# ---- Measuring


async def cpu_ms(call: Callable[[], Awaitable[object]], calls: int) -> float:
    began = time.process_time()
    for _ in range(calls):
        await call()
    return (time.process_time() - began) * 1000 / calls


async def read(model: Model, prompt: Prompt) -> None:
    async for _ in model.stream(prompt, TOOLS):
        pass


async def created(client: AsyncOpenAI, messages: list[dict[str, Any]], *, stream: bool) -> None:
    options: dict[str, Any] = {"model": "fake", "messages": messages, "tools": json.loads(TOOLS.chat)}
    if not stream:
        await client.chat.completions.create(**options)
        return
    async for _ in await client.chat.completions.create(
        **options, stream=True, stream_options={"include_usage": True}
    ):
        pass


async def built(build: Callable[[], bytes]) -> None:
    build()


def subjects(port: int, turns: int, http: Any, limits: Limits) -> dict[str, Callable[[], Awaitable[object]]]:
    openai = make_openai(api_key="k", base_url=f"http://127.0.0.1:{port}/v1", http=http, limits=limits)
    claude = make_anthropic(api_key="k", base_url=f"http://127.0.0.1:{port}", http=http, limits=limits)
    ours, theirs = (
        OpenAIChatModel("fake", openai, limits=limits),
        AnthropicModel("fake", claude, limits=limits),
    )
    history = fragments(turns)
    prompt, messages = Prompt(History(history), system=(Section(SYSTEM),)), as_dicts(history)
    cold = Prompt(history, system=prompt.system)
    return {
        "build, chat": lambda: built(lambda: wire_chat.body("fake", prompt, TOOLS, DEFAULTS, stream=True)),
        "build, chat, not kept joined": lambda: built(
            lambda: wire_chat.body("fake", cold, TOOLS, DEFAULTS, stream=True)
        ),
        "build, anthropic": lambda: built(lambda: wire_anthropic.body("fake", prompt, TOOLS, DEFAULTS)),
        "build, json.dumps": lambda: built(lambda: json.dumps({"messages": messages}).encode()),
        "ours, chat streamed": lambda: read(ours, prompt),
        "ours, chat whole": lambda: ours.complete(prompt, TOOLS),
        "ours, anthropic": lambda: read(theirs, prompt),
        "create() streamed": lambda: created(openai, messages, stream=True),
        "create() whole": lambda: created(openai, messages, stream=False),
    }


async def main(calls: int) -> None:
    near, far = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=serve, args=(far,), daemon=True)
    process.start()
    port: int = near.recv()
    limits = Limits(retries=0)
    http = http_client(limits)
    table: dict[str, list[float]] = {}
    for turns in (1, 50, 200):
        found = subjects(port, turns, http, limits)
        best = dict.fromkeys(found, float("inf"))
        for _ in range(3):
            for name, call in found.items():
                await call()  # warm
                best[name] = min(best[name], await cpu_ms(call, calls))
        for name, value in best.items():
            table.setdefault(name, []).append(value)
    await http.aclose()
    process.terminate()
    print(f"{'CPU ms per call, turns of history':36}{1:>9}{50:>9}{200:>9}")
    for name, values in table.items():
        print(f"{name:36}" + "".join(f"{value:9.3f}" for value in values))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=20)
    asyncio.run(main(parser.parse_args().calls))
