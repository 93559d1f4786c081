"""The SQL of approvals: what a decision does to its session, beside the functions of the log and in their manner."""

from typing import Final

from spotter.store.migrations.money_functions import HOW_IT_STANDS
from spotter.store.migrations.session_functions import ACT_FOR, DONE
from spotter.store.migrations.turn_functions import START, TURN

# A decision's event, and the turn that goes on because of it: opened again under a new fence, in the caller's
# transaction. While another turn is going on only the event is added; `fence` is then null.
REOPEN_TURN: Final = f"""
CREATE FUNCTION spotter_reopen_turn(
    p_org uuid, p_user uuid, p_role text, p_session uuid, p_lease_owner integer, p_lease_seconds double precision,
    p_types text[], p_contents text[]
) RETURNS TABLE ({TURN})
LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
    {DONE}
    busy boolean;
    found_user uuid;
BEGIN
    {ACT_FOR}
    SELECT s.turn_open, s.user_id INTO busy, found_user FROM agent_sessions s
        WHERE s.org_id = p_org AND s.id = p_session AND s.erased_at IS NULL FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no such session' USING ERRCODE = 'SP002';
    END IF;
    UPDATE agent_sessions s SET
        last_sequence = s.last_sequence + cardinality(p_types), updated_at = now(), turn_open = true,
        fence = CASE WHEN busy THEN s.fence ELSE s.fence + 1 END,
        lease_owner = CASE WHEN busy THEN s.lease_owner ELSE p_lease_owner END,
        lease_until = CASE WHEN busy THEN s.lease_until
            ELSE now() + make_interval(secs => p_lease_seconds) END,
        cancel_requested = busy AND s.cancel_requested
        WHERE s.org_id = p_org AND s.id = p_session
        RETURNING s.fence, s.last_sequence, s.context_start_sequence, s.agent, s.scenario, s.overrides,
            {HOW_IT_STANDS}
        INTO fence, sequence, context_start, agent, scenario, overrides, settings, capped;
    PERFORM spotter_insert_events(
        p_org, p_session, found_user, sequence - cardinality(p_types), p_types, p_contents
    );
    IF busy THEN
        fence := NULL;
    END IF;
    RETURN NEXT;
END $$
"""

# Calls that were decided about while a turn was going on come first.
NEXT_TURN: Final = f"""
CREATE FUNCTION spotter_next_turn(
    p_org uuid, p_user uuid, p_role text, p_session uuid, p_lease_owner integer, p_lease_seconds double precision
) RETURNS TABLE ({TURN})
LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
    {DONE}
    found_user uuid;
    message text;
BEGIN
    {ACT_FOR}
    SELECT s.user_id INTO found_user FROM agent_sessions s
        WHERE s.org_id = p_org AND s.id = p_session AND NOT s.turn_open AND s.erased_at IS NULL FOR UPDATE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF EXISTS (
        SELECT 1 FROM approvals a WHERE a.org_id = p_org AND a.session_id = p_session
            AND a.decided_at IS NOT NULL AND a.settled_at IS NULL
    ) THEN
        RETURN QUERY SELECT * FROM spotter_reopen_turn(
            p_org, p_user, p_role, p_session, p_lease_owner, p_lease_seconds, ARRAY['turn_resumed'], ARRAY['{{}}']
        );
        RETURN;
    END IF;
    DELETE FROM agent_inbox w WHERE w.org_id = p_org AND w.session_id = p_session AND w.position = (
        SELECT min(o.position) FROM agent_inbox o WHERE o.org_id = p_org AND o.session_id = p_session
    ) RETURNING w.content::text INTO message;
    IF FOUND THEN
        {START}
    END IF;
END $$
"""

ALL: Final = (REOPEN_TURN, NEXT_TURN)
