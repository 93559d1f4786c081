"""The order of the middlewares, which is what makes them work together."""

from collections.abc import Mapping

from fastapi import FastAPI

from spotter.api.client_address import ClientAddresses
from spotter.api.correlation import Correlation
from spotter.api.cors import install_cors
from spotter.api.docs_page import docs_router
from spotter.api.hosts import KnownHosts
from spotter.api.limits import BodyLimit
from spotter.api.metrics import Metrics, RequestMetrics, metrics_router
from spotter.api.problems import MapException, install_problem_handlers
from spotter.api.rate_limits import AddressLimits, RateLimiter
from spotter.api.security_headers import SecurityHeaders
from spotter.settings import Settings


def install_plumbing(
    app: FastAPI,
    settings: Settings,
    *,
    limiter: RateLimiter,
    metrics: Metrics,
    map_exception: MapException | None = None,
    body_limits: Mapping[str, int] | None = None,
) -> None:
    """The app must be made with `docs_url=None, redoc_url=None`. Each middleware added wraps those before it,
    so read from the bottom: the order a request meets them."""
    app.include_router(docs_router(app))
    app.include_router(metrics_router(metrics, settings))
    install_problem_handlers(app, map_exception)
    app.add_middleware(BodyLimit, settings.max_body_bytes, body_limits)
    app.add_middleware(AddressLimits, limiter)
    install_cors(app, settings)  # outside the limits: a page must be able to read a 413 or 429
    app.add_middleware(KnownHosts, settings)
    app.add_middleware(SecurityHeaders, settings)
    app.add_middleware(RequestMetrics, metrics)
    app.add_middleware(Correlation)
    app.add_middleware(ClientAddresses, settings)
