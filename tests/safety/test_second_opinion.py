"""OpenAI's moderation as a second opinion, from a server of ours that speaks its wire format, well and badly."""

import json
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import pytest
from pydantic import SecretStr

from spotter.llm.openai_moderation import OpenAIModeration
from spotter.llm.resolver import Endpoint, Resolver
from spotter.offline import OfflineModel
from spotter.safety import DEFAULT_POLICY, Action, ModerationDecision, moderate
from spotter.safety.second_opinion import with_second_opinion
from tests.llm.wire_server import Act, Answer, Asked, WireServer

KEY = "sk-canary-0123456789abcdef"


def _answer(scores: Mapping[str, float]) -> Answer:
    result = {"flagged": True, "category_scores": dict(scores)}
    body = json.dumps({"id": "modr-1", "model": "omni-moderation-latest", "results": [result]}).encode()
    return Answer([body], content_type="application/json")


@asynccontextmanager
async def _moderator(url: str) -> AsyncIterator[OpenAIModeration]:
    resolver = Resolver(offline=OfflineModel)
    try:
        made = resolver.moderator(Endpoint(f"{url}/v1", SecretStr(KEY)))
        assert isinstance(made, OpenAIModeration)
        made._patience = 1.0
        yield made
    finally:
        await resolver.aclose()


async def _asked(plan: Answer, text: str) -> tuple[ModerationDecision, list[Asked]]:
    async with WireServer(lambda asked: plan) as server, _moderator(server.url) as moderator:
        decision = await with_second_opinion(moderate(text), text, moderator, DEFAULT_POLICY)
        return decision, server.asked


async def test_what_they_find_is_added() -> None:
    scores = {"self-harm/intent": 0.97, "violence": 0.9}
    decision, asked = await _asked(_answer(scores), "some riddle in another tongue")
    assert decision.action is Action.EMERGENCY
    assert [one.name.value for one in decision.categories] == ["self_harm"]
    assert "second opinion: self_harm" in decision.reason
    assert asked[0].path == "/v1/moderations"
    assert asked[0].headers["authorization"] == f"Bearer {KEY}"
    assert json.loads(asked[0].body)["input"] == "some riddle in another tongue"


async def test_alone_they_do_not_block_gym_language() -> None:
    decision, _ = await _asked(
        _answer({"harassment": 0.99, "sexual": 0.9}), "clean and jerk, then kill my abs"
    )
    assert decision.allowed
    assert decision.action is Action.WARN


async def test_they_cannot_take_anything_back() -> None:
    decision, _ = await _asked(_answer({"self-harm": 0.0}), "I want to kill myself")
    assert decision.action is Action.EMERGENCY


async def test_personal_data_stays_here() -> None:
    _, asked = await _asked(_answer({"hate": 0.0}), "write to ana@example.com")
    assert b"ana@example.com" not in asked[0].body


@pytest.mark.parametrize(
    ("plan", "code"),
    [
        (Answer([b'{"error": {"message": "boom"}}'], status=500, content_type="application/json"), "model_unavailable"),
        (Answer([b'{"error": {"message": "no"}}'], status=401, content_type="application/json"), "model_auth_failed"),
        (Answer([b"<html>hello</html>"], content_type="text/html"), "model_protocol_error"),
        (Answer([b'{"results": []}'], content_type="application/json"), "model_protocol_error"),
        (Answer([b'{"results": [{"category_scores": {}}]}'], content_type="application/json"), "model_protocol_error"),
        (Answer([b"[1, 2"], content_type="application/json"), "model_protocol_error"),
        (Answer([Act.HANG]), "model_timeout"),
        (Answer([Act.CUT], length=50), "model_unavailable"),
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    ("text", "action"), [("see you at the gym", Action.ALLOW), ("I want to kill myself", Action.EMERGENCY)]
)
async def test_without_them_the_gate_stays_as_it_is_and_says_so(
    plan: Answer, code: str, text: str, action: Action, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        decision, _ = await _asked(plan, text)
    assert decision.action is action
    assert decision.allowed == (action is Action.ALLOW)
    assert "second_opinion_unavailable" in {one.name.value for one in decision.categories}
    assert f"second opinion not available ({code})" in decision.reason
    assert any("second opinion not available" in record.getMessage() for record in caplog.records)
    assert KEY not in caplog.text


async def test_no_key_no_question() -> None:
    resolver = Resolver(offline=OfflineModel)
    assert resolver.moderator(None) is None
    assert resolver.moderator(Endpoint("http://127.0.0.1:1/v1", None)) is None


@pytest.mark.parametrize("status", [404, 405, 501])
async def test_a_gateway_without_moderation_is_asked_once_and_no_alarm(
    status: int, caplog: pytest.LogCaptureFixture
) -> None:
    plan = Answer([b"<html>not here</html>"], status=status, content_type="text/html")
    async with WireServer(lambda asked: plan) as server:
        resolver = Resolver(offline=OfflineModel)
        try:
            with caplog.at_level(logging.WARNING):
                decisions = [await _second(resolver, server.url, text) for text in _THREE]
        finally:
            await resolver.aclose()
        assert len(server.asked) == 1
    assert [one.action for one in decisions] == [Action.ALLOW, Action.ALLOW, Action.EMERGENCY]
    for one in decisions:
        assert "no second opinion: the model gateway offers none" in one.reason
        assert "second_opinion_unavailable" not in {each.name.value for each in one.categories}
    assert sum("offers no moderation" in record.getMessage() for record in caplog.records) == 1


async def test_after_a_while_the_gateway_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spotter.llm.openai_moderation.REMEMBERED", 0.0)
    plans = [
        Answer([b"{}"], status=404, content_type="application/json"),
        _answer({"self-harm/intent": 0.97}),
    ]
    async with WireServer(lambda asked: plans.pop(0)) as server:
        resolver = Resolver(offline=OfflineModel)
        try:
            first = await _second(resolver, server.url, "some riddle")
            second = await _second(resolver, server.url, "some riddle")
        finally:
            await resolver.aclose()
    assert (first.action, second.action) == (Action.ALLOW, Action.EMERGENCY)


_THREE = ("see you at the gym", "three sets of ten", "I want to kill myself")


async def _second(resolver: Resolver, url: str, text: str) -> ModerationDecision:
    moderator = resolver.moderator(Endpoint(f"{url}/v1", SecretStr(KEY)))
    assert isinstance(moderator, OpenAIModeration)
    return await with_second_opinion(moderate(text), text, moderator, DEFAULT_POLICY)
