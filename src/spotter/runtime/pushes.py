"""What a client wants to be told of, read off the log's events: who speaks, where things stand, what came of a call.

Each is told with the number of its event, so it comes in order, once, and can be asked for again.
"""

from typing import Any, Final, TypeAlias

from spotter.sessions.codec import Event
from spotter.sessions.events import (
    ApprovalDecided,
    ApprovalRequested,
    Content,
    Handoff,
    Interrupt,
    Notice,
    Outcome,
    Result,
    Stage,
    Voice,
)

Push: TypeAlias = dict[str, Any]
_WORKOUT: Final = ("exercises", "summary")
"""A result with both is a workout."""
_EXPERIENCE: Final = "experience"
_EARNED: Final = "xp"
"""How a standing and what was just earned are told apart."""


def pushes(event: Event) -> list[Push]:
    """What this event means to whoever follows. Most mean nothing beyond themselves."""
    if isinstance(event.content, Result):
        return _of_result(event.content)
    told = _told(event.content)
    return [told] if told is not None else []


def _told(content: Content) -> Push | None:
    told: Push | None = None
    match content:
        case Handoff(from_agent=before, to_agent=after, reason=reason):
            told = {"type": "agent_switched", "from_agent": before, "to_agent": after, "reason": reason}
        case Stage(accepted=True, from_stage=before, to_stage=after, reason=reason):
            told = {"type": "stage_changed", "from_stage": before, "to_stage": after, "reason": reason}
        case ApprovalRequested(approval_id=approval_id, tool=tool, call_id=call_id):
            told = {
                "type": "approval_needed",
                "approval_id": str(approval_id),
                "tool": tool,
                "call_id": call_id,
            }
        case ApprovalDecided(approval_id=approval_id, approved=approved):
            told = {"type": "approval_decided", "approval_id": str(approval_id), "approved": approved}
        case Interrupt(reason=reason, category=category, text=text):
            told = {"type": "interrupt", "reason": reason, "category": category, "text": text}
        case Notice(code=code, text=text):
            told = {"type": "notice", "code": code, "text": text}
        case Voice(voice_id=voice_id, state=state, reason=reason):
            told = {"type": f"voice_{state}", "voice_id": str(voice_id), "reason": reason}
        case _:
            pass
    return told


def _of_result(result: Result) -> list[Push]:
    told: list[Push] = [
        {
            "type": "tool_result",
            "tool": result.tool,
            "call_id": result.call_id,
            "outcome": result.outcome.value,
        }
    ]
    if result.outcome is not Outcome.OK or not isinstance(result.result, dict):
        return told
    shown = {name: result.result[name] for name in _WORKOUT if name in result.result}
    if len(shown) == len(_WORKOUT):
        told.append({"type": "workout_changed", "tool": result.tool, **shown})
    earned = result.result.get(_EXPERIENCE)
    if isinstance(earned, dict) and _EARNED in earned:
        told.append({"type": "xp_gained", **earned})
    return told
