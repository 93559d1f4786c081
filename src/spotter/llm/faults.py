"""What can go wrong with a model, as our own errors. Vendor errors are mapped here, once.

`retryable`: the same call may work later. `may_fallback`: another model may be asked instead (before the first delta).
The provider's words are quoted short and without secrets; the vendor's exception stays chained.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from typing_extensions import override

from spotter.errors import SpotterError
from spotter.llm.port import NO_USAGE, FailedAttempt, Usage
from spotter.llm.text import clean


class ModelError(SpotterError):
    """Root of everything a model call can end in besides an answer. `usage` is what was reported before it broke."""

    code = "model_error"
    status = 502
    title = "The model did not answer"
    retryable: ClassVar[bool] = False
    may_fallback: ClassVar[bool] = True

    def __init__(
        self,
        detail: str,
        *,
        extra: Mapping[str, object] | None = None,
        retry_after: float | None = None,
        usage: Usage = NO_USAGE,
        request_id: str = "",
    ) -> None:
        super().__init__(detail, extra=extra, retry_after=retry_after)
        self.usage = usage
        self.request_id = request_id
        self.failed: tuple[FailedAttempt, ...] = ()
        """Who was asked before, when this is the end of a chain."""


class ModelUnavailable(ModelError):
    """Not reachable, overloaded, or broken on their side."""

    code = "model_unavailable"
    status = 503
    title = "The model cannot be reached"
    retryable = True


class ModelTimeout(ModelUnavailable):
    code = "model_timeout"
    status = 504
    title = "The model took too long"


class ModelRateLimited(ModelUnavailable):
    code = "model_rate_limited"
    title = "The model's rate limit is reached"


class ModelProtocolError(ModelUnavailable):
    """What came back is no answer: garbled, cut off, HTML, or without an end."""

    code = "model_protocol_error"
    status = 502
    title = "The model's answer is broken"


class ModelQuotaSpent(ModelError):
    """The account is out of credit; waiting does not help."""

    code = "model_quota_spent"
    title = "The model account has no credit left"


class ModelAuthFailed(ModelError):
    code = "model_auth_failed"
    title = "The model provider refused our key"


class ModelNotFound(ModelError):
    code = "model_not_found"
    title = "The provider does not know this model"


class ModerationMissing(ModelError):
    """A gateway for models that offers no moderation: nothing is broken, there is just nobody to ask."""

    code = "moderation_missing"
    title = "This address offers no moderation"


class ModelBadRequest(ModelError):
    """They say our request is wrong. Often our bug, sometimes only this provider's taste."""

    code = "model_bad_request"
    title = "The model provider refused the request"


class ModelRefused(ModelError):
    """The request was blocked for its content. Another model is not asked: that would be shopping around."""

    code = "model_refused"
    status = 422
    title = "The model refused"
    may_fallback = False


class ContextTooLong(ModelError):
    """The history has to be shortened first; no other model is asked, the caller can do better."""

    code = "context_too_long"
    status = 413
    title = "The conversation is too long for the model"
    may_fallback = False


@dataclass(frozen=True, slots=True)
class Origin:
    """Who was asked, for messages; `secret` is only there to be struck out of them."""

    provider: str
    model: str
    secret: str = ""

    @override
    def __repr__(self) -> str:
        return f"Origin({self.provider}:{self.model})"


_TOO_LONG = re.compile(
    r"context[ _](length|window|size)|prompt is too long|too many tokens|maximum (context|prompt)|input is too long"
    r"|reduce the length|exceeds? the (model|available context|maximum)|input length and `?max_tokens",
    re.IGNORECASE,
)
_LONG_CODES = frozenset({"context_length_exceeded", "string_above_max_length", "request_too_large"})
_CONTENT_CODES = frozenset({"content_filter", "content_policy_violation", "responsibleaipolicyviolation"})
_QUOTA_CODES = frozenset(
    {"insufficient_quota", "billing_error", "billing_hard_limit_reached", "credits_exhausted"}
)
_LIMIT_CODES = frozenset({"rate_limit_error", "rate_limit_exceeded", "tokens", "requests"})
_AUTH_CODES = frozenset({"authentication_error", "permission_error", "invalid_api_key"})
_SERVER_CODES = frozenset(
    {"overloaded_error", "api_error", "server_error", "timeout_error", "internal_error"}
)
_SECRETS = re.compile(r"(sk|key|ek)-[\w*-]{8,}|Bearer\s+\S+", re.IGNORECASE)

_SHOWN = 300


def quote(message: object, origin: Origin) -> str:
    """The provider's own words: short, printable, without the key."""
    text = clean(str(message))
    if origin.secret:
        text = text.replace(origin.secret, "[key]")
    text = " ".join(_SECRETS.sub("[key]", text).split())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


@dataclass(frozen=True, slots=True)
class Refusal:
    """What a provider said instead of answering, taken out of the vendor's exception."""

    status: int
    """0 when it came in the middle of a stream."""
    codes: frozenset[str]
    message: str
    retry_after: float | None = None
    request_id: str = ""


def classify(refusal: Refusal) -> type[ModelError]:
    """The kind of error; what is said in words beats the status, which gateways like to change."""
    codes, status = refusal.codes, refusal.status
    for known, kind in _SAID:
        if codes & known:
            return kind
    if status in {0, 400, 422, 500} and _TOO_LONG.search(refusal.message):
        return ContextTooLong
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    for known, kind in _BY_CODE if not 400 <= status < 500 else ():
        if codes & known:
            return kind
    # A redirect is not followed (it would carry the key elsewhere): the base URL is wrong.
    return ModelBadRequest if 300 <= status < 500 else ModelUnavailable


_SAID: tuple[tuple[frozenset[str], type[ModelError]], ...] = (
    (_LONG_CODES, ContextTooLong),
    (_CONTENT_CODES, ModelRefused),
    (_QUOTA_CODES, ModelQuotaSpent),
)
_BY_STATUS: dict[int, type[ModelError]] = {
    401: ModelAuthFailed,
    402: ModelQuotaSpent,
    403: ModelAuthFailed,
    404: ModelNotFound,
    408: ModelTimeout,
    409: ModelUnavailable,
    413: ContextTooLong,
    429: ModelRateLimited,
    504: ModelTimeout,
}
_BY_CODE: tuple[tuple[frozenset[str], type[ModelError]], ...] = (
    (_LIMIT_CODES, ModelRateLimited),
    (_AUTH_CODES, ModelAuthFailed),
    (frozenset({"not_found_error", "model_not_found"}), ModelNotFound),
    (frozenset({"invalid_request_error"}), ModelBadRequest),
    (_SERVER_CODES, ModelUnavailable),
)

_ADVICE: dict[type[ModelError], str] = {
    ModelAuthFailed: "Check the API key and what it may use.",
    ModelQuotaSpent: "Add credit to the account or set another model.",
    ModelNotFound: "Check the model's name and the base URL.",
    ModelRateLimited: "Try again a little later.",
    ContextTooLong: "Shorten the history and try again.",
}


def refused(refusal: Refusal, origin: Origin, usage: Usage = NO_USAGE) -> ModelError:
    kind = classify(refusal)
    # What a provider says about a key may contain most of it.
    said = "" if kind is ModelAuthFailed else quote(refusal.message, origin)
    status = f" ({refusal.status})" if refusal.status else ""
    parts = (f"{origin.provider} said no to {origin.model}{status}", said, _ADVICE.get(kind, ""))
    return kind(
        ". ".join(part.rstrip(".") for part in parts if part) + ".",
        extra={"provider": origin.provider, "model": origin.model, "provider_status": refusal.status},
        retry_after=refusal.retry_after,
        usage=usage,
        request_id=refusal.request_id,
    )


def failed(kind: type[ModelError], what: str, origin: Origin, usage: Usage = NO_USAGE) -> ModelError:
    """An error of transport or form; `what` completes the sentence «openai gpt-4o …»."""
    return kind(
        f"{origin.provider} {origin.model} {quote(what, origin)}",
        extra={"provider": origin.provider, "model": origin.model},
        usage=usage,
    )
