"""Scenarios as they are written down: who takes part, who is spoken to first, and how the conversation finds the right
one: by handing over, or by stages."""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from spotter.errors import InvalidInput
from spotter.scenarios.agent_files import AgentName, ModelName, settings_in, what_is_wrong

ScenarioId = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{1,59}$")]
StageName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{1,39}$")]


class Stages(BaseModel):
    """The course of a scenario: who answers where. Which way one may go is for the code that moves it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    first: StageName
    agents: Annotated[dict[StageName, AgentName], Field(min_length=1, max_length=40)]


class Guardrails(BaseModel):
    """What holds for everybody who takes part, beyond the organisation's safety policy, which always holds."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    always: Annotated[
        tuple[Annotated[str, Field(min_length=1, max_length=400)], ...], Field(max_length=20)
    ] = ()
    never: Annotated[
        tuple[Annotated[str, Field(min_length=1, max_length=400)], ...], Field(max_length=20)
    ] = ()

    def told(self) -> str:
        """As every agent of the scenario reads it."""
        parts = [
            f"{heading}:\n" + "\n".join(f"- {each}" for each in rules)
            for heading, rules in (("Always", self.always), ("Never", self.never))
            if rules
        ]
        return "\n\n".join(parts)


class ScenarioFile(BaseModel):
    """A scenario as it is written down, in a file or in the database."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: ScenarioId
    name: Annotated[str, Field(min_length=1, max_length=80)]
    description: Annotated[str, Field(max_length=400)] = ""
    root: AgentName = Field(description="who is spoken to first, and who takes over when another is gone")
    agents: Annotated[tuple[AgentName, ...], Field(min_length=1, max_length=40)]
    routing: Literal["handoff", "stages"] = "handoff"
    stages: Stages | None = None
    guardrails: Guardrails = Guardrails()
    model: ModelName | None = Field(
        default=None, description="what its agents think with, unless they say otherwise"
    )

    @model_validator(mode="after")
    def _stages_where_they_belong(self) -> Self:
        if (self.routing == "stages") != (self.stages is not None):
            raise ValueError("give `stages` with the routing `stages`, and only then")
        return self

    @property
    def first_stage(self) -> str | None:
        return self.stages.first if self.stages is not None else None

    @property
    def first_agent(self) -> str:
        """Who is spoken to when a session begins."""
        return self.stages.agents.get(self.stages.first, self.root) if self.stages is not None else self.root


def parse(text: str, where: str = "the scenario") -> ScenarioFile:
    try:
        return ScenarioFile.model_validate(settings_in(text, where))
    except ValidationError as error:
        raise InvalidInput(f"{where} cannot be used: {what_is_wrong(error)}") from None
