"""Who may call what: widgets on other people's pages. How far their own tokens reach is in `test_widgets.py`."""

from collections.abc import Mapping
from typing import Final

from spotter.identity.principal import Role
from tests.http.idor_cases import Ask, Case, World
from tests.support.widgets import HOST, make_widget


async def _nothing(world: World) -> Ask:
    return Ask()


async def _new(world: World) -> Ask:
    return Ask(body={"name": "Shop", "origins": [HOST], "scenario": "trainer"})


async def _widget(world: World) -> Ask:
    return Ask(path={"widget_id": await make_widget(world.http, world.gym)})


async def _change(world: World) -> Ask:
    return Ask(path={"widget_id": await make_widget(world.http, world.gym)}, body={"name": "Shop window"})


async def _token(world: World) -> Ask:
    return Ask(path={"widget_id": await make_widget(world.http, world.gym)}, body={"user_id": "customer-1"})


async def _conversation(world: World) -> Ask:
    return Ask(path={"widget_id": await make_widget(world.http, world.gym)}, body={"agent": "trainer"})


WIDGET_CASES: Final[Mapping[str, Case]] = {
    "list_widgets": Case(Role.ADMIN, _nothing),
    "create_widget": Case(Role.ADMIN, _new),
    "get_widget": Case(Role.ADMIN, _widget, ids=("path.widget_id",)),
    "update_widget": Case(Role.ADMIN, _change, ids=("path.widget_id",)),
    "remove_widget": Case(Role.ADMIN, _widget, ids=("path.widget_id",)),
    "mint_widget_token": Case(Role.STAFF, _token, ids=("path.widget_id",)),
    "get_dock": Case(Role.MEMBER, _widget, ids=("path.widget_id",)),
    "open_dock_session": Case(Role.MEMBER, _conversation, ids=("path.widget_id",), people_only=True),
}
