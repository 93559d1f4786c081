"""The SQL of warnings: who is told that a budget runs low, in the log of what they are just doing.

A person is told of budgets of their own. What the organisation or an agent spends is staff's to know: whoever of them
is next to spend something is told, once in each period.
"""

from typing import Final

_AMOUNT: Final = (
    "CASE told.unit WHEN 'money' THEN '$' || trim_scale({0} / 1000000.0) ELSE {0} || ' tokens' END"
)

# The contents of notices, one for each budget, spelled as `sessions/codec.py` does: `spotter verify` compares the
# bytes. The caller has locked the counters.
WARNINGS: Final = f"""
CREATE FUNCTION spotter_warnings(p_org uuid, p_owner uuid, p_counters uuid[]) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    staff boolean;
    found text[];
BEGIN
    staff := EXISTS (
        SELECT 1 FROM memberships m WHERE m.org_id = p_org AND m.user_id = p_owner AND m.removed_at IS NULL
            AND m.role IN ('owner', 'admin', 'staff')
    );
    WITH told AS (
        UPDATE spend_counters k SET told_at = now() FROM spend_caps c
            WHERE c.org_id = p_org AND c.id = k.cap_id AND k.org_id = p_org AND k.id = ANY (p_counters)
                AND k.told_at IS NULL AND k.spent >= c.soft AND (
                    c.scope IN ('user', 'session', 'run') OR (staff AND c.scope IN ('organisation', 'agent'))
                )
            RETURNING c.scope, c.period, c.unit, c.soft, c.hard, k.spent
    ) SELECT array_agg(format('{{"code":"budget","text":%s}}', to_json(format('%s %s %s',
        CASE told.scope WHEN 'organisation' THEN 'Your organisation''s' WHEN 'user' THEN 'Your'
            WHEN 'session' THEN 'This session''s' WHEN 'run' THEN 'This run''s' ELSE 'This agent''s' END,
        CASE told.period WHEN 'day' THEN 'budget for today' WHEN 'month' THEN 'budget for this month' ELSE 'budget' END,
        CASE WHEN told.hard IS NULL
            THEN format('has come to %s; a warning was wanted at %s.',
                {_AMOUNT.format("told.spent")}, {_AMOUNT.format("told.soft")})
            ELSE format('runs low: %s of %s is used.',
                {_AMOUNT.format("told.spent")}, {_AMOUNT.format("told.hard")}) END
    )))) INTO found FROM told;
    RETURN coalesce(found, '{{}}');
END $$
"""
