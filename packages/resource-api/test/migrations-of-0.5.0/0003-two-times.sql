-- What a ledger of two times needs besides postings: terms, rates and settled accruals that carry
-- an effective date and a sequence as balances do, one posting time per transaction, due dates,
-- closed periods, and more of the market's model.

ALTER TYPE ledger_account ADD VALUE 'LETTER_OF_CREDIT';
ALTER TYPE ledger_account ADD VALUE 'UNAVAILABLE';

ALTER TABLE party ADD COLUMN legal_name text, ADD COLUMN lei text CHECK (lei ~ '^[A-Z0-9]{18}[0-9]{2}$');

ALTER TABLE facility
  ADD COLUMN day_count text NOT NULL DEFAULT 'ACT/360'
    CHECK (day_count IN ('ACT/360', 'ACT/365F', '30/360', 'ACT/ACT')),
  -- After this date nothing may be drawn.
  ADD COLUMN availability_end_date date,
  ADD COLUMN pik_uses_commitment boolean NOT NULL DEFAULT false,
  ADD COLUMN booked_on date,
  ADD COLUMN booked_seq bigint;
ALTER TABLE loan_contract
  ADD COLUMN rolled_from_key bigint REFERENCES loan_contract,
  ADD COLUMN booked_on date,
  ADD COLUMN booked_seq bigint;
ALTER TABLE lender_position
  ADD COLUMN parent_key bigint REFERENCES lender_position,
  ADD COLUMN booked_on date,
  ADD COLUMN booked_seq bigint;
UPDATE facility f SET booked_on = d.booked_on, booked_seq = d.booked_seq
FROM deal d WHERE d.key = f.deal_key;
UPDATE loan_contract c SET booked_on = d.booked_on, booked_seq = d.booked_seq
FROM deal d WHERE d.key = c.deal_key;
UPDATE lender_position p SET booked_on = d.booked_on, booked_seq = d.booked_seq
FROM deal d WHERE d.key = p.deal_key;
ALTER TABLE facility ALTER booked_on SET NOT NULL, ALTER booked_seq SET NOT NULL;
ALTER TABLE loan_contract ALTER booked_on SET NOT NULL, ALTER booked_seq SET NOT NULL;
ALTER TABLE lender_position ALTER booked_on SET NOT NULL, ALTER booked_seq SET NOT NULL;
CREATE INDEX loan_contract_facility ON loan_contract (facility_key);
CREATE INDEX external_id_entity ON external_id (entity_id);

-- An import that was undone may be applied again.
ALTER TABLE import_batch ADD COLUMN reverted_at timestamptz;
ALTER TABLE import_batch DROP CONSTRAINT import_batch_profile_file_sha256_key;
CREATE UNIQUE INDEX import_batch_once ON import_batch (profile, file_sha256)
  WHERE reverted_at IS NULL;

-- One transaction has one posting time, taken under the lock that orders journals: so a posting
-- time never lies between two journals that became known together.
ALTER TABLE journal DISABLE TRIGGER append_only;
UPDATE journal j SET posted_at = batch.posted_at
FROM (SELECT import_key, max(posted_at) AS posted_at FROM journal GROUP BY import_key) batch
WHERE batch.import_key = j.import_key;
ALTER TABLE journal ENABLE TRIGGER append_only;
CREATE FUNCTION posting_time() RETURNS timestamptz LANGUAGE plpgsql AS $$
BEGIN
  IF coalesce(current_setting('cls.posted_at', true), '') = '' THEN
    RAISE EXCEPTION 'journals are posted under the journal lock' USING ERRCODE = '55000';
  END IF;
  RETURN current_setting('cls.posted_at')::timestamptz;
END $$;
ALTER TABLE journal ALTER posted_at SET DEFAULT posting_time(),
  ADD COLUMN source_ref text, ADD COLUMN created_by text;
CREATE INDEX journal_posted ON journal (posted_at, seq);
CREATE UNIQUE INDEX journal_reversed_once ON journal (reverses_seq) WHERE reverses_seq IS NOT NULL;
CREATE INDEX journal_import ON journal (import_key) WHERE import_key IS NOT NULL;

-- When the book first reached a date: a later change at or before it restates what was reported.
CREATE TABLE reported_date (
  effective_date date PRIMARY KEY,
  posted_at timestamptz NOT NULL
);
INSERT INTO reported_date
SELECT reached, min(posted_at)
FROM (SELECT posted_at, max(effective_date) OVER (ORDER BY seq) AS reached FROM journal) j
GROUP BY reached;

-- Books are closed through a date; the newest row counts, so a period is reopened by another.
CREATE TABLE period_close (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  through date NOT NULL,
  reason text NOT NULL,
  decided_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE FUNCTION check_journals() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  first_seq bigint; last_seq bigint; given bigint; last_before bigint;
  earliest date; latest date; closed date;
BEGIN
  SELECT min(seq), max(seq), count(*), min(effective_date), max(effective_date)
  INTO first_seq, last_seq, given, earliest, latest FROM inserted;
  IF given = 0 THEN RETURN NULL; END IF;
  SELECT max(seq) INTO last_before FROM journal WHERE seq < first_seq;
  IF first_seq <> coalesce(last_before, 0) + 1 OR last_seq - first_seq + 1 <> given THEN
    RAISE EXCEPTION 'journals are numbered without gaps, after %', coalesce(last_before, 0)
      USING ERRCODE = '23514', CONSTRAINT = 'journal_gapless';
  END IF;
  SELECT through INTO closed FROM period_close ORDER BY number DESC LIMIT 1;
  IF earliest <= closed THEN
    RAISE EXCEPTION 'the books are closed through %', closed
      USING ERRCODE = '23514', CONSTRAINT = 'period_closed';
  END IF;
  INSERT INTO reported_date
  SELECT latest, (SELECT max(posted_at) FROM inserted)
  WHERE latest > coalesce((SELECT max(effective_date) FROM reported_date), '-infinity');
  RETURN NULL;
END $$;
CREATE TRIGGER check_journals AFTER INSERT ON journal
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION check_journals();

-- When a billed amount is due: past due is what is billed, due before a date and not yet paid.
ALTER TABLE posting ADD COLUMN due_date date,
  ADD CHECK (due_date IS NULL OR account IN ('PRINCIPAL_DUE', 'INTEREST_DUE', 'FEES_DUE'));
CREATE INDEX posting_due ON posting (line_key, account, due_date) WHERE due_date IS NOT NULL;

-- Terms that change, whole at each change, like balances: the newest at or before a date, of what
-- was known. Before the first of them stands what the record was booked with.
CREATE TABLE deal_terms (
  deal_key bigint NOT NULL REFERENCES deal,
  effective_date date NOT NULL,
  known_seq bigint NOT NULL REFERENCES journal,
  status text NOT NULL CHECK (status IN ('pending', 'active', 'matured', 'terminated')),
  PRIMARY KEY (deal_key, effective_date, known_seq)
);
CREATE TABLE facility_terms (
  facility_key bigint NOT NULL REFERENCES facility,
  deal_key bigint NOT NULL REFERENCES deal,
  effective_date date NOT NULL,
  known_seq bigint NOT NULL REFERENCES journal,
  status text NOT NULL CHECK (status IN ('pending', 'active', 'matured', 'terminated')),
  maturity_date date,
  availability_end_date date,
  PRIMARY KEY (facility_key, effective_date, known_seq)
);
CREATE TABLE contract_terms (
  contract_key bigint NOT NULL REFERENCES loan_contract,
  deal_key bigint NOT NULL REFERENCES deal,
  effective_date date NOT NULL,
  known_seq bigint NOT NULL REFERENCES journal,
  status text NOT NULL CHECK (status IN ('pending', 'active', 'repaid', 'written_off')),
  maturity_date date,
  all_in_rate numeric(20, 12),
  PRIMARY KEY (contract_key, effective_date, known_seq)
);

-- What accrues, and on what: interest and PIK on a contract's outstanding principal, a commitment
-- fee on a facility's unfunded amount, a letter of credit fee on its exposure.
CREATE TYPE accrual_component AS ENUM ('interest', 'pik', 'commitment_fee', 'letter_of_credit_fee');

-- A rate from its start date on, until the next one. A rate of 0 stops the accrual.
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
  base_rate numeric(20, 12),
  spread numeric(20, 12),
  csa numeric(20, 12),
  PRIMARY KEY (facility_key, contract_key, component, start_date, known_seq),
  CHECK ((component IN ('interest', 'pik')) = (contract_key <> 0))
);
CREATE INDEX rate_period_deal ON rate_period (deal_key);

-- Through when an accrual was billed or capitalised, exclusive: it begins anew from there.
CREATE TABLE accrual_settlement (
  facility_key bigint NOT NULL REFERENCES facility,
  contract_key bigint NOT NULL,
  component accrual_component NOT NULL,
  effective_date date NOT NULL,
  known_seq bigint NOT NULL REFERENCES journal,
  deal_key bigint NOT NULL REFERENCES deal,
  settled_through date NOT NULL,
  PRIMARY KEY (facility_key, contract_key, component, effective_date, known_seq)
);

-- Rates between currencies, for reports in another currency; the newest row of a date counts.
CREATE TABLE fx_rate (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  rate_date date NOT NULL,
  from_currency text NOT NULL,
  to_currency text NOT NULL,
  rate numeric(30, 15) NOT NULL CHECK (rate > 0),
  source text NOT NULL,
  known_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX fx_rate_pair ON fx_rate (from_currency, to_currency, rate_date, number);

DO $$
DECLARE
  sees_deal constant text := 'current_setting(''cls.full_control'', true) = ''on'' OR EXISTS (
    SELECT FROM entitlement e
    WHERE e.customer_id = current_setting(''cls.customer'', true) AND e.deal_key = %1$I.deal_key)';
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['deal_terms', 'facility_terms', 'contract_terms', 'rate_period',
                              'accrual_settlement'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY reader ON %1$I FOR SELECT TO cls_reader USING (' || sees_deal || ')',
      name);
    EXECUTE format('GRANT SELECT ON %I TO cls_reader', name);
  END LOOP;
  FOREACH name IN ARRAY ARRAY['deal_terms', 'facility_terms', 'contract_terms', 'rate_period',
                              'accrual_settlement', 'period_close', 'fx_rate', 'reported_date'] LOOP
    EXECUTE format('CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON %I
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()', name);
  END LOOP;
END $$;
CREATE TRIGGER announce AFTER INSERT ON fx_rate
  FOR EACH STATEMENT EXECUTE FUNCTION announce_change();

-- What happened to commitments, from the postings.
CREATE VIEW commitment_event WITH (security_invoker = true) AS
SELECT j.seq, j.id AS journal_id, j.type AS kind, j.effective_date, l.facility_key, l.lender_key,
  l.currency,
  sum(p.amount_minor) FILTER (WHERE p.account = 'ORIGINAL_COMMITMENT') AS original_minor,
  sum(p.amount_minor) FILTER (WHERE p.account = 'CANCELLED_COMMITMENT') AS cancelled_minor,
  sum(p.amount_minor) FILTER (WHERE p.account = 'UNFUNDED') AS unfunded_minor
FROM posting p JOIN journal j ON j.seq = p.journal_seq JOIN balance_line l ON l.key = p.line_key
WHERE p.account IN ('ORIGINAL_COMMITMENT', 'CANCELLED_COMMITMENT', 'UNFUNDED')
GROUP BY j.seq, l.facility_key, l.lender_key, l.currency;

-- What was billed, with its due date; what was paid of it follows from the due accounts.
CREATE VIEW due_item WITH (security_invoker = true) AS
SELECT p.journal_seq, p.line_key, p.account, p.effective_date AS billed_on, p.due_date,
  p.amount_minor
FROM posting p WHERE p.due_date IS NOT NULL;
GRANT SELECT ON commitment_event, due_item TO cls_reader;

ALTER TABLE balance
  ADD COLUMN letter_of_credit bigint NOT NULL DEFAULT 0,
  ADD COLUMN unavailable bigint NOT NULL DEFAULT 0,
  -- Postings of principal so far, and how many of them reverse others.
  ADD COLUMN movement_count bigint NOT NULL DEFAULT 0,
  ADD COLUMN reversal_count bigint NOT NULL DEFAULT 0;
ALTER TABLE balance DISABLE TRIGGER append_only;
UPDATE balance b SET movement_count = (
  SELECT count(*) FROM posting p WHERE p.line_key = b.line_key AND p.movement IS NOT NULL
    AND p.effective_date <= b.effective_date AND p.journal_seq <= b.known_seq);
ALTER TABLE balance ENABLE TRIGGER append_only;

-- As before, and postings belong to journals of the same transaction.
CREATE OR REPLACE FUNCTION check_postings() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE broken bigint;
BEGIN
  -- Transactions that post hold the journal lock, so none but this one has this posting time.
  SELECT p.journal_seq INTO broken
  FROM (SELECT journal_seq, count(*) AS given FROM inserted GROUP BY journal_seq) p
  JOIN journal j ON j.seq = p.journal_seq
  WHERE j.posted_at <> posting_time()
     OR p.given <> (SELECT count(*) FROM posting q WHERE q.journal_seq = p.journal_seq) LIMIT 1;
  IF broken IS NOT NULL THEN
    RAISE EXCEPTION 'journal % was posted before', broken USING ERRCODE = '23514',
      CONSTRAINT = 'posted_at_once';
  END IF;

  SELECT p.journal_seq INTO broken
  FROM inserted p JOIN balance_line l ON l.key = p.line_key
  GROUP BY p.journal_seq, l.currency, l.lender_key
  HAVING sum(p.amount_minor) <> 0 LIMIT 1;
  IF broken IS NOT NULL THEN
    RAISE EXCEPTION 'journal % does not balance', broken USING ERRCODE = '23514',
      CONSTRAINT = 'journal_balances';
  END IF;

  SELECT p.journal_seq INTO broken
  FROM inserted p JOIN journal j ON j.seq = p.journal_seq
  WHERE p.effective_date <> j.effective_date LIMIT 1;
  IF broken IS NOT NULL THEN
    RAISE EXCEPTION 'journal % and a posting of it differ in effective date', broken
      USING ERRCODE = '23514', CONSTRAINT = 'one_effective_date';
  END IF;

  SELECT p.journal_seq INTO broken
  FROM inserted p JOIN journal j ON j.seq = p.journal_seq
  JOIN balance_line l ON l.key = p.line_key
  WHERE l.deal_key <> j.deal_key LIMIT 1;
  IF broken IS NOT NULL THEN
    RAISE EXCEPTION 'journal % posts to another deal', broken
      USING ERRCODE = '23514', CONSTRAINT = 'one_deal';
  END IF;

  SELECT p.journal_seq INTO broken
  FROM inserted p JOIN balance_line l ON l.key = p.line_key
  GROUP BY p.journal_seq, l.facility_key, l.contract_key, p.account, p.movement, p.due_date
  HAVING EXISTS (SELECT FROM lender_position q WHERE q.facility_key = l.facility_key)
     AND coalesce(sum(p.amount_minor) FILTER (WHERE l.lender_key = 0), 0)
      <> coalesce(sum(p.amount_minor) FILTER (WHERE l.lender_key <> 0), 0) LIMIT 1;
  IF broken IS NOT NULL THEN
    RAISE EXCEPTION 'journal %: lender shares do not add up to the global amount', broken
      USING ERRCODE = '23514', CONSTRAINT = 'shares_add_up';
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION extend_balances() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO balance (line_key, effective_date, known_seq, deal_key, lender_key,
    original_commitment, cancelled_commitment, unfunded, letter_of_credit, unavailable,
    principal_cash, principal_pik, principal_due, interest_accrued, pik_accrued, interest_due,
    fees_accrued, fees_due, fx_revaluation, advances, scheduled_repayments,
    voluntary_prepayments, mandatory_prepayments, pik_capitalizations, fee_capitalizations,
    write_offs, rollovers, transfers, adjustments, movement_count, reversal_count)
  WITH delta AS (
    SELECT p.line_key, p.effective_date,
      sum(p.amount_minor) FILTER (WHERE p.account = 'ORIGINAL_COMMITMENT') AS c1,
      sum(p.amount_minor) FILTER (WHERE p.account = 'CANCELLED_COMMITMENT') AS c2,
      sum(p.amount_minor) FILTER (WHERE p.account = 'UNFUNDED') AS c3,
      sum(p.amount_minor) FILTER (WHERE p.account = 'LETTER_OF_CREDIT') AS c13,
      sum(p.amount_minor) FILTER (WHERE p.account = 'UNAVAILABLE') AS c14,
      sum(p.amount_minor) FILTER (WHERE p.account = 'PRINCIPAL_CASH') AS c4,
      sum(p.amount_minor) FILTER (WHERE p.account = 'PRINCIPAL_PIK') AS c5,
      sum(p.amount_minor) FILTER (WHERE p.account = 'PRINCIPAL_DUE') AS c6,
      sum(p.amount_minor) FILTER (WHERE p.account = 'INTEREST_ACCRUED') AS c7,
      sum(p.amount_minor) FILTER (WHERE p.account = 'PIK_ACCRUED') AS c8,
      sum(p.amount_minor) FILTER (WHERE p.account = 'INTEREST_DUE') AS c9,
      sum(p.amount_minor) FILTER (WHERE p.account = 'FEES_ACCRUED') AS c10,
      sum(p.amount_minor) FILTER (WHERE p.account = 'FEES_DUE') AS c11,
      sum(p.amount_minor) FILTER (WHERE p.account = 'FX_REVAL') AS c12,
      sum(p.amount_minor) FILTER (WHERE p.movement = 'advance') AS m1,
      sum(p.amount_minor) FILTER (WHERE p.movement = 'scheduled_repayment') AS m2,
      sum(p.amount_minor) FILTER (WHERE p.movement = 'voluntary_prepayment') AS m3,
      sum(p.amount_minor) FILTER (WHERE p.movement = 'mandatory_prepayment') AS m4,
      sum(p.amount_minor) FILTER (WHERE p.movement = 'pik_capitalization') AS m5,
      sum(p.amount_minor) FILTER (WHERE p.movement = 'fee_capitalization') AS m6,
      sum(p.amount_minor) FILTER (WHERE p.movement = 'write_off') AS m7,
      sum(p.amount_minor) FILTER (WHERE p.movement = 'rollover') AS m8,
      sum(p.amount_minor) FILTER (WHERE p.movement = 'transfer') AS m9,
      sum(p.amount_minor) FILTER (WHERE p.movement = 'adjustment') AS m10,
      count(p.movement) AS n1,
      count(p.movement) FILTER (WHERE j.reverses_seq IS NOT NULL) AS n2
    FROM inserted p JOIN journal j ON j.seq = p.journal_seq
    GROUP BY p.line_key, p.effective_date
  ), touched AS (
    SELECT line_key, min(effective_date) AS since FROM delta GROUP BY line_key
  ), dates AS (
    SELECT line_key, effective_date FROM delta
    UNION
    SELECT b.line_key, b.effective_date
    FROM touched t JOIN balance b ON b.line_key = t.line_key AND b.effective_date > t.since
  )
  SELECT d.line_key, d.effective_date, (SELECT max(journal_seq) FROM inserted),
    l.deal_key, l.lender_key,
    coalesce(o.original_commitment, 0) + coalesce(sum(x.c1) OVER past, 0),
    coalesce(o.cancelled_commitment, 0) + coalesce(sum(x.c2) OVER past, 0),
    coalesce(o.unfunded, 0) + coalesce(sum(x.c3) OVER past, 0),
    coalesce(o.letter_of_credit, 0) + coalesce(sum(x.c13) OVER past, 0),
    coalesce(o.unavailable, 0) + coalesce(sum(x.c14) OVER past, 0),
    coalesce(o.principal_cash, 0) + coalesce(sum(x.c4) OVER past, 0),
    coalesce(o.principal_pik, 0) + coalesce(sum(x.c5) OVER past, 0),
    coalesce(o.principal_due, 0) + coalesce(sum(x.c6) OVER past, 0),
    coalesce(o.interest_accrued, 0) + coalesce(sum(x.c7) OVER past, 0),
    coalesce(o.pik_accrued, 0) + coalesce(sum(x.c8) OVER past, 0),
    coalesce(o.interest_due, 0) + coalesce(sum(x.c9) OVER past, 0),
    coalesce(o.fees_accrued, 0) + coalesce(sum(x.c10) OVER past, 0),
    coalesce(o.fees_due, 0) + coalesce(sum(x.c11) OVER past, 0),
    coalesce(o.fx_revaluation, 0) + coalesce(sum(x.c12) OVER past, 0),
    coalesce(o.advances, 0) + coalesce(sum(x.m1) OVER past, 0),
    coalesce(o.scheduled_repayments, 0) + coalesce(sum(x.m2) OVER past, 0),
    coalesce(o.voluntary_prepayments, 0) + coalesce(sum(x.m3) OVER past, 0),
    coalesce(o.mandatory_prepayments, 0) + coalesce(sum(x.m4) OVER past, 0),
    coalesce(o.pik_capitalizations, 0) + coalesce(sum(x.m5) OVER past, 0),
    coalesce(o.fee_capitalizations, 0) + coalesce(sum(x.m6) OVER past, 0),
    coalesce(o.write_offs, 0) + coalesce(sum(x.m7) OVER past, 0),
    coalesce(o.rollovers, 0) + coalesce(sum(x.m8) OVER past, 0),
    coalesce(o.transfers, 0) + coalesce(sum(x.m9) OVER past, 0),
    coalesce(o.adjustments, 0) + coalesce(sum(x.m10) OVER past, 0),
    coalesce(o.movement_count, 0) + coalesce(sum(x.n1) OVER past, 0),
    coalesce(o.reversal_count, 0) + coalesce(sum(x.n2) OVER past, 0)
  FROM dates d
  JOIN balance_line l ON l.key = d.line_key
  LEFT JOIN delta x ON x.line_key = d.line_key AND x.effective_date = d.effective_date
  LEFT JOIN LATERAL (
    SELECT * FROM balance b
    WHERE b.line_key = d.line_key AND b.effective_date <= d.effective_date
    ORDER BY b.effective_date DESC, b.known_seq DESC LIMIT 1
  ) o ON true
  WINDOW past AS (PARTITION BY d.line_key ORDER BY d.effective_date);
  RETURN NULL;
END $$;
