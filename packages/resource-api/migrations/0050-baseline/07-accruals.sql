-- What accrues, what was billed of it, and what became known of days that were billed.

-- A row is a rate from its start date on, until the next one. A rate of 0 stops the accrual.
CREATE TABLE rate_period (
  facility_key bigint NOT NULL REFERENCES facility,
  -- 0: of the facility itself.
  contract_key bigint NOT NULL,
  component accrual_component NOT NULL,
  start_date date NOT NULL,
  known_seq bigint NOT NULL REFERENCES journal,
  deal_key bigint NOT NULL REFERENCES deal,
  -- Fractions a year: 0.0475 is 4.75 %.
  all_in_rate numeric(20, 12) NOT NULL,
  base_rate_index text,
  base_rate numeric(20, 12), spread numeric(20, 12), csa numeric(20, 12),
  PRIMARY KEY (facility_key, contract_key, component, start_date, known_seq),
  CHECK ((component IN ('interest', 'pik')) = (contract_key <> 0))
);

-- A row is that an accrual was billed or capitalised through a date, exclusive: it begins anew from there.
CREATE TABLE accrual_settlement (
  facility_key bigint NOT NULL REFERENCES facility,
  contract_key bigint NOT NULL,
  component accrual_component NOT NULL,
  effective_date date NOT NULL,
  known_seq bigint NOT NULL REFERENCES journal,
  deal_key bigint NOT NULL REFERENCES deal,
  settled_through date NOT NULL,
  -- The first day that a bill settles; null: the first day that accrues. It follows from the bills
  -- that stood when the bill was posted, and stays when one of those is reversed later. Where it is
  -- `settled_through`, nothing is settled: so with a reversal, which takes a bill back by itself.
  settled_from date,
  PRIMARY KEY (facility_key, contract_key, component, effective_date, known_seq)
);

-- A row is something that became known after a bill and changes a day that the bill settled: principal, an
-- unfunded amount, a rate. A read works out again only bills that something here is later than.
CREATE TABLE late_accrual_fact (
  facility_key bigint NOT NULL REFERENCES facility,
  contract_key bigint NOT NULL,
  effective_date date NOT NULL,
  known_seq bigint NOT NULL REFERENCES journal,
  deal_key bigint NOT NULL REFERENCES deal,
  PRIMARY KEY (facility_key, contract_key, known_seq, effective_date)
);

-- Whether something accrues on an account. In a form that the planner writes into the statements that use it.
CREATE FUNCTION accrues_on(account ledger_account) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT account IN ('PRINCIPAL_CASH', 'PRINCIPAL_PIK', 'UNFUNDED', 'LETTER_OF_CREDIT')
$$;

-- The first day that a bill settles, by the bills that stood when it was posted.
CREATE FUNCTION settlement_start(a accrual_settlement) RETURNS date
LANGUAGE plpgsql STABLE SET jit = off SET enable_seqscan = off AS $$
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

-- Bills state through when they settle; from when follows.
CREATE FUNCTION set_settlement_start() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.settled_from := settlement_start(NEW);
  RETURN NEW;
END $$;

-- Postings of days that were billed; the facility around a sublimit accrues on what the sublimit leaves unfunded.
CREATE FUNCTION note_late_postings() RETURNS trigger LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM accrual_settlement) THEN RETURN NULL; END IF;
  INSERT INTO late_accrual_fact (facility_key, contract_key, effective_date, known_seq, deal_key)
  SELECT DISTINCT l.facility_key, l.contract_key, p.effective_date, p.journal_seq, l.deal_key
  FROM inserted p CROSS JOIN LATERAL (
    SELECT key, parent_line_key FROM balance_line WHERE key = p.line_key OFFSET 0
  ) own CROSS JOIN LATERAL (
    SELECT * FROM balance_line WHERE key IN (own.key, own.parent_line_key) OFFSET 0
  ) l
  WHERE accrues_on(p.account) AND EXISTS (SELECT FROM accrual_settlement a
      WHERE a.facility_key = l.facility_key AND a.contract_key = l.contract_key
        AND a.settled_through > p.effective_date)
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

-- Rates of days that were billed; also one that comes together with the journal that takes it back, which is
-- written before the rates of the transaction.
CREATE FUNCTION note_late_rates() RETURNS trigger LANGUAGE plpgsql
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

-- Rates of days that were billed, taken back by a reversal.
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

-- What the book already knew of days that a new bill settles, with rates that were taken back after them.
CREATE FUNCTION note_facts_after_bills() RETURNS trigger LANGUAGE plpgsql
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
  WHERE accrues_on(p.account) AND EXISTS (SELECT FROM journal WHERE seq = a.known_seq + 1)
  UNION
  SELECT r.facility_key, r.contract_key, r.start_date, k.seq, r.deal_key
  FROM inserted a
  CROSS JOIN LATERAL (SELECT * FROM rate_period
    WHERE facility_key = a.facility_key AND contract_key = a.contract_key
      AND start_date < a.settled_through OFFSET 0) r
  CROSS JOIN LATERAL (
    SELECT r.known_seq AS seq
    UNION ALL
    -- Few rates are taken back: the function is called for those.
    SELECT c.seq FROM (SELECT seq FROM journal WHERE reverses_seq = r.known_seq OFFSET 0) t
    CROSS JOIN LATERAL (SELECT t.seq UNION ALL SELECT reversals_of(t.seq)) c(seq)) k
  WHERE k.seq > a.known_seq
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

-- Terms that became known after a bill, or were taken back after it, and change on which of its days a
-- commitment fee accrued.
CREATE FUNCTION late_terms(facilities bigint[])
RETURNS TABLE (facility_key bigint, effective_date date, known_seq bigint, deal_key bigint)
LANGUAGE sql STABLE
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
  SELECT DISTINCT t.facility_key, t.effective_date, k.seq, t.deal_key
  FROM unnest(facilities) f (key)
  CROSS JOIN LATERAL (SELECT FROM accrual_settlement
    WHERE facility_key = f.key AND contract_key = 0 LIMIT 1) billed
  CROSS JOIN LATERAL (SELECT * FROM facility_terms WHERE facility_key = f.key OFFSET 0) t
  CROSS JOIN LATERAL (
    SELECT t.known_seq AS seq UNION ALL SELECT reversals_of(t.known_seq)) k
  WHERE EXISTS (SELECT FROM accrual_settlement a WHERE a.facility_key = t.facility_key AND a.contract_key = 0
      AND a.known_seq < k.seq AND a.settled_through > t.effective_date)
$$;

-- Each of the three may come last: the terms, the journal that takes them back, and the bill.
CREATE FUNCTION note_late_terms() RETURNS trigger LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  facilities bigint[];
BEGIN
  IF TG_TABLE_NAME = 'journal' THEN
    facilities := ARRAY(SELECT DISTINCT t.facility_key FROM inserted i CROSS JOIN LATERAL (
        SELECT facility_key FROM facility_terms WHERE known_seq = first_reversed(i.seq) OFFSET 0) t
      WHERE i.reverses_seq IS NOT NULL);
  ELSE
    facilities := ARRAY(SELECT DISTINCT facility_key FROM inserted);
  END IF;
  IF facilities = '{}' THEN RETURN NULL; END IF;
  INSERT INTO late_accrual_fact (facility_key, contract_key, effective_date, known_seq, deal_key)
  SELECT t.facility_key, 0, t.effective_date, t.known_seq, t.deal_key FROM late_terms(facilities) t
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE TRIGGER set_settlement_start BEFORE INSERT ON accrual_settlement
  FOR EACH ROW EXECUTE FUNCTION set_settlement_start();

CREATE INDEX rate_period_deal ON rate_period (deal_key);
CREATE INDEX accrual_settlement_through ON accrual_settlement (facility_key, contract_key, settled_through);
CREATE INDEX rate_period_known ON rate_period (known_seq);
CREATE INDEX accrual_settlement_known ON accrual_settlement (known_seq);
