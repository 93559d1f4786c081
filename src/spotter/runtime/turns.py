"""Turns as tasks: opened here, run to their end whoever listens, taken over when their process died.

A request only says something and then watches the log. So a dropped connection ends nothing, and a turn that was
begun on one machine can be ended on another.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

import psycopg
from sqlalchemy.exc import SQLAlchemyError

from spotter import traces
from spotter.errors import Unavailable
from spotter.ids import new_id
from spotter.runtime.closing import close_turn, failure_of, said_so_far
from spotter.runtime.context import SessionView
from spotter.runtime.executor import Executor
from spotter.runtime.guard import heard, reply_instead
from spotter.runtime.kit import Kit
from spotter.runtime.loop import run_loop
from spotter.runtime.speech import announce
from spotter.runtime.tickets import Ticket, is_outage, settle
from spotter.runtime.turn_run import TurnRun
from spotter.runtime.views import Views
from spotter.sessions.events import (
    Action,
    AssistantMessage,
    Content,
    Ending,
    TurnEnded,
    UserMessage,
)
from spotter.sessions.log import AlreadySaid, Fenced, Lease, Turn, Waiting
from spotter.store.bus import Latest, Message
from spotter.store.scope import Scope
from spotter.tasks import end_tasks

log = logging.getLogger(__name__)

INSTANCE_LOCK = 7265
EVERYBODY = "instances"
"""The topic of what any process may be able to answer."""
_RENEW_EVERY = 5.0
_TELL_AFTER = 0.02
_PAUSE_AFTER_OUTAGE = 1.0
_MOST_TROUBLES = 3
_DATABASE_ERRORS = (psycopg.Error, SQLAlchemyError, Unavailable)


@dataclass(slots=True)
class _Running:
    scope: Scope
    session_id: UUID
    task: asyncio.Task[None] | None = None
    run: TurnRun | None = None
    streamed: bool = True
    turn: Turn | None = None
    cancelling: bool = False


class Turns:
    def __init__(self, kit: Kit) -> None:
        self._kit = kit
        self._executor = Executor(kit.registry, kit.database, kit.log, kit.seams.guard)
        self._lease = Lease(owner=new_id().int % (2**31 - 1))
        self._running: dict[UUID, _Running] = {}
        self._views = Views(kit.log)
        self._waiting: dict[UUID, asyncio.Future[Ending]] = {}
        self._listeners: list[asyncio.Task[None]] = []
        self._stopping = False
        self._telling: set[UUID] = set()

    @property
    def owner(self) -> int:
        return self._lease.owner

    @property
    def lease(self) -> Lease | None:
        """For turns opened by others and run here; None where none are run."""
        return self._lease if self._listeners and not self._stopping else None

    async def start(self) -> None:
        await self._kit.bus.hold(INSTANCE_LOCK, self.owner)
        # Apart, so that many who ask something of everybody do not drown what is asked of us.
        self._listeners = [
            asyncio.create_task(self._listen(topic), name=f"turns: {topic}")
            for topic in (EVERYBODY, instance_topic(self.owner))
        ]

    async def stop(self, grace: float) -> None:
        """Lets running turns end; hands the rest back, so that another process takes them up at once."""
        self._stopping = True
        tasks = [running.task for running in self._running.values() if running.task is not None]
        if tasks:
            await asyncio.wait(tasks, timeout=grace)
        await end_tasks(*tasks, *self._listeners)
        await self._kit.bus.release(INSTANCE_LOCK, self.owner)

    async def say(
        self,
        scope: Scope,
        session_id: UUID,
        message: UserMessage,
        *,
        wait: bool = True,
        key: UUID | None = None,
        stream: bool = True,
    ) -> Ticket:
        """Records a message and sees to it that it gets its turn. Said again with the same key it is not recorded
        again, and the ticket is the first one's. With `stream=False` its answer comes whole, which costs less;
        followers of the session then see its events, but not the words as they are spoken."""
        if self._stopping:
            raise Unavailable("This server is stopping. Try again.", retry_after=1)
        message_id = key or message.message_id or new_id()
        message = message.model_copy(update={"message_id": message_id})
        # Decided before it is recorded, and recorded with it: no process ever takes up what nobody has checked.
        message = await heard(self._kit.seams.guard, scope, message)
        try:
            turn = await self._kit.log.open_turn(scope, session_id, message, self._lease, wait=wait, key=key)
        except AlreadySaid:
            return Ticket(session_id, message_id, 0, again=True)
        if isinstance(turn, Waiting):
            return Ticket(session_id, message_id, turn.after)
        return self._begun(scope, turn, message_id, message, streamed=stream)

    async def call(self, scope: Scope, session_id: UUID, call: Action, *, key: UUID) -> Ticket:
        """A program's own call of a tool, in a turn of its own: carried out by the same loop, so taken over like any
        other. `SessionBusy` while another turn is going on. Made again with the same key it is not made twice."""
        if self._stopping:
            raise Unavailable("This server is stopping. Try again.", retry_after=1)
        try:
            turn = await self._kit.log.open_call(scope, session_id, call, self._lease, key=key)
        except AlreadySaid:
            return Ticket(session_id, key, 0, again=True)
        return self._begun(scope, turn, key, None, streamed=False)

    def _begun(
        self, scope: Scope, turn: Turn, key: UUID, message: UserMessage | None, *, streamed: bool
    ) -> Ticket:
        announce(self._kit.bus, turn.session_id, turn.sequence, scope.user_id)
        done = asyncio.get_running_loop().create_future()
        self._waiting[turn.session_id] = done
        self._start(scope, turn, message, streamed=streamed)
        return Ticket(turn.session_id, key, turn.sequence - 1, done)

    def go_on(self, scope: Scope, turn: Turn) -> None:
        """A turn that was taken over or opened again, or whose message had waited."""
        self._start(scope, turn, None)

    async def take_over(self, scope: Scope, session_id: UUID, fence: int) -> bool:
        turn = await self._kit.log.take_over(scope, session_id, self._lease, fence)
        if turn is None:
            return False
        self._views.forget(session_id)
        self.go_on(scope, turn)
        return True

    async def take_up_waiting(self, scope: Scope, session_id: UUID) -> bool:
        """Gives a waiting message its turn, if none is going on."""
        turn = await self._kit.log.next_turn(scope, session_id, self._lease)
        if turn is None:
            return False
        self.go_on(scope, turn)
        return True

    def cancel_here(self, session_id: UUID) -> bool:
        """Stops a turn of this process; its end is recorded."""
        running = self._running.get(session_id)
        if running is None or running.task is None or running.cancelling or running.turn is None:
            return False
        running.cancelling = True
        if running.run is not None:
            running.run.asked_to_stop = True
        running.task.cancel()
        return True

    def tell_so_far(self, session_id: UUID) -> None:
        """Says again what is being said, for those who have just begun to listen; once for all who ask meanwhile."""
        if session_id in self._running and session_id not in self._telling:
            self._telling.add(session_id)
            asyncio.get_running_loop().call_later(_TELL_AFTER, self._tell, session_id)

    def _tell(self, session_id: UUID) -> None:
        self._telling.discard(session_id)
        running = self._running.get(session_id)
        if running is not None and running.run is not None and running.run.speech is not None:
            running.run.speech.repeat()

    def _start(self, scope: Scope, turn: Turn, message: UserMessage | None, *, streamed: bool = True) -> None:
        running = _Running(scope, turn.session_id, streamed=streamed)
        # A turn that has just ended here may still be looking whether somebody waits; it leaves this one alone.
        self._running[turn.session_id] = running
        running.task = asyncio.create_task(
            self._run_all(running, turn, message), name=f"turn {turn.session_id}"
        )

    async def _run_all(self, running: _Running, turn: Turn | None, message: UserMessage | None) -> None:
        """This turn, and those of the messages that came meanwhile."""
        session_id = running.session_id
        waiting = self._waiting.pop(session_id, None)
        try:
            while turn is not None:
                ending = await self._run(running, turn, message)
                settle(waiting, ending)
                if ending is None or self._stopping:
                    return
                if running.run is not None and running.run.nothing_waits:
                    return
                turn, message = await self._kit.log.next_turn(running.scope, session_id, self._lease), None
                running.streamed = True  # somebody else's message
        except _DATABASE_ERRORS as error:
            log.warning("a turn was left for later", extra={"session_id": str(session_id)}, exc_info=error)
        finally:
            if self._running.get(session_id) is running:
                del self._running[session_id]
            settle(waiting, None)

    async def _run(self, running: _Running, turn: Turn, message: UserMessage | None) -> Ending | None:
        """None when the turn is no longer ours."""
        current: Turn | None = turn
        troubles = 0
        while current is not None:
            running.turn, running.cancelling, running.run = current, False, None
            renewing = asyncio.create_task(self._keep_lease(running, current, at_once=message is None))
            try:
                with traces.span("turn", session__id=str(turn.session_id), gen_ai__agent__name=turn.agent):
                    return await self._run_once(running, current, message)
            except Fenced:
                log.info("another process took this turn over", extra={"session_id": str(turn.session_id)})
                return None
            except Exception as error:  # noqa: BLE001 - whatever broke, the turn comes to an end
                troubles += not is_outage(error)
                if troubles > _MOST_TROUBLES or not isinstance(error, _DATABASE_ERRORS):
                    return await self._fail(running, current, error)
                log.warning("a turn waits for the database: %s", type(error).__name__)
                current, message = await self._take_again(running.scope, current), None
            finally:
                running.turn = None
                renewing.cancel()
        return None

    async def _run_once(self, running: _Running, turn: Turn, message: UserMessage | None) -> Ending:
        try:
            view = await self._views.current(running.scope, turn, message)
            if (ending := await self._reply_instead(running.scope, turn, view)) is not None:
                return ending
            running.run = run = await self._prepare(running.scope, turn, view)
            run.streamed = running.streamed
            await run.inform()
            return await run_loop(run)
        except BaseException as error:
            # Whatever we thought we knew of this session may be wrong: read it again next time.
            self._views.forget(turn.session_id)
            if not isinstance(error, asyncio.CancelledError):
                raise
            if not (running.cancelling or (running.run is not None and running.run.asked_to_stop)):
                await asyncio.shield(self._hand_back(running.scope, turn))
                raise
            return await asyncio.shield(self._end_cancelled(running, turn))

    async def _reply_instead(self, scope: Scope, turn: Turn, view: SessionView) -> Ending | None:
        """Ends the turn without a model where the message calls for it. Needs neither the agent nor its model: help is
        never out of order."""
        kit = self._kit
        if view.to_answer is None or view.direct_only:
            return None
        reply = await reply_instead(kit.seams.guard, scope, view.to_answer)
        if reply is None:
            return None
        moves = await kit.seams.director.after_red_flag(scope, turn, view)
        done = await kit.log.append(scope, turn.session_id, [*moves, reply], fence=turn.fence, close=True)
        self._views.forget(turn.session_id)
        announce(kit.bus, turn.session_id, done.last, scope.user_id)
        return reply.ends

    async def _prepare(self, scope: Scope, turn: Turn, view: SessionView) -> TurnRun:
        kit = self._kit
        find_cast = kit.casting(scope, turn)
        return TurnRun(
            scope=scope,
            turn=turn,
            cast=await find_cast(turn.agent),
            find_cast=find_cast,
            view=view,
            log=kit.log,
            executor=self._executor,
            checkpointer=kit.checkpointer,
            seams=kit.seams,
            bus=kit.bus,
        )

    async def _end_cancelled(self, running: _Running, turn: Turn) -> Ending:
        run = running.run
        said = said_so_far(run.speech, run.model) if run is not None else None
        return await self._close(
            running.scope, turn, TurnEnded(ends=Ending.CANCELLED, reason="Stopped by request."), said
        )

    async def _fail(self, running: _Running, turn: Turn, error: Exception) -> Ending | None:
        """A bug, or an agent that is no more. Left open, the turn would only break again wherever it is taken up."""
        log.error("a turn broke", extra={"session_id": str(turn.session_id)}, exc_info=error)
        try:
            return await self._close(running.scope, turn, failure_of(error))
        except (Fenced, *_DATABASE_ERRORS) as trouble:
            log.warning("a broken turn was left for later: %s", type(trouble).__name__)
            return None

    async def _close(
        self, scope: Scope, turn: Turn, last: Content, said: AssistantMessage | None = None
    ) -> Ending:
        kit = self._kit
        ending, sequence = await close_turn(kit.database, kit.log, scope, turn, last, said=said)
        announce(kit.bus, turn.session_id, sequence, scope.user_id)
        return ending

    async def _hand_back(self, scope: Scope, turn: Turn) -> None:
        try:
            await self._kit.log.renew(scope, turn, 0)
        except (Fenced, psycopg.Error, Unavailable) as error:
            log.info("a turn could not be handed back: %s", type(error).__name__)

    async def _take_again(self, scope: Scope, turn: Turn) -> Turn | None:
        while not self._stopping:
            await asyncio.sleep(_PAUSE_AFTER_OUTAGE)
            try:
                return await self._kit.log.take_over(scope, turn.session_id, self._lease, turn.fence)
            except (psycopg.Error, Unavailable) as error:
                log.debug("the database is still away: %s", error)
        return None

    async def _keep_lease(self, running: _Running, turn: Turn, *, at_once: bool) -> None:
        """At once where the turn is not a new one: somebody may have asked to stop it.

        Looks for itself whether the turn is over: what it waits for may swallow being cancelled (in Python 3.11,
        `asyncio.wait_for` does, when it ends in the same moment).
        """
        pause = 0.0 if at_once else _RENEW_EVERY
        while True:
            await asyncio.sleep(pause)
            pause = _RENEW_EVERY
            if running.turn is not turn:
                return
            try:
                cancel = await self._kit.log.renew(running.scope, turn, self._lease.seconds)
            except Fenced:
                return  # the turn finds out with its next step
            except (psycopg.Error, Unavailable) as error:
                log.debug("the lease was not renewed: %s", error)
                continue
            if cancel and running.turn is turn:
                self.cancel_here(turn.session_id)

    async def _listen(self, topic: str) -> None:
        """What other processes ask of this one's turns."""
        async with self._kit.bus.subscribe(topic) as heard:
            async for notice in heard:
                match notice:
                    case Latest(key=session, value="tell"):
                        self._obey(session, self.tell_so_far)
                    case Message(payload={"do": "cancel", "session_id": session}):
                        self._obey(str(session), self.cancel_here)
                    case _:
                        continue

    def _obey(self, session: str, act: Callable[[UUID], object]) -> None:
        try:
            session_id = UUID(session)
        except ValueError:
            return
        act(session_id)


def instance_topic(owner: int) -> str:
    return f"instance:{owner}"
