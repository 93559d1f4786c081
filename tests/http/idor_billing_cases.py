"""Who may call what of prices and reports; see idor_cases.py."""

from collections.abc import Mapping

from spotter.identity.principal import Role
from tests.http.idor_cases import Ask, Case, Seen, World

NEW_PRICE = {"provider": "my-server", "model": "llama3", "input": "0.10", "output": "0.40"}


async def _nothing(world: World) -> Ask:
    return Ask()


async def _estimate(world: World) -> Ask:
    return Ask(body={"model": "openai:gpt-4o", "text": "Write to everybody."})


async def _new_price(world: World) -> Ask:
    return Ask(body=NEW_PRICE)


async def _price(world: World) -> Ask:
    made = await world.http.post("/api/billing/own-prices", json=NEW_PRICE, headers=world.gym.owner.headers)
    assert made.status_code == 201, made.text
    return Ask(path={"price_id": made.json()["id"]})


async def _session(world: World) -> Ask:
    made = await world.http.post("/api/sessions", json={}, headers=world.gym.member.headers)
    assert made.status_code == 201, made.text
    return Ask(path={"session_id": made.json()["id"]})


BILLING_CASES: Mapping[str, Case] = {
    "get_current_month": Case(Role.MEMBER, _nothing),
    "get_usage_history": Case(Role.MEMBER, _nothing),
    "get_usage": Case(Role.MEMBER, _nothing),
    "get_month_forecast": Case(Role.MEMBER, _nothing),
    "export_usage": Case(Role.MEMBER, _nothing),
    "get_session_usage": Case(Role.MEMBER, _session, ids=("path.session_id",), seen=Seen.BY_STAFF),
    "estimate_cost": Case(Role.MEMBER, _estimate),
    "list_prices": Case(Role.STAFF, _nothing),
    "list_own_prices": Case(Role.STAFF, _nothing),
    "set_own_price": Case(Role.ADMIN, _new_price),
    "end_own_price": Case(Role.ADMIN, _price, ids=("path.price_id",)),
}
