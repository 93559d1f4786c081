"""Runs scripted turns in processes that die. Imports once, then forks: a child costs milliseconds.

One line of JSON on stdin is one child (`Job`), or a signal for one; one line on stdout says what became of it. Nothing
is connected and no loop runs before the fork. Children die with this process, and it ends when stdin does.
"""

import asyncio
import ctypes
import gc
import json
import os
import select
import signal
import sys
import traceback
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID, uuid5

import psycopg
from pydantic import TypeAdapter
from sqlalchemy import text

import spotter.runtime.turns as turns_module
from spotter.billing import price_seed
from spotter.billing.accounts import Accounts
from spotter.billing.ledger import Ledger
from spotter.billing.pricing import PriceBook
from spotter.identity.principal import ALL_SCOPES, Principal, Role
from spotter.runtime import approval_decisions
from spotter.runtime.approval_decisions import Decision
from spotter.runtime.approvals import ApprovalDesk
from spotter.runtime.kit import Kit, known_agents
from spotter.runtime.registry import ToolRegistry
from spotter.runtime.seams import NoInitializer, Seams
from spotter.runtime.tables import Approval
from spotter.runtime.turns import Turns
from spotter.safety import Moderation
from spotter.sessions.events import DIRECT, Action, UserMessage
from spotter.sessions.log import Lease, SessionLog
from spotter.settings import Settings
from spotter.store.bus import Bus
from spotter.store.database import Database
from spotter.store.scope import Scope
from spotter.store.urls import DatabaseUrls, Login
from spotter.work.job import Workshop
from spotter.work.turn_rescue import TurnRescue
from tests.chaos import turn_script
from tests.chaos.boundaries import (
    Boundaries,
    SteppingLoop,
    billed_apart,
    without_fence,
    without_transaction,
)


@dataclass(frozen=True, slots=True)
class Job:
    number: int
    runtime_url: str
    job_url: str
    org_id: UUID
    user_id: UUID
    session_id: UUID
    scenario: str
    folder: Path
    begin: bool
    """Says what the scenario says. Otherwise goes on with whatever is left of it."""
    at: int = 0
    how: str = "kill"
    steps: bool = False
    mutant: str = ""
    lease: float = 30.0
    patient: bool = False
    """Waits for the lease of an open turn to run out before taking it over."""
    guard: bool = False
    """Looks for abandoned turns as a server does, until there is nothing left in the session."""

    @property
    def urls(self) -> DatabaseUrls:
        nobody = Login("", "")
        return DatabaseUrls("", self.runtime_url, self.runtime_url, self.job_url, nobody, nobody)

    @property
    def scope(self) -> Scope:
        return Scope(self.org_id, self.user_id, "member")


async def _nobody(scope: Scope) -> None:
    """Gives no second opinion."""


JOB = TypeAdapter(Job)
SETTINGS = Settings(database_pool_size=3, database_hot_pool_size=3)


class Child:
    def __init__(self, job: Job, boundaries: Boundaries) -> None:
        self._job = job
        self._boundaries = boundaries
        self._scenario = turn_script.SCENARIOS[job.scenario]
        self._asked_to_stop = asyncio.Event()

    async def run(self) -> None:
        job = self._job
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, self._asked_to_stop.set)
        asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, _say_where_everybody_is)
        async with AsyncExitStack() as stack:
            self._database = await stack.enter_async_context(Database(job.urls, SETTINGS))
            bus = await stack.enter_async_context(Bus(job.urls.runtime_direct))
            self._turns = Turns(self._kit(bus))
            self._turns._lease = Lease(self._turns.owner, job.lease)
            await self._turns.start()
            SteppingLoop.boundaries = self._boundaries
            self._boundaries.install()
            work = asyncio.create_task(self._guard(bus) if job.guard else self._work())
            stop = asyncio.create_task(self._asked_to_stop.wait())
            await asyncio.wait({work, stop}, return_when=asyncio.FIRST_COMPLETED)
            await self._turns.stop(grace=0)
            if not work.done():
                work.cancel()
            await asyncio.gather(work, return_exceptions=not work.done())
            stop.cancel()

    def _kit(self, bus: Bus) -> Kit:
        turn_script.World.file = self._job.folder / "outside"
        known = [self._boundaries.tool(one) for one in turn_script.tools(self._scenario)]
        model = turn_script.model(self._scenario)

        async def models(*_: object) -> Any:
            return model

        ledger = Ledger(self._database, PriceBook(self._database), Accounts(self._database))
        return Kit(
            database=self._database,
            bus=bus,
            log=SessionLog(self._database.hot, ledger),
            registry=ToolRegistry(known),
            agents=known_agents({"tester": turn_script.agent(self._scenario)}),
            models=models,
            seams=self._seams(ledger),
        )

    def _seams(self, ledger: Ledger) -> Seams:
        guard = Moderation(self._database, _nobody)
        if self._scenario.asks:
            return Seams(budget=ledger, approvals=ApprovalDesk(self._database), guard=guard)
        informs = turn_script.Informs() if self._scenario.informed else NoInitializer()
        return Seams(budget=ledger, initializer=informs, guard=guard)

    async def _guard(self, bus: Bus) -> None:
        rescue = TurnRescue(Workshop(SETTINGS, self._database, bus), self._turns)
        rescue.start()
        (self._job.folder / "guarded").touch()
        while (await self._state())[0] is None:
            await asyncio.sleep(0.01)
        while (await self._state())[0] is not None:
            await asyncio.sleep(0.01)
        await rescue.stop()

    async def _work(self) -> None:
        if not self._job.begin:
            await self._go_on()
        for number in range(len(self._scenario.turns)):
            await self._say(number)
        await self._quiet()
        await self._go_on()
        if self._scenario.asks:
            await self._decide_all()

    async def _decide_all(self) -> None:
        """As people who look at what waits until nothing does."""
        approver = Principal(
            "user", uuid5(self._job.org_id, "staff"), self._job.org_id, Role.STAFF, ALL_SCOPES
        )
        while waiting := await self._undecided(approver.scope):
            for row in waiting:
                decision = Decision("deny" not in row.arguments, row.args_hash, "As they like.")
                log = SessionLog(self._database.hot)
                lease = self._turns.lease or approval_decisions.NOBODY_AT_ONCE
                async with self._database.unit_of_work(approver.scope) as uow:
                    decided = await approval_decisions.decide(uow, log, approver, row.id, decision, lease)
                if decided.turn is not None and self._turns.lease is not None:
                    self._turns.go_on(decided.scope, decided.turn)
            await self._quiet()
            await self._go_on()

    async def _undecided(self, scope: Scope) -> list[Approval]:
        async with self._database.unit_of_work(scope) as uow:
            return await approval_decisions.listing(
                uow, limit=100, state="pending", session_id=self._job.session_id
            )

    async def _say(self, number: int) -> None:
        """As a client that repeats itself until it is answered, and writes down when it was."""
        if self._scenario.called:
            await self._call(number)
            return
        said = turn_script.message(self._scenario, number)
        message_id = uuid5(self._job.session_id, str(number))
        await self._turns.say(self._job.scope, self._job.session_id, UserMessage(text=said), key=message_id)
        entry = {"session_id": str(self._job.session_id), "message_id": str(message_id), "status": 200}
        with (self._job.folder / "journal").open("a") as journal:
            journal.write(json.dumps(entry) + "\n")

    async def _call(self, number: int) -> None:
        """As a program that makes its call again until it is made; one call at a time."""
        ((tool, what),) = self._scenario.turns[number][0]
        key = uuid5(self._job.session_id, str(number))
        action = Action(
            tool=tool, args=json.dumps({"what": what}), call_id=f"{DIRECT}{key.hex}", source="api"
        )
        await self._turns.call(self._job.scope, self._job.session_id, action, key=key)
        await self._quiet()

    async def _go_on(self) -> None:
        """Until nothing is left: neither an open turn nor a message that waits."""
        while True:
            fence, expired, waiting = await self._state()
            if fence is not None and (expired or not self._job.patient):
                with suppress(psycopg.errors.LockNotAvailable):  # the frozen one is in a transaction
                    await self._turns.take_over(self._job.scope, self._job.session_id, fence)
            elif waiting and fence is None:
                await self._turns.take_up_waiting(self._job.scope, self._job.session_id)
            elif fence is None:
                return
            await asyncio.sleep(0.01)
            await self._quiet()

    async def _state(self) -> tuple[int | None, bool, bool]:
        async with self._database.unit_of_work(self._job.scope) as uow:
            row = (
                await uow.session.execute(
                    text(
                        "SELECT CASE WHEN turn_open THEN fence END, lease_until < now(), EXISTS ("
                        " SELECT 1 FROM agent_inbox w WHERE w.session_id = s.id) OR EXISTS ("
                        " SELECT 1 FROM approvals a WHERE a.session_id = s.id AND a.settled_at IS NULL"
                        " AND a.decided_at IS NOT NULL)"
                        " FROM agent_sessions s WHERE id = :id"
                    ),
                    {"id": self._job.session_id},
                )
            ).one()
        return row[0], bool(row[1]), bool(row[2])

    async def _quiet(self) -> None:
        while self._job.session_id in self._turns._running:
            await asyncio.sleep(0.003)


def run_child(job: Job) -> None:
    boundaries = Boundaries(job.at, job.how, steps=job.steps, killed_at=job.folder / f"killed-{job.number}")
    _name_connections(job.session_id)
    if job.mutant == "no transaction":
        without_transaction()
    if job.mutant == "no fence":
        without_fence()
    if job.mutant == "billed apart":
        billed_apart()
    turns_module._RENEW_EVERY = job.lease / 3
    turns_module._PAUSE_AFTER_OUTAGE = 0.05
    with asyncio.Runner(loop_factory=SteppingLoop if job.steps else None) as runner:
        runner.run(Child(job, boundaries).run())
    report = {
        "boundaries": boundaries.count,
        "fenced": boundaries.fenced,
        "took_over": boundaries.took_over,
    }
    (job.folder / f"report-{job.number}").write_text(json.dumps(report))


def _say_where_everybody_is() -> None:
    for task in asyncio.all_tasks():
        task.print_stack()
    sys.stderr.flush()


def _name_connections(session_id: UUID) -> None:
    """So that others can see when the server has noticed that this process is dead."""
    connect = psycopg.AsyncConnection.connect.__func__  # type: ignore[attr-defined]

    async def named(cls: type, *args: Any, **kwargs: Any) -> Any:
        return await connect(cls, *args, **{**kwargs, "application_name": f"chaos {session_id}"})

    setattr(psycopg.AsyncConnection, "connect", classmethod(named))  # noqa: B010


def fork(job: Job) -> int:
    if pid := os.fork():
        return pid
    code = 1
    try:
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # dies with its parent
        said = os.open(job.folder / f"said-{job.number}", os.O_WRONLY | os.O_CREAT, 0o644)
        nothing = os.open(os.devnull, os.O_RDONLY)
        for here, there in ((nothing, 0), (said, 1), (said, 2)):
            os.dup2(here, there)
        run_child(job)
        code = 0
    except BaseException:  # noqa: BLE001 - said in the file, and by the exit code
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def serve() -> None:
    running: dict[int, int] = {}
    unread = b""
    print(json.dumps({"ready": True}), flush=True)
    try:
        while True:
            if select.select([0], [], [], 0.004)[0]:
                piece = os.read(0, 1 << 16)
                if not piece:
                    return
                *lines, unread = (unread + piece).split(b"\n")
                for line in lines:
                    _obey(json.loads(line), running)
            _tell(running)
    finally:
        for pid in running:
            os.kill(pid, signal.SIGKILL)


def _obey(asked: dict[str, Any], running: dict[int, int]) -> None:
    if "signal" in asked:
        for pid, number in running.items():
            if number == asked["number"]:
                os.kill(pid, asked["signal"])
        return
    job = JOB.validate_python(asked)
    running[fork(job)] = job.number


def _tell(running: dict[int, int]) -> None:
    while running:
        pid, status = os.waitpid(-1, os.WNOHANG | os.WUNTRACED)
        if pid == 0:
            return
        if os.WIFSTOPPED(status):
            print(json.dumps({"number": running[pid], "stopped": True}), flush=True)
        else:
            code = os.waitstatus_to_exitcode(status)
            print(json.dumps({"number": running.pop(pid), "code": code}), flush=True)


if __name__ == "__main__":
    price_seed._load()  # once, not in every child
    gc.freeze()
    serve()
