-- The book as a whole: its state, the journal lock, closed periods, exchange rates.

CREATE TYPE ledger_account AS ENUM (
  'ORIGINAL_COMMITMENT', 'CANCELLED_COMMITMENT', 'UNFUNDED',
  'PRINCIPAL_CASH', 'PRINCIPAL_PIK', 'PRINCIPAL_DUE',
  'INTEREST_ACCRUED', 'PIK_ACCRUED', 'INTEREST_DUE', 'FEES_ACCRUED', 'FEES_DUE', 'FX_REVAL',
  -- The other side: cash, income, and memo entries.
  'CASH_CLEARING', 'INTEREST_INCOME', 'FEE_INCOME', 'WRITE_OFF', 'TRANSFER_CLEARING',
  'ADJUSTMENT_CLEARING', 'FX_CLEARING', 'MEMO',
  -- Letters of credit, and what is blocked, reduce what is available.
  'LETTER_OF_CREDIT', 'UNAVAILABLE'
);

CREATE TYPE principal_movement AS ENUM (
  'advance', 'scheduled_repayment', 'voluntary_prepayment', 'mandatory_prepayment',
  'pik_capitalization', 'fee_capitalization', 'write_off', 'rollover', 'transfer', 'adjustment'
);

CREATE TYPE accrual_component AS ENUM ('interest', 'pik', 'commitment_fee', 'letter_of_credit_fee');

CREATE FUNCTION posting_time() RETURNS timestamptz LANGUAGE plpgsql AS $$
BEGIN
  IF coalesce(current_setting('cls.posted_at', true), '') = '' THEN
    RAISE EXCEPTION 'journals are posted under the journal lock' USING ERRCODE = '55000';
  END IF;
  RETURN current_setting('cls.posted_at')::timestamptz;
END $$;

CREATE FUNCTION next_journal_seq() RETURNS bigint LANGUAGE sql STABLE AS
  'SELECT coalesce(max(seq), 0) + 1 FROM journal';

-- The one row says which state the book is in: its generation rises with every change that an answer may show.
-- A question reads it first, so nobody has to be told of a change.
-- 
-- Every change holds the journal lock and takes its instant under the lock. So generations rise in the order of
-- the commits, and an instant names one state of the book, whatever kind of change it was.
CREATE TABLE book_state (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  generation bigint NOT NULL,
  -- The newest instant that a change was given.
  changed_at timestamptz NOT NULL,
  -- The first journal whose hash covers names. It covers the names from before, too.
  names_from bigint NOT NULL DEFAULT next_journal_seq()
);

-- A row is a restore from a backup: what became known after `known_through` and before `restored_at` was
-- answered, and is not in the book. Cursors and copies from that time are refused.
CREATE TABLE book_restore (
  restored_at timestamptz PRIMARY KEY,
  known_through timestamptz NOT NULL
);

-- A row is that the books were closed through a date. The newest counts, so another one opens a period again.
CREATE TABLE period_close (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  through date NOT NULL,
  reason text NOT NULL,
  decided_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- A row is when the book first reached a date: a later change at or before it restates what was reported.
CREATE TABLE reported_date (
  effective_date date PRIMARY KEY,
  posted_at timestamptz NOT NULL
);

-- A row is a rate between two currencies on a date, for reports in another currency; the newest of a date counts.
CREATE TABLE fx_rate (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  rate_date date NOT NULL,
  from_currency text NOT NULL, to_currency text NOT NULL,
  rate numeric(30, 15) NOT NULL CHECK (rate > 0),
  source text NOT NULL,
  known_at timestamptz NOT NULL DEFAULT posting_time()
);

-- Append-only, whoever asks.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only: correct it by a reversing journal', TG_TABLE_NAME USING ERRCODE = '23001';
END $$;

-- Tells every process that caches answers about a change.
CREATE FUNCTION announce_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('cls_ledger_change', TG_TABLE_NAME);
  RETURN NULL;
END $$;

-- Records stay where journals name them.
CREATE FUNCTION refuse_removal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% keeps its records: journals name them', TG_TABLE_NAME USING ERRCODE = '23001';
END $$;

-- As a foreign key refuses it, for what is looked up once for a statement.
CREATE FUNCTION refuse_reference(child text, reference text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'insert or update on table "%" violates foreign key constraint "%"', child, reference
    USING ERRCODE = '23503', TABLE = child, CONSTRAINT = reference;
END $$;

-- Takes the journal lock before anything that an answer may show is changed.
CREATE FUNCTION begin_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(7204312);
  IF coalesce(current_setting('cls.posted_at', true), '') = '' THEN
    PERFORM set_config('cls.posted_at', greatest(clock_timestamp(),
      (SELECT changed_at FROM book_state) + interval '1 microsecond')::text, true);
  END IF;
  RETURN NULL;
END $$;

-- Gives the book its next generation.
CREATE FUNCTION end_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE book_state
  SET generation = generation + 1, changed_at = greatest(changed_at, posting_time());
  RETURN NULL;
END $$;

CREATE TRIGGER announce AFTER INSERT ON fx_rate
  FOR EACH STATEMENT EXECUTE FUNCTION announce_change();

INSERT INTO book_state (generation, changed_at, names_from) VALUES (1, '-infinity', 1);

CREATE INDEX fx_rate_pair ON fx_rate (from_currency, to_currency, rate_date, number);
