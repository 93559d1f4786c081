"""What is measured, in which order. All subjects are alive at once and take turns, so that a busy minute of the machine
falls on all of them."""

import statistics
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.processes import Subject, SubjectFailed, difference, rotated


@dataclass(frozen=True, slots=True)
class Plan:
    """How much of everything. `levels` are turns of history; the first is measured in many short sessions."""

    levels: tuple[int, ...] = (1, 50, 200)
    rounds: int = 5
    short_batch: int = 5
    together: tuple[int, ...] = (50, 100)
    together_turns: int = 2
    together_rounds: int = 2
    colds: int = 3
    size_turns: int = 500
    long_log: int = 100_000
    long_rounds: int = 4
    seconds: float = 780.0
    """On a busy machine rounds are left out, so that the whole ends in time. One or two of each are always done."""


QUICK = Plan(
    levels=(1, 50),
    rounds=3,
    short_batch=3,
    together=(100,),
    together_turns=1,
    together_rounds=1,
    colds=1,
    size_turns=200,
    long_log=20_000,
    long_rounds=2,
    seconds=100.0,
)

MODES = {"plain": False, "stream": True}


@dataclass(slots=True)
class Run:
    plan: Plan
    model_url: str
    folder: Path
    subjects: list[Subject]
    say: Callable[[str], None]
    samples: dict[tuple[str, str, str], list[dict[str, float]]] = field(default_factory=dict)
    began: float = field(default_factory=time.monotonic)

    def _rounds(self, count: int, share: float, *, least: int = 2) -> Iterator[int]:
        """Round numbers, while the phase is within its share of the time."""
        for number in range(count):
            if number >= least and time.monotonic() - self.began > self.plan.seconds * share:
                self.say(f"  late: {number} rounds instead of {count}")
                return
            yield number

    async def start(self) -> None:
        for subject in list(self.subjects):
            try:
                opened = await self._open(subject)
                for stream in MODES.values():
                    for number in range(3):
                        await subject.ask("turns", sessions=[f"warm{number % 2}"], stream=stream)
                subject.results |= {"start_cpu_s": opened["start_cpu_s"], "rss_start_mb": opened["rss_mb"]}
            except SubjectFailed as error:
                self._lose(subject, error)

    async def _open(self, subject: Subject, **environment: str) -> dict[str, Any]:
        environment["BENCH_DATA"] = str(self.folder / "data")
        return await subject.start(self.model_url, self.folder / f"{subject.name}.log", environment)

    def _lose(self, subject: Subject, error: SubjectFailed) -> None:
        subject.failure = str(error)
        self.say(f"left out from here on: {error}")

    async def _sample(self, subject: Subject, sessions: list[str], mode: str) -> dict[str, float]:
        before = subject.postgres_cpu()
        measured = await subject.ask("turns", sessions=sessions, stream=MODES[mode])
        after = subject.postgres_cpu()
        postgres = difference(before, after) * 1e3 / len(sessions)
        return {
            "cpu_ms": measured["cpu_ms"],
            "postgres_ms": postgres,
            "total_ms": measured["cpu_ms"] + postgres,
            "wall_ms": measured["wall_ms"],
        }

    def _keep(self, subject: Subject, level: str, mode: str, sample: dict[str, float]) -> None:
        self.samples.setdefault((subject.name, level, mode), []).append(sample)

    async def short_sessions(self) -> None:
        """At one turn of history: fresh sessions, their second turn."""
        for number in self._rounds(self.plan.rounds, 0.25):
            for subject in rotated(self.subjects, number):
                try:
                    for mode in MODES:
                        names = [f"{mode}-{number}-{index}" for index in range(self.plan.short_batch)]
                        await subject.ask("turns", sessions=names, stream=False)
                        self._keep(subject, "1", mode, await self._sample(subject, names, mode))
                except SubjectFailed as error:
                    self._lose(subject, error)

    async def long_session(self) -> None:
        """One session of each grows; at each level everybody's next turns are measured in turns."""
        had = 0
        for level in self.plan.levels[1:]:
            more = level - self.plan.rounds - had  # half of the measured turns lie before the level
            for subject in rotated(self.subjects, level):
                began = time.monotonic()
                try:
                    await self._grow(subject, more)
                except SubjectFailed as error:
                    self._lose(subject, error)
                self.say(f"  {subject.name} has {had + more} turns ({time.monotonic() - began:.1f} s)")
            had += more + 2 * await self._side_by_side(level)

    async def _side_by_side(self, level: int) -> int:
        """Everybody's next turn of the long session, and of one that has a single turn behind it, one at a time: every
        other round the one, every other the other. So both come after the same pause, in which the others worked."""
        beside = f"1 beside {level}"
        names = [f"beside-{level}-{number}" for number in range(2 * self.plan.rounds)]
        for subject in rotated(self.subjects, level):
            try:
                await subject.ask("turns", sessions=names, stream=False)
            except SubjectFailed as error:
                self._lose(subject, error)
        done = 0
        for number in self._rounds(2 * self.plan.rounds, 0.65, least=4):
            done = number // 2 + 1
            for subject in rotated(self.subjects, number):
                long = (self.subjects.index(subject) + number) % 2 == 0
                named, kept = ("long", str(level)) if long else (names[number], beside)
                try:
                    for mode in MODES:
                        self._keep(subject, kept, mode, await self._sample(subject, [named], mode))
                except SubjectFailed as error:
                    self._lose(subject, error)
        return done

    async def _grow(self, subject: Subject, turns: int) -> None:
        before = await self._size(subject)
        await subject.ask("seed", sessions=["long"], turns=turns)
        subject.results["bytes_per_turn_long"] = (await self._size(subject) - before) / turns

    async def _size(self, subject: Subject) -> int:
        if subject.postgres is not None:
            return await subject.postgres.size(subject.database)
        return sum(
            path.stat().st_size for path in Path(subject.store).parent.glob(Path(subject.store).name + "*")
        )

    async def together(self) -> None:
        """Many sessions at the same time."""
        kept: dict[tuple[str, int], list[dict[str, Any]]] = {}
        for number in self._rounds(self.plan.together_rounds, 0.8, least=1):
            for sessions in self.plan.together:
                for subject in rotated(self.subjects, number):
                    names = [f"together-{number}-{sessions}-{index}" for index in range(sessions)]
                    before = subject.postgres_cpu()
                    try:
                        answer = await subject.ask(
                            "concurrent", sessions=names, turns=self.plan.together_turns
                        )
                    except SubjectFailed as error:
                        self._lose(subject, error)
                        continue
                    after = subject.postgres_cpu()
                    answer["postgres_ms"] = difference(before, after) * 1e3 / max(1, answer["turns"])
                    kept.setdefault((subject.name, sessions), []).append(answer)
        for subject in self.subjects:
            subject.results["together"] = {
                str(sessions): _summed(answers)
                for (name, sessions), answers in kept.items()
                if name == subject.name
            }

    async def memory(self) -> None:
        for subject in rotated(self.subjects, 0):
            subject.results["rss_mb"] = (await subject.ask("rss"))["rss_mb"]

    async def cold(self, subjects: Iterable[Subject]) -> None:
        """The next turn of the long session in a process that has just started: it knows nothing of it."""
        for number in self._rounds(self.plan.colds, 0.9, least=1):
            for subject in rotated(subjects, number):
                fresh = subject.again()
                try:
                    await self._open(fresh)
                    self._keep(subject, "cold", "plain", await self._sample(fresh, ["long"], "plain"))
                    self._keep(subject, "cold session", "plain", await self._cold_session(fresh, number))
                except SubjectFailed as error:
                    self.say(f"no cold turn: {error}")
                finally:
                    await fresh.stop()

    async def _cold_session(self, fresh: Subject, number: int) -> dict[str, float]:
        """The process has answered somebody; the session is one that it has not seen."""
        await fresh.ask("turns", sessions=["warm0", "warm0", "warm1"], stream=False)
        return await self._sample(fresh, [f"long-{number}" if fresh.name == "spotter" else "long"], "plain")

    async def sizes(self, subject: Subject) -> None:
        """Spotter's bytes for each turn over many turns in several sessions."""
        sessions, postgres = 10, subject.postgres
        assert postgres is not None
        before = await postgres.size(subject.database)
        for index in range(sessions):
            await subject.ask("seed", sessions=[f"size{index}"], turns=self.plan.size_turns // sessions)
        turns = self.plan.size_turns // sessions * sessions
        grown = await postgres.size(subject.database)
        await postgres.vacuum(subject.database)
        vacuumed = await postgres.size(subject.database)
        subject.results["bytes_per_turn"] = (grown - before) / turns
        subject.results["bytes_per_turn_vacuumed"] = (vacuumed - before) / turns

    async def long_log(self, subject: Subject) -> dict[str, Any]:
        """How soon the next turn of a very long log asks the model, in a process that has just started."""
        lengths = {"short": 100, "long": self.plan.long_log}
        for name, events in lengths.items():
            await subject.ask("long log", session=f"log-{name}", events=events)
        kept: dict[str, list[dict[str, Any]]] = {}
        for number in self._rounds(self.plan.long_rounds, 0.95):
            names = list(lengths) if number % 2 == 0 else list(reversed(lengths))
            for name in names:
                for warm in (False, True):
                    fresh = subject.again()
                    try:
                        await self._open(fresh, BENCH_NOTED="1")
                        if warm:
                            await fresh.ask("turns", sessions=["warm0", "warm1", "warm1"], stream=False)
                        started = await fresh.ask("start", session=f"log-{name}")
                        kept.setdefault(f"{name}{' in a warm process' if warm else ''}", []).append(started)
                    finally:
                        await fresh.stop()
        told: dict[str, Any] = {"events": self.plan.long_log, "against": 100}
        for name, starts in kept.items():
            told[name] = {key: statistics.median(start[key] for start in starts) for key in starts[0]}
        return told

    def summarise(self) -> None:
        for subject in self.subjects:
            for (name, level, mode), samples in self.samples.items():
                if name == subject.name:
                    subject.results.setdefault(level, {})[mode] = {
                        key: round(statistics.median(sample[key] for sample in samples), 3)
                        for key in samples[0]
                    } | {"samples": [round(sample["total_ms"], 2) for sample in samples]}

    async def restart(self, subject: Subject) -> None:
        await subject.stop()
        await self._open(subject)

    async def stop(self) -> None:
        for subject in self.subjects:
            await subject.stop()


def _summed(answers: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "turns_s": round(statistics.median(answer["turns_s"] for answer in answers), 1),
        "cpu_ms": round(statistics.median(answer["cpu_ms"] for answer in answers), 3),
        "postgres_ms": round(statistics.median(answer["postgres_ms"] for answer in answers), 3),
        "failed": sum(answer["failed"] for answer in answers),
        "turns": sum(answer["turns"] for answer in answers),
        "first_failure": next(
            (answer["first_failure"] for answer in answers if answer["first_failure"]), None
        ),
    }
