"""The SQL of turns: opening them, writing in them, taking them over. Each is one round trip, and runs as its caller.
What comes next in a session is asked for in `approval_functions`; that there is something, an append says.

A model call is billed by the statement that records it. Each answer says whether caps apply to the organisation now:
if not, the next model call needs no reservation, and money costs no round trip at all.

SP001: the fence is not the newest, or the turn has ended.  SP002: no such session.  SP003: a turn is going on.
SP004: a message with this key was said before.  SP005: as many turns are going on as the plan allows.
"""

from typing import Final

from spotter.store.migrations.money_functions import (
    AS_CALLER,
    AS_SERVICE,
    CAPPED,
    CAPS_LOCK,
    HOW_IT_STANDS,
)
from spotter.store.migrations.session_functions import ACT_FOR, DONE

TURNS_LOCK: Final = 7267
"""Any number nobody else uses, beside the organisation's."""

# Made by 0002 before there was money.
OLD: Final = (
    "DROP FUNCTION IF EXISTS spotter_append(uuid, uuid, text, uuid, bigint, text[], text[], boolean)",
    "DROP FUNCTION IF EXISTS spotter_open_turn"
    "(uuid, uuid, text, uuid, integer, double precision, text, boolean, uuid)",
    "DROP FUNCTION IF EXISTS spotter_next_turn(uuid, uuid, text, uuid, integer, double precision)",
    "DROP FUNCTION IF EXISTS spotter_take_over(uuid, uuid, text, uuid, integer, double precision, bigint)",
)

_BILL: Final = """
    INSERT INTO usage_entries (
        org_id, session_id, sequence_number, n, user_id, billing_day, billing_month, kind, agent, task_id, run_id,
        provider, model, input, output, cache_read, cache_write, reported, cost, charge, markup, price, counted,
        counted_tokens, guest, credit_rate
    ) SELECT p_org, p_session, last - count + c.place, c.n, owner, d.today, date_trunc('month', d.today)::date,
        p_types[c.place], agent, task, run, c.provider, c.model, c.input, c.output, c.cache_read, c.cache_write,
        c.reported, c.cost, c.charge, c.markup, c.price,
        CASE WHEN c.reported THEN c.counted ELSE greatest(c.counted, unknown) END,
        CASE WHEN c.reported THEN c.tokens ELSE greatest(c.tokens, unknown_tokens) END,
        EXISTS (SELECT 1 FROM memberships m WHERE m.org_id = p_org AND m.user_id = owner
            AND m.guest_until IS NOT NULL),
        rate
    FROM json_to_recordset(p_charges) AS c(
        place integer, n integer, provider text, model text, input integer, output integer, cache_read integer,
        cache_write integer, reported boolean, cost bigint, charge bigint, markup integer, price text,
        counted bigint, tokens bigint
    ), LATERAL (SELECT (now() AT TIME ZONE o.timezone)::date AS today FROM organisations o WHERE o.id = p_org) d;
"""

# Who speaks and where a session stands are told by its log; its row says what the last of these events says.
MOVES: Final = """
    IF p_types && ARRAY['handoff', 'stage'] THEN
        SELECT
            (array_agg(t.content::json ->> 'to_agent' ORDER BY t.place DESC) FILTER (WHERE t.kind = 'handoff'))[1],
            (array_agg(t.content::json ->> 'to_stage' ORDER BY t.place DESC) FILTER (
                WHERE t.kind = 'stage' AND coalesce((t.content::json ->> 'accepted')::boolean, true)
            ))[1]
            INTO speaker, stage_now
            FROM unnest(p_types, p_contents) WITH ORDINALITY AS t(kind, content, place);
    END IF;
"""

APPEND: Final = f"""
CREATE FUNCTION spotter_append(
    p_org uuid, p_user uuid, p_role text, p_session uuid, p_fence bigint, p_types text[], p_contents text[],
    p_close boolean, p_charges json, OUT last integer, OUT capped boolean, OUT stop boolean, OUT waiting boolean
) LANGUAGE plpgsql AS $$
DECLARE
    {DONE}
    count integer := cardinality(p_types);
    owner uuid;
    covered integer;
    speaker text;
    stage_now text;
    agent text;
    task uuid;
    run uuid;
    unknown bigint := 0;
    unknown_tokens bigint := 0;
    rate bigint;
    warnings text[];
    warned integer := 0;
BEGIN
    {ACT_FOR}
    IF 'checkpoint' = ANY (p_types) THEN
        SELECT max((t.content::json ->> 'covers')::integer) INTO covered
            FROM unnest(p_types, p_contents) AS t(kind, content) WHERE t.kind = 'checkpoint';
    END IF;
    {MOVES}
    UPDATE agent_sessions s SET
        last_sequence = s.last_sequence + count,
        context_start_sequence = coalesce(covered, s.context_start_sequence),
        agent = coalesce(speaker, s.agent),
        stage = coalesce(stage_now, s.stage),
        updated_at = now(),
        turn_open = s.turn_open AND NOT p_close,
        lease_owner = CASE WHEN p_close THEN NULL ELSE s.lease_owner END,
        lease_until = CASE WHEN p_close THEN NULL ELSE s.lease_until END,
        cancel_requested = s.cancel_requested AND NOT p_close
        WHERE s.org_id = p_org AND s.id = p_session AND s.erased_at IS NULL
            AND (p_fence IS NULL OR (s.fence = p_fence AND s.turn_open))
        RETURNING s.last_sequence, s.user_id, s.agent, s.task_id, s.run_id, s.cancel_requested,
            CASE WHEN p_charges IS NULL THEN {CAPPED} END
        INTO last, owner, agent, task, run, stop, capped;
    IF NOT FOUND THEN
        IF p_fence IS NULL THEN
            RAISE EXCEPTION 'no such session' USING ERRCODE = 'SP002';
        END IF;
        RAISE EXCEPTION 'fenced' USING ERRCODE = 'SP001';
    END IF;
    IF p_charges IS NOT NULL THEN
        done := pg_advisory_xact_lock_shared({CAPS_LOCK}, uuid_hash(p_org)) IS NULL;
        capped := {CAPPED};
        IF capped THEN
            SELECT s.unknown, s.unknown_tokens, s.credit_rate, s.warnings
                INTO unknown, unknown_tokens, rate, warnings
                FROM spotter_settle(p_org, p_session, p_fence, owner, agent, run, p_charges, last - count) s;
            warned := cardinality(warnings);
            {AS_CALLER}
        END IF;
    END IF;
    IF warned > 0 THEN
        -- Before what was just said, so that a turn still ends with its last event. The writer finds them there as it
        -- finds what others added meanwhile.
        UPDATE agent_sessions s SET last_sequence = s.last_sequence + warned
            WHERE s.org_id = p_org AND s.id = p_session RETURNING s.last_sequence INTO last;
        done := spotter_insert_events(
            p_org, p_session, owner, last - count - warned, array_fill('notice'::text, ARRAY[warned]), warnings
        ) IS NULL;
    END IF;
    done := spotter_insert_events(p_org, p_session, owner, last - count, p_types, p_contents) IS NULL;
    IF p_charges IS NOT NULL THEN
        {_BILL}
    END IF;
    -- The session's row is locked: whoever comes later finds the turn ended, and begins the next one.
    waiting := false;
    IF p_close THEN
        waiting := EXISTS (SELECT 1 FROM agent_inbox w WHERE w.org_id = p_org AND w.session_id = p_session)
            OR EXISTS (
                SELECT 1 FROM approvals a WHERE a.org_id = p_org AND a.session_id = p_session
                    AND a.decided_at IS NOT NULL AND a.settled_at IS NULL
            );
        IF capped THEN
            {AS_SERVICE}
            PERFORM spotter_release(p_org, ARRAY(
                SELECT r.id FROM spend_reservations r WHERE r.org_id = p_org AND r.session_id = p_session
            ));
            {AS_CALLER}
        END IF;
    END IF;
END $$
"""

TURN: Final = (
    "fence bigint, sequence integer, context_start integer, agent text, scenario text, overrides jsonb, "
    "settings bigint, capped boolean"
)
"""What every function that opens a turn tells of it."""

START: Final = f"""
        UPDATE agent_sessions s SET
            last_sequence = s.last_sequence + 1, updated_at = now(), fence = s.fence + 1, turn_open = true,
            lease_owner = p_lease_owner, lease_until = now() + make_interval(secs => p_lease_seconds),
            cancel_requested = false
            WHERE s.org_id = p_org AND s.id = p_session
            RETURNING s.fence, s.last_sequence, s.context_start_sequence, s.agent, s.scenario, s.overrides,
                {HOW_IT_STANDS}
            INTO fence, sequence, context_start, agent, scenario, overrides, settings, capped;
        done := spotter_insert_events(
            p_org, p_session, found_user, sequence - 1, ARRAY['user_message'], ARRAY[message]
        ) IS NULL;
        RETURN NEXT;
"""

OPEN_TURN: Final = f"""
CREATE FUNCTION spotter_open_turn(
    p_org uuid, p_user uuid, p_role text, p_session uuid, p_lease_owner integer, p_lease_seconds double precision,
    p_message text, p_wait boolean, p_key uuid
) RETURNS TABLE ({TURN})
LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
    {DONE}
    busy boolean;
    waits boolean;
    found_user uuid;
    message text := p_message;
    most integer;
BEGIN
    {ACT_FOR}
    SELECT s.turn_open, s.user_id, s.last_sequence INTO busy, found_user, sequence FROM agent_sessions s
        WHERE s.org_id = p_org AND s.id = p_session AND s.erased_at IS NULL FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no such session' USING ERRCODE = 'SP002';
    END IF;
    IF p_key IS NOT NULL THEN
        INSERT INTO agent_message_keys (org_id, session_id, key, user_id)
            VALUES (p_org, p_session, p_key, found_user) ON CONFLICT DO NOTHING;
        IF NOT FOUND THEN
            RAISE EXCEPTION 'already said' USING ERRCODE = 'SP004';
        END IF;
    END IF;
    -- Only now, with the session locked: what others did until then is seen.
    SELECT EXISTS (SELECT 1 FROM agent_inbox w WHERE w.org_id = p_org AND w.session_id = p_session),
        (SELECT b.concurrent_turns FROM billing_accounts b WHERE b.org_id = p_org) INTO waits, most;
    IF NOT (busy OR waits) THEN
        IF most IS NOT NULL THEN
            PERFORM pg_advisory_xact_lock({TURNS_LOCK}, uuid_hash(p_org));
            {AS_SERVICE}
            IF (SELECT count(*) FROM agent_sessions s WHERE s.org_id = p_org AND s.turn_open) >= most THEN
                RAISE EXCEPTION '%', most USING ERRCODE = 'SP005';
            END IF;
            {AS_CALLER}
        END IF;
        {START}
    ELSIF p_wait THEN
        -- Counted by session (the row above is locked): numbers across tenants would show how busy others are.
        INSERT INTO agent_inbox (org_id, session_id, position, user_id, content)
            SELECT p_org, p_session, coalesce(max(w.position), 0) + 1, found_user, message::json
            FROM agent_inbox w WHERE w.org_id = p_org AND w.session_id = p_session;
        RETURN NEXT;
    ELSE
        RAISE EXCEPTION 'a turn is going on' USING ERRCODE = 'SP003';
    END IF;
END $$
"""

TAKE_OVER: Final = f"""
CREATE FUNCTION spotter_take_over(
    p_org uuid, p_user uuid, p_role text, p_session uuid, p_lease_owner integer, p_lease_seconds double precision,
    p_fence bigint
) RETURNS TABLE ({TURN}, stop boolean)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    {DONE}
BEGIN
    {ACT_FOR}
    RETURN QUERY UPDATE agent_sessions s SET
        fence = s.fence + 1, lease_owner = p_lease_owner,
        lease_until = now() + make_interval(secs => p_lease_seconds)
        WHERE s.org_id = p_org AND s.id = p_session AND s.turn_open AND s.fence = p_fence
        RETURNING s.fence, s.last_sequence, s.context_start_sequence, s.agent, s.scenario, s.overrides,
            {HOW_IT_STANDS}, s.cancel_requested;
END $$
"""

ALL: Final = (*OLD, APPEND, OPEN_TURN, TAKE_OVER)
