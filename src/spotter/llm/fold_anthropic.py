"""Anthropic Messages, the answer: events of its stream become deltas and one `Final`."""

from collections.abc import Iterable
from typing import Any

from typing_extensions import override

from spotter.llm.faults import Origin
from spotter.llm.folding import Fold, count
from spotter.llm.port import Delta, FinishReason, JsonSchema, Usage
from spotter.llm.prompt import Prompt, Replay
from spotter.llm.text import json_bytes, wire_name
from spotter.llm.wire_anthropic import DIALECT

_FINISH = {
    "end_turn": FinishReason.STOP,
    "stop_sequence": FinishReason.STOP,
    "pause_turn": FinishReason.STOP,
    "tool_use": FinishReason.TOOL_CALLS,
    "max_tokens": FinishReason.LENGTH,
    "model_context_window_exceeded": FinishReason.LENGTH,
    "refusal": FinishReason.REFUSAL,
}


class AnthropicFold(Fold):
    def __init__(self, prompt: Prompt, origin: Origin, wanted: JsonSchema | None = None) -> None:
        super().__init__(prompt, origin)
        self._json_tool = wire_name(wanted.name) if wanted else None
        self._json_blocks: set[int] = set()
        self._counts: dict[str, int] = {}
        self._thoughts: dict[int, dict[str, Any]] = {}

    @override
    def feed(self, event: Any) -> Iterable[Delta]:
        match event.get("type"):
            case "content_block_delta":
                return self._delta(event["index"], event["delta"])
            case "content_block_start":
                return self._block(event["index"], event["content_block"])
            case "message_start":
                message = event["message"]
                self._model = message.get("model") or self._model
                self._response_id = message.get("id") or self._response_id
                self._count(message.get("usage"))
            case "message_delta":
                self._count(event.get("usage"))
                if reason := event["delta"].get("stop_reason"):
                    self.finish = _FINISH.get(reason, FinishReason.STOP)
            case _:
                pass  # block and message stops, pings, and kinds that do not exist yet
        return ()

    @override
    def whole(self, answer: Any) -> None:
        """Anthropic is always streamed; some servers answer whole all the same."""
        self.feed({"type": "message_start", "message": answer})
        for index, block in enumerate(answer.get("content") or ()):
            self._block(index, block)
        self.feed({"type": "message_delta", "delta": answer})

    def _count(self, usage: Any) -> None:
        """Counts are cumulative; later ones replace, missing ones do not."""
        if not usage:
            return
        self._counts.update({key: count(value) for key, value in usage.items() if isinstance(value, int)})
        self.usage = Usage(
            input=self._counts.get("input_tokens", 0),
            output=self._counts.get("output_tokens", 0),
            cache_read=self._counts.get("cache_read_input_tokens", 0),
            cache_write=self._counts.get("cache_creation_input_tokens", 0),
            reported=True,
        )

    def _block(self, index: int, block: Any) -> Iterable[Delta]:
        match block.get("type"):
            case "text":
                return self._say(block.get("text") or "")
            case "tool_use":
                return self._tool_use(index, block)
            case "thinking" | "redacted_thinking":
                self._thoughts.setdefault(index, dict(block))
                return self._think(block.get("thinking") or "")
            case _:
                return ()

    def _tool_use(self, index: int, block: Any) -> Iterable[Delta]:
        given = json_bytes(block["input"]).decode() if block.get("input") else ""
        if block.get("name") == self._json_tool:
            self._json_blocks.add(index)
            return self._say(given)
        deltas = list(self._start(index, block.get("id") or "", block.get("name") or ""))
        return [*deltas, *self._argue(index, given)] if deltas and given else deltas

    def _delta(self, index: int, delta: Any) -> Iterable[Delta]:
        match delta.get("type"):
            case "text_delta":
                return self._say(delta["text"])
            case "input_json_delta" if index in self._json_blocks:
                return self._say(delta["partial_json"])
            case "input_json_delta":
                return self._argue(index, delta["partial_json"])
            case "thinking_delta":
                thought = self._thoughts.setdefault(index, {"type": "thinking", "thinking": ""})
                thought["thinking"] += delta["thinking"]
                return self._think(delta["thinking"])
            case "signature_delta":
                thought = self._thoughts.setdefault(index, {"type": "thinking", "thinking": ""})
                thought["signature"] = thought.get("signature", "") + delta["signature"]
        return ()

    @override
    def _replay(self) -> Replay | None:
        """Thoughts go back signed and unchanged, or not at all."""
        signed = [
            thought for thought in self._thoughts.values() if thought.get("signature") or thought.get("data")
        ]
        return Replay(DIALECT, tuple(json_bytes(thought).decode() for thought in signed)) if signed else None
