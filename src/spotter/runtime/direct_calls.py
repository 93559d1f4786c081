"""Tools called by programs instead of models: by a host application, or by a voice client for its session.

The call is an event and opens a turn of its own, which the one loop carries out: permission, approvals, exactly-once
effects, audit and take-over after a crash are those of every other call. So it cannot run beside another turn of the
same session; it waits a moment for its end (voice models make several calls at once), then says that it is busy.
Without a session it gets a record of its own, which is in no list.
"""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal
from uuid import UUID, uuid5

from sqlalchemy import select

from spotter.errors import InvalidInput, NotFound, Unavailable
from spotter.identity import projects
from spotter.identity.principal import Principal
from spotter.ids import new_id
from spotter.runtime.agent import Agent
from spotter.runtime.registry import ToolRegistry
from spotter.runtime.turns import Turns
from spotter.runtime.watch import Watch
from spotter.sessions import directory
from spotter.sessions.codec import Event, storable
from spotter.sessions.events import (
    DIRECT,
    Action,
    ApprovalRequested,
    Failure,
    Outcome,
    Result,
    TurnEnded,
    ending_of,
)
from spotter.sessions.log import SessionBusy, SessionLog
from spotter.sessions.tables import AgentSession
from spotter.store.bus import Bus
from spotter.store.database import Database
from spotter.store.scope import Scope

TOOLBOX: Final = "tool-calls"
"""Who carries out calls without a conversation. No agent can be called so: names have no hyphen."""
_CALLS: Final = UUID("b8a3f1de-4b1c-4f0e-9d57-0c2a1f6f3e52")
_PATIENCE: Final = 10.0
_LOOK_EVERY: Final = 0.05
_LONGEST: Final = 300.0
_TALK: Final = "talk"


@dataclass(frozen=True, slots=True)
class ToolCall:
    tool: str
    arguments: Mapping[str, Any]
    session_id: UUID | None = None
    project_id: UUID | None = None
    key: str | None = None
    """The same key from the same caller is the same call."""
    source: Literal["api", "voice"] = "api"


@dataclass(frozen=True, slots=True)
class Called:
    """What came of it: a result, or a request that a person has to decide about."""

    session_id: UUID
    call_id: str
    result: Result | None = None
    approval: ApprovalRequested | None = None
    trouble: str = ""
    began: int = 0
    ended: int = 0
    """The events of its turn."""


def toolbox_agent(registry: ToolRegistry) -> Agent:
    """Any tool, as far as the caller's role goes."""
    names = tuple(tool.name for tool in registry if tool.category != _TALK)
    return Agent(TOOLBOX, "You carry out single calls and are never asked anything.", tools=names)


@dataclass(frozen=True, slots=True)
class DirectCalls:
    database: Database
    log: SessionLog
    bus: Bus
    turns: Turns
    registry: ToolRegistry
    patience: float = field(default=_PATIENCE)

    async def execute(self, caller: Principal, call: ToolCall) -> Called:
        self._require_tool(call.tool)
        key = uuid5(_CALLS, f"{caller.org_id}/{caller.key}/{call.key}") if call.key is not None else new_id()
        session_id = await self._session(caller.scope, call, key)
        action = Action(
            tool=call.tool,
            args=storable(json.dumps(call.arguments, separators=(",", ":"))),
            call_id=f"{DIRECT}{key.hex}",
            source=call.source,
        )
        after = await self._make(caller.scope, session_id, action, key)
        return await self._outcome(caller.scope, session_id, action.call_id, after)

    def _require_tool(self, name: str) -> None:
        tool = self.registry.get(name)
        if tool is None and not name.startswith("transfer_to_"):
            raise NotFound("There is no such tool.")
        if tool is not None and tool.category == _TALK:
            raise InvalidInput(f"{name} speaks to a person inside a conversation; say it there instead.")

    async def _session(self, scope: Scope, call: ToolCall, key: UUID) -> UUID:
        """The caller's own session, or a record for this one call: with the same key, the same record."""
        async with self.database.unit_of_work(scope) as uow:
            if call.session_id is not None:
                session = await directory.own(uow, call.session_id)
                await _require_same_project(uow, session, call.project_id)
                return session.id
            project = await projects.open_one(uow, call.project_id)
            wanted = uuid5(key, "session")
            known = await uow.session.scalar(select(AgentSession.id).where(AgentSession.id == wanted))
            if known is None:
                await directory.create(uow, TOOLBOX, project_id=project.id, kind="call", session_id=wanted)
            return wanted

    async def _make(self, scope: Scope, session_id: UUID, action: Action, key: UUID) -> int:
        """After which event to look for what came of it."""
        clock = asyncio.get_running_loop().time
        give_up = clock() + self.patience
        while True:
            try:
                ticket = await self.turns.call(scope, session_id, action, key=key)
            except SessionBusy:
                if clock() > give_up:
                    raise SessionBusy(
                        "This session is busy with another turn. Nothing was done; call again when it has ended.",
                        retry_after=1,
                    ) from None
                await asyncio.sleep(_LOOK_EVERY)
            else:
                return ticket.after

    async def _outcome(self, scope: Scope, session_id: UUID, call_id: str, after: int) -> Called:
        watch = Watch(self.bus, self.log, scope, session_id, after)
        found: list[Event] = []
        try:
            async with asyncio.timeout(_LONGEST):
                async for item in watch.follow():
                    if isinstance(item, Event):
                        found.append(item)
                        if (came := _came_of(session_id, call_id, found)) is not None:
                            return came
        except TimeoutError:
            pass
        raise Unavailable(
            f"The call is recorded and goes on; what comes of it is at /api/sessions/{session_id}/events.",
            retry_after=5,
        )


async def _require_same_project(uow: Any, session: AgentSession, project_id: UUID | None) -> None:
    if project_id is None:
        return
    wanted = (await projects.get(uow, project_id)).id
    if wanted != (session.project_id or (await projects.default(uow)).id):
        raise InvalidInput("This session belongs to another project. Leave project_id out, or use that one.")


def _came_of(session_id: UUID, call_id: str, events: list[Event]) -> Called | None:
    last = events[-1].content
    match last:
        case Result() if last.call_id == call_id:
            made = (
                one.sequence
                for one in events
                if isinstance(one.content, Action) and one.content.call_id == call_id
            )
            ended = events[-1].sequence
            return Called(session_id, call_id, result=last, began=next(made, ended), ended=ended)
        case ApprovalRequested() if last.call_id == call_id:
            return Called(session_id, call_id, approval=last)
        case Failure(detail=trouble) | TurnEnded(reason=trouble) if ending_of(last) is not None:
            own = any(
                isinstance(event.content, Action) and event.content.call_id == call_id for event in events
            )
            return Called(session_id, call_id, trouble=trouble) if own else None
        case _:
            return None


def succeeded(called: Called) -> bool:
    return called.result is not None and called.result.outcome is Outcome.OK
