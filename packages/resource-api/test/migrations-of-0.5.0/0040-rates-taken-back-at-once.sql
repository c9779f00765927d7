-- A rate that comes in after its days were billed, together with the journal that takes it back: both are
-- noted. The second was not, because its journal is written before the rates of the transaction.
CREATE OR REPLACE FUNCTION note_late_rates() RETURNS trigger LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  INSERT INTO late_accrual_fact (facility_key, contract_key, effective_date, known_seq, deal_key)
  SELECT DISTINCT r.facility_key, r.contract_key, r.start_date, k.seq, r.deal_key
  FROM inserted r CROSS JOIN LATERAL (
    SELECT r.known_seq AS seq UNION ALL SELECT reversals_of(r.known_seq)) k
  WHERE EXISTS (SELECT FROM accrual_settlement a
    WHERE a.facility_key = r.facility_key AND a.contract_key = r.contract_key
      AND a.settled_through > r.start_date)
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
