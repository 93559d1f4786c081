"""What a durable turn costs, in Spotter and in its peers, in one interleaved run. See README.md.

make bench                       # everything, under 15 minutes
make bench ARGS=--quick          # under 2 minutes: fewer rounds, 50 turns instead of 200
make bench ARGS=--no-peers       # only Spotter and the floor
"""

import argparse
import asyncio
import json
import os
import platform
import shutil
import sys
import tempfile
import time
from contextlib import AsyncExitStack
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench import report
from bench.measuring import QUICK, Plan, Run
from bench.processes import Postgres, Subject, fake_openai
from bench.spotter_subject import settings_for
from bench.venvs import PACKAGES, CannotInstall, venv_for
from spotter.app import ground, migrated

RESULTS = Path(__file__).parent / "results"
# Of each peer: with Postgres, and with what it comes with.
PEERS = {
    "langgraph": ("bench.peers.langgraph", "LangGraphPostgres", "LangGraph"),
    "openai-agents": ("bench.peers.openai_agents", "OpenAIAgentsPostgres", "OpenAIAgents"),
    "agno": ("bench.peers.agno", "AgnoPostgres", "Agno"),
    "pydantic-ai": ("bench.peers.pydantic_ai", "PydanticAIPostgres", "PydanticAI"),
}
BEGAN = time.monotonic()


def say(text: str) -> None:
    print(f"{time.monotonic() - BEGAN:6.1f} s  {text}", flush=True)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--quick", action="store_true", help="fewer rounds, shorter histories, peers on Postgres only"
    )
    parser.add_argument("--no-peers", action="store_true", help="only Spotter and the floor")
    parser.add_argument("--peers", default=",".join(PACKAGES), help="which of: %(default)s")
    parser.add_argument("--postgres-only", action="store_true", help="peers not on SQLite too")
    parser.add_argument(
        "--no-install", action="store_true", help="leave out peers that are not installed yet"
    )
    parser.add_argument("--out", type=Path, default=RESULTS / "latest.json")
    return parser.parse_args()


async def main() -> int:
    arguments = parse()
    plan = QUICK if arguments.quick else Plan()
    notes: list[str] = []
    folder = _folder()
    async with AsyncExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        # Two servers: one has not connections enough for everybody at once.
        ours = await stack.enter_async_context(Postgres.started(folder / "ours"))
        others = await stack.enter_async_context(Postgres.started(folder / "others"))
        model_url = await stack.enter_async_context(fake_openai())
        subjects, versions = await _subjects(arguments, ours, others, folder, notes)
        run = Run(plan, model_url, folder, subjects, say)
        stack.push_async_callback(run.stop)
        log = await _measure(run)
    results = {subject.name: subject.results for subject in subjects}
    notes += [subject.failure for subject in subjects if subject.failure]
    peers = [subject.name for subject in subjects if subject.peer]
    promises = report.targets(results, peers, plan.levels, plan.together, log)
    whole = {
        "plan": asdict(plan) | {"quick": arguments.quick},
        "machine": {
            "python": platform.python_version(),
            "system": platform.platform(),
            "cores": os.cpu_count(),
            "load": os.getloadavg()[0],
        },
        "versions": versions,
        "seconds": round(time.monotonic() - BEGAN, 1),
        "notes": notes,
        "promises": promises,
        "long_log": log,
        "results": results,
    }
    _show(whole, peers, plan)
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")
    say(f"written to {arguments.out}")
    return 0


def _folder() -> Path:
    """As root the database runs as another user, who must be able to pass through."""
    folder = Path(tempfile.mkdtemp(prefix="spotter-bench-"))
    folder.chmod(0o711)
    return folder


async def _subjects(
    arguments: argparse.Namespace, ours: Postgres, others: Postgres, folder: Path, notes: list[str]
) -> tuple[list[Subject], dict[str, Any]]:
    (folder / "data").mkdir()
    # Each its own, as everybody has: two processes on one database would also tell each other what happens.
    stores = {name: await ours.create(name) for name in ("bench_spotter", "bench_http")}
    for store in stores.values():
        async with ground(settings_for(store, folder / "data")) as base:
            await migrated(base)
    python, module = sys.executable, "bench.spotter_subject"
    floor = await others.create("bench_floor")
    subjects = [
        Subject("floor", "bench.peers.floor:Floor", python, floor, others, "bench_floor", peer=False),
        *(
            Subject(name, f"{module}:{kind}", python, stores[database], ours, database, peer=False)
            for name, kind, database in (
                ("spotter", "SpotterInProcess", "bench_spotter"),
                ("spotter http", "SpotterHttp", "bench_http"),
            )
        ),
    ]
    versions: dict[str, Any] = {"spotter": version("spotter-gym"), "openai": version("openai")}
    for peer in [] if arguments.no_peers else arguments.peers.split(","):
        try:
            venv = venv_for(peer, install=not arguments.no_install)
        except CannotInstall as error:
            notes.append(f"{peer} was left out: {error}")
            say(notes[-1])
            continue
        versions[peer] = venv.versions
        module, with_postgres, default = PEERS[peer]
        python, database = str(venv.python), f"bench_{peer.replace('-', '_')}"
        store = await others.create(database)
        subjects.append(
            Subject(f"{peer} (postgres)", f"{module}:{with_postgres}", python, store, others, database)
        )
        if not (arguments.quick or arguments.postgres_only):
            file = str(folder / f"{peer}.db")
            subjects.append(Subject(f"{peer} (sqlite)", f"{module}:{default}", python, file))
    return subjects, versions


async def _measure(run: Run) -> dict[str, Any]:
    spotter = next(subject for subject in run.subjects if subject.name == "spotter")
    say(f"starting {len(run.subjects)} subjects")
    await run.start()
    say("one turn of history")
    await run.short_sessions()
    say("a long session of each")
    await run.long_session()
    for number in range(run.plan.colds):  # one for each process that is to see it for the first time
        await spotter.ask("seed", sessions=[f"long-{number}"], turns=run.plan.levels[-1])
    say("many sessions at once")
    await run.together()
    await run.memory()
    await run.stop()
    say("fresh processes")
    await run.cold(subject for subject in run.subjects if subject.name != "spotter http")
    say("bytes in the database")
    await run.restart(spotter)
    await run.sizes(spotter)
    say(f"a log of {run.plan.long_log:,} events")
    log = await run.long_log(spotter)
    await spotter.stop()
    run.summarise()
    return log


def _show(whole: dict[str, Any], peers: list[str], plan: Plan) -> None:
    print()
    print(report.table(whole["results"], peers, plan.levels, plan.together))
    print()
    print(report.shown(whole["promises"]))
    for note in whole["notes"]:
        print(f"note: {note}")
    print()


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
