"""The rules of tenancy, read from a database's own catalogue. Each returns what breaks it, in words.

They trust nothing that the migrations say they did: a table, a right or a policy counts as PostgreSQL has it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, LiteralString

import psycopg

from spotter.schema import metadata
from spotter.store.tables import Tenancy

RUNTIME, JOB, AUTH = "spotter_runtime", "spotter_job", "spotter_auth"
TENANT = (Tenancy.ORGANISATION, Tenancy.PERSON, Tenancy.STAFF)
EXACTLY_ORG = "(org_id = (NULLIF(current_setting('spotter.org_id'::text, true), ''::text))::uuid)"
_USER = "(NULLIF(current_setting('spotter.user_id'::text, true), ''::text))::uuid"
_ROLE = "COALESCE(current_setting('spotter.role'::text, true), ''::text)"
IS_STAFF = f"({_ROLE} = ANY (ARRAY['owner'::text, 'admin'::text, 'staff'::text, 'service'::text]))"
OWN_OR_STAFF = f"((user_id = {_USER}) OR {IS_STAFF})"
RIGHTS = frozenset({"SELECT", "INSERT", "UPDATE", "DELETE"})
# A function with rights across organisations answers outside of any, or for the transaction's own.
GUARDS = ("PERFORM spotter_auth.refuse_inside_tenant()", "current_setting('spotter.org_id', true)")
# What the job login may find work by: ids, times, numbers. Never what somebody wrote.
PLAIN_TYPES = frozenset({"uuid", "timestamptz", "bool", "int2", "int4", "int8"})


@dataclass(frozen=True, slots=True)
class Policy:
    table: str
    name: str
    permissive: bool
    roles: tuple[str, ...]
    command: str
    using: str | None
    check: str | None

    def binds(self, role: str) -> bool:
        return role in self.roles or "public" in self.roles


@dataclass
class Catalogue:
    """A migrated database, seen by somebody who sees everything. `logins` are the ones Spotter serves with."""

    connection: psycopg.Connection[Any]
    logins: tuple[str, ...]

    def rows(self, query: LiteralString, *values: object) -> list[tuple[Any, ...]]:
        return self.connection.execute(query, values).fetchall()

    @cached_property
    def tables(self) -> dict[str, tuple[bool, bool]]:
        """Name → row security enabled, forced."""
        found = self.rows(
            "SELECT relname, relrowsecurity, relforcerowsecurity FROM pg_class"
            " WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND relname <> 'alembic_version'"
        )
        return {name: (enabled, forced) for name, enabled, forced in found}

    @cached_property
    def columns(self) -> dict[str, dict[str, str]]:
        """Table → column → type."""
        found: dict[str, dict[str, str]] = {table: {} for table in self.tables}
        for table, column, kind in self.rows(
            "SELECT c.relname, a.attname, t.typname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid"
            " JOIN pg_type t ON t.oid = a.atttypid WHERE c.relnamespace = 'public'::regnamespace"
            " AND c.relname = ANY (%s) AND a.attnum > 0 AND NOT a.attisdropped",
            list(self.tables),
        ):
            found[table][column] = kind
        return found

    def tenancy(self, table: str) -> Tenancy | None:
        declared = metadata.tables.get(table)
        return None if declared is None else declared.info.get("tenancy")

    @cached_property
    def tenant_tables(self) -> list[str]:
        """Whatever has an organisation, however it is declared."""
        return [name for name in self.tables if "org_id" in self.columns[name]]

    @cached_property
    def _policies(self) -> list[Policy]:
        found = self.rows(
            "SELECT tablename, policyname, permissive = 'PERMISSIVE', roles::text[], cmd, qual, with_check"
            " FROM pg_policies WHERE schemaname = 'public' ORDER BY policyname"
        )
        return [Policy(row[0], row[1], row[2], tuple(row[3]), *row[4:]) for row in found]

    def policies(self, table: str) -> list[Policy]:
        return [policy for policy in self._policies if policy.table == table]

    @cached_property
    def _column_rights(self) -> set[tuple[str, str, str, str]]:
        found = self.rows(
            "SELECT r.rolname, c.relname, a.attname, p.priv FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid,"
            " pg_roles r, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE']) p(priv)"
            " WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND r.rolname = ANY (%s)"
            " AND a.attnum > 0 AND NOT a.attisdropped AND has_column_privilege(r.oid, c.oid, a.attnum, p.priv)",
            [RUNTIME, JOB],
        )
        return {(role, table, column, right) for role, table, column, right in found}

    def may(self, role: str, table: str, column: str, *rights: str) -> bool:
        return any((role, table, column, right) in self._column_rights for right in rights)


def tables_are_declared(db: Catalogue) -> Iterator[str]:
    for table in db.tables:
        tenancy = db.tenancy(table)
        if tenancy is None:
            yield f"table {table} is not in spotter.schema.metadata, or says no Tenancy"
        elif (tenancy in TENANT) != ("org_id" in db.columns[table]):
            yield f"table {table} is declared {tenancy}, which does not fit its columns"
        elif tenancy is Tenancy.PERSON and "user_id" not in db.columns[table]:
            yield f"table {table} holds rows of a person but has no user_id"
    for table in metadata.tables:
        if table not in db.tables:
            yield f"table {table} is declared but does not exist"


def row_security_is_forced(db: Catalogue) -> Iterator[str]:
    for table, (enabled, forced) in db.tables.items():
        if db.tenancy(table) is Tenancy.SYSTEM:
            continue
        if not enabled:
            yield f"table {table} has no row-level security"
        if not forced:
            yield f"table {table} does not force row-level security on its owner"


def organisations_are_kept_apart(db: Catalogue) -> Iterator[str]:
    for table in db.tenant_tables:
        for_runtime = [policy for policy in db.policies(table) if policy.permissive and policy.binds(RUNTIME)]
        whole = [p for p in for_runtime if p.command == "ALL" and p.using == p.check == EXACTLY_ORG]
        if not whole:
            yield f"table {table} has no policy that compares org_id for reading and for writing"
        for policy in for_runtime:
            if policy not in whole:
                yield f"table {table}: policy {policy.name} lets in more than the organisation's rows"


def people_are_kept_apart(db: Catalogue) -> Iterator[str]:
    for table in db.tenant_tables:
        if db.tenancy(table) is not Tenancy.PERSON:
            continue
        if not any(
            policy.binds(RUNTIME) and not policy.permissive and policy.command == "ALL"
            and policy.using == policy.check == OWN_OR_STAFF
            for policy in db.policies(table)
        ):  # fmt: skip
            yield f"table {table} has no restriction to the person for reading and for writing"


def staff_rows_are_hidden(db: Catalogue) -> Iterator[str]:
    for table in db.tenant_tables:
        if db.tenancy(table) is not Tenancy.STAFF:
            continue
        strict = [
            p for p in db.policies(table) if p.binds(RUNTIME) and not p.permissive and p.using == IS_STAFF
        ]
        covered = {policy.command for policy in strict}
        for command in ("SELECT", "UPDATE", "DELETE"):
            if not covered & {command, "ALL"}:
                yield f"table {table} does not keep {command} for staff"
        for policy in strict:
            if policy.command in ("UPDATE", "ALL") and policy.check != IS_STAFF:
                yield f"table {table}: policy {policy.name} does not check what is written"


def accounts_are_kept_apart(db: Catalogue) -> Iterator[str]:
    for table in db.tables:
        if db.tenancy(table) is not Tenancy.ACCOUNT:
            continue
        for_runtime = [policy for policy in db.policies(table) if policy.permissive and policy.binds(RUNTIME)]
        if not for_runtime:
            yield f"account table {table} has no policy for the runtime"
        for policy in for_runtime:
            for clause in (policy.using, policy.check):
                if clause is not None and not _names_the_caller(clause):
                    yield f"account table {table}: policy {policy.name} does not ask who is calling"
            if policy.command in ("ALL", "UPDATE", "INSERT") and policy.check is None:
                yield f"account table {table}: policy {policy.name} does not check what is written"


def _names_the_caller(clause: str) -> bool:
    return f"= {_USER}" in clause or "= (NULLIF(current_setting('spotter.org_id'::text, true)" in clause


def runtime_has_no_rights_on_system_tables(db: Catalogue) -> Iterator[str]:
    for table in db.tables:
        if db.tenancy(table) is Tenancy.SYSTEM:
            for role in (RUNTIME, JOB):
                if any(db.may(role, table, c, "SELECT", "INSERT", "UPDATE") for c in db.columns[table]):
                    yield f"{role} has rights on the system table {table}"


def references_stay_inside(db: Catalogue) -> Iterator[str]:
    found = db.rows(
        "SELECT c.conname, f.relname, t.relname,"
        " (SELECT array_agg(a.attname::text ORDER BY k.n) FROM unnest(c.conkey) WITH ORDINALITY k(num, n)"
        "   JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.num),"
        " (SELECT array_agg(a.attname::text ORDER BY k.n) FROM unnest(c.confkey) WITH ORDINALITY k(num, n)"
        "   JOIN pg_attribute a ON a.attrelid = c.confrelid AND a.attnum = k.num)"
        " FROM pg_constraint c JOIN pg_class f ON f.oid = c.conrelid JOIN pg_class t ON t.oid = c.confrelid"
        " WHERE c.contype = 'f' AND c.connamespace = 'public'::regnamespace ORDER BY 1"
    )
    tenant = set(db.tenant_tables)
    for name, source, target, here, there in found:
        pairs = set(zip(here, there, strict=True))
        if source in tenant and target in tenant:
            if ("org_id", "org_id") not in pairs:
                yield f"foreign key {name} can leave the organisation"
            both_personal = db.tenancy(source) is db.tenancy(target) is Tenancy.PERSON
            if both_personal and ("user_id", "user_id") not in pairs:
                yield f"foreign key {name} can leave the person"
        elif here != ["org_id"]:
            yield from _reaching_an_account(db, name, source, here)


def _reaching_an_account(db: Catalogue, name: str, source: str, columns: list[str]) -> Iterator[str]:
    """A reference to rows across organisations tells whether they exist, to whoever may write it freely."""
    pinned = any(
        policy.binds(RUNTIME) and policy.check == f"({columns[0]} = {_USER})"
        for policy in db.policies(source)
    )
    writable = any(db.may(RUNTIME, source, column, "INSERT", "UPDATE") for column in columns)
    if writable and not pinned:
        yield f"foreign key {name} lets the runtime ask which accounts exist"


def keys_start_with_the_organisation(db: Catalogue) -> Iterator[str]:
    """An index that refuses duplicates across tenants tells one of them what another one has."""
    found = db.rows(
        "SELECT t.relname, x.relname, array("
        "  SELECT a.attname::text FROM unnest(i.indkey::int[]) WITH ORDINALITY k(num, n)"
        "   JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.num"
        "   WHERE k.n <= i.indnkeyatts ORDER BY k.n)"
        " FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid JOIN pg_class x ON x.oid = i.indexrelid"
        " WHERE (i.indisunique OR i.indisexclusion) AND t.relnamespace = 'public'::regnamespace ORDER BY 2"
    )
    tenant = set(db.tenant_tables)
    for table, index, columns in found:
        tenancy = db.tenancy(table)
        if table in tenant:
            if columns[:1] != ["org_id"]:
                yield f"unique index {index} does not start with org_id"
            if tenancy is Tenancy.PERSON and "user_id" not in columns:
                yield f"unique index {index} does not contain user_id"
        elif tenancy is Tenancy.ACCOUNT:
            pinned = {policy.check for policy in db.policies(table) if policy.binds(RUNTIME)}
            if [f"({column} = {_USER})" in pinned for column in columns] == [True]:
                continue
            if any(db.may(RUNTIME, table, c, "INSERT", "UPDATE") for c in columns):
                yield f"unique index {index} lets the runtime ask which accounts exist"


def nothing_goes_around_the_policies(db: Catalogue) -> Iterator[str]:
    """Views run as their owner unless told otherwise; the contents of a materialised one have no policies."""
    found = db.rows(
        "SELECT relname, relkind::text, coalesce('security_invoker=true' = ANY (reloptions), false) FROM pg_class"
        " WHERE relnamespace = 'public'::regnamespace AND relkind IN ('v', 'm', 'f') ORDER BY 1"
    )
    for name, kind, invoker in found:
        if kind != "v" or not invoker:
            yield f"view {name} is not a security_invoker view"


def grants_are_plain(db: Catalogue) -> Iterator[str]:
    found = db.rows(
        "SELECT DISTINCT c.relname, coalesce(r.rolname, 'PUBLIC'), x.privilege_type,"
        "   c.relnamespace::regnamespace::text, x.is_grantable"
        " FROM pg_class c LEFT JOIN pg_attribute a ON a.attrelid = c.oid,"
        " LATERAL (SELECT * FROM aclexplode(c.relacl) UNION ALL SELECT * FROM aclexplode(a.attacl)) x"
        " LEFT JOIN pg_roles r ON r.oid = x.grantee"
        " WHERE c.relnamespace IN ('public'::regnamespace, 'queue'::regnamespace, 'spotter_auth'::regnamespace)"
        " AND c.relkind <> 'S' AND x.grantee <> c.relowner ORDER BY 1, 2, 3"
    )
    for table, role, right, schema, grantable in found:
        if role == "PUBLIC" or role in db.logins or (schema == "queue" and role != JOB):
            yield f"{role} has {right} on {schema}.{table}"
        elif right not in RIGHTS or grantable:
            yield f"{role} has {right} on {table}, which is more than rows"
    for table in db.tables:
        for column, kind in db.columns[table].items():
            if kind not in PLAIN_TYPES and db.may(JOB, table, column, "SELECT"):
                yield f"{JOB} may read {table}.{column}"


def lending_functions_are_few(db: Catalogue) -> Iterator[str]:
    """SECURITY DEFINER lends its owner's rights to the caller."""
    found = db.rows(
        "SELECT p.proname, n.nspname, pg_get_userbyid(p.proowner), pg_get_userbyid(d.datdba), p.proconfig, p.prosrc,"
        " p.proacl IS NULL OR EXISTS (SELECT FROM aclexplode(p.proacl) x WHERE x.grantee = 0)"
        " FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace, pg_database d"
        " WHERE p.prosecdef AND n.nspname <> 'pg_catalog' AND d.datname = current_database() ORDER BY 1"
    )
    for name, schema, owner, database_owner, config, source, public in found:
        expected = {"spotter_auth": AUTH, "queue": database_owner}.get(schema)
        if expected is None:
            yield f"function {schema}.{name} lends rights outside of spotter_auth and queue"
        elif owner != expected:
            yield f"function {schema}.{name} belongs to {owner}, not to {expected}"
        path = next((c.partition("=")[2] for c in config or () if c.startswith("search_path=")), "")
        if not path.endswith("pg_temp"):
            yield f"function {schema}.{name} has no fixed search_path that ends in pg_temp"
        if public:
            yield f"function {schema}.{name} can be called by everybody"
        if schema == "spotter_auth" and not any(guard in source for guard in GUARDS):
            yield f"function {schema}.{name} neither refuses tenants nor asks which one is calling"


def runtime_calls_only_what_is_meant(db: Catalogue) -> Iterator[str]:
    found = db.rows(
        "SELECT r.rolname, p.proname FROM pg_proc p, pg_roles r WHERE p.pronamespace = 'queue'::regnamespace"
        " AND r.rolname = ANY (%s) AND NOT p.prosecdef AND p.prorettype <> 'trigger'::regtype"
        " AND has_function_privilege(r.oid, p.oid, 'EXECUTE') ORDER BY 1, 2",
        [RUNTIME],
    )
    for role, name in found:
        yield f"{role} may call queue.{name}"


def roles_are_weak(db: Catalogue) -> Iterator[str]:
    roles = [RUNTIME, JOB, *db.logins]
    for name, powerful, makes in db.rows(
        "SELECT rolname, rolsuper OR rolbypassrls, rolcreaterole OR rolcreatedb OR rolreplication FROM pg_roles"
        " WHERE rolname = ANY (%s) ORDER BY 1",
        [*roles, AUTH],
    ):
        if powerful:
            yield f"role {name} may go around row-level security"
        if makes:
            yield f"role {name} may make roles, databases or replicas"
    for role, count in db.rows(
        "SELECT r.rolname, count(*) FROM pg_shdepend d JOIN pg_roles r ON r.oid = d.refobjid"
        " WHERE d.deptype = 'o' AND r.rolname = ANY (%s) GROUP BY 1",
        roles,
    ):
        yield f"role {role} owns {count} objects"
    for role, schema in db.rows(
        "SELECT r.rolname, n.nspname FROM pg_namespace n, pg_roles r WHERE r.rolname = ANY (%s)"
        " AND n.nspname !~ '^pg_' AND has_schema_privilege(r.oid, n.oid, 'CREATE') ORDER BY 1, 2",
        roles,
    ):
        yield f"role {role} may create things in schema {schema}"
    for role, group in db.rows(
        "SELECT m.rolname, g.rolname FROM pg_auth_members a JOIN pg_roles m ON m.oid = a.member"
        " JOIN pg_roles g ON g.oid = a.roleid WHERE m.rolname = ANY (%s) ORDER BY 1, 2",
        roles,
    ):
        if role not in db.logins or group not in (RUNTIME, JOB):
            yield f"role {role} is a member of {group}"


Rule = Callable[[Catalogue], Iterator[str]]
RULES: tuple[Rule, ...] = (
    tables_are_declared,
    row_security_is_forced,
    organisations_are_kept_apart,
    people_are_kept_apart,
    staff_rows_are_hidden,
    accounts_are_kept_apart,
    runtime_has_no_rights_on_system_tables,
    references_stay_inside,
    keys_start_with_the_organisation,
    nothing_goes_around_the_policies,
    grants_are_plain,
    lending_functions_are_few,
    runtime_calls_only_what_is_meant,
    roles_are_weak,
)


def violations(db: Catalogue) -> list[str]:
    return [found for rule in RULES for found in rule(db)]
