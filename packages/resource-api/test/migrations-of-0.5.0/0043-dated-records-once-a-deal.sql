-- Whether a deal has records with a date of their own was looked up for each of its journals: an import of
-- many journals of a deal with many contracts took their product.
CREATE OR REPLACE FUNCTION extend_presence(first_seq bigint, last_seq bigint) RETURNS void LANGUAGE plpgsql
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
          EXISTS (SELECT FROM facility
            WHERE deal_key = posted.deal_key AND NOT follows_journals OFFSET 0)
          OR EXISTS (SELECT FROM loan_contract
            WHERE deal_key = posted.deal_key AND NOT follows_journals OFFSET 0)
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
    SELECT 'facility', x.facility_key, j.deal_key,
      CASE WHEN NOT j.reverses THEN j.effective_date END,
      CASE WHEN j.reverses THEN j.effective_date END
    FROM telling j JOIN facility_terms x ON x.known_seq = j.terms_seq
    UNION ALL
    SELECT 'contract', x.contract_key, j.deal_key,
      CASE WHEN NOT j.reverses THEN j.effective_date END,
      CASE WHEN j.reverses THEN j.effective_date END
    FROM telling j JOIN contract_terms x ON x.known_seq = j.terms_seq
  ), own AS (
    SELECT t.kind, t.record_key, t.deal_key, min(t.earliest) AS earliest,
      min(t.reversed_on) AS reversed_on
    FROM touched t GROUP BY t.kind, t.record_key, t.deal_key
  ), record AS MATERIALIZED (
    SELECT o.*,
      -- known_since(), written out: a call for each record costs more than its look-up.
      coalesce((SELECT p.since FROM presence p WHERE p.kind = o.kind AND p.record_key = o.record_key
          AND p.known_seq <= last_seq ORDER BY p.known_seq DESC LIMIT 1), r.booked_on) AS known
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
      -- Only what is taken back or put back on that date, or before it, can move it to a later one.
      CASE WHEN r.reversed_on <= r.known
        THEN since_by_journals(r.kind, r.record_key, last_seq)
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
        FROM journal WHERE seq BETWEEN first_seq AND last_seq GROUP BY effective_date) d
  CROSS JOIN LATERAL (SELECT coalesce((SELECT b.stands FROM book_date b
    WHERE b.effective_date = d.effective_date ORDER BY b.known_seq DESC LIMIT 1), false) AS so
    ) stood
  -- By look-ups of the date's journals; otherwise a plan may ask of every journal of the book.
  CROSS JOIN LATERAL (SELECT NOT d.reversed OR EXISTS (SELECT FROM journal j
    WHERE j.effective_date = d.effective_date AND j.seq <= last_seq AND j.reverses_seq IS NULL
      AND journal_stands(j.seq, last_seq) OFFSET 0) AS so OFFSET 0) now_stands
  WHERE stood.so <> now_stands.so;
END $$;
