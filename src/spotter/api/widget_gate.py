"""How far a widget's token reaches: a short list of addresses, its own widget, and what was said in it.

The token sits in a frame on somebody else's page. So whatever is not on the list is refused, also what a member could
do elsewhere, and a browser must say that the call comes from our own frame.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final
from uuid import UUID

from fastapi import Request
from starlette.requests import HTTPConnection

from spotter.api.gcra import Rate
from spotter.api.origins import parse_host, parse_origin, same_place
from spotter.api.paths import route_template
from spotter.api.rate_limits import too_many
from spotter.api.services import services_of
from spotter.errors import Forbidden, NotFound
from spotter.identity.principal import Principal, WidgetGrant
from spotter.sessions import directory

MESSAGES: Final = Rate(30, 60)
"""What one person can say in a minute: every message may cost the organisation something."""


class Reach(StrEnum):
    """Where a call says which conversation it is about."""

    OWN_WIDGET = "path.widget_id"
    PATH = "path.session_id"
    QUERY = "query.session_id"
    BODY = "body.session_id"
    NOTHING = "nothing"


OPEN: Final[Mapping[tuple[str, str], Reach]] = {
    ("GET", "/api/widgets/{widget_id}/dock"): Reach.OWN_WIDGET,
    ("POST", "/api/widgets/{widget_id}/sessions"): Reach.OWN_WIDGET,
    ("GET", "/api/sessions/{session_id}"): Reach.PATH,
    ("GET", "/api/sessions/{session_id}/events"): Reach.PATH,
    ("POST", "/api/sessions/{session_id}/messages"): Reach.PATH,
    ("POST", "/api/sessions/{session_id}/cancel"): Reach.PATH,
    ("POST", "/api/sessions/{session_id}/transcript"): Reach.PATH,
    ("GET", "/api/session2"): Reach.QUERY,
    ("POST", "/api/tools/execute"): Reach.BODY,
    ("POST", "/api/moderate"): Reach.NOTHING,
    ("POST", "/api/context/snapshot"): Reach.NOTHING,
}
_COUNTED: Final = "/api/sessions/{session_id}/messages"
_NOT_HERE: Final = "This is not one of this widget's conversations."


async def hold(connection: HTTPConnection, principal: Principal) -> None:
    """Raises `Forbidden` or `NotFound` for what this widget's token does not open."""
    if principal.widget is None:
        return
    _require_own_frame(connection)
    method = connection.scope.get("method", "")
    template = route_template(connection.scope)
    reach = OPEN.get((method, template or ""))
    if reach is None:
        raise Forbidden("A widget's token is for talking in the widget. Sign in for everything else.")
    _count(connection, principal, template)
    if reach is Reach.OWN_WIDGET:
        if connection.path_params.get("widget_id") != str(principal.widget.id):
            raise NotFound("There is no such widget.")
    elif reach is not Reach.NOTHING:
        if reach is Reach.QUERY:
            _require_own_voice(connection, principal.widget)
        await _require_own_session(connection, principal, await _session_id(connection, reach))


def _require_own_voice(connection: HTTPConnection, widget: WidgetGrant) -> None:
    """Speaking always takes place in a scenario; a widget without one must not get into another by it."""
    if widget.scenario is None:
        raise Forbidden("To be spoken to, this widget needs a scenario.")
    wanted = connection.query_params.get("root_agent")
    if wanted is not None and wanted not in widget.agents:
        raise Forbidden(f"{wanted!r} is not in this widget.")


def _require_own_frame(connection: HTTPConnection) -> None:
    """A browser cannot be made to lie here; other programs do not send these."""
    site = connection.headers.get("sec-fetch-site")
    given = connection.headers.get("origin")
    origin, host = parse_origin(given or ""), parse_host(connection.headers.get("host", ""))
    foreign = given is not None and (origin is None or host is None or not same_place(origin, host))
    if foreign or site not in (None, "same-origin"):
        raise Forbidden("A widget's token works inside the widget's own frame only.")


def _count(connection: HTTPConnection, principal: Principal, template: str | None) -> None:
    limits = services_of(connection).limits
    if template == _COUNTED and limits.enabled:
        state = limits.limiter.take("widget messages", MESSAGES, f"widget:{principal.key}")
        if not state.allowed:
            raise too_many(state)


async def _session_id(connection: HTTPConnection, reach: Reach) -> UUID:
    match reach:
        case Reach.PATH:
            given = connection.path_params.get("session_id")
        case Reach.QUERY:
            given = connection.query_params.get("session_id")
        case _:
            assert isinstance(connection, Request), "a body comes with a request"
            given = await _in_body(connection)
    try:
        return UUID(str(given))
    except ValueError:
        raise Forbidden("Through a widget this needs the `session_id` of one of its conversations.") from None


async def _in_body(request: Request) -> object:
    """Read once and kept by the request: whoever validates it finds it there."""
    try:
        body = await request.json()
    except ValueError:
        return None
    return body.get("session_id") if isinstance(body, dict) else None


async def _require_own_session(connection: HTTPConnection, principal: Principal, session_id: UUID) -> None:
    assert principal.widget is not None
    async with services_of(connection).database.unit_of_work(principal.scope) as uow:
        session = await directory.get(uow, session_id)
    opened_with = session.details.get("opened_with")
    if (
        session.details.get("widget") != str(principal.widget.id)
        or opened_with not in principal.widget.agents
    ):
        raise NotFound(_NOT_HERE)
