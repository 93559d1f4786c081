"""OpenAI's realtime service, as far as a browser meets it: keys, the SDP exchange, sound, and events on a data channel.

What it answers is told in advance. What it was told, and how much sound reached it, can be asked.
"""

import asyncio
import json
from array import array
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from math import pi, sin
from pathlib import Path
from typing import Any

import av
from aiortc import RTCPeerConnection, RTCSessionDescription
from aiortc.mediastreams import AudioStreamTrack, MediaStreamError, MediaStreamTrack

from spotter.clock import now

SECRET = "ek_for_a_browser_0123456789"
USAGE = {
    "input_tokens": 40,
    "output_tokens": 30,
    "input_token_details": {"text_tokens": 10, "audio_tokens": 30},
    "output_token_details": {"text_tokens": 5, "audio_tokens": 25},
}
_LOUD = 500
"""Of 32,767: a beep, not the rustle of an open line."""
_A_SENTENCE = 20
"""Loud frames, of 20 ms each."""
_CORS = (
    "Access-Control-Allow-Origin: *\r\nAccess-Control-Allow-Headers: authorization, content-type\r\n"
    "Access-Control-Allow-Methods: POST\r\n"
)


@dataclass(frozen=True, slots=True)
class Say:
    text: str
    endless: bool = False
    """Goes on until it is interrupted."""


@dataclass(frozen=True, slots=True)
class Call:
    tool: str
    arguments: dict[str, Any]


@dataclass
class RealtimePeer:
    heard: str = "Make me a workout for twenty minutes."
    """What a visitor's sound is understood as."""
    answers: deque[Say | Call] = field(default_factory=deque)
    told: list[dict[str, Any]] = field(default_factory=list)
    loud_frames: int = 0
    hums: bool = False
    """Its side of the line is a tone instead of silence."""
    url: str = ""
    _peers: list[RTCPeerConnection] = field(default_factory=list)
    _listening: list[asyncio.Task[None]] = field(default_factory=list)
    _channel: Any = None
    _hears_turns: bool = False
    """Server VAD: it notices itself when somebody has finished."""
    _items: int = 0
    _responses: int = 0

    def of_type(self, name: str) -> list[dict[str, Any]]:
        return [one for one in self.told if one["type"] == name]

    async def until_told(self, name: str, count: int = 1) -> dict[str, Any]:
        """Waits for it; the test's own time limit ends a wait for what never comes."""
        while len(self.of_type(name)) < count:
            await asyncio.sleep(0.02)
        return self.of_type(name)[count - 1]

    async def until_heard(self) -> None:
        while self.loud_frames < 5:
            await asyncio.sleep(0.02)

    async def answer(self, offer: str) -> str:
        peer = RTCPeerConnection()
        self._peers.append(peer)
        peer.addTrack(_Tone() if self.hums else AudioStreamTrack())

        @peer.on("track")
        def listen(track: MediaStreamTrack) -> None:
            self._listening.append(asyncio.ensure_future(self._listen(track)))

        @peer.on("datachannel")
        def talk(channel: Any) -> None:
            self._channel = channel

            def take(message: str) -> None:
                self.told.append(json.loads(message))
                self._react(channel, self.told[-1])

            channel.on("message", take)
            _send(channel, {"type": "session.created"})

        await peer.setRemoteDescription(RTCSessionDescription(offer, "offer"))
        await peer.setLocalDescription(await peer.createAnswer())
        return peer.localDescription.sdp

    async def _listen(self, track: MediaStreamTrack) -> None:
        try:
            while True:
                frame: Any = await track.recv()
                if max(array("h", bytes(frame.planes[0])), default=0) > _LOUD:
                    self.loud_frames += 1
                    if self._hears_turns and self.loud_frames == _A_SENTENCE:
                        self._hear_turn()
        except MediaStreamError:
            return

    def _react(self, channel: Any, message: dict[str, Any]) -> None:
        match message["type"]:
            case "session.update":
                heard = message["session"].get("audio", {}).get("input", {})
                if "turn_detection" in heard:
                    self._hears_turns = heard["turn_detection"] is not None
                _send(channel, {"type": "session.updated", "session": message["session"]})
            case "input_audio_buffer.commit":
                self._understand(channel)
            case "response.create" if self.answers:
                self._respond(channel, self.answers.popleft())
            case "response.cancel":
                response = {
                    "id": f"resp_{self._responses}",
                    "status": "cancelled",
                    "output": [],
                    "usage": USAGE,
                }
                _send(
                    channel,
                    {"type": "output_audio_buffer.cleared"},
                    {"type": "response.done", "response": response},
                )
            case _:
                pass

    def _understand(self, channel: Any) -> None:
        item = self._item()
        _send(
            channel,
            {"type": "conversation.item.added", "previous_item_id": None, "item": {"id": item}},
            {
                "type": "conversation.item.input_audio_transcription.completed",
                "item_id": item,
                "transcript": self.heard,
            },
        )

    def _hear_turn(self) -> None:
        """Somebody spoke and paused: it answers without being asked to."""
        _send(self._channel, {"type": "input_audio_buffer.speech_started"})
        self._understand(self._channel)
        if self.answers:
            self._respond(self._channel, self.answers.popleft())

    def _respond(self, channel: Any, answer: Say | Call) -> None:
        self._responses += 1
        response: dict[str, Any] = {"id": f"resp_{self._responses}", "status": "completed", "output": []}
        _send(channel, {"type": "response.created", "response": {**response, "status": "in_progress"}})
        if isinstance(answer, Call):
            response["output"] = [
                {
                    "type": "function_call",
                    "name": answer.tool,
                    "call_id": f"call_{self._responses}",
                    "arguments": json.dumps(answer.arguments),
                }
            ]
        else:
            _send(channel, {"type": "output_audio_buffer.started"})
            if answer.endless:
                return
            item = self._item()
            said = {
                "type": "response.output_audio_transcript.done",
                "item_id": item,
                "transcript": answer.text,
            }
            _send(channel, said, {"type": "output_audio_buffer.stopped"})
        _send(channel, {"type": "response.done", "response": {**response, "usage": USAGE}})

    def _item(self) -> str:
        self._items += 1
        return f"item_{self._items}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        status, kind, content = await self._route(first, headers, body.decode())
        writer.write(
            f"HTTP/1.1 {status}\r\n{_CORS}Content-Type: {kind}\r\nContent-Length: {len(content)}\r\n"
            f"Connection: close\r\n\r\n{content}".encode()
        )
        await writer.drain()
        writer.close()

    async def _route(self, first: str, headers: dict[str, str], body: str) -> tuple[str, str, str]:
        method, path, _ = first.split(" ")
        if method == "OPTIONS":
            return "204 No Content", "text/plain", ""
        if path.endswith("/realtime/client_secrets"):
            made = {
                "value": SECRET,
                "expires_at": int(now().timestamp()) + 60,
                "session": {"type": "realtime"},
            }
            return "200 OK", "application/json", json.dumps(made)
        if path.endswith("/realtime/calls"):
            if headers.get("authorization") != f"Bearer {SECRET}":
                return "401 Unauthorized", "text/plain", "wrong key"
            return "201 Created", "application/sdp", await self.answer(body)
        return "404 Not Found", "text/plain", path

    async def close(self) -> None:
        for task in self._listening:
            task.cancel()
        for peer in self._peers:
            await peer.close()


class _Tone(AudioStreamTrack):
    async def recv(self) -> Any:  # type: ignore[explicit-override]
        frame: Any = await super().recv()
        wave = (int(8_000 * sin(2 * pi * 500 * at / frame.sample_rate)) for at in range(frame.samples))
        frame.planes[0].update(array("h", wave).tobytes())
        return frame


def loudest(recording: Path) -> int:
    """The largest sample of a recording, of 32,767."""
    resampler = av.AudioResampler(format="s16", layout="mono")
    with av.open(str(recording)) as container:
        frames = [part for frame in container.decode(audio=0) for part in resampler.resample(frame)]
    return max(abs(sample) for frame in frames for sample in array("h", bytes(frame.planes[0])))


@asynccontextmanager
async def realtime_peer() -> AsyncIterator[RealtimePeer]:
    peer = RealtimePeer()
    server = await asyncio.start_server(peer.serve, "127.0.0.1", 0)
    peer.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    async with server:
        try:
            yield peer
        finally:
            await peer.close()


def _send(channel: Any, *messages: dict[str, Any]) -> None:
    for message in messages:
        channel.send(json.dumps(message))
