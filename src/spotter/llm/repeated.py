"""Requests to one address differ in their body only, so the official client works the rest out once.

Merging headers and addresses anew costs it more than everything else it does for a short call.
"""

from typing import Any, Final

import httpx2

_OF_ONE_REQUEST: Final = frozenset({b"content-length", b"cookie"})
_MOST_DRAFTS: Final = 32


class RepeatedRequests:
    """Mixed into an official client, before it. What is not the plain repetition of a request is left to it."""

    _drafts: dict[tuple[Any, ...], tuple[httpx2.URL, list[tuple[bytes, bytes]], dict[str, Any]]]

    def _build_request(self, options: Any, *, retries_taken: int = 0) -> httpx2.Request:
        build: Any = super()._build_request  # type: ignore[misc]  # the client's
        body = options.content
        plain = isinstance(body, bytes) and not (options.params or options.headers)
        keyed = self._idempotency_header  # type: ignore[attr-defined]  # the client's; a key is one request's
        if retries_taken or keyed or not plain:
            request: httpx2.Request = build(options, retries_taken=retries_taken)
            return request
        wait = options.timeout
        key = (
            options.method,
            options.url,
            self.api_key,  # type: ignore[attr-defined]  # the client's
            tuple(wait.as_dict().values()) if isinstance(wait, httpx2.Timeout) else wait,
        )
        drafts = self.__dict__.setdefault("_drafts", {})
        if key not in drafts:
            request = build(options, retries_taken=retries_taken)
            headers = [pair for pair in request.headers.raw if pair[0].lower() not in _OF_ONE_REQUEST]
            if len(drafts) >= _MOST_DRAFTS:  # keys that are renewed, say
                drafts.clear()
            drafts[key] = (request.url, headers, dict(request.extensions))
            return request
        url, headers, extensions = drafts[key]
        return httpx2.Request(
            options.method,
            url,
            headers=[*headers, (b"Content-Length", str(len(body)).encode())],
            stream=httpx2.ByteStream(body),
            extensions=dict(extensions),
        )
