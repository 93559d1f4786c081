"""The SQL of calls that no model made: a turn that is opened by the call itself.

SP002: no such session.  SP003: a turn is going on, or a message waits for its own.  SP004: this call was made before.
SP005: as many turns are going on as the plan allows.
"""

from typing import Final

from spotter.store.migrations.money_functions import AS_CALLER, AS_SERVICE, HOW_IT_STANDS
from spotter.store.migrations.session_functions import ACT_FOR, DONE
from spotter.store.migrations.turn_functions import TURN, TURNS_LOCK

OPEN_CALL: Final = f"""
CREATE FUNCTION spotter_open_call(
    p_org uuid, p_user uuid, p_role text, p_session uuid, p_lease_owner integer, p_lease_seconds double precision,
    p_call text, p_key uuid
) RETURNS TABLE ({TURN})
LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
    {DONE}
    busy boolean;
    found_user uuid;
    most integer;
BEGIN
    {ACT_FOR}
    SELECT s.turn_open, s.user_id INTO busy, found_user FROM agent_sessions s
        WHERE s.org_id = p_org AND s.id = p_session AND s.erased_at IS NULL FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no such session' USING ERRCODE = 'SP002';
    END IF;
    INSERT INTO agent_message_keys (org_id, session_id, key, user_id)
        VALUES (p_org, p_session, p_key, found_user) ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'already called' USING ERRCODE = 'SP004';
    END IF;
    IF busy OR EXISTS (SELECT 1 FROM agent_inbox w WHERE w.org_id = p_org AND w.session_id = p_session) THEN
        RAISE EXCEPTION 'a turn is going on' USING ERRCODE = 'SP003';
    END IF;
    SELECT b.concurrent_turns INTO most FROM billing_accounts b WHERE b.org_id = p_org;
    IF most IS NOT NULL THEN
        PERFORM pg_advisory_xact_lock({TURNS_LOCK}, uuid_hash(p_org));
        {AS_SERVICE}
        IF (SELECT count(*) FROM agent_sessions s WHERE s.org_id = p_org AND s.turn_open) >= most THEN
            RAISE EXCEPTION '%', most USING ERRCODE = 'SP005';
        END IF;
        {AS_CALLER}
    END IF;
    UPDATE agent_sessions s SET
        last_sequence = s.last_sequence + 1, updated_at = now(), fence = s.fence + 1, turn_open = true,
        lease_owner = p_lease_owner, lease_until = now() + make_interval(secs => p_lease_seconds),
        cancel_requested = false
        WHERE s.org_id = p_org AND s.id = p_session
        RETURNING s.fence, s.last_sequence, s.context_start_sequence, s.agent, s.scenario, s.overrides,
            {HOW_IT_STANDS}
        INTO fence, sequence, context_start, agent, scenario, overrides, settings, capped;
    PERFORM spotter_insert_events(p_org, p_session, found_user, sequence - 1, ARRAY['action'], ARRAY[p_call]);
    RETURN NEXT;
END $$
"""

ALL: Final = (OPEN_CALL,)
