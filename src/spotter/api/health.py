"""Is it up, and what is it? For load balancers, operators and people who have just installed it."""

import asyncio
import os
import platform
import time
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from fastapi import Request, Response
from pydantic import BaseModel
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from spotter.api.routing import router
from spotter.api.services import Services, services_of
from spotter.clock import now
from spotter.llm.resolver import Credentials
from spotter.store.scope import UNSCOPED

routes = router("health", prefix="/api")

Light = Literal["ok", "failing"]
_PATIENCE = 3.0


@dataclass(frozen=True, slots=True)
class Facts:
    version: str
    schema_revision: str
    started: float = field(default_factory=time.monotonic)


class DatabaseHealth(BaseModel):
    status: Light
    latency_ms: float | None
    embedded: bool


class QueueHealth(BaseModel):
    status: Light
    workers: int | None


class MigrationHealth(BaseModel):
    status: Light
    current: str | None
    expected: str


class Health(BaseModel):
    status: Light
    version: str
    time: datetime
    database: DatabaseHealth
    queue: QueueHealth
    migrations: MigrationHealth


class Configuration(BaseModel):
    """What is set, never what it is set to."""

    embedded_database: bool
    sign_up: str
    external_issuers: int
    cors_origins: int
    secret_key_from: Literal["environment", "data folder"]
    worker_in_process: bool
    model: str
    providers: list[str]


class Environment(BaseModel):
    environment: str
    python: str
    system: str
    uptime_seconds: int


class SelfTest(BaseModel):
    ok: bool
    version: str
    configuration: Configuration
    environment: Environment
    health: Health


async def _measure(services: Services) -> tuple[float, str | None, int]:
    """One short transaction: how long, at which revision, how many live workers."""
    started = time.perf_counter()
    async with asyncio.timeout(_PATIENCE), services.database.unit_of_work(UNSCOPED) as uow:
        row = (
            await uow.session.execute(
                text("SELECT (SELECT version_num FROM alembic_version), queue.spotter_live_workers()")
            )
        ).one()
    return (time.perf_counter() - started) * 1000, row[0], row[1]


async def check(services: Services, facts: Facts) -> Health:
    latency: float | None = None
    revision: str | None = None
    workers: int | None = None
    try:
        latency, revision, workers = await _measure(services)
    except (SQLAlchemyError, TimeoutError, OSError):
        reachable = False
    else:
        reachable = True
    migrated = revision == facts.schema_revision
    return Health(
        status="ok" if reachable and migrated else "failing",
        version=facts.version,
        time=now(),
        database=DatabaseHealth(
            status="ok" if reachable else "failing",
            latency_ms=round(latency, 2) if latency is not None else None,
            embedded=services.settings.embedded_database,
        ),
        # No worker is no failure of this instance: workers may run elsewhere, or be about to start.
        queue=QueueHealth(status="ok" if reachable else "failing", workers=workers),
        migrations=MigrationHealth(
            status="ok" if migrated else "failing", current=revision, expected=facts.schema_revision
        ),
    )


@routes.get("/health", responses={503: {"model": Health, "description": "The database is away"}})
async def get_health(request: Request, response: Response) -> Health:
    """200 when this instance can serve, 503 when it cannot; the body says what is wrong."""
    health = await check(services_of(request), request.app.state.facts)
    if health.status != "ok":
        response.status_code = 503
        response.headers["Retry-After"] = "2"
    return health


async def _self_test(request: Request) -> SelfTest:
    services, facts = services_of(request), request.app.state.facts
    settings = services.settings
    health = await check(services, facts)
    return SelfTest(
        ok=health.status == "ok",
        version=facts.version,
        configuration=Configuration(
            embedded_database=settings.embedded_database,
            sign_up=settings.sign_up,
            external_issuers=len(settings.external_issuers),
            cors_origins=len(settings.cors_origins),
            secret_key_from="environment" if settings.secret_key else "data folder",
            worker_in_process=settings.worker_in_process,
            model=settings.model,
            providers=sorted(Credentials.from_environment(os.environ).endpoints),
        ),
        environment=Environment(
            environment=settings.environment,
            python=platform.python_version(),
            system=platform.system(),
            uptime_seconds=int(time.monotonic() - facts.started),
        ),
        health=health,
    )


@routes.get("/test")
async def get_self_test(request: Request) -> SelfTest:
    """Configuration, environment and health, without secrets."""
    return await _self_test(request)


@routes.post("/test")
async def post_self_test(request: Request) -> SelfTest:
    """The same by POST, as old clients ask."""
    return await _self_test(request)
