"""A proxy to OpenAI's Responses API (B7): allowed models, text only, metered and capped like every other model call."""

from collections.abc import Iterator
from typing import Annotated, Final, Literal

from fastapi import Header, Request
from pydantic import Field, JsonValue, StringConstraints
from starlette.responses import JSONResponse, StreamingResponse

from spotter.api.access import StaffCaller
from spotter.api.fields import Body
from spotter.api.problem_schema import problem_responses
from spotter.api.routing import router
from spotter.api.services import services_of
from spotter.api.streams import STREAM_HEADERS
from spotter.errors import InvalidInput

routes = router("responses", prefix="/api")

ModelName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:/-]{0,119}$")]
# What else there is either costs what no token counts (images, files, web search), or reaches what others have stored
# under the same key (earlier responses, conversations, references to items).
_ITEMS: Final = frozenset({"message", "function_call", "function_call_output", "reasoning"})
_PARTS: Final = frozenset({"input_text", "output_text", "text", "refusal", "summary_text", "reasoning_text"})


class FunctionTool(Body):
    type: Literal["function"]
    name: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
    description: str | None = Field(default=None, max_length=8_000)
    parameters: dict[str, JsonValue] | None = None
    strict: bool | None = None


class ResponseRequest(Body):
    model: ModelName = Field(examples=["gpt-4o-mini"])
    input: str | list[dict[str, JsonValue]] = Field(description="text, or items with text in them")
    instructions: str | None = None
    stream: bool = False
    max_output_tokens: int | None = Field(default=None, ge=16, le=200_000)
    temperature: float | None = Field(default=None, ge=0, le=2)
    top_p: float | None = Field(default=None, ge=0, le=1)
    text: dict[str, JsonValue] | None = Field(default=None, description="the answer's format")
    reasoning: dict[str, JsonValue] | None = None
    tools: list[FunctionTool] | None = Field(default=None, max_length=128)
    tool_choice: Literal["none", "auto", "required"] | dict[str, JsonValue] | None = None
    parallel_tool_calls: bool | None = None
    truncation: Literal["auto", "disabled"] | None = None
    metadata: dict[str, str] | None = Field(default=None, max_length=16)
    store: bool | None = Field(
        default=None, description="nothing is stored at the provider, whatever is said here"
    )


@routes.post(
    "/responses",
    response_model=None,
    responses={
        200: {
            "description": "OpenAI's answer or its events, as they came unless the check found something",
            "content": {"application/json": {"schema": {"type": "object"}}, "text/event-stream": {}},
        },
        **problem_responses(402, 403, 413, 429, 502, 503, 504),
    },
)
async def pass_on_response(
    request: Request,
    caller: StaffCaller,
    body: ResponseRequest,
    accept: Annotated[str, Header()] = "application/json",
) -> JSONResponse | StreamingResponse:
    """Pass a request on to OpenAI with the organisation's key. For staff and API keys: the words and the model are the
    caller's own. Text only; nothing is stored there, and here only what it cost. 503 says what to set without a key."""
    calls = services_of(request).proxied_calls
    wanted = body.model_dump(exclude_none=True, exclude={"stream", "store"})
    texts = "\n".join(_texts(body))
    if body.stream or "text/event-stream" in accept:
        pieces = await calls.stream(caller, wanted, texts)
        return StreamingResponse(pieces, media_type="text/event-stream", headers=STREAM_HEADERS)
    return JSONResponse(await calls.whole(caller, wanted, texts))


def _texts(body: ResponseRequest) -> Iterator[str]:
    """All the words in it. What is no words is refused."""
    if body.instructions:
        yield body.instructions
    if isinstance(body.input, str):
        yield body.input
        return
    for item in body.input:
        if str(item.get("type", "message")) not in _ITEMS:
            raise InvalidInput(f"Items of type {str(item.get('type'))[:60]!r} are not passed on: text only.")
        for name in ("content", "output", "summary"):
            yield from _words(item.get(name))


def _words(content: JsonValue) -> Iterator[str]:
    match content:
        case None:
            return
        case str():
            yield content
        case list():
            for part in content:
                if not isinstance(part, dict) or part.get("type") not in _PARTS:
                    raise InvalidInput("Parts that are not text are not passed on.")
                yield str(part.get("text") or part.get("refusal") or "")
        case _:
            raise InvalidInput("Content is a text, or a list of parts with text.")
