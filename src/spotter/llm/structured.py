"""Answers in a given shape, on top of any model."""

import json
import re
from dataclasses import dataclass, replace
from typing import Any

from spotter.llm.faults import ModelProtocolError, ModelRefused
from spotter.llm.port import DEFAULTS, Final, FinishReason, JsonSchema, Model, ModelSettings
from spotter.llm.prompt import NO_TOOLS, Prompt

_FENCE = re.compile(r"\A\s*```(?:json)?\s*\n(.*?)\n?\s*```\s*\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class JsonAnswer:
    value: Any
    final: Final


async def complete_json(
    model: Model, prompt: Prompt, wanted: JsonSchema, settings: ModelSettings = DEFAULTS
) -> JsonAnswer:
    """The answer as JSON. Whether it fits the schema is for the caller to check: not every server enforces it."""
    final = await model.complete(prompt, NO_TOOLS, replace(settings, json_schema=wanted, tool_choice="auto"))
    asked = f"{final.provider} {final.model}"
    if final.finish is FinishReason.REFUSAL:
        raise ModelRefused(f"{asked} refused to answer.", usage=final.usage, request_id=final.request_id)
    fenced = _FENCE.match(final.text)
    try:
        value = json.loads(fenced[1] if fenced else final.text)
    except (ValueError, RecursionError) as error:
        cut = " before it was finished" if final.finish is FinishReason.LENGTH else ""
        raise ModelProtocolError(
            f"{asked} answered with something that is no JSON{cut}: {error}",
            usage=final.usage,
            request_id=final.request_id,
        ) from error
    return JsonAnswer(value, final)
