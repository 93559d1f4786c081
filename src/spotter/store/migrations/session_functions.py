"""The SQL of the log: one function for each thing that happens to it, so that each is one round trip.

All run as their caller (SECURITY INVOKER): the policies apply as in any other statement. Each begins by saying
for whom it acts; inside a function that is a statement of its own, so the planner cannot put it off. Those that open
turns and write in them count money too: they are in `turn_functions.py`, made by a later migration.

Functions that are called for what they do are called in assignments to `done`: PL/pgSQL evaluates those directly, while
PERFORM plans and runs a query each time.
"""

from typing import Final

DONE: Final = "done boolean;"
"""What a function declares that uses `ACT_FOR` and the like."""

ACT_FOR: Final = """
    done := set_config('spotter.org_id', p_org::text, true) IS NULL;
    done := set_config('spotter.user_id', coalesce(p_user::text, ''), true) IS NULL;
    done := set_config('spotter.role', p_role, true) IS NULL;
"""

# Adds a batch after `p_after`, chaining each row's hash to the one before it.
INSERT_EVENTS: Final = """
CREATE FUNCTION spotter_insert_events(
    p_org uuid, p_session uuid, p_owner uuid, p_after integer, p_types text[], p_contents text[]
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    hashes bytea[] := '{}';
    chained bytea;
BEGIN
    SELECT e.hash INTO chained FROM agent_events e
        WHERE e.org_id = p_org AND e.session_id = p_session AND e.sequence_number = p_after;
    FOR i IN 1 .. cardinality(p_types) LOOP
        chained := sha256(coalesce(chained, ''::bytea) || convert_to(p_types[i] || chr(10) || p_contents[i], 'UTF8'));
        hashes := hashes || chained;
    END LOOP;
    INSERT INTO agent_events (org_id, session_id, sequence_number, user_id, event_type, content, hash)
        SELECT p_org, p_session, p_after + t.n, p_owner, t.kind, t.content::json, t.hash
        FROM unnest(p_types, p_contents, hashes) WITH ORDINALITY AS t(kind, content, hash, n);
END $$
"""

# True while the turn is ours; says whether somebody asked to stop it.
RENEW: Final = f"""
CREATE FUNCTION spotter_renew(
    p_org uuid, p_user uuid, p_role text, p_session uuid, p_lease_seconds double precision, p_fence bigint
) RETURNS TABLE (cancel_requested boolean) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    {DONE}
BEGIN
    {ACT_FOR}
    RETURN QUERY UPDATE agent_sessions s SET lease_until = now() + make_interval(secs => p_lease_seconds)
        WHERE s.org_id = p_org AND s.id = p_session AND s.turn_open AND s.fence = p_fence
        RETURNING s.cancel_requested;
END $$
"""

READ: Final = f"""
CREATE FUNCTION spotter_read(
    p_org uuid, p_user uuid, p_role text, p_session uuid, p_after integer, p_limit integer
) RETURNS TABLE (sequence integer, kind text, content text, at timestamptz) LANGUAGE plpgsql AS $$
DECLARE
    {DONE}
BEGIN
    {ACT_FOR}
    RETURN QUERY SELECT e.sequence_number, e.event_type, e.content::text, e.created_at FROM agent_events e
        WHERE e.org_id = p_org AND e.session_id = p_session AND e.sequence_number > p_after
        ORDER BY e.sequence_number LIMIT p_limit;
END $$
"""

# The only way content changes: it is shredded. Order, type, time and hash stay, so that the chain still holds.
ERASE: Final = """
CREATE FUNCTION spotter_auth.erase_session(p_session uuid) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    org uuid := nullif(current_setting('spotter.org_id', true), '')::uuid;
BEGIN
    UPDATE agent_sessions s SET erased_at = now(), title = '', metadata = '{}', turn_open = false,
        lease_owner = NULL, lease_until = NULL, fence = s.fence + 1
        WHERE s.org_id = org AND s.id = p_session AND s.erased_at IS NULL;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    UPDATE agent_events e SET content = '{"erased": true}' WHERE e.org_id = org AND e.session_id = p_session;
    DELETE FROM agent_inbox w WHERE w.org_id = org AND w.session_id = p_session;
    RETURN true;
END $$
"""

ALL: Final = (INSERT_EVENTS, RENEW, READ)
