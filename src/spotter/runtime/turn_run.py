"""One turn being run: everything the loop needs, wired once."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from spotter.billing.ledger import Call, StopAsked
from spotter.errors import NotFound
from spotter.llm.port import Model
from spotter.llm.prompt import Tools
from spotter.runtime.agent import Agent
from spotter.runtime.context import SessionView
from spotter.runtime.executor import Executor
from spotter.runtime.outside import judged_knowledge
from spotter.runtime.seams import Seams
from spotter.runtime.speech import Speech, announce
from spotter.sessions.events import Content, Handoff, Knowledge, ending_of
from spotter.sessions.log import Appended, SessionLog, Turn
from spotter.store.bus import Bus
from spotter.store.scope import Scope

if TYPE_CHECKING:
    from spotter.runtime.checkpoint import Checkpointer


@dataclass(frozen=True, slots=True)
class Cast:
    """Somebody who can answer: an agent with its model and its tools as the model sees them."""

    agent: Agent
    model: Model
    tools: Tools


@dataclass(slots=True)
class TurnRun:
    scope: Scope
    turn: Turn
    cast: Cast
    find_cast: Callable[[str], Awaitable[Cast]]
    view: SessionView
    log: SessionLog
    executor: Executor
    checkpointer: "Checkpointer"
    seams: Seams
    bus: Bus
    started: float = field(default_factory=time.monotonic)
    streamed: bool = True
    """False when nobody wants to hear the answer as it is spoken: then the model is asked for it whole."""
    speech: Speech | None = None
    nothing_waits: bool = False
    """The turn has ended, and as it did there was nothing to go on with."""
    asked_to_stop: bool = False
    """Set with the cancellation of the task, which may be lost on its way; and by the log, which knows first."""
    capped: bool = field(init=False)
    """Whether spending is limited, as the database said with our last word."""

    def __post_init__(self) -> None:
        self.capped = self.turn.capped
        self.asked_to_stop = self.turn.stop

    @property
    def agent(self) -> Agent:
        return self.cast.agent

    @property
    def model(self) -> Model:
        return self.cast.model

    @property
    def tools(self) -> Tools:
        return self.cast.tools

    async def recast(self) -> None:
        """Somebody else was handed the conversation: they go on."""
        assert self.view.speaker is not None
        self.cast = await self.find_cast(self.view.speaker)
        await self.introduce(self.view.speaker)
        await self.inform()

    async def maker(self, name: str) -> Agent:
        """Whoever made a call that was decided about later. Whoever is gone makes no more calls."""
        if name in ("", self.agent.name):
            return self.agent
        try:
            return (await self.find_cast(name)).agent
        except NotFound:
            return self.agent

    async def inform(self) -> None:
        """What the agent should know first: once for each who answers in a turn, also when the turn is taken over."""
        if not self.view.uninformed:
            return
        facts = await self.seams.initializer.knowledge(self)
        if facts:
            policy, seen = await self.seams.guard.policy(self.scope), self.seams.guard.seen
            judged = [
                judged_knowledge(fact, policy, seen) if isinstance(fact, Knowledge) else fact
                for fact in facts
            ]
            await self.append(judged)

    async def introduce(self, expected: str) -> None:
        """Whoever answers in the place of an agent that is gone does so openly: the log says it, and so the row."""
        if self.agent.name != expected:
            gone = f"{expected} is no longer there."
            await self.append([Handoff(from_agent=expected, to_agent=self.agent.name, reason=gone)])

    async def append(self, events: Sequence[Content], *, close: bool = False) -> None:
        done = await self.log.append(
            self.scope, self.turn.session_id, events, fence=self.turn.fence, close=close
        )
        await self.saw(events, done)

    async def saw(self, events: Sequence[Content], done: Appended) -> None:
        """They are in the log now: keep our picture current, and wake those who watch. What others added meanwhile (a
        decision about an approval) comes first, as it does in the log."""
        missed = done.last - len(events) - self.view.last_sequence
        if missed > 0:
            session_id = self.turn.session_id
            self.view.feed(
                await self.log.read(self.scope, session_id, after=self.view.last_sequence, limit=missed)
            )
        for sequence, event in enumerate(events, start=done.last - len(events) + 1):
            self.view.take(event, sequence)
        self.capped = done.capped
        self.nothing_waits = ending_of(events[-1]) is not None and not done.waiting
        self.asked_to_stop = self.asked_to_stop or done.stop
        announce(self.bus, self.turn.session_id, done.last, self.scope.user_id)

    async def may_answer(self, model: Model, prompt_tokens: int) -> int | None:
        """Before any model is called: how long its answer may be. Raises `PaymentRequired` where nothing is left."""
        wanted = self.agent.limits.output_tokens
        if not self.capped:
            return wanted
        call = Call(self.turn.session_id, self.turn.fence, model, prompt_tokens, wanted)
        try:
            return await self.seams.budget.reserve(self.scope, call)
        except StopAsked:
            self.asked_to_stop = True
            raise asyncio.CancelledError from None
