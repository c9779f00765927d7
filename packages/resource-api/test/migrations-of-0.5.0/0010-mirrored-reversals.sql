-- A reversal takes back all of one journal, on its date; and a drawing beyond the commitment says
-- that it is one.

ALTER TABLE journal ADD COLUMN overadvance boolean NOT NULL DEFAULT false;

-- Drawings on facilities that were ever drawn beyond their commitment: until now none said so.
ALTER TABLE journal DISABLE TRIGGER USER;
UPDATE journal j SET overadvance = true
WHERE j.reverses_seq IS NULL AND EXISTS (
  SELECT FROM posting p JOIN balance_line l ON l.key = p.line_key
  JOIN balance_line f ON f.facility_key = l.facility_key AND f.contract_key = 0 AND f.lender_key = 0
  WHERE p.journal_seq = j.seq AND l.lender_key = 0 AND p.amount_minor > 0
    AND (p.movement = 'advance' OR p.account = 'LETTER_OF_CREDIT')
    AND EXISTS (SELECT FROM balance b WHERE b.line_key = f.key AND b.unfunded < 0));
ALTER TABLE journal ENABLE TRIGGER USER;

-- At the end of the transaction, when journals have their postings; all of its reversals at once.
CREATE FUNCTION check_reversals() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
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
      SELECT FROM posting p WHERE p.journal_seq IN (r.seq, r.reverses_seq)
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
CREATE CONSTRAINT TRIGGER check_reversals AFTER INSERT ON journal
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.reverses_seq IS NOT NULL)
  EXECUTE FUNCTION check_reversals();
