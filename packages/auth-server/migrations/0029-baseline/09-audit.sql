-- The audit. The service does not own its tables, so two functions run as their owner. Nobody waits for them for long:
-- they give up after a second, and the next sweep tries again.

-- A row is what somebody did. A partition is a month; audit_event_other has all other times. There is no unique
-- index: it would need the time in it. Each partition has those of audit_event_other.
CREATE TABLE audit_event (
  id bigint GENERATED ALWAYS AS IDENTITY,
  at timestamptz NOT NULL,
  type text NOT NULL, subject text NOT NULL,
  client_id text, address text, request_id text, reason text, browser text, system text,
  -- Name of the factor, application or organisation that the event was about.
  about text,
  event_id uuid,
  -- Who used a command-line tool. Events of the service have an address or a client instead.
  actor text
) PARTITION BY RANGE (at);

CREATE INDEX audit_event_subject ON audit_event (subject, id);
CREATE TABLE audit_event_other (
  LIKE audit_event,
  PRIMARY KEY (id)
);
CREATE INDEX audit_event_other_subject_id_idx ON audit_event_other (subject, id);
CREATE UNIQUE INDEX audit_event_other_event_id_idx ON audit_event_other (event_id);
ALTER TABLE audit_event ATTACH PARTITION audit_event_other DEFAULT;

-- A row is the name of an event that a request which is sent again records again, perhaps in the next month.
CREATE TABLE audit_event_name (
  event_id uuid PRIMARY KEY,
  at timestamptz NOT NULL
);

-- The partitions: a month, what came before months, and (without a start and an end) all other times.
CREATE VIEW audit_month AS
  SELECT relname::text AS name, substring(bound FROM 'FROM \(''([^'']+)''\)')::timestamptz AS starts,
    substring(bound FROM 'TO \(''([^'']+)''\)')::timestamptz AS ends,
    pg_total_relation_size(oid) AS bytes,
    greatest(reltuples, 0)::bigint AS about_rows
  FROM (
    SELECT c.oid, relname, reltuples, pg_get_expr(relpartbound, c.oid) AS bound
    FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
    WHERE inhparent = 'audit_event'::regclass
  ) AS partition;

-- An event whose name was recorded is not recorded again.
CREATE FUNCTION audit_event_once() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audit_event_name (event_id, at) VALUES (NEW.event_id, NEW.at) ON CONFLICT DO NOTHING;
  RETURN CASE WHEN FOUND THEN NEW END;
END $$;

-- AUDIT_RETENTION_DAYS is a day or more, or 0 for ever. The hour that is missing here is for a service
-- whose clock is ahead of the database's.
CREATE FUNCTION audit_minimum_age() RETURNS interval LANGUAGE sql IMMUTABLE AS
  $$ SELECT interval '23 hours' $$;

-- The fixed search path: the caller's own temporary table cannot stand for pg_class.
CREATE FUNCTION keep_recent_audit_event() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF pg_has_role((SELECT relowner FROM pg_class WHERE oid = TG_RELID), 'USAGE') THEN RETURN OLD; END IF;
  RAISE EXCEPTION 'an audit event is too young to be deleted by %', current_user
    USING ERRCODE = 'insufficient_privilege';
END $$;

-- Makes this month and the three after it, and brings what is in audit_event_other to its month, from
-- `kept_since` on. What is older is deleted. Answers the names of what it made. Within it current_user is the
-- owner, and session_user is the role that has connected.
CREATE FUNCTION make_audit_months(kept_since timestamptz) RETURNS SETOF text
LANGUAGE plpgsql SECURITY DEFINER SET timezone = 'UTC' SET lock_timeout = '1s' AS $$
DECLARE
  since constant timestamptz := CASE
    WHEN pg_has_role(session_user, current_user, 'USAGE') THEN kept_since
    ELSE least(kept_since, now() - audit_minimum_age())
  END;
  this_month constant timestamptz := date_trunc('month', now());
  -- A clock that is years behind does not make hundreds of tables.
  oldest constant timestamptz := greatest(date_trunc('month', since), this_month - interval '10 years');
  month timestamptz;
  name text;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('audit_month'));
  DELETE FROM audit_event_other WHERE at < date_trunc('month', since);
  FOR month IN SELECT generate_series(this_month, this_month + interval '3 months', interval '1 month')
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
DECLARE
  dropped record;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('audit_month'));
  SELECT ends INTO dropped FROM audit_month WHERE name = month;
  IF NOT FOUND THEN RETURN false; END IF;
  IF dropped.ends IS NULL OR dropped.ends > now() THEN
    RAISE EXCEPTION '% is not over, and cannot be dropped', month USING ERRCODE = 'object_not_in_prerequisite_state';
  END IF;
  IF dropped.ends > now() - audit_minimum_age() AND NOT pg_has_role(session_user, current_user, 'USAGE') THEN
    RAISE EXCEPTION '% has ended too recently to be dropped by %', month, session_user
      USING ERRCODE = 'insufficient_privilege';
  END IF;
  EXECUTE format('DROP TABLE %I', month);
  RETURN true;
END $$;

-- An id that is made of a name has version 8 (RFC 9562); others are random, and have version 4.
CREATE TRIGGER once BEFORE INSERT ON audit_event
  FOR EACH ROW WHEN (substr(NEW.event_id::text, 15, 1) = '8') EXECUTE FUNCTION audit_event_once();
-- Each partition gets the trigger too, also one that is made later.
CREATE TRIGGER keep_recent BEFORE DELETE ON audit_event
  FOR EACH ROW WHEN (OLD.at > now() - audit_minimum_age()) EXECUTE FUNCTION keep_recent_audit_event();

-- Who calls a function that has its owner's rights cannot put other tables in front. pg_catalog comes first by
-- itself.
DO $$
DECLARE function regprocedure;
BEGIN
  FOREACH function IN ARRAY '{make_audit_months(timestamptz), drop_audit_month(text)}'::regprocedure[] LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', function, current_schema());
  END LOOP;
END $$;
REVOKE EXECUTE ON FUNCTION make_audit_months(timestamptz), drop_audit_month(text) FROM PUBLIC;

SELECT make_audit_months('-infinity');
