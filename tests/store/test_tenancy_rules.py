"""Every table of a migrated database keeps the rules of tenancy, and each rule notices when it is broken."""

from collections.abc import Iterator
from typing import LiteralString

import psycopg
import pytest

from spotter.app import Ground
from spotter.store.embedded import EmbeddedPostgres
from tests.support.raw_sql import superuser_url
from tests.support.tenancy_rules import RULES, Catalogue, violations


@pytest.fixture
def catalogue(base: Ground, postgres: EmbeddedPostgres) -> Iterator[Catalogue]:
    """As superuser, in a transaction that is taken back: what a test breaks is whole again after it."""
    with psycopg.connect(superuser_url(base.urls.owner, postgres)) as connection:
        yield Catalogue(connection, (base.urls.runtime_login.name, base.urls.job_login.name))
        connection.rollback()


def test_every_table_keeps_the_rules(catalogue: Catalogue) -> None:
    assert violations(catalogue) == []


def test_the_walk_is_not_empty(catalogue: Catalogue) -> None:
    assert {"memberships", "refresh_tokens", "audit_log", "secrets"} <= set(catalogue.tenant_tables)
    assert {"installation", "users", "organisations"} <= set(catalogue.tables)


_NEW_TABLE: LiteralString = (
    "CREATE TABLE notes (org_id uuid NOT NULL, id uuid NOT NULL, PRIMARY KEY (org_id, id))"
)

MUTANTS: tuple[tuple[LiteralString, list[str]], ...] = (
    (
        "DROP POLICY secrets_org ON secrets",
        ["table secrets has no policy that compares org_id for reading and for writing"],
    ),
    (
        "ALTER POLICY secrets_org ON secrets WITH CHECK (true)",
        [
            "table secrets has no policy that compares org_id for reading and for writing",
            "table secrets: policy secrets_org lets in more than the organisation's rows",
        ],
    ),
    (
        "ALTER POLICY secrets_org ON secrets USING (org_id = current_setting('spotter.org_id')::uuid OR true)",
        [
            "table secrets has no policy that compares org_id for reading and for writing",
            "table secrets: policy secrets_org lets in more than the organisation's rows",
        ],
    ),
    (
        "CREATE POLICY extra ON secrets FOR SELECT TO spotter_runtime USING (true)",
        ["table secrets: policy extra lets in more than the organisation's rows"],
    ),
    (
        "CREATE POLICY extra ON secrets FOR SELECT USING (true)",
        ["table secrets: policy extra lets in more than the organisation's rows"],
    ),
    (
        "ALTER TABLE secrets NO FORCE ROW LEVEL SECURITY",
        ["table secrets does not force row-level security on its owner"],
    ),
    ("ALTER TABLE users DISABLE ROW LEVEL SECURITY", ["table users has no row-level security"]),
    (
        "DROP POLICY refresh_tokens_person ON refresh_tokens",
        ["table refresh_tokens has no restriction to the person for reading and for writing"],
    ),
    (
        "ALTER POLICY refresh_tokens_person ON refresh_tokens WITH CHECK (true)",
        ["table refresh_tokens has no restriction to the person for reading and for writing"],
    ),
    (
        "DROP POLICY api_keys_staff_all ON api_keys",
        [f"table api_keys does not keep {command} for staff" for command in ("SELECT", "UPDATE", "DELETE")],
    ),
    ("DROP POLICY audit_log_staff_select ON audit_log", ["table audit_log does not keep SELECT for staff"]),
    (
        "ALTER POLICY api_keys_staff_all ON api_keys WITH CHECK (true)",
        ["table api_keys: policy api_keys_staff_all does not check what is written"],
    ),
    (
        "CREATE POLICY extra ON users FOR SELECT TO spotter_runtime USING (disabled_at IS NULL)",
        ["account table users: policy extra does not ask who is calling"],
    ),
    (
        "DROP POLICY organisations_org ON organisations",
        ["account table organisations has no policy for the runtime"],
    ),
    (
        "GRANT SELECT (key_fingerprint) ON installation TO spotter_runtime",
        ["spotter_runtime has rights on the system table installation"],
    ),
    (
        _NEW_TABLE,
        [
            "table notes is not in spotter.schema.metadata, or says no Tenancy",
            "table notes has no row-level security",
            "table notes does not force row-level security on its owner",
            "table notes has no policy that compares org_id for reading and for writing",
        ],
    ),
    (
        "CREATE TABLE plain (id int)",
        [
            "table plain is not in spotter.schema.metadata, or says no Tenancy",
            "table plain has no row-level security",
            "table plain does not force row-level security on its owner",
        ],
    ),
    (
        "ALTER TABLE secrets ADD CONSTRAINT lone UNIQUE (id)",
        ["unique index lone does not start with org_id"],
    ),
    ("CREATE UNIQUE INDEX lone ON api_keys (key_hash)", ["unique index lone does not start with org_id"]),
    (
        "CREATE UNIQUE INDEX lone ON sign_in_links (org_id, token_hash)",
        ["unique index lone does not contain user_id"],
    ),
    (
        "CREATE UNIQUE INDEX lone ON sign_in_sessions (id, user_id);"
        " ALTER TABLE refresh_tokens ADD CONSTRAINT loose"
        " FOREIGN KEY (session_id, user_id) REFERENCES sign_in_sessions (id, user_id) NOT VALID",
        ["foreign key loose can leave the organisation", "unique index lone does not start with org_id"],
    ),
    (
        "CREATE UNIQUE INDEX lone ON sign_in_sessions (org_id, id);"
        " ALTER TABLE refresh_tokens ADD CONSTRAINT loose"
        " FOREIGN KEY (org_id, session_id) REFERENCES sign_in_sessions (org_id, id) NOT VALID",
        ["foreign key loose can leave the person", "unique index lone does not contain user_id"],
    ),
    (
        "ALTER TABLE api_keys ADD CONSTRAINT loose FOREIGN KEY (created_by) REFERENCES users (id) NOT VALID",
        ["foreign key loose lets the runtime ask which accounts exist"],
    ),
    (
        "GRANT UPDATE (email) ON users TO spotter_runtime",
        ["unique index uq_users_email lets the runtime ask which accounts exist"],
    ),
    ("CREATE VIEW peek AS SELECT * FROM secrets", ["view peek is not a security_invoker view"]),
    ("CREATE MATERIALIZED VIEW peek AS SELECT * FROM secrets", ["view peek is not a security_invoker view"]),
    (
        "GRANT TRUNCATE ON secrets TO spotter_runtime",
        ["spotter_runtime has TRUNCATE on secrets, which is more than rows"],
    ),
    (
        "GRANT TRIGGER ON secrets TO spotter_runtime",
        ["spotter_runtime has TRIGGER on secrets, which is more than rows"],
    ),
    (
        "GRANT REFERENCES (id) ON secrets TO spotter_runtime",
        ["spotter_runtime has REFERENCES on secrets, which is more than rows"],
    ),
    (
        "GRANT SELECT ON secrets TO PUBLIC",
        ["PUBLIC has SELECT on public.secrets"]
        + [f"spotter_job may read secrets.{column}" for column in ("name", "sealed")],
    ),
    (
        "GRANT SELECT ON queue.procrastinate_jobs TO spotter_runtime",
        ["spotter_runtime has SELECT on queue.procrastinate_jobs"],
    ),
    (
        "GRANT SELECT (sealed_answer) ON idempotent_answers TO spotter_job",
        ["spotter_job may read idempotent_answers.sealed_answer"],
    ),
    (
        "CREATE FUNCTION peek() RETURNS int LANGUAGE sql SECURITY DEFINER AS 'SELECT 1'",
        [
            "function public.peek lends rights outside of spotter_auth and queue",
            "function public.peek has no fixed search_path that ends in pg_temp",
            "function public.peek can be called by everybody",
        ],
    ),
    (
        "ALTER FUNCTION spotter_auth.find_login RESET search_path",
        ["function spotter_auth.find_login has no fixed search_path that ends in pg_temp"],
    ),
    (
        "GRANT EXECUTE ON FUNCTION spotter_auth.find_login TO PUBLIC",
        ["function spotter_auth.find_login can be called by everybody"],
    ),
    (
        "ALTER FUNCTION spotter_auth.find_login OWNER TO spotter_owner",
        ["function spotter_auth.find_login belongs to spotter_owner, not to spotter_auth"],
    ),
    (
        "CREATE OR REPLACE FUNCTION spotter_auth.find_organisation(wanted_slug text)"
        " RETURNS TABLE (org_id uuid, name text) LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp"
        " AS 'SELECT id, name FROM organisations WHERE slug = wanted_slug'",
        ["function spotter_auth.find_organisation neither refuses tenants nor asks which one is calling"],
    ),
    (
        "GRANT EXECUTE ON FUNCTION queue.procrastinate_retry_job_v2 TO spotter_runtime",
        ["spotter_runtime may call queue.procrastinate_retry_job_v2"],
    ),
    ("ALTER ROLE {login} BYPASSRLS", ["role {login} may go around row-level security"]),
    ("ALTER ROLE {login} CREATEROLE", ["role {login} may make roles, databases or replicas"]),
    ("GRANT CREATE ON SCHEMA public TO {login}", ["role {login} may create things in schema public"]),
    ("GRANT spotter_auth TO {login}", ["role {login} is a member of spotter_auth"]),
    ("ALTER FUNCTION refuse_change OWNER TO {login}", ["role {login} owns 1 objects"]),
    ("GRANT SELECT ON secrets TO {login}", ["{login} has SELECT on public.secrets"]),
)


@pytest.mark.parametrize(("mutation", "expected"), MUTANTS, ids=[mutant[0][:70] for mutant in MUTANTS])
def test_a_broken_rule_is_reported(
    catalogue: Catalogue, mutation: LiteralString, expected: list[str]
) -> None:
    login = catalogue.logins[0]
    catalogue.connection.execute(mutation.replace("{login}", f'"{login}"').encode())
    assert violations(catalogue) == [text.replace("{login}", login) for text in expected]


def test_a_superuser_as_login_is_reported(catalogue: Catalogue) -> None:
    catalogue.connection.execute(f'ALTER ROLE "{catalogue.logins[0]}" SUPERUSER'.encode())
    assert f"role {catalogue.logins[0]} may go around row-level security" in violations(catalogue)


def test_each_rule_has_a_mutant() -> None:
    """A rule that nobody saw fire may be one that cannot."""
    words = {
        "tables_are_declared": "is not in spotter.schema",
        "row_security_is_forced": "does not force",
        "organisations_are_kept_apart": "compares org_id",
        "people_are_kept_apart": "no restriction to the person",
        "staff_rows_are_hidden": "for staff",
        "accounts_are_kept_apart": "who is calling",
        "runtime_has_no_rights_on_system_tables": "system table",
        "references_stay_inside": "can leave the organisation",
        "keys_start_with_the_organisation": "does not start with org_id",
        "nothing_goes_around_the_policies": "security_invoker",
        "grants_are_plain": "more than rows",
        "lending_functions_are_few": "lends rights",
        "runtime_calls_only_what_is_meant": "may call",
        "roles_are_weak": "go around",
    }
    reported = " ".join(text for _, expected in MUTANTS for text in expected)
    assert {rule.__name__ for rule in RULES} == set(words)
    assert [name for name, text in words.items() if text not in reported] == []
