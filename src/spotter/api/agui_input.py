"""What an AG-UI client sends: the run it wants, what it says, and its answers to what was asked."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final
from uuid import UUID, uuid5

from ag_ui.core import ResumeEntry, RunAgentInput, TextPart, UserMessage
from pydantic import Field, StringConstraints

from spotter.api.fields import storable_text
from spotter.errors import InvalidInput

LONGEST: Final = 32_000
MOST_BYTES: Final = 8_000_000
"""Clients send the whole conversation each time. It is not read, but it has to fit."""
QUESTION: Final = "question-"
_ANSWERS: Final = ("answer", "text", "value", "response")
_YES: Final = frozenset({"approve", "approved", "yes", "true", "accept"})
_NO: Final = frozenset({"deny", "denied", "no", "false", "reject"})

GivenName = Annotated[str, StringConstraints(pattern=r"^[\x21-\x7e]{1,200}$")]


class RunInput(RunAgentInput):
    """AG-UI's `RunAgentInput`. The conversation is the server's: of `messages` only the last one is read, if it is the
    person's; `tools` and `state` are not. `forwardedProps.model` asks for another model (staff)."""

    thread_id: GivenName = Field(description="your name for the conversation, or a session's id")
    run_id: GivenName
    resume: Annotated[list[ResumeEntry], Field(max_length=100)] | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """About a call that waits."""

    approval_id: UUID
    approve: bool
    reason: str = ""
    args_hash: str | None = None
    arguments: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Resumed:
    verdicts: tuple[Verdict, ...] = ()
    answer: str | None = None
    """To the open question."""
    question: str = ""


def key_of(session_id: UUID, name: str) -> UUID:
    """What the log calls a message that the client calls `name`."""
    try:
        return UUID(name)
    except ValueError:
        return uuid5(session_id, f"agui/{name}")


def names_of(session_id: UUID, given: RunInput) -> dict[UUID, str]:
    return {key_of(session_id, one.id): one.id for one in given.messages if isinstance(one, UserMessage)}


def last_said(given: RunInput) -> tuple[str, str] | None:
    """The name and the text of what the person says now."""
    spoken = [
        one for one in given.messages if one.role not in ("system", "developer", "activity", "reasoning")
    ]
    if not spoken or not isinstance(spoken[-1], UserMessage):
        return None
    message = spoken[-1]
    text = storable_text(_text_of(message)).strip()
    if not text:
        raise InvalidInput("The last message is empty. Say something.")
    if len(text) > LONGEST:
        raise InvalidInput(f"A message can have up to {LONGEST} characters; this one has {len(text)}.")
    if len(message.id) > 500:
        raise InvalidInput("The id of the last message is too long.")
    return message.id, text


def _text_of(message: UserMessage) -> str:
    if isinstance(message.content, str):
        return message.content
    if not all(isinstance(part, TextPart) for part in message.content):
        raise InvalidInput("Agents here read text. Leave out pictures, sound and files.")
    return "\n".join(part.text for part in message.content if isinstance(part, TextPart))


def model_wished(given: RunInput) -> str | None:
    props = given.forwarded_props
    model = props.get("model") if isinstance(props, dict) else None
    if model is None:
        return None
    if not isinstance(model, str) or not 1 <= len(model) <= 200 or "\x00" in model:
        raise InvalidInput("`forwardedProps.model` is the name of a model.")
    return model


def read_resume(entries: list[ResumeEntry] | None) -> Resumed:
    verdicts: list[Verdict] = []
    answer: str | None = None
    question = ""
    for entry in entries or ():
        if entry.interrupt_id.startswith(QUESTION):
            if entry.status == "resolved":
                answer, question = _answer(entry.payload), entry.interrupt_id
        else:
            verdicts.append(_verdict(entry))
    return Resumed(tuple(verdicts), answer, question)


def _answer(payload: Any) -> str:
    if isinstance(payload, dict):
        payload = next((payload[name] for name in _ANSWERS if name in payload), None)
    if isinstance(payload, list) and all(isinstance(one, str) for one in payload):
        payload = ", ".join(payload)
    if isinstance(payload, bool | int | float):
        payload = str(payload)
    text = storable_text(payload).strip() if isinstance(payload, str) else ""
    if not text:
        raise InvalidInput("The answer to a question is a text, or an object with `answer`.")
    if len(text) > LONGEST:
        raise InvalidInput(f"An answer can have up to {LONGEST} characters.")
    return text


def _verdict(entry: ResumeEntry) -> Verdict:
    try:
        approval_id = UUID(entry.interrupt_id)
    except ValueError:
        raise InvalidInput("`resume` names an interrupt that this thread does not have.") from None
    if entry.status == "cancelled":
        return Verdict(approval_id, approve=False, reason="The request was dismissed.")
    payload = entry.payload if isinstance(entry.payload, dict) else {"approved": entry.payload}
    wanted = _yes_or_no(payload.get("approved", payload.get("decision")))
    reason, args_hash, arguments = (payload.get(name) for name in ("reason", "argsHash", "arguments"))
    if not isinstance(reason, str | None) or len(reason or "") > 2_000:
        raise InvalidInput("`reason` is a text of up to 2000 characters.")
    if not isinstance(args_hash, str | None) or not isinstance(arguments, dict | None):
        raise InvalidInput("`argsHash` is a text and `arguments` an object.")
    return Verdict(approval_id, wanted, storable_text(reason or ""), args_hash, arguments)


def _yes_or_no(said: Any) -> bool:
    """Nothing that is not clearly a yes is one, and nothing unclear is a no either."""
    word = str(said).lower() if isinstance(said, bool | str) else ""
    if word in _YES:
        return True
    if word in _NO:
        return False
    raise InvalidInput(
        "Say whether you approve: the payload is `{approved: true | false, reason?, arguments?}`."
    )
