-- The ledger: an append-only double-entry journal. Money is in minor units of its currency (ISO 4217).

-- A row is an entry of the journal: what happened in one deal, with its postings; or, of type `records`, that
-- records were set up.
CREATE TABLE journal (
  -- Gapless and rising: what was known at a moment is every journal up to a number.
  seq bigint PRIMARY KEY,
  id text NOT NULL UNIQUE,
  -- When it is true in the world, and when we came to know it.
  effective_date date,
  -- Of the posting itself, under the lock: it rises with seq.
  posted_at timestamptz NOT NULL DEFAULT posting_time(),
  type text NOT NULL,
  deal_key bigint NOT NULL,
  idempotency_key text NOT NULL UNIQUE,
  reverses_seq bigint REFERENCES journal,
  reason text,
  import_key bigint,
  source_ref text, created_by text,
  corrects_seq bigint REFERENCES journal,
  overadvance boolean NOT NULL DEFAULT false,
  CONSTRAINT journal_records_undated CHECK ((type = 'records') = (effective_date IS NULL)),
  CONSTRAINT journal_records_stay CHECK (type <> 'records' OR reverses_seq IS NULL)
);

-- A row is what a balance is kept of: a facility or one of its contracts, globally or for one lender.
CREATE TABLE balance_line (
  key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  deal_key bigint NOT NULL, facility_key bigint NOT NULL,
  -- 0: the facility itself, where commitments are.
  contract_key bigint NOT NULL,
  -- 0: the global amount.
  lender_key bigint NOT NULL,
  currency text NOT NULL,
  -- Of a sublimit's line: the same holder's line of the facility that it is carved out of.
  parent_line_key bigint REFERENCES balance_line,
  UNIQUE (facility_key, contract_key, lender_key)
);

-- A row is an amount that a journal posts to an account of a line.
CREATE TABLE posting (
  journal_seq bigint NOT NULL,
  number smallint NOT NULL,
  line_key bigint NOT NULL,
  account ledger_account NOT NULL,
  -- Set where the account is principal: which line of the roll-forward the amount belongs to.
  movement principal_movement,
  -- Signed: debit positive, credit negative.
  amount_minor bigint NOT NULL CHECK (amount_minor <> 0),
  effective_date date NOT NULL,
  due_date date,
  PRIMARY KEY (journal_seq, number),
  CHECK ((movement IS NOT NULL) = (account IN ('PRINCIPAL_CASH', 'PRINCIPAL_PIK'))),
  CHECK (due_date IS NULL OR account IN ('PRINCIPAL_DUE', 'INTEREST_DUE', 'FEES_DUE'))
);

-- What happened to commitments, from the postings.
CREATE VIEW commitment_event WITH (security_invoker = true) AS
SELECT j.seq, j.id AS journal_id, j.type AS kind, j.effective_date, l.facility_key, l.lender_key, l.currency,
  sum(p.amount_minor) FILTER (WHERE p.account = 'ORIGINAL_COMMITMENT') AS original_minor,
  sum(p.amount_minor) FILTER (WHERE p.account = 'CANCELLED_COMMITMENT') AS cancelled_minor,
  sum(p.amount_minor) FILTER (WHERE p.account = 'UNFUNDED') AS unfunded_minor
FROM posting p JOIN journal j ON j.seq = p.journal_seq JOIN balance_line l ON l.key = p.line_key
WHERE p.account IN ('ORIGINAL_COMMITMENT', 'CANCELLED_COMMITMENT', 'UNFUNDED')
GROUP BY j.seq, l.facility_key, l.lender_key, l.currency;

-- What was billed, with its due date; what was paid of it follows from the due accounts.
CREATE VIEW due_item WITH (security_invoker = true) AS
SELECT p.journal_seq, p.line_key, p.account, p.effective_date AS billed_on, p.due_date, p.amount_minor
FROM posting p WHERE p.due_date IS NOT NULL;

-- Refuses journals out of sequence or in a closed period, and notes dates that the book reaches.
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

-- Journals name deals and imports that are there.
CREATE FUNCTION check_journal_references() RETURNS trigger LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  PERFORM refuse_reference('journal', 'journal_deal_key_fkey')
  FROM (SELECT DISTINCT deal_key FROM inserted) i
  WHERE (SELECT key FROM deal WHERE key = i.deal_key) IS NULL;
  PERFORM refuse_reference('journal', 'journal_import_key_fkey')
  FROM (SELECT DISTINCT import_key FROM inserted WHERE import_key IS NOT NULL) i
  WHERE (SELECT key FROM import_batch WHERE key = i.import_key) IS NULL;
  RETURN NULL;
END $$;

-- A line is of its facility's deal and currency: sums over a facility are of one currency.
CREATE FUNCTION check_line_references() RETURNS trigger LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  PERFORM refuse_reference('balance_line', 'balance_line_facility_key_fkey')
  FROM (SELECT DISTINCT facility_key, deal_key, currency FROM inserted) i
  WHERE (SELECT key FROM facility
    WHERE key = i.facility_key AND deal_key = i.deal_key AND currency = i.currency) IS NULL;
  RETURN NULL;
END $$;

-- Refuses postings that do not balance or do not fit their journal. Journals and lines are each read once, and
-- not for each posting: a statement has several postings of a journal, and often of a line.
CREATE FUNCTION check_postings() RETURNS trigger LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_mergejoin = off AS $$
DECLARE
  known timestamptz;
  given record;
  fault text;
  broken bigint;
BEGIN
  SELECT min(journal_seq) AS first_seq, max(journal_seq) AS last_seq, count(*) AS postings
  INTO given FROM inserted;
  IF given.postings = 0 THEN RETURN NULL; END IF;
  known := posting_time();

  WITH j AS MATERIALIZED (
    SELECT i.journal_seq, j.* FROM (SELECT DISTINCT journal_seq FROM inserted) i
    LEFT JOIN LATERAL (
      SELECT posted_at, effective_date AS journal_date, deal_key AS journal_deal FROM journal
      WHERE seq = i.journal_seq OFFSET 0
    ) j ON true
  ), l AS MATERIALIZED (
    SELECT i.line_key, l.* FROM (SELECT DISTINCT line_key FROM inserted) i
    LEFT JOIN LATERAL (
      SELECT deal_key, facility_key, contract_key, lender_key, currency FROM balance_line
      WHERE key = i.line_key OFFSET 0
    ) l ON true
  ), p AS MATERIALIZED (
    SELECT * FROM inserted JOIN j USING (journal_seq) JOIN l USING (line_key)
  )
  SELECT f.fault, f.journal_seq INTO fault, broken FROM (
    SELECT 1 AS place, journal_seq, CASE
      WHEN posted_at IS NULL THEN 'posting_journal_seq_fkey'
      WHEN facility_key IS NULL THEN 'posting_line_key_fkey'
      -- Transactions that post hold the journal lock, so none but this one has this posting time.
      WHEN posted_at <> known THEN 'posted_at_once'
      WHEN effective_date <> journal_date THEN 'one_effective_date'
      ELSE 'one_deal' END AS fault
    FROM p
    WHERE posted_at IS NULL OR facility_key IS NULL OR posted_at <> known
      OR effective_date <> journal_date OR deal_key <> journal_deal
    UNION ALL
    (SELECT 2, journal_seq, 'journal_balances' FROM p
     GROUP BY journal_seq, currency, lender_key HAVING sum(amount_minor) <> 0)
    UNION ALL
    (SELECT 3, journal_seq, 'shares_add_up' FROM p
     GROUP BY journal_seq, facility_key, contract_key, account, movement, due_date
     HAVING coalesce(sum(amount_minor) FILTER (WHERE lender_key = 0), 0)
         <> coalesce(sum(amount_minor) FILTER (WHERE lender_key <> 0), 0)
       AND EXISTS (SELECT FROM lender_position q WHERE q.facility_key = p.facility_key))
  ) f ORDER BY f.place, f.journal_seq LIMIT 1;

  -- What the journals have is what was given, unless one of them had postings before.
  IF fault IS NULL AND given.postings <> (SELECT count(*) FROM posting
      WHERE journal_seq BETWEEN given.first_seq AND given.last_seq) THEN
    SELECT 'posted_at_once', p.journal_seq INTO fault, broken
    FROM (SELECT journal_seq, count(*) AS given FROM inserted GROUP BY journal_seq) p
    WHERE p.given <> (SELECT count(*) FROM posting q WHERE q.journal_seq = p.journal_seq) LIMIT 1;
  END IF;

  IF fault IS NULL THEN RETURN NULL; END IF;
  IF fault LIKE '%\_fkey' THEN
    PERFORM refuse_reference('posting', fault);
  END IF;
  RAISE EXCEPTION '%', CASE fault
    WHEN 'posted_at_once' THEN format('journal %s was posted before', broken)
    WHEN 'journal_balances' THEN format('journal %s does not balance', broken)
    WHEN 'one_effective_date' THEN format('journal %s and a posting of it differ in effective date', broken)
    WHEN 'one_deal' THEN format('journal %s posts to another deal', broken)
    ELSE format('journal %s: lender shares do not add up to the global amount', broken) END
    USING ERRCODE = '23514', CONSTRAINT = fault;
END $$;

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

-- Refuses a reversal whose postings are not its journal's, mirrored. At the end of the transaction, once for all
-- of its reversals.
CREATE FUNCTION check_reversals() RETURNS trigger LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
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
    o.effective_date IS DISTINCT FROM r.effective_date OR o.deal_key <> r.deal_key
    OR EXISTS (
      SELECT FROM (VALUES (r.seq), (r.reverses_seq)) k(seq) CROSS JOIN LATERAL (
        SELECT line_key, account, movement, due_date, amount_minor FROM posting
        WHERE journal_seq = k.seq OFFSET 0) p
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

CREATE TRIGGER announce AFTER INSERT ON journal
  FOR EACH STATEMENT EXECUTE FUNCTION announce_change();
CREATE CONSTRAINT TRIGGER check_reversals AFTER INSERT ON journal
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.reverses_seq IS NOT NULL)
  EXECUTE FUNCTION check_reversals();

CREATE INDEX posting_line ON posting (line_key, effective_date, journal_seq);
CREATE INDEX journal_posted ON journal (posted_at, seq);
CREATE UNIQUE INDEX journal_reversed_once ON journal (reverses_seq) WHERE reverses_seq IS NOT NULL;
CREATE INDEX journal_import ON journal (import_key) WHERE import_key IS NOT NULL;
CREATE INDEX posting_due ON posting (line_key, account, due_date) WHERE due_date IS NOT NULL;
CREATE INDEX balance_line_deal_lender ON balance_line (deal_key, lender_key);
CREATE INDEX journal_deal_seq ON journal (deal_key, seq);
-- Principal movements in posting order.
CREATE INDEX posting_movement ON posting (journal_seq, number) WHERE movement IS NOT NULL;
CREATE INDEX journal_corrects ON journal (corrects_seq) WHERE corrects_seq IS NOT NULL;
-- The earliest journals of a deal.
CREATE INDEX journal_deal_date ON journal (deal_key, effective_date);
CREATE INDEX balance_line_parent ON balance_line (parent_line_key) WHERE parent_line_key IS NOT NULL;
CREATE INDEX balance_line_contract ON balance_line (contract_key, facility_key, lender_key);
CREATE INDEX journal_effective_seq ON journal (effective_date, seq);
