"""The command line. Imports are lazy: `spotter --help` answers before the libraries would be loaded."""

import asyncio
import gc
import os
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from spotter import __version__

if TYPE_CHECKING:
    from uuid import UUID

    from spotter.settings import Settings

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])


def _data_dir(command: F) -> F:
    return click.option(
        "--data-dir",
        type=click.Path(path_type=Path),
        help="Where data and the embedded database live. Default: SPOTTER_DATA_DIR, else the usual place.",
    )(command)


def _server_options(command: F) -> F:
    for option in (
        click.option("--host", help="Address to listen on.  [default: 127.0.0.1]"),
        click.option(
            "--port", type=click.IntRange(0, 65535), help="Port; 0 picks a free one.  [default: 8420]"
        ),
        click.option(
            "--ready-file",
            type=click.Path(path_type=Path, dir_okay=False),
            help="Write {url, pid, data_dir} as JSON here once the server answers.",
        ),
    ):
        command = option(command)
    return command


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, "--version", message="spotter %(version)s")
def main() -> None:
    """Spotter: AI coaches and AI gym staff, on your own machine.

    Start with `spotter up`: it runs everything (a private PostgreSQL included), adds a demo gym, and prints a
    link that signs you in. Settings come from SPOTTER_… environment variables; `spotter doctor` shows them.
    """


@main.command()
@_data_dir
@_server_options
def up(data_dir: Path | None, host: str | None, port: int | None, ready_file: Path | None) -> None:
    """Run everything here: database, demo gym, server and worker. Prints a sign-in link."""
    settings = _settings(data_dir=data_dir, host=host, port=port)

    async def start() -> None:
        with _loading():
            from spotter.commands import run_server

        await run_server(settings, ready_file, first_start=True)

    _run(start(), settings, quiet=False)


@main.command()
@_data_dir
@_server_options
@click.option(
    "--worker/--no-worker", default=None, help="Also run background jobs in this process.  [default: yes]"
)
def serve(
    data_dir: Path | None, host: str | None, port: int | None, ready_file: Path | None, worker: bool | None
) -> None:
    """Run the server on a database that is migrated already. For production."""
    settings = _settings(data_dir=data_dir, host=host, port=port, worker_in_process=worker)

    async def start() -> None:
        with _loading():
            from spotter.commands import run_server

        await run_server(settings, ready_file, first_start=False)

    _run(start(), settings, quiet=False)


@main.command()
@_data_dir
@click.option("--concurrency", type=click.IntRange(1, 200), help="Jobs at the same time.  [default: 5]")
def worker(data_dir: Path | None, concurrency: int | None) -> None:
    """Run background jobs, without a server. Any number of workers may run."""
    settings = _settings(data_dir=data_dir, queue_concurrency=concurrency)

    async def start() -> None:
        with _loading():
            from spotter.commands import run_worker

        await run_worker(settings)

    _run(start(), settings, quiet=False)


@main.command()
@_data_dir
@click.option(
    "--accept-new-secret", is_flag=True, help="Go on although the database knows another secret key."
)
def migrate(data_dir: Path | None, accept_new_secret: bool) -> None:
    """Bring the database to this version's schema. Dumps it first."""
    settings = _settings(data_dir=data_dir)

    async def go() -> None:
        with _loading():
            from spotter.commands import migrate_database

        click.echo(await migrate_database(settings, accept_new_secret=accept_new_secret))

    _run(go(), settings)


@main.command()
@_data_dir
def demo(data_dir: Path | None) -> None:
    """Add the demo organisation (owner@, staff@ and member@demo.spotter). Safe to run twice."""
    settings = _settings(data_dir=data_dir)

    async def go() -> None:
        with _loading():
            from spotter.commands import seed_demo

        click.echo(await seed_demo(settings))

    _run(go(), settings)


@main.command()
@_data_dir
@click.option("--email", required=True, help="Whose token.")
@click.option("--org", help="Slug or id of the organisation.  [default: the one joined first]")
@click.option("--hours", type=click.IntRange(1, 24), default=12, show_default=True, help="How long it lives.")
def token(data_dir: Path | None, email: str, org: str | None, hours: int) -> None:
    """Print a bearer token and nothing else. For scripts; works beside a running server."""
    settings = _settings(data_dir=data_dir)

    async def go() -> None:
        with _loading():
            from spotter.commands import make_token

        click.echo(await make_token(settings, email, org, hours))

    _run(go(), settings)


@main.command()
@_data_dir
@click.option("--email", required=True, help="Who the link signs in.")
@click.option("--org", help="Slug or id of the organisation.  [default: the one joined first]")
@click.option("--url", help="Address of the server.  [default: SPOTTER_PUBLIC_URL, else host and port]")
def link(data_dir: Path | None, email: str, org: str | None, url: str | None) -> None:
    """Print a link that signs somebody in, once."""
    settings = _settings(data_dir=data_dir)

    async def go() -> None:
        with _loading():
            from spotter.commands import make_link

        click.echo(await make_link(settings, email, org, url))

    _run(go(), settings)


@main.command()
@_data_dir
@click.option("--name", required=True, help="Its name, e.g. 'Iron Temple'.")
@click.option("--slug", required=True, help="Its short name in addresses, e.g. iron-temple.")
@click.option("--owner", required=True, help="The owner's e-mail; the account is made if it is new.")
@click.option("--timezone", default="UTC", show_default=True)
def org(data_dir: Path | None, name: str, slug: str, owner: str, timezone: str) -> None:
    """Start an organisation of your own, and print a link that signs its owner in."""
    settings = _settings(data_dir=data_dir)

    async def go() -> None:
        with _loading():
            from spotter.commands import create_organisation

        click.echo(await create_organisation(settings, name=name, slug=slug, owner=owner, timezone=timezone))

    _run(go(), settings)


@main.command()
@_data_dir
def doctor(data_dir: Path | None) -> None:
    """Say what is configured, what is missing and how to fix it."""
    settings = _settings(data_dir=data_dir)

    async def go() -> bool:
        from spotter.doctor import examine

        return await examine(settings, click.echo)

    if not _run(go(), settings):
        sys.exit(1)


@main.command()
@_data_dir
@click.option("--org", help="Slug or id of the only organisation to look at.")
@click.option("--session", "session_id", type=click.UUID, help="The only session to look at.")
@click.option(
    "--journal",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="JSON lines of {session_id, message_id, status}: what clients were told is looked for in the log.",
)
@click.option("--heads", is_flag=True, help="Also print where each audit chain ends, to be noted elsewhere.")
def verify(
    data_dir: Path | None, org: str | None, session_id: "UUID | None", journal: Path | None, heads: bool
) -> None:
    """Read all sessions, bills and the audit log, and check that nothing is lost, doubled, changed or stuck. Works
    beside a running server."""
    settings = _settings(data_dir=data_dir)

    async def go() -> bool:
        with _loading():
            from spotter.commands import verify_everything
        from spotter.sessions.verify import Wanted

        wanted = Wanted(session_id=session_id, journal=journal)
        return await verify_everything(settings, click.echo, wanted, org=org, heads=heads)

    if not _run(go(), settings):
        sys.exit(1)


@main.command("import")
@_data_dir
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False, readable=True))
@click.option("--email", required=True, help="Whose history, or whose organisation's exercises.")
@click.option("--org", help="Slug or id of the organisation.  [default: the one joined first]")
@click.option(
    "--kind",
    type=click.Choice(["auto", "strong", "hevy", "free-exercise-db", "exercemus", "wger"]),
    default="auto",
    show_default=True,
    help="Where the file comes from.",
)
@click.option(
    "--pounds",
    is_flag=True,
    help="Weights without a unit are in pounds.  [default: as the person's settings say]",
)
@click.option("--dry-run", is_flag=True, help="Only say what would happen.")
def import_(
    data_dir: Path | None, file: Path, email: str, org: str | None, kind: str, pounds: bool, dry_run: bool
) -> None:
    """Bring in a workout log (Strong or Hevy, CSV) or an exercise collection (JSON). Safe to run twice."""
    settings = _settings(data_dir=data_dir)

    async def go() -> None:
        with _loading():
            from spotter.commands import Wish, import_file

        wanted = Wish(email, org, None if kind == "auto" else kind, pounds, dry_run)
        await import_file(settings, file, wanted, click.echo)

    _run(go(), settings)


@main.command("eval")
@click.option(
    "--model",
    default="offline",
    show_default=True,
    help="offline, or provider:model, e.g. openai:gpt-4o, anthropic:claude-sonnet-4-5, ollama:llama3. Keys come from "
    "the environment, as for the server.",
)
@click.option(
    "--set",
    "which",
    type=click.Choice(["tuning", "held_out", "all"]),
    default="all",
    show_default=True,
    help="tuning: what the rules were written with; held_out: what they never saw; all: both, and older ones.",
)
@click.option("--limit", type=click.IntRange(min=1), help="Only so many messages of each set.")
@click.option(
    "--json",
    "json_file",
    type=click.Path(path_type=Path, dir_okay=False, writable=True),
    help="Also write the results here, for a program or to compare two runs.",
)
def eval_(model: str, which: str, limit: int | None, json_file: Path | None) -> None:
    """Measure how well a model does the trainer's work.

    Every message of the sets that ship is said to the model as a member would say it, with the trainer's tools. The
    tables show, by intent, how often it called the right tool, only talked, or did something else; how often the
    arguments could be read; and whether anybody with a warning sign was given training (then the exit code is 1). Of
    the offline model they also show what it understood, by intent and slot.

    \b
    spotter eval                                   the offline model, all sets
    spotter eval --set held_out --json out.json    what was never tuned on, also as JSON
    spotter eval --model openai:gpt-4o --limit 20  another model, a little of each set

    A paid model costs money for every message: try --limit first. No database is needed.
    """
    settings = _settings()
    if json_file is not None and not json_file.absolute().parent.is_dir():
        raise click.BadParameter(
            f"the folder {json_file.absolute().parent} does not exist; make it first.", param_hint="--json"
        )

    async def go() -> bool:
        with _loading():
            from spotter.evaluating.command import evaluate_model

        return await evaluate_model(model, which, json_file, limit, click.echo)

    if not _run(go(), settings):
        sys.exit(1)


def _settings(**given: Any) -> "Settings":
    """From the environment, with what was given on the command line on top. Mistakes are said for people."""
    from pydantic import ValidationError

    from spotter.settings import Settings

    try:
        return Settings(**{name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        lines = [f"  {_setting_name(problem['loc'])}: {problem['msg']}" for problem in error.errors()]
        raise click.ClickException("These settings are not right:\n" + "\n".join(lines)) from None


def _setting_name(loc: tuple[int | str, ...]) -> str:
    name = ".".join(str(part) for part in loc)
    return name if name.isupper() else f"SPOTTER_{name.upper()}"


@contextmanager
def _loading() -> Iterator[None]:
    """The collector finds nothing in modules that are just being made, and looks for a sixth of their time."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _run(work: Coroutine[Any, Any, T], settings: "Settings", *, quiet: bool = True) -> T:
    """`quiet` for commands that end by themselves: on the terminal stands what was asked for, and trouble."""
    from spotter.errors import SpotterError
    from spotter.logs import configure_logs
    from spotter.store.faults import as_spotter_error

    if quiet and "log_level" not in settings.model_fields_set:
        settings = settings.model_copy(update={"log_level": "WARNING"})
    configure_logs(settings)
    try:
        with asyncio.Runner(loop_factory=_loop_factory()) as runner:
            return runner.run(work)
    except SpotterError as error:
        raise click.ClickException(error.detail) from (error if os.environ.get("SPOTTER_DEBUG") else None)
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as error:
        refusal = as_spotter_error(error)
        if os.environ.get("SPOTTER_DEBUG") or (refusal is None and not isinstance(error, OSError)):
            raise  # a bug, which nobody should hide
        raise click.ClickException(refusal.detail if refusal else _system_refusal(error)) from None


def _system_refusal(error: Exception) -> str:
    return f"The system refuses: {error}. Check who may use that folder, or choose another with --data-dir."


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ImportError:  # an optional extra
        return None
    return uvloop.new_event_loop
