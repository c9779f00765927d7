-- Which journals count, and since when the book has a record, at each state of knowledge.

-- A row is whether what a journal says counts from a sequence on: no more when it is taken back. Without a row
-- it counts. A reversal of a reversal puts the journal back.
CREATE TABLE journal_standing (
  seq bigint NOT NULL REFERENCES journal,
  known_seq bigint NOT NULL REFERENCES journal,
  deal_key bigint NOT NULL REFERENCES deal,
  stands boolean NOT NULL,
  PRIMARY KEY (seq, known_seq)
);

-- A row is since when the book has a record, each time this changed after the record was first booked;
-- 'infinity': the book does not have it any more. The newest row known at a sequence counts, and before the
-- first one `booked_on` of the record.
CREATE TABLE presence (
  kind text NOT NULL CHECK (kind IN ('deal', 'facility', 'contract', 'position')),
  record_key bigint NOT NULL,
  known_seq bigint NOT NULL REFERENCES journal,
  deal_key bigint NOT NULL REFERENCES deal,
  since date NOT NULL,
  PRIMARY KEY (kind, record_key, known_seq)
);

-- A row is whether any journal of a date stands, each time this changed.
CREATE TABLE book_date (
  effective_date date NOT NULL,
  known_seq bigint NOT NULL REFERENCES journal,
  stands boolean NOT NULL,
  PRIMARY KEY (effective_date, known_seq)
);

-- The end of the chain of reversals is the journal that is taken back or put back. A reversal takes
-- back by itself: terms that it carries count for nothing.
CREATE FUNCTION extend_standing(first_seq bigint, last_seq bigint) RETURNS void LANGUAGE sql
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
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

CREATE FUNCTION extend_standing() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM extend_standing(min(seq), max(seq)) FROM inserted HAVING count(*) > 0;
  RETURN NULL;
END $$;

-- Whether what became known with a journal counts, by all that is known.
CREATE FUNCTION counts_now(known_seq bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT s.stands FROM journal_standing s
    WHERE s.seq = $1 ORDER BY s.known_seq DESC LIMIT 1), true)
$$;

-- The import that set a deal up by a statement; null where none did.
CREATE FUNCTION booked_by_import(d deal) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT i.key FROM journal b JOIN import_batch i ON i.key = b.import_key
  WHERE b.seq = d.booked_seq AND d.booked_on = i.as_of
    AND EXISTS (SELECT FROM external_id x WHERE x.entity_id = d.id AND x.source = i.source)
$$;

-- Whether no journal ever named the deal.
CREATE FUNCTION booked_without_journal(d deal) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM booked_by_import(d) AS i (key) WHERE i.key IS NOT NULL
    AND NOT EXISTS (SELECT FROM journal j
      WHERE j.deal_key = d.key AND j.import_key = i.key AND j.reverses_seq IS NULL))
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
        WHERE j.deal_key = d.key AND j.seq <= $3 AND j.reverses_seq IS NULL AND journal_stands(j.seq, $3)
        ORDER BY j.effective_date LIMIT 1),
        CASE WHEN d.booked_seq <= $3 AND journal_stands(d.booked_seq, $3)
          AND booked_without_journal(d) THEN d.booked_on END)
      FROM deal d WHERE d.key = $2)
    WHEN 'facility' THEN (
      SELECT CASE WHEN f.follows_journals THEN since_by_journals('deal', f.deal_key, $3)
        ELSE least(f.booked_on, (
          SELECT min(j.effective_date) FROM journal j
          WHERE j.deal_key = f.deal_key AND j.seq <= $3 AND j.reverses_seq IS NULL
            AND j.effective_date < f.booked_on AND journal_stands(j.seq, $3)
            AND (EXISTS (SELECT FROM posting p JOIN balance_line l ON l.key = p.line_key
                   WHERE p.journal_seq = j.seq AND l.facility_key = f.key)
              OR EXISTS (SELECT FROM facility_terms t WHERE t.facility_key = f.key AND t.known_seq = j.seq)))) END
      FROM facility f WHERE f.key = $2)
    WHEN 'contract' THEN (
      SELECT CASE WHEN c.follows_journals THEN since_by_journals('deal', c.deal_key, $3)
        ELSE least(c.booked_on, (
          SELECT min(j.effective_date) FROM journal j
          WHERE j.deal_key = c.deal_key AND j.seq <= $3 AND j.reverses_seq IS NULL
            AND j.effective_date < c.booked_on AND journal_stands(j.seq, $3)
            AND (EXISTS (SELECT FROM posting p JOIN balance_line l ON l.key = p.line_key
                   WHERE p.journal_seq = j.seq AND l.contract_key = c.key)
              OR EXISTS (SELECT FROM contract_terms t WHERE t.contract_key = c.key AND t.known_seq = j.seq)))) END
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

-- Since when the book has a record, of what was known at a sequence.
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

-- Since when records are there, where the journals of a transaction change it.
CREATE FUNCTION extend_presence(first_seq bigint, last_seq bigint) RETURNS void LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_hashagg = off AS $$
BEGIN
  INSERT INTO presence (kind, record_key, known_seq, deal_key, since)
  WITH posted AS MATERIALIZED (
    SELECT seq, deal_key, effective_date, reverses_seq IS NOT NULL AS reverses,
      row_number() OVER (PARTITION BY deal_key ORDER BY seq) AS number_in_deal
    FROM journal WHERE seq BETWEEN first_seq AND last_seq
  ), touched_deal AS MATERIALIZED (
    SELECT deal_key, min(effective_date) FILTER (WHERE NOT reverses) AS earliest,
      min(effective_date) FILTER (WHERE reverses) AS reversed_on
    FROM posted GROUP BY deal_key
  ), telling AS MATERIALIZED (
    SELECT *,
      -- Whose terms it states or takes back.
      coalesce((SELECT s.seq FROM journal_standing s
        WHERE s.known_seq = j.seq AND s.seq <> s.known_seq), seq) AS terms_seq
    FROM (
      -- Of deals with a record that has a date of its own: the others follow their deal. Asked once for
      -- a deal, and not for each of its journals.
      SELECT *, bool_or(CASE WHEN number_in_deal = 1 THEN
          EXISTS (SELECT FROM facility WHERE deal_key = posted.deal_key AND NOT follows_journals OFFSET 0)
          OR EXISTS (SELECT FROM loan_contract WHERE deal_key = posted.deal_key AND NOT follows_journals OFFSET 0)
          OR EXISTS (SELECT FROM lender_position
            WHERE deal_key = posted.deal_key AND NOT follows_journals OFFSET 0)
        END) OVER (PARTITION BY deal_key) AS has_dated
      FROM posted) j
    WHERE has_dated
  ), touched_line AS MATERIALIZED (
    SELECT p.line_key, min(j.effective_date) FILTER (WHERE NOT j.reverses) AS earliest,
      min(j.effective_date) FILTER (WHERE j.reverses) AS reversed_on
    FROM telling j CROSS JOIN LATERAL (
      SELECT line_key FROM posting WHERE journal_seq = j.seq OFFSET 0) p
    GROUP BY p.line_key
  ), touched AS (
    SELECT 'deal' AS kind, t.deal_key AS record_key, t.deal_key, t.earliest, t.reversed_on
    FROM touched_deal t
    UNION ALL
    SELECT 'facility', l.facility_key, l.deal_key, t.earliest, t.reversed_on
    FROM touched_line t JOIN balance_line l ON l.key = t.line_key
    UNION ALL
    SELECT 'contract', l.contract_key, l.deal_key, t.earliest, t.reversed_on
    FROM touched_line t JOIN balance_line l ON l.key = t.line_key AND l.contract_key <> 0
    UNION ALL
    SELECT 'position', q.key, l.deal_key, t.earliest, t.reversed_on
    FROM touched_line t JOIN balance_line l ON l.key = t.line_key AND l.lender_key <> 0
    JOIN lender_position q ON q.facility_key = l.facility_key AND q.lender_key = l.lender_key
    UNION ALL
    SELECT 'facility', x.facility_key, j.deal_key, CASE WHEN NOT j.reverses THEN j.effective_date END,
      CASE WHEN j.reverses THEN j.effective_date END
    FROM telling j JOIN facility_terms x ON x.known_seq = j.terms_seq
    UNION ALL
    SELECT 'contract', x.contract_key, j.deal_key, CASE WHEN NOT j.reverses THEN j.effective_date END,
      CASE WHEN j.reverses THEN j.effective_date END
    FROM telling j JOIN contract_terms x ON x.known_seq = j.terms_seq
  ), own AS (
    SELECT t.kind, t.record_key, t.deal_key, min(t.earliest) AS earliest, min(t.reversed_on) AS reversed_on
    FROM touched t GROUP BY t.kind, t.record_key, t.deal_key
  ), record AS MATERIALIZED (
    SELECT o.*,
      -- known_since(), written out: a call for each record costs more than its look-up.
      coalesce((SELECT p.since FROM presence p WHERE p.kind = o.kind AND p.record_key = o.record_key
          AND p.known_seq <= last_seq ORDER BY p.known_seq DESC LIMIT 1), r.booked_on) AS known
    FROM own o CROSS JOIN LATERAL (
      SELECT booked_on, follows_journals FROM deal WHERE o.kind = 'deal' AND key = o.record_key
      UNION ALL SELECT booked_on, follows_journals FROM facility WHERE o.kind = 'facility' AND key = o.record_key
      UNION ALL SELECT booked_on, follows_journals FROM loan_contract
        WHERE o.kind = 'contract' AND key = o.record_key
      UNION ALL SELECT booked_on, follows_journals FROM lender_position
        WHERE o.kind = 'position' AND key = o.record_key
    ) r
    WHERE o.kind = 'deal' OR NOT r.follows_journals
  ), stated AS MATERIALIZED (
    SELECT r.kind, r.record_key, r.deal_key,
      -- Only what is taken back or put back on that date, or before it, can move it to a later one.
      CASE WHEN r.reversed_on <= r.known THEN since_by_journals(r.kind, r.record_key, last_seq)
        ELSE least(r.earliest, r.known) END AS since, r.known
    FROM record r
  ), changed AS MATERIALIZED (
    SELECT * FROM stated WHERE since <> known
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
        FROM journal WHERE seq BETWEEN first_seq AND last_seq AND effective_date IS NOT NULL GROUP BY effective_date) d
  CROSS JOIN LATERAL (SELECT coalesce((SELECT b.stands FROM book_date b
    WHERE b.effective_date = d.effective_date ORDER BY b.known_seq DESC LIMIT 1), false) AS so
    ) stood
  -- By look-ups of the date's journals; otherwise a plan may ask of every journal of the book.
  CROSS JOIN LATERAL (SELECT NOT d.reversed OR EXISTS (SELECT FROM journal j
    WHERE j.effective_date = d.effective_date AND j.seq <= last_seq AND j.reverses_seq IS NULL
      AND journal_stands(j.seq, last_seq) OFFSET 0) AS so OFFSET 0) now_stands
  WHERE stood.so <> now_stands.so;
END $$;

-- Records whose import is taken back, and which no journal names.
CREATE FUNCTION extend_unposted_presence(first_seq bigint, last_seq bigint) RETURNS void
LANGUAGE sql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET jit = off AS $$
  INSERT INTO presence (kind, record_key, known_seq, deal_key, since)
  SELECT r.kind, r.key, $2, d.key, s.since
  FROM (SELECT seq FROM journal_standing WHERE known_seq BETWEEN $1 AND $2) t
  JOIN deal d ON d.booked_seq = t.seq AND d.follows_journals AND booked_without_journal(d)
  CROSS JOIN LATERAL (SELECT since_by_journals('deal', d.key, $2) AS since) s
  CROSS JOIN LATERAL (
    SELECT 'deal' AS kind, d.key
    UNION ALL SELECT 'facility', key FROM facility WHERE deal_key = d.key AND follows_journals
    UNION ALL SELECT 'contract', key FROM loan_contract WHERE deal_key = d.key AND follows_journals
    UNION ALL SELECT 'position', key FROM lender_position WHERE deal_key = d.key AND follows_journals) r
  WHERE s.since <> known_since(r.kind, r.key, $2)
  ON CONFLICT DO NOTHING
$$;

CREATE INDEX journal_standing_known ON journal_standing (known_seq);
CREATE INDEX presence_known ON presence (known_seq);
