"""Reports against the entries they are made of: however it is cut, the sum is the same."""

import csv
import io
from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from spotter.app import House
from spotter.billing import export, reports
from spotter.billing.periods import Period, first_of_month, local_day
from spotter.billing.reports import Dimension, Place, Totals
from spotter.identity.organisations import add_organisation, add_person
from spotter.ids import random_id
from spotter.store.database import Database
from spotter.store.scope import UNSCOPED, Scope
from tests.support.people import Gym
from tests.support.usage import Call, book

AUCKLAND = ZoneInfo("Pacific/Auckland")
MOMENT = datetime(2026, 11, 16, tzinfo=UTC)
PLACE = Place(AUCKLAND, MOMENT)
BIG = Period(date(2026, 1, 1), date(2027, 1, 1), AUCKLAND)

TOKENS = st.integers(0, 2_000_000)


def calls_of(people: list[UUID]) -> st.SearchStrategy[list[Call]]:
    return st.lists(
        st.builds(
            Call,
            day=st.dates(date(2026, 1, 1), date(2026, 12, 31)),
            user_id=st.sampled_from(people),
            agent=st.sampled_from(["assistant", "coach", "=cmd()"]),
            provider=st.sampled_from(["openai", "anthropic"]),
            model=st.sampled_from(["a", "b", "c"]),
            input=TOKENS,
            output=TOKENS,
            cache_read=TOKENS,
            cache_write=TOKENS,
            cost=st.integers(0, 10**12),
            markup=st.integers(0, 5000),
            price=st.sampled_from(["list price", None]),
            reported=st.booleans(),
        ),
        max_size=25,
    )


def added_up(calls: Iterable[Call]) -> Totals:
    total = Totals()
    for call in calls:
        total += Totals(
            1,
            call.price is None,
            not call.reported,
            call.input,
            call.output,
            call.cache_read,
            call.cache_write,
            call.cost,
            call.charge,
        )
    return total


def grouped(calls: Iterable[Call], key: Callable[[Call], str]) -> dict[str, Totals]:
    found: dict[str, list[Call]] = defaultdict(list)
    for call in calls:
        found[key(call)].append(call)
    return {name: added_up(group) for name, group in found.items()}


KEYS: dict[Dimension, Callable[[Call], str]] = {
    Dimension.DAY: lambda call: call.day.isoformat(),
    Dimension.MODEL: lambda call: f"{call.provider}:{call.model}",
    Dimension.AGENT: lambda call: call.agent,
    Dimension.USER: lambda call: str(call.user_id),
}


async def _agrees(home: House, scope: Scope, calls: list[Call], limit: int) -> None:
    whole = added_up(calls)
    async with home.services.database.unit_of_work(scope) as uow:
        assert await reports.total(uow, BIG) == whole
        for by, key in KEYS.items():
            found = await reports.breakdown(uow, BIG, by, limit=limit)
            groups = grouped(calls, key)
            shown = {part.key: part.totals for part in found.parts if part.totals.calls}
            assert found.total == whole
            assert shown.items() <= groups.items()
            assert len(shown) == (len(groups) if by is Dimension.DAY else min(limit, len(groups)))
            # Those that are shown are the dearest.
            if by is not Dimension.DAY and shown:
                left = [group.charge for name, group in groups.items() if name not in shown]
                assert min(totals.charge for totals in shown.values()) >= max(left, default=0)
        months = grouped(calls, lambda call: call.day.strftime("%Y-%m"))
        for month in await reports.history(uow, Place(AUCKLAND, datetime(2026, 12, 31, tzinfo=UTC)), 12):
            assert month.totals == months.get(month.period.first.strftime("%Y-%m"), Totals())
            assert await reports.total(uow, month.period) == month.totals
        billed = await uow.session.execute(
            text("SELECT coalesce(sum(calls), 0), coalesce(sum(cost), 0), coalesce(sum(charge), 0)"
                 " FROM ai_usage_billing")
        )  # fmt: skip
        assert tuple(billed.one()) == (whole.calls, whole.cost, whole.charge)


async def _exported(home: House, scope: Scope, period: Period, page: int) -> list[dict[str, str]]:
    as_of = datetime(2030, 1, 1, tzinfo=UTC)
    pages = [piece async for piece in export.as_csv(home.services.database, scope, period, as_of, page=page)]
    assert all(piece.count("\r\n") <= page for piece in pages)
    return list(csv.DictReader(io.StringIO("".join(pages))))


# Not shrunk: each try is a new organisation in a real database.
@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
)
@given(data=st.data(), limit=st.integers(1, 4))
async def test_every_cut_has_the_same_sum(home: House, data: st.DataObject, limit: int) -> None:
    """The monthly view, days, models, agents, people, the export and the entries themselves; for staff all of them,
    for a member their own."""
    slug = f"sums-{random_id().hex[:12]}"
    async with home.services.database.unit_of_work(UNSCOPED) as uow:
        one = await add_person(uow, f"one@{slug}.example", "One", None)
        org_id = await add_organisation(uow, slug=slug, name=slug, owner=one, timezone="Pacific/Auckland")
    two = random_id()
    calls = data.draw(calls_of([one, two]))
    await book(home, org_id, *calls)
    await _agrees(home, Scope(org_id, one, "staff"), calls, limit)
    await _agrees(home, Scope(org_id, two, "member"), [c for c in calls if c.user_id == two], limit)
    lines = await _exported(home, Scope(org_id, one, "staff"), BIG, data.draw(st.integers(1, 7)))
    assert len(lines) == len(calls)
    priced = [call for call in calls if call.price is not None]
    in_dollars = [line["charge_usd"] for line in lines if line["price"] != "unpriced"]
    assert sum(_micros(amount) for amount in in_dollars) == added_up(priced).charge
    assert sum(int(line["cache_read_tokens"]) for line in lines) == added_up(calls).cache_read


def _micros(amount: str) -> int:
    whole, _, part = amount.partition(".")
    return int(whole) * 1_000_000 + int(part.ljust(6, "0"))


async def test_one_organisation_is_not_in_anothers_sums(home: House, gym: Gym, other_gym: Gym) -> None:
    await book(home, gym.org_id, Call(date(2026, 11, 1), cost=5), Call(date(2026, 11, 2), cost=6))
    await book(home, other_gym.org_id, Call(date(2026, 11, 1), cost=100))
    await _agrees(home, other_gym.owner.scope, [Call(date(2026, 11, 1), cost=100)], 3)


@pytest.mark.parametrize("zone", ["Pacific/Auckland", "America/Los_Angeles", "Africa/Cairo", "UTC"])
@pytest.mark.parametrize(
    "day", ["2026-04-05", "2026-03-08", "2026-11-01", "2026-09-27", "2026-04-24", "2026-12-31"]
)
async def test_the_database_and_we_have_the_same_days(home: House, zone: str, day: str) -> None:
    """Entries are booked by the database's clock and time zones, periods are made by ours."""
    first = datetime.combine(date.fromisoformat(day), datetime.min.time(), UTC) - timedelta(hours=30)
    moments = [first + timedelta(minutes=15 * step, microseconds=step % 2) for step in range(60 * 4)]
    async with home.services.database.unit_of_work(UNSCOPED) as uow:
        rows = await uow.session.execute(
            text("SELECT (t AT TIME ZONE :zone)::date FROM unnest(CAST(:moments AS timestamptz[])) AS t"),
            {"zone": zone, "moments": moments},
        )
        theirs = [row[0] for row in rows]
    assert theirs == [local_day(moment, ZoneInfo(zone)) for moment in moments]


async def test_month_ends_in_the_organisations_time_zone(home: House, gym: Gym) -> None:
    """At 11:00 UTC on 31 December it is already January in Auckland, so the old year is history there."""
    await book(home, gym.org_id, Call(date(2026, 12, 31), cost=10), Call(date(2027, 1, 1), cost=20))
    new_year = datetime(2026, 12, 31, 11, tzinfo=UTC)
    async with home.services.database.unit_of_work(gym.staff.scope) as uow:
        there = await reports.history(uow, Place(AUCKLAND, new_year), 2)
        just_before = await reports.history(uow, Place(AUCKLAND, new_year - timedelta(microseconds=1)), 1)
        here = Place(ZoneInfo("America/Los_Angeles"), new_year).period()
        spent_here = await reports.total(uow, here)
    assert [month.totals.cost for month in there] == [20, 10]
    assert [month.totals.cost for month in just_before] == [10]
    assert (here.first, spent_here.cost) == (date(2026, 12, 1), 10)


async def test_the_forecast_is_made_of_what_was_charged(home: House, gym: Gym) -> None:
    """Ten days at 100 and the markup: 120 a day, and 15 days are left at the start of 16 November in Auckland."""
    first = date(2026, 11, 6)
    await book(home, gym.org_id, *(Call(first + timedelta(days=n), cost=100) for n in range(10)))
    moment = Period(date(2026, 11, 16), date(2026, 11, 17), AUCKLAND).start
    async with home.services.database.unit_of_work(gym.staff.scope) as uow:
        _, found = await reports.month_forecast(uow, Place(AUCKLAND, moment))
    assert (found.spent, found.expected, found.days_of_data) == (1200, 1200 + 15 * 120, 10)


async def test_cells_that_look_like_formulas_are_text(home: House, gym: Gym) -> None:
    named = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "plain", 'with "quotes", commas\nand lines']
    await book(home, gym.org_id, *(Call(date(2026, 11, 1), agent=name, cost=2_500_000) for name in named))
    lines = await _exported(home, gym.owner.scope, BIG, 2)
    shown = {line["agent"] for line in lines}
    assert shown == {"'=1+1", "'+1", "'-1", "'@SUM(A1)", "'\t=1", "plain", 'with "quotes", commas\nand lines'}
    assert {line["cost_usd"] for line in lines} == {"2.50"}
    assert {line["charge_usd"] for line in lines} == {"3.00"}


async def test_an_export_holds_no_connection_between_its_pages(home: House, gym: Gym) -> None:
    await book(home, gym.org_id, *(Call(date(2026, 11, 1)) for _ in range(5)))
    sizes = []
    async with Database(home.base.urls, home.base.settings) as database:
        pages = reports.entries(database, gym.owner.scope, BIG, datetime(2030, 1, 1, tzinfo=UTC), page=2)
        async for rows in pages:
            sizes.append(len(rows))
            assert database.engine.pool.checkedout() == 0  # type: ignore[attr-defined]
    assert sizes == [2, 2, 1]


def test_first_of_month_of_a_place() -> None:
    assert PLACE.period().first == first_of_month(date(2026, 11, 16))
