-- contract: 0.4.0 writes with ON CONFLICT DO NOTHING, which names no index, and reads by the table's name
-- lock: nothing is copied or read; the table is renamed, and becomes a partition of the new one
DO $$
DECLARE
  boundary record;
  next_id bigint;
  permission record;
BEGIN
  LOCK TABLE audit_event IN ACCESS EXCLUSIVE MODE;
  SELECT conname AS name, substring(pg_get_constraintdef(oid) FROM '''(.+)''') AS at
    INTO STRICT boundary
  FROM pg_constraint
  WHERE conrelid = 'audit_event'::regclass AND conname ~ '^audit_event_before_\d{4}_\d\d$';
  next_id := nextval(pg_get_serial_sequence('audit_event', 'id')::regclass);
  ALTER TABLE audit_event ALTER id DROP IDENTITY;
  EXECUTE format('ALTER TABLE audit_event RENAME TO %I', boundary.name);
  ALTER INDEX audit_event_pkey RENAME TO audit_event_before_pkey;
  ALTER INDEX audit_event_subject RENAME TO audit_event_before_subject;
  ALTER INDEX audit_event_once RENAME TO audit_event_before_once;

  -- It has no unique index of its own: that would need the time in it. Each partition has those of
  -- audit_event_other: the id, and the event's own id, because an event that is written again has
  -- the same time.
  EXECUTE format('CREATE TABLE audit_event (LIKE %I) PARTITION BY RANGE (at)', boundary.name);
  ALTER TABLE audit_event ALTER id ADD GENERATED ALWAYS AS IDENTITY;
  EXECUTE format('ALTER TABLE audit_event ALTER id RESTART WITH %s', next_id);
  CREATE INDEX audit_event_subject ON audit_event (subject, id);
  EXECUTE format('ALTER TABLE audit_event ATTACH PARTITION %I FOR VALUES FROM (MINVALUE) TO (%L)',
    boundary.name, boundary.at);
  EXECUTE format('ALTER TABLE %I DROP CONSTRAINT %I', boundary.name, boundary.name);
  ALTER TABLE audit_event ATTACH PARTITION audit_event_other DEFAULT;

  -- Who was let read the table reads it still.
  FOR permission IN
    SELECT acl.privilege_type AS name,
      CASE acl.grantee WHEN 0 THEN 'PUBLIC' ELSE acl.grantee::regrole::text END AS grantee
    FROM pg_class, aclexplode(relacl) acl
    WHERE pg_class.oid = boundary.name::regclass AND acl.grantee <> relowner
  LOOP
    EXECUTE format('GRANT %s ON audit_event TO %s', permission.name, permission.grantee);
  END LOOP;
END $$;

-- Names of events that a request which is sent again records again, perhaps in the next month.
CREATE TABLE audit_event_name (
  event_id uuid PRIMARY KEY,
  at timestamptz NOT NULL
);
CREATE FUNCTION audit_event_once() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audit_event_name (event_id, at) VALUES (NEW.event_id, NEW.at) ON CONFLICT DO NOTHING;
  RETURN CASE WHEN FOUND THEN NEW END;
END $$;
-- An id that is made of a name has version 8 (RFC 9562); others are random, and have version 4.
CREATE TRIGGER once BEFORE INSERT ON audit_event
  FOR EACH ROW WHEN (substr(NEW.event_id::text, 15, 1) = '8') EXECUTE FUNCTION audit_event_once();

-- The partitions: a month, what came before months, and (without a start and an end) all other times.
CREATE VIEW audit_month AS
  SELECT relname::text AS name,
    substring(bound FROM 'FROM \(''([^'']+)''\)')::timestamptz AS starts,
    substring(bound FROM 'TO \(''([^'']+)''\)')::timestamptz AS ends,
    pg_total_relation_size(oid) AS bytes,
    greatest(reltuples, 0)::bigint AS about_rows
  FROM (
    SELECT c.oid, relname, reltuples, pg_get_expr(relpartbound, c.oid) AS bound
    FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
    WHERE inhparent = 'audit_event'::regclass
  ) AS partition;

-- The service does not own the tables, so these run as their owner. Nobody waits for them for long:
-- they give up after a second, and the next sweep tries again.

-- Makes this month and the three after it, and brings what is in audit_event_other to its month, from
-- `kept_since` on. What is older is deleted. Answers the names of what it made.
CREATE FUNCTION make_audit_months(kept_since timestamptz) RETURNS SETOF text
LANGUAGE plpgsql SECURITY DEFINER SET timezone = 'UTC' SET lock_timeout = '1s' AS $$
DECLARE
  this_month constant timestamptz := date_trunc('month', now());
  -- A clock that is years behind does not make hundreds of tables.
  oldest constant timestamptz :=
    greatest(date_trunc('month', kept_since), this_month - interval '10 years');
  month timestamptz;
  name text;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('audit_month'));
  DELETE FROM audit_event_other WHERE at < date_trunc('month', kept_since);
  FOR month IN
    SELECT generate_series(this_month, this_month + interval '3 months', interval '1 month')
    UNION
    SELECT date_trunc('month', at) FROM audit_event_other WHERE at >= oldest AND at < this_month
    ORDER BY 1
  LOOP
    CONTINUE WHEN EXISTS (SELECT FROM audit_month WHERE month < ends AND month >= coalesce(starts, month));
    name := to_char(month, '"audit_event_"YYYY_MM');
    LOCK TABLE audit_event_other IN ACCESS EXCLUSIVE MODE;
    EXECUTE format('CREATE TABLE %I (LIKE audit_event_other INCLUDING INDEXES)', name);
    EXECUTE format('WITH moved AS (DELETE FROM audit_event_other WHERE at >= %L AND at < %L RETURNING *)
      INSERT INTO %I SELECT * FROM moved', month, month + interval '1 month', name);
    EXECUTE format('ALTER TABLE audit_event ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
      name, month, month + interval '1 month');
    RETURN NEXT name;
  END LOOP;
END $$;

-- Drops one partition whose time is over, and false where it is gone already.
CREATE FUNCTION drop_audit_month(month text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET timezone = 'UTC' SET lock_timeout = '1s' AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('audit_month'));
  IF NOT EXISTS (SELECT FROM audit_month WHERE name = month) THEN RETURN false; END IF;
  IF NOT EXISTS (SELECT FROM audit_month WHERE name = month AND ends <= now()) THEN
    RAISE EXCEPTION '% is not over, and cannot be dropped', month USING ERRCODE = 'object_not_in_prerequisite_state';
  END IF;
  EXECUTE format('DROP TABLE %I', month);
  RETURN true;
END $$;

DO $$
DECLARE
  function regprocedure;
BEGIN
  FOREACH function IN ARRAY
    '{make_audit_months(timestamptz),drop_audit_month(text)}'::regprocedure[]
  LOOP
    -- Whoever calls them cannot put other tables in front. pg_catalog comes first by itself.
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', function, current_schema());
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', function);
  END LOOP;
END $$;

-- A new store has no events of before.
DO $$
DECLARE
  empty text;
  found boolean;
BEGIN
  SELECT name INTO STRICT empty FROM audit_month WHERE starts IS NULL AND ends IS NOT NULL;
  EXECUTE format('SELECT EXISTS (SELECT FROM %I)', empty) INTO found;
  IF NOT found THEN EXECUTE format('DROP TABLE %I', empty); END IF;
  PERFORM make_audit_months('-infinity');
END $$;
