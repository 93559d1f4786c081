"""Who can be spoken to, and what a voice model and the browser are told of them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from spotter.billing.speaking import ANSWER_TOKENS, CONTEXT_TOKENS
from spotter.errors import InvalidInput
from spotter.llm.tokens import estimate
from spotter.runtime.agent import Agent
from spotter.runtime.kit import Part
from spotter.runtime.outside import wrapped
from spotter.runtime.registry import ToolRegistry
from spotter.safety import DATA_NOTE
from spotter.scenarios.agent_files import AgentFile
from spotter.scenarios.book import Book
from spotter.scenarios.scenario_files import ScenarioFile
from spotter.sessions.projections import ASK_TOOL, NOTIFY_TOOL

SPOKEN_INSTEAD: Final = frozenset({ASK_TOOL, NOTIFY_TOOL, "idle"})
"""Tools for those who cannot speak: a voice says it."""
_RETAINED: Final = 0.8
_TRANSCRIBED_BY: Final = "gpt-4o-mini-transcribe"
_MARGIN: Final = 2
"""Our count of tokens may be low by a half."""

ALOUD: Final = (
    "You are speaking aloud. Keep to short sentences, one thing at a time, without lists or symbols; say numbers the "
    "way people say them. Wait for an answer before you go on.\n"
    "A workout, a weight, a price or a date is never made up: call the tool and tell what it answered. What no tool "
    "has confirmed has not been done, and you say so.\n"
    "If somebody mentions chest pain, fainting, sudden shortness of breath, a sudden weakness or harming themselves, "
    "stop the training talk at once and tell them to get help now: their local emergency number, or a person nearby."
)


@dataclass(frozen=True, slots=True)
class Speaker:
    """An agent as the browser gets it."""

    name: str
    description: str
    instructions: str
    tools: tuple[Mapping[str, Any], ...]
    handoffs: tuple[str, ...]
    voice: str

    def session(self, model: str) -> dict[str, Any]:
        """What a voice model is set up with; the browser sends the same with `session.update` when agents change."""
        return {
            "instructions": self.instructions,
            "tools": [{"type": "function", **tool} for tool in self.tools],
            "tool_choice": "auto",
            "output_modalities": ["audio"],
            "max_output_tokens": ANSWER_TOKENS,
            "truncation": {
                "type": "retention_ratio",
                "retention_ratio": _RETAINED,
                "token_limits": {"post_instructions": CONTEXT_TOKENS},
            },
            "audio": {
                "input": {"transcription": {"model": _TRANSCRIBED_BY}},
                "output": {"voice": self.voice},
            },
        }

    @property
    def tokens(self) -> int:
        told = [self.instructions, *(str(tool) for tool in self.tools)]
        return _MARGIN * sum(map(estimate, told))


def speakers(
    book: Book, scenario: ScenarioFile, root: str | None, registry: ToolRegistry, voice: str
) -> list[Speaker]:
    """Everybody of the scenario, whoever is spoken to first at the front."""
    first = root or scenario.first_agent
    if first not in scenario.agents:
        raise InvalidInput(
            f"{first!r} does not take part in the scenario {scenario.id!r}. There are: {', '.join(scenario.agents)}."
        )
    names = [first, *(name for name in scenario.agents if name != first)]
    return [
        _speaker(book.agents[name], book.cast(Part(name, scenario.id)), registry, voice)
        for name in names
        if name in book.agents
    ]


def with_context(speaker: Speaker, block: str) -> Speaker:
    """With what the person is looking at, as data."""
    return Speaker(
        speaker.name,
        speaker.description,
        f"{speaker.instructions}\n\n{wrapped(block, 'knowledge', 'context')}",
        speaker.tools,
        speaker.handoffs,
        speaker.voice,
    )


def dearest(speakers: Iterable[Speaker]) -> int:
    """The tokens of whoever has the most to read: the conversation may be handed to any of them."""
    return max(speaker.tokens for speaker in speakers)


def _speaker(written: AgentFile, agent: Agent, registry: ToolRegistry, voice: str) -> Speaker:
    box = registry.of(agent)
    tools = [box.get(name) for name in box.names if name not in SPOKEN_INSTEAD]
    return Speaker(
        name=written.name,
        description=written.description,
        instructions=f"{agent.instructions}\n\n{DATA_NOTE}\n\n{ALOUD}",
        tools=tuple(
            {"name": tool.name, "description": tool.description, "parameters": tool.schema}
            for tool in tools
            if tool is not None
        ),
        handoffs=tuple(handover.to for handover in agent.handoffs),
        voice=written.voice or voice,
    )
