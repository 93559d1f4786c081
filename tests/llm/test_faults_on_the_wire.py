"""The 28 provider faults: each ends in a named outcome, in time, and the same model answers the next question."""

import asyncio
import socket
from collections.abc import Sequence
from contextlib import aclosing
from typing import Any

import pytest

from spotter.llm.faults import (
    ModelError,
    ModelRateLimited,
    ModelTimeout,
    ModelUnavailable,
)
from spotter.llm.port import Chunk, Final, ModelSettings, TextDelta, ToolArgsDelta, ToolCallStart, Usage
from spotter.llm.prompt import (
    Prompt,
)
from spotter.llm.provider import ProviderModel
from tests.llm.conftest import DIALECTS, KEY, PATIENT, QUICK, model_at
from tests.llm.fault_list import BOOK, FAULTS, FIRST, HELLO, MID_TURN, STREAM_ONLY, Fault, bytes_of
from tests.llm.wire_scripts import Called, Spoken, answer, refusal, sse, streamed
from tests.llm.wire_server import Act, Answer, WireServer

_SOON = ModelSettings(deadline=1.5)
"""For answers that never come whole: nobody learns more by waiting longer."""


async def ask(
    model: ProviderModel, how: str, prompt: Prompt, settings: ModelSettings = ModelSettings()
) -> Final:
    if how == "complete":
        return await model.complete(prompt, BOOK, settings)
    got: list[Chunk] = []
    async with aclosing(model.stream(prompt, BOOK, settings)) as chunks:
        async for chunk in chunks:
            got.append(chunk)
    finals = [chunk for chunk in got if isinstance(chunk, Final)]
    assert finals == got[-1:], "exactly one Final, and it comes last"
    return finals[0]


async def healthy(model: ProviderModel, how: str) -> None:
    """After whatever happened, the next question is answered and counted right."""
    final = await ask(model, how, FIRST)
    assert final.text == HELLO.text
    assert final.usage == Usage(input=20, output=5, cache_read=30, cache_write=4, reported=True)
    assert final.request_id == "req_1"
    assert final.model == "wire-model-2026"


@pytest.mark.parametrize("moment", ["first call", "mid-turn"])
@pytest.mark.parametrize("how", ["stream", "complete"])
@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
async def test_a_fault_ends_in_a_named_outcome(
    fault: Fault, dialect: str, how: str, moment: str, wire: WireServer
) -> None:
    prompt = fault.prompt or (FIRST if moment == "first call" else MID_TURN)
    streams = how == "stream" or dialect in STREAM_ONLY
    wire.plan = lambda asked: fault.plan(dialect, streams)
    async with model_at(dialect, wire.url, QUICK if fault.error is ModelTimeout else PATIENT) as model:
        if fault.error is None:
            final = await ask(model, how, prompt)
            assert fault.check(final)
            final.text.encode()
            if fault.usage:
                assert final.usage == fault.usage
        else:
            late = fault.error is ModelTimeout and how == "complete"
            with pytest.raises(fault.error) as caught:
                await ask(model, how, prompt, _SOON if late else ModelSettings())
            assert type(caught.value) is fault.error
            assert KEY not in caught.value.detail
            assert caught.value.retry_after == (7.0 if "with Retry-After" in fault.name else None)
        wire.plan = lambda asked: answer(dialect, HELLO, asked.body)
        await healthy(model, how)


@pytest.mark.parametrize("how", ["stream", "complete"])
@pytest.mark.parametrize("dialect", DIALECTS)
async def test_a_refused_connection(dialect: str, how: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    async with model_at(dialect, f"http://127.0.0.1:{port}") as model:
        with pytest.raises(ModelUnavailable) as caught:
            await ask(model, how, FIRST)
        assert type(caught.value) is ModelUnavailable
        async with WireServer(lambda asked: answer(dialect, HELLO, asked.body), port=port):
            await healthy(model, how)


@pytest.mark.parametrize("how", ["stream", "complete"])
@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("url", ["http://nobody.invalid", "https://{there}"], ids=["DNS", "TLS"])
async def test_names_and_certificates_that_do_not_work(
    url: str, dialect: str, how: str, wire: WireServer
) -> None:
    wire.plan = lambda asked: answer(dialect, HELLO, asked.body)
    async with model_at(dialect, url.format(there=wire.url.removeprefix("http://"))) as model:
        with pytest.raises(ModelUnavailable):
            await ask(model, how, FIRST)


def test_all_28_faults_are_there() -> None:
    named = {fault.name for fault in FAULTS} - {"empty answer"}  # «refusal/empty answer» is one of the 28
    assert len(named) + len(["connect refused", "DNS failure", "TLS failure"]) == 28


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_a_drip_of_comments_does_not_outlast_the_deadline(dialect: str, wire: WireServer) -> None:
    drip: Sequence[bytes | float] = [b": still here\n\n", 0.1] * 600
    wire.plan = lambda asked: Answer(drip)
    async with model_at(dialect, wire.url) as model:
        async with asyncio.timeout(60):
            with pytest.raises(ModelTimeout):
                async for _ in model.stream(FIRST, BOOK, ModelSettings(deadline=0.5)):
                    pass


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_an_error_in_the_middle_keeps_what_was_reported(dialect: str, wire: WireServer) -> None:
    error: dict[str, Any] = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    if dialect == "responses":
        error = {"type": "error", "code": "server_error", "message": "Overloaded", "sequence_number": 99}
    events = bytes_of(dialect, True)
    wire.plan = lambda asked: Answer([*events[:4], sse(error, name="error"), *events[4:]])
    async with model_at(dialect, wire.url) as model:
        with pytest.raises(ModelUnavailable) as caught:
            await ask(model, "stream", FIRST)
        assert caught.value.usage.reported == (dialect == "anthropic")
        if dialect == "anthropic":
            assert caught.value.usage == Usage(
                input=20, output=1, cache_read=30, cache_write=4, reported=True
            )


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_retries_respect_retry_after_within_bounds(dialect: str, wire: WireServer) -> None:
    answers = iter(
        [
            refusal(dialect, 429, "rate_limit_error", "slow down", {"retry-after": "0.05"}),
            refusal(dialect, 503, "overloaded_error", "busy", {"retry-after": "0.05"}),
            streamed(dialect, HELLO),
            refusal(dialect, 429, "rate_limit_error", "come back tomorrow", {"retry-after": "90"}),
        ]
    )
    wire.plan = lambda asked: next(answers)
    patient = type(QUICK)(connect=2.0, idle=2.0, total=10.0, retries=2, longest_retry_after=5.0)
    async with model_at(dialect, wire.url, patient) as model:
        await healthy(model, "stream")
        with pytest.raises(ModelRateLimited) as caught:
            await ask(model, "stream", FIRST)
        assert caught.value.retry_after == 90.0
    assert len(wire.asked) == 4


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_leaving_closes_the_connection(dialect: str, wire: WireServer) -> None:
    wire.plan = lambda asked: Answer([*bytes_of(dialect, True)[:3], Act.HANG])
    relaxed = type(QUICK)(idle=30.0, retries=0)
    async with model_at(dialect, wire.url, relaxed) as model:
        reading = asyncio.create_task(ask(model, "stream", FIRST))
        while not wire.asked:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        await asyncio.wait_for(wire.left_early.wait(), 60)
        wire.plan = lambda asked: answer(dialect, HELLO, asked.body)
        await healthy(model, "stream")


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_a_reader_who_stops_early_closes_the_connection(dialect: str, wire: WireServer) -> None:
    wire.plan = lambda asked: Answer([*bytes_of(dialect, True)[:4], Act.HANG])
    async with model_at(dialect, wire.url, type(QUICK)(idle=30.0, retries=0)) as model:
        async with aclosing(model.stream(FIRST)) as chunks:
            async for _ in chunks:
                break
        await asyncio.wait_for(wire.left_early.wait(), 60)


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_a_redirect_is_not_followed_with_the_key(dialect: str, wire: WireServer) -> None:
    async with WireServer(lambda asked: answer(dialect, HELLO, asked.body)) as elsewhere:
        wire.plan = lambda asked: Answer(status=307, headers={"location": elsewhere.url + asked.path})
        async with model_at(dialect, wire.url) as model:
            with pytest.raises(ModelError):
                await ask(model, "stream", FIRST)
        assert elsewhere.asked == []


@pytest.mark.parametrize("dialect", ["chat", "responses"])
async def test_what_a_server_answers_whole_is_read_as_a_stream(dialect: str, wire: WireServer) -> None:
    said = Spoken("Hi.", [Called("book", "{}", "call_1")])
    wire.plan = lambda asked: answer(dialect, said, b'{"stream": false}')
    async with model_at(dialect, wire.url) as model:
        *deltas, final = [chunk async for chunk in model.stream(FIRST, BOOK)]
    assert deltas == [
        TextDelta("Hi."),
        ToolCallStart(index=deltas[1].index, id="call_1", name="book"),  # type: ignore[union-attr]
        ToolArgsDelta(index=deltas[1].index, text="{}"),  # type: ignore[union-attr]
    ]
    assert isinstance(final, Final)
    assert (final.text, len(final.tool_calls)) == ("Hi.", 1)


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_a_finished_answer_does_not_wait_for_a_silent_server(
    dialect: str, wire: WireServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spotter.llm.provider.USAGE_GRACE", 0.2)
    wire.plan = lambda asked: Answer([*bytes_of(dialect, True, Spoken("Hi.", tokens=None))[:-1], Act.HANG])
    if dialect == "responses":
        wire.plan = lambda asked: Answer([*bytes_of(dialect, True, Spoken("Hi.", tokens=None)), Act.HANG])
    async with model_at(dialect, wire.url, type(QUICK)(idle=30.0, total=30.0, retries=0)) as model:
        async with asyncio.timeout(60):
            assert (await ask(model, "stream", FIRST)).text == "Hi."


async def test_a_numbered_event_that_comes_twice_is_heard_once(wire: WireServer) -> None:
    events = bytes_of("responses", True)
    wire.plan = lambda asked: Answer([event for event in events for _ in range(2)])
    async with model_at("responses", wire.url) as model:
        assert (await ask(model, "stream", FIRST)).text == HELLO.text
