-- contract: the functions are new, so the former build calls neither of them
-- Who read what. Rows are written in batches after the answers, and dropped a day at a time.
CREATE TABLE read_log (
  -- When the request came in.
  at timestamptz NOT NULL,
  request_id text NOT NULL,
  -- Of the account or the service account.
  subject text NOT NULL,
  client_id text NOT NULL,
  account_type text NOT NULL,
  customer_id text NOT NULL,
  address text NOT NULL,
  -- The version that answered, such as v1.
  version text NOT NULL,
  -- Such as GET /cls/deals/{id}.
  operation text NOT NULL,
  -- As it was sent, without the query.
  path text NOT NULL,
  -- Of a page that a cursor names, the question that the walk began with.
  question text NOT NULL,
  status integer NOT NULL,
  -- Items that were sent; null where the answer has none.
  item_count bigint,
  -- Whether the caller took all of the answer.
  complete boolean NOT NULL
) PARTITION BY RANGE (at);
CREATE INDEX read_log_at ON read_log (at);
-- Rows whose day has no partition yet.
CREATE TABLE read_log_other PARTITION OF read_log DEFAULT;

-- The days. The other times are not among them.
CREATE VIEW read_log_day AS
  SELECT relname::text AS name,
    substring(bound FROM 'FROM \(''([^'']+)''\)')::timestamptz AS starts,
    substring(bound FROM 'TO \(''([^'']+)''\)')::timestamptz AS ends
  FROM (
    SELECT relname, pg_get_expr(relpartbound, c.oid) AS bound
    FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
    WHERE inhparent = 'read_log'::regclass
  ) AS partition
  WHERE bound <> 'DEFAULT';

-- The service does not own the tables, so these run as their owner. Nobody waits for them for long:
-- they give up after a second, and the next sweep tries again.

-- Makes the partitions of today and the three days after it.
CREATE FUNCTION make_read_log_days() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET timezone = 'UTC' SET lock_timeout = '1s' AS $$
DECLARE
  today constant timestamptz := date_trunc('day', now());
  day timestamptz;
  name text;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('read_log_day'));
  FOR day IN SELECT generate_series(today, today + interval '3 days', interval '1 day') LOOP
    CONTINUE WHEN EXISTS (SELECT FROM read_log_day WHERE day >= starts AND day < ends);
    name := to_char(day, '"read_log_"YYYY_MM_DD');
    LOCK TABLE read_log_other IN ACCESS EXCLUSIVE MODE;
    EXECUTE format('CREATE TABLE %I (LIKE read_log_other INCLUDING INDEXES)', name);
    EXECUTE format('WITH moved AS (DELETE FROM read_log_other WHERE at >= %L AND at < %L RETURNING *)
      INSERT INTO %I SELECT * FROM moved', day, day + interval '1 day', name);
    EXECUTE format('ALTER TABLE read_log ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
      name, day, day + interval '1 day');
  END LOOP;
END $$;

-- Removes what is older than so many days, a day as a whole.
CREATE FUNCTION drop_read_log_days(kept_days integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET timezone = 'UTC' SET lock_timeout = '1s' AS $$
DECLARE
  kept_since constant timestamptz := now() - make_interval(days => kept_days);
  old text;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('read_log_day'));
  DELETE FROM read_log_other WHERE at < kept_since;
  FOR old IN SELECT name FROM read_log_day WHERE ends <= kept_since LOOP
    EXECUTE format('DROP TABLE %I', old);
  END LOOP;
END $$;

DO $$
DECLARE
  function regprocedure;
BEGIN
  FOREACH function IN ARRAY '{make_read_log_days(),drop_read_log_days(integer)}'::regprocedure[] LOOP
    -- Whoever calls them cannot put other tables in front. pg_catalog comes first by itself.
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', function, current_schema());
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', function);
  END LOOP;
END $$;
