"""`spotter verify` for money: every model call has one entry, every entry its call, and every sum is the sum it says.

I10: charge = cost and markup by the rule; counters and balances are sums of their entries; no balance below nothing;
credits taken for a call = its charge.
I11: each model call in the log has exactly one entry, with the same four kinds of tokens. Read as one moment per
organisation, beside a busy server.
"""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

import psycopg

from spotter.store.migrations.money_functions import RAN_OUT, call_reference
from spotter.store.urls import DatabaseUrls

_MOST_KEPT: Final = 1_000
_MOST_SHOWN: Final = 50
_ACT_FOR: Final = """
    SELECT set_config('spotter.org_id', %s, true), set_config('spotter.user_id', '', true),
           set_config('spotter.role', 'service', true)
"""
_ORGANISATIONS: Final = """
    SELECT org_id FROM agent_sessions WHERE %(only)s::uuid IS NULL OR org_id = %(only)s
    UNION SELECT org_id FROM billing_accounts WHERE %(only)s::uuid IS NULL OR org_id = %(only)s
    UNION SELECT org_id FROM credit_accounts WHERE %(only)s::uuid IS NULL OR org_id = %(only)s ORDER BY 1
"""
_COUNTS: Final = "SELECT count(*), coalesce(sum(charge), 0)::bigint FROM usage_entries WHERE org_id = %(org)s"

# Copied history was paid for where it was made; of erased sessions only the entries are left to look at.
_CALLS: Final = """
    SELECT format('session %%s, event %%s: ', coalesce(v.session_id, e.session_id),
            coalesce(v.sequence_number, e.sequence_number)) || CASE
        WHEN e.session_id IS NULL THEN 'the model call has no entry in the ledger'
        WHEN v.session_id IS NULL THEN 'the ledger has an entry, the log has no model call'
        WHEN e.n <> 0 THEN 'the model call is billed more than once'
        ELSE 'the ledger says other tokens, or another model, than the log' END
    FROM (
        SELECT a.session_id, a.sequence_number, s.erased_at IS NOT NULL AS erased, a.content -> 'usage' AS used
        FROM agent_events a JOIN agent_sessions s ON s.org_id = a.org_id AND s.id = a.session_id
        WHERE a.org_id = %(org)s AND a.sequence_number > coalesce(s.forked_at, 0)
            AND (%(session)s::uuid IS NULL OR a.session_id = %(session)s)
            AND (s.erased_at IS NOT NULL OR a.content ->> 'usage' IS NOT NULL)
    ) v FULL JOIN (
        SELECT * FROM usage_entries WHERE org_id = %(org)s AND sequence_number > 0
            AND (%(session)s::uuid IS NULL OR session_id = %(session)s)
    ) e USING (session_id, sequence_number)
    WHERE NOT coalesce(v.erased, false) AND (
        e.session_id IS NULL OR v.session_id IS NULL OR e.n <> 0
        OR (e.input, e.output, e.cache_read, e.cache_write, e.reported, e.model, e.provider) IS DISTINCT FROM (
            coalesce((v.used ->> 'input')::integer, 0), coalesce((v.used ->> 'output')::integer, 0),
            coalesce((v.used ->> 'cache_read')::integer, 0), coalesce((v.used ->> 'cache_write')::integer, 0),
            coalesce((v.used ->> 'reported')::boolean, true), v.used ->> 'model', coalesce(v.used ->> 'provider', '')
        )
    ) ORDER BY 1
"""
_RULE: Final = """
    SELECT format('session %%s, event %%s: charged %%s for a cost of %%s and a markup of %%s',
        session_id, sequence_number, charge, cost, markup) FROM usage_entries
    WHERE org_id = %(org)s AND (%(session)s::uuid IS NULL OR session_id = %(session)s) AND (
        charge <> div(2 * cost::numeric * (10000 + markup) + 10000, 20000) OR (price IS NULL AND cost <> 0)
        OR counted < charge OR (reported AND counted_tokens <> input + output + cache_read + cache_write)
    ) ORDER BY 1
"""
_COUNTERS: Final = """
    SELECT format('cap %%s (%%s %%s): its counter for %%s says %%s spent and %%s reserved, the entries %%s and %%s',
        c.id, c.scope, k.subject, k.period_start, k.spent, k.reserved, x.spent, x.reserved)
    FROM spend_counters k JOIN spend_caps c ON c.org_id = k.org_id AND c.id = k.cap_id, LATERAL (
        SELECT spotter_spent(k.org_id, c.scope, k.subject, c.period, k.period_start, c.unit) AS spent, coalesce((
            SELECT sum(CASE c.unit WHEN 'money' THEN r.amount ELSE r.tokens END) FROM spend_reservations r
            WHERE r.org_id = k.org_id AND k.id = ANY (r.counters)), 0) AS reserved
    ) x WHERE k.org_id = %(org)s AND (k.spent, k.reserved) IS DISTINCT FROM (x.spent, x.reserved) ORDER BY 1
"""
_CREDITS: Final = """
    SELECT format('the credit account says %%s, its movements come to %%s', a.balance, coalesce(m.total, 0))
    FROM (SELECT sum(balance) AS balance FROM credit_accounts WHERE org_id = %(org)s) a,
        (SELECT sum(amount) AS total FROM credit_entries WHERE org_id = %(org)s) m
    WHERE coalesce(a.balance, 0) <> coalesce(m.total, 0) OR a.balance < 0
    UNION ALL
    SELECT format('reservation %%s holds %%s credits, its movements %%s', coalesce(r.id::text, m.reference),
        coalesce(r.credits, 0), coalesce(m.held, 0))
    FROM (SELECT id, credits FROM spend_reservations WHERE org_id = %(org)s AND credits > 0) r FULL JOIN (
        SELECT reference, -sum(amount) AS held FROM credit_entries o WHERE org_id = %(org)s AND kind = 'reserve'
            AND NOT EXISTS (SELECT 1 FROM credit_entries d WHERE d.org_id = o.org_id AND d.reference = o.reference
                AND d.kind IN ('settle', 'release')) GROUP BY reference
    ) m ON m.reference = r.id::text WHERE r.credits IS DISTINCT FROM m.held ORDER BY 1
"""
# Less was taken only where no more was there, and the movement says so. What was recorded before calls kept the rate
# they were taken at cannot be told.
_SPENT_CREDITS: Final = f"""
    SELECT format('%%s: its charge comes to %%s millionths of a credit, and %%s were taken', reference,
        coalesce(e.owed::text, 'no'), coalesce(m.taken::text, 'none'))
    FROM (
        SELECT {call_reference("session_id", "sequence_number", "n")} AS reference,
            spotter_in_credits(charge, credit_rate) AS owed
        FROM usage_entries WHERE org_id = %(org)s AND spotter_in_credits(charge, credit_rate) > 0
    ) e FULL JOIN (
        SELECT reference, -amount AS taken, note = '{RAN_OUT}' AS ran_out FROM credit_entries
        WHERE org_id = %(org)s AND kind = 'spend' AND reference LIKE 'call:%%'
    ) m USING (reference)
    WHERE m.taken IS DISTINCT FROM e.owed AND NOT coalesce(m.ran_out AND m.taken < e.owed, false) ORDER BY 1
"""  # noqa: S608 - our own words
_CHECKS: Final = (
    ("I11", _CALLS),
    ("I10", _RULE),
    ("I10", _COUNTERS),
    ("I10", _CREDITS),
    ("I10", _SPENT_CREDITS),
)


@dataclass(frozen=True, slots=True)
class MoneyViolation:
    invariant: str
    org_id: UUID
    what: str


@dataclass(slots=True)
class MoneyFindings:
    organisations: int = 0
    entries: int = 0
    charged: int = 0
    count: int = 0
    violations: list[MoneyViolation] = field(default_factory=list)

    @property
    def good(self) -> bool:
        return self.count == 0

    def add(self, violation: MoneyViolation) -> None:
        self.count += 1
        if len(self.violations) < _MOST_KEPT:
            self.violations.append(violation)

    def lines(self) -> Iterator[str]:
        yield f"{self.entries} model calls of {self.organisations} organisations are in the ledger."
        for one in self.violations[:_MOST_SHOWN]:
            yield f"  {one.invariant}  organisation {one.org_id}, {one.what}"
        if self.count > _MOST_SHOWN:
            yield f"  … and {self.count - _MOST_SHOWN} more."
        yield "Every sum is right." if self.good else f"{self.count} things about money are wrong."


async def verify_money(
    urls: DatabaseUrls, *, org_id: UUID | None = None, session_id: UUID | None = None
) -> MoneyFindings:
    findings = MoneyFindings()
    async with await psycopg.AsyncConnection.connect(
        urls.runtime_direct, application_name="spotter verify"
    ) as connection:
        await connection.set_isolation_level(psycopg.IsolationLevel.REPEATABLE_READ)
        await connection.set_read_only(True)
        async for one in _organisations(urls, org_id):
            async with connection.transaction():
                await connection.execute("SET LOCAL statement_timeout = 0")
                await connection.execute(_ACT_FOR, (str(one),))
                await _look(connection, one, session_id, findings)
    return findings


async def _organisations(urls: DatabaseUrls, only: UUID | None) -> AsyncIterator[UUID]:
    async with await psycopg.AsyncConnection.connect(
        urls.job, autocommit=True, application_name="spotter verify"
    ) as connection:
        rows = await (await connection.execute(_ORGANISATIONS, {"only": only})).fetchall()
    for (org_id,) in rows:
        yield org_id


async def _look(
    connection: psycopg.AsyncConnection[Any], org_id: UUID, session_id: UUID | None, findings: MoneyFindings
) -> None:
    wanted = {"org": org_id, "session": session_id}
    row = await (await connection.execute(_COUNTS, wanted)).fetchone()
    assert row is not None
    findings.organisations += 1
    findings.entries += row[0]
    findings.charged += row[1]
    for invariant, query in _CHECKS:
        async for (what,) in connection.cursor().stream(query.encode(), wanted):
            findings.add(MoneyViolation(invariant, org_id, what))
