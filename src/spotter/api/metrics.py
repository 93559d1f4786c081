"""Figures for Prometheus. Labels are route templates and status classes, never what a caller wrote."""

import hmac
import time
from typing import Annotated, Final

from fastapi import APIRouter, Header, Request, Response
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    GCCollector,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from spotter.api.paths import route_template
from spotter.errors import NotFound, Unauthenticated
from spotter.runtime.timings import Timed, ToolRan
from spotter.safety import CategoryName, ModerationDecision
from spotter.settings import Settings

_METHODS: Final = {"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"}
_KINDS_OF_TOKENS: Final = ("input", "output", "cache_read", "cache_write")
_UNMATCHED: Final = "(unmatched)"
_BUCKETS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
_STARTS: Final = {"http.response.start", "websocket.accept", "websocket.http.response.start"}


class Metrics:
    """One per app with its own registry: tests build many apps in one process."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        PlatformCollector(registry=self.registry)
        GCCollector(registry=self.registry)
        labels = ("method", "route", "status")
        self.requests = Counter("spotter_http_requests", "Requests answered.", labels, registry=self.registry)
        self.latency = Histogram(
            "spotter_http_response_seconds",
            "Time to the first byte of the answer; how long a stream then lasts is not in it.",
            labels,
            buckets=_BUCKETS,
            registry=self.registry,
        )
        self.in_flight = Gauge(
            "spotter_http_in_flight",
            "Requests, streams and WebSockets open now.",
            ("kind",),
            registry=self.registry,
        )

        self.decisions = Counter(
            "spotter_safety_decisions",
            "Texts that were checked, by whose they were and what was decided.",
            ("source", "action"),
            registry=self.registry,
        )
        self.no_second_opinion = Counter(
            "spotter_safety_second_opinion_unavailable",
            "Texts that were decided about without the second opinion they should have had.",
            registry=self.registry,
        )

        self.tools = Histogram(
            "spotter_tool_seconds",
            "How long tools take, by how they ended.",
            ("tool", "outcome"),
            buckets=_BUCKETS,
            registry=self.registry,
        )
        self.models = Histogram(
            "spotter_model_seconds",
            "How long models take for a whole answer, by how it ended: ok, or the error's code.",
            ("provider", "model", "outcome"),
            buckets=_BUCKETS,
            registry=self.registry,
        )
        self.first_words = Histogram(
            "spotter_model_first_word_seconds",
            "How long models take for their first word, where they are listened to as they speak.",
            ("provider", "model"),
            buckets=_BUCKETS,
            registry=self.registry,
        )
        self.tokens = Counter(
            "spotter_model_tokens",
            "Tokens as providers report them.",
            ("provider", "model", "kind"),
            registry=self.registry,
        )

    def timed(self, timed: Timed) -> None:
        if isinstance(timed, ToolRan):
            self.tools.labels(timed.tool, timed.outcome).observe(timed.seconds)
            return
        who = (timed.provider, timed.model)
        self.models.labels(*who, timed.outcome).observe(timed.seconds)
        if timed.first is not None:
            self.first_words.labels(*who).observe(timed.first)
        if timed.usage is not None and timed.usage.reported:
            for kind in _KINDS_OF_TOKENS:
                self.tokens.labels(*who, kind).inc(getattr(timed.usage, kind))

    def moderated(self, decision: ModerationDecision) -> None:
        self.decisions.labels(decision.source, decision.action.value).inc()
        names = {category.name for category in decision.categories}
        if CategoryName.SECOND_OPINION_UNAVAILABLE in names:
            self.no_second_opinion.inc()

    def observe(self, scope: Scope, status: int, seconds: float) -> None:
        method = scope.get("method", "WEBSOCKET")
        if scope["type"] == "http" and method not in _METHODS:
            method = "OTHER"
        labels = (method, route_template(scope) or _UNMATCHED, f"{status // 100}xx")
        self.requests.labels(*labels).inc()
        self.latency.labels(*labels).observe(seconds)


class RequestMetrics:
    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app = app
        self.metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        started = time.perf_counter()
        observed = False
        failed = True

        async def watching_send(message: Message) -> None:
            nonlocal observed
            if message["type"] in _STARTS or (message["type"] == "websocket.close" and not observed):
                observed = True
                default = 101 if message["type"] == "websocket.accept" else 403
                self.metrics.observe(scope, message.get("status", default), time.perf_counter() - started)
            await send(message)

        with self.metrics.in_flight.labels(scope["type"]).track_inprogress():
            try:
                await self.app(scope, receive, watching_send)
                failed = False
            finally:
                if not observed:  # it broke, or the client left first
                    self.metrics.observe(scope, 500 if failed else 499, time.perf_counter() - started)


def metrics_router(metrics: Metrics, settings: Settings) -> APIRouter:
    """Open on loopback; otherwise for who knows the token, and as if it did not exist when there is none."""
    router = APIRouter()
    token = settings.metrics_token.get_secret_value().encode() if settings.metrics_token else None

    def is_local(request: Request) -> bool:
        # A proxy on the same machine makes everybody look local.
        forwarded = "x-forwarded-for" in request.headers or "forwarded" in request.headers
        return not settings.binds_public_address and not forwarded

    @router.get("/metrics", include_in_schema=False)
    async def read_metrics(request: Request, authorization: Annotated[str, Header()] = "") -> Response:
        if not is_local(request):
            if token is None:
                raise NotFound("There is nothing at this address.")
            scheme, _, given = authorization.partition(" ")
            if scheme.lower() != "bearer" or not hmac.compare_digest(given.strip().encode(), token):
                raise Unauthenticated("Send the metrics token as Authorization: Bearer.")
        return Response(generate_latest(metrics.registry), media_type=CONTENT_TYPE_LATEST)

    return router
