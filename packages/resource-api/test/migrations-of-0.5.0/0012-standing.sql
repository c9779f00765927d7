-- Since when the book has a record follows from the journals that stand, as known at a sequence.
-- A journal that is taken back leaves nothing behind: no date, no terms, no record.

-- Whether what a journal says counts from a sequence on: no more when it is taken back. None of its
-- rows: it counts. A reversal of a reversal puts the journal back.
CREATE TABLE journal_standing (
  seq bigint NOT NULL REFERENCES journal,
  known_seq bigint NOT NULL REFERENCES journal,
  deal_key bigint NOT NULL REFERENCES deal,
  stands boolean NOT NULL,
  PRIMARY KEY (seq, known_seq)
);
CREATE INDEX journal_standing_known ON journal_standing (known_seq);

-- Since when the book has a record, each time this changed after the record was first booked;
-- 'infinity': the book does not have it any more. The newest row known at a sequence counts, and
-- before the first one `booked_on` of the record.
CREATE TABLE presence (
  kind text NOT NULL CHECK (kind IN ('deal', 'facility', 'contract', 'position')),
  record_key bigint NOT NULL,
  known_seq bigint NOT NULL REFERENCES journal,
  deal_key bigint NOT NULL REFERENCES deal,
  since date NOT NULL,
  PRIMARY KEY (kind, record_key, known_seq)
);

-- Whether any journal of a date stands, each time this changed.
CREATE TABLE book_date (
  effective_date date NOT NULL,
  known_seq bigint NOT NULL REFERENCES journal,
  stands boolean NOT NULL,
  PRIMARY KEY (effective_date, known_seq)
);

-- The earliest journals of a deal.
CREATE INDEX journal_deal_date ON journal (deal_key, effective_date);

-- True where nobody stated a date: the journals alone say since when the book has the record, the
-- deal's for all of its records.
ALTER TABLE deal ADD COLUMN follows_journals boolean NOT NULL DEFAULT false;
ALTER TABLE facility ADD COLUMN follows_journals boolean NOT NULL DEFAULT false;
ALTER TABLE loan_contract ADD COLUMN follows_journals boolean NOT NULL DEFAULT false;
ALTER TABLE lender_position ADD COLUMN follows_journals boolean NOT NULL DEFAULT false;

-- The end of the chain of reversals is the journal that is taken back or put back. A reversal takes
-- back by itself: terms that it carries count for nothing.
CREATE FUNCTION extend_standing(first_seq bigint, last_seq bigint) RETURNS void LANGUAGE sql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
  INSERT INTO journal_standing (seq, known_seq, deal_key, stands)
  WITH RECURSIVE chain AS (
    SELECT seq AS known_seq, deal_key, reverses_seq AS seq, 1 AS depth
    FROM journal WHERE seq BETWEEN $1 AND $2 AND reverses_seq IS NOT NULL
    UNION ALL
    SELECT c.known_seq, c.deal_key, j.reverses_seq, c.depth + 1
    FROM chain c JOIN journal j ON j.seq = c.seq WHERE j.reverses_seq IS NOT NULL
  )
  SELECT known_seq, known_seq, deal_key, false FROM chain WHERE depth = 1
  UNION ALL
  (SELECT DISTINCT ON (known_seq) seq, known_seq, deal_key, depth % 2 = 0
   FROM chain ORDER BY known_seq, depth DESC)
$$;

-- Since when each record was present before, and what a transaction's journals make of it.
CREATE FUNCTION extend_presence(first_seq bigint, last_seq bigint) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  INSERT INTO presence (kind, record_key, known_seq, deal_key, since)
  WITH posted AS MATERIALIZED (
    SELECT seq, deal_key, effective_date, reverses_seq IS NOT NULL AS reverses,
      -- Whose terms it states or takes back.
      coalesce((SELECT s.seq FROM journal_standing s
        WHERE s.known_seq = journal.seq AND s.seq <> s.known_seq), seq) AS terms_seq
    FROM journal WHERE seq BETWEEN first_seq AND last_seq
  ), touched_deal AS MATERIALIZED (
    SELECT deal_key, min(effective_date) FILTER (WHERE NOT reverses) AS earliest,
      bool_or(reverses) AS reversed
    FROM posted GROUP BY deal_key
  ), touched_line AS MATERIALIZED (
    SELECT p.line_key, min(j.effective_date) FILTER (WHERE NOT j.reverses) AS earliest,
      bool_or(j.reverses) AS reversed
    FROM posted j CROSS JOIN LATERAL (
      SELECT line_key FROM posting WHERE journal_seq = j.seq OFFSET 0) p
    GROUP BY p.line_key
  ), touched AS (
    SELECT 'deal' AS kind, t.deal_key AS record_key, t.deal_key, t.earliest, t.reversed
    FROM touched_deal t
    UNION ALL
    SELECT 'facility', l.facility_key, l.deal_key, t.earliest, t.reversed
    FROM touched_line t JOIN balance_line l ON l.key = t.line_key
    UNION ALL
    SELECT 'contract', l.contract_key, l.deal_key, t.earliest, t.reversed
    FROM touched_line t JOIN balance_line l ON l.key = t.line_key AND l.contract_key <> 0
    UNION ALL
    SELECT 'position', q.key, l.deal_key, t.earliest, t.reversed
    FROM touched_line t JOIN balance_line l ON l.key = t.line_key AND l.lender_key <> 0
    JOIN lender_position q ON q.facility_key = l.facility_key AND q.lender_key = l.lender_key
    UNION ALL
    SELECT 'facility', x.facility_key, j.deal_key,
      CASE WHEN NOT j.reverses THEN j.effective_date END, j.reverses
    FROM posted j JOIN facility_terms x ON x.known_seq = j.terms_seq
    UNION ALL
    SELECT 'contract', x.contract_key, j.deal_key,
      CASE WHEN NOT j.reverses THEN j.effective_date END, j.reverses
    FROM posted j JOIN contract_terms x ON x.known_seq = j.terms_seq
  ), own AS (
    SELECT t.kind, t.record_key, t.deal_key, min(t.earliest) AS earliest,
      bool_or(t.reversed) AS reversed
    FROM touched t GROUP BY t.kind, t.record_key, t.deal_key
  ), record AS (
    SELECT o.*, r.booked_on, r.follows_journals
    FROM own o CROSS JOIN LATERAL (
      SELECT booked_on, follows_journals FROM deal WHERE o.kind = 'deal' AND key = o.record_key
      UNION ALL SELECT booked_on, follows_journals FROM facility
        WHERE o.kind = 'facility' AND key = o.record_key
      UNION ALL SELECT booked_on, follows_journals FROM loan_contract
        WHERE o.kind = 'contract' AND key = o.record_key
      UNION ALL SELECT booked_on, follows_journals FROM lender_position
        WHERE o.kind = 'position' AND key = o.record_key
    ) r
    WHERE o.kind = 'deal' OR NOT r.follows_journals
  ), stated AS (
    SELECT r.kind, r.record_key, r.deal_key,
      -- Only what is taken back or put back can move the date to a later one.
      CASE WHEN r.reversed
        THEN since_by_journals(r.kind, r.record_key, last_seq)
        ELSE least(r.earliest, known_since(r.kind, r.record_key, last_seq)) END AS since
    FROM record r
  ), changed AS MATERIALIZED (
    SELECT * FROM stated s WHERE since <> known_since(s.kind, s.record_key, last_seq)
  )
  SELECT kind, record_key, last_seq, deal_key, since FROM changed
  UNION ALL
  SELECT f.kind, f.key, last_seq, s.deal_key, s.since
  FROM changed s CROSS JOIN LATERAL (
    SELECT 'facility' AS kind, key FROM facility
    WHERE deal_key = s.record_key AND follows_journals
    UNION ALL SELECT 'contract', key FROM loan_contract
    WHERE deal_key = s.record_key AND follows_journals
    UNION ALL SELECT 'position', key FROM lender_position
    WHERE deal_key = s.record_key AND follows_journals
  ) f WHERE s.kind = 'deal';

  INSERT INTO book_date (effective_date, known_seq, stands)
  SELECT d.effective_date, last_seq, now_stands.so
  FROM (SELECT effective_date, bool_or(reverses_seq IS NOT NULL) AS reversed
        FROM journal WHERE seq BETWEEN first_seq AND last_seq GROUP BY effective_date) d
  CROSS JOIN LATERAL (SELECT coalesce((SELECT b.stands FROM book_date b
    WHERE b.effective_date = d.effective_date ORDER BY b.known_seq DESC LIMIT 1), false) AS so
    ) stood
  CROSS JOIN LATERAL (SELECT NOT d.reversed OR EXISTS (SELECT FROM journal j
    WHERE j.effective_date = d.effective_date AND j.seq <= last_seq AND j.reverses_seq IS NULL
      AND journal_stands(j.seq, last_seq)) AS so) now_stands
  WHERE stood.so <> now_stands.so;
END $$;

CREATE FUNCTION known_since(kind text, record_key bigint, last_seq bigint) RETURNS date
LANGUAGE sql STABLE AS $$
  SELECT coalesce(
    (SELECT p.since FROM presence p WHERE p.kind = $1 AND p.record_key = $2 AND p.known_seq <= $3
     ORDER BY p.known_seq DESC LIMIT 1),
    CASE $1 WHEN 'deal' THEN (SELECT booked_on FROM deal WHERE key = $2)
      WHEN 'facility' THEN (SELECT booked_on FROM facility WHERE key = $2)
      WHEN 'contract' THEN (SELECT booked_on FROM loan_contract WHERE key = $2)
      ELSE (SELECT booked_on FROM lender_position WHERE key = $2) END)
$$;

-- From the journals alone, whatever was kept: the earliest date of those that stand, or the date
-- that was stated if that is earlier.
CREATE FUNCTION since_by_journals(kind text, record_key bigint, last_seq bigint) RETURNS date
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN coalesce(CASE $1
    WHEN 'deal' THEN (
      SELECT least(CASE WHEN NOT d.follows_journals THEN d.booked_on END, (
        SELECT j.effective_date FROM journal j
        WHERE j.deal_key = d.key AND j.seq <= $3 AND j.reverses_seq IS NULL
          AND journal_stands(j.seq, $3)
        ORDER BY j.effective_date LIMIT 1))
      FROM deal d WHERE d.key = $2)
    WHEN 'facility' THEN (
      SELECT CASE WHEN f.follows_journals THEN since_by_journals('deal', f.deal_key, $3)
        ELSE least(f.booked_on, (
          SELECT min(j.effective_date) FROM journal j
          WHERE j.deal_key = f.deal_key AND j.seq <= $3 AND j.reverses_seq IS NULL
            AND j.effective_date < f.booked_on AND journal_stands(j.seq, $3)
            AND (EXISTS (SELECT FROM posting p JOIN balance_line l ON l.key = p.line_key
                   WHERE p.journal_seq = j.seq AND l.facility_key = f.key)
              OR EXISTS (SELECT FROM facility_terms t
                   WHERE t.facility_key = f.key AND t.known_seq = j.seq)))) END
      FROM facility f WHERE f.key = $2)
    WHEN 'contract' THEN (
      SELECT CASE WHEN c.follows_journals THEN since_by_journals('deal', c.deal_key, $3)
        ELSE least(c.booked_on, (
          SELECT min(j.effective_date) FROM journal j
          WHERE j.deal_key = c.deal_key AND j.seq <= $3 AND j.reverses_seq IS NULL
            AND j.effective_date < c.booked_on AND journal_stands(j.seq, $3)
            AND (EXISTS (SELECT FROM posting p JOIN balance_line l ON l.key = p.line_key
                   WHERE p.journal_seq = j.seq AND l.contract_key = c.key)
              OR EXISTS (SELECT FROM contract_terms t
                   WHERE t.contract_key = c.key AND t.known_seq = j.seq)))) END
      FROM loan_contract c WHERE c.key = $2)
    ELSE (
      SELECT CASE WHEN q.follows_journals THEN since_by_journals('deal', q.deal_key, $3)
        ELSE least(q.booked_on, (
          SELECT min(j.effective_date) FROM journal j
          WHERE j.deal_key = q.deal_key AND j.seq <= $3 AND j.reverses_seq IS NULL
            AND j.effective_date < q.booked_on AND journal_stands(j.seq, $3)
            AND EXISTS (SELECT FROM posting p JOIN balance_line l ON l.key = p.line_key
                  WHERE p.journal_seq = j.seq AND l.facility_key = q.facility_key
                    AND l.lender_key = q.lender_key))) END
      FROM lender_position q WHERE q.key = $2)
    END, 'infinity');
END $$;

-- Once for a transaction, at its end: then its journals have their postings and terms.
CREATE FUNCTION extend_presence() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  done bigint := coalesce(nullif(current_setting('cls.presence_through', true), ''), '0')::bigint;
  last_seq bigint;
BEGIN
  IF NEW.seq <= done THEN RETURN NULL; END IF;
  SELECT max(seq) INTO last_seq FROM journal;
  PERFORM extend_presence(NEW.seq, last_seq);
  PERFORM set_config('cls.presence_through', last_seq::text, true);
  RETURN NULL;
END $$;
CREATE FUNCTION extend_standing() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM extend_standing(min(seq), max(seq)) FROM inserted HAVING count(*) > 0;
  RETURN NULL;
END $$;

-- What books have from before. Records of statements follow their journals; those without any
-- journal keep the date that they were booked with, or go with their import.
UPDATE deal d SET follows_journals = true
WHERE EXISTS (SELECT FROM journal j WHERE j.seq = d.booked_seq AND j.import_key IS NOT NULL)
  AND EXISTS (SELECT FROM journal j WHERE j.deal_key = d.key);
UPDATE facility r SET follows_journals = true
FROM deal d WHERE d.key = r.deal_key AND d.follows_journals AND r.booked_seq = d.booked_seq;
UPDATE loan_contract r SET follows_journals = true
FROM deal d WHERE d.key = r.deal_key AND d.follows_journals AND r.booked_seq = d.booked_seq;
UPDATE lender_position r SET follows_journals = true
FROM deal d WHERE d.key = r.deal_key AND d.follows_journals AND r.booked_seq = d.booked_seq;

SELECT extend_standing(1, (SELECT max(seq) FROM journal));
DO $$
DECLARE batch record;
BEGIN
  FOR batch IN SELECT min(seq) AS first, max(seq) AS last FROM journal
               GROUP BY posted_at ORDER BY min(seq) LOOP
    PERFORM extend_presence(batch.first, batch.last);
  END LOOP;
END $$;
INSERT INTO presence (kind, record_key, known_seq, deal_key, since)
SELECT r.kind, r.key, gone.seq, d.key, 'infinity'
FROM deal d
JOIN journal b ON b.seq = d.booked_seq
JOIN import_batch i ON i.key = b.import_key AND i.reverted_at IS NOT NULL
CROSS JOIN LATERAL (SELECT max(s.known_seq) AS seq FROM journal_standing s
  JOIN journal j ON j.seq = s.seq WHERE j.import_key = i.key) gone
CROSS JOIN LATERAL (
  SELECT 'deal' AS kind, d.key UNION ALL SELECT 'facility', key FROM facility WHERE deal_key = d.key
  UNION ALL SELECT 'contract', key FROM loan_contract WHERE deal_key = d.key
  UNION ALL SELECT 'position', key FROM lender_position WHERE deal_key = d.key) r
WHERE NOT EXISTS (SELECT FROM journal j WHERE j.deal_key = d.key) AND gone.seq IS NOT NULL;

CREATE TRIGGER extend_standing AFTER INSERT ON journal
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION extend_standing();
CREATE CONSTRAINT TRIGGER extend_presence AFTER INSERT ON journal
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION extend_presence();

DO $$
DECLARE
  sees_deal constant text := 'current_setting(''cls.full_control'', true) = ''on'' OR EXISTS (
    SELECT FROM entitlement e
    WHERE e.customer_id = current_setting(''cls.customer'', true) AND e.deal_key = %1$I.deal_key)';
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['journal_standing', 'presence'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY reader ON %1$I FOR SELECT TO cls_reader USING (' || sees_deal || ')',
      name);
    EXECUTE format('GRANT SELECT ON %I TO cls_reader', name);
  END LOOP;
  FOREACH name IN ARRAY ARRAY['journal_standing', 'presence', 'book_date'] LOOP
    EXECUTE format('CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON %I
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()', name);
    -- They follow from journals and are written by nobody else.
    EXECUTE format('CREATE TRIGGER only_from_journals BEFORE INSERT ON %I
      FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION refuse_change()', name);
  END LOOP;
END $$;
