"""What a tool is: a typed function, what it is for, who may call it, and what kind of effect it has."""

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, Literal, TypeAlias, TypeVar, get_type_hints

from pydantic import BaseModel, ConfigDict, TypeAdapter, create_model

from spotter.identity.principal import Role
from spotter.llm.prompt import ToolSpec
from spotter.runtime.approval_policy import ALWAYS, NEVER, Rule
from spotter.sessions.events import Ending, Move

DEFAULT_TIMEOUT: Final = 30.0
_DECLARED: Final[dict[str, Rule]] = {"never": NEVER, "always": ALWAYS}


class Effect(StrEnum):
    """What happens if the process dies in the middle of a call."""

    OURS = "ours"
    """Our own rows: the writes and the result commit together, so the call happened once or not at all."""
    KEYED = "keyed"
    """Outside, with an idempotency key: an outbox row commits with the result; a job delivers it."""
    UNKEYED = "unkeyed"
    """Outside, without a key: marked before and after; found in between, it is `uncertain`, never repeated."""


class FixAndRetry(Exception):
    """The model asked for something that cannot be, and can ask again better. The text says how."""


class ToolFailed(Exception):
    """It did not work and asking again will not help. The text says what the model should do instead."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A tool's result: data for programs, a lean text for the model, and whether it ends the turn."""

    data: Any = None
    formatted: str | None = None
    ends: Ending | None = None
    moves: tuple[Move, ...] = ()
    """Who speaks next and where the session stands now; in the log together with the result."""


ToolFunction: TypeAlias = Callable[..., Awaitable[Any]]
F = TypeVar("F", bound=ToolFunction)


@dataclass(frozen=True, slots=True)
class Tool:
    name: str
    description: str
    category: str
    function: ToolFunction
    arguments: type[BaseModel]
    schema: Mapping[str, Any]
    permission: Role = Role.MEMBER
    effect: Effect = Effect.OURS
    timeout: float = DEFAULT_TIMEOUT
    examples: Sequence[str] = ()
    version: int = 1
    approval: Rule = NEVER
    """Whether a person must approve a call, unless the organisation says otherwise."""
    reads_untrusted: bool = False
    """Its result holds words of strangers: web pages, mails, what members wrote."""
    reads_private: bool = False
    sends_outside: bool = False
    ends_turn: bool = False
    """Whether it can end a turn: an agent that must call a tool at every step needs one that does."""
    result: TypeAdapter[Any] = field(default_factory=lambda: TypeAdapter(Any))

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(self.name, self.description, self.schema)

    def as_openai(self) -> dict[str, Any]:
        parameters = {"name": self.name, "description": self.description, "parameters": self.schema}
        return {"type": "function", "function": parameters}

    def as_anthropic(self) -> dict[str, Any]:
        return {"name": self.name, "description": self.description, "input_schema": self.schema}

    def as_mcp(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "description": self.description,
            "inputSchema": self.schema,
            "annotations": {"readOnlyHint": False, "openWorldHint": self.sends_outside},
        }


def tool(
    *,
    category: str,
    permission: Role = Role.MEMBER,
    effect: Effect = Effect.OURS,
    timeout: float = DEFAULT_TIMEOUT,
    examples: Sequence[str] = (),
    version: int = 1,
    name: str | None = None,
    approval: Rule | Literal["never", "always"] = "never",
    reads_untrusted: bool = False,
    reads_private: bool = False,
    sends_outside: bool | None = None,
    ends_turn: bool = False,
) -> Callable[[ToolFunction], Tool]:
    """Declares a tool. The first parameter is the context; the rest become the schema, the docstring what the
    model reads. A tool with effects outside sends outside, unless it says that it does not."""

    def declare(function: ToolFunction) -> Tool:
        description = inspect.getdoc(function)
        if not description:
            raise TypeError(f"{function.__name__} needs a docstring: it is what the model reads")
        arguments = _arguments_model(function)
        hints = get_type_hints(function, include_extras=True)
        return Tool(
            name=name or function.__name__,
            description=description,
            category=category,
            function=function,
            arguments=arguments,
            schema=_schema(arguments),
            permission=permission,
            effect=effect,
            timeout=timeout,
            examples=tuple(examples),
            version=version,
            approval=_DECLARED[approval] if isinstance(approval, str) else approval,
            reads_untrusted=reads_untrusted,
            reads_private=reads_private,
            sends_outside=effect is not Effect.OURS if sends_outside is None else sends_outside,
            ends_turn=ends_turn,
            result=TypeAdapter(hints.get("return", Any)),
        )

    return declare


def _arguments_model(function: ToolFunction) -> type[BaseModel]:
    hints = get_type_hints(function, include_extras=True)
    parameters = list(inspect.signature(function).parameters.values())[1:]
    fields: dict[str, Any] = {}
    for parameter in parameters:
        if parameter.name not in hints:
            raise TypeError(f"{function.__name__}: the parameter {parameter.name} needs a type")
        default = ... if parameter.default is inspect.Parameter.empty else parameter.default
        fields[parameter.name] = (hints[parameter.name], default)
    return create_model(
        f"{function.__name__}_arguments", __config__=ConfigDict(extra="forbid", frozen=True), **fields
    )


def _schema(arguments: type[BaseModel]) -> dict[str, Any]:
    schema = arguments.model_json_schema()
    schema.pop("title", None)
    for described in schema.get("properties", {}).values():
        described.pop("title", None)
    schema.setdefault("properties", {})
    return schema
