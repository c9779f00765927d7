-- Bills that are corrected or taken back: what a journal corrects, which days a bill settles, and
-- what became known after a bill and changes days that it settled.

ALTER TABLE journal ADD COLUMN corrects_seq bigint REFERENCES journal;
CREATE INDEX journal_corrects ON journal (corrects_seq) WHERE corrects_seq IS NOT NULL;

-- A journal that was reversed does not stand, unless its reversal was reversed too.
CREATE FUNCTION journal_stands(asked bigint, known bigint) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
DECLARE
  current_seq bigint := asked;
  stands boolean := true;
BEGIN
  LOOP
    SELECT seq INTO current_seq FROM journal WHERE reverses_seq = current_seq AND seq <= known;
    EXIT WHEN NOT FOUND;
    stands := NOT stands;
  END LOOP;
  RETURN stands;
END $$;

-- The first day that a bill settles; null: the first day that accrues. It follows from the bills
-- that stood when the bill was posted, and stays when one of those is reversed later. Where it is
-- `settled_through`, nothing is settled: so with a reversal, which takes a bill back by itself.
ALTER TABLE accrual_settlement ADD COLUMN settled_from date;
CREATE INDEX accrual_settlement_through
  ON accrual_settlement (facility_key, contract_key, settled_through);

CREATE FUNCTION settlement_start(a accrual_settlement) RETURNS date
LANGUAGE plpgsql STABLE SET enable_seqscan = off AS $$
BEGIN
  IF EXISTS (SELECT FROM journal WHERE seq = a.known_seq AND reverses_seq IS NOT NULL) THEN
    RETURN a.settled_through;
  END IF;
  RETURN (SELECT max(b.settled_through) FROM accrual_settlement b
    WHERE b.facility_key = a.facility_key AND b.contract_key = a.contract_key
      AND b.component = a.component AND b.known_seq < a.known_seq
      AND b.settled_through <= a.settled_through
      AND b.settled_from IS DISTINCT FROM b.settled_through
      AND journal_stands(b.known_seq, a.known_seq));
END $$;

CREATE FUNCTION set_settlement_start() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.settled_from := settlement_start(NEW);
  RETURN NEW;
END $$;
CREATE TRIGGER set_settlement_start BEFORE INSERT ON accrual_settlement
  FOR EACH ROW EXECUTE FUNCTION set_settlement_start();

ALTER TABLE accrual_settlement DISABLE TRIGGER append_only;
DO $$
DECLARE a accrual_settlement;
BEGIN
  FOR a IN SELECT * FROM accrual_settlement ORDER BY known_seq LOOP
    UPDATE accrual_settlement b SET settled_from = settlement_start(a)
    WHERE b.facility_key = a.facility_key AND b.contract_key = a.contract_key
      AND b.component = a.component AND b.effective_date = a.effective_date
      AND b.known_seq = a.known_seq;
  END LOOP;
END $$;
ALTER TABLE accrual_settlement ENABLE TRIGGER append_only;

-- Principal, unfunded amounts and rates that became known after a bill and change days that it
-- settled. A read works out again only bills that something here is later than.
CREATE TABLE late_accrual_fact (
  facility_key bigint NOT NULL REFERENCES facility,
  contract_key bigint NOT NULL,
  effective_date date NOT NULL,
  known_seq bigint NOT NULL REFERENCES journal,
  deal_key bigint NOT NULL REFERENCES deal,
  PRIMARY KEY (facility_key, contract_key, known_seq, effective_date)
);
ALTER TABLE late_accrual_fact ENABLE ROW LEVEL SECURITY;
CREATE POLICY reader ON late_accrual_fact FOR SELECT TO cls_reader USING (
  current_setting('cls.full_control', true) = 'on' OR EXISTS (
    SELECT FROM entitlement e WHERE e.customer_id = current_setting('cls.customer', true)
      AND e.deal_key = late_accrual_fact.deal_key));
GRANT SELECT ON late_accrual_fact TO cls_reader;

CREATE FUNCTION accrues_on(account ledger_account) RETURNS boolean LANGUAGE sql IMMUTABLE
RETURN account::text IN ('PRINCIPAL_CASH', 'PRINCIPAL_PIK', 'UNFUNDED', 'LETTER_OF_CREDIT');

CREATE FUNCTION note_late_postings() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  INSERT INTO late_accrual_fact (facility_key, contract_key, effective_date, known_seq, deal_key)
  SELECT DISTINCT l.facility_key, l.contract_key, p.effective_date, p.journal_seq, l.deal_key
  FROM inserted p CROSS JOIN LATERAL (
    SELECT * FROM balance_line WHERE key = p.line_key OFFSET 0
  ) l
  WHERE accrues_on(p.account) AND EXISTS (SELECT FROM accrual_settlement a
    WHERE a.facility_key = l.facility_key AND a.contract_key = l.contract_key
      AND a.settled_through > p.effective_date)
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER note_late_postings AFTER INSERT ON posting
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION note_late_postings();

CREATE FUNCTION note_late_rates() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  INSERT INTO late_accrual_fact (facility_key, contract_key, effective_date, known_seq, deal_key)
  SELECT DISTINCT r.facility_key, r.contract_key, r.start_date, r.known_seq, r.deal_key
  FROM inserted r WHERE EXISTS (SELECT FROM accrual_settlement a
    WHERE a.facility_key = r.facility_key AND a.contract_key = r.contract_key
      AND a.settled_through > r.start_date)
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER note_late_rates AFTER INSERT ON rate_period
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION note_late_rates();

-- What is later than a bill and is in the same transaction may have been written before it.
CREATE FUNCTION note_facts_after_bills() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  INSERT INTO late_accrual_fact (facility_key, contract_key, effective_date, known_seq, deal_key)
  SELECT l.facility_key, l.contract_key, p.effective_date, p.journal_seq, l.deal_key
  FROM inserted a
  CROSS JOIN LATERAL (SELECT * FROM balance_line
    WHERE facility_key = a.facility_key AND contract_key = a.contract_key OFFSET 0) l
  CROSS JOIN LATERAL (SELECT * FROM posting
    WHERE line_key = l.key AND effective_date < a.settled_through AND journal_seq > a.known_seq
    OFFSET 0) p
  WHERE accrues_on(p.account)
    AND EXISTS (SELECT FROM journal WHERE seq = a.known_seq + 1)
  UNION
  SELECT r.facility_key, r.contract_key, r.start_date, r.known_seq, r.deal_key
  FROM inserted a CROSS JOIN LATERAL (SELECT * FROM rate_period
    WHERE facility_key = a.facility_key AND contract_key = a.contract_key
      AND start_date < a.settled_through AND known_seq > a.known_seq OFFSET 0) r
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

INSERT INTO late_accrual_fact (facility_key, contract_key, effective_date, known_seq, deal_key)
SELECT l.facility_key, l.contract_key, p.effective_date, p.journal_seq, l.deal_key
FROM accrual_settlement a
JOIN balance_line l ON l.facility_key = a.facility_key AND l.contract_key = a.contract_key
JOIN posting p ON p.line_key = l.key AND p.effective_date < a.settled_through
  AND p.journal_seq > a.known_seq
WHERE accrues_on(p.account)
UNION
SELECT r.facility_key, r.contract_key, r.start_date, r.known_seq, r.deal_key
FROM accrual_settlement a
JOIN rate_period r ON r.facility_key = a.facility_key AND r.contract_key = a.contract_key
  AND r.start_date < a.settled_through AND r.known_seq > a.known_seq;

CREATE TRIGGER note_facts_after_bills AFTER INSERT ON accrual_settlement
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION note_facts_after_bills();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON late_accrual_fact
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
