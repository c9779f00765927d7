-- The loan ledger: an append-only double-entry journal, and the balances that follow from it.
-- Money is in minor units of its currency (ISO 4217). Dates are calendar dates.

CREATE TABLE party (
  key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text NOT NULL UNIQUE,
  name text NOT NULL,
  country text CHECK (country ~ '^[A-Z0-9]{2}$')
);

CREATE TABLE deal (
  key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text NOT NULL UNIQUE,
  name text NOT NULL,
  deal_number text NOT NULL UNIQUE,
  borrower_key bigint NOT NULL REFERENCES party,
  agent_key bigint NOT NULL REFERENCES party,
  guarantor_key bigint REFERENCES party,
  -- Country of the borrower, ISO 3166-1 alpha-2 or what the sender uses in its place.
  country text NOT NULL,
  status text NOT NULL CHECK (status IN ('pending', 'active', 'matured', 'terminated')),
  closing_date date,
  -- Since when the book has the deal: from this date on, known from this journal on.
  booked_on date NOT NULL,
  booked_seq bigint NOT NULL
);
CREATE INDEX deal_borrower ON deal (borrower_key);
CREATE INDEX deal_country ON deal (country);

CREATE TABLE facility (
  key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text NOT NULL UNIQUE,
  deal_key bigint NOT NULL REFERENCES deal,
  name text NOT NULL,
  type text NOT NULL CHECK (type IN
    ('term_loan', 'revolver', 'delayed_draw', 'letter_of_credit', 'swingline', 'bridge')),
  currency text NOT NULL,
  effective_date date,
  maturity_date date,
  status text NOT NULL CHECK (status IN ('pending', 'active', 'matured', 'terminated')),
  UNIQUE (key, currency)
);
CREATE INDEX facility_deal ON facility (deal_key);

CREATE TABLE loan_contract (
  key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text NOT NULL UNIQUE,
  deal_key bigint NOT NULL REFERENCES deal,
  facility_key bigint NOT NULL REFERENCES facility,
  contract_number text NOT NULL,
  currency text NOT NULL,
  effective_date date,
  maturity_date date,
  -- A fraction: 0.0475 is 4.75 % a year.
  all_in_rate numeric(20, 12),
  status text NOT NULL CHECK (status IN ('pending', 'active', 'repaid', 'written_off')),
  UNIQUE (facility_key, contract_number)
);
CREATE INDEX loan_contract_deal ON loan_contract (deal_key);

-- A lender's part of a facility; how much it is follows from the ledger alone.
CREATE TABLE lender_position (
  key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text NOT NULL UNIQUE,
  deal_key bigint NOT NULL REFERENCES deal,
  facility_key bigint NOT NULL REFERENCES facility,
  lender_key bigint NOT NULL REFERENCES party,
  kind text NOT NULL CHECK (kind IN ('assignment', 'participation')),
  UNIQUE (facility_key, lender_key)
);

-- What a record is called elsewhere.
CREATE TABLE external_id (
  source text NOT NULL,
  value text NOT NULL,
  entity_id text NOT NULL,
  PRIMARY KEY (source, value)
);

CREATE TABLE import_batch (
  key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text NOT NULL UNIQUE,
  profile text NOT NULL,
  -- Statements of one source tell of the same loans.
  source text NOT NULL,
  file_sha256 text NOT NULL,
  as_of date NOT NULL,
  row_count integer NOT NULL,
  control_totals jsonb NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (profile, file_sha256)
);

CREATE TABLE journal (
  -- Gapless and rising: what was known at a moment is every journal up to a number.
  seq bigint PRIMARY KEY,
  id text NOT NULL UNIQUE,
  -- When it is true in the world, and when we came to know it.
  effective_date date NOT NULL,
  -- Of the posting itself, under the lock: it rises with seq.
  posted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  type text NOT NULL,
  deal_key bigint NOT NULL REFERENCES deal,
  idempotency_key text NOT NULL UNIQUE,
  reverses_seq bigint REFERENCES journal,
  reason text,
  import_key bigint REFERENCES import_batch
);
CREATE INDEX journal_effective ON journal (effective_date);
CREATE INDEX journal_deal ON journal (deal_key);

-- What a balance is kept of: a facility or one of its contracts, globally or for one lender.
CREATE TABLE balance_line (
  key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  deal_key bigint NOT NULL REFERENCES deal,
  facility_key bigint NOT NULL REFERENCES facility,
  -- 0: the facility itself, where commitments are.
  contract_key bigint NOT NULL,
  -- 0: the global amount.
  lender_key bigint NOT NULL,
  currency text NOT NULL,
  UNIQUE (facility_key, contract_key, lender_key),
  -- Sums over a facility are of one currency.
  FOREIGN KEY (facility_key, currency) REFERENCES facility (key, currency)
);
CREATE INDEX balance_line_contract ON balance_line (contract_key, lender_key);
CREATE INDEX balance_line_deal ON balance_line (deal_key);

CREATE TYPE ledger_account AS ENUM (
  'ORIGINAL_COMMITMENT', 'CANCELLED_COMMITMENT', 'UNFUNDED',
  'PRINCIPAL_CASH', 'PRINCIPAL_PIK', 'PRINCIPAL_DUE',
  'INTEREST_ACCRUED', 'PIK_ACCRUED', 'INTEREST_DUE', 'FEES_ACCRUED', 'FEES_DUE', 'FX_REVAL',
  -- The other side: cash, income, and memo entries.
  'CASH_CLEARING', 'INTEREST_INCOME', 'FEE_INCOME', 'WRITE_OFF', 'TRANSFER_CLEARING',
  'ADJUSTMENT_CLEARING', 'FX_CLEARING', 'MEMO'
);

CREATE TYPE principal_movement AS ENUM (
  'advance', 'scheduled_repayment', 'voluntary_prepayment', 'mandatory_prepayment',
  'pik_capitalization', 'fee_capitalization', 'write_off', 'rollover', 'transfer', 'adjustment'
);

CREATE TABLE posting (
  journal_seq bigint NOT NULL REFERENCES journal,
  number smallint NOT NULL,
  line_key bigint NOT NULL REFERENCES balance_line,
  account ledger_account NOT NULL,
  -- Set where the account is principal: which line of the roll-forward the amount belongs to.
  movement principal_movement,
  -- Signed: debit positive, credit negative.
  amount_minor bigint NOT NULL CHECK (amount_minor <> 0),
  effective_date date NOT NULL,
  PRIMARY KEY (journal_seq, number),
  CHECK ((movement IS NOT NULL) = (account IN ('PRINCIPAL_CASH', 'PRINCIPAL_PIK')))
);
CREATE INDEX posting_line ON posting (line_key, effective_date, journal_seq);

-- Running balances: one row per line, effective date and state of knowledge. A read takes the
-- newest row at or before its date and sequence, whatever the length of the history. A backdated
-- journal adds a new version of every later date; no row is ever changed.
CREATE TABLE balance (
  line_key bigint NOT NULL REFERENCES balance_line,
  effective_date date NOT NULL,
  known_seq bigint NOT NULL,
  deal_key bigint NOT NULL,
  lender_key bigint NOT NULL,
  original_commitment bigint NOT NULL,
  cancelled_commitment bigint NOT NULL,
  unfunded bigint NOT NULL,
  principal_cash bigint NOT NULL,
  principal_pik bigint NOT NULL,
  principal_due bigint NOT NULL,
  interest_accrued bigint NOT NULL,
  pik_accrued bigint NOT NULL,
  interest_due bigint NOT NULL,
  fees_accrued bigint NOT NULL,
  fees_due bigint NOT NULL,
  fx_revaluation bigint NOT NULL,
  advances bigint NOT NULL,
  scheduled_repayments bigint NOT NULL,
  voluntary_prepayments bigint NOT NULL,
  mandatory_prepayments bigint NOT NULL,
  pik_capitalizations bigint NOT NULL,
  fee_capitalizations bigint NOT NULL,
  write_offs bigint NOT NULL,
  rollovers bigint NOT NULL,
  transfers bigint NOT NULL,
  adjustments bigint NOT NULL,
  PRIMARY KEY (line_key, effective_date, known_seq)
);

-- Refuses journals that do not balance, for the whole statement at once. A journal's postings
-- come in one statement, so that none is ever seen half.
CREATE FUNCTION check_postings() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE broken bigint;
BEGIN
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
  FROM inserted p JOIN balance_line l ON l.key = p.line_key
  GROUP BY p.journal_seq, l.facility_key, l.contract_key, p.account
  HAVING EXISTS (SELECT FROM lender_position q WHERE q.facility_key = l.facility_key)
     AND coalesce(sum(p.amount_minor) FILTER (WHERE l.lender_key = 0), 0)
      <> coalesce(sum(p.amount_minor) FILTER (WHERE l.lender_key <> 0), 0) LIMIT 1;
  IF broken IS NOT NULL THEN
    RAISE EXCEPTION 'journal %: lender shares do not add up to the global amount', broken
      USING ERRCODE = '23514', CONSTRAINT = 'shares_add_up';
  END IF;

  SELECT p.journal_seq INTO broken
  FROM (SELECT journal_seq, count(*) AS given FROM inserted GROUP BY journal_seq) p
  WHERE p.given <> (SELECT count(*) FROM posting q WHERE q.journal_seq = p.journal_seq) LIMIT 1;
  IF broken IS NOT NULL THEN
    RAISE EXCEPTION 'journal % was posted before', broken USING ERRCODE = '23514',
      CONSTRAINT = 'posted_at_once';
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION extend_balances() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO balance
  WITH delta AS (
    SELECT p.line_key, p.effective_date,
      sum(p.amount_minor) FILTER (WHERE p.account = 'ORIGINAL_COMMITMENT') AS c1,
      sum(p.amount_minor) FILTER (WHERE p.account = 'CANCELLED_COMMITMENT') AS c2,
      sum(p.amount_minor) FILTER (WHERE p.account = 'UNFUNDED') AS c3,
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
      sum(p.amount_minor) FILTER (WHERE p.movement = 'adjustment') AS m10
    FROM inserted p GROUP BY p.line_key, p.effective_date
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
    coalesce(o.adjustments, 0) + coalesce(sum(x.m10) OVER past, 0)
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

CREATE TRIGGER check_postings AFTER INSERT ON posting
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION check_postings();
CREATE TRIGGER extend_balances AFTER INSERT ON posting
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION extend_balances();

-- Append-only, whoever asks.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only: correct it by a reversing journal', TG_TABLE_NAME
    USING ERRCODE = '23001';
END $$;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON journal
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON posting
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON balance_line
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
-- Balances follow from postings and are written by nobody else.
CREATE TRIGGER only_from_postings BEFORE INSERT ON balance
  FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON balance
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Who keeps answers in memory hears of each change.
CREATE FUNCTION announce_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('cls_ledger_change', TG_TABLE_NAME);
  RETURN NULL;
END $$;
CREATE TRIGGER announce AFTER INSERT ON journal
  FOR EACH STATEMENT EXECUTE FUNCTION announce_change();
