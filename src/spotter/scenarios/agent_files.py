"""Agents from Markdown files: what can be set is in the front matter, the body is what the model is told."""

from functools import cache
from importlib.resources import files
from typing import Annotated, Any, Final, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from spotter.errors import InvalidInput
from spotter.runtime.agent import Agent
from spotter.runtime.agent import Limits as AgentLimits

_FENCE: Final = "---"


class LimitsGiven(BaseModel):
    model_config = ConfigDict(extra="forbid")

    iterations: Annotated[int, Field(ge=1, le=100)] = 25
    identical_calls: Annotated[int, Field(ge=2, le=20)] = 3
    wall_seconds: Annotated[float, Field(gt=0, le=3600)] = 300.0
    checkpoint_tokens: Annotated[int, Field(ge=1_000, le=1_000_000)] = 80_000


class AgentFile(BaseModel):
    """An agent as it is written down, in a file or in the database."""

    model_config = ConfigDict(extra="forbid")

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{1,59}$")]
    title: Annotated[str, Field(max_length=80)] = ""
    description: Annotated[str, Field(max_length=400)] = ""
    model: str | None = Field(default=None, description="the installation's model if not set")
    small_model: str | None = None
    tools: list[str] = []
    tool_choice: Literal["auto", "required"] = "auto"
    limits: LimitsGiven = LimitsGiven()
    instructions: Annotated[str, Field(min_length=1, max_length=40_000)]

    def agent(self, default_model: str) -> Agent:
        model = self.model or default_model
        return Agent(
            name=self.name,
            instructions=self.instructions,
            model=model,
            tools=tuple(self.tools),
            tool_choice=self.tool_choice,
            limits=AgentLimits(**self.limits.model_dump()),
            fallbacks=() if model == "offline" else ("offline",),
            small_model=self.small_model,
        )


def parse(text: str, where: str = "the agent") -> AgentFile:
    lines = text.splitlines()
    if not lines or lines[0].strip() != _FENCE or _FENCE not in [line.strip() for line in lines[1:]]:
        raise InvalidInput(f"{where} does not begin with front matter between two lines of {_FENCE}.")
    end = [line.strip() for line in lines[1:]].index(_FENCE) + 1
    try:
        front: Any = yaml.safe_load("\n".join(lines[1:end])) or {}
    except yaml.YAMLError as error:
        raise InvalidInput(f"The front matter of {where} is not YAML: {error}") from None
    if not isinstance(front, dict):
        raise InvalidInput(f"The front matter of {where} is not a list of settings.")
    try:
        return AgentFile.model_validate({**front, "instructions": "\n".join(lines[end + 1 :]).strip()})
    except ValidationError as error:
        problems = "; ".join(
            f"{'.'.join(map(str, problem['loc'])) or 'file'}: {problem['msg']}" for problem in error.errors()
        )
        raise InvalidInput(f"{where} cannot be used: {problems}") from None


@cache
def builtin() -> dict[str, AgentFile]:
    """The agents that ship with Spotter."""
    folder = files("spotter.scenarios") / "agents"
    found = [
        parse(one.read_text(encoding="utf-8"), one.name)
        for one in folder.iterdir()
        if one.name.endswith(".md")
    ]
    return {agent.name: agent for agent in sorted(found, key=lambda agent: agent.name)}
