"""The only wiring: settings → database → identity → routers, worker. Everything else gets what it needs."""

import asyncio
import logging
import os
from base64 import urlsafe_b64encode
from collections.abc import AsyncIterator, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, LiteralString

import psycopg
from fastapi import FastAPI

from spotter import __version__, traces
from spotter.api import application
from spotter.api.rate_limits import RateLimiter
from spotter.api.services import Services
from spotter.billing import price_seed
from spotter.billing.accounts import Accounts
from spotter.billing.authority import BillingAuthority
from spotter.billing.ledger import Ledger
from spotter.billing.pricing import PriceBook
from spotter.billing.speaking import VoiceLedger
from spotter.errors import StartupRefused
from spotter.identity.authenticate import Authenticator
from spotter.identity.connector_secrets import ConnectorSecrets
from spotter.identity.external import ExternalTokens
from spotter.identity.guests import Guests
from spotter.identity.keyring import Keyring, load_keyring
from spotter.identity.sign_in import SignIn
from spotter.identity.standing import Standing
from spotter.identity.stream_tickets import StreamTickets
from spotter.identity.tokens import AccessTokens
from spotter.identity.vault import Vault
from spotter.identity.widgets import Widgets
from spotter.llm.allowed import AllowedModels
from spotter.llm.resolver import Resolver
from spotter.logs import register_redactor
from spotter.offline import OfflineModel
from spotter.runtime.approvals import ApprovalDesk
from spotter.runtime.direct_calls import DirectCalls, toolbox_agent
from spotter.runtime.kit import Kit, with_own
from spotter.runtime.models import Models
from spotter.runtime.proxied_calls import ProxiedCalls, proxy_agent
from spotter.runtime.registry import ToolRegistry
from spotter.runtime.seams import Seams
from spotter.runtime.turns import Turns
from spotter.safety import Moderation, OpenAIAccounts, redact_for_logs, warm
from spotter.scenarios.coach.director import CoachDirector
from spotter.scenarios.definitions import Definitions, rules_of
from spotter.scenarios.initializer import SourcePicker
from spotter.scenarios.orchestrating import Orchestrator
from spotter.schema import metadata
from spotter.sessions.log import SessionLog
from spotter.settings import Settings
from spotter.store import queue_schema
from spotter.store.bus import Bus
from spotter.store.database import Database
from spotter.store.embedded import EmbeddedPostgres, newest_programs
from spotter.store.migrate import Migrated, Plan, head_revision, migrate
from spotter.store.urls import DatabaseUrls, DerivePassword, derive_urls, describe
from spotter.tasks import end_tasks
from spotter.tools import TOOLS
from spotter.voice.starting import VoiceDesk
from spotter.voice.transcripts import Transcripts
from spotter.work.job import Workshop
from spotter.work.jobs import JOBS
from spotter.work.turn_rescue import TurnRescue
from spotter.work.worker import Worker

log = logging.getLogger(__name__)

__all__ = ["Ground", "House", "build_app", "ground", "house", "metadata", "migrated"]


@dataclass(frozen=True, slots=True)
class Ground:
    """The database's address and the installation's secret: what every command stands on."""

    settings: Settings
    urls: DatabaseUrls
    keyring: Keyring
    pg_dump: Path


@asynccontextmanager
async def ground(settings: Settings) -> AsyncIterator[Ground]:
    """Starts (or joins) the embedded database if no other is set; the last process out stops it."""
    async with AsyncExitStack() as stack:
        if settings.database_url is not None:
            owner = settings.database_url.get_secret_value()
        else:
            embedded = await stack.enter_async_context(EmbeddedPostgres(settings.data_dir))
            await stack.enter_async_context(_running(embedded.keep_running()))
            owner = embedded.owner_url
        keyring = load_keyring(settings)
        pooled = settings.database_pooled_url.get_secret_value() if settings.database_pooled_url else None
        urls = derive_urls(owner, _password_from(keyring), pooled=pooled)
        yield Ground(settings, urls, keyring, newest_programs() / "pg_dump")


@asynccontextmanager
async def _running(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Beside what happens inside."""
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        await end_tasks(task)


def _password_from(keyring: Keyring) -> DerivePassword:
    return lambda label: urlsafe_b64encode(keyring.derive(label)).decode().rstrip("=")


async def migrated(base: Ground, *, accept_new_secret: bool = False) -> Migrated:
    plan = Plan(
        pg_dump=base.pg_dump,
        backups=base.settings.data_dir / "backups",
        key_fingerprint=base.keyring.fingerprint,
        backups_kept=base.settings.backups_kept,
        statement_timeout=base.settings.statement_timeout,
        accept_new_secret=accept_new_secret,
    )
    return await asyncio.to_thread(migrate, base.urls, plan)


async def require_current_schema(base: Ground) -> None:
    """For commands that do not migrate: say what to do instead of failing on the first query."""
    head, level = head_revision(), queue_schema.newest_level()
    try:
        revision = await _told_by(base.urls.runtime_direct, "SELECT version_num FROM alembic_version")
        if revision != head:
            raise StartupRefused(
                f"The database is at revision {revision or 'none'}, this Spotter needs {head}. Run: spotter migrate"
            )
        # Only the job login sees the queue. Levels never go back, so what is right now stays right.
        queue_level = await _told_by(base.urls.job, "SELECT level FROM queue.spotter_schema_level")
    except psycopg.OperationalError as error:
        raise StartupRefused(_cannot_connect(base, error)) from None
    if queue_level is None or queue_level < level:
        raise StartupRefused(
            f"The queue's tables are at {queue_level or 'no level'}, this Spotter needs {level}. Run: spotter migrate"
        )


async def _told_by(url: str, question: LiteralString) -> str | None:
    async with await psycopg.AsyncConnection.connect(url, connect_timeout=10) as connection:
        try:
            row = await (await connection.execute(question)).fetchone()
        except psycopg.errors.UndefinedTable:
            return None
    return str(row[0]) if row is not None else None


def _cannot_connect(base: Ground, error: psycopg.OperationalError) -> str:
    reason = " ".join(str(error).split()).rstrip(".?")
    return (
        f"Cannot log in to {describe(base.urls.owner)} as {base.urls.runtime_login.name}: {reason}. "
        "If the database is new, run `spotter migrate` first; if it is another machine's, use its secret key."
    )


@dataclass(frozen=True, slots=True)
class House:
    """Everything, running."""

    base: Ground
    services: Services
    workshop: Workshop


@asynccontextmanager
async def house(base: Ground) -> AsyncIterator[House]:
    settings = base.settings
    async with AsyncExitStack() as stack:
        stack.callback(traces.start(os.environ))
        database = await stack.enter_async_context(Database(base.urls, settings))
        await database.refuse_powerful_login()
        bus = await stack.enter_async_context(Bus(base.urls.runtime_direct))
        access_tokens = AccessTokens(base.keyring, timedelta(minutes=settings.access_token_minutes))
        external = ExternalTokens(settings.external_issuers, None)
        stack.push_async_callback(external.aclose)
        vault = Vault(base.keyring)
        secrets = ConnectorSecrets(vault)
        prices, accounts = PriceBook(database), Accounts(database)
        ledger, voice_ledger = Ledger(database, prices, accounts), VoiceLedger(database, prices, accounts)
        resolver = Resolver(offline=OfflineModel)
        stack.push_async_callback(resolver.aclose)
        moderation = Moderation(database, OpenAIAccounts(resolver, database, secrets, os.environ).moderator)
        register_redactor(redact_for_logs)
        models = Models(resolver, database, secrets, os.environ)
        registry = ToolRegistry(TOOLS)
        allowed = AllowedModels(settings.allowed_models, settings.model)
        definitions = Definitions(database, rules_of(registry, allowed), settings.model)
        kit = Kit(
            database=database,
            bus=bus,
            log=SessionLog(database.hot, ledger, database.stamps),
            registry=registry,
            agents=with_own(definitions.agent, toolbox_agent(registry), proxy_agent()),
            models=models.for_agent,
            seams=_seams(settings, database, ledger, models, moderation),
        )
        turns = Turns(kit)
        sign_in = SignIn(database, access_tokens, settings)
        stack.push_async_callback(sign_in.aclose)
        guests = Guests(database, base.keyring)
        widgets = Widgets(database, base.keyring, guests)
        services = Services(
            settings=settings,
            database=database,
            bus=bus,
            authenticator=Authenticator(database, access_tokens, external, widgets),
            standing=await stack.enter_async_context(Standing(database)),
            sign_in=sign_in,
            tickets=StreamTickets(base.keyring),
            guests=guests,
            widgets=widgets,
            vault=vault,
            limits=RateLimiter(settings),
            log=kit.log,
            turns=turns,
            direct_calls=DirectCalls(database, kit.log, bus, turns, registry),
            proxied_calls=ProxiedCalls(
                database, kit.log, ledger, moderation, models.passing, allowed, turns.owner
            ),
            agents=definitions.agent,
            definitions=definitions,
            orchestrator=Orchestrator(database, kit.log, models.for_agent, ledger),
            allowed_models=allowed,
            secrets=secrets,
            registry=kit.registry,
            prices=prices,
            accounts=accounts,
            ledger=ledger,
            billing_authority=BillingAuthority(settings),
            moderation=moderation,
            timings=kit.seams.timings,
            voice=VoiceDesk(settings, kit, definitions, voice_ledger, models),
            transcripts=Transcripts(kit, voice_ledger),
        )
        yield House(base, services, Workshop(settings, database, bus))


def _seams(
    settings: Settings, database: Database, ledger: Ledger, models: Models, moderation: Moderation
) -> Seams:
    """Who is asked in the course of a turn."""
    return Seams(
        budget=ledger,
        approvals=ApprovalDesk(database, valid_for=settings.approval_time),
        initializer=SourcePicker(database, models.for_agent),
        guard=moderation,
        director=CoachDirector(database),
    )


def warm_up() -> None:
    """What is read once, so that the first person does not wait for it."""
    warm()
    price_seed.warm()
    OfflineModel.warm_up()


@asynccontextmanager
async def conversing(home: House) -> AsyncIterator[None]:
    """Turns in this process: its own, and those of processes that died."""
    turns = home.services.turns
    await turns.start()
    rescue = TurnRescue(home.workshop, turns)
    rescue.start()
    try:
        yield
    finally:
        await rescue.stop()
        await home.services.proxied_calls.stop(home.services.settings.shutdown_grace)
        await turns.stop(home.services.settings.shutdown_grace)


@asynccontextmanager
async def working(home: House) -> AsyncIterator[Worker]:
    """A worker in this process."""
    worker = Worker(home.workshop, JOBS)
    await worker.start()
    try:
        yield worker
    finally:
        await worker.stop()


def build_app(services: Services) -> FastAPI:
    return application.build(services, version=__version__, schema_revision=head_revision())
