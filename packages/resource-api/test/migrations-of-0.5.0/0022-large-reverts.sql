-- What made taking a large import back endless. Results are as before.

-- The postings of a reversal and of its journal were found by walking the whole book in the order of
-- their lines, once for each reversal: that order spared a sort of some rows.
CREATE OR REPLACE FUNCTION check_reversals() RETURNS trigger LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  checked bigint := coalesce(nullif(current_setting('cls.reversals_checked', true), ''), '0');
  known timestamptz := NEW.posted_at;
  broken text;
BEGIN
  IF NEW.seq <= checked THEN RETURN NULL; END IF;
  SELECT r.id INTO broken
  FROM journal r CROSS JOIN LATERAL (
    SELECT effective_date, deal_key FROM journal WHERE seq = r.reverses_seq OFFSET 0
  ) o
  WHERE r.posted_at = known AND r.seq > checked AND r.reverses_seq IS NOT NULL AND (
    o.effective_date <> r.effective_date OR o.deal_key <> r.deal_key
    OR EXISTS (
      SELECT FROM (VALUES (r.seq), (r.reverses_seq)) k(seq) CROSS JOIN LATERAL (
        SELECT line_key, account, movement, due_date, amount_minor FROM posting
        WHERE journal_seq = k.seq OFFSET 0) p
      GROUP BY p.line_key, p.account, p.movement, p.due_date HAVING sum(p.amount_minor) <> 0))
  LIMIT 1;
  IF broken IS NOT NULL THEN
    RAISE EXCEPTION 'journal % does not mirror the journal that it reverses', broken
      USING ERRCODE = '23514', CONSTRAINT = 'reversal_mirrors';
  END IF;
  PERFORM set_config('cls.reversals_checked', (
    SELECT max(seq) FROM journal WHERE posted_at = known)::text, true);
  RETURN NULL;
END $$;

-- Dates were worked out for every record, and twice, also for those that go with their deal.
CREATE OR REPLACE FUNCTION extend_presence(first_seq bigint, last_seq bigint) RETURNS void LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
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
  ), record AS MATERIALIZED (
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
  ), stated AS MATERIALIZED (
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
