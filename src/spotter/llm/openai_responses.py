"""Models behind OpenAI's Responses API. Loaded lazily."""

from typing_extensions import override

from spotter.llm import wire_responses
from spotter.llm.folding import Fold
from spotter.llm.openai_chat import OpenAIChatModel
from spotter.llm.port import ModelSettings
from spotter.llm.prompt import Prompt, Tools


class OpenAIResponsesModel(OpenAIChatModel):
    """The same client and faults as Chat Completions; another path, another dialect."""

    endpoint = "/responses"

    @override
    def _body(self, prompt: Prompt, tools: Tools, settings: ModelSettings, *, stream: bool) -> bytes:
        return wire_responses.body(
            self.name, prompt, tools, settings, stream=stream, temperature=self.capabilities.temperature
        )

    @override
    def _fold(self, prompt: Prompt, settings: ModelSettings) -> Fold:
        return wire_responses.ResponsesFold(prompt, self._origin)
