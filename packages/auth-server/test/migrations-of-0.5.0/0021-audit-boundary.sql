-- Audit events are about to be partitioned by month. The rows of today become one partition as they
-- are: a constraint says that they are all before the boundary, so that nothing has to be copied or
-- read under a lock. It is checked in 0022, and is used and dropped in 0023. Events of today are far
-- from the boundary, so the former build goes on writing meanwhile.
DO $$
DECLARE
  boundary constant timestamptz :=
    (date_trunc('month', now() AT TIME ZONE 'UTC') + interval '2 months') AT TIME ZONE 'UTC';
BEGIN
  EXECUTE format('ALTER TABLE audit_event ADD CONSTRAINT %I CHECK (at < %L) NOT VALID',
    to_char(boundary AT TIME ZONE 'UTC', '"audit_event_before_"YYYY_MM'), boundary);
END $$;
