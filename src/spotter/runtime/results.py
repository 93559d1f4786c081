"""What came of a call, as the log keeps it and the model reads it."""

import logging
import time
from dataclasses import replace
from typing import Any, Final

from pydantic import ValidationError
from pydantic_core import ErrorDetails, from_json, to_json

from spotter.context.references import is_reference
from spotter.errors import SpotterError
from spotter.runtime.tool import Answer, FixAndRetry, Tool, ToolFailed
from spotter.sessions.codec import storable
from spotter.sessions.events import Action, Outcome, Result

log = logging.getLogger(__name__)

_LONGEST_RESULT: Final = 60_000


def as_answer(tool: Tool, returned: Any) -> Answer:
    """What a tool returned, as plain data."""
    if isinstance(returned, Answer):
        return replace(returned, data=from_json(to_json(returned.data)))
    return Answer(tool.result.dump_python(returned, mode="json"))


def result_of(call: Action, answer: Answer, started: float, *, edited: bool, alone: bool) -> Result:
    """Only a call that is alone may end the turn: others still wait for their results."""
    formatted = answer.formatted if answer.formatted is not None else _as_text(answer.data)
    if edited:
        formatted = f"[A person changed the arguments to {call.args} before it was approved.]\n{formatted}"
    return Result(
        tool=call.tool,
        call_id=call.call_id,
        result=answer.data,
        formatted=_bounded(storable(formatted)),
        ms=_ms(started),
        ends=answer.ends if alone else None,
    )


def _as_text(data: Any) -> str:
    return data if isinstance(data, str) else to_json(data).decode()


def _bounded(text: str) -> str:
    if len(text) <= _LONGEST_RESULT:
        return text
    return f"{text[:_LONGEST_RESULT]}\n[… {len(text) - _LONGEST_RESULT} more characters were left out]"


def failure_of(call: Action, error: Exception, started: float) -> Result:
    text = _reason(call, error)
    return Result(
        tool=call.tool,
        call_id=call.call_id,
        outcome=Outcome.ERROR,
        error=storable(text),
        formatted=storable(text),
        ms=_ms(started),
    )


def _reason(call: Action, error: Exception) -> str:
    match error:
        case FixAndRetry() | ToolFailed():
            return str(error)
        case SpotterError(detail=detail):
            return detail
        case TimeoutError():
            return f"{call.tool} took too long and was stopped. Nothing was changed."
        case _:
            log.error("a tool broke", extra={"tool": call.tool}, exc_info=error)
            return f"{call.tool} failed because of a bug on our side. Nothing was changed. Try another way."


def explain(error: ValidationError) -> str:
    problems = [
        f"{'.'.join(str(part) for part in problem['loc']) or 'arguments'}: {_what(problem)}"
        for problem in error.errors(include_url=False)[:8]
    ]
    return (
        "The arguments do not fit, so nothing was done. "
        + "; ".join(problems)
        + ". Correct them and call again."
    )


def _what(problem: ErrorDetails) -> str:
    given = problem["input"]
    if problem["type"] == "uuid_parsing" and is_reference(given):
        return f"there is no {given} in this session's context"
    return problem["msg"]


def _ms(started: float) -> int:
    return round((time.perf_counter() - started) * 1000)
