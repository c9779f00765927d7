-- A rate whose journal was taken back counts no more, as everything else that a journal says. Its
-- reversal is a late fact where it changes days that were billed: those are worked out again.

-- Reversals of a journal, and the reversals of those.
CREATE FUNCTION reversals_of(asked bigint) RETURNS SETOF bigint LANGUAGE sql STABLE
SET jit = off SET enable_seqscan = off AS $$
  WITH RECURSIVE chain(seq) AS (
    SELECT seq FROM journal WHERE reverses_seq = asked
    UNION
    SELECT j.seq FROM chain CROSS JOIN LATERAL (
      SELECT seq FROM journal WHERE reverses_seq = chain.seq OFFSET 0) j
  )
  SELECT seq FROM chain
$$;

-- The journal that a reversal, or a reversal of a reversal, began with.
CREATE FUNCTION first_reversed(asked bigint) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
  current_seq bigint := asked;
  before_seq bigint;
BEGIN
  LOOP
    SELECT reverses_seq INTO before_seq FROM journal WHERE seq = current_seq;
    EXIT WHEN before_seq IS NULL;
    current_seq := before_seq;
  END LOOP;
  RETURN current_seq;
END $$;

CREATE FUNCTION note_reversed_rates() RETURNS trigger LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  INSERT INTO late_accrual_fact (facility_key, contract_key, effective_date, known_seq, deal_key)
  SELECT DISTINCT r.facility_key, r.contract_key, r.start_date, i.seq, r.deal_key
  FROM inserted i CROSS JOIN LATERAL (
    SELECT * FROM rate_period WHERE known_seq = first_reversed(i.seq) OFFSET 0
  ) r
  WHERE i.reverses_seq IS NOT NULL AND EXISTS (SELECT FROM accrual_settlement a
    WHERE a.facility_key = r.facility_key AND a.contract_key = r.contract_key
      AND a.settled_through > r.start_date)
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER note_reversed_rates AFTER INSERT ON journal
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION note_reversed_rates();

-- As before, with rates that were taken back after the bill.
CREATE OR REPLACE FUNCTION note_facts_after_bills() RETURNS trigger LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  INSERT INTO late_accrual_fact (facility_key, contract_key, effective_date, known_seq, deal_key)
  SELECT l.facility_key, l.contract_key, p.effective_date, p.journal_seq, l.deal_key
  FROM inserted a
  CROSS JOIN LATERAL (SELECT * FROM balance_line
    WHERE facility_key = a.facility_key AND contract_key = a.contract_key OFFSET 0) l
  CROSS JOIN LATERAL (
    SELECT l.key AS line_key
    UNION ALL SELECT key FROM balance_line WHERE parent_line_key = l.key) u
  CROSS JOIN LATERAL (SELECT * FROM posting
    WHERE line_key = u.line_key AND effective_date < a.settled_through AND journal_seq > a.known_seq
    OFFSET 0) p
  WHERE accrues_on(p.account)
    AND EXISTS (SELECT FROM journal WHERE seq = a.known_seq + 1)
  UNION
  SELECT r.facility_key, r.contract_key, r.start_date, k.seq, r.deal_key
  FROM inserted a
  CROSS JOIN LATERAL (SELECT * FROM rate_period
    WHERE facility_key = a.facility_key AND contract_key = a.contract_key
      AND start_date < a.settled_through OFFSET 0) r
  CROSS JOIN LATERAL (
    SELECT r.known_seq AS seq UNION ALL SELECT reversals_of(r.known_seq)) k
  WHERE k.seq > a.known_seq
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

INSERT INTO late_accrual_fact (facility_key, contract_key, effective_date, known_seq, deal_key)
SELECT DISTINCT r.facility_key, r.contract_key, r.start_date, k.seq, r.deal_key
FROM journal j
JOIN rate_period r ON r.known_seq = j.seq
CROSS JOIN LATERAL (SELECT reversals_of(j.seq) AS seq) k
JOIN accrual_settlement a ON a.facility_key = r.facility_key AND a.contract_key = r.contract_key
  AND a.settled_through > r.start_date AND k.seq > a.known_seq
WHERE EXISTS (SELECT FROM journal x WHERE x.reverses_seq = j.seq)
ON CONFLICT DO NOTHING;
