"""What a model is told, in no provider's language, with each piece's wire form encoded once and kept.

A runtime holds one list of `Fragment`s per session and appends to it; the body of the next request is then
a join of bytes that exist already. Encoded pieces never change, so a request's prefix only grows.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any, Final, assert_never, overload

from typing_extensions import override

from spotter.errors import InvalidInput
from spotter.llm.text import json_bytes, json_text
from spotter.llm.tokens import MESSAGE_OVERHEAD, estimate, in_tokens, weight_of_all


@dataclass(frozen=True, slots=True)
class ToolCall:
    id: str
    name: str
    arguments: str
    """The raw string the model wrote. It may be no JSON at all."""


@dataclass(frozen=True, slots=True)
class Replay:
    """Blocks of an answer that its own provider wants back unchanged; others never see them."""

    dialect: str
    blocks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UserMessage:
    text: str


@dataclass(frozen=True, slots=True)
class AssistantMessage:
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    replay: Replay | None = None


@dataclass(frozen=True, slots=True)
class ToolResult:
    call_id: str
    text: str
    is_error: bool = False


Message = UserMessage | AssistantMessage | ToolResult


class Kind(Enum):
    USER = 1
    ASSISTANT = 2
    RESULT = 3


class Fragment:
    """One neutral message and, once asked for, its bytes in each dialect. The wire modules fill the slots."""

    __slots__ = ("_weight", "anthropic", "chat", "kind", "message", "responses")

    def __init__(self, message: Message) -> None:
        self.message: Final = message
        match message:
            case UserMessage():
                self.kind = Kind.USER
            case AssistantMessage():
                self.kind = Kind.ASSISTANT
            case ToolResult():
                self.kind = Kind.RESULT
            case _:
                assert_never(message)
        # (what leads, the calls): two parts because neighbouring assistant fragments are one message.
        # User and result fragments have everything in the first.
        self.chat: tuple[bytes, bytes] | None = None
        self.responses: tuple[bytes, bytes] | None = None
        self.anthropic: tuple[bytes, bytes] | None = None
        self._weight = -1

    @property
    def weight(self) -> int:
        """In hundredths of a token: see `tokens.py`."""
        if self._weight < 0:
            self._weight = 100 * MESSAGE_OVERHEAD + weight_of_all(_texts(self.message))
        return self._weight

    @property
    def tokens(self) -> int:
        return in_tokens(self.weight)

    @override
    def __repr__(self) -> str:
        return f"Fragment({self.message!r})"


def _texts(message: Message) -> Iterable[str]:
    match message:
        case UserMessage(text) | ToolResult(text=text):
            yield text
        case AssistantMessage(text, calls, _):
            yield text
            for call in calls:
                yield call.name
                yield call.arguments
                yield "call"
        case _:
            assert_never(message)


class Section:
    """A part of the system prompt. Stable ones come first: they are what provider caches reuse."""

    __slots__ = ("encoded", "stable", "text", "tokens")

    def __init__(self, text: str, *, stable: bool = True) -> None:
        self.text: Final = text
        self.stable: Final = stable
        self.encoded: Final = json_text(text)
        self.tokens: Final = estimate(text)


class History(Sequence[Fragment]):
    """A session's fragments, append-only. What cannot change any more is kept joined, so that the next request costs
    what is new in it. After a checkpoint or a fork, make a new one; the fragments can be shared.
    """

    __slots__ = ("_call_ids", "_counted", "_fragments", "_weight", "joined")

    def __init__(self, fragments: Iterable[Fragment] = ()) -> None:
        self._fragments = list(fragments)
        self.joined: Final[dict[str, tuple[int, bytes]]] = {}
        """By dialect: how many fragments, and the bytes of their messages. The wire modules see to it."""
        self._call_ids: set[str] = set()
        self._weight = 0
        self._counted = 0

    def append(self, fragment: Fragment) -> None:
        self._fragments.append(fragment)

    def extend(self, fragments: Iterable[Fragment]) -> None:
        self._fragments.extend(fragments)

    @override
    def __len__(self) -> int:
        return len(self._fragments)

    @overload
    def __getitem__(self, index: int) -> Fragment: ...

    @overload
    def __getitem__(self, index: slice) -> list[Fragment]: ...

    @override
    def __getitem__(self, index: int | slice) -> Fragment | list[Fragment]:
        return self._fragments[index]

    @override
    def __iter__(self) -> Iterator[Fragment]:
        return iter(self._fragments)

    def _count(self) -> None:
        new = self._fragments[self._counted :]
        if not new:
            return
        self._weight += 100 * MESSAGE_OVERHEAD * len(new)
        self._weight += weight_of_all(text for fragment in new for text in _texts(fragment.message))
        for fragment in new:
            if fragment.kind is Kind.ASSISTANT and isinstance(fragment.message, AssistantMessage):
                self._call_ids.update([call.id for call in fragment.message.calls])
        self._counted = len(self._fragments)

    @property
    def tokens(self) -> int:
        self._count()
        return in_tokens(self._weight)

    @property
    def call_ids(self) -> set[str]:
        self._count()
        return self._call_ids


@dataclass(frozen=True, slots=True)
class Prompt:
    """`messages` is the session's history, in order; `trailing` is what changes every call (the time, hints).

    A legal history answers each call; beyond that the wire modules see to what providers insist on: calls of
    one step in one message, their results first in the next, roles in turn. Give a `History` where there is one: any
    sequence will do, but is joined anew each time.
    """

    messages: Sequence[Fragment]
    system: Sequence[Section] = ()
    trailing: Sequence[Fragment] = ()

    def call_ids(self) -> set[str]:
        if isinstance(self.messages, History):
            return set(self.messages.call_ids)
        return {
            call.id
            for fragment in self.messages
            if isinstance(fragment.message, AssistantMessage)
            for call in fragment.message.calls
        }

    @property
    def has_calls(self) -> bool:
        return bool(self.call_ids())

    @property
    def tokens(self) -> int:
        """An estimate, see `tokens.py`; cheap because every part keeps its own."""
        if isinstance(self.messages, History):
            past = self.messages.tokens
        else:
            past = in_tokens(sum([fragment.weight for fragment in self.messages]))
        return (
            past + sum([part.tokens for part in self.trailing]) + sum([part.tokens for part in self.system])
        )


def prompt_of(*messages: Message, system: str = "") -> Prompt:
    """A one-off prompt."""
    return Prompt(messages=tuple(map(Fragment, messages)), system=(Section(system),) if system else ())


@dataclass(frozen=True, slots=True)
class ToolSpec:
    name: str
    description: str
    parameters: Mapping[str, Any]
    """A JSON schema of type object."""


class Tools:
    """A set of tools, encoded once. Build one per tool set and keep it."""

    def __init__(self, specs: Iterable[ToolSpec] = ()) -> None:
        self.specs: Final = tuple(specs)
        self.names: Final = tuple(spec.name for spec in self.specs)
        if len(set(self.names)) != len(self.names):
            raise InvalidInput(f"Two tools share a name: {', '.join(sorted(self.names))}. Rename one.")

    def __bool__(self) -> bool:
        return bool(self.specs)

    @cached_property
    def tokens(self) -> int:
        return sum(
            8 + estimate(f"{spec.description}{json_bytes(spec.parameters).decode()}") for spec in self.specs
        )

    @cached_property
    def chat(self) -> bytes:
        return json_bytes([{"type": "function", "function": _function(spec)} for spec in self.specs])

    @cached_property
    def responses(self) -> bytes:
        # Responses makes tools strict unless told otherwise; our schemas may have optional parameters.
        return json_bytes([{"type": "function", **_function(spec), "strict": False} for spec in self.specs])

    @cached_property
    def anthropic(self) -> bytes:
        return json_bytes(
            [
                {"name": spec.name, "description": spec.description, "input_schema": spec.parameters}
                for spec in self.specs
            ]
        )


def _function(spec: ToolSpec) -> dict[str, Any]:
    return {"name": spec.name, "description": spec.description, "parameters": spec.parameters}


NO_TOOLS: Final = Tools()
