"""Who sees a project, and who has a part in what it holds. Asked by policies, so they look at memberships with
rights of their own: a policy that asked a table which asks the policy again would never end.

Both answer only about the organisation and the person the transaction is for.
"""

from typing import Final

_BODY: Final = """
CREATE FUNCTION spotter_auth.{name}(p_project uuid) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT coalesce(current_setting('spotter.role', true), '') IN ('owner', 'admin', 'service')
    OR EXISTS (
        SELECT 1 FROM projects p
        WHERE p.org_id = nullif(current_setting('spotter.org_id', true), '')::uuid AND p.id = p_project
            AND p.is_default{staff_only}
    ) OR EXISTS (
        SELECT 1 FROM project_members m
        WHERE m.org_id = nullif(current_setting('spotter.org_id', true), '')::uuid AND m.project_id = p_project
            AND m.user_id = nullif(current_setting('spotter.user_id', true), '')::uuid
    )
$$
"""

SEES_PROJECT: Final = _BODY.format(name="sees_project", staff_only="")

# In the default project, where every member of a gym is, members have only what is their own.
SHARES_PROJECT: Final = _BODY.format(
    name="shares_project", staff_only=" AND current_setting('spotter.role', true) = 'staff'"
)

ALL: Final = (SEES_PROJECT, SHARES_PROJECT)
