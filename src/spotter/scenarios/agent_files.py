"""Agents as they are written down: in a Markdown file, where what can be set is in the front matter and the body is
what the model is told, or with the same fields in the database."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from spotter.errors import InvalidInput
from spotter.runtime.agent import Agent, Handover
from spotter.runtime.agent import Limits as AgentLimits

_FENCE: Final = "---"
_MOST_EXAMPLES_TOLD: Final = 5

AgentName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{1,49}$")]
"""A tool is named after it (`transfer_to_…`), and providers allow 64 characters for that."""
ModelName = Annotated[str, Field(min_length=1, max_length=200)]
ToolName = Annotated[str, Field(min_length=1, max_length=64)]
Example = Annotated[str, Field(min_length=1, max_length=200)]


class LimitsGiven(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    iterations: Annotated[int, Field(ge=1, le=100)] = 25
    identical_calls: Annotated[int, Field(ge=2, le=20)] = 3
    wall_seconds: Annotated[float, Field(gt=0, le=3600)] = 300.0
    checkpoint_tokens: Annotated[int, Field(ge=1_000, le=1_000_000)] = 80_000


class HandoffGiven(BaseModel):
    """Who the conversation may be handed to. Written as the name alone when the rest is as usual."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    to: AgentName
    when: Annotated[str, Field(max_length=400)] = Field(
        default="", description="when to hand over; what the other says of itself if not given"
    )
    history: Literal["all", "turn"] = Field(
        default="all", description="what the other reads of what was said before this turn: all, or nothing"
    )


def _named(given: object) -> object:
    return {"to": given} if isinstance(given, str) else given


Handing = Annotated[HandoffGiven, BeforeValidator(_named, json_schema_input_type=HandoffGiven | AgentName)]


class AgentFile(BaseModel):
    """An agent as it is written down, in a file or in the database."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: AgentName
    title: Annotated[str, Field(max_length=80)] = ""
    description: Annotated[str, Field(max_length=400)] = Field(
        default="", description="what it is for; others hand over by it, and it is chosen by it"
    )
    examples: Annotated[tuple[Example, ...], Field(max_length=30)] = Field(
        default=(), description="things people say that are for this agent"
    )
    model: ModelName | None = Field(default=None, description="the installation's model if not set")
    small_model: ModelName | None = None
    tools: Annotated[tuple[ToolName, ...], Field(max_length=128)] = ()
    tool_choice: Literal["auto", "required"] = "auto"
    handoffs: Annotated[tuple[Handing, ...], Field(max_length=30)] = ()
    voice: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,39}$")] | None = Field(
        default=None, description="who speaks when it is talked to aloud"
    )
    limits: LimitsGiven = LimitsGiven()
    instructions: Annotated[str, Field(min_length=1, max_length=40_000)]

    def agent(
        self,
        default_model: str,
        others: Mapping[str, "AgentFile"] | None = None,
        *,
        rules: str = "",
    ) -> Agent:
        """As the runtime knows it. Hands over only to `others`; `rules` are what its scenario tells everybody."""
        model = self.model or default_model
        known = others or {}
        return Agent(
            name=self.name,
            instructions=f"{self.instructions}\n\n{rules}" if rules else self.instructions,
            model=model,
            tools=self.tools,
            tool_choice=self.tool_choice,
            limits=AgentLimits(**self.limits.model_dump()),
            fallbacks=() if model == "offline" else ("offline",),
            handoffs=tuple(
                Handover(each.to, _when(each, known[each.to]), each.history)
                for each in self.handoffs
                if each.to in known and each.to != self.name
            ),
            small_model=self.small_model,
        )


def _when(given: HandoffGiven, target: AgentFile) -> str:
    """What the model decides by: examples help it, and the offline model decides by nothing else."""
    said = given.when or target.description or target.title or target.name
    examples = "; ".join(f"“{each}”" for each in target.examples[:_MOST_EXAMPLES_TOLD])
    return f"{said.rstrip('.')}. For example: {examples}" if examples else said


def parse(text: str, where: str = "the agent") -> AgentFile:
    lines = text.splitlines()
    if not lines or lines[0].strip() != _FENCE or _FENCE not in [line.strip() for line in lines[1:]]:
        raise InvalidInput(f"{where} does not begin with front matter between two lines of {_FENCE}.")
    end = [line.strip() for line in lines[1:]].index(_FENCE) + 1
    front = settings_in("\n".join(lines[1:end]), f"The front matter of {where}")
    try:
        return AgentFile.model_validate({**front, "instructions": "\n".join(lines[end + 1 :]).strip()})
    except ValidationError as error:
        raise InvalidInput(f"{where} cannot be used: {what_is_wrong(error)}") from None


def settings_in(text: str, what: str) -> dict[str, Any]:
    """YAML that is a list of settings."""
    try:
        found: Any = yaml.safe_load(text) or {}
    except yaml.YAMLError as error:
        raise InvalidInput(f"{what} is not YAML: {error}") from None
    if not isinstance(found, dict):
        raise InvalidInput(f"{what} is not a list of settings.")
    return found


def what_is_wrong(error: ValidationError) -> str:
    return "; ".join(
        f"{'.'.join(map(str, problem['loc'])) or 'file'}: {problem['msg']}" for problem in error.errors()
    )
