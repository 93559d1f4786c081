"""What a provider answers to another program's call (B7), on its way out: the same check as for every other output.

An answer in which nothing is found goes on as it came, byte for byte; of a stream, each sentence as soon as it is
checked. Personal data is taken out. At a blocked sentence the answer ends the way the provider ends one itself
(`incomplete`, `content_filter`), with our words in its place and without the calls that came with it.
"""

import json
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from spotter.llm.prompt import Fragment, UserMessage
from spotter.llm.sse import EventParser
from spotter.runtime import verdicts
from spotter.runtime.answers import OutputRules
from spotter.safety import ModerationDecision, Policy, Released, SentenceGate
from spotter.store.scope import Scope

Json: TypeAlias = dict[str, Any]

_SPOKEN: Final = frozenset(
    f"response.{kind}.delta"
    for kind in ("output_text", "refusal", "reasoning_summary_text", "reasoning_text")
)
_ARGUMENTS: Final = "response.function_call_arguments.delta"
_LAST: Final = frozenset({"response.completed", "response.incomplete", "response.failed"})
_WORDS: Final = ("text", "refusal", "output_text")
_INSIDE: Final = ("response", "output", "item", "part", "content", "summary")
_PLACE: Final = ("output_index", "content_index", "summary_index")


@dataclass(slots=True)
class _Part:
    """A text that is being streamed."""

    gate: SentenceGate
    sample: Json = field(default_factory=dict)
    held: deque[tuple[bytes, str]] = field(default_factory=deque)
    """The provider's own events whose words have not gone out yet."""
    unsent: str = ""
    as_it_came: bool = True

    def take(self, released: list[Released], heard: str) -> None:
        """`heard` is what waits here, as it was said."""
        checked = "".join(piece.text for piece in released)
        self.as_it_came &= heard.startswith(self.unsent + checked)
        self.unsent += checked

    def out(self) -> Iterator[bytes]:
        if self.as_it_came:
            while self.held and len(self.held[0][1]) <= len(self.unsent):
                raw, words = self.held.popleft()
                self.unsent = self.unsent[len(words) :]
                yield raw
        elif self.unsent:
            self.held.clear()
            yield _event({**self.sample, "delta": self.unsent})
            self.unsent = ""


class ProxiedAnswer:
    """The answer to one call. `asked` is what the caller said: they may read their own data in the answer."""

    def __init__(self, policy: Policy, scope: Scope, asked: str) -> None:
        self._rules = OutputRules(policy, scope, [Fragment(UserMessage(asked))])
        self._decisions: list[ModerationDecision] = []
        self._changed = False
        self._checked: dict[str, tuple[str, bool]] = {}
        self._rest = b""
        self._parts: dict[tuple[Any, ...], _Part] = {}
        self._calls: list[bytes] = []
        self.blocked = False

    @property
    def decision(self) -> ModerationDecision:
        return verdicts.merged(((None, one) for one in self._decisions), "assistant")

    @property
    def verdict(self) -> Json:
        return verdicts.as_record(self.decision, redacted=self._changed, spans=False)

    def whole(self, answer: Json) -> Json:
        """The same object where nothing is found."""
        blocked, clean = self._cleaned(answer, blocked=False)
        if self.blocked and not blocked:
            # Sentence by sentence it was stopped, and as a whole it would pass: what nobody was shown stays so.
            _, clean = self._cleaned(answer, blocked=True)
        self.blocked |= blocked
        return _cut_off(clean) if self.blocked else clean

    def feed(self, piece: bytes) -> list[bytes]:
        """What may go out now. Nothing after a block, but the event that ends the answer."""
        self._rest = (self._rest + piece).replace(b"\r\n", b"\n")
        *blocks, self._rest = self._rest.split(b"\n\n")
        return [out for block in blocks for out in self._block(block + b"\n\n")]

    def finish(self) -> list[bytes]:
        return [] if self.blocked else list(self._flush())

    def _block(self, raw: bytes) -> Iterator[bytes]:
        event = _read(raw)
        if event is None:
            yield raw
            return
        if not event:
            return  # what cannot be read cannot be checked
        kind = str(event.get("type", ""))
        if kind in _LAST:
            yield from self._flush()
            yield self._ending(raw, event, kind)
        elif self.blocked:
            return
        elif kind in _SPOKEN:
            yield from self._spoken(raw, event, kind)
        elif kind == _ARGUMENTS:
            self._calls.append(raw)  # no sentence ends in them: they wait for the whole
        elif not kind.endswith(
            ".delta"
        ):  # the rest come whole; a kind of delta we do not know is not passed on
            yield from self._flush()
            yield from self._other(raw, event)

    def _spoken(self, raw: bytes, event: Json, kind: str) -> Iterator[bytes]:
        place = (kind, *(event.get(name) for name in _PLACE))
        part = self._parts.setdefault(place, _Part(self._rules.gate()))
        words = str(event.get("delta") or "")
        part.sample = event
        part.held.append((raw, words))
        yield from self._release(part, part.gate.feed(words))

    def _flush(self) -> Iterator[bytes]:
        for part in self._parts.values():
            if not self.blocked:
                yield from self._release(part, part.gate.finish())

    def _release(self, part: _Part, released: list[Released]) -> Iterator[bytes]:
        self._decisions += [piece.decision for piece in released]
        part.take(released, "".join(words for _, words in part.held))
        if part.gate.blocked is not None:
            self._decisions.append(part.gate.blocked)
            self.blocked, part.as_it_came = True, False
            part.unsent += part.gate.replacement or ""
        self._changed |= not part.as_it_came
        yield from part.out()

    def _other(self, raw: bytes, event: Json) -> Iterator[bytes]:
        blocked, clean = self._cleaned(event, blocked=False)
        self.blocked |= blocked
        if self.blocked:
            return
        if "arguments" in clean or clean.get("item", {}).get("type") == "function_call":
            yield from self._calls
            self._calls.clear()
        yield raw if clean is event else _event(clean)

    def _ending(self, raw: bytes, event: Json, kind: str) -> bytes:
        given = event.get("response")
        clean = self.whole(given) if isinstance(given, dict) else given
        if clean is given:
            return raw
        ended = "response.incomplete" if self.blocked and kind == "response.completed" else kind
        return _event({**event, "type": ended, "response": clean})

    def _cleaned(self, value: Json, *, blocked: bool) -> tuple[bool, Json]:
        """Whether something in it is blocked, and the rest of it. After what is blocked, nothing more is said."""
        clean: Json = {}
        for name, one in value.items():
            if name in _INSIDE and isinstance(one, dict):
                blocked, clean[name] = self._cleaned(one, blocked=blocked)
            elif name in _INSIDE and isinstance(one, list):
                blocked, clean[name] = self._each(one, blocked=blocked)
            elif isinstance(one, str) and name in (*_WORDS, *_INSIDE):
                clean[name], stopped = ("", True) if blocked else self._said(one)
                blocked |= stopped
            else:
                blocked |= name == "arguments" and isinstance(one, str) and not self._may_be_called(one)
                clean[name] = one
        same = all(clean[name] is one for name, one in value.items())
        if not same and "logprobs" in clean:
            clean["logprobs"] = []  # they spell out what was taken away
        return blocked, value if same else clean

    def _each(self, values: list[Any], *, blocked: bool) -> tuple[bool, list[Any]]:
        clean: list[Any] = []
        for one in values:
            if not isinstance(one, dict):
                clean.append(one)
                continue
            blocked, kept = self._cleaned(one, blocked=blocked)
            clean.append(kept)
        same = all(new is old for new, old in zip(clean, values, strict=True))
        return blocked, values if same else clean

    def _said(self, text: str) -> tuple[str, bool]:
        if text not in self._checked:
            gate = self._rules.gate()
            released = gate.feed(text) + gate.finish()
            self._decisions += [piece.decision for piece in released]
            if gate.blocked is not None:
                self._decisions.append(gate.blocked)
            shown = "".join(piece.text for piece in released) + (gate.replacement or "")
            self._changed |= shown != text
            self._checked[text] = (text if shown == text else shown), gate.blocked is not None
        shown, blocked = self._checked[text]
        return (text if shown == text else shown), blocked

    def _may_be_called(self, arguments: str) -> bool:
        """Words for a program's own tool: stopped, but never rewritten. It could not be read any more."""
        decision = self._rules.check(arguments)
        if not decision.allowed:
            self._decisions.append(decision)
        return decision.allowed


def _cut_off(answer: Json) -> Json:
    output = [one for one in answer.get("output") or () if _type(one) != "function_call"]
    return {
        **answer,
        "output": output,
        "status": "incomplete",
        "incomplete_details": {"reason": "content_filter"},
    }


def _type(item: Any) -> Any:
    return item.get("type") if isinstance(item, dict) else None


def _read(raw: bytes) -> Json | None:
    """None for what holds no words: comments, and the mark at the end."""
    for event in EventParser().feed(raw):
        try:
            read = json.loads(event.data)
        except ValueError:
            return None if event.data == b"[DONE]" else {}
        return read if isinstance(read, dict) else {}
    return None


def _event(event: Json) -> bytes:
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()
