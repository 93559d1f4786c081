"""One error root. Each kind has a stable code and an HTTP status; the text says what was wrong and what to do.

`SpotterError` is raised for conditions a caller can understand. Anything else that escapes is our bug.
"""

from collections.abc import Mapping
from typing import ClassVar


class SpotterError(Exception):
    """Root of every expected failure. `detail` is written for the person who reads it."""

    code: ClassVar[str] = "error"
    status: ClassVar[int] = 500
    title: ClassVar[str] = "Something went wrong"

    def __init__(
        self,
        detail: str,
        *,
        extra: Mapping[str, object] | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.extra = dict(extra or {})
        self.retry_after = retry_after


class InvalidInput(SpotterError):
    code = "invalid_input"
    status = 422
    title = "The request cannot be understood"


class BadRequest(SpotterError):
    code = "bad_request"
    status = 400
    title = "The request is malformed"


class Unauthenticated(SpotterError):
    code = "unauthenticated"
    status = 401
    title = "Sign in first"


class PaymentRequired(SpotterError):
    code = "payment_required"
    status = 402
    title = "The budget is used up"


class Forbidden(SpotterError):
    code = "forbidden"
    status = 403
    title = "Not allowed"


class NotFound(SpotterError):
    """Also for what exists but is not the caller's: across tenants nothing can be told apart."""

    code = "not_found"
    status = 404
    title = "Not found"


class Conflict(SpotterError):
    code = "conflict"
    status = 409
    title = "Conflicts with what is there"


class PayloadTooLarge(SpotterError):
    code = "payload_too_large"
    status = 413
    title = "The request is too large"


class TooManyRequests(SpotterError):
    code = "rate_limited"
    status = 429
    title = "Too many requests"


class Unavailable(SpotterError):
    """A passing trouble of ours (database away, shutting down). Safe to try again after `retry_after`."""

    code = "unavailable"
    status = 503
    title = "Temporarily unavailable"

    def __init__(
        self, detail: str, *, extra: Mapping[str, object] | None = None, retry_after: float = 1.0
    ) -> None:
        super().__init__(detail, extra=extra, retry_after=retry_after)


class NotConfigured(SpotterError):
    """Something the operator has to set first; the text says what."""

    code = "not_configured"
    status = 503
    title = "Not set up yet"


class StartupRefused(SpotterError):
    """Starting would be unsafe or cannot work; the text says what to change."""

    code = "startup_refused"
    title = "Spotter did not start"
