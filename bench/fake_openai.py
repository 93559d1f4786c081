"""A zero-latency OpenAI Chat Completions server on loopback, in a process of its own.

    python -m bench.fake_openai [--port 0] [--split]

It answers a prompt that ends with a tool's result with 40 words, and every other one with one call `add(a=1, b=2)`.
Which it is, is found by searching the body from its end, so that a long history costs it nothing. Prints its port.
"""

import argparse
import asyncio
import json
import re
from itertools import count
from typing import Any, Final, cast

from typing_extensions import override

from bench.peers.loops import run

FINAL_TEXT: Final = (
    "The sum of one and two is three which the add tool returned just now so the answer that you asked for is three "
    "and nothing else remains to be done in this short turn of ours today okay"
)
WORDS: Final = FINAL_TEXT.split()
_USAGE: Final = {"prompt_tokens": 10, "completion_tokens": 40, "total_tokens": 50}
_BASE: Final = {"id": "chatcmpl-fake", "created": 1700000000, "model": "fake"}
_CALL_ID: Final = "call_IDIDIDIDIDID"  # each answer gets one of its own, as long as this
_ARGUMENTS: Final = '{"a": 1, "b": 2}'
_SSE_HEAD: Final = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"

_ROLE: Final = re.compile(rb'"role"\s*:\s*"(\w+)"')
_STREAM: Final = re.compile(rb'"stream"\s*:\s*true')
_LENGTH: Final = re.compile(rb"content-length:\s*(\d+)", re.IGNORECASE)


def _whole(message: dict[str, Any], finish: str) -> bytes:
    choice = {"index": 0, "message": message, "finish_reason": finish, "logprobs": None}
    body = json.dumps({**_BASE, "object": "chat.completion", "usage": _USAGE, "choices": [choice]}).encode()
    head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    return head.encode() + body


def _event(delta: dict[str, Any], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
    return _data(json.dumps({**_BASE, "object": "chat.completion.chunk", "choices": [choice]}))


def _data(text: str) -> bytes:
    line = b"data: " + text.encode() + b"\n\n"
    return f"{len(line):x}\r\n".encode() + line + b"\r\n"


def _call(**more: Any) -> dict[str, Any]:
    return {"id": _CALL_ID, "type": "function", **more}


_END: Final = (
    _data(json.dumps({**_BASE, "object": "chat.completion.chunk", "choices": [], "usage": _USAGE}))
    + _data("[DONE]")
    + b"0\r\n\r\n"
)
_TOOL: Final = _whole(
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [_call(function={"name": "add", "arguments": _ARGUMENTS})],
    },
    "tool_calls",
)
_TEXT: Final = _whole({"role": "assistant", "content": FINAL_TEXT}, "stop")
_TOOL_STREAM: Final = (
    _SSE_HEAD
    + _event(
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [_call(index=0, function={"name": "add", "arguments": ""})],
        }
    )
    + _event({"tool_calls": [{"index": 0, "function": {"arguments": _ARGUMENTS}}]})
    + _event({}, "tool_calls")
    + _END
)
_TEXT_PIECES: Final = [
    _SSE_HEAD + _event({"role": "assistant", "content": ""}),
    *[_event({"content": word if number == 0 else f" {word}"}) for number, word in enumerate(WORDS)],
    _event({}, "stop") + _END,
]
_TEXT_STREAM: Final = b"".join(_TEXT_PIECES)


class Connection(asyncio.Protocol):
    numbers = count(1)
    split = False

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's is none by its class
        self._parts: list[bytes] = []
        self._size = 0
        self._needed = -1

    @override
    def data_received(self, data: bytes) -> None:
        self._parts.append(data)
        self._size += len(data)
        while self._size and self._complete():
            whole = b"".join(self._parts)
            request, rest = whole[: self._needed], whole[self._needed :]
            self._parts, self._size, self._needed = [rest] if rest else [], len(rest), -1
            self._answer(request)

    def _complete(self) -> bool:
        if self._needed < 0:
            self._parts = [b"".join(self._parts)]
            end = self._parts[0].find(b"\r\n\r\n")
            if end < 0:
                return False
            length = _LENGTH.search(self._parts[0], 0, end)
            self._needed = end + 4 + (int(length[1]) if length else 0)
        return self._size >= self._needed

    def _answer(self, request: bytes) -> None:
        place = request.rfind(b'"role"')
        role = _ROLE.match(request, place) if place >= 0 else None
        # "stream" stands before or behind the messages, depending on the client.
        stream = _STREAM.search(request, 0, 1024) or _STREAM.search(request, max(0, len(request) - 4096))
        if role is None or role[1] != b"tool":
            call_id = b"call_%012d" % next(self.numbers)
            self._transport.write((_TOOL_STREAM if stream else _TOOL).replace(_CALL_ID.encode(), call_id))
        elif not stream:
            self._transport.write(_TEXT)
        elif self.split:
            for piece in _TEXT_PIECES:
                self._transport.write(piece)
        else:
            self._transport.write(_TEXT_STREAM)


async def serve(port: int) -> None:
    server = await asyncio.get_running_loop().create_server(Connection, "127.0.0.1", port, backlog=1024)
    async with server:
        print(server.sockets[0].getsockname()[1], flush=True)
        await server.serve_forever()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--split", action="store_true", help="one write for each piece of a streamed answer")
    arguments = parser.parse_args()
    Connection.split = arguments.split
    run(serve(arguments.port))


if __name__ == "__main__":
    main()
