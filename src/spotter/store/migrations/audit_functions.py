"""The SQL of the audit log: what is recorded with the events of a session, and how entries are sealed into a chain.

An entry is sealed after it was committed, not as it is written: writers of one organisation would otherwise queue for
the end of the chain. Numbers are therefore given in the order of sealing, which is the order of committing but for
entries that came within the same few seconds.
"""

from typing import Final

# What is hashed. Text that anybody can hash again, whatever their time zone. It may gain a version, never change one.
CONTENT: Final = """
CREATE FUNCTION spotter_audit_content(e audit_log) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT jsonb_build_object(
        'v', 1, 'number', e.chain_number, 'organisation', e.org_id, 'id', e.id,
        'at', to_char(e.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
        'sealed_at', to_char(e.sealed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
        'actor_kind', e.actor_kind, 'actor_id', e.actor_id, 'action', e.action, 'target', e.target,
        'ip_digest', encode(e.ip_digest, 'hex'), 'correlation_id', e.correlation_id, 'detail', e.detail
    )::text
$$
"""

# One sealer of an organisation at a time; another one leaves it the work, or waits when told to. The address is bound
# by a salted digest, so that it can be forgotten without breaking the chain.
SEAL: Final = """
CREATE FUNCTION spotter_auth.seal_audit(p_most integer, p_wait boolean) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    org uuid := nullif(current_setting('spotter.org_id', true), '')::uuid;
    head audit_heads%ROWTYPE;
    entry audit_log%ROWTYPE;
    sealed integer := 0;
BEGIN
    IF p_wait THEN
        PERFORM pg_advisory_xact_lock(7271, hashtext(org::text));
    ELSIF NOT pg_try_advisory_xact_lock(7271, hashtext(org::text)) THEN
        RETURN 0;
    END IF;
    SELECT * INTO head FROM audit_heads h WHERE h.org_id = org;
    IF NOT FOUND THEN
        head.number := 0;
        head.hash := ''::bytea;
    END IF;
    FOR entry IN SELECT * FROM audit_log a WHERE a.org_id = org AND a.chain_number IS NULL
        ORDER BY a.at, a.id LIMIT p_most
    LOOP
        head.number := head.number + 1;
        head.sealed_at := greatest(head.sealed_at, clock_timestamp());
        entry.chain_number := head.number;
        entry.sealed_at := head.sealed_at;
        IF entry.ip IS NOT NULL THEN
            entry.ip_salt := gen_random_uuid();
            entry.ip_digest := sha256(uuid_send(entry.ip_salt) || convert_to(entry.ip, 'UTF8'));
        END IF;
        head.hash := sha256(head.hash || convert_to(spotter_audit_content(entry), 'UTF8'));
        UPDATE audit_log a SET chain_number = entry.chain_number, hash = head.hash, sealed_at = entry.sealed_at,
            ip_salt = entry.ip_salt, ip_digest = entry.ip_digest
            WHERE a.org_id = org AND a.id = entry.id;
        sealed := sealed + 1;
    END LOOP;
    IF sealed > 0 THEN
        INSERT INTO audit_heads (org_id, number, hash, sealed_at)
            VALUES (org, head.number, head.hash, head.sealed_at)
            ON CONFLICT (org_id) DO UPDATE
                SET number = excluded.number, hash = excluded.hash, sealed_at = excluded.sealed_at;
    END IF;
    RETURN sealed;
END $$
"""

# The only thing about an entry that is a person's and is not needed to say what happened.
FORGET: Final = """
CREATE FUNCTION spotter_auth.forget_addresses(p_person uuid) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    org uuid := nullif(current_setting('spotter.org_id', true), '')::uuid;
    forgotten integer;
BEGIN
    UPDATE audit_log a SET ip = NULL, ip_salt = NULL
        WHERE a.org_id = org AND a.ip IS NOT NULL AND (a.actor_id = p_person OR a.target = p_person::text);
    GET DIAGNOSTICS forgotten = ROW_COUNT;
    RETURN forgotten;
END $$
"""

# As in session_functions, and: calls, approvals and limits go into the audit log with the event that tells of them.
# Nearly always it is one event, which is one statement.
INSERT_EVENTS: Final = """
CREATE OR REPLACE FUNCTION spotter_insert_events(
    p_org uuid, p_session uuid, p_owner uuid, p_after integer, p_types text[], p_contents text[]
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    done boolean;
    hashes bytea[];
    chained bytea;
BEGIN
    IF cardinality(p_types) = 1 THEN
        INSERT INTO agent_events (org_id, session_id, sequence_number, user_id, event_type, content, hash) VALUES (
            p_org, p_session, p_after + 1, p_owner, p_types[1], p_contents[1]::json,
            sha256(coalesce((
                SELECT e.hash FROM agent_events e
                WHERE e.org_id = p_org AND e.session_id = p_session AND e.sequence_number = p_after
            ), ''::bytea) || convert_to(p_types[1] || chr(10) || p_contents[1], 'UTF8'))
        );
    ELSE
        SELECT e.hash INTO chained FROM agent_events e
            WHERE e.org_id = p_org AND e.session_id = p_session AND e.sequence_number = p_after;
        FOR i IN 1 .. cardinality(p_types) LOOP
            chained := sha256(
                coalesce(chained, ''::bytea) || convert_to(p_types[i] || chr(10) || p_contents[i], 'UTF8')
            );
            hashes := hashes || chained;
        END LOOP;
        INSERT INTO agent_events (org_id, session_id, sequence_number, user_id, event_type, content, hash)
            SELECT p_org, p_session, p_after + t.n, p_owner, t.kind, t.content::json, t.hash
            FROM unnest(p_types, p_contents, hashes) WITH ORDINALITY AS t(kind, content, hash, n);
    END IF;
    IF p_types && ARRAY['result', 'approval_requested', 'approval_decided', 'turn_ended'] THEN
        done := spotter_audit_events(p_org, p_session, p_owner, p_after, p_types, p_contents) IS NULL;
    END IF;
END $$
"""

_LETTERS: Final = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _unless_a_name(variable: str) -> str:
    """A name that a model made up may be any text, also a person's: only what looks like one is recorded. (A regular
    expression would take longer than all the rest.)"""
    return f"""
        IF length({variable}) > 100 OR translate({variable}, '{_LETTERS}0123456789_.:-', '') <> ''
            OR translate(left({variable}, 1), '{_LETTERS}', '') <> '' THEN
            {variable} := '?';
        END IF;
    """


# Without what was said or given: that stays in the session. What a fork or an import brought along did not happen here.
# Each step is a plain expression on purpose: functions of our own, or one big join, cost several times as much.
AUDIT_EVENTS: Final = f"""
CREATE FUNCTION spotter_audit_events(
    p_org uuid, p_session uuid, p_owner uuid, p_after integer, p_types text[], p_contents text[]
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    agent text;
    copied integer;
    kind text;
    said json;
    named text;
    call text;
    moment timestamptz;
    id bytea;
    deed text;
    kind_of_actor text;
    actor uuid;
    detail jsonb;
    address text;
    correlation text;
BEGIN
    SELECT s.agent, coalesce(s.forked_at, 0) INTO agent, copied FROM agent_sessions s
        WHERE s.org_id = p_org AND s.id = p_session AND s.user_id = p_owner;
    FOR i IN greatest(1, copied - p_after + 1) .. cardinality(p_types) LOOP
        kind := p_types[i];
        CONTINUE WHEN kind NOT IN ('result', 'approval_requested', 'approval_decided', 'turn_ended');
        said := p_contents[i]::json;
        -- An empty budget is recorded where it is refused, with what was left of it.
        CONTINUE WHEN kind = 'turn_ended' AND (said ->> 'ends' <> 'limit' OR said ->> 'limit' = 'budget');
        named := said ->> CASE kind WHEN 'turn_ended' THEN 'limit' ELSE 'tool' END;
        {_unless_a_name("named")}
        call := said ->> 'call_id';
        {_unless_a_name("call")}
        detail := jsonb_build_object('session_id', p_session, 'sequence', p_after + i, 'agent', agent);
        kind_of_actor := 'agent';
        actor := p_owner;
        address := NULL;
        correlation := NULL;
        IF kind = 'result' THEN
            deed := 'tool.called';
            detail := detail || jsonb_build_object(
                'call_id', call, 'outcome', coalesce(said ->> 'outcome', 'ok'),
                'ms', coalesce((said ->> 'ms')::integer, 0));
        ELSIF kind = 'turn_ended' THEN
            deed := 'limit.hit';
        ELSIF kind = 'approval_requested' THEN
            deed := 'approval.requested';
            detail := detail || jsonb_build_object('call_id', call, 'approval_id', said ->> 'approval_id');
        ELSE
            deed := 'approval.decided';
            named := said ->> 'approval_id';
            detail := detail || jsonb_build_object(
                'call_id', call, 'approval_id', named,
                'outcome', CASE WHEN (said ->> 'approved')::boolean THEN 'approved' ELSE 'denied' END);
            IF said ->> 'by' IS NOT NULL THEN
                kind_of_actor := CASE WHEN (said ->> 'by_key')::boolean THEN 'api_key' ELSE 'user' END;
                actor := (said ->> 'by')::uuid;
                -- Whoever decides says from where, for this transaction: see `audit.whereabouts`.
                address := nullif(current_setting('spotter.client_address', true), '');
                correlation := nullif(current_setting('spotter.correlation_id', true), '');
            END IF;
        END IF;
        -- An id of version 7, as ours are: the time, a counter within the batch, chance.
        moment := clock_timestamp();
        id := overlay(uuid_send(gen_random_uuid())
            PLACING substring(int8send((extract(epoch FROM moment) * 1000)::bigint) FROM 3)
            || int2send((28672 + i % 4096)::smallint) FROM 1);
        INSERT INTO audit_log (org_id, id, at, actor_kind, actor_id, action, target, ip, correlation_id, detail)
            VALUES (p_org, encode(id, 'hex')::uuid, moment, kind_of_actor,
                nullif(actor, '00000000-0000-0000-0000-000000000000'), deed, coalesce(named, '?'),
                address, correlation, detail);
    END LOOP;
END $$
"""

EVENTS: Final = (AUDIT_EVENTS, INSERT_EVENTS)

# What agents did, as the log of it that is asked for by that name. Nothing is stored twice.
ACTIVITY: Final = """
CREATE VIEW ai_agent_activity_log WITH (security_invoker = true) AS
    SELECT a.org_id, a.id, a.at, a.actor_id AS user_id, a.detail ->> 'agent' AS agent, a.action,
        CASE WHEN a.action IN ('tool.called', 'approval.requested') THEN a.target END AS tool,
        a.detail ->> 'outcome' AS outcome, (a.detail ->> 'ms')::integer AS ms,
        (a.detail ->> 'session_id')::uuid AS session_id, (a.detail ->> 'sequence')::integer AS sequence,
        a.detail ->> 'call_id' AS call_id
    FROM audit_log a WHERE a.action IN ('tool.called', 'approval.requested', 'approval.decided', 'limit.hit', 'cap.hit')
"""
