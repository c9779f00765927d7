-- Which records a statement booked is told by the names that it gave them. The sequence alone does
-- not tell: subjects of a file without journals have the one of the last journal before them, and that
-- may be a statement's.
--
-- Loans of a statement that had no amounts have no journal of it in books from before: imports post
-- one for each loan now. Such a loan is there while the import stands that booked it.

CREATE INDEX deal_booked_seq ON deal (booked_seq);

CREATE FUNCTION booked_by_import(d deal) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT i.key FROM journal b JOIN import_batch i ON i.key = b.import_key
  WHERE b.seq = d.booked_seq AND d.booked_on = i.as_of
    AND EXISTS (SELECT FROM external_id x WHERE x.entity_id = d.id AND x.source = i.source)
$$;

CREATE FUNCTION booked_without_journal(d deal) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM booked_by_import(d) AS i (key) WHERE i.key IS NOT NULL
    AND NOT EXISTS (SELECT FROM journal j
      WHERE j.deal_key = d.key AND j.import_key = i.key AND j.reverses_seq IS NULL))
$$;

CREATE OR REPLACE FUNCTION since_by_journals(kind text, record_key bigint, last_seq bigint) RETURNS date
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN coalesce(CASE $1
    WHEN 'deal' THEN (
      SELECT least(CASE WHEN NOT d.follows_journals THEN d.booked_on END, (
        SELECT j.effective_date FROM journal j
        WHERE j.deal_key = d.key AND j.seq <= $3 AND j.reverses_seq IS NULL
          AND journal_stands(j.seq, $3)
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
    UNION ALL SELECT 'position', key FROM lender_position
      WHERE deal_key = d.key AND follows_journals) r
  WHERE s.since <> known_since(r.kind, r.key, $2)
  ON CONFLICT DO NOTHING
$$;

CREATE OR REPLACE FUNCTION extend_presence() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  done bigint := coalesce(nullif(current_setting('cls.presence_through', true), ''), '0')::bigint;
  last_seq bigint;
BEGIN
  IF NEW.seq <= done THEN RETURN NULL; END IF;
  SELECT max(seq) INTO last_seq FROM journal;
  PERFORM extend_presence(NEW.seq, last_seq);
  PERFORM extend_unposted_presence(NEW.seq, last_seq);
  PERFORM set_config('cls.presence_through', last_seq::text, true);
  RETURN NULL;
END $$;

-- Books from before. Records with a stated date, whose sequence is a statement's, were taken for
-- records of the statement.
DO $$
DECLARE
  stated bigint[] := ARRAY(SELECT d.key FROM deal d JOIN journal b ON b.seq = d.booked_seq
    WHERE b.import_key IS NOT NULL AND booked_by_import(d) IS NULL);
  imported bigint[] := ARRAY(SELECT d.key FROM deal d WHERE booked_without_journal(d));
  batch record;
BEGIN
  IF stated || imported = '{}' THEN RETURN; END IF;
  UPDATE deal SET follows_journals = key = ANY (imported) WHERE key = ANY (stated || imported);
  UPDATE facility r SET follows_journals = d.follows_journals AND r.booked_seq = d.booked_seq
  FROM deal d WHERE d.key = r.deal_key AND d.key = ANY (stated || imported);
  UPDATE loan_contract r SET follows_journals = d.follows_journals AND r.booked_seq = d.booked_seq
  FROM deal d WHERE d.key = r.deal_key AND d.key = ANY (stated || imported);
  UPDATE lender_position r SET follows_journals = d.follows_journals AND r.booked_seq = d.booked_seq
  FROM deal d WHERE d.key = r.deal_key AND d.key = ANY (stated || imported);

  -- What follows from these records is made anew. No release had it before, so that nobody keeps a
  -- head of the chain.
  ALTER TABLE presence DISABLE TRIGGER USER;
  ALTER TABLE book_date DISABLE TRIGGER USER;
  ALTER TABLE journal_hash DISABLE TRIGGER USER;
  DELETE FROM presence;
  DELETE FROM book_date;
  DELETE FROM journal_hash;
  FOR batch IN SELECT min(seq) AS first, max(seq) AS last FROM journal
               GROUP BY posted_at ORDER BY min(seq) LOOP
    PERFORM extend_presence(batch.first, batch.last);
    PERFORM extend_unposted_presence(batch.first, batch.last);
  END LOOP;
  PERFORM extend_chain();
  ALTER TABLE presence ENABLE TRIGGER USER;
  ALTER TABLE book_date ENABLE TRIGGER USER;
  ALTER TABLE journal_hash ENABLE TRIGGER USER;
END $$;
