-- The chain over the audit (ADR 59). An event's digest holds its personal fields (subject, address, browser, system,
-- about) only as a digest with a salt, so that a person can be taken out of the event and the chain still verifies.

-- The salt, 16 bytes. An erasure puts the digest of the personal fields (32 bytes) in its place, and so nobody can try
-- which address it was. NULL in events from before the chain.
ALTER TABLE audit_event ADD COLUMN blind bytea;
ALTER TABLE audit_event ALTER COLUMN blind SET DEFAULT uuid_send(gen_random_uuid());

-- A row binds the events after the row before up to `last_id`: those that came within some seconds. Rows stay when
-- their events are dropped. Only seal_audit writes them.
CREATE TABLE audit_link (
  number bigint PRIMARY KEY,
  last_id bigint NOT NULL,
  sealed_at timestamptz NOT NULL,
  -- A line for each month of `at` (UTC): the month, how many events, SHA-256 of the events' digests in the order of ids.
  content text NOT NULL,
  -- SHA-256 of the lines: the hash before (hex), number, last_id, sealed_at (microseconds), content.
  hash bytea NOT NULL
);

-- Nobody else writes events here: the new column locks their table.
INSERT INTO audit_link
  SELECT 0, CASE WHEN is_called THEN last_value ELSE last_value - 1 END, now(), '', sha256('')
  FROM audit_event_id_seq;

-- Adds a link, of at most 20,000 events, unless the last one is younger than `pause` or another session is at it.
-- `more`: events may be left.
CREATE FUNCTION seal_audit(pause interval) RETURNS TABLE (number bigint, hash text, more boolean)
LANGUAGE plpgsql SECURITY DEFINER SET timezone = 'UTC' SET lock_timeout = '1s' SET jit = off AS $$
DECLARE
  head audit_link;
  link audit_link;
  latest bigint;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtext('audit_link')) THEN RETURN; END IF;
  SELECT l.* INTO STRICT head FROM audit_link l ORDER BY l.number DESC LIMIT 1;
  IF head.sealed_at > clock_timestamp() - pause THEN RETURN; END IF;
  -- Ids are given when a row is written, and seen when it is committed. Under the lock, nobody is in between. The
  -- sequence is read, not the events: a false event with a huge id would shut out all that follow.
  LOCK TABLE ONLY audit_event IN SHARE MODE;
  SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END INTO latest FROM audit_event_id_seq;
  SELECT id INTO link.last_id FROM audit_event WHERE id > head.last_id AND id <= latest
    ORDER BY id OFFSET 19999 LIMIT 1;
  more := link.last_id IS NOT NULL;
  link.last_id := coalesce(link.last_id, latest);
  SELECT string_agg(concat_ws(' ', month, events, digest), E'\n' ORDER BY month) INTO link.content
  FROM (
    SELECT CASE WHEN isfinite(at) THEN to_char(at, 'YYYY-MM') ELSE 'never' END AS month, count(*) AS events, encode(sha256(string_agg(
        sha256(convert_to(json_build_array(id, event_id,
          CASE WHEN isfinite(at) THEN (extract(epoch FROM at) * 1000000)::bigint END, type, client_id,
          request_id, reason, actor)::text, 'UTF8') ||
          CASE WHEN octet_length(blind) = 16 THEN sha256(blind || convert_to(
            json_build_array(subject, address, browser, system, about)::text, 'UTF8'))
          ELSE coalesce(blind, '') END), '' ORDER BY id)), 'hex') AS digest
    FROM audit_event WHERE id > head.last_id AND id <= link.last_id GROUP BY 1
  ) AS of_month;
  IF link.content IS NULL THEN RETURN; END IF;
  link.number := head.number + 1;
  link.sealed_at := clock_timestamp();
  link.hash := sha256(convert_to(concat_ws(E'\n', encode(head.hash, 'hex'), link.number, link.last_id,
    (extract(epoch FROM link.sealed_at) * 1000000)::bigint, link.content), 'UTF8'));
  INSERT INTO audit_link SELECT link.*;
  number := link.number;
  hash := encode(link.hash, 'hex');
  RETURN NEXT;
END $$;

DO $$ BEGIN
  EXECUTE format('ALTER FUNCTION seal_audit(interval) SET search_path = %I, pg_temp', current_schema());
END $$;
-- contract: the function is new, and the former build does not call it.
REVOKE EXECUTE ON FUNCTION seal_audit(interval) FROM PUBLIC;
