"""What this process knows of the sessions it has worked on: the ones used last, kept from turn to turn."""

from collections import OrderedDict
from typing import Final
from uuid import UUID

from spotter.runtime.context import SessionView
from spotter.sessions.events import UserMessage
from spotter.sessions.log import SessionLog, Turn
from spotter.store.scope import Scope

_KEPT: Final = 2_000


class Views:
    def __init__(self, log: SessionLog) -> None:
        self._log = log
        self._views: OrderedDict[UUID, SessionView] = OrderedDict()

    def forget(self, session_id: UUID) -> None:
        """It is read anew when it is needed again."""
        self._views.pop(session_id, None)

    async def current(self, scope: Scope, turn: Turn, message: UserMessage | None) -> SessionView:
        """Up to the turn's last event. `message` is that event, where the caller has it at hand."""
        view = self._views.get(turn.session_id)
        if view is None:
            view = SessionView()
            view.last_sequence = turn.context_start
            self._views[turn.session_id] = view
            while len(self._views) > _KEPT:
                self._views.popitem(last=False)
        self._views.move_to_end(turn.session_id)
        if message is not None and view.last_sequence == turn.sequence - 1:
            view.take(message, turn.sequence)
        elif view.last_sequence < turn.sequence:
            view.feed(await self._log.read(scope, turn.session_id, after=view.last_sequence))
        return view
