"""What the commands do. `cli.py` only reads the command line; this is loaded when a command runs."""

import asyncio
import gc
import logging
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from uuid import UUID
from zoneinfo import ZoneInfo

import click
import psycopg
from email_validator import EmailNotValidError, validate_email

from spotter import __version__, demo
from spotter.api.server import Listener, forget_ready_file, ready_file
from spotter.app import (
    Ground,
    House,
    build_app,
    conversing,
    ground,
    house,
    migrated,
    require_current_schema,
    warm_up,
    working,
)
from spotter.billing.verify import verify_money
from spotter.clock import now
from spotter.errors import InvalidInput, NotFound, StartupRefused
from spotter.identity import audit, look_ups
from spotter.identity.audit_verify import verify_audit
from spotter.identity.look_ups import Place
from spotter.identity.organisations import add_organisation, add_person, get_organisation
from spotter.identity.tokens import AccessClaims, AccessTokens
from spotter.progress import progress
from spotter.runtime.context import SessionView
from spotter.runtime.imported_text import screen_by
from spotter.sessions.verify import Wanted, verify
from spotter.settings import Settings
from spotter.store.database import Database
from spotter.store.migrate import Migrated
from spotter.store.scope import UNSCOPED, Scope
from spotter.store.urls import describe
from spotter.training import importing, own_exercises, profile

log = logging.getLogger(__name__)


async def run_server(settings: Settings, ready_path: Path | None, *, first_start: bool) -> None:
    async with AsyncExitStack() as stack:
        stop = stack.enter_context(_stopped_by_signals())
        forget_ready_file(ready_path)
        listener = Listener(settings)
        stack.callback(listener.close)
        base = await stack.enter_async_context(ground(settings))
        if first_start:
            await _migrated(base, accept_new_secret=False)
        else:
            await require_current_schema(base)
        home = await stack.enter_async_context(house(base))
        if first_start:
            await demo.seed(home.services.database)
        app = build_app(home.services)
        await stack.enter_async_context(conversing(home))
        if settings.worker_in_process:
            await stack.enter_async_context(working(home))
        ready = asyncio.Event()
        serving = asyncio.create_task(listener.serve(app, ready, stop))
        stack.push_async_callback(_ended, serving, stop)
        await ready.wait()
        stack.enter_context(ready_file(ready_path, listener.url, settings.data_dir))
        await _greet(home, listener.url, with_link=first_start)
        await stack.enter_async_context(_warming())
        await asyncio.wait({serving, asyncio.create_task(stop.wait())}, return_when=asyncio.FIRST_COMPLETED)
        click.echo("Stopping…", err=True)


async def run_worker(settings: Settings) -> None:
    async with AsyncExitStack() as stack:
        stop = stack.enter_context(_stopped_by_signals())
        home = await stack.enter_async_context(_home(settings))
        await stack.enter_async_context(conversing(home))
        await stack.enter_async_context(working(home))
        log.info("working", extra={"concurrency": settings.queue_concurrency})
        await stack.enter_async_context(_warming())
        await stop.wait()


@asynccontextmanager
async def _warming() -> AsyncIterator[None]:
    """Reads what the first person would otherwise wait for, once the server answers: before, it would only make the
    start longer. What is there then stays for good, so the collector need not walk it again and again. (Measured: a
    cold session in a warm process costs a third.)"""

    def warm() -> None:
        warm_up()
        gc.collect()
        gc.freeze()

    work = asyncio.create_task(asyncio.to_thread(warm))
    try:
        yield
    finally:
        await work


async def migrate_database(settings: Settings, *, accept_new_secret: bool) -> str:
    async with ground(settings) as base:
        done = await _migrated(base, accept_new_secret=accept_new_secret)
    kept = f" The state before is kept in {done.backup}." if done.backup else ""
    if done.before == done.after:
        migrated = " The queue's tables were migrated." if done.backup else ""
        return f"The database is up to date (revision {done.after}).{migrated}{kept}"
    return f"Migrated from {done.before or 'an empty database'} to {done.after}.{kept}"


async def _migrated(base: Ground, *, accept_new_secret: bool) -> Migrated:
    try:
        return await migrated(base, accept_new_secret=accept_new_secret)
    except psycopg.OperationalError as error:
        # Several lines for several addresses of one host; they say the same.
        reason = str(error).splitlines()[0]
        raise StartupRefused(
            f"Cannot connect to the database {describe(base.urls.owner)}: {reason}. "
            "Check DATABASE_URL, and that the server runs and lets this login in."
        ) from error


async def seed_demo(settings: Settings) -> str:
    async with _home(settings) as home:
        added = await demo.seed(home.services.database)
    who = ", ".join(email for email, _, _ in demo.PEOPLE)
    return f"The demo organisation has {who}." if added else f"The demo organisation is there already: {who}."


async def make_token(settings: Settings, email: str, org: str | None, hours: int) -> str:
    async with _home(settings) as home:
        user_id, place = await _find_person(home, email, org)
        lifetime = timedelta(hours=hours)
        async with home.services.database.unit_of_work(Scope(place.org_id, user_id, place.role.value)) as uow:
            signed_in = await home.services.sign_in.start_session(uow, device="spotter token")
            await audit.record(uow, "sign_in.token")
        tokens = AccessTokens(home.base.keyring, timedelta(minutes=settings.access_token_minutes))
        claims = AccessClaims(user_id=user_id, org_id=place.org_id, session_id=signed_in.session_id)
        return tokens.issue(claims, lifetime=lifetime)


async def make_link(settings: Settings, email: str, org: str | None, url: str | None) -> str:
    async with _home(settings) as home:
        user_id, place = await _find_person(home, email, org)
        secret = await home.services.sign_in.create_link(user_id, place)
    base = url or settings.public_url or f"http://{settings.host}:{settings.port}"
    return f"{str(base).rstrip('/')}/sign-in/{secret}"


async def create_organisation(settings: Settings, *, name: str, slug: str, owner: str, timezone: str) -> str:
    try:
        owner = validate_email(owner, check_deliverability=False).normalized.lower()
    except EmailNotValidError as error:
        raise InvalidInput(f"{owner!r} is not an e-mail address: {error}") from None
    async with _home(settings) as home, home.services.database.unit_of_work(UNSCOPED) as uow:
        login = await look_ups.find_login(uow, owner)
        user_id = login.user_id if login else await add_person(uow, owner, "", None)
        await add_organisation(uow, slug=slug, name=name, owner=user_id, timezone=timezone)
    return await make_link(settings, owner, slug, None)


async def verify_everything(
    settings: Settings, say: Callable[[str], None], wanted: Wanted, *, org: str | None, heads: bool
) -> bool:
    """Sessions, money and the audit log; of one session only that and its bills. True when all is as it should be."""
    async with ground(settings) as base:
        await require_current_schema(base)
        wanted = replace(wanted, org_id=await _find_organisation(base, org) if org else None)
        sessions = await verify(base.urls, SessionView, wanted)
        money = await verify_money(base.urls, org_id=wanted.org_id, session_id=wanted.session_id)
        for line in (*sessions.lines(), *money.lines()):
            say(line)
        count = sessions.count + money.count
        if wanted.session_id is None:
            async with Database(base.urls, base.settings) as database:
                audited = await verify_audit(database, wanted.org_id)
            for line in audited.lines(heads=heads):
                say(line)
            count += audited.count
    say("Everything is as it should be." if count == 0 else f"{count} violations.")
    return count == 0


@dataclass(frozen=True, slots=True)
class Wish:
    """What to import, for whom."""

    email: str
    org: str | None = None
    kind: str | None = None
    """None finds out."""
    pounds: bool = False
    dry_run: bool = False


async def import_file(settings: Settings, file: Path, wanted: Wish, say: Callable[[str], None]) -> None:
    """Workout logs go into the person's history, exercise collections to their organisation's own exercises."""
    async with _home(settings) as home:
        user_id, place = await _find_person(home, wanted.email, wanted.org)
        database, scope = home.services.database, Scope(place.org_id, user_id, place.role.value)
        async with database.unit_of_work(scope) as uow:
            zone = ZoneInfo((await get_organisation(uow)).timezone)
            known = await profile.settings(uow, user_id)
            book = await own_exercises.book_for(uow)
        pounds = wanted.pounds or (known is not None and known.units == "imperial")
        moderation = home.services.moderation
        screen = screen_by(await moderation.policy(scope), moderation.seen)
        contents = importing.Reader(book, zone, now(), screen, pounds).read(file, wanted.kind)
        if wanted.dry_run:
            async with database.unit_of_work(scope) as uow:
                stored = await importing.foresee(uow, contents)
        else:
            with progress(len(contents), "Importing") as step:
                stored = await importing.store(database, scope, contents, step)
            if stored.added:
                async with database.unit_of_work(scope) as uow:
                    detail = {"source": contents.source, "added": stored.added, "not_safe": contents.not_safe}
                    await audit.record(uow, "training.imported", detail=detail)
    for line in importing.report_lines(contents, stored, dry_run=wanted.dry_run):
        say(line)


async def _find_organisation(base: Ground, org: str) -> UUID:
    try:
        return UUID(org)
    except ValueError:
        pass
    async with Database(base.urls, base.settings) as database, database.unit_of_work(UNSCOPED) as uow:
        found = await look_ups.find_organisation(uow, org)
    if found is None:
        raise NotFound(f"There is no organisation {org!r}.")
    return found


@asynccontextmanager
async def _home(settings: Settings) -> AsyncIterator[House]:
    async with ground(settings) as base:
        await require_current_schema(base)
        async with house(base) as home:
            yield home


async def _find_person(home: House, email: str, org: str | None) -> tuple[UUID, Place]:
    async with home.services.database.unit_of_work(UNSCOPED) as uow:
        login = await look_ups.find_login(uow, email)
    if login is None:
        raise NotFound(f"Nobody here has the e-mail {email}. The demo's people: `spotter demo`.")
    return login.user_id, await home.services.sign_in.choose_place(login.user_id, org)


async def _greet(home: House, url: str, *, with_link: bool) -> None:
    settings = home.services.settings
    lines = [f"Spotter {__version__} is running.", ""]
    if with_link:
        user_id, place = await _find_person(home, demo.OWNER, demo.SLUG)
        secret = await home.services.sign_in.create_link(user_id, place)
        lines += [
            f"  Open   {url}/sign-in/{secret}",
            f"         (signs you in as {demo.OWNER}; works once, for {settings.sign_in_link_minutes} minutes)",
        ]
    lines += [f"  API    {url}/docs", f"  Data   {settings.data_dir}", "", "  Ctrl-C stops it."]
    click.echo("\n".join(lines))


async def _ended(serving: asyncio.Task[None], stop: asyncio.Event) -> None:
    stop.set()
    await serving


@contextmanager
def _stopped_by_signals() -> Iterator[asyncio.Event]:
    """SIGINT and SIGTERM ask to stop. A second Ctrl-C ends at once, as impatient people expect."""
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()

    def ask(number: int) -> None:
        if stop.is_set() and number == signal.SIGINT:
            raise KeyboardInterrupt
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, ask, number)
    try:
        yield stop
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
