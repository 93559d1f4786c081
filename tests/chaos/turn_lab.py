"""Turns that are killed, finished by somebody else, and then looked at closely."""

import asyncio
import json
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
from psycopg import sql

from spotter.app import Ground, House, house
from spotter.billing.caps import CapScope, CapUnit
from spotter.billing.verify import verify_money
from spotter.runtime.context import SessionView
from spotter.runtime.verdicts import red_flag_in
from spotter.sessions.charges import usage_in
from spotter.sessions.codec import Event
from spotter.sessions.events import (
    Action,
    AssistantMessage,
    Ending,
    Outcome,
    Result,
    UserMessage,
    ending_of,
    is_direct,
)
from spotter.sessions.log import SessionLog
from spotter.sessions.verify import Wanted, verify
from spotter.store.embedded import EmbeddedPostgres
from tests.chaos.turn_script import NOTE, SCENARIOS
from tests.support.agents import new_session
from tests.support.databases import database_url, fresh_database, migrated_ground, settings_for
from tests.support.money import account, cap, give_credits, set_price
from tests.support.people import Gym, open_gym
from tests.support.processes import plain_environment

ROOT = Path(__file__).parents[2]
LONG = os.environ.get("SPOTTER_CHAOS") == "long"
AT_ONCE = 4
_HANG = 240


@dataclass(frozen=True, slots=True)
class Blow:
    """What happens to a process, at its which boundary. None of them: it is left alone."""

    at: int = 0
    how: str = "kill"
    steps: bool = False
    after: float | None = None
    """Instead: SIGKILL after so many seconds."""


@dataclass(slots=True)
class Told:
    """What became of a case."""

    session_id: UUID
    blows: int = 0
    names: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    fenced: int = 0
    taken: bool = False
    """The second found the turn open. When the first was frozen at the very end, there is nothing to take."""
    uncertain: int = 0


class Runner:
    """The process that forks."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._numbers = 0
        self._ended: dict[int, asyncio.Future[int]] = {}
        self._stopped: dict[int, asyncio.Event] = {}

    async def listen(self) -> None:
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            told = json.loads(line)
            if "stopped" in told:
                self._stopped[told["number"]].set()
            elif "code" in told:
                self._ended[told["number"]].set_result(told["code"])

    def start(self, job: dict[str, Any]) -> int:
        self._numbers += 1
        self._ended[self._numbers] = asyncio.get_running_loop().create_future()
        self._stopped[self._numbers] = asyncio.Event()
        self._send({"number": self._numbers, **job})
        return self._numbers

    def signal(self, number: int, which: signal.Signals) -> None:
        self._send({"number": number, "signal": int(which)})

    async def ended(self, number: int) -> int:
        try:
            return await asyncio.wait_for(asyncio.shield(self._ended[number]), _HANG)
        except TimeoutError:
            self.signal(number, signal.SIGUSR1)  # says where it hangs
            await asyncio.sleep(1)
            self.signal(number, signal.SIGKILL)
            return await self._ended[number]

    async def stopped(self, number: int) -> bool:
        """False when it ended instead."""
        async with asyncio.timeout(_HANG):
            while not self._stopped[number].is_set() and not self._ended[number].done():
                await asyncio.sleep(0.005)
        return self._stopped[number].is_set()

    def _send(self, line: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(line, default=str).encode() + b"\n")


@asynccontextmanager
async def forking() -> AsyncIterator[Runner]:
    environment = plain_environment(PYTHONPATH=str(ROOT))
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.chaos.turn_runner",
        env=environment,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    runner = Runner(process)
    listening = asyncio.create_task(runner.listen())
    try:
        yield runner
    finally:
        assert process.stdin is not None
        process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), 5)
        except TimeoutError:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        await listening


@dataclass(slots=True)
class Lab:
    """Half of its cases happen to an organisation whose spending is limited, half to one that never heard of money."""

    home: House
    gyms: tuple[Gym, Gym]
    runner: Runner
    folder: Path
    cases: int = 0
    whose: dict[UUID, Gym] = field(default_factory=dict)

    async def case(
        self, scenario: str, blows: Sequence[Blow], *, mutant: str = "", hasty: bool = False, **more: Any
    ) -> Told:
        """A turn to which this happens, one process after the other; the last one is left alone."""
        place, job = await self._prepare(scenario, mutant=mutant, **more)
        told = Told(job["session_id"])
        marked: set[str] = set()
        for number, blow in enumerate(blows):
            name = await self._strike({**job, "begin": number == 0}, place, blow, told)
            if name is None:
                break
            if not hasty:
                marked |= await self._marked(told.session_id)
        await self._finish(job, place, told)
        plain = all(blow.how in ("kill", "term", "stop") for blow in blows)
        await self._look(scenario, place, told, to_the_end=plain)
        if plain and not hasty and not mutant and marked != await self._marked(told.session_id, "uncertain"):
            told.faults.append(f"died between the marks of {marked}, which is not what is uncertain")
        return told

    async def zombie(self, scenario: str, at: int, *, mutant: str = "") -> Told:
        """Stopped past its lease; somebody else ends the turn; then it wakes up and goes on."""
        place, job = await self._prepare(scenario, mutant=mutant, lease=0.3)
        told = Told(job["session_id"])
        first = self.runner.start({**job, "begin": True, "at": at, "how": "stop"})
        if await self.runner.stopped(first):
            told.blows += 1
            told.names.append((place / f"killed-{first}").read_text())
            second = self.runner.start({**job, "begin": False, "patient": True})
            code = await self.runner.ended(second)
            self.runner.signal(first, signal.SIGCONT)
            self._expect(code, place, second, told)
            told.taken = self._reported(place, second, "took_over") > 0
        self._expect(await self.runner.ended(first), place, first, told)
        told.fenced = self._reported(place, first, "fenced")
        await self._look(scenario, place, told, to_the_end=True)
        return told

    async def rescue(self, scenario: str, at: int) -> tuple[Told, float] | None:
        """Killed while another server looks for abandoned turns; how many seconds until the turn had ended there. The
        lease outlasts the test: only the dead process' lock tells. None when it was killed before anything was said:
        there is nothing to take over."""
        place, job = await self._prepare(scenario, lease=3600)
        told = Told(job["session_id"])
        second = self.runner.start({**job, "begin": False, "guard": True})
        while not (place / "guarded").exists():
            await asyncio.sleep(0.01)
        await self._strike({**job, "begin": True}, place, Blow(at), told)
        began = time.monotonic()
        said = "SELECT 1 FROM agent_events WHERE session_id = %s LIMIT 1"
        if not await self._rows(told.session_id, said, told.session_id):
            self.runner.signal(second, signal.SIGTERM)
            await self.runner.ended(second)
            return None
        self._expect(await self.runner.ended(second), place, second, told)
        seconds = time.monotonic() - began
        await self._look(scenario, place, told, to_the_end=True)
        return told, seconds

    async def _prepare(self, scenario: str, **more: Any) -> tuple[Path, dict[str, Any]]:
        gym = self.gyms[self.cases % 2]
        self.cases += 1
        session_id = await new_session(self.home, gym.member.scope)
        self.whose[session_id] = gym
        place = self.folder / f"case-{session_id}"
        place.mkdir()
        urls = self.home.base.urls
        return place, {
            "runtime_url": urls.runtime_direct,
            "job_url": urls.job,
            "org_id": gym.org_id,
            "user_id": gym.member.user_id,
            "session_id": session_id,
            "scenario": scenario,
            "folder": place,
            **more,
        }

    async def _strike(self, job: dict[str, Any], place: Path, blow: Blow, told: Told) -> str | None:
        """Where it was hit; None when it came through."""
        number = self.runner.start({**job, "at": blow.at, "how": blow.how, "steps": blow.steps})
        if blow.after is not None:
            await asyncio.sleep(blow.after)
            self.runner.signal(number, signal.SIGKILL)
        code = await self.runner.ended(number)
        hit = place / f"killed-{number}"
        if not hit.exists() and code != -signal.SIGKILL:
            self._expect(code, place, number, told)
            return None
        if blow.how != "kill":
            self._expect(code, place, number, told)
        told.blows += 1
        told.names.append(hit.read_text() if hit.exists() else "any moment")
        return told.names[-1]

    async def _finish(self, job: dict[str, Any], place: Path, told: Told) -> None:
        number = self.runner.start({**job, "begin": False})
        self._expect(await self.runner.ended(number), place, number, told)

    def _reported(self, place: Path, number: int, what: str) -> int:
        """Nothing from a process that did not come to its end: that is among the faults."""
        report = place / f"report-{number}"
        return int(json.loads(report.read_text())[what]) if report.exists() else 0

    def _expect(self, code: int, place: Path, number: int, told: Told) -> None:
        if code != 0:
            said = (place / f"said-{number}").read_text()[-2000:]
            told.faults.append(f"a process ended with {code}: {said}")

    async def _marked(self, session_id: UUID, state: str = "attempting") -> set[str]:
        """Once the server has noticed that the dead are dead: a commit they sent may still be under way."""
        async with self.home.services.database.hot.connection() as connection:
            query = "SELECT count(*) FROM pg_stat_activity WHERE application_name = %s"
            while True:
                row = await (await connection.execute(query, (f"chaos {session_id}",))).fetchone()
                if row == (0,):
                    break
                await asyncio.sleep(0.005)
        return {
            call_id
            for call_id, found in await self._rows(
                session_id, "SELECT call_id, state FROM agent_effects WHERE session_id = %s", session_id
            )
            if found == state
        }

    async def _rows(self, session_id: UUID, query: str, *parameters: object) -> list[Any]:
        async with self.home.services.database.unit_of_work(self.whose[session_id].owner.scope) as uow:
            cursor = await (await uow.driver()).execute(query.encode(), parameters)
            return await cursor.fetchall()

    async def _look(self, scenario: str, place: Path, told: Told, *, to_the_end: bool) -> None:
        log = SessionLog(self.home.services.database.hot)
        gym = self.whose[told.session_id]
        events = await log.read(gym.member.scope, told.session_id)
        effects = await self._effects(place, told.session_id)
        told.faults += effect_faults(events, effects)
        if to_the_end:
            told.faults += story_faults(scenario, events)
        outcomes = Counter(event.content.outcome for event in events if isinstance(event.content, Result))
        told.uncertain = outcomes[Outcome.UNCERTAIN]
        journal = place / "journal"
        wanted = Wanted(session_id=told.session_id, journal=journal if journal.exists() else None)
        found = await verify(self.home.base.urls, SessionView, wanted)
        told.faults += [f"{one.invariant} at {one.sequence}: {one.what}" for one in found.violations]
        money = await verify_money(self.home.base.urls, org_id=gym.org_id, session_id=told.session_id)
        told.faults += [f"{one.invariant}: {one.what}" for one in money.violations]
        held = "SELECT id FROM spend_reservations WHERE session_id = %s"
        left = await self._rows(told.session_id, held, told.session_id)
        told.faults += [f"{reservation} is still reserved" for (reservation,) in left]

    async def _effects(self, place: Path, session_id: UUID) -> Counter[tuple[str, str]]:
        """How often each really happened, by tool and call."""
        notes = await self._rows(
            session_id,
            "SELECT target FROM audit_log WHERE action = %s AND target LIKE %s",
            NOTE,
            f"{session_id}/%",
        )
        charges = await self._rows(session_id, "SELECT call_id FROM outbox WHERE session_id = %s", session_id)
        outside = place / "outside"
        mails = outside.read_text().split() if outside.exists() else []
        return Counter(
            [("note", target.split("/")[1]) for (target,) in notes]
            + [("charge", call_id) for (call_id,) in charges]
            + [("mail", line.split("/")[1]) for line in mails]
        )


def effect_faults(events: Sequence[Event], effects: Counter[tuple[str, str]]) -> list[str]:
    """A good result means once, any other means never; only what is uncertain may be either."""
    faults = []
    results = {e.content.call_id: e.content.outcome for e in events if isinstance(e.content, Result)}
    for event in events:
        if not isinstance(event.content, Action) or event.content.tool not in ("note", "charge", "mail"):
            continue
        key = event.content.tool, event.content.call_id
        outcome, times = results.get(event.content.call_id), effects.pop(key, 0)
        if outcome is Outcome.UNCERTAIN and key[0] == "mail" and times <= 1:
            continue
        if times != (outcome is Outcome.OK):
            faults.append(f"{key} ended {outcome} and happened {times} times")
    return faults + [f"{key} happened without a call" for key in effects]


def story_faults(name: str, events: Sequence[Event]) -> list[str]:
    """Whatever happened to the processes, the conversation is the one that was meant."""
    scenario = SCENARIOS[name]
    good = {"add": {Outcome.OK}, "note": {Outcome.OK}, "charge": {Outcome.OK}, "idle": {Outcome.OK}}
    good["mail"] = {Outcome.OK, Outcome.UNCERTAIN}
    calls = [event.content for event in events if isinstance(event.content, Action)]
    denied = {call.call_id for call in calls if scenario.asks and "deny" in call.args}
    if scenario.ending is Ending.CANCELLED:
        good |= {"note": {Outcome.OK, Outcome.CANCELLED}, "halt": {Outcome.OK, Outcome.CANCELLED}}
        good["mail"] = {Outcome.CANCELLED}
    faults = [
        f"{result.tool} ended {result.outcome}"
        for result in (event.content for event in events)
        if isinstance(result, Result) and name != "misfits" and result.call_id not in denied
        if result.outcome not in good.get(result.tool, {Outcome.ERROR})
    ]
    faults += [
        f"{result.tool} ended {result.outcome}, but was denied"
        for result in (event.content for event in events)
        if isinstance(result, Result) and result.call_id in denied and result.outcome is not Outcome.DENIED
    ]
    faults += stop_faults(events)
    if scenario.flagged:
        faults += flag_faults(events)
    said = [event.content.text.split()[1] for event in events if isinstance(event.content, UserMessage)]
    if scenario.called:
        faults += [
            f"{call.call_id} is no call of a program's" for call in calls if not is_direct(call.call_id)
        ]
        made = [call.tool for call in calls]
        if made != [turn[0][0][0] for turn in scenario.turns] or said:
            faults.append(f"the calls are {made}, the messages {said}")
    elif said != [str(number) for number in range(len(scenario.turns))]:
        faults.append(f"the messages are {said}")
    endings = [ending for event in events if (ending := ending_of(event.content)) is not None]
    if scenario.asks:
        # A turn ends with its requests, and again when they are decided; how often depends on who was quicker.
        if set(endings) != {Ending.APPROVAL, Ending.FINAL} or endings[-1] is not Ending.FINAL:
            faults.append(f"the turns ended {endings}")
    elif endings != [scenario.ending] * len(scenario.turns):
        faults.append(f"the turns ended {endings}")
    return faults


def flag_faults(events: Sequence[Event]) -> list[str]:
    """A red flag is answered with safety's words, whoever got to it; no model is asked, nothing is done."""
    faults = [
        f"event {event.sequence} is a {event.type}: the check was skipped"
        for event in events
        if not isinstance(event.content, UserMessage | AssistantMessage)
        or (usage_in(event.content) is not None or event.content.moderation is None)
    ]
    flag = red_flag_in(events)
    return faults if flag is not None else [*faults, "no red flag stands"]


def stop_faults(events: Sequence[Event]) -> list[str]:
    """I16: once somebody asked to stop, no effect begins and no model is asked."""
    halted = [
        event.sequence
        for event in events
        if isinstance(event.content, Result) and event.content.tool == "halt"
    ]
    return [
        f"event {event.sequence} came after the stop"
        for event in events
        if halted and event.sequence > halted[0]
        if usage_in(event.content) is not None
        or (isinstance(event.content, Result) and event.content.outcome is not Outcome.CANCELLED)
    ]


async def _open_gyms(home: House) -> tuple[Gym, Gym]:
    free, limited = await open_gym(home), await open_gym(home)
    for gym in (free, limited):
        await set_price(home, gym)
    for scope in CapScope:
        for unit in CapUnit:
            await cap(home, limited, 10**13, scope=scope, unit=unit, soft=1000)
    await account(home, limited, prepaid=True)
    await give_credits(home, limited, 10**8)
    return free, limited


async def _hurry(postgres: EmbeddedPostgres, name: str, base: Ground) -> None:
    """A process that is frozen inside a transaction holds its locks until the server has had enough of it. Usually
    that is a minute; here nobody wants to wait."""
    url = database_url(postgres.superuser_url, name)
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        for setting, value in (("idle_in_transaction_session_timeout", "3s"), ("lock_timeout", "4s")):
            await connection.execute(
                sql.SQL("ALTER ROLE {} SET {} = {}").format(
                    sql.Identifier(base.urls.runtime_login.name), sql.Identifier(setting), sql.Literal(value)
                )
            )


@asynccontextmanager
async def laboratory(postgres: EmbeddedPostgres, name: str, folder: Path) -> AsyncIterator[Lab]:
    """With a database of its own: nobody else looks for abandoned turns in it."""
    folder.mkdir(exist_ok=True)
    async with fresh_database(postgres, name) as url, migrated_ground(settings_for(url, folder)) as base:
        await _hurry(postgres, name, base)
        async with house(base) as home, forking() as runner:
            yield Lab(home, await _open_gyms(home), runner, folder)
