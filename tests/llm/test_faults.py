"""What providers say, sorted into our own errors."""

import pytest

from spotter.llm.faults import (
    ContextTooLong,
    ModelAuthFailed,
    ModelBadRequest,
    ModelError,
    ModelNotFound,
    ModelQuotaSpent,
    ModelRateLimited,
    ModelRefused,
    ModelTimeout,
    ModelUnavailable,
    Origin,
    Refusal,
    refused,
)

HERE = Origin("openai", "gpt-4o", "sk-canary-0123456789")


@pytest.mark.parametrize(
    ("status", "code", "message", "kind"),
    [
        (400, "context_length_exceeded", "too long", ContextTooLong),
        (400, "invalid_request_error", "prompt is too long: 212000 tokens > 200000 maximum", ContextTooLong),
        (413, "request_too_large", "Request exceeds the maximum size", ContextTooLong),
        (400, "content_filter", "flagged", ModelRefused),
        (429, "insufficient_quota", "You exceeded your current quota", ModelQuotaSpent),
        (402, "", "Payment required", ModelQuotaSpent),
        (429, "rate_limit_exceeded", "slow down", ModelRateLimited),
        (401, "", "who are you", ModelAuthFailed),
        (403, "permission_error", "not you", ModelAuthFailed),
        (404, "not_found_error", "model: nope", ModelNotFound),
        (400, "invalid_request_error", "messages: roles must alternate", ModelBadRequest),
        (422, "", "unprocessable", ModelBadRequest),
        (408, "", "", ModelTimeout),
        (504, "", "gateway", ModelTimeout),
        (409, "", "lock", ModelUnavailable),
        (500, "", "", ModelUnavailable),
        (529, "overloaded_error", "Overloaded", ModelUnavailable),
        (307, "", "moved", ModelBadRequest),
        (0, "overloaded_error", "Overloaded", ModelUnavailable),
        (0, "rate_limit_error", "slow", ModelRateLimited),
        (0, "invalid_request_error", "bad", ModelBadRequest),
        (0, "", "unheard of", ModelUnavailable),
    ],
)
def test_sorting(status: int, code: str, message: str, kind: type[ModelError]) -> None:
    error = refused(Refusal(status, frozenset({code} - {""}), message, retry_after=3.0), HERE)
    assert type(error) is kind
    assert error.retry_after == 3.0
    assert "gpt-4o" in error.detail


def test_secrets_and_novels_are_not_quoted() -> None:
    said = f"Bearer abc.def and {HERE.secret} and sk-proj-abcdefghijkl " + "x" * 5000 + "\ud800"
    detail = refused(Refusal(400, frozenset(), said), HERE).detail
    assert "abc.def" not in detail
    assert "canary" not in detail
    assert "sk-proj" not in detail
    assert len(detail) < 500
    detail.encode()
    assert "canary" not in repr(HERE)


def test_every_error_has_its_own_code() -> None:
    kinds = [ModelError]
    for kind in kinds:
        kinds += kind.__subclasses__()
    assert len({kind.code for kind in kinds}) == len(kinds) > 10


def test_what_is_said_about_a_key_is_not_repeated() -> None:
    assert "gq12" not in refused(Refusal(401, frozenset(), "Incorrect key gq12***89."), HERE).detail
