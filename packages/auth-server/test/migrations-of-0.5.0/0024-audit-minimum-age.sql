-- contract: 0.4.0 deletes events only when their time is over, a day after they were written at the least
-- The service deletes audit events whose time is over. Somebody who has taken over the service must not be
-- able to delete the events that show how, so its role cannot delete the latest events. The owner of the
-- tables still can.

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
-- Each partition gets the trigger too, also one that is made later.
CREATE TRIGGER keep_recent BEFORE DELETE ON audit_event
  FOR EACH ROW WHEN (OLD.at > now() - audit_minimum_age()) EXECUTE FUNCTION keep_recent_audit_event();

-- The two functions of 0023 that run as the owner, now with the same limit for all other callers. Within
-- them current_user is the owner, and session_user is the role that has connected.
CREATE OR REPLACE FUNCTION make_audit_months(kept_since timestamptz) RETURNS SETOF text
LANGUAGE plpgsql SECURITY DEFINER SET timezone = 'UTC' SET lock_timeout = '1s' AS $$
DECLARE
  since constant timestamptz := CASE
    WHEN pg_has_role(session_user, current_user, 'USAGE') THEN kept_since
    ELSE least(kept_since, now() - audit_minimum_age())
  END;
  this_month constant timestamptz := date_trunc('month', now());
  -- A clock that is years behind does not make hundreds of tables.
  oldest constant timestamptz :=
    greatest(date_trunc('month', since), this_month - interval '10 years');
  month timestamptz;
  name text;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('audit_month'));
  DELETE FROM audit_event_other WHERE at < date_trunc('month', since);
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

CREATE OR REPLACE FUNCTION drop_audit_month(month text) RETURNS boolean
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

-- A function that is replaced keeps its rights and loses its search path.
DO $$
DECLARE
  function regprocedure;
BEGIN
  FOREACH function IN ARRAY
    '{make_audit_months(timestamptz),drop_audit_month(text)}'::regprocedure[]
  LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', function, current_schema());
  END LOOP;
END $$;
