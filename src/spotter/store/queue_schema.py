"""Procrastinate's tables, in a schema of their own, under our migrations.

The package ships its schema and numbered migration files. Which file was last applied is kept in
`queue.spotter_schema_level`, so that a newer package brings its tables along by itself.
"""

import logging
from pathlib import Path

import procrastinate.sql
import psycopg

log = logging.getLogger(__name__)

_FOLDER = Path(procrastinate.sql.__file__).parent

_OURS = """
CREATE TABLE spotter_schema_level (level text NOT NULL);

-- The effect of a job and its receipt commit together; a job that finds its receipt has nothing left to do.
CREATE TABLE spotter_receipts (
    job_id bigint PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT now()
);

CREATE FUNCTION spotter_defer(
    queue_name text, task_name text, priority integer, lock text, queueing_lock text, args jsonb,
    scheduled_at timestamptz
) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = queue, pg_temp AS $$
DECLARE
    org text := nullif(current_setting('spotter.org_id', true), '');
BEGIN
    -- Locks are the organisation's own: a clash must not tell one tenant what another one waits for.
    RETURN (procrastinate_defer_jobs_v1(ARRAY[ROW(
        queue_name, task_name, priority, coalesce(org, '') || '/' || lock,
        coalesce(org, '') || '/' || queueing_lock, args || jsonb_build_object('org_id', org), scheduled_at
    )::procrastinate_job_to_defer_v1]))[1];
EXCEPTION WHEN unique_violation THEN
    IF queueing_lock IS NULL THEN
        RAISE;
    END IF;
    -- A job with this queueing lock is already waiting: that one will do the work.
    RETURN NULL;
END
$$;

CREATE FUNCTION spotter_live_workers() RETURNS integer
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = queue, pg_temp AS $$
    SELECT count(*)::integer FROM procrastinate_workers WHERE last_heartbeat > now() - interval '1 minute'
$$;

CREATE FUNCTION spotter_leave_receipt(job bigint) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = queue, pg_temp AS $$
BEGIN
    -- A receipt keeps a job from having its effect, so nobody leaves one for another tenant's job.
    IF NOT EXISTS (
        SELECT FROM procrastinate_jobs j
        WHERE j.id = job
            AND j.args ->> 'org_id' IS NOT DISTINCT FROM nullif(current_setting('spotter.org_id', true), '')
    ) THEN
        RAISE EXCEPTION 'there is no job % here', job USING ERRCODE = 'insufficient_privilege';
    END IF;
    INSERT INTO spotter_receipts (job_id) VALUES (job) ON CONFLICT DO NOTHING;
    RETURN FOUND;
END
$$;
"""

_RIGHTS = """
GRANT USAGE ON SCHEMA queue TO spotter_runtime, spotter_job;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA queue FROM PUBLIC;
GRANT EXECUTE ON FUNCTION spotter_defer, spotter_leave_receipt, spotter_live_workers TO spotter_runtime;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA queue TO spotter_job;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA queue TO spotter_job;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA queue TO spotter_job;
"""


def newest_level() -> str:
    """What this installation's package needs. Levels are file names that sort by age."""
    return _levels()[-1]


def is_outdated(owner: psycopg.Connection) -> bool:
    """There is one, and an upgrade would change it."""
    level = _level(owner)
    return level is not None and level < newest_level()


def upgrade(owner: psycopg.Connection) -> None:
    level = _level(owner)
    if level is None:
        _create(owner)
    else:
        _bring_up(owner, level)


def _level(owner: psycopg.Connection) -> str | None:
    if owner.execute("SELECT to_regclass('queue.spotter_schema_level')").fetchone() == (None,):
        return None
    row = owner.execute("SELECT level FROM queue.spotter_schema_level").fetchone()
    assert row is not None
    return str(row[0])


def _bring_up(owner: psycopg.Connection, level: str) -> None:
    for name in (name for name in _levels() if name > level):
        log.info("upgrading the queue's schema", extra={"file": name})
        with owner.transaction():
            owner.execute("SET LOCAL search_path = queue, pg_temp")
            owner.execute((_FOLDER / "migrations" / name).read_bytes())
            owner.execute("UPDATE spotter_schema_level SET level = %s", (name,))
            owner.execute(_RIGHTS.encode())


def _create(owner: psycopg.Connection) -> None:
    with owner.transaction():
        owner.execute("CREATE SCHEMA IF NOT EXISTS queue")
        owner.execute("SET LOCAL search_path = queue, pg_temp")
        owner.execute((_FOLDER / "schema.sql").read_bytes())
        owner.execute(_OURS.encode())
        owner.execute("INSERT INTO spotter_schema_level VALUES (%s)", (newest_level(),))
        owner.execute(_RIGHTS.encode())


def _levels() -> list[str]:
    return sorted(path.name for path in (_FOLDER / "migrations").glob("*.sql"))
