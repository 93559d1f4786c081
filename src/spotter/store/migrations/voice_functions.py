"""The SQL of money for voice: what a conversation may cost at most is held back while it lasts, and less of it with
each report of what was used. Like a call's, but it belongs to no turn: no turn's end gives it back.

SP002: no such session.
"""

from typing import Final

from spotter.store.migrations.money_functions import AS_SERVICE, GRANT_NEEDS, SHARE_CAPS, grant

RESERVE: Final = f"""
CREATE FUNCTION spotter_reserve_voice(
    p_org uuid, p_user uuid, p_role text, p_session uuid, p_id uuid, p_least bigint, p_most bigint,
    p_least_tokens bigint, p_most_tokens bigint, p_seconds double precision
) RETURNS TABLE (granted boolean, amount bigint, tokens bigint, why json) LANGUAGE plpgsql AS $$
#variable_conflict use_variable
{GRANT_NEEDS}BEGIN
    PERFORM set_config('spotter.org_id', p_org::text, true),
            set_config('spotter.user_id', coalesce(p_user::text, ''), true),
            set_config('spotter.role', p_role, true);
    SELECT s.user_id, s.agent, s.run_id INTO turn FROM agent_sessions s
        WHERE s.org_id = p_org AND s.id = p_session AND s.erased_at IS NULL FOR SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no such session' USING ERRCODE = 'SP002';
    END IF;
    {SHARE_CAPS}
    {AS_SERVICE}
    {grant("NULL, NULL", "now() + make_interval(secs => p_seconds)")}
    RETURN NEXT;
END $$
"""

# Takes a reservation's place with what is left of it; without a new id, nothing does. Says what was held; no row when
# nothing was any more. The caller has locked the session.
CARRY_OVER: Final = f"""
CREATE FUNCTION spotter_carry_over(
    p_org uuid, p_role text, p_old uuid, p_new uuid, p_spent bigint, p_spent_tokens bigint
) RETURNS TABLE (amount bigint, tokens bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
    held spend_reservations;
    rate bigint;
    credits bigint := 0;
BEGIN
    {SHARE_CAPS}
    {AS_SERVICE}
    SELECT r.* INTO held FROM spend_reservations r WHERE r.org_id = p_org AND r.id = p_old;
    IF NOT FOUND OR spotter_release(p_org, ARRAY[p_old]) = 0 THEN
        PERFORM set_config('spotter.role', p_role, true);
        RETURN;
    END IF;
    amount := greatest(held.amount - p_spent, 0);
    tokens := greatest(held.tokens - p_spent_tokens, 0);
    IF p_new IS NOT NULL THEN
        IF held.credits > 0 THEN
            SELECT b.credit_rate INTO rate FROM billing_accounts b WHERE b.org_id = p_org;
            credits := greatest(held.credits - spotter_in_credits(least(p_spent, held.amount), rate), 0);
        END IF;
        UPDATE spend_counters k SET
            reserved = k.reserved + CASE c.unit WHEN 'money' THEN amount ELSE tokens END
            FROM spend_caps c WHERE c.org_id = p_org AND c.id = k.cap_id
                AND k.org_id = p_org AND k.id = ANY (held.counters);
        INSERT INTO spend_reservations (org_id, id, amount, tokens, credits, counters, expires_at)
            VALUES (p_org, p_new, amount, tokens, credits, held.counters, held.expires_at);
        IF credits > 0 THEN
            INSERT INTO credit_entries (org_id, id, kind, amount, reference)
                VALUES (p_org, gen_random_uuid(), 'reserve', -credits, p_new::text);
        END IF;
    END IF;
    PERFORM set_config('spotter.role', p_role, true);
    RETURN NEXT;
END $$
"""

ALL: Final = (RESERVE, CARRY_OVER)
