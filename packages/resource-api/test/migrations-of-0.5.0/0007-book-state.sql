-- One row says which state the book is in: its generation rises with every change that an answer
-- may show. A question reads it first, so nobody has to be told of a change.
--
-- Every change holds the journal lock and takes its instant under the lock. So generations rise in
-- the order of the commits, and an instant names one state of the book, whatever kind of change
-- it was.
CREATE TABLE book_state (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  generation bigint NOT NULL,
  -- The newest instant that a change was given.
  changed_at timestamptz NOT NULL
);
INSERT INTO book_state (generation, changed_at)
SELECT 1, greatest((SELECT max(posted_at) FROM journal), (SELECT max(known_at) FROM fx_rate),
                   '-infinity');

-- When the grants of a customer last changed.
CREATE TABLE grant_change (
  customer_id text PRIMARY KEY,
  changed_at timestamptz NOT NULL
);

CREATE FUNCTION begin_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(7204312);
  IF coalesce(current_setting('cls.posted_at', true), '') = '' THEN
    PERFORM set_config('cls.posted_at', greatest(clock_timestamp(),
      (SELECT changed_at FROM book_state) + interval '1 microsecond')::text, true);
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION end_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE book_state
  SET generation = generation + 1, changed_at = greatest(changed_at, posting_time());
  RETURN NULL;
END $$;

CREATE FUNCTION record_grant_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO grant_change
  SELECT DISTINCT customer_id, posting_time() FROM changed
  ON CONFLICT (customer_id) DO UPDATE SET changed_at = EXCLUDED.changed_at;
  RETURN NULL;
END $$;

DO $$
DECLARE name text;
BEGIN
  -- Journals have their posting time from the lock that they are posted under.
  FOREACH name IN ARRAY ARRAY['journal', 'external_id', 'fx_rate', 'period_close',
                              'entitlement_rule'] LOOP
    IF name <> 'journal' THEN
      EXECUTE format('CREATE TRIGGER begin_change BEFORE INSERT OR UPDATE OR DELETE ON %I
        FOR EACH STATEMENT EXECUTE FUNCTION begin_change()', name);
    END IF;
    EXECUTE format('CREATE TRIGGER end_change AFTER INSERT OR UPDATE OR DELETE ON %I
      FOR EACH STATEMENT EXECUTE FUNCTION end_change()', name);
  END LOOP;
END $$;
CREATE TRIGGER record_grant AFTER INSERT ON entitlement_rule
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION record_grant_change();
CREATE TRIGGER record_revoke AFTER DELETE ON entitlement_rule
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION record_grant_change();

-- Rates are numbered and dated in the order in which they become known.
ALTER TABLE fx_rate ALTER known_at SET DEFAULT posting_time();

-- The notices of changes stay: replicas of the version before still listen while replicas are
-- upgraded one at a time.
