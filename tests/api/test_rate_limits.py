import re
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import httpx
import pytest
import websockets
from fastapi import FastAPI, Request, WebSocket
from hypothesis import given
from hypothesis import strategies as st

from spotter.api.gcra import Limiter, Rate
from spotter.api.problems import install_problem_handlers
from spotter.api.rate_limits import (
    RATES,
    AddressLimits,
    RateLimiter,
    Rates,
    RouteClass,
    address_key,
    route_class,
)
from spotter.settings import Settings

Call = Callable[..., AbstractAsyncContextManager[httpx.AsyncClient]]
Serve = Callable[..., AbstractAsyncContextManager[str]]
MakeSettings = Callable[..., Settings]

SECOND = 1_000_000_000


class Clock:
    def __init__(self) -> None:
        self.now = 5 * SECOND

    def __call__(self) -> int:
        return self.now


steps = st.lists(st.tuples(st.integers(0, 20 * SECOND), st.integers(1, 30)), max_size=30)
rates = st.builds(Rate, st.integers(1, 20), st.integers(1, 60))


@given(rates, steps)
def test_never_more_than_the_burst_and_the_rate(rate: Rate, tries: list[tuple[int, int]]) -> None:
    clock = Clock()
    limiter = Limiter(clock)
    passed: list[int] = []
    for wait, count in tries:
        clock.now += wait
        for _ in range(count):
            state = limiter.take("x", rate, "key")
            if state.allowed:
                passed.append(clock.now)
            assert 0 <= state.remaining < rate.limit
            assert state.allowed is (state.retry_after == 0)
    for first, start in enumerate(passed):
        for last in range(first, len(passed)):
            # limit + rate * time, in integers; over every span, not only from the beginning
            allowed = rate.limit * rate.seconds * SECOND + rate.limit * (passed[last] - start)
            assert (last - first + 1) * rate.seconds * SECOND <= allowed


@given(rates, st.integers(0, 10**12))
def test_who_waits_as_told_passes(rate: Rate, start: int) -> None:
    clock = Clock()
    clock.now += start
    limiter = Limiter(clock)
    states = [limiter.take("x", rate, "key") for _ in range(rate.limit + 1)]
    assert [state.allowed for state in states] == [True] * rate.limit + [False]
    assert states[-2].remaining == 0
    clock.now += round(states[-1].retry_after * SECOND) + 1
    assert limiter.take("x", rate, "key").allowed
    assert not limiter.take("x", rate, "key").allowed


def test_idle_keys_are_forgotten_without_loss() -> None:
    clock = Clock()
    limiter = Limiter(clock)
    for number in range(1000):
        limiter.take("x", Rate(1, 60), str(number))
    assert len(limiter) == 1000
    clock.now += 60 * SECOND
    for _ in range(500):
        limiter.take("x", Rate(1, 60), "other")
    assert len(limiter) == 1


def test_memory_is_bounded() -> None:
    limiter = Limiter(Clock(), max_keys=100)
    for number in range(1000):
        limiter.take("x", Rate(1, 60), str(number))
    assert len(limiter) == 100
    assert not limiter.take("x", Rate(1, 60), "999").allowed


@pytest.mark.parametrize(
    ("method", "path", "expected"),
    [
        ("POST", "/api/auth/sign-in", RouteClass.AUTH),
        ("GET", "/api/auth/me", RouteClass.READ),
        ("POST", "/api/authors", RouteClass.WRITE),
        ("DELETE", "/api/members/1", RouteClass.WRITE),
        ("BREW", "/api/members/1", RouteClass.WRITE),
        ("GET", "/api/members", RouteClass.READ),
        ("GET", "/api/sessions/1/stream", RouteClass.STREAM),
        ("POST", "/api/exports", RouteClass.EXPENSIVE),
    ],
)
def test_route_classes(method: str, path: str, expected: RouteClass) -> None:
    assert route_class({"type": "http", "method": method, "path": path}) is expected


def test_websockets_are_streams() -> None:
    assert route_class({"type": "websocket", "path": "/api/x"}) is RouteClass.STREAM


def test_every_class_has_rates() -> None:
    assert set(RATES) == set(RouteClass)
    assert all(rates.principal.limit <= rates.address.limit for rates in RATES.values())
    assert RATES[RouteClass.AUTH].address.limit <= 30, "guessing passwords must stay slow"


def test_ipv6_counts_by_network() -> None:
    assert address_key("2001:db8::1") == address_key("2001:db8::ffff:1") != address_key("2001:db8:0:1::1")
    assert address_key("::ffff:10.0.0.1") == address_key("10.0.0.1")
    assert address_key("unknown") == "unknown"


def make_app(limiter: RateLimiter) -> FastAPI:
    app = FastAPI()
    install_problem_handlers(app)
    app.add_middleware(AddressLimits, limiter)

    @app.post("/api/auth/{rest:path}")
    @app.get("/api/health")
    async def nothing() -> None: ...

    @app.get("/api/mine")
    async def mine(request: Request, who: str) -> None:
        limiter.enforce(request.scope, who)

    @app.websocket("/ws")
    async def talk(websocket: WebSocket) -> None:
        await websocket.accept()

    return app


async def test_guessing_is_slow(
    call: Call, make_settings: MakeSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(RATES, RouteClass.AUTH, Rates(Rate(10, 60), Rate(10, 60)))
    clock = Clock()
    app = make_app(RateLimiter(make_settings(), Limiter(clock)))
    async with call(app) as client, call(app, client=("10.0.0.9", 1)) as neighbour:
        for attempt in range(10):
            answer = await client.post(f"/api/auth/links/{attempt}")
            assert answer.status_code == 200
            assert answer.headers["x-ratelimit-remaining"] == str(9 - attempt)
        refused = await client.post("/api/auth/links/11")
        assert refused.status_code == 429
        assert refused.json()["code"] == "rate_limited"
        assert refused.headers["retry-after"] == "6"
        assert refused.headers["ratelimit-policy"] == '"auth";q=10;w=60'
        assert refused.headers["ratelimit"] == '"auth";r=0;t=60'
        assert refused.headers["x-ratelimit-limit"] == "10"
        assert refused.headers["x-ratelimit-reset"] == "60"
        assert (await client.post("/api/auth/sign-out")).status_code == 200
        assert (await neighbour.post("/api/auth/links/1")).status_code == 200
        clock.now += 6 * SECOND
        assert (await client.post("/api/auth/links/12")).status_code == 200
        assert (await client.post("/api/auth/links/13")).status_code == 429


async def test_made_up_routes_do_not_multiply_the_limit(
    call: Call, make_settings: MakeSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(RATES, RouteClass.WRITE, Rates(Rate(10, 60), Rate(50, 60)))
    app = make_app(RateLimiter(make_settings(), Limiter(Clock())))
    async with call(app) as client:
        statuses = [(await client.post(f"/api/auth/{number}")).status_code for number in range(60)]
    assert statuses.count(200) == 50


async def test_the_principal_has_a_limit_of_its_own(
    call: Call, make_settings: MakeSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(RATES, RouteClass.READ, Rates(Rate(20, 60), Rate(100, 60)))
    app = make_app(RateLimiter(make_settings(), Limiter(Clock())))
    async with call(app) as client:
        for _ in range(20):
            assert (await client.get("/api/mine?who=ana")).status_code == 200
        refused = await client.get("/api/mine?who=ana")
        assert refused.status_code == 429
        assert refused.headers["ratelimit-policy"] == '"read";q=20;w=60'
        assert (await client.get("/api/mine?who=bob")).headers["x-ratelimit-remaining"] == "19"


async def test_probes_are_not_counted(call: Call, make_settings: MakeSettings) -> None:
    limiter = Limiter(Clock())
    async with call(make_app(RateLimiter(make_settings(), limiter))) as client:
        assert not any(re.match("x?-?ratelimit", name) for name in (await client.get("/api/health")).headers)
    assert len(limiter) == 0


async def test_it_can_be_turned_off(call: Call, make_settings: MakeSettings) -> None:
    limiter = RateLimiter(make_settings(rate_limits=False))
    async with call(make_app(limiter)) as client:
        answer = [await client.post("/api/auth/sign-in") for _ in range(20)][-1]
    assert answer.status_code == 200
    assert "ratelimit" not in answer.headers
    assert all(limiter.check("ana", RouteClass.AUTH).allowed for _ in range(20))


async def test_websockets_are_counted(serve: Serve, make_settings: MakeSettings) -> None:
    limiter = RateLimiter(make_settings(), Limiter(Clock()))
    async with serve(make_app(limiter)) as address:
        async with websockets.connect(f"ws://{address}/ws", proxy=None):
            pass
        while limiter.check_address({"type": "websocket", "client": ("127.0.0.1", 1), "path": "/ws"}).allowed:
            pass
        with pytest.raises(websockets.InvalidStatus) as refused:
            await websockets.connect(f"ws://{address}/ws", proxy=None)
    assert refused.value.response.status_code == 429
    assert refused.value.response.headers["x-ratelimit-remaining"] == "0"
