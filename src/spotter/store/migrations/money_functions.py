"""The SQL of money: what counts against which cap, in the transaction that records the call.

A turn acts for a person, who sees neither the organisation's counters nor other people's entries. So these functions
act as the service while they count; whoever calls them goes on as the person. Locks are always taken in this order:
the session, the organisation's caps (shared; exclusive to add one), reservations, counters by cap, subject and period,
the credit account.

SP001: the fence is not the newest, or the turn has ended.  SP006: somebody asked to stop this turn.
"""

from typing import Final

from spotter.store.migrations.warning_functions import WARNINGS

CAPS_LOCK: Final = 7266
"""Any number nobody else uses, beside the organisation's."""

AS_SERVICE: Final = "PERFORM set_config('spotter.role', 'service', true);"
AS_CALLER: Final = "PERFORM set_config('spotter.role', p_role, true);"
SHARE_CAPS: Final = f"PERFORM pg_advisory_xact_lock_shared({CAPS_LOCK}, uuid_hash(p_org));"
CAPPED: Final = """
    EXISTS (SELECT 1 FROM spend_caps c WHERE c.org_id = p_org)
    OR EXISTS (SELECT 1 FROM billing_accounts b WHERE b.org_id = p_org AND b.prepaid)
"""

# When a tier's credits come again: `work/credits.py`. `o` is the organisation.
NEXT_MONTH: Final = """(
    date_trunc('month', now() AT TIME ZONE o.timezone) + interval '1 month'
) AT TIME ZONE o.timezone"""

RAN_OUT: Final = "credits ran out"
"""Beside a movement that is less than its call was charged."""


def call_reference(session: str, sequence: str, n: str) -> str:
    """Under which a model call's credits are booked, from SQL expressions for its place."""
    return f"concat_ws(':', 'call', {session}, {sequence}, {n})"


# What every statement that opens a turn says of its organisation: `settings` and `capped`. The stamp tells whether what
# is kept of its settings still holds: see `store/stamps.py`.
HOW_IT_STANDS: Final = f"(SELECT o.settings_stamp FROM organisations o WHERE o.id = p_org), ({CAPPED})"

# A zone the database does not know would make every later bill fail; so it cannot be set.
CHECK_ZONE: Final = """
CREATE FUNCTION spotter_check_zone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM now() AT TIME ZONE NEW.timezone;
    RETURN NEW;
END $$
"""

# Balances follow their entries and refuse to go below nothing: no code can forget either.
KEEP_BALANCE: Final = """
CREATE FUNCTION spotter_keep_balance() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO credit_accounts (org_id) VALUES (NEW.org_id) ON CONFLICT DO NOTHING;
    UPDATE credit_accounts a SET balance = a.balance + NEW.amount WHERE a.org_id = NEW.org_id;
    RETURN NULL;
END $$
"""

# The organisation's caps that a call in this session falls under.
APPLICABLE: Final = """
CREATE FUNCTION spotter_applicable(
    p_org uuid, p_session uuid, p_owner uuid, p_agent text, p_run uuid, p_today date
) RETURNS TABLE (cap uuid, scope text, subject text, period text, period_start date, unit text)
LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY SELECT c.id, c.scope, s.subject, c.period, CASE c.period
        WHEN 'day' THEN p_today WHEN 'month' THEN date_trunc('month', p_today)::date ELSE DATE '1970-01-01'
        END, c.unit
    FROM spend_caps c, LATERAL (SELECT CASE c.scope
        WHEN 'organisation' THEN ''
        WHEN 'user' THEN nullif(p_owner, '00000000-0000-0000-0000-000000000000')::text
        WHEN 'session' THEN p_session::text
        WHEN 'run' THEN p_run::text
        WHEN 'guests' THEN (
            SELECT '' FROM memberships m
            WHERE m.org_id = p_org AND m.user_id = p_owner AND m.guest_until IS NOT NULL
        )
        ELSE p_agent END AS subject) s
    WHERE c.org_id = p_org AND s.subject IS NOT NULL AND c.subject IN ('', s.subject);
END $$
"""

# What a cap would have counted so far, from the entries themselves.
SPENT: Final = """
CREATE FUNCTION spotter_spent(p_org uuid, p_scope text, p_subject text, p_period text, p_start date, p_unit text)
RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
    first date := CASE p_period WHEN 'total' THEN '-infinity' ELSE p_start END;
    last date := CASE p_period
        WHEN 'day' THEN p_start WHEN 'month' THEN (p_start + interval '1 month - 1 day')::date ELSE 'infinity' END;
    spent bigint;
BEGIN
    IF p_scope = 'session' THEN
        SELECT sum(CASE p_unit WHEN 'money' THEN e.counted ELSE e.counted_tokens END) INTO spent FROM usage_entries e
            WHERE e.org_id = p_org AND e.session_id = p_subject::uuid AND e.billing_day BETWEEN first AND last;
    ELSIF p_scope = 'run' THEN
        SELECT sum(CASE p_unit WHEN 'money' THEN e.counted ELSE e.counted_tokens END) INTO spent FROM usage_entries e
            WHERE e.org_id = p_org AND e.run_id = p_subject::uuid AND e.billing_day BETWEEN first AND last;
    ELSE
        SELECT sum(CASE p_unit WHEN 'money' THEN e.counted ELSE e.counted_tokens END) INTO spent FROM usage_entries e
            WHERE e.org_id = p_org AND e.billing_day BETWEEN first AND last AND CASE p_scope
                WHEN 'user' THEN e.user_id = p_subject::uuid WHEN 'agent' THEN e.agent = p_subject
                WHEN 'guests' THEN e.guest ELSE true END;
    END IF;
    RETURN coalesce(spent, 0);
END $$
"""

# The counters a call in this session moves now. A new one begins with what its period had spent before: all of that is
# visible, because whoever adds a cap waits for the calls that do not know it yet, and every later call makes a counter.
COUNTERS: Final = """
CREATE FUNCTION spotter_counters(p_org uuid, p_session uuid, p_owner uuid, p_agent text, p_run uuid)
RETURNS uuid[] LANGUAGE plpgsql AS $$
DECLARE
    today date;
    found uuid[];
BEGIN
    SELECT (now() AT TIME ZONE o.timezone)::date INTO today FROM organisations o WHERE o.id = p_org;
    INSERT INTO spend_counters (org_id, id, cap_id, subject, period_start, spent)
        SELECT p_org, gen_random_uuid(), a.cap, a.subject, a.period_start,
            spotter_spent(p_org, a.scope, a.subject, a.period, a.period_start, a.unit)
        FROM spotter_applicable(p_org, p_session, p_owner, p_agent, p_run, today) a
        WHERE NOT EXISTS (
            SELECT 1 FROM spend_counters k WHERE k.org_id = p_org AND k.cap_id = a.cap
                AND k.subject = a.subject AND k.period_start = a.period_start
        ) ORDER BY a.cap, a.subject ON CONFLICT DO NOTHING;
    SELECT array_agg(k.id) INTO found FROM spotter_applicable(p_org, p_session, p_owner, p_agent, p_run, today) a
        JOIN spend_counters k ON k.org_id = p_org AND k.cap_id = a.cap
            AND k.subject = a.subject AND k.period_start = a.period_start;
    RETURN coalesce(found, '{}');
END $$
"""

# Gives back what reservations hold.
RELEASE: Final = """
CREATE FUNCTION spotter_release(p_org uuid, p_ids uuid[]) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    held spend_reservations;
    released integer := 0;
BEGIN
    FOR held IN DELETE FROM spend_reservations r WHERE r.org_id = p_org AND r.id = ANY (p_ids) RETURNING r.* LOOP
        PERFORM 1 FROM spend_counters k WHERE k.org_id = p_org AND k.id = ANY (held.counters)
            ORDER BY k.cap_id, k.subject, k.period_start FOR UPDATE;
        UPDATE spend_counters k SET
            reserved = k.reserved - CASE c.unit WHEN 'money' THEN held.amount ELSE held.tokens END
            FROM spend_caps c WHERE c.org_id = p_org AND c.id = k.cap_id
                AND k.org_id = p_org AND k.id = ANY (held.counters);
        IF held.credits > 0 THEN
            INSERT INTO credit_entries (org_id, id, kind, amount, reference)
                VALUES (p_org, gen_random_uuid(), 'release', held.credits, held.id::text);
        END IF;
        released := released + 1;
    END LOOP;
    RETURN released;
END $$
"""

# A turn that lives keeps what it reserved. One whose fence has moved on never comes back, so there is no race here.
SWEEP: Final = f"""
CREATE FUNCTION spotter_sweep_reservation(p_org uuid, p_id uuid)
RETURNS integer LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('spotter.org_id', p_org::text, true), set_config('spotter.user_id', '', true);
    {AS_SERVICE}
    RETURN spotter_release(p_org, ARRAY(
        SELECT r.id FROM spend_reservations r
        LEFT JOIN agent_sessions s ON s.org_id = r.org_id AND s.id = r.session_id
        WHERE r.org_id = p_org AND r.id = p_id AND CASE WHEN r.session_id IS NULL THEN r.expires_at < now()
            ELSE s.id IS NULL OR NOT s.turn_open OR s.fence <> r.fence END
    ));
END $$
"""

_REFUSE: Final = """
            INSERT INTO audit_log (org_id, id, actor_kind, action, target, detail) VALUES
                (p_org, gen_random_uuid(), 'service', 'cap.hit', p_session::text, why::jsonb);
            granted := false;
            amount := NULL;
            RETURN NEXT;
            RETURN;
"""

GRANT_NEEDS: Final = """DECLARE
    turn record;
    mine uuid[];
    k record;
    room bigint;
    account record;
    balance bigint;
    credits bigint := 0;
"""


def grant(of: str, until: str) -> str:
    """Holds back what is wanted, or less where less is left, down to the least that is worth beginning with. `of`: the
    session and fence it is held for."""
    return f"""
    mine := spotter_counters(p_org, p_session, turn.user_id, turn.agent, turn.run_id);
    granted := true;
    amount := p_most;
    tokens := p_most_tokens;
    FOR k IN
        SELECT n.id, n.subject, n.period_start, n.spent, n.reserved, c.id AS cap, c.scope, c.period, c.unit, c.hard,
            CASE c.period
                WHEN 'day' THEN (n.period_start + 1)::timestamp AT TIME ZONE o.timezone
                WHEN 'month' THEN (n.period_start + interval '1 month') AT TIME ZONE o.timezone
            END AS resets_at
        FROM spend_counters n JOIN spend_caps c ON c.org_id = n.org_id AND c.id = n.cap_id
            JOIN organisations o ON o.id = n.org_id
        WHERE n.org_id = p_org AND n.id = ANY (mine) AND c.hard IS NOT NULL
        ORDER BY n.cap_id, n.subject, n.period_start FOR UPDATE OF n
    LOOP
        room := greatest(k.hard - k.spent - k.reserved, 0);
        IF k.unit = 'money' AND p_least <= room THEN
            amount := least(amount, room);
        ELSIF k.unit = 'tokens' AND p_least_tokens <= room THEN
            tokens := least(tokens, room);
        ELSE
            why := json_build_object('limit', 'cap', 'cap_id', k.cap, 'scope', k.scope, 'period', k.period,
                'unit', k.unit, 'hard', k.hard, 'spent', k.spent, 'reserved', k.reserved, 'left', room,
                'needed', CASE k.unit WHEN 'money' THEN p_least ELSE p_least_tokens END, 'resets_at', k.resets_at);
            {_REFUSE}
        END IF;
    END LOOP;
    SELECT b.credit_rate, CASE WHEN b.monthly_credits > 0 THEN {NEXT_MONTH} END AS next_month INTO account
        FROM billing_accounts b JOIN organisations o ON o.id = b.org_id WHERE b.org_id = p_org AND b.prepaid;
    IF FOUND THEN
        SELECT a.balance INTO balance FROM credit_accounts a WHERE a.org_id = p_org FOR UPDATE;
        balance := coalesce(balance, 0);
        IF p_least IS NULL OR spotter_in_credits(p_least, account.credit_rate) > balance THEN
            why := json_build_object('limit', 'credits', 'left', balance,
                'needed', spotter_in_credits(p_least, account.credit_rate), 'unit', 'micro_credits',
                'resets_at', account.next_month);
            {_REFUSE}
        END IF;
        amount := least(amount, greatest(p_least, div(balance::numeric * account.credit_rate, 1000000)::bigint));
        credits := least(spotter_in_credits(amount, account.credit_rate), balance);
    ELSIF cardinality(mine) = 0 THEN
        amount := NULL;
        RETURN NEXT;
        RETURN;
    END IF;
    UPDATE spend_counters n SET
        reserved = n.reserved + CASE c.unit WHEN 'money' THEN coalesce(amount, 0) ELSE tokens END
        FROM spend_caps c WHERE c.org_id = p_org AND c.id = n.cap_id AND n.org_id = p_org AND n.id = ANY (mine);
    INSERT INTO spend_reservations (org_id, id, session_id, fence, amount, tokens, credits, counters, expires_at)
        VALUES (p_org, p_id, {of}, coalesce(amount, 0), tokens, credits, mine, {until});
    IF credits > 0 THEN
        INSERT INTO credit_entries (org_id, id, kind, amount, reference)
            VALUES (p_org, gen_random_uuid(), 'reserve', -credits, p_id::text);
    END IF;
"""


# Holds back what a call may cost at most, or less where less is left, down to the least that is worth calling with.
RESERVE: Final = f"""
CREATE FUNCTION spotter_reserve(
    p_org uuid, p_user uuid, p_role text, p_session uuid, p_fence bigint, p_id uuid, p_least bigint, p_most bigint,
    p_least_tokens bigint, p_most_tokens bigint
) RETURNS TABLE (granted boolean, amount bigint, tokens bigint, why json) LANGUAGE plpgsql AS $$
#variable_conflict use_variable
{GRANT_NEEDS}BEGIN
    PERFORM set_config('spotter.org_id', p_org::text, true),
            set_config('spotter.user_id', coalesce(p_user::text, ''), true),
            set_config('spotter.role', p_role, true);
    SELECT s.user_id, s.agent, s.run_id, s.cancel_requested INTO turn FROM agent_sessions s
        WHERE s.org_id = p_org AND s.id = p_session AND s.fence = p_fence AND s.turn_open FOR SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'fenced' USING ERRCODE = 'SP001';
    END IF;
    IF turn.cancel_requested THEN
        RAISE EXCEPTION 'asked to stop' USING ERRCODE = 'SP006';
    END IF;
    {SHARE_CAPS}
    {AS_SERVICE}
    PERFORM spotter_release(p_org, ARRAY(
        SELECT r.id FROM spend_reservations r WHERE r.org_id = p_org AND r.session_id = p_session
    ));
    {grant("p_session, p_fence", "now() + interval '1 hour'")}
    RETURN NEXT;
END $$
"""

# Rounded half up, as in money.py.
IN_CREDITS: Final = """
CREATE FUNCTION spotter_in_credits(p_amount bigint, p_rate bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
    SELECT div(2 * p_amount::numeric * 1000000 + p_rate, 2 * p_rate)::bigint
$$
"""

# Takes what each call is charged, as a movement that names the call: `spotter verify` holds the one against the other.
# A call that came to more than there is takes what there is, and its movement says so.
SPEND_CREDITS: Final = f"""
CREATE FUNCTION spotter_spend_credits(p_org uuid, p_session uuid, p_after integer, p_rate bigint, p_charges json)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    free bigint;
    taken bigint;
    call record;
BEGIN
    SELECT a.balance INTO free FROM credit_accounts a WHERE a.org_id = p_org FOR UPDATE;
    free := coalesce(free, 0);
    FOR call IN
        SELECT c.place, c.n, spotter_in_credits(c.charge, p_rate) AS owed
        FROM json_to_recordset(p_charges) AS c(place integer, n integer, charge bigint) ORDER BY c.place, c.n
    LOOP
        CONTINUE WHEN call.owed = 0;
        taken := least(call.owed, free);
        free := free - taken;
        INSERT INTO credit_entries (org_id, id, kind, amount, reference, note) VALUES (
            p_org, gen_random_uuid(), 'spend', -taken, {call_reference("p_session", "p_after + call.place", "call.n")},
            CASE WHEN taken < call.owed THEN '{RAN_OUT}' ELSE '' END
        );
    END LOOP;
END $$
"""

# Counts calls that are being recorded, and gives back what was held for them. Says what a call that reported nothing
# counts as: all that is left of what was held. And what a credit is worth, where calls spend credits: what they are
# charged, and nothing for what nobody reported, as on the bill. And of which budgets people are to be warned, in
# notices that come before the calls in the log.
SETTLE: Final = f"""
CREATE FUNCTION spotter_settle(
    p_org uuid, p_session uuid, p_fence bigint, p_owner uuid, p_agent text, p_run uuid, p_charges json,
    p_after integer, OUT unknown bigint, OUT unknown_tokens bigint, OUT credit_rate bigint,
    OUT warnings text[]
) LANGUAGE plpgsql AS $$
DECLARE
    held spend_reservations;
    mine uuid[];
    money bigint;
    used bigint;
    account record;
BEGIN
    {AS_SERVICE}
    DELETE FROM spend_reservations r WHERE r.org_id = p_org AND r.session_id = p_session AND r.fence = p_fence
        RETURNING r.* INTO held;
    SELECT greatest(coalesce(held.amount, 0) - coalesce(sum(c.counted) FILTER (WHERE c.reported), 0), 0),
        greatest(coalesce(held.tokens, 0) - coalesce(sum(c.tokens) FILTER (WHERE c.reported), 0), 0)
        INTO unknown, unknown_tokens
        FROM json_to_recordset(p_charges) AS c(counted bigint, tokens bigint, reported boolean);
    SELECT sum(CASE WHEN c.reported THEN c.counted ELSE greatest(c.counted, unknown) END),
        sum(CASE WHEN c.reported THEN c.tokens ELSE greatest(c.tokens, unknown_tokens) END) INTO money, used
        FROM json_to_recordset(p_charges) AS c(counted bigint, tokens bigint, reported boolean);
    mine := spotter_counters(p_org, p_session, p_owner, p_agent, p_run);
    PERFORM 1 FROM spend_counters k WHERE k.org_id = p_org AND (k.id = ANY (mine) OR k.id = ANY (held.counters))
        ORDER BY k.cap_id, k.subject, k.period_start FOR UPDATE;
    UPDATE spend_counters k SET
        spent = k.spent + CASE WHEN k.id <> ALL (mine) THEN 0 WHEN c.unit = 'money' THEN money ELSE used END,
        reserved = k.reserved - CASE WHEN held.id IS NULL OR k.id <> ALL (held.counters) THEN 0
            WHEN c.unit = 'money' THEN held.amount ELSE held.tokens END
        FROM spend_caps c WHERE c.org_id = p_org AND c.id = k.cap_id AND k.org_id = p_org
            AND (k.id = ANY (mine) OR k.id = ANY (held.counters));
    WITH warned AS (
        UPDATE spend_counters k SET warned_at = now() FROM spend_caps c
            WHERE c.org_id = p_org AND c.id = k.cap_id AND k.org_id = p_org AND k.id = ANY (mine)
                AND k.warned_at IS NULL AND k.spent >= c.soft
            RETURNING c.id, json_build_object('scope', c.scope, 'subject', k.subject, 'period', c.period,
                'period_start', k.period_start, 'unit', c.unit, 'soft', c.soft, 'hard', c.hard, 'spent', k.spent
            ) AS what
    ) INSERT INTO audit_log (org_id, id, actor_kind, action, target, detail)
        SELECT p_org, gen_random_uuid(), 'service', 'cap.warning', warned.id::text, warned.what::jsonb FROM warned;
    warnings := spotter_warnings(p_org, p_owner, mine);
    SELECT b.prepaid, b.credit_rate INTO account FROM billing_accounts b WHERE b.org_id = p_org;
    IF held.credits > 0 OR account.prepaid THEN
        credit_rate := account.credit_rate;
        IF held.credits > 0 THEN
            INSERT INTO credit_entries (org_id, id, kind, amount, reference)
                VALUES (p_org, gen_random_uuid(), 'release', held.credits, held.id::text);
        END IF;
        PERFORM spotter_spend_credits(
            p_org, p_session, p_after + cardinality(warnings), credit_rate, p_charges
        );
    END IF;
END $$
"""

ALL: Final = (
    CHECK_ZONE, KEEP_BALANCE, APPLICABLE, SPENT, COUNTERS, RELEASE, SWEEP, IN_CREDITS, RESERVE,
    SPEND_CREDITS, WARNINGS, SETTLE,
)  # fmt: skip
