-- What a fresh database looks like, made by `npm run schema`. What makes it, with its reasons, is in migrations/.
-- Partitions of days and months are left out.

CREATE TYPE accrual_component AS ENUM (
    'interest',
    'pik',
    'commitment_fee',
    'letter_of_credit_fee'
);

CREATE TYPE ledger_account AS ENUM (
    'ORIGINAL_COMMITMENT',
    'CANCELLED_COMMITMENT',
    'UNFUNDED',
    'PRINCIPAL_CASH',
    'PRINCIPAL_PIK',
    'PRINCIPAL_DUE',
    'INTEREST_ACCRUED',
    'PIK_ACCRUED',
    'INTEREST_DUE',
    'FEES_ACCRUED',
    'FEES_DUE',
    'FX_REVAL',
    'CASH_CLEARING',
    'INTEREST_INCOME',
    'FEE_INCOME',
    'WRITE_OFF',
    'TRANSFER_CLEARING',
    'ADJUSTMENT_CLEARING',
    'FX_CLEARING',
    'MEMO',
    'LETTER_OF_CREDIT',
    'UNAVAILABLE'
);

CREATE TYPE principal_movement AS ENUM (
    'advance',
    'scheduled_repayment',
    'voluntary_prepayment',
    'mandatory_prepayment',
    'pik_capitalization',
    'fee_capitalization',
    'write_off',
    'rollover',
    'transfer',
    'adjustment'
);

CREATE FUNCTION accrues_on(account ledger_account) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    AS $$
  SELECT account IN ('PRINCIPAL_CASH', 'PRINCIPAL_PIK', 'UNFUNDED', 'LETTER_OF_CREDIT')
$$;

CREATE FUNCTION announce_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  PERFORM pg_notify('cls_ledger_change', TG_TABLE_NAME);
  RETURN NULL;
END $$;

CREATE FUNCTION balance_components() RETURNS TABLE(component text, change text, from_sublimits boolean)
    LANGUAGE sql IMMUTABLE
    AS $$
  SELECT component, CASE measure
      WHEN 'account' THEN format('sum_minor(amount) FILTER (WHERE account = %L)', upper(source))
      WHEN 'movement' THEN format('sum_minor(amount) FILTER (WHERE movement = %L)', source)
      WHEN 'count' THEN source
      ELSE 'NULL::bigint'
    END,
    measure = 'sublimit' OR component = 'unfunded'
  FROM (VALUES
    (1, 'original_commitment', 'account', 'original_commitment'),
    (2, 'cancelled_commitment', 'account', 'cancelled_commitment'), (3, 'unfunded', 'account', 'unfunded'),
    (4, 'letter_of_credit', 'account', 'letter_of_credit'), (5, 'unavailable', 'account', 'unavailable'),
    (6, 'principal_cash', 'account', 'principal_cash'), (7, 'principal_pik', 'account', 'principal_pik'),
    (8, 'principal_due', 'account', 'principal_due'), (9, 'interest_accrued', 'account', 'interest_accrued'),
    (10, 'pik_accrued', 'account', 'pik_accrued'), (11, 'interest_due', 'account', 'interest_due'),
    (12, 'fees_accrued', 'account', 'fees_accrued'), (13, 'fees_due', 'account', 'fees_due'),
    (14, 'fx_revaluation', 'account', 'fx_reval'), (15, 'advances', 'movement', 'advance'),
    (16, 'scheduled_repayments', 'movement', 'scheduled_repayment'),
    (17, 'voluntary_prepayments', 'movement', 'voluntary_prepayment'),
    (18, 'mandatory_prepayments', 'movement', 'mandatory_prepayment'),
    (19, 'pik_capitalizations', 'movement', 'pik_capitalization'),
    (20, 'fee_capitalizations', 'movement', 'fee_capitalization'), (21, 'write_offs', 'movement', 'write_off'),
    (22, 'rollovers', 'movement', 'rollover'), (23, 'transfers', 'movement', 'transfer'),
    (24, 'adjustments', 'movement', 'adjustment'), (25, 'movement_count', 'count', 'count(movement)'),
    (26, 'reversal_count', 'count', 'count(movement) FILTER (WHERE reverses_seq IS NOT NULL)'),
    (27, 'sublimit_used', 'sublimit', NULL)
  ) c (place, component, measure, source)
  ORDER BY place
$$;

CREATE FUNCTION begin_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(7204312);
  IF coalesce(current_setting('cls.posted_at', true), '') = '' THEN
    PERFORM set_config('cls.posted_at', greatest(clock_timestamp(),
      (SELECT changed_at FROM book_state) + interval '1 microsecond')::text, true);
  END IF;
  RETURN NULL;
END $$;

CREATE TABLE deal (
    key bigint NOT NULL,
    id text NOT NULL,
    name text NOT NULL,
    deal_number text NOT NULL,
    borrower_key bigint NOT NULL,
    agent_key bigint NOT NULL,
    guarantor_key bigint,
    country text NOT NULL,
    status text NOT NULL,
    closing_date date,
    booked_on date NOT NULL,
    booked_seq bigint NOT NULL,
    follows_journals boolean DEFAULT false NOT NULL,
    CONSTRAINT deal_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'active'::text, 'matured'::text, 'terminated'::text])))
);

CREATE FUNCTION booked_by_import(d deal) RETURNS bigint
    LANGUAGE sql STABLE
    AS $$
  SELECT i.key FROM journal b JOIN import_batch i ON i.key = b.import_key
  WHERE b.seq = d.booked_seq AND d.booked_on = i.as_of
    AND EXISTS (SELECT FROM external_id x WHERE x.entity_id = d.id AND x.source = i.source)
$$;

CREATE FUNCTION booked_without_journal(d deal) RETURNS boolean
    LANGUAGE sql STABLE
    AS $$
  SELECT EXISTS (SELECT FROM booked_by_import(d) AS i (key) WHERE i.key IS NOT NULL
    AND NOT EXISTS (SELECT FROM journal j
      WHERE j.deal_key = d.key AND j.import_key = i.key AND j.reverses_seq IS NULL))
$$;

CREATE FUNCTION chained_hash(previous text, content text) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$
  SELECT encode(sha256(convert_to(
    coalesce(previous, repeat('0', 64)) || E'\n' || content, 'UTF8')), 'hex')
$$;

CREATE FUNCTION check_chained() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE chained bigint;
BEGIN
  EXECUTE format('SELECT h.seq FROM inserted i JOIN journal_hash h ON h.seq = i.%s LIMIT 1',
    TG_ARGV[0]) INTO chained;
  IF chained IS NOT NULL THEN
    RAISE EXCEPTION '% is added to journal %, whose hash is made', TG_TABLE_NAME, chained
      USING ERRCODE = '23514', CONSTRAINT = 'known_with_its_journal';
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION check_journal_references() RETURNS trigger
    LANGUAGE plpgsql
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
  PERFORM refuse_reference('journal', 'journal_deal_key_fkey')
  FROM (SELECT DISTINCT deal_key FROM inserted) i
  WHERE (SELECT key FROM deal WHERE key = i.deal_key) IS NULL;
  PERFORM refuse_reference('journal', 'journal_import_key_fkey')
  FROM (SELECT DISTINCT import_key FROM inserted WHERE import_key IS NOT NULL) i
  WHERE (SELECT key FROM import_batch WHERE key = i.import_key) IS NULL;
  RETURN NULL;
END $$;

CREATE FUNCTION check_journals() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION check_line_references() RETURNS trigger
    LANGUAGE plpgsql
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
  PERFORM refuse_reference('balance_line', 'balance_line_facility_key_fkey')
  FROM (SELECT DISTINCT facility_key, deal_key, currency FROM inserted) i
  WHERE (SELECT key FROM facility
    WHERE key = i.facility_key AND deal_key = i.deal_key AND currency = i.currency) IS NULL;
  RETURN NULL;
END $$;

CREATE FUNCTION check_positions() RETURNS trigger
    LANGUAGE plpgsql
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
DECLARE late text;
BEGIN
  SELECT f.id INTO late
  FROM (SELECT facility_key FROM inserted
        EXCEPT
        -- Has lenders from before.
        SELECT i.facility_key FROM inserted i
        WHERE EXISTS (SELECT FROM lender_position p
          WHERE p.facility_key = i.facility_key AND p.key < (SELECT min(key) FROM inserted)
          OFFSET 0)) i
  JOIN facility f ON f.key = i.facility_key
  WHERE EXISTS (
    SELECT FROM (
      SELECT f.key
      UNION ALL
      SELECT key FROM facility WHERE sublimit_of_key = f.key) s
    CROSS JOIN LATERAL (
      SELECT key FROM balance_line WHERE facility_key = s.key AND lender_key = 0 OFFSET 0) l
    CROSS JOIN LATERAL (SELECT FROM posting WHERE line_key = l.key LIMIT 1) p
    OFFSET 0)
  LIMIT 1;
  IF late IS NOT NULL THEN
    RAISE EXCEPTION 'facility % was posted to without lenders: its shares would not add up', late
      USING ERRCODE = '23514', CONSTRAINT = 'positions_before_postings';
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION check_postings() RETURNS trigger
    LANGUAGE plpgsql
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
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

CREATE FUNCTION check_references() RETURNS trigger
    LANGUAGE plpgsql
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $_$
DECLARE
  named text; parent text; missing boolean;
BEGIN
  -- The columns that name a record, each with the table of that record.
  FOR place IN 0 .. TG_NARGS - 1 BY 2 LOOP
    named := TG_ARGV[place];
    parent := TG_ARGV[place + 1];
    EXECUTE format('SELECT EXISTS (
      SELECT FROM (SELECT DISTINCT %1$I AS key FROM inserted WHERE %1$I IS NOT NULL) i
      WHERE (SELECT key FROM %2$I WHERE key = i.key) IS NULL)', named, parent) INTO missing;
    IF missing THEN
      PERFORM refuse_reference(TG_TABLE_NAME, format('%s_%s_fkey', TG_TABLE_NAME, named));
    END IF;
  END LOOP;
  RETURN NULL;
END $_$;

CREATE FUNCTION check_reversals() RETURNS trigger
    LANGUAGE plpgsql
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
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

CREATE FUNCTION check_sublimit_lines() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE broken text;
BEGIN
  IF NOT EXISTS (SELECT FROM facility WHERE sublimit_of_key IS NOT NULL) THEN RETURN NULL; END IF;
  SELECT s.id INTO broken
  FROM inserted l CROSS JOIN LATERAL (
    SELECT id, sublimit_of_key FROM facility WHERE key = l.facility_key OFFSET 0
  ) s
  LEFT JOIN LATERAL (SELECT key FROM balance_line b WHERE b.facility_key = s.sublimit_of_key
    AND b.contract_key = 0 AND b.lender_key = l.lender_key OFFSET 0) p ON true
  WHERE p.key IS DISTINCT FROM l.parent_line_key OR (s.sublimit_of_key IS NOT NULL AND p.key IS NULL)
  LIMIT 1;
  IF broken IS NOT NULL THEN
    RAISE EXCEPTION 'facility % has a lender that the facility it is a sublimit of has not', broken
      USING ERRCODE = '23514', CONSTRAINT = 'sublimit_lenders';
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION check_sublimit_shares() RETURNS trigger
    LANGUAGE plpgsql
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
DECLARE broken bigint;
BEGIN
  IF NOT EXISTS (SELECT FROM facility WHERE sublimit_of_key IS NOT NULL) THEN RETURN NULL; END IF;
  SELECT p.journal_seq INTO broken
  FROM inserted p CROSS JOIN LATERAL (
    SELECT l.lender_key, l.facility_key, l.contract_key, f.sublimit_of_key FROM balance_line l
    JOIN facility f ON f.key = l.facility_key
    WHERE l.key = p.line_key AND l.parent_line_key IS NOT NULL OFFSET 0
  ) l
  GROUP BY p.journal_seq, l.facility_key, l.contract_key, l.sublimit_of_key, p.account, p.movement
  HAVING coalesce(sum(p.amount_minor) FILTER (WHERE l.lender_key = 0), 0)
      <> coalesce(sum(p.amount_minor) FILTER (WHERE l.lender_key <> 0), 0)
     AND EXISTS (SELECT FROM lender_position q WHERE q.facility_key = l.sublimit_of_key) LIMIT 1;
  IF broken IS NOT NULL THEN
    RAISE EXCEPTION 'journal %: lender shares do not add up to the global amount', broken
      USING ERRCODE = '23514', CONSTRAINT = 'shares_add_up';
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION check_sublimits() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE broken text;
BEGIN
  SELECT i.id INTO broken
  FROM inserted i CROSS JOIN LATERAL (
    SELECT * FROM facility WHERE key = i.sublimit_of_key OFFSET 0
  ) f
  WHERE f.deal_key <> i.deal_key OR f.currency <> i.currency OR f.sublimit_of_key IS NOT NULL
  LIMIT 1;
  IF broken IS NOT NULL THEN
    RAISE EXCEPTION 'facility % is a sublimit of another deal, of another currency or of a sublimit',
      broken USING ERRCODE = '23514', CONSTRAINT = 'sublimit_of_facility';
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION close_journals() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
  -- The hash is what a journal gets last.
  first_seq constant bigint := coalesce((SELECT max(seq) FROM journal_hash), 0) + 1;
  last_seq constant bigint := (SELECT max(seq) FROM journal);
BEGIN
  IF first_seq > last_seq THEN RETURN NULL; END IF;
  PERFORM extend_presence(first_seq, last_seq);
  PERFORM extend_unposted_presence(first_seq, last_seq);
  PERFORM extend_totals(first_seq, last_seq);
  PERFORM extend_chain();
  RETURN NULL;
END $$;

CREATE FUNCTION counts_now(known_seq bigint) RETURNS boolean
    LANGUAGE sql STABLE
    AS $_$
  SELECT coalesce((SELECT s.stands FROM journal_standing s
    WHERE s.seq = $1 ORDER BY s.known_seq DESC LIMIT 1), true)
$_$;

CREATE FUNCTION drawable_until(asked_facility bigint, at date, known bigint) RETURNS date
    LANGUAGE plpgsql STABLE
    AS $$
BEGIN
  RETURN (
    SELECT CASE WHEN t.facility_key IS NULL THEN least(f.availability_end_date, f.maturity_date)
                ELSE least(t.availability_end_date, t.maturity_date) END
    FROM facility f
    LEFT JOIN LATERAL (SELECT * FROM facility_terms t WHERE t.facility_key = f.key
      AND t.effective_date <= at AND t.known_seq <= known
      AND coalesce((SELECT s.stands FROM journal_standing s WHERE s.seq = t.known_seq
        AND s.known_seq <= known ORDER BY s.known_seq DESC LIMIT 1), true)
      ORDER BY t.effective_date DESC, t.known_seq DESC LIMIT 1) t ON true
    WHERE f.key = asked_facility);
END $$;

CREATE FUNCTION drop_read_log_days(kept_days integer) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET "TimeZone" TO 'UTC'
    SET lock_timeout TO '1s'
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
  kept_since constant timestamptz := now() - make_interval(days => kept_days);
  old text;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('read_log_day'));
  DELETE FROM read_log_other WHERE at < kept_since;
  FOR old IN SELECT name FROM read_log_day WHERE ends <= kept_since LOOP
    EXECUTE format('DROP TABLE %I', old);
  END LOOP;
END $$;

CREATE FUNCTION end_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  UPDATE book_state
  SET generation = generation + 1, changed_at = greatest(changed_at, posting_time());
  RETURN NULL;
END $$;

CREATE FUNCTION extend_balances() RETURNS trigger
    LANGUAGE plpgsql
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
DECLARE
  -- Most statements have none, and pay nothing for them.
  has_sublimits constant boolean := EXISTS (SELECT FROM facility WHERE sublimit_of_key IS NOT NULL);
  has_reversals constant boolean := EXISTS (SELECT FROM journal
    WHERE seq BETWEEN (SELECT min(journal_seq) FROM inserted) AND (SELECT max(journal_seq) FROM inserted)
      AND reverses_seq IS NOT NULL);
BEGIN
  INSERT INTO balance (line_key, effective_date, known_seq, deal_key, lender_key, original_commitment, cancelled_commitment, unfunded, letter_of_credit, unavailable, principal_cash, principal_pik, principal_due, interest_accrued, pik_accrued, interest_due, fees_accrued, fees_due, fx_revaluation, advances, scheduled_repayments, voluntary_prepayments, mandatory_prepayments, pik_capitalizations, fee_capitalizations, write_offs, rollovers, transfers, adjustments, movement_count, reversal_count, sublimit_used)
  WITH delta AS MATERIALIZED (
    SELECT line_key, effective_date, sum_minor(amount) FILTER (WHERE account = 'ORIGINAL_COMMITMENT') AS original_commitment, sum_minor(amount) FILTER (WHERE account = 'CANCELLED_COMMITMENT') AS cancelled_commitment, sum_minor(amount) FILTER (WHERE account = 'UNFUNDED') AS unfunded, sum_minor(amount) FILTER (WHERE account = 'LETTER_OF_CREDIT') AS letter_of_credit, sum_minor(amount) FILTER (WHERE account = 'UNAVAILABLE') AS unavailable, sum_minor(amount) FILTER (WHERE account = 'PRINCIPAL_CASH') AS principal_cash, sum_minor(amount) FILTER (WHERE account = 'PRINCIPAL_PIK') AS principal_pik, sum_minor(amount) FILTER (WHERE account = 'PRINCIPAL_DUE') AS principal_due, sum_minor(amount) FILTER (WHERE account = 'INTEREST_ACCRUED') AS interest_accrued, sum_minor(amount) FILTER (WHERE account = 'PIK_ACCRUED') AS pik_accrued, sum_minor(amount) FILTER (WHERE account = 'INTEREST_DUE') AS interest_due, sum_minor(amount) FILTER (WHERE account = 'FEES_ACCRUED') AS fees_accrued, sum_minor(amount) FILTER (WHERE account = 'FEES_DUE') AS fees_due, sum_minor(amount) FILTER (WHERE account = 'FX_REVAL') AS fx_revaluation, sum_minor(amount) FILTER (WHERE movement = 'advance') AS advances, sum_minor(amount) FILTER (WHERE movement = 'scheduled_repayment') AS scheduled_repayments, sum_minor(amount) FILTER (WHERE movement = 'voluntary_prepayment') AS voluntary_prepayments, sum_minor(amount) FILTER (WHERE movement = 'mandatory_prepayment') AS mandatory_prepayments, sum_minor(amount) FILTER (WHERE movement = 'pik_capitalization') AS pik_capitalizations, sum_minor(amount) FILTER (WHERE movement = 'fee_capitalization') AS fee_capitalizations, sum_minor(amount) FILTER (WHERE movement = 'write_off') AS write_offs, sum_minor(amount) FILTER (WHERE movement = 'rollover') AS rollovers, sum_minor(amount) FILTER (WHERE movement = 'transfer') AS transfers, sum_minor(amount) FILTER (WHERE movement = 'adjustment') AS adjustments, count(movement) AS movement_count, count(movement) FILTER (WHERE reverses_seq IS NOT NULL) AS reversal_count, NULL::bigint AS sublimit_used
    FROM (SELECT line_key, effective_date, account, movement, amount_minor AS amount,
            CASE WHEN has_reversals THEN (
              SELECT reverses_seq FROM journal WHERE seq = journal_seq) END AS reverses_seq
          FROM inserted) p
    GROUP BY line_key, effective_date
  ), used AS MATERIALIZED (
    SELECT e.parent_line_key AS line_key, p.effective_date, (-sum(e.draws))::bigint AS unfunded,
      sum(e.uses)::bigint AS sublimit_used
    FROM (SELECT * FROM inserted
      WHERE has_sublimits AND account IN ('PRINCIPAL_CASH', 'PRINCIPAL_PIK', 'LETTER_OF_CREDIT')
        AND (SELECT parent_line_key FROM balance_line WHERE key = line_key) IS NOT NULL OFFSET 0) p
    CROSS JOIN LATERAL sublimit_effect(p.line_key, p.account::text, p.movement::text, p.amount_minor) e
    GROUP BY e.parent_line_key, p.effective_date
  ), touched AS (
    SELECT line_key, min(effective_date) AS since FROM (
      SELECT line_key, effective_date FROM delta
      UNION ALL SELECT line_key, effective_date FROM used) c
    GROUP BY line_key
  ), change AS (
    SELECT * FROM delta
    UNION ALL
    SELECT line_key, effective_date, NULL, NULL, unfunded, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, sublimit_used FROM used
    UNION ALL
    -- A backdated posting moves every later date of its line.
    SELECT t.line_key, b.effective_date, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
    FROM touched t CROSS JOIN LATERAL (
      SELECT DISTINCT effective_date FROM balance
      WHERE line_key = t.line_key AND effective_date > t.since OFFSET 0
    ) b
  ), moved AS (
    SELECT line_key, effective_date, sum_minor(sum_minor(original_commitment)) OVER past AS original_commitment, sum_minor(sum_minor(cancelled_commitment)) OVER past AS cancelled_commitment, sum_minor(sum_minor(unfunded)) OVER past AS unfunded, sum_minor(sum_minor(letter_of_credit)) OVER past AS letter_of_credit, sum_minor(sum_minor(unavailable)) OVER past AS unavailable, sum_minor(sum_minor(principal_cash)) OVER past AS principal_cash, sum_minor(sum_minor(principal_pik)) OVER past AS principal_pik, sum_minor(sum_minor(principal_due)) OVER past AS principal_due, sum_minor(sum_minor(interest_accrued)) OVER past AS interest_accrued, sum_minor(sum_minor(pik_accrued)) OVER past AS pik_accrued, sum_minor(sum_minor(interest_due)) OVER past AS interest_due, sum_minor(sum_minor(fees_accrued)) OVER past AS fees_accrued, sum_minor(sum_minor(fees_due)) OVER past AS fees_due, sum_minor(sum_minor(fx_revaluation)) OVER past AS fx_revaluation, sum_minor(sum_minor(advances)) OVER past AS advances, sum_minor(sum_minor(scheduled_repayments)) OVER past AS scheduled_repayments, sum_minor(sum_minor(voluntary_prepayments)) OVER past AS voluntary_prepayments, sum_minor(sum_minor(mandatory_prepayments)) OVER past AS mandatory_prepayments, sum_minor(sum_minor(pik_capitalizations)) OVER past AS pik_capitalizations, sum_minor(sum_minor(fee_capitalizations)) OVER past AS fee_capitalizations, sum_minor(sum_minor(write_offs)) OVER past AS write_offs, sum_minor(sum_minor(rollovers)) OVER past AS rollovers, sum_minor(sum_minor(transfers)) OVER past AS transfers, sum_minor(sum_minor(adjustments)) OVER past AS adjustments, sum_minor(sum_minor(movement_count)) OVER past AS movement_count, sum_minor(sum_minor(reversal_count)) OVER past AS reversal_count, sum_minor(sum_minor(sublimit_used)) OVER past AS sublimit_used
    FROM change GROUP BY line_key, effective_date
    WINDOW past AS (PARTITION BY line_key ORDER BY effective_date)
  )
  SELECT m.line_key, m.effective_date, (SELECT max(journal_seq) FROM inserted), l.deal_key, l.lender_key, coalesce(o.original_commitment, 0) + coalesce(m.original_commitment, 0), coalesce(o.cancelled_commitment, 0) + coalesce(m.cancelled_commitment, 0), coalesce(o.unfunded, 0) + coalesce(m.unfunded, 0), coalesce(o.letter_of_credit, 0) + coalesce(m.letter_of_credit, 0), coalesce(o.unavailable, 0) + coalesce(m.unavailable, 0), coalesce(o.principal_cash, 0) + coalesce(m.principal_cash, 0), coalesce(o.principal_pik, 0) + coalesce(m.principal_pik, 0), coalesce(o.principal_due, 0) + coalesce(m.principal_due, 0), coalesce(o.interest_accrued, 0) + coalesce(m.interest_accrued, 0), coalesce(o.pik_accrued, 0) + coalesce(m.pik_accrued, 0), coalesce(o.interest_due, 0) + coalesce(m.interest_due, 0), coalesce(o.fees_accrued, 0) + coalesce(m.fees_accrued, 0), coalesce(o.fees_due, 0) + coalesce(m.fees_due, 0), coalesce(o.fx_revaluation, 0) + coalesce(m.fx_revaluation, 0), coalesce(o.advances, 0) + coalesce(m.advances, 0), coalesce(o.scheduled_repayments, 0) + coalesce(m.scheduled_repayments, 0), coalesce(o.voluntary_prepayments, 0) + coalesce(m.voluntary_prepayments, 0), coalesce(o.mandatory_prepayments, 0) + coalesce(m.mandatory_prepayments, 0), coalesce(o.pik_capitalizations, 0) + coalesce(m.pik_capitalizations, 0), coalesce(o.fee_capitalizations, 0) + coalesce(m.fee_capitalizations, 0), coalesce(o.write_offs, 0) + coalesce(m.write_offs, 0), coalesce(o.rollovers, 0) + coalesce(m.rollovers, 0), coalesce(o.transfers, 0) + coalesce(m.transfers, 0), coalesce(o.adjustments, 0) + coalesce(m.adjustments, 0), coalesce(o.movement_count, 0) + coalesce(m.movement_count, 0), coalesce(o.reversal_count, 0) + coalesce(m.reversal_count, 0), coalesce(o.sublimit_used, 0) + coalesce(m.sublimit_used, 0)
  FROM moved m
  CROSS JOIN LATERAL (
    SELECT deal_key, lender_key FROM balance_line WHERE key = m.line_key OFFSET 0
  ) l
  LEFT JOIN LATERAL (
    SELECT * FROM balance b
    WHERE b.line_key = m.line_key AND b.effective_date <= m.effective_date
    ORDER BY b.effective_date DESC, b.known_seq DESC LIMIT 1
  ) o ON true;
  RETURN NULL;
END
$$;

CREATE FUNCTION extend_chain() RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
  step constant bigint := 500;
  last bigint; newest bigint; hash text; journal record;
  seqs bigint[]; hashes text[];
BEGIN
  SELECT h.seq, h.hash INTO last, hash FROM journal_hash h ORDER BY h.seq DESC LIMIT 1;
  last := coalesce(last, 0);
  SELECT max(seq) INTO newest FROM journal;
  WHILE last < newest LOOP
    seqs := '{}';
    hashes := '{}';
    FOR journal IN SELECT * FROM journal_content(last + 1, least(last + step, newest)) LOOP
      -- chained_hash(), written out: a call for each journal costs more than the hash.
      hash := encode(sha256(convert_to(
        coalesce(hash, repeat('0', 64)) || E'\n' || journal.content, 'UTF8')), 'hex');
      seqs := array_append(seqs, journal.journal_seq);
      hashes := array_append(hashes, hash);
    END LOOP;
    INSERT INTO journal_hash (seq, hash) SELECT * FROM unnest(seqs, hashes);
    last := last + step;
  END LOOP;
END $$;

CREATE FUNCTION extend_presence(first_seq bigint, last_seq bigint) RETURNS void
    LANGUAGE plpgsql
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_hashagg TO 'off'
    AS $$
BEGIN
  INSERT INTO presence (kind, record_key, known_seq, deal_key, since)
  WITH posted AS MATERIALIZED (
    SELECT seq, deal_key, effective_date, reverses_seq IS NOT NULL AS reverses,
      row_number() OVER (PARTITION BY deal_key ORDER BY seq) AS number_in_deal
    FROM journal WHERE seq BETWEEN first_seq AND last_seq
  ), touched_deal AS MATERIALIZED (
    SELECT deal_key, min(effective_date) FILTER (WHERE NOT reverses) AS earliest,
      min(effective_date) FILTER (WHERE reverses) AS reversed_on
    FROM posted GROUP BY deal_key
  ), telling AS MATERIALIZED (
    SELECT *,
      -- Whose terms it states or takes back.
      coalesce((SELECT s.seq FROM journal_standing s
        WHERE s.known_seq = j.seq AND s.seq <> s.known_seq), seq) AS terms_seq
    FROM (
      -- Of deals with a record that has a date of its own: the others follow their deal. Asked once for
      -- a deal, and not for each of its journals.
      SELECT *, bool_or(CASE WHEN number_in_deal = 1 THEN
          EXISTS (SELECT FROM facility WHERE deal_key = posted.deal_key AND NOT follows_journals OFFSET 0)
          OR EXISTS (SELECT FROM loan_contract WHERE deal_key = posted.deal_key AND NOT follows_journals OFFSET 0)
          OR EXISTS (SELECT FROM lender_position
            WHERE deal_key = posted.deal_key AND NOT follows_journals OFFSET 0)
        END) OVER (PARTITION BY deal_key) AS has_dated
      FROM posted) j
    WHERE has_dated
  ), touched_line AS MATERIALIZED (
    SELECT p.line_key, min(j.effective_date) FILTER (WHERE NOT j.reverses) AS earliest,
      min(j.effective_date) FILTER (WHERE j.reverses) AS reversed_on
    FROM telling j CROSS JOIN LATERAL (
      SELECT line_key FROM posting WHERE journal_seq = j.seq OFFSET 0) p
    GROUP BY p.line_key
  ), touched AS (
    SELECT 'deal' AS kind, t.deal_key AS record_key, t.deal_key, t.earliest, t.reversed_on
    FROM touched_deal t
    UNION ALL
    SELECT 'facility', l.facility_key, l.deal_key, t.earliest, t.reversed_on
    FROM touched_line t JOIN balance_line l ON l.key = t.line_key
    UNION ALL
    SELECT 'contract', l.contract_key, l.deal_key, t.earliest, t.reversed_on
    FROM touched_line t JOIN balance_line l ON l.key = t.line_key AND l.contract_key <> 0
    UNION ALL
    SELECT 'position', q.key, l.deal_key, t.earliest, t.reversed_on
    FROM touched_line t JOIN balance_line l ON l.key = t.line_key AND l.lender_key <> 0
    JOIN lender_position q ON q.facility_key = l.facility_key AND q.lender_key = l.lender_key
    UNION ALL
    SELECT 'facility', x.facility_key, j.deal_key, CASE WHEN NOT j.reverses THEN j.effective_date END,
      CASE WHEN j.reverses THEN j.effective_date END
    FROM telling j JOIN facility_terms x ON x.known_seq = j.terms_seq
    UNION ALL
    SELECT 'contract', x.contract_key, j.deal_key, CASE WHEN NOT j.reverses THEN j.effective_date END,
      CASE WHEN j.reverses THEN j.effective_date END
    FROM telling j JOIN contract_terms x ON x.known_seq = j.terms_seq
  ), own AS (
    SELECT t.kind, t.record_key, t.deal_key, min(t.earliest) AS earliest, min(t.reversed_on) AS reversed_on
    FROM touched t GROUP BY t.kind, t.record_key, t.deal_key
  ), record AS MATERIALIZED (
    SELECT o.*,
      -- known_since(), written out: a call for each record costs more than its look-up.
      coalesce((SELECT p.since FROM presence p WHERE p.kind = o.kind AND p.record_key = o.record_key
          AND p.known_seq <= last_seq ORDER BY p.known_seq DESC LIMIT 1), r.booked_on) AS known
    FROM own o CROSS JOIN LATERAL (
      SELECT booked_on, follows_journals FROM deal WHERE o.kind = 'deal' AND key = o.record_key
      UNION ALL SELECT booked_on, follows_journals FROM facility WHERE o.kind = 'facility' AND key = o.record_key
      UNION ALL SELECT booked_on, follows_journals FROM loan_contract
        WHERE o.kind = 'contract' AND key = o.record_key
      UNION ALL SELECT booked_on, follows_journals FROM lender_position
        WHERE o.kind = 'position' AND key = o.record_key
    ) r
    WHERE o.kind = 'deal' OR NOT r.follows_journals
  ), stated AS MATERIALIZED (
    SELECT r.kind, r.record_key, r.deal_key,
      -- Only what is taken back or put back on that date, or before it, can move it to a later one.
      CASE WHEN r.reversed_on <= r.known THEN since_by_journals(r.kind, r.record_key, last_seq)
        ELSE least(r.earliest, r.known) END AS since, r.known
    FROM record r
  ), changed AS MATERIALIZED (
    SELECT * FROM stated WHERE since <> known
  )
  SELECT kind, record_key, last_seq, deal_key, since FROM changed
  UNION ALL
  SELECT f.kind, f.key, last_seq, s.deal_key, s.since
  FROM changed s CROSS JOIN LATERAL (
    SELECT 'facility' AS kind, key FROM facility
    WHERE deal_key = s.record_key AND follows_journals
    UNION ALL SELECT 'contract', key FROM loan_contract
    WHERE deal_key = s.record_key AND follows_journals
    UNION ALL SELECT 'position', key FROM lender_position
    WHERE deal_key = s.record_key AND follows_journals
  ) f WHERE s.kind = 'deal';

  INSERT INTO book_date (effective_date, known_seq, stands)
  SELECT d.effective_date, last_seq, now_stands.so
  FROM (SELECT effective_date, bool_or(reverses_seq IS NOT NULL) AS reversed
        FROM journal WHERE seq BETWEEN first_seq AND last_seq AND effective_date IS NOT NULL GROUP BY effective_date) d
  CROSS JOIN LATERAL (SELECT coalesce((SELECT b.stands FROM book_date b
    WHERE b.effective_date = d.effective_date ORDER BY b.known_seq DESC LIMIT 1), false) AS so
    ) stood
  -- By look-ups of the date's journals; otherwise a plan may ask of every journal of the book.
  CROSS JOIN LATERAL (SELECT NOT d.reversed OR EXISTS (SELECT FROM journal j
    WHERE j.effective_date = d.effective_date AND j.seq <= last_seq AND j.reverses_seq IS NULL
      AND journal_stands(j.seq, last_seq) OFFSET 0) AS so OFFSET 0) now_stands
  WHERE stood.so <> now_stands.so;
END $$;

CREATE FUNCTION extend_standing() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  PERFORM extend_standing(min(seq), max(seq)) FROM inserted HAVING count(*) > 0;
  RETURN NULL;
END $$;

CREATE FUNCTION extend_standing(first_seq bigint, last_seq bigint) RETURNS void
    LANGUAGE sql
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $_$
  INSERT INTO journal_standing (seq, known_seq, deal_key, stands)
  WITH RECURSIVE chain AS (
    SELECT seq AS known_seq, deal_key, reverses_seq AS seq, 1 AS depth
    FROM journal WHERE seq BETWEEN $1 AND $2 AND reverses_seq IS NOT NULL
    UNION ALL
    SELECT c.known_seq, c.deal_key, j.reverses_seq, c.depth + 1
    FROM chain c JOIN journal j ON j.seq = c.seq WHERE j.reverses_seq IS NOT NULL
  )
  SELECT known_seq, known_seq, deal_key, false FROM chain WHERE depth = 1
  UNION ALL
  (SELECT DISTINCT ON (known_seq) seq, known_seq, deal_key, depth % 2 = 0
   FROM chain ORDER BY known_seq, depth DESC)
$_$;

CREATE FUNCTION extend_totals(first_seq bigint, last_seq bigint) RETURNS void
    LANGUAGE sql
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $_$
  WITH state AS MATERIALIZED (
    SELECT * FROM item_states($1, $2)
  ), kept AS (
    INSERT INTO sort_amount (level, sort, currency, value, item_key, deal_key, lender_key)
    SELECT DISTINCT s.level, v.sort, s.currency, v.value, i.key, s.deal_key, s.lender_key
    FROM state s
    CROSS JOIN LATERAL (
      SELECT s.item_key AS key WHERE s.level <> 'deal'
      UNION ALL
      -- The facility that stands for the deal: the first of those that the book has.
      (SELECT f.key FROM facility f WHERE s.level = 'deal' AND f.deal_key = s.deal_key AND f.currency = s.currency
         AND f.booked_seq + 0 <= s.seq AND coalesce((SELECT p.since FROM presence p
           WHERE p.kind = 'facility' AND p.record_key = f.key AND p.known_seq <= s.seq
           ORDER BY p.known_seq DESC LIMIT 1), f.booked_on) <= s.day
       ORDER BY f.key LIMIT 1)) i
    CROSS JOIN LATERAL (VALUES ('outstanding', (s.principal_cash + s.principal_pik)::bigint),
      ('unfunded', s.unfunded::bigint)) v (sort, value)
    WHERE s.seq = $2 AND s.lives
    ON CONFLICT DO NOTHING
  ), life AS (
    INSERT INTO item_life (level, item_key, currency, known_seq, lives_until, deal_key, lender_key)
    SELECT s.level, s.item_key, s.currency, $2, n.lives_until, s.deal_key, s.lender_key
    FROM (
      SELECT level, item_key, currency, deal_key, lender_key, min(day) AS since,
        max(next) FILTER (WHERE lives) AS lives_until
      FROM (SELECT item, level, item_key, CASE level WHEN 'deal' THEN currency ELSE '' END AS currency,
          deal_key, lender_key, day, lives,
          lead(day, 1, 'infinity'::date) OVER (PARTITION BY item ORDER BY day) AS next
        FROM state WHERE seq = $2) d
      GROUP BY item, level, item_key, currency, deal_key, lender_key
    ) s
    LEFT JOIN LATERAL (SELECT lives_until FROM item_life o
      WHERE o.level = s.level AND o.item_key = s.item_key AND o.currency = s.currency
      ORDER BY known_seq DESC LIMIT 1) o ON true
    CROSS JOIN LATERAL (
      SELECT coalesce(s.lives_until, least(o.lives_until, s.since)) AS lives_until
      WHERE coalesce(s.lives_until, o.lives_until) IS NOT NULL) n
    WHERE n.lives_until IS DISTINCT FROM o.lives_until
  ), total AS (
    SELECT level, currency, item, seq, day, counts::int AS items,
      CASE WHEN counts AND NOT around_counts THEN unfunded ELSE 0 END AS unfunded,
      CASE WHEN counts THEN principal_cash ELSE 0 END AS principal_cash,
      CASE WHEN counts THEN principal_pik ELSE 0 END AS principal_pik,
      CASE WHEN counts THEN interest_accrued ELSE 0 END AS interest_accrued,
      CASE WHEN counts THEN fees_accrued ELSE 0 END AS fees_accrued,
      CASE WHEN counts THEN fx_revaluation ELSE 0 END AS fx_revaluation
    FROM state
  ), step AS (
    SELECT level, currency, day, CASE WHEN seq = $2 THEN 1 ELSE -1 END AS sign,
      items - lag(items, 1, 0) OVER w AS items,
      unfunded - lag(unfunded, 1, 0::numeric) OVER w AS unfunded,
      principal_cash - lag(principal_cash, 1, 0::numeric) OVER w AS principal_cash,
      principal_pik - lag(principal_pik, 1, 0::numeric) OVER w AS principal_pik,
      interest_accrued - lag(interest_accrued, 1, 0::numeric) OVER w AS interest_accrued,
      fees_accrued - lag(fees_accrued, 1, 0::numeric) OVER w AS fees_accrued,
      fx_revaluation - lag(fx_revaluation, 1, 0::numeric) OVER w AS fx_revaluation
    FROM total WINDOW w AS (PARTITION BY item, seq ORDER BY day)
  ), change AS (
    SELECT level, currency, day, sum(sign * items) AS items, sum(sign * unfunded) AS unfunded,
      sum(sign * principal_cash) AS principal_cash, sum(sign * principal_pik) AS principal_pik,
      sum(sign * interest_accrued) AS interest_accrued, sum(sign * fees_accrued) AS fees_accrued,
      sum(sign * fx_revaluation) AS fx_revaluation
    FROM step GROUP BY level, currency, day
  )
  INSERT INTO book_total (level, currency, grain, start, known_seq, items, unfunded,
    principal_cash, principal_pik, interest_accrued, fees_accrued, fx_revaluation)
  SELECT c.level, c.currency, c.grain, c.start, $2, coalesce(o.items, 0) + c.items,
    coalesce(o.unfunded, 0) + c.unfunded, coalesce(o.principal_cash, 0) + c.principal_cash,
    coalesce(o.principal_pik, 0) + c.principal_pik,
    coalesce(o.interest_accrued, 0) + c.interest_accrued,
    coalesce(o.fees_accrued, 0) + c.fees_accrued,
    coalesce(o.fx_revaluation, 0) + c.fx_revaluation
  FROM (
    SELECT c.level, c.currency, g.grain, date_trunc(g.grain, c.day)::date AS start,
      sum(c.items)::bigint AS items, sum(c.unfunded)::bigint AS unfunded,
      sum(c.principal_cash)::bigint AS principal_cash,
      sum(c.principal_pik)::bigint AS principal_pik,
      sum(c.interest_accrued)::bigint AS interest_accrued,
      sum(c.fees_accrued)::bigint AS fees_accrued, sum(c.fx_revaluation)::bigint AS fx_revaluation
    FROM change c CROSS JOIN (VALUES ('year'), ('month'), ('day')) g(grain)
    GROUP BY 1, 2, 3, 4
  ) c LEFT JOIN LATERAL (
    SELECT * FROM book_total t WHERE t.level = c.level AND t.currency = c.currency
      AND t.grain = c.grain AND t.start = c.start ORDER BY t.known_seq DESC LIMIT 1) o ON true
  WHERE (c.items, c.unfunded, c.principal_cash, c.principal_pik, c.interest_accrued,
    c.fees_accrued, c.fx_revaluation) <> (0, 0, 0, 0, 0, 0, 0)
$_$;

CREATE FUNCTION extend_unposted_presence(first_seq bigint, last_seq bigint) RETURNS void
    LANGUAGE sql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS $_$
  INSERT INTO presence (kind, record_key, known_seq, deal_key, since)
  SELECT r.kind, r.key, $2, d.key, s.since
  FROM (SELECT seq FROM journal_standing WHERE known_seq BETWEEN $1 AND $2) t
  JOIN deal d ON d.booked_seq = t.seq AND d.follows_journals AND booked_without_journal(d)
  CROSS JOIN LATERAL (SELECT since_by_journals('deal', d.key, $2) AS since) s
  CROSS JOIN LATERAL (
    SELECT 'deal' AS kind, d.key
    UNION ALL SELECT 'facility', key FROM facility WHERE deal_key = d.key AND follows_journals
    UNION ALL SELECT 'contract', key FROM loan_contract WHERE deal_key = d.key AND follows_journals
    UNION ALL SELECT 'position', key FROM lender_position WHERE deal_key = d.key AND follows_journals) r
  WHERE s.since <> known_since(r.kind, r.key, $2)
  ON CONFLICT DO NOTHING
$_$;

CREATE FUNCTION first_reversed(asked bigint) RETURNS bigint
    LANGUAGE plpgsql STABLE
    AS $$
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

CREATE FUNCTION folded(name text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  SELECT regexp_replace(CASE WHEN octet_length(name) = length(name)
    THEN btrim(regexp_replace(lower(name COLLATE "C"), '[^0-9a-z]+', ' ', 'g'))
    ELSE btrim(regexp_replace(translate(
      replace(replace(replace(replace(replace(replace(replace(replace(
        lower(regexp_replace(normalize(name, NFKD), '[\u0300-\u036f]', '', 'g') COLLATE "C"),
        'ß', 'ss'), 'ẞ', 'ss'), 'æ', 'ae'), 'Æ', 'ae'), 'œ', 'oe'), 'Œ', 'oe'), 'þ', 'th'), 'Þ', 'th'),
      'ØøŁłĐđÐðĦħıΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣςΤΥΦΧΨΩ' || 'АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЂЄЅІЈЉЊЋЏҐ',
      'oollddddhhiαβγδεζηθικλμνξοπρσστυφχψω' || 'абвгдежзиклмнопрстуфхцчшщъыьэюяђєѕіјљњћџґ'),
      '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u00d7\u00f7\u2000-\u206f\u2e00-\u2e7f\u3000-\u303f]+',
      ' ', 'g'))
    END, '([^0-9 ])([0-9])', '\1 \2', 'g')
$$;

CREATE FUNCTION grant_again(deals bigint[]) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE affected text[]; added text[];
BEGIN
  PERFORM pg_advisory_xact_lock(7204313);
  WITH granted AS MATERIALIZED (SELECT * FROM deal_grant WHERE deal_key = ANY(deals)), gone AS (
    DELETE FROM entitlement e WHERE e.deal_key = ANY(deals) AND NOT EXISTS (
      SELECT FROM granted g
      WHERE g.rule_key = e.rule_key AND g.deal_key = e.deal_key AND g.since = e.since)
    RETURNING e.customer_id)
  SELECT array_agg(DISTINCT customer_id) INTO affected FROM gone;
  WITH made AS (
    INSERT INTO entitlement (rule_key, customer_id, deal_key, role, lender_key, since)
    SELECT g.rule_key, g.customer_id, g.deal_key, g.role, g.lender_key, g.since
    FROM deal_grant g WHERE g.deal_key = ANY(deals)
    ON CONFLICT DO NOTHING RETURNING customer_id)
  SELECT array_agg(DISTINCT customer_id) INTO added FROM made;
  INSERT INTO grant_change
  SELECT DISTINCT customer, posting_time() FROM unnest(affected || added) AS c(customer)
  ON CONFLICT (customer_id) DO UPDATE SET changed_at = EXCLUDED.changed_at;
END $$;

CREATE FUNCTION grant_by_details() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  PERFORM grant_again(array_agg(DISTINCT deal_key)) FROM inserted HAVING count(*) > 0;
  RETURN NULL;
END $$;

CREATE FUNCTION grant_by_standing() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  PERFORM grant_again(array_agg(DISTINCT t.deal_key))
  FROM inserted i JOIN deal_details t ON t.known_seq = i.seq HAVING count(*) > 0;
  RETURN NULL;
END $$;

CREATE FUNCTION grant_deals() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(7204313);
  INSERT INTO entitlement (rule_key, customer_id, deal_key, role, lender_key, since)
  SELECT g.rule_key, g.customer_id, g.deal_key, g.role, g.lender_key, g.since
  FROM deal_grant g WHERE g.rule_key IN (SELECT key FROM inserted);
  PERFORM pg_notify('cls_ledger_change', 'entitlement');
  RETURN NULL;
END $$;

CREATE FUNCTION grant_new_deals() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(7204313);
  INSERT INTO entitlement (rule_key, customer_id, deal_key, role, lender_key)
  SELECT r.key, r.customer_id, d.key, r.role, r.lender_key
  FROM inserted d JOIN entitlement_rule r ON r.all_deals OR d.key = r.deal_key
    OR d.borrower_key = r.borrower_key OR d.country = r.country;
  PERFORM pg_notify('cls_ledger_change', 'deal');
  RETURN NULL;
END $$;

CREATE FUNCTION item_states(first_seq bigint, last_seq bigint) RETURNS TABLE(item bigint, level text, currency text, item_key bigint, deal_key bigint, lender_key bigint, seq bigint, day date, unfunded numeric, principal_cash numeric, principal_pik numeric, interest_accrued numeric, fees_accrued numeric, fx_revaluation numeric, lives boolean, counts boolean, around_counts boolean)
    LANGUAGE sql STABLE ROWS 10000
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_hashagg TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $_$
  WITH changed_line AS MATERIALIZED (
    SELECT DISTINCT u.deal_key, u.facility_key, u.contract_key, u.lender_key
    FROM (SELECT DISTINCT line_key FROM posting WHERE journal_seq BETWEEN $1 AND $2) p
    CROSS JOIN LATERAL (
      SELECT key, parent_line_key FROM balance_line WHERE key = p.line_key OFFSET 0) l
    CROSS JOIN LATERAL (
      SELECT * FROM balance_line WHERE key IN (l.key, l.parent_line_key) OFFSET 0) u
  ), changed AS (
    SELECT 'facility' AS kind, facility_key AS key FROM changed_line WHERE lender_key = 0
    UNION
    SELECT 'contract', contract_key FROM changed_line WHERE lender_key = 0 AND contract_key <> 0
    UNION
    SELECT 'position', q.key FROM changed_line l CROSS JOIN LATERAL (
      SELECT key FROM lender_position
      WHERE facility_key = l.facility_key AND lender_key = l.lender_key OFFSET 0) q
    WHERE l.lender_key <> 0
    UNION
    -- Terms of a facility may date it back without a posting.
    SELECT kind, record_key FROM presence
    WHERE known_seq BETWEEN $1 AND $2 AND kind IN ('facility', 'position')
  ), changed_record AS MATERIALIZED (
    SELECT kind, key FROM changed
    UNION
    -- How a sublimit counts follows from the facility that it is carved out of.
    SELECT 'facility', s.key FROM changed c CROSS JOIN LATERAL (
      SELECT key FROM facility WHERE sublimit_of_key = c.key OFFSET 0) s
    WHERE c.kind = 'facility'
    UNION
    SELECT 'position', q.key FROM changed c
    CROSS JOIN LATERAL (SELECT * FROM lender_position WHERE key = c.key OFFSET 0) p
    CROSS JOIN LATERAL (SELECT key FROM facility WHERE sublimit_of_key = p.facility_key OFFSET 0) s
    CROSS JOIN LATERAL (SELECT key FROM lender_position
      WHERE facility_key = s.key AND lender_key = p.lender_key OFFSET 0) q
    WHERE c.kind = 'position'
  ), touched AS (
    SELECT 'facility' AS level, f.key, f.currency, f.deal_key, f.key AS facility_key,
      0::bigint AS contract_key, 0::bigint AS lender_key, f.sublimit_of_key AS parent_key,
      f.booked_on, f.booked_seq
    FROM changed_record r
    CROSS JOIN LATERAL (SELECT * FROM facility WHERE key = r.key OFFSET 0) f
    WHERE r.kind = 'facility'
    UNION ALL
    SELECT 'contract', c.key, c.currency, c.deal_key, c.facility_key, c.key, 0, NULL, c.booked_on, c.booked_seq
    FROM changed_record r
    CROSS JOIN LATERAL (SELECT * FROM loan_contract WHERE key = r.key OFFSET 0) c
    WHERE r.kind = 'contract'
    UNION ALL
    SELECT 'position', q.key, f.currency, q.deal_key, f.key, 0, q.lender_key, f.sublimit_of_key,
      q.booked_on, q.booked_seq
    FROM changed_record r
    CROSS JOIN LATERAL (SELECT * FROM lender_position WHERE key = r.key OFFSET 0) q
    CROSS JOIN LATERAL (SELECT * FROM facility WHERE key = q.facility_key OFFSET 0) f
    WHERE r.kind = 'position'
    UNION ALL
    (SELECT 'deal', f.deal_key, f.currency, f.deal_key, 0::bigint, 0::bigint, 0::bigint,
      NULL::bigint, d.booked_on, d.booked_seq
    FROM (SELECT DISTINCT f.deal_key, f.currency FROM changed_record r
      CROSS JOIN LATERAL (SELECT * FROM facility WHERE key = r.key OFFSET 0) f
      WHERE r.kind = 'facility') f
    CROSS JOIN LATERAL (SELECT * FROM deal WHERE key = f.deal_key OFFSET 0) d)
  ), item AS MATERIALIZED (
    SELECT row_number() OVER () AS item, * FROM (
      -- The first date of the deal's journals comes as a row of its own, and goes to all of the deal's.
      SELECT t.*, min(t.date) OVER (PARTITION BY t.deal_key) AS since FROM (
        SELECT *, NULL::date AS date FROM touched
        UNION ALL
        SELECT NULL, NULL, NULL, j.deal_key, NULL, NULL, NULL, NULL, NULL, NULL, min(j.effective_date)
        FROM journal j WHERE j.seq BETWEEN $1 AND $2 GROUP BY j.deal_key) t) i
    WHERE i.level IS NOT NULL AND i.since IS NOT NULL
  ), known (seq) AS (VALUES ($1 - 1), ($2)),
  -- Lines of an item, and of the facility around a sublimit.
  line AS (
    SELECT i.item, i.level, i.currency, i.key AS item_key, i.deal_key, i.lender_key, i.since,
      false AS around, l.key, l.parent_line_key IS NULL AS commits
    FROM item i CROSS JOIN LATERAL (SELECT key, parent_line_key FROM balance_line
      WHERE deal_key = i.deal_key AND lender_key = 0 AND currency = i.currency OFFSET 0) l
    WHERE i.level = 'deal'
    UNION ALL
    SELECT i.item, i.level, i.currency, i.key, i.deal_key, i.lender_key, i.since, false, l.key, true
    FROM item i CROSS JOIN LATERAL (SELECT key FROM balance_line
      WHERE contract_key = i.contract_key AND facility_key = i.facility_key AND lender_key = 0
      OFFSET 0) l
    WHERE i.level = 'contract'
    UNION ALL
    SELECT i.item, i.level, i.currency, i.key, i.deal_key, i.lender_key, i.since, false, l.key, true
    FROM item i CROSS JOIN LATERAL (SELECT key FROM balance_line
      WHERE facility_key = i.facility_key AND lender_key = i.lender_key OFFSET 0) l
    WHERE i.level IN ('facility', 'position')
    UNION ALL
    SELECT i.item, i.level, i.currency, i.key, i.deal_key, i.lender_key, i.since, true, l.key, true
    FROM item i CROSS JOIN LATERAL (SELECT key FROM balance_line
      WHERE facility_key = i.parent_key AND lender_key = i.lender_key OFFSET 0) l
    WHERE i.parent_key IS NOT NULL
  ), balance_at AS (
    -- As of the day before the first date, and on each later date of the line. Nothing that these journals
    -- added stands before that date.
    SELECT DISTINCT ON (l.item, l.key, k.seq, b.day) l.item, l.level, l.currency, l.item_key,
      l.deal_key, l.lender_key, l.around, l.key, k.seq, b.day,
      CASE WHEN l.commits THEN b.unfunded ELSE 0 END AS unfunded, b.principal_cash,
      b.principal_pik, b.interest_accrued, b.fees_accrued, b.fx_revaluation,
      (l.commits AND (b.unfunded <> 0 OR b.unavailable <> 0) OR l.level <> 'deal' AND b.sublimit_used <> 0
        OR b.letter_of_credit <> 0 OR b.principal_cash <> 0 OR b.principal_pik <> 0
        OR b.principal_due <> 0 OR b.interest_accrued <> 0 OR b.pik_accrued <> 0
        OR b.interest_due <> 0 OR b.fees_accrued <> 0 OR b.fees_due <> 0)::int AS owes
    FROM line l CROSS JOIN LATERAL (
      SELECT l.since - 1 AS day, o.* FROM (
        SELECT * FROM balance WHERE line_key = l.key AND effective_date < l.since
          AND known_seq < $1 ORDER BY effective_date DESC, known_seq DESC LIMIT 1) o
      UNION ALL
      SELECT n.effective_date, n.* FROM balance n
      WHERE n.line_key = l.key AND n.effective_date >= l.since AND n.known_seq <= $2
      OFFSET 0) b
    JOIN known k ON b.known_seq <= k.seq
    ORDER BY l.item, l.key, k.seq, b.day, b.known_seq DESC
  ), step AS (
    SELECT item, level, currency, item_key, deal_key, lender_key, seq, day, around,
      unfunded - lag(unfunded, 1, 0::bigint) OVER w AS unfunded,
      principal_cash - lag(principal_cash, 1, 0::bigint) OVER w AS principal_cash,
      principal_pik - lag(principal_pik, 1, 0::bigint) OVER w AS principal_pik,
      interest_accrued - lag(interest_accrued, 1, 0::bigint) OVER w AS interest_accrued,
      fees_accrued - lag(fees_accrued, 1, 0::bigint) OVER w AS fees_accrued,
      fx_revaluation - lag(fx_revaluation, 1, 0::bigint) OVER w AS fx_revaluation,
      owes - lag(owes, 1, 0) OVER w AS owes
    FROM balance_at WINDOW w AS (PARTITION BY item, key, seq ORDER BY day)
  ), record AS (
    SELECT item, level, currency, key AS item_key, deal_key, lender_key, since, 'own' AS part,
      level AS kind, key, booked_on, booked_seq FROM item
    UNION ALL
    SELECT i.item, i.level, i.currency, i.key, i.deal_key, i.lender_key, i.since, 'within',
      'facility', r.key, r.booked_on, r.booked_seq
    FROM item i CROSS JOIN LATERAL (SELECT key, booked_on, booked_seq FROM facility
      WHERE deal_key = i.deal_key AND currency = i.currency OFFSET 0) r
    WHERE i.level = 'deal'
    UNION ALL
    SELECT i.item, i.level, i.currency, i.key, i.deal_key, i.lender_key, i.since, 'around',
      'facility', r.key, r.booked_on, r.booked_seq
    FROM item i CROSS JOIN LATERAL (SELECT key, booked_on, booked_seq FROM facility
      WHERE key = i.parent_key OFFSET 0) r
    WHERE i.level = 'facility' AND i.parent_key IS NOT NULL
    UNION ALL
    SELECT i.item, i.level, i.currency, i.key, i.deal_key, i.lender_key, i.since, 'around',
      'position', r.key, r.booked_on, r.booked_seq
    FROM item i CROSS JOIN LATERAL (SELECT key, booked_on, booked_seq FROM lender_position
      WHERE facility_key = i.parent_key AND lender_key = i.lender_key OFFSET 0) r
    WHERE i.level = 'position' AND i.parent_key IS NOT NULL
  ), event AS (
    SELECT item, level, currency, item_key, deal_key, lender_key, seq, day,
      CASE WHEN around THEN 0 ELSE unfunded END AS unfunded,
      CASE WHEN around THEN 0 ELSE principal_cash END AS principal_cash,
      CASE WHEN around THEN 0 ELSE principal_pik END AS principal_pik,
      CASE WHEN around THEN 0 ELSE interest_accrued END AS interest_accrued,
      CASE WHEN around THEN 0 ELSE fees_accrued END AS fees_accrued,
      CASE WHEN around THEN 0 ELSE fx_revaluation END AS fx_revaluation,
      CASE WHEN around THEN 0 ELSE owes END AS owes, CASE WHEN around THEN owes ELSE 0 END AS around_owes,
      0 AS own, 0 AS within, 0 AS around
    FROM step
    UNION ALL
    SELECT r.item, r.level, r.currency, r.item_key, r.deal_key, r.lender_key, k.seq,
      greatest(p.since, r.since - 1), 0, 0, 0, 0, 0, 0, 0, 0,
      (r.part = 'own')::int, (r.part = 'within')::int, (r.part = 'around')::int
    FROM record r JOIN known k ON r.booked_seq <= k.seq CROSS JOIN LATERAL (
      SELECT coalesce((SELECT since FROM presence WHERE kind = r.kind AND record_key = r.key
        AND known_seq <= k.seq ORDER BY known_seq DESC LIMIT 1), r.booked_on) AS since OFFSET 0) p
    WHERE p.since < 'infinity'
  )
  SELECT item, level, currency, item_key, deal_key, lender_key, seq, day,
    sum(sum(unfunded)) OVER past, sum(sum(principal_cash)) OVER past,
    sum(sum(principal_pik)) OVER past, sum(sum(interest_accrued)) OVER past,
    sum(sum(fees_accrued)) OVER past, sum(sum(fx_revaluation)) OVER past,
    sum(sum(owes)) OVER past > 0,
    sum(sum(owes)) OVER past > 0 AND sum(sum(own)) OVER past > 0
      AND (level <> 'deal' OR sum(sum(within)) OVER past > 0),
    sum(sum(around_owes)) OVER past > 0 AND sum(sum(around)) OVER past > 0
  FROM event GROUP BY item, seq, day, level, currency, item_key, deal_key, lender_key
  WINDOW past AS (PARTITION BY item, seq ORDER BY day)
$_$;

CREATE FUNCTION journal_content(first bigint, last bigint) RETURNS TABLE(journal_seq bigint, content text)
    LANGUAGE plpgsql STABLE
    SET "DateStyle" TO 'ISO'
    AS $_$
DECLARE
  -- The first journal that takes its own records in, and not those of the journal before.
  own_from constant bigint := (SELECT names_from FROM book_state);
BEGIN
  -- EXECUTE plans for the tables as they are now, and not as they were when the session began.
  RETURN QUERY EXECUTE $content$
    WITH line AS MATERIALIZED (
      SELECT l.key, l.currency, concat_ws(' ', f.id, coalesce(c.id, '-'), coalesce(y.id, '-')) AS name
      FROM (SELECT DISTINCT line_key FROM posting WHERE journal_seq BETWEEN $1 AND $2) p
      JOIN balance_line l ON l.key = p.line_key
      JOIN facility f ON f.key = l.facility_key
      LEFT JOIN loan_contract c ON c.key = l.contract_key
      LEFT JOIN party y ON y.key = l.lender_key
    ), fact (seq, line) AS (
      SELECT t.known_seq, concat_ws(' ', 'terms', d.id, to_char(t.effective_date, 'YYYY-MM-DD'), t.status)
      FROM deal_terms t JOIN deal d ON d.key = t.deal_key
      WHERE t.known_seq BETWEEN $1 AND $2
      UNION ALL
      SELECT t.known_seq, concat_ws(' ', 'terms', f.id, to_char(t.effective_date, 'YYYY-MM-DD'), t.status,
        coalesce(to_char(t.maturity_date, 'YYYY-MM-DD'), '-'),
        coalesce(to_char(t.availability_end_date, 'YYYY-MM-DD'), '-'))
      FROM facility_terms t JOIN facility f ON f.key = t.facility_key
      WHERE t.known_seq BETWEEN $1 AND $2
      UNION ALL
      SELECT t.known_seq, concat_ws(' ', 'terms', c.id, to_char(t.effective_date, 'YYYY-MM-DD'), t.status,
        coalesce(to_char(t.maturity_date, 'YYYY-MM-DD'), '-'),
        coalesce(trim_scale(t.all_in_rate)::text, '-'))
      FROM contract_terms t JOIN loan_contract c ON c.key = t.contract_key
      WHERE t.known_seq BETWEEN $1 AND $2
      UNION ALL
      SELECT r.known_seq, concat_ws(' ', 'rate', f.id, coalesce(c.id, '-'), r.component,
        to_char(r.start_date, 'YYYY-MM-DD'), trim_scale(r.all_in_rate),
        coalesce(to_json(r.base_rate_index)::text, '-'),
        coalesce(trim_scale(r.base_rate)::text, '-'), coalesce(trim_scale(r.spread)::text, '-'),
        coalesce(trim_scale(r.csa)::text, '-'))
      FROM rate_period r JOIN facility f ON f.key = r.facility_key
      LEFT JOIN loan_contract c ON c.key = r.contract_key
      WHERE r.known_seq BETWEEN $1 AND $2
      UNION ALL
      SELECT s.known_seq, concat_ws(' ', 'settlement', f.id, coalesce(c.id, '-'), s.component,
        to_char(s.effective_date, 'YYYY-MM-DD'),
        coalesce(to_char(s.settled_from, 'YYYY-MM-DD'), '-'),
        to_char(s.settled_through, 'YYYY-MM-DD'))
      FROM accrual_settlement s JOIN facility f ON f.key = s.facility_key
      LEFT JOIN loan_contract c ON c.key = s.contract_key
      WHERE s.known_seq BETWEEN $1 AND $2
      UNION ALL
      SELECT t.known_seq, concat_ws(' ', 'details', d.id,
        to_char(t.effective_date, 'YYYY-MM-DD'), to_json(t.name), b.id, coalesce(g.id, '-'),
        t.country)
      FROM deal_details t JOIN deal d ON d.key = t.deal_key JOIN party b ON b.key = t.borrower_key
      LEFT JOIN party g ON g.key = t.guarantor_key
      WHERE t.known_seq BETWEEN $1 AND $2
      UNION ALL
      SELECT t.known_seq, concat_ws(' ', 'details', f.id,
        to_char(t.effective_date, 'YYYY-MM-DD'), to_json(t.name))
      FROM facility_details t JOIN facility f ON f.key = t.facility_key
      WHERE t.known_seq BETWEEN $1 AND $2
      UNION ALL
      SELECT t.known_seq, concat_ws(' ', 'details', y.id,
        to_char(t.effective_date, 'YYYY-MM-DD'), to_json(t.name))
      FROM party_details t JOIN party y ON y.key = t.party_key
      WHERE t.known_seq BETWEEN $1 AND $2
      UNION ALL
      SELECT CASE WHEN r.booked_seq < $5 THEN r.booked_seq + 1 ELSE r.booked_seq END, r.line
      FROM (
        SELECT y.booked_seq, concat_ws(' ', 'party', y.id, coalesce(y.country, '-'), coalesce(y.lei, '-'))
        FROM party y WHERE y.booked_seq BETWEEN $3 AND $4
        UNION ALL
        SELECT d.booked_seq, concat_ws(' ', 'deal', d.id, to_json(d.deal_number), b.id, a.id,
          coalesce(g.id, '-'), d.status, coalesce(to_char(d.closing_date, 'YYYY-MM-DD'), '-'),
          to_char(d.booked_on, 'YYYY-MM-DD'), d.follows_journals::text)
        FROM deal d JOIN party b ON b.key = d.borrower_key JOIN party a ON a.key = d.agent_key
        LEFT JOIN party g ON g.key = d.guarantor_key
        WHERE d.booked_seq BETWEEN $3 AND $4
        UNION ALL
        SELECT f.booked_seq, concat_ws(' ', 'facility', f.id, d.id, f.type, f.currency, f.day_count,
          f.pik_uses_commitment::text, f.status,
          coalesce(to_char(f.effective_date, 'YYYY-MM-DD'), '-'),
          coalesce(to_char(f.maturity_date, 'YYYY-MM-DD'), '-'),
          coalesce(to_char(f.availability_end_date, 'YYYY-MM-DD'), '-'),
          to_char(f.booked_on, 'YYYY-MM-DD'), f.follows_journals::text)
        FROM facility f JOIN deal d ON d.key = f.deal_key
        WHERE f.booked_seq BETWEEN $3 AND $4
        UNION ALL
        SELECT s.booked_seq, concat_ws(' ', 'sublimit', s.id, f.id)
        FROM facility s JOIN facility f ON f.key = s.sublimit_of_key
        WHERE s.booked_seq BETWEEN $3 AND $4
        UNION ALL
        SELECT c.booked_seq, concat_ws(' ', 'contract', c.id, f.id, to_json(c.contract_number),
          c.currency, c.status, coalesce(to_char(c.effective_date, 'YYYY-MM-DD'), '-'),
          coalesce(to_char(c.maturity_date, 'YYYY-MM-DD'), '-'),
          coalesce(trim_scale(c.all_in_rate)::text, '-'), coalesce(r.id, '-'),
          to_char(c.booked_on, 'YYYY-MM-DD'), c.follows_journals::text)
        FROM loan_contract c JOIN facility f ON f.key = c.facility_key
        LEFT JOIN loan_contract r ON r.key = c.rolled_from_key
        WHERE c.booked_seq BETWEEN $3 AND $4
        UNION ALL
        SELECT p.booked_seq, concat_ws(' ', 'position', p.id, f.id, y.id, p.kind,
          coalesce(q.id, '-'), to_char(p.booked_on, 'YYYY-MM-DD'), p.follows_journals::text)
        FROM lender_position p JOIN facility f ON f.key = p.facility_key
        JOIN party y ON y.key = p.lender_key
        LEFT JOIN lender_position q ON q.key = p.parent_key
        WHERE p.booked_seq BETWEEN $3 AND $4
      ) r (booked_seq, line)
      UNION ALL
      SELECT n.booked_seq, n.line FROM record_names(greatest($1, $5), $2) n
      UNION ALL
      SELECT $5, concat_ws(' ', 'names', count(*), encode(sha256(convert_to(
        string_agg(n.line, E'\n' ORDER BY n.line COLLATE "C"), 'UTF8')), 'hex'))
      FROM record_names(0, $5 - 1) n WHERE $5 BETWEEN $1 AND $2 HAVING count(*) > 0
    ), part (seq, place, lines) AS (
      SELECT p.journal_seq, 1, string_agg(concat_ws(' ', 'posting', p.number, l.name, p.account,
        coalesce(p.movement::text, '-'), p.amount_minor, l.currency,
        p.effective_date::text,
        coalesce(p.due_date::text, '-')), E'\n' ORDER BY p.number)
      FROM posting p JOIN line l ON l.key = p.line_key
      WHERE p.journal_seq BETWEEN $1 AND $2 GROUP BY p.journal_seq
      UNION ALL
      SELECT seq, 2, string_agg(line, E'\n' ORDER BY line COLLATE "C") FROM fact GROUP BY seq
    ), parts AS (
      SELECT seq, string_agg(lines, E'\n' ORDER BY place) AS lines
      FROM part GROUP BY seq
    )
    SELECT j.seq, concat_ws(E'\n', 'cls-journal-1', concat_ws(' ', 'journal', j.seq, j.id, d.id, j.type,
        coalesce(to_char(j.effective_date, 'YYYY-MM-DD'), '-'),
        to_char(j.posted_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')),
      'key ' || to_json(j.idempotency_key),
      'reverses ' || r.id,
      'corrects ' || e.id,
      CASE WHEN j.overadvance THEN 'overadvance' END,
      'import ' || i.id,
      'reason ' || to_json(j.reason),
      'source ' || to_json(j.source_ref),
      'by ' || to_json(j.created_by),
      parts.lines)
    FROM journal j
    JOIN deal d ON d.key = j.deal_key
    LEFT JOIN journal r ON r.seq = j.reverses_seq
    LEFT JOIN journal e ON e.seq = j.corrects_seq
    LEFT JOIN import_batch i ON i.key = j.import_key
    LEFT JOIN parts ON parts.seq = j.seq
    WHERE j.seq BETWEEN $1 AND $2 ORDER BY j.seq
  $content$ USING first, last, first - (first <= own_from)::int, last - (last < own_from)::int, own_from;
END $_$;

CREATE FUNCTION journal_stands(asked bigint, known bigint) RETURNS boolean
    LANGUAGE plpgsql STABLE
    AS $$
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

CREATE FUNCTION keep_borrower_names() RETURNS trigger
    LANGUAGE plpgsql
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
  INSERT INTO sort_label (kind, sort, value, item_key, deal_key, lender_key)
  SELECT i.kind, 'borrower', n.name, i.key, i.deal_key, i.lender_key
  FROM inserted n CROSS JOIN LATERAL (
    SELECT key FROM deal WHERE borrower_key = n.party_key
    UNION SELECT deal_key FROM deal_details WHERE borrower_key = n.party_key OFFSET 0) d
  CROSS JOIN LATERAL (SELECT * FROM sorted_item WHERE deal_key = d.key OFFSET 0) i
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE FUNCTION keep_borrowers() RETURNS trigger
    LANGUAGE plpgsql
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
  INSERT INTO sort_label (kind, sort, value, item_key, deal_key, lender_key)
  SELECT i.kind, 'borrower', y.name, i.key, i.deal_key, i.lender_key
  FROM inserted n CROSS JOIN LATERAL (
    SELECT name FROM party WHERE key = n.borrower_key
    UNION SELECT name FROM party_details WHERE party_key = n.borrower_key OFFSET 0) y
  CROSS JOIN LATERAL (SELECT * FROM sorted_item WHERE deal_key = n.deal_key OFFSET 0) i
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE FUNCTION keep_contract_maturities() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  INSERT INTO sort_label (kind, sort, value, item_key, deal_key, lender_key)
  SELECT 'contract', 'maturityDate', maturity_label(maturity_date), contract_key, deal_key, 0
  FROM inserted
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE FUNCTION keep_external_words() RETURNS trigger
    LANGUAGE plpgsql
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
  INSERT INTO deal_word
  SELECT DISTINCT r.deal_key, left(w, 200) COLLATE "C" AS word, r.facility_key, r.contract_key, true
  FROM inserted n CROSS JOIN LATERAL (
    SELECT key AS deal_key, 0::bigint AS facility_key, 0::bigint AS contract_key
    FROM deal WHERE id = n.entity_id
    UNION ALL SELECT deal_key, key, 0 FROM facility WHERE id = n.entity_id
    UNION ALL SELECT deal_key, facility_key, key FROM loan_contract WHERE id = n.entity_id
    OFFSET 0) r
  CROSS JOIN unnest(string_to_array(folded(n.value), ' ')) w
  ORDER BY r.deal_key, word ON CONFLICT DO NOTHING;
  INSERT INTO party_word
  SELECT DISTINCT r.key, left(w, 200) COLLATE "C" AS word, true
  FROM inserted n CROSS JOIN LATERAL (SELECT key FROM party WHERE id = n.entity_id OFFSET 0) r
  CROSS JOIN unnest(string_to_array(folded(n.value), ' ')) w
  ORDER BY r.key, word ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE FUNCTION keep_facility_maturities() RETURNS trigger
    LANGUAGE plpgsql
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
  INSERT INTO sort_label (kind, sort, value, item_key, deal_key, lender_key)
  SELECT i.kind, 'maturityDate', maturity_label(n.maturity_date), i.key, i.deal_key, i.lender_key
  FROM inserted n CROSS JOIN LATERAL (
    SELECT * FROM sorted_item
    WHERE facility_key = n.facility_key AND kind IN ('facility', 'position') OFFSET 0) i
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE FUNCTION keep_facility_names() RETURNS trigger
    LANGUAGE plpgsql
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
  INSERT INTO sort_label (kind, sort, value, item_key, deal_key, lender_key)
  SELECT i.kind, 'facilityName', n.name, i.key, i.deal_key, i.lender_key
  FROM inserted n CROSS JOIN LATERAL (
    SELECT * FROM sorted_item WHERE facility_key = n.facility_key OFFSET 0) i
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE FUNCTION keep_labels() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  PERFORM keep_labels(TG_ARGV[0], array_agg(key)) FROM inserted HAVING count(*) > 0;
  RETURN NULL;
END $$;

CREATE FUNCTION keep_labels(of_kind text, keys bigint[]) RETURNS void
    LANGUAGE sql
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
  WITH own AS (
    SELECT f.* FROM unnest(keys) AS k (key) CROSS JOIN LATERAL (
      SELECT key, deal_key, key AS facility_key, 0::bigint AS lender_key, name, maturity_date
      FROM facility WHERE key = k.key OFFSET 0) f
    WHERE of_kind = 'facility'
    UNION ALL
    SELECT c.key, c.deal_key, c.facility_key, 0, f.name, c.maturity_date
    FROM unnest(keys) AS k (key)
    CROSS JOIN LATERAL (SELECT * FROM loan_contract WHERE key = k.key OFFSET 0) c
    CROSS JOIN LATERAL (SELECT * FROM facility WHERE key = c.facility_key OFFSET 0) f
    WHERE of_kind = 'contract'
    UNION ALL
    SELECT p.key, p.deal_key, p.facility_key, p.lender_key, f.name, f.maturity_date
    FROM unnest(keys) AS k (key)
    CROSS JOIN LATERAL (SELECT * FROM lender_position WHERE key = k.key OFFSET 0) p
    CROSS JOIN LATERAL (SELECT * FROM facility WHERE key = p.facility_key OFFSET 0) f
    WHERE of_kind = 'position'
  ), item AS MATERIALIZED (
    SELECT o.*, d.borrower_key, y.name AS borrower FROM own o
    CROSS JOIN LATERAL (SELECT borrower_key FROM deal WHERE key = o.deal_key OFFSET 0) d
    CROSS JOIN LATERAL (SELECT name FROM party WHERE key = d.borrower_key OFFSET 0) y
  ), later_borrower AS MATERIALIZED (
    SELECT i.key, i.deal_key, i.lender_key, t.borrower_key FROM item i
    CROSS JOIN LATERAL (
      SELECT borrower_key FROM deal_details WHERE deal_key = i.deal_key OFFSET 0) t
    WHERE EXISTS (SELECT FROM deal_details)
  )
  INSERT INTO sort_label (kind, sort, value, item_key, deal_key, lender_key)
  SELECT DISTINCT of_kind, v.sort COLLATE "C", v.value COLLATE "C", v.key, v.deal_key, v.lender_key
  FROM (
    SELECT 'facilityName' AS sort, name AS value, key, deal_key, lender_key FROM item
    UNION ALL SELECT 'maturityDate', maturity_label(maturity_date), key, deal_key, lender_key
    FROM item
    UNION ALL SELECT 'borrower', borrower, key, deal_key, lender_key FROM item
    UNION ALL SELECT 'facilityName', t.name, i.key, i.deal_key, i.lender_key FROM item i
    CROSS JOIN LATERAL (
      SELECT name FROM facility_details WHERE facility_key = i.facility_key OFFSET 0) t
    WHERE EXISTS (SELECT FROM facility_details)
    UNION ALL SELECT 'maturityDate', maturity_label(t.maturity_date), i.key, i.deal_key, i.lender_key
    FROM item i CROSS JOIN LATERAL (
      SELECT maturity_date FROM facility_terms WHERE facility_key = i.facility_key OFFSET 0) t
    WHERE of_kind <> 'contract' AND EXISTS (SELECT FROM facility_terms)
    UNION ALL SELECT 'maturityDate', maturity_label(t.maturity_date), i.key, i.deal_key, i.lender_key
    FROM item i CROSS JOIN LATERAL (
      SELECT maturity_date FROM contract_terms WHERE contract_key = i.key OFFSET 0) t
    WHERE of_kind = 'contract' AND EXISTS (SELECT FROM contract_terms)
    UNION ALL SELECT 'borrower', y.name, b.key, b.deal_key, b.lender_key FROM later_borrower b
    CROSS JOIN LATERAL (SELECT name FROM party WHERE key = b.borrower_key OFFSET 0) y
    UNION ALL SELECT 'borrower', t.name, b.key, b.deal_key, b.lender_key FROM (
      SELECT key, deal_key, lender_key, borrower_key FROM item
      UNION ALL SELECT * FROM later_borrower) b
    CROSS JOIN LATERAL (
      SELECT name FROM party_details WHERE party_key = b.borrower_key OFFSET 0) t
    WHERE EXISTS (SELECT FROM party_details)
  ) v
  ORDER BY 1, 2, 3, 4
$$;

CREATE FUNCTION keep_words() RETURNS trigger
    LANGUAGE plpgsql
    SET jit TO 'off'
    AS $$
BEGIN
  CASE TG_TABLE_NAME
    WHEN 'deal' THEN
      INSERT INTO deal_word
      SELECT DISTINCT n.key, left(w, 200) COLLATE "C" AS word, 0, 0, false FROM inserted n
      CROSS JOIN unnest(string_to_array(folded(n.name || ' ' || n.deal_number), ' ')) w
      ORDER BY n.key, word;
    WHEN 'facility' THEN
      INSERT INTO deal_word
      SELECT DISTINCT n.deal_key, left(w, 200) COLLATE "C" AS word, n.key, 0, false FROM inserted n
      CROSS JOIN unnest(string_to_array(folded(n.name), ' ')) w
      ORDER BY n.deal_key, word, n.key;
    WHEN 'party' THEN
      INSERT INTO party_word
      SELECT DISTINCT n.key, left(w, 200) COLLATE "C" AS word, false FROM inserted n
      CROSS JOIN unnest(string_to_array(folded(n.name), ' ')) w
      ORDER BY n.key, word;
    WHEN 'deal_details' THEN
      INSERT INTO deal_word SELECT DISTINCT n.deal_key, w, 0, 0, false
      FROM inserted n CROSS JOIN words_of(n.name) w ON CONFLICT DO NOTHING;
    WHEN 'facility_details' THEN
      INSERT INTO deal_word SELECT DISTINCT n.deal_key, w, n.facility_key, 0, false
      FROM inserted n CROSS JOIN words_of(n.name) w ON CONFLICT DO NOTHING;
    WHEN 'party_details' THEN
      INSERT INTO party_word SELECT DISTINCT n.party_key, w, false
      FROM inserted n CROSS JOIN words_of(n.name) w ON CONFLICT DO NOTHING;
  END CASE;
  RETURN NULL;
END $$;

CREATE FUNCTION known_since(kind text, record_key bigint, last_seq bigint) RETURNS date
    LANGUAGE sql STABLE
    AS $_$
  SELECT coalesce(
    (SELECT p.since FROM presence p WHERE p.kind = $1 AND p.record_key = $2 AND p.known_seq <= $3
     ORDER BY p.known_seq DESC LIMIT 1),
    CASE $1 WHEN 'deal' THEN (SELECT booked_on FROM deal WHERE key = $2)
      WHEN 'facility' THEN (SELECT booked_on FROM facility WHERE key = $2)
      WHEN 'contract' THEN (SELECT booked_on FROM loan_contract WHERE key = $2)
      ELSE (SELECT booked_on FROM lender_position WHERE key = $2) END)
$_$;

CREATE FUNCTION late_terms(facilities bigint[]) RETURNS TABLE(facility_key bigint, effective_date date, known_seq bigint, deal_key bigint)
    LANGUAGE sql STABLE
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
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

CREATE FUNCTION line_available(line bigint, at date, known bigint) RETURNS bigint
    LANGUAGE plpgsql STABLE
    AS $$
BEGIN
  RETURN (
    SELECT CASE WHEN coalesce(drawable_until(l.facility_key, at, known) >= at, true)
      THEN b.unfunded - b.unavailable ELSE 0 END
    FROM balance_line l
    CROSS JOIN LATERAL (SELECT * FROM balance WHERE line_key = l.key AND effective_date <= at
      AND known_seq <= known ORDER BY effective_date DESC, known_seq DESC LIMIT 1) b
    WHERE l.key = line);
END $$;

CREATE FUNCTION make_extend_balances() RETURNS void
    LANGUAGE plpgsql
    AS $_$
DECLARE
  columns text;
  changes text;
  of_sublimits text;
  nothing text;
  running text;
  sums text;
BEGIN
  SELECT string_agg(quote_ident(component), ', '), string_agg(format('%s AS %I', change, component), ', '),
    string_agg(CASE WHEN from_sublimits THEN quote_ident(component) ELSE 'NULL' END, ', '),
    string_agg('NULL', ', '),
    string_agg(format('sum_minor(sum_minor(%1$I)) OVER past AS %1$I', component), ', '),
    string_agg(format('coalesce(o.%1$I, 0) + coalesce(m.%1$I, 0)', component), ', ')
  INTO columns, changes, of_sublimits, nothing, running, sums
  FROM balance_components();

  EXECUTE format($define$
CREATE OR REPLACE FUNCTION extend_balances() RETURNS trigger LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_bitmapscan = off AS %L
$define$, format($body$
DECLARE
  -- Most statements have none, and pay nothing for them.
  has_sublimits constant boolean := EXISTS (SELECT FROM facility WHERE sublimit_of_key IS NOT NULL);
  has_reversals constant boolean := EXISTS (SELECT FROM journal
    WHERE seq BETWEEN (SELECT min(journal_seq) FROM inserted) AND (SELECT max(journal_seq) FROM inserted)
      AND reverses_seq IS NOT NULL);
BEGIN
  INSERT INTO balance (line_key, effective_date, known_seq, deal_key, lender_key, %1$s)
  WITH delta AS MATERIALIZED (
    SELECT line_key, effective_date, %2$s
    FROM (SELECT line_key, effective_date, account, movement, amount_minor AS amount,
            CASE WHEN has_reversals THEN (
              SELECT reverses_seq FROM journal WHERE seq = journal_seq) END AS reverses_seq
          FROM inserted) p
    GROUP BY line_key, effective_date
  ), used AS MATERIALIZED (
    SELECT e.parent_line_key AS line_key, p.effective_date, (-sum(e.draws))::bigint AS unfunded,
      sum(e.uses)::bigint AS sublimit_used
    FROM (SELECT * FROM inserted
      WHERE has_sublimits AND account IN ('PRINCIPAL_CASH', 'PRINCIPAL_PIK', 'LETTER_OF_CREDIT')
        AND (SELECT parent_line_key FROM balance_line WHERE key = line_key) IS NOT NULL OFFSET 0) p
    CROSS JOIN LATERAL sublimit_effect(p.line_key, p.account::text, p.movement::text, p.amount_minor) e
    GROUP BY e.parent_line_key, p.effective_date
  ), touched AS (
    SELECT line_key, min(effective_date) AS since FROM (
      SELECT line_key, effective_date FROM delta
      UNION ALL SELECT line_key, effective_date FROM used) c
    GROUP BY line_key
  ), change AS (
    SELECT * FROM delta
    UNION ALL
    SELECT line_key, effective_date, %3$s FROM used
    UNION ALL
    -- A backdated posting moves every later date of its line.
    SELECT t.line_key, b.effective_date, %4$s
    FROM touched t CROSS JOIN LATERAL (
      SELECT DISTINCT effective_date FROM balance
      WHERE line_key = t.line_key AND effective_date > t.since OFFSET 0
    ) b
  ), moved AS (
    SELECT line_key, effective_date, %5$s
    FROM change GROUP BY line_key, effective_date
    WINDOW past AS (PARTITION BY line_key ORDER BY effective_date)
  )
  SELECT m.line_key, m.effective_date, (SELECT max(journal_seq) FROM inserted), l.deal_key, l.lender_key, %6$s
  FROM moved m
  CROSS JOIN LATERAL (
    SELECT deal_key, lender_key FROM balance_line WHERE key = m.line_key OFFSET 0
  ) l
  LEFT JOIN LATERAL (
    SELECT * FROM balance b
    WHERE b.line_key = m.line_key AND b.effective_date <= m.effective_date
    ORDER BY b.effective_date DESC, b.known_seq DESC LIMIT 1
  ) o ON true;
  RETURN NULL;
END
$body$, columns, changes, of_sublimits, nothing, running, sums));
END $_$;

CREATE FUNCTION make_read_log_days() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET "TimeZone" TO 'UTC'
    SET lock_timeout TO '1s'
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
  today constant timestamptz := date_trunc('day', now());
  day timestamptz;
  name text;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('read_log_day'));
  FOR day IN SELECT generate_series(today, today + interval '3 days', interval '1 day') LOOP
    CONTINUE WHEN EXISTS (SELECT FROM read_log_day WHERE day >= starts AND day < ends);
    name := to_char(day, '"read_log_"YYYY_MM_DD');
    LOCK TABLE read_log_other IN ACCESS EXCLUSIVE MODE;
    EXECUTE format('CREATE TABLE %I (LIKE read_log_other INCLUDING INDEXES)', name);
    EXECUTE format('WITH moved AS (DELETE FROM read_log_other WHERE at >= %L AND at < %L RETURNING *)
      INSERT INTO %I SELECT * FROM moved', day, day + interval '1 day', name);
    EXECUTE format('ALTER TABLE read_log ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
      name, day, day + interval '1 day');
  END LOOP;
END $$;

CREATE FUNCTION matures_on(asked_facility bigint, asked_contract bigint, at date, known bigint) RETURNS date
    LANGUAGE plpgsql STABLE
    AS $$
BEGIN
  RETURN least(
    (SELECT CASE WHEN t.facility_key IS NULL THEN f.maturity_date ELSE t.maturity_date END FROM facility f
     LEFT JOIN LATERAL (SELECT * FROM facility_terms t WHERE t.facility_key = f.key
       AND t.effective_date <= at AND t.known_seq <= known
       AND coalesce((SELECT s.stands FROM journal_standing s WHERE s.seq = t.known_seq
         AND s.known_seq <= known ORDER BY s.known_seq DESC LIMIT 1), true)
       ORDER BY t.effective_date DESC, t.known_seq DESC LIMIT 1) t ON true
     WHERE f.key = asked_facility),
    (SELECT CASE WHEN t.contract_key IS NULL THEN c.maturity_date ELSE t.maturity_date END FROM loan_contract c
     LEFT JOIN LATERAL (SELECT * FROM contract_terms t WHERE t.contract_key = c.key
       AND t.effective_date <= at AND t.known_seq <= known
       AND coalesce((SELECT s.stands FROM journal_standing s WHERE s.seq = t.known_seq
         AND s.known_seq <= known ORDER BY s.known_seq DESC LIMIT 1), true)
       ORDER BY t.effective_date DESC, t.known_seq DESC LIMIT 1) t ON true
     WHERE c.key = asked_contract));
END $$;

CREATE FUNCTION maturity_label(maturity_date date) RETURNS text
    LANGUAGE sql STABLE
    AS $$
  SELECT coalesce(to_char(maturity_date, 'YYYY-MM-DD'), 'infinity')
$$;

CREATE FUNCTION next_journal_seq() RETURNS bigint
    LANGUAGE sql STABLE
    AS $$SELECT coalesce(max(seq), 0) + 1 FROM journal$$;

CREATE FUNCTION note_facts_after_bills() RETURNS trigger
    LANGUAGE plpgsql
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
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

CREATE FUNCTION note_late_postings() RETURNS trigger
    LANGUAGE plpgsql
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
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

CREATE FUNCTION note_late_rates() RETURNS trigger
    LANGUAGE plpgsql
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
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

CREATE FUNCTION note_late_terms() RETURNS trigger
    LANGUAGE plpgsql
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
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

CREATE FUNCTION note_reversed_rates() RETURNS trigger
    LANGUAGE plpgsql
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
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

CREATE FUNCTION party_name(party_key bigint, on_date date) RETURNS text
    LANGUAGE sql STABLE
    AS $_$
  SELECT coalesce((SELECT t.name FROM party_details t
    WHERE t.party_key = $1 AND t.effective_date <= $2 AND counts_now(t.known_seq)
    ORDER BY t.effective_date DESC, t.known_seq DESC LIMIT 1),
    (SELECT name FROM party WHERE key = $1))
$_$;

CREATE FUNCTION posting_time() RETURNS timestamp with time zone
    LANGUAGE plpgsql
    AS $$
BEGIN
  IF coalesce(current_setting('cls.posted_at', true), '') = '' THEN
    RAISE EXCEPTION 'journals are posted under the journal lock' USING ERRCODE = '55000';
  END IF;
  RETURN current_setting('cls.posted_at')::timestamptz;
END $$;

CREATE FUNCTION record_grant_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  INSERT INTO grant_change
  SELECT DISTINCT customer_id, posting_time() FROM changed
  ON CONFLICT (customer_id) DO UPDATE SET changed_at = EXCLUDED.changed_at;
  RETURN NULL;
END $$;

CREATE FUNCTION record_names(first bigint, last bigint) RETURNS TABLE(booked_seq bigint, line text)
    LANGUAGE sql STABLE
    AS $_$
  SELECT y.booked_seq, concat_ws(' ', 'name', y.id, to_json(y.name), coalesce(to_json(y.legal_name)::text, '-'))
  FROM party y WHERE y.booked_seq BETWEEN $1 AND $2
  UNION ALL
  SELECT d.booked_seq, concat_ws(' ', 'name', d.id, to_json(d.name), to_json(d.country))
  FROM deal d WHERE d.booked_seq BETWEEN $1 AND $2
  UNION ALL
  SELECT f.booked_seq, concat_ws(' ', 'name', f.id, to_json(f.name))
  FROM facility f WHERE f.booked_seq BETWEEN $1 AND $2
  UNION ALL
  SELECT r.booked_seq, concat_ws(' ', 'external', r.id, to_json(x.source), to_json(x.value))
  FROM (
    SELECT y.booked_seq, y.id FROM party y WHERE y.booked_seq BETWEEN $1 AND $2
    UNION ALL SELECT d.booked_seq, d.id FROM deal d WHERE d.booked_seq BETWEEN $1 AND $2
    UNION ALL SELECT f.booked_seq, f.id FROM facility f WHERE f.booked_seq BETWEEN $1 AND $2
    UNION ALL SELECT c.booked_seq, c.id FROM loan_contract c WHERE c.booked_seq BETWEEN $1 AND $2
  ) r JOIN external_id x ON x.entity_id = r.id
$_$;

CREATE FUNCTION refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  RAISE EXCEPTION '% is append-only: correct it by a reversing journal', TG_TABLE_NAME USING ERRCODE = '23001';
END $$;

CREATE FUNCTION refuse_reference(child text, reference text) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
  RAISE EXCEPTION 'insert or update on table "%" violates foreign key constraint "%"', child, reference
    USING ERRCODE = '23503', TABLE = child, CONSTRAINT = reference;
END $$;

CREATE FUNCTION refuse_removal() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  RAISE EXCEPTION '% keeps its records: journals name them', TG_TABLE_NAME USING ERRCODE = '23001';
END $$;

CREATE FUNCTION renew_words() RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
  ALTER TABLE deal_word DISABLE TRIGGER append_only, DISABLE TRIGGER only_from_names;
  DELETE FROM deal_word WHERE word ~ '[^0-9][0-9]';
  INSERT INTO deal_word
  SELECT n.deal_key, w, n.facility_key, n.contract_key, n.is_external FROM (
    SELECT key AS deal_key, 0::bigint AS facility_key, 0::bigint AS contract_key,
      name || ' ' || deal_number AS name, false AS is_external FROM deal
    UNION ALL SELECT deal_key, 0, 0, name, false FROM deal_details
    UNION ALL SELECT deal_key, key, 0, name, false FROM facility
    UNION ALL SELECT f.deal_key, f.key, 0, t.name, false FROM facility_details t JOIN facility f ON f.key = t.facility_key
    UNION ALL SELECT d.key, 0, 0, x.value, true FROM external_id x JOIN deal d ON d.id = x.entity_id
    UNION ALL SELECT f.deal_key, f.key, 0, x.value, true FROM external_id x JOIN facility f ON f.id = x.entity_id
    UNION ALL SELECT c.deal_key, c.facility_key, c.key, x.value, true
    FROM external_id x JOIN loan_contract c ON c.id = x.entity_id) n
  CROSS JOIN words_of(n.name) w WHERE n.name ~ '[^0-9][0-9]' ON CONFLICT DO NOTHING;
  ALTER TABLE deal_word ENABLE TRIGGER append_only, ENABLE TRIGGER only_from_names;
  ALTER TABLE party_word DISABLE TRIGGER append_only, DISABLE TRIGGER only_from_names;
  DELETE FROM party_word WHERE word ~ '[^0-9][0-9]';
  INSERT INTO party_word
  SELECT n.key, w, n.is_external FROM (
    SELECT key, name, false AS is_external FROM party
    UNION ALL SELECT party_key, name, false FROM party_details
    UNION ALL SELECT y.key, x.value, true FROM external_id x JOIN party y ON y.id = x.entity_id) n
  CROSS JOIN words_of(n.name) w WHERE n.name ~ '[^0-9][0-9]' ON CONFLICT DO NOTHING;
  ALTER TABLE party_word ENABLE TRIGGER append_only, ENABLE TRIGGER only_from_names;
END $$;

CREATE FUNCTION reversals_of(asked bigint) RETURNS SETOF bigint
    LANGUAGE sql STABLE
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    AS $$
  WITH RECURSIVE chain(seq) AS (
    SELECT seq FROM journal WHERE reverses_seq = asked
    UNION
    SELECT j.seq FROM chain CROSS JOIN LATERAL (
      SELECT seq FROM journal WHERE reverses_seq = chain.seq OFFSET 0) j
  )
  SELECT seq FROM chain
$$;

CREATE FUNCTION searched_words(search text) RETURNS text[]
    LANGUAGE sql IMMUTABLE STRICT
    AS $$
  SELECT coalesce(array_agg(word ORDER BY length(word) DESC, word COLLATE "C"), '{}')
  FROM words_of(search) AS word
$$;

CREATE FUNCTION sees_deal(deal_key bigint) RETURNS boolean
    LANGUAGE plpgsql STABLE
    AS $_$
BEGIN
  RETURN EXISTS (SELECT FROM entitlement e
    WHERE e.customer_id = current_setting('cls.customer', true) AND e.deal_key = $1);
END $_$;

CREATE FUNCTION sees_party(party_key bigint) RETURNS boolean
    LANGUAGE plpgsql STABLE
    AS $_$
BEGIN
  IF EXISTS (SELECT FROM deal d WHERE d.borrower_key = $1) THEN RETURN true; END IF;
  IF EXISTS (SELECT FROM lender_position p WHERE p.lender_key = $1) THEN RETURN true; END IF;
  IF EXISTS (SELECT FROM deal d WHERE d.agent_key = $1) THEN RETURN true; END IF;
  IF EXISTS (SELECT FROM deal d WHERE d.guarantor_key = $1) THEN RETURN true; END IF;
  IF EXISTS (SELECT FROM deal_details t WHERE t.borrower_key = $1) THEN RETURN true; END IF;
  RETURN EXISTS (SELECT FROM deal_details t WHERE t.guarantor_key = $1);
END $_$;

CREATE FUNCTION set_settlement_start() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  NEW.settled_from := settlement_start(NEW);
  RETURN NEW;
END $$;

CREATE TABLE accrual_settlement (
    facility_key bigint NOT NULL,
    contract_key bigint NOT NULL,
    component accrual_component NOT NULL,
    effective_date date NOT NULL,
    known_seq bigint NOT NULL,
    deal_key bigint NOT NULL,
    settled_through date NOT NULL,
    settled_from date
);

CREATE FUNCTION settlement_start(a accrual_settlement) RETURNS date
    LANGUAGE plpgsql STABLE
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    AS $$
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

CREATE FUNCTION since_by_journals(kind text, record_key bigint, last_seq bigint) RETURNS date
    LANGUAGE plpgsql STABLE
    AS $_$
BEGIN
  RETURN coalesce(CASE $1
    WHEN 'deal' THEN (
      SELECT least(CASE WHEN NOT d.follows_journals THEN d.booked_on END, (
        SELECT j.effective_date FROM journal j
        WHERE j.deal_key = d.key AND j.seq <= $3 AND j.reverses_seq IS NULL AND journal_stands(j.seq, $3)
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
              OR EXISTS (SELECT FROM facility_terms t WHERE t.facility_key = f.key AND t.known_seq = j.seq)))) END
      FROM facility f WHERE f.key = $2)
    WHEN 'contract' THEN (
      SELECT CASE WHEN c.follows_journals THEN since_by_journals('deal', c.deal_key, $3)
        ELSE least(c.booked_on, (
          SELECT min(j.effective_date) FROM journal j
          WHERE j.deal_key = c.deal_key AND j.seq <= $3 AND j.reverses_seq IS NULL
            AND j.effective_date < c.booked_on AND journal_stands(j.seq, $3)
            AND (EXISTS (SELECT FROM posting p JOIN balance_line l ON l.key = p.line_key
                   WHERE p.journal_seq = j.seq AND l.contract_key = c.key)
              OR EXISTS (SELECT FROM contract_terms t WHERE t.contract_key = c.key AND t.known_seq = j.seq)))) END
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
END $_$;

CREATE FUNCTION sublimit_available(line bigint, at date, known bigint) RETURNS bigint
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
  global_line bigint;
  facility bigint;
  own bigint;
  available bigint;
BEGIN
  SELECT g.key, g.facility_key, coalesce(line_available(g.key, at, known), 0),
    coalesce(line_available(g.parent_line_key, at, known), 0)
  INTO global_line, facility, own, available
  FROM balance_line l JOIN balance_line g
    ON g.facility_key = l.facility_key AND g.contract_key = 0 AND g.lender_key = 0
  WHERE l.key = line;
  available := greatest(least(own, available), 0);
  IF line = global_line OR available = 0 THEN RETURN available; END IF;
  IF own <= available THEN RETURN line_available(line, at, known); END IF;
  RETURN (
    WITH part AS (
      SELECT b.key, p.id, coalesce(line_available(b.key, at, known), 0)::numeric * available AS exact
      FROM balance_line b JOIN party p ON p.key = b.lender_key
      WHERE b.facility_key = facility AND b.contract_key = 0 AND b.lender_key <> 0
    ), parted AS (
      -- A part below zero is rounded down too.
      SELECT key, id, exact, mod(mod(exact, own) + own, own) AS remainder FROM part
    ), ranked AS (
      SELECT key, div(exact - remainder, own) AS share,
        available - sum(div(exact - remainder, own)) OVER () AS left_over,
        row_number() OVER (ORDER BY remainder DESC, id COLLATE "C") AS rank
      FROM parted
    )
    SELECT (r.share + CASE WHEN r.rank <= r.left_over THEN 1 ELSE 0 END)::bigint
    FROM ranked r WHERE r.key = line);
END $$;

CREATE FUNCTION sublimit_effect(line bigint, account text, movement text, amount bigint) RETURNS TABLE(parent_line_key bigint, draws bigint, uses bigint)
    LANGUAGE sql STABLE
    SET jit TO 'off'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
  SELECT l.parent_line_key, CASE
      WHEN account = 'LETTER_OF_CREDIT' THEN amount
      WHEN account = 'PRINCIPAL_PIK' AND s.pik_uses_commitment THEN amount
      WHEN account = 'PRINCIPAL_CASH' AND movement = 'advance' THEN amount
      WHEN account = 'PRINCIPAL_CASH' AND movement IN ('scheduled_repayment',
          'voluntary_prepayment', 'mandatory_prepayment')
        AND f.type IN ('revolver', 'swingline', 'letter_of_credit') THEN amount
      ELSE 0
    END,
    CASE WHEN account IN ('PRINCIPAL_CASH', 'LETTER_OF_CREDIT') THEN amount ELSE 0 END
  FROM balance_line l
  JOIN facility s ON s.key = l.facility_key JOIN facility f ON f.key = s.sublimit_of_key
  WHERE l.key = line AND l.parent_line_key IS NOT NULL
    AND account IN ('PRINCIPAL_CASH', 'PRINCIPAL_PIK', 'LETTER_OF_CREDIT')
$$;

CREATE FUNCTION words_of(name text) RETURNS SETOF text
    LANGUAGE sql IMMUTABLE STRICT ROWS 4
    AS $$
  -- An index takes no word of any length; whoever types so much has found it.
  SELECT DISTINCT left(unnest(string_to_array(folded(name), ' ')), 200)
$$;

CREATE AGGREGATE sum_minor(bigint) (
    SFUNC = int8pl,
    STYPE = bigint,
    INITCOND = '0',
    COMBINEFUNC = int8pl,
    PARALLEL = safe
);

CREATE TABLE balance (
    line_key bigint CONSTRAINT balance_line_key_not_null1 NOT NULL,
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
    letter_of_credit bigint DEFAULT 0 NOT NULL,
    unavailable bigint DEFAULT 0 NOT NULL,
    movement_count bigint DEFAULT 0 NOT NULL,
    reversal_count bigint DEFAULT 0 NOT NULL,
    sublimit_used bigint DEFAULT 0 NOT NULL
);

CREATE TABLE balance_line (
    key bigint NOT NULL,
    deal_key bigint NOT NULL,
    facility_key bigint NOT NULL,
    contract_key bigint NOT NULL,
    lender_key bigint NOT NULL,
    currency text NOT NULL,
    parent_line_key bigint
);

ALTER TABLE balance_line ALTER COLUMN key ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME balance_line_key_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE book_date (
    effective_date date NOT NULL,
    known_seq bigint NOT NULL,
    stands boolean NOT NULL
);

CREATE TABLE book_restore (
    restored_at timestamp with time zone NOT NULL,
    known_through timestamp with time zone NOT NULL
);

CREATE TABLE book_state (
    one boolean DEFAULT true NOT NULL,
    generation bigint NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    names_from bigint DEFAULT next_journal_seq() NOT NULL,
    CONSTRAINT book_state_one_check CHECK (one)
);

CREATE TABLE book_total (
    level text NOT NULL,
    currency text NOT NULL,
    grain text NOT NULL,
    start date NOT NULL,
    known_seq bigint NOT NULL,
    items bigint NOT NULL,
    unfunded bigint NOT NULL,
    principal_cash bigint NOT NULL,
    principal_pik bigint NOT NULL,
    interest_accrued bigint NOT NULL,
    fees_accrued bigint NOT NULL,
    fx_revaluation bigint NOT NULL,
    CONSTRAINT book_total_grain_check CHECK ((grain = ANY (ARRAY['year'::text, 'month'::text, 'day'::text]))),
    CONSTRAINT book_total_level_check CHECK ((level = ANY (ARRAY['deal'::text, 'facility'::text, 'contract'::text, 'position'::text])))
);

CREATE VIEW commitment_event AS
SELECT
    NULL::bigint AS seq,
    NULL::text AS journal_id,
    NULL::text AS kind,
    NULL::date AS effective_date,
    NULL::bigint AS facility_key,
    NULL::bigint AS lender_key,
    NULL::text AS currency,
    NULL::numeric AS original_minor,
    NULL::numeric AS cancelled_minor,
    NULL::numeric AS unfunded_minor;

CREATE TABLE contract_terms (
    contract_key bigint NOT NULL,
    deal_key bigint NOT NULL,
    effective_date date NOT NULL,
    known_seq bigint NOT NULL,
    status text NOT NULL,
    maturity_date date,
    all_in_rate numeric(20,12),
    CONSTRAINT contract_terms_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'active'::text, 'repaid'::text, 'written_off'::text])))
);

CREATE TABLE deal_details (
    deal_key bigint NOT NULL,
    effective_date date NOT NULL,
    known_seq bigint NOT NULL,
    name text NOT NULL,
    borrower_key bigint NOT NULL,
    guarantor_key bigint,
    country text NOT NULL
);

CREATE VIEW deal_now WITH (security_invoker='true') AS
 SELECT d.key AS deal_key,
    COALESCE(n.borrower_key, d.borrower_key) AS borrower_key,
    COALESCE(n.country, d.country) AS country,
    n.effective_date AS since,
    COALESCE(t.borrower_key, d.borrower_key) AS borrower_today,
    COALESCE(t.country, d.country) AS country_today
   FROM ((deal d
     LEFT JOIN LATERAL ( SELECT t_1.deal_key,
            t_1.effective_date,
            t_1.known_seq,
            t_1.name,
            t_1.borrower_key,
            t_1.guarantor_key,
            t_1.country
           FROM deal_details t_1
          WHERE ((t_1.deal_key = d.key) AND counts_now(t_1.known_seq))
          ORDER BY t_1.effective_date DESC, t_1.known_seq DESC
         LIMIT 1) n ON (true))
     LEFT JOIN LATERAL ( SELECT t_1.deal_key,
            t_1.effective_date,
            t_1.known_seq,
            t_1.name,
            t_1.borrower_key,
            t_1.guarantor_key,
            t_1.country
           FROM deal_details t_1
          WHERE ((t_1.deal_key = d.key) AND counts_now(t_1.known_seq) AND (t_1.effective_date <= ((now() AT TIME ZONE 'UTC'::text))::date))
          ORDER BY t_1.effective_date DESC, t_1.known_seq DESC
         LIMIT 1) t ON (true));

CREATE TABLE entitlement_rule (
    key bigint NOT NULL,
    customer_id text NOT NULL,
    role text NOT NULL,
    lender_key bigint DEFAULT 0 NOT NULL,
    all_deals boolean DEFAULT false NOT NULL,
    deal_key bigint,
    borrower_key bigint,
    country text,
    CONSTRAINT entitlement_rule_check CHECK (((role = 'lender'::text) = (lender_key <> 0))),
    CONSTRAINT entitlement_rule_check1 CHECK ((((((all_deals)::integer + ((deal_key IS NOT NULL))::integer) + ((borrower_key IS NOT NULL))::integer) + ((country IS NOT NULL))::integer) = 1)),
    CONSTRAINT entitlement_rule_customer_id_check CHECK ((customer_id ~ '^[a-z0-9][a-z0-9-]{0,62}$'::text)),
    CONSTRAINT entitlement_rule_role_check CHECK ((role = ANY (ARRAY['agent'::text, 'lender'::text, 'borrower'::text])))
);

CREATE VIEW deal_grant WITH (security_invoker='true') AS
 SELECT r.key AS rule_key,
    r.customer_id,
    n.deal_key,
    r.role,
    r.lender_key,
        CASE
            WHEN (r.all_deals OR (r.deal_key IS NOT NULL) OR (n.borrower_today = r.borrower_key) OR (n.country_today = r.country)) THEN '-infinity'::date
            ELSE n.since
        END AS since
   FROM (entitlement_rule r
     JOIN deal_now n ON ((r.all_deals OR (n.deal_key = r.deal_key) OR (n.borrower_key = r.borrower_key) OR (n.country = r.country))));

ALTER TABLE deal ALTER COLUMN key ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME deal_key_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE deal_terms (
    deal_key bigint NOT NULL,
    effective_date date NOT NULL,
    known_seq bigint NOT NULL,
    status text NOT NULL,
    CONSTRAINT deal_terms_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'active'::text, 'matured'::text, 'terminated'::text])))
);

CREATE TABLE deal_word (
    deal_key bigint NOT NULL,
    word text NOT NULL COLLATE pg_catalog."C",
    facility_key bigint NOT NULL,
    contract_key bigint NOT NULL,
    is_external boolean NOT NULL
);

CREATE TABLE posting (
    journal_seq bigint NOT NULL,
    number smallint NOT NULL,
    line_key bigint NOT NULL,
    account ledger_account NOT NULL,
    movement principal_movement,
    amount_minor bigint NOT NULL,
    effective_date date NOT NULL,
    due_date date,
    CONSTRAINT posting_amount_minor_check CHECK ((amount_minor <> 0)),
    CONSTRAINT posting_check CHECK (((movement IS NOT NULL) = (account = ANY (ARRAY['PRINCIPAL_CASH'::ledger_account, 'PRINCIPAL_PIK'::ledger_account])))),
    CONSTRAINT posting_check1 CHECK (((due_date IS NULL) OR (account = ANY (ARRAY['PRINCIPAL_DUE'::ledger_account, 'INTEREST_DUE'::ledger_account, 'FEES_DUE'::ledger_account]))))
);

CREATE VIEW due_item WITH (security_invoker='true') AS
 SELECT journal_seq,
    line_key,
    account,
    effective_date AS billed_on,
    due_date,
    amount_minor
   FROM posting p
  WHERE (due_date IS NOT NULL);

CREATE TABLE entitlement (
    rule_key bigint CONSTRAINT entitlement_rule_key_not_null1 NOT NULL,
    customer_id text NOT NULL,
    deal_key bigint NOT NULL,
    role text NOT NULL,
    lender_key bigint NOT NULL,
    since date DEFAULT '-infinity'::date NOT NULL
);

ALTER TABLE entitlement_rule ALTER COLUMN key ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME entitlement_rule_key_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE external_id (
    source text NOT NULL,
    value text NOT NULL,
    entity_id text NOT NULL
);

CREATE TABLE facility (
    key bigint NOT NULL,
    id text NOT NULL,
    deal_key bigint NOT NULL,
    name text NOT NULL,
    type text NOT NULL,
    currency text NOT NULL,
    effective_date date,
    maturity_date date,
    status text NOT NULL,
    day_count text DEFAULT 'ACT/360'::text NOT NULL,
    availability_end_date date,
    pik_uses_commitment boolean DEFAULT false NOT NULL,
    booked_on date NOT NULL,
    booked_seq bigint NOT NULL,
    follows_journals boolean DEFAULT false NOT NULL,
    sublimit_of_key bigint,
    CONSTRAINT facility_day_count_check CHECK ((day_count = ANY (ARRAY['ACT/360'::text, 'ACT/365F'::text, '30/360'::text, 'ACT/ACT'::text]))),
    CONSTRAINT facility_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'active'::text, 'matured'::text, 'terminated'::text]))),
    CONSTRAINT facility_type_check CHECK ((type = ANY (ARRAY['term_loan'::text, 'revolver'::text, 'delayed_draw'::text, 'letter_of_credit'::text, 'swingline'::text, 'bridge'::text])))
);

CREATE TABLE facility_details (
    facility_key bigint NOT NULL,
    deal_key bigint NOT NULL,
    effective_date date NOT NULL,
    known_seq bigint NOT NULL,
    name text NOT NULL
);

ALTER TABLE facility ALTER COLUMN key ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME facility_key_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE facility_terms (
    facility_key bigint NOT NULL,
    deal_key bigint NOT NULL,
    effective_date date NOT NULL,
    known_seq bigint NOT NULL,
    status text NOT NULL,
    maturity_date date,
    availability_end_date date,
    CONSTRAINT facility_terms_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'active'::text, 'matured'::text, 'terminated'::text])))
);

CREATE TABLE fx_rate (
    number bigint NOT NULL,
    rate_date date NOT NULL,
    from_currency text NOT NULL,
    to_currency text NOT NULL,
    rate numeric(30,15) NOT NULL,
    source text NOT NULL,
    known_at timestamp with time zone DEFAULT posting_time() NOT NULL,
    CONSTRAINT fx_rate_rate_check CHECK ((rate > (0)::numeric))
);

ALTER TABLE fx_rate ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME fx_rate_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE grant_change (
    customer_id text NOT NULL,
    changed_at timestamp with time zone NOT NULL
);

CREATE TABLE import_batch (
    key bigint NOT NULL,
    id text NOT NULL,
    profile text NOT NULL,
    source text NOT NULL,
    file_sha256 text NOT NULL,
    as_of date NOT NULL,
    row_count integer NOT NULL,
    control_totals jsonb NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL,
    reverted_at timestamp with time zone,
    accepted jsonb,
    without_totals text,
    posted_by text
);

ALTER TABLE import_batch ALTER COLUMN key ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME import_batch_key_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE import_job (
    key bigint NOT NULL,
    id text NOT NULL,
    customer_id text NOT NULL,
    subject text NOT NULL,
    client_id text NOT NULL,
    idempotency_key text NOT NULL,
    request jsonb NOT NULL,
    profile jsonb,
    status text NOT NULL,
    file_sha256 text,
    size_bytes bigint,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    started_at timestamp with time zone,
    ended_at timestamp with time zone,
    runner text,
    leased_until timestamp with time zone,
    attempts integer DEFAULT 0 NOT NULL,
    import_id text,
    report jsonb,
    CONSTRAINT import_job_status_check CHECK ((status = ANY (ARRAY['receiving'::text, 'queued'::text, 'running'::text, 'checked'::text, 'applied'::text, 'refused'::text, 'failed'::text])))
);

ALTER TABLE import_job ALTER COLUMN key ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME import_job_key_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE import_job_part (
    job_key bigint NOT NULL,
    part integer NOT NULL,
    content bytea NOT NULL
);

CREATE TABLE import_profile (
    customer_id text NOT NULL,
    name text NOT NULL,
    profile jsonb NOT NULL,
    changed_at timestamp with time zone DEFAULT now() NOT NULL,
    changed_by text NOT NULL
);

CREATE TABLE import_source (
    source text NOT NULL,
    customer_id text NOT NULL
);

CREATE TABLE item_life (
    level text NOT NULL COLLATE pg_catalog."C",
    item_key bigint NOT NULL,
    currency text NOT NULL COLLATE pg_catalog."C",
    known_seq bigint NOT NULL,
    lives_until date NOT NULL,
    deal_key bigint NOT NULL,
    lender_key bigint NOT NULL,
    CONSTRAINT item_life_level_check CHECK ((level = ANY (ARRAY['deal'::text, 'facility'::text, 'contract'::text, 'position'::text])))
);

CREATE TABLE journal (
    seq bigint NOT NULL,
    id text NOT NULL,
    effective_date date,
    posted_at timestamp with time zone DEFAULT posting_time() NOT NULL,
    type text NOT NULL,
    deal_key bigint NOT NULL,
    idempotency_key text NOT NULL,
    reverses_seq bigint,
    reason text,
    import_key bigint,
    source_ref text,
    created_by text,
    corrects_seq bigint,
    overadvance boolean DEFAULT false NOT NULL,
    CONSTRAINT journal_records_stay CHECK (((type <> 'records'::text) OR (reverses_seq IS NULL))),
    CONSTRAINT journal_records_undated CHECK (((type = 'records'::text) = (effective_date IS NULL)))
);

CREATE TABLE journal_hash (
    seq bigint NOT NULL,
    hash text NOT NULL
);

CREATE TABLE journal_standing (
    seq bigint NOT NULL,
    known_seq bigint NOT NULL,
    deal_key bigint NOT NULL,
    stands boolean NOT NULL
);

CREATE TABLE late_accrual_fact (
    facility_key bigint NOT NULL,
    contract_key bigint NOT NULL,
    effective_date date NOT NULL,
    known_seq bigint NOT NULL,
    deal_key bigint NOT NULL
);

CREATE TABLE lender_position (
    key bigint NOT NULL,
    id text NOT NULL,
    deal_key bigint NOT NULL,
    facility_key bigint NOT NULL,
    lender_key bigint NOT NULL,
    kind text NOT NULL,
    parent_key bigint,
    booked_on date NOT NULL,
    booked_seq bigint NOT NULL,
    follows_journals boolean DEFAULT false NOT NULL,
    CONSTRAINT lender_position_kind_check CHECK ((kind = ANY (ARRAY['assignment'::text, 'participation'::text])))
);

ALTER TABLE lender_position ALTER COLUMN key ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME lender_position_key_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE loan_contract (
    key bigint NOT NULL,
    id text NOT NULL,
    deal_key bigint NOT NULL,
    facility_key bigint NOT NULL,
    contract_number text NOT NULL,
    currency text NOT NULL,
    effective_date date,
    maturity_date date,
    all_in_rate numeric(20,12),
    status text NOT NULL,
    rolled_from_key bigint,
    booked_on date NOT NULL,
    booked_seq bigint NOT NULL,
    follows_journals boolean DEFAULT false NOT NULL,
    CONSTRAINT loan_contract_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'active'::text, 'repaid'::text, 'written_off'::text])))
);

ALTER TABLE loan_contract ALTER COLUMN key ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME loan_contract_key_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE notice_contact (
    customer_id text NOT NULL COLLATE pg_catalog."C",
    channel text NOT NULL COLLATE pg_catalog."C",
    target text NOT NULL COLLATE pg_catalog."C",
    sealed_secret text,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT notice_contact_channel_check CHECK ((channel = ANY (ARRAY['email'::text, 'webhook'::text]))),
    CONSTRAINT notice_contact_check CHECK (((channel = 'webhook'::text) = (sealed_secret IS NOT NULL)))
);

CREATE TABLE party (
    key bigint NOT NULL,
    id text NOT NULL,
    name text NOT NULL,
    country text,
    legal_name text,
    lei text,
    booked_seq bigint DEFAULT next_journal_seq() NOT NULL,
    CONSTRAINT party_country_check CHECK ((country ~ '^[A-Z0-9]{2}$'::text)),
    CONSTRAINT party_lei_check CHECK ((lei ~ '^[A-Z0-9]{18}[0-9]{2}$'::text))
);

CREATE TABLE party_details (
    party_key bigint NOT NULL,
    effective_date date NOT NULL,
    known_seq bigint NOT NULL,
    name text NOT NULL
);

ALTER TABLE party ALTER COLUMN key ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME party_key_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE party_word (
    party_key bigint NOT NULL,
    word text NOT NULL COLLATE pg_catalog."C",
    is_external boolean NOT NULL
);

CREATE TABLE period_close (
    number bigint NOT NULL,
    through date NOT NULL,
    reason text NOT NULL,
    decided_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

ALTER TABLE period_close ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME period_close_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE presence (
    kind text NOT NULL,
    record_key bigint NOT NULL,
    known_seq bigint NOT NULL,
    deal_key bigint NOT NULL,
    since date NOT NULL,
    CONSTRAINT presence_kind_check CHECK ((kind = ANY (ARRAY['deal'::text, 'facility'::text, 'contract'::text, 'position'::text])))
);

CREATE TABLE rate_period (
    facility_key bigint NOT NULL,
    contract_key bigint NOT NULL,
    component accrual_component NOT NULL,
    start_date date NOT NULL,
    known_seq bigint NOT NULL,
    deal_key bigint NOT NULL,
    all_in_rate numeric(20,12) NOT NULL,
    base_rate_index text,
    base_rate numeric(20,12),
    spread numeric(20,12),
    csa numeric(20,12),
    CONSTRAINT rate_period_check CHECK (((component = ANY (ARRAY['interest'::accrual_component, 'pik'::accrual_component])) = (contract_key <> 0)))
);

CREATE TABLE read_log (
    at timestamp with time zone NOT NULL,
    request_id text NOT NULL,
    subject text NOT NULL,
    client_id text NOT NULL,
    account_type text NOT NULL,
    customer_id text NOT NULL,
    address text NOT NULL,
    version text NOT NULL,
    operation text NOT NULL,
    path text NOT NULL,
    question text NOT NULL,
    status integer NOT NULL,
    item_count bigint,
    complete boolean NOT NULL
)
PARTITION BY RANGE (at);

CREATE VIEW read_log_day AS
 SELECT (relname)::text AS name,
    ("substring"(bound, 'FROM \(''([^'']+)''\)'::text))::timestamp with time zone AS starts,
    ("substring"(bound, 'TO \(''([^'']+)''\)'::text))::timestamp with time zone AS ends
   FROM ( SELECT c.relname,
            pg_get_expr(c.relpartbound, c.oid) AS bound
           FROM (pg_inherits
             JOIN pg_class c ON ((c.oid = pg_inherits.inhrelid)))
          WHERE (pg_inherits.inhparent = ('read_log'::regclass)::oid)) partition
  WHERE (bound <> 'DEFAULT'::text);

CREATE TABLE read_log_other (
    at timestamp with time zone CONSTRAINT read_log_at_not_null NOT NULL,
    request_id text CONSTRAINT read_log_request_id_not_null NOT NULL,
    subject text CONSTRAINT read_log_subject_not_null NOT NULL,
    client_id text CONSTRAINT read_log_client_id_not_null NOT NULL,
    account_type text CONSTRAINT read_log_account_type_not_null NOT NULL,
    customer_id text CONSTRAINT read_log_customer_id_not_null NOT NULL,
    address text CONSTRAINT read_log_address_not_null NOT NULL,
    version text CONSTRAINT read_log_version_not_null NOT NULL,
    operation text CONSTRAINT read_log_operation_not_null NOT NULL,
    path text CONSTRAINT read_log_path_not_null NOT NULL,
    question text CONSTRAINT read_log_question_not_null NOT NULL,
    status integer CONSTRAINT read_log_status_not_null NOT NULL,
    item_count bigint,
    complete boolean CONSTRAINT read_log_complete_not_null NOT NULL
);

CREATE TABLE reported_date (
    effective_date date NOT NULL,
    posted_at timestamp with time zone NOT NULL
);

CREATE TABLE sort_amount (
    level text NOT NULL COLLATE pg_catalog."C",
    sort text NOT NULL COLLATE pg_catalog."C",
    value bigint NOT NULL,
    item_key bigint NOT NULL,
    deal_key bigint NOT NULL,
    lender_key bigint NOT NULL,
    currency text NOT NULL,
    CONSTRAINT sort_amount_level_check CHECK ((level = ANY (ARRAY['deal'::text, 'facility'::text, 'contract'::text, 'position'::text]))),
    CONSTRAINT sort_amount_sort_check CHECK ((sort = ANY (ARRAY['outstanding'::text, 'unfunded'::text])))
);

CREATE TABLE sort_label (
    kind text NOT NULL COLLATE pg_catalog."C",
    sort text NOT NULL COLLATE pg_catalog."C",
    value text NOT NULL COLLATE pg_catalog."C",
    item_key bigint NOT NULL,
    deal_key bigint NOT NULL,
    lender_key bigint NOT NULL,
    CONSTRAINT sort_label_kind_check CHECK ((kind = ANY (ARRAY['facility'::text, 'contract'::text, 'position'::text]))),
    CONSTRAINT sort_label_sort_check CHECK ((sort = ANY (ARRAY['facilityName'::text, 'borrower'::text, 'maturityDate'::text])))
);

CREATE VIEW sorted_item WITH (security_invoker='true') AS
 SELECT 'facility'::text AS kind,
    facility.key,
    facility.deal_key,
    facility.key AS facility_key,
    (0)::bigint AS lender_key,
    facility.maturity_date
   FROM facility
UNION ALL
 SELECT 'contract'::text AS kind,
    loan_contract.key,
    loan_contract.deal_key,
    loan_contract.facility_key,
    0 AS lender_key,
    loan_contract.maturity_date
   FROM loan_contract
UNION ALL
 SELECT 'position'::text AS kind,
    lender_position.key,
    lender_position.deal_key,
    lender_position.facility_key,
    lender_position.lender_key,
    NULL::date AS maturity_date
   FROM lender_position;

CREATE TABLE task_run (
    task text NOT NULL,
    succeeded_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT task_run_task_check CHECK ((task ~ '^[a-z][a-z-]{0,39}$'::text))
);

CREATE TABLE version_notice (
    id text NOT NULL COLLATE pg_catalog."C",
    event text NOT NULL COLLATE pg_catalog."C",
    version_id text NOT NULL COLLATE pg_catalog."C",
    happens_at timestamp with time zone NOT NULL,
    stage text NOT NULL COLLATE pg_catalog."C",
    stage_order smallint NOT NULL,
    customer_id text NOT NULL COLLATE pg_catalog."C",
    channel text NOT NULL COLLATE pg_catalog."C",
    target text NOT NULL COLLATE pg_catalog."C",
    document text NOT NULL,
    state text DEFAULT 'pending'::text NOT NULL COLLATE pg_catalog."C",
    attempts integer DEFAULT 0 NOT NULL,
    next_attempt_at timestamp with time zone NOT NULL,
    lease text COLLATE pg_catalog."C",
    lease_until timestamp with time zone,
    answer text,
    created_at timestamp with time zone NOT NULL,
    attempted_at timestamp with time zone,
    delivered_at timestamp with time zone,
    CONSTRAINT version_notice_channel_check CHECK ((channel = ANY (ARRAY['email'::text, 'webhook'::text]))),
    CONSTRAINT version_notice_check CHECK (((state = 'sending'::text) = (lease IS NOT NULL))),
    CONSTRAINT version_notice_check1 CHECK (((lease IS NULL) = (lease_until IS NULL))),
    CONSTRAINT version_notice_check2 CHECK (((state = 'delivered'::text) = (delivered_at IS NOT NULL))),
    CONSTRAINT version_notice_event_check CHECK ((event = ANY (ARRAY['deprecation'::text, 'retirement'::text, 'promotion'::text]))),
    CONSTRAINT version_notice_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'sending'::text, 'delivered'::text, 'failed'::text, 'replaced'::text])))
);

CREATE TABLE version_retirement (
    version_id text NOT NULL COLLATE pg_catalog."C",
    retires_at timestamp with time zone NOT NULL,
    effective_at timestamp with time zone NOT NULL,
    decision text NOT NULL COLLATE pg_catalog."C",
    decided_at timestamp with time zone NOT NULL,
    decided_by text,
    reason text,
    untold text[] NOT NULL,
    CONSTRAINT version_retirement_check CHECK ((effective_at >= retires_at)),
    CONSTRAINT version_retirement_check1 CHECK (((decision = 'forced'::text) = ((decided_by IS NOT NULL) AND (reason IS NOT NULL)))),
    CONSTRAINT version_retirement_check2 CHECK (((decision = 'forced'::text) OR (untold = '{}'::text[]))),
    CONSTRAINT version_retirement_decision_check CHECK ((decision = ANY (ARRAY['cleared'::text, 'forced'::text])))
);

CREATE TABLE version_usage (
    day date NOT NULL,
    customer_id text NOT NULL COLLATE pg_catalog."C",
    client_id text NOT NULL COLLATE pg_catalog."C",
    subject text NOT NULL COLLATE pg_catalog."C",
    requested text NOT NULL COLLATE pg_catalog."C",
    served text NOT NULL COLLATE pg_catalog."C",
    operation text NOT NULL COLLATE pg_catalog."C",
    requests bigint NOT NULL,
    CONSTRAINT version_usage_requests_check CHECK ((requests > 0))
);

CREATE TABLE version_usage_source (
    id text NOT NULL COLLATE pg_catalog."C",
    batch bigint NOT NULL
);

ALTER TABLE ONLY read_log ATTACH PARTITION read_log_other DEFAULT;

ALTER TABLE ONLY accrual_settlement
    ADD CONSTRAINT accrual_settlement_pkey PRIMARY KEY (facility_key, contract_key, component, effective_date, known_seq);

ALTER TABLE ONLY balance_line
    ADD CONSTRAINT balance_line_facility_key_contract_key_lender_key_key UNIQUE (facility_key, contract_key, lender_key);

ALTER TABLE ONLY balance_line
    ADD CONSTRAINT balance_line_pkey PRIMARY KEY (key);

ALTER TABLE ONLY balance
    ADD CONSTRAINT balance_pkey PRIMARY KEY (line_key, effective_date, known_seq);

ALTER TABLE ONLY book_date
    ADD CONSTRAINT book_date_pkey PRIMARY KEY (effective_date, known_seq);

ALTER TABLE ONLY book_restore
    ADD CONSTRAINT book_restore_pkey PRIMARY KEY (restored_at);

ALTER TABLE ONLY book_state
    ADD CONSTRAINT book_state_pkey PRIMARY KEY (one);

ALTER TABLE ONLY book_total
    ADD CONSTRAINT book_total_pkey PRIMARY KEY (level, currency, grain, start, known_seq);

ALTER TABLE ONLY contract_terms
    ADD CONSTRAINT contract_terms_pkey PRIMARY KEY (contract_key, effective_date, known_seq);

ALTER TABLE ONLY deal
    ADD CONSTRAINT deal_deal_number_key UNIQUE (deal_number);

ALTER TABLE ONLY deal_details
    ADD CONSTRAINT deal_details_pkey PRIMARY KEY (deal_key, effective_date, known_seq);

ALTER TABLE ONLY deal
    ADD CONSTRAINT deal_id_key UNIQUE (id);

ALTER TABLE ONLY deal
    ADD CONSTRAINT deal_pkey PRIMARY KEY (key);

ALTER TABLE ONLY deal_terms
    ADD CONSTRAINT deal_terms_pkey PRIMARY KEY (deal_key, effective_date, known_seq);

ALTER TABLE ONLY deal_word
    ADD CONSTRAINT deal_word_pkey PRIMARY KEY (deal_key, word, facility_key, contract_key, is_external);

ALTER TABLE ONLY entitlement
    ADD CONSTRAINT entitlement_pkey PRIMARY KEY (customer_id, deal_key, rule_key);

ALTER TABLE ONLY entitlement_rule
    ADD CONSTRAINT entitlement_rule_pkey PRIMARY KEY (key);

ALTER TABLE ONLY external_id
    ADD CONSTRAINT external_id_pkey PRIMARY KEY (source, value);

ALTER TABLE ONLY facility_details
    ADD CONSTRAINT facility_details_pkey PRIMARY KEY (facility_key, effective_date, known_seq);

ALTER TABLE ONLY facility
    ADD CONSTRAINT facility_id_key UNIQUE (id);

ALTER TABLE ONLY facility
    ADD CONSTRAINT facility_pkey PRIMARY KEY (key);

ALTER TABLE ONLY facility_terms
    ADD CONSTRAINT facility_terms_pkey PRIMARY KEY (facility_key, effective_date, known_seq);

ALTER TABLE ONLY fx_rate
    ADD CONSTRAINT fx_rate_pkey PRIMARY KEY (number);

ALTER TABLE ONLY grant_change
    ADD CONSTRAINT grant_change_pkey PRIMARY KEY (customer_id);

ALTER TABLE ONLY import_batch
    ADD CONSTRAINT import_batch_id_key UNIQUE (id);

ALTER TABLE ONLY import_batch
    ADD CONSTRAINT import_batch_pkey PRIMARY KEY (key);

ALTER TABLE ONLY import_job
    ADD CONSTRAINT import_job_customer_id_subject_idempotency_key_key UNIQUE (customer_id, subject, idempotency_key);

ALTER TABLE ONLY import_job
    ADD CONSTRAINT import_job_id_key UNIQUE (id);

ALTER TABLE ONLY import_job_part
    ADD CONSTRAINT import_job_part_pkey PRIMARY KEY (job_key, part);

ALTER TABLE ONLY import_job
    ADD CONSTRAINT import_job_pkey PRIMARY KEY (key);

ALTER TABLE ONLY import_profile
    ADD CONSTRAINT import_profile_pkey PRIMARY KEY (customer_id, name);

ALTER TABLE ONLY import_source
    ADD CONSTRAINT import_source_pkey PRIMARY KEY (source);

ALTER TABLE ONLY item_life
    ADD CONSTRAINT item_life_pkey PRIMARY KEY (level, item_key, currency, known_seq);

ALTER TABLE ONLY journal_hash
    ADD CONSTRAINT journal_hash_pkey PRIMARY KEY (seq);

ALTER TABLE ONLY journal
    ADD CONSTRAINT journal_id_key UNIQUE (id);

ALTER TABLE ONLY journal
    ADD CONSTRAINT journal_idempotency_key_key UNIQUE (idempotency_key);

ALTER TABLE ONLY journal
    ADD CONSTRAINT journal_pkey PRIMARY KEY (seq);

ALTER TABLE ONLY journal_standing
    ADD CONSTRAINT journal_standing_pkey PRIMARY KEY (seq, known_seq);

ALTER TABLE ONLY late_accrual_fact
    ADD CONSTRAINT late_accrual_fact_pkey PRIMARY KEY (facility_key, contract_key, known_seq, effective_date);

ALTER TABLE ONLY lender_position
    ADD CONSTRAINT lender_position_facility_key_lender_key_key UNIQUE (facility_key, lender_key);

ALTER TABLE ONLY lender_position
    ADD CONSTRAINT lender_position_id_key UNIQUE (id);

ALTER TABLE ONLY lender_position
    ADD CONSTRAINT lender_position_pkey PRIMARY KEY (key);

ALTER TABLE ONLY loan_contract
    ADD CONSTRAINT loan_contract_facility_key_contract_number_key UNIQUE (facility_key, contract_number);

ALTER TABLE ONLY loan_contract
    ADD CONSTRAINT loan_contract_id_key UNIQUE (id);

ALTER TABLE ONLY loan_contract
    ADD CONSTRAINT loan_contract_pkey PRIMARY KEY (key);

ALTER TABLE ONLY notice_contact
    ADD CONSTRAINT notice_contact_pkey PRIMARY KEY (customer_id, channel, target);

ALTER TABLE ONLY party_details
    ADD CONSTRAINT party_details_pkey PRIMARY KEY (party_key, effective_date, known_seq);

ALTER TABLE ONLY party
    ADD CONSTRAINT party_id_key UNIQUE (id);

ALTER TABLE ONLY party
    ADD CONSTRAINT party_pkey PRIMARY KEY (key);

ALTER TABLE ONLY party_word
    ADD CONSTRAINT party_word_pkey PRIMARY KEY (party_key, word, is_external);

ALTER TABLE ONLY period_close
    ADD CONSTRAINT period_close_pkey PRIMARY KEY (number);

ALTER TABLE ONLY posting
    ADD CONSTRAINT posting_pkey PRIMARY KEY (journal_seq, number);

ALTER TABLE ONLY presence
    ADD CONSTRAINT presence_pkey PRIMARY KEY (kind, record_key, known_seq);

ALTER TABLE ONLY rate_period
    ADD CONSTRAINT rate_period_pkey PRIMARY KEY (facility_key, contract_key, component, start_date, known_seq);

ALTER TABLE ONLY reported_date
    ADD CONSTRAINT reported_date_pkey PRIMARY KEY (effective_date);

ALTER TABLE ONLY sort_amount
    ADD CONSTRAINT sort_amount_pkey PRIMARY KEY (level, sort, currency, value, item_key);

ALTER TABLE ONLY sort_label
    ADD CONSTRAINT sort_label_pkey PRIMARY KEY (kind, sort, value, item_key);

ALTER TABLE ONLY task_run
    ADD CONSTRAINT task_run_pkey PRIMARY KEY (task, succeeded_at);

ALTER TABLE ONLY version_notice
    ADD CONSTRAINT version_notice_event_version_id_happens_at_stage_customer_i_key UNIQUE (event, version_id, happens_at, stage, customer_id, channel, target);

ALTER TABLE ONLY version_notice
    ADD CONSTRAINT version_notice_pkey PRIMARY KEY (id);

ALTER TABLE ONLY version_retirement
    ADD CONSTRAINT version_retirement_pkey PRIMARY KEY (version_id, retires_at);

ALTER TABLE ONLY version_usage
    ADD CONSTRAINT version_usage_pkey PRIMARY KEY (day, customer_id, client_id, subject, requested, served, operation);

ALTER TABLE ONLY version_usage_source
    ADD CONSTRAINT version_usage_source_pkey PRIMARY KEY (id);

CREATE INDEX accrual_settlement_known ON accrual_settlement USING btree (known_seq);

CREATE INDEX accrual_settlement_through ON accrual_settlement USING btree (facility_key, contract_key, settled_through);

CREATE INDEX balance_line_contract ON balance_line USING btree (contract_key, facility_key, lender_key);

CREATE INDEX balance_line_deal_lender ON balance_line USING btree (deal_key, lender_key);

CREATE INDEX balance_line_parent ON balance_line USING btree (parent_line_key) WHERE (parent_line_key IS NOT NULL);

CREATE INDEX contract_terms_known ON contract_terms USING btree (known_seq);

CREATE INDEX deal_agent ON deal USING btree (agent_key);

CREATE INDEX deal_booked ON deal USING btree (booked_seq);

CREATE INDEX deal_borrower ON deal USING btree (borrower_key);

CREATE INDEX deal_country ON deal USING btree (country);

CREATE INDEX deal_details_borrower ON deal_details USING btree (borrower_key);

CREATE INDEX deal_details_country ON deal_details USING btree (country);

CREATE INDEX deal_details_guarantor ON deal_details USING btree (guarantor_key);

CREATE INDEX deal_details_known ON deal_details USING btree (known_seq);

CREATE INDEX deal_guarantor ON deal USING btree (guarantor_key);

CREATE INDEX deal_number_sorted ON deal USING btree (deal_number COLLATE "C");

CREATE INDEX deal_terms_known ON deal_terms USING btree (known_seq);

CREATE INDEX deal_word_word ON deal_word USING btree (word, deal_key);

CREATE INDEX entitlement_of_deal ON entitlement USING btree (deal_key, customer_id) INCLUDE (role, lender_key, since);

CREATE UNIQUE INDEX entitlement_rule_once ON entitlement_rule USING btree (customer_id, role, lender_key, all_deals, COALESCE(deal_key, (0)::bigint), COALESCE(borrower_key, (0)::bigint), COALESCE(country, ''::text));

CREATE INDEX entitlement_rule_owner ON entitlement USING btree (rule_key);

CREATE INDEX external_id_entity ON external_id USING btree (entity_id);

CREATE INDEX facility_booked ON facility USING btree (booked_seq);

CREATE INDEX facility_currency ON facility USING btree (((currency || ''::text)));

CREATE INDEX facility_deal_key ON facility USING btree (deal_key, key);

CREATE INDEX facility_details_known ON facility_details USING btree (known_seq);

CREATE INDEX facility_sublimit ON facility USING btree (sublimit_of_key) WHERE (sublimit_of_key IS NOT NULL);

CREATE INDEX facility_terms_known ON facility_terms USING btree (known_seq);

CREATE INDEX fx_rate_pair ON fx_rate USING btree (from_currency, to_currency, rate_date, number);

CREATE UNIQUE INDEX import_batch_once_a_date ON import_batch USING btree (source, profile, file_sha256, as_of) WHERE (reverted_at IS NULL);

CREATE INDEX import_job_ended ON import_job USING btree (ended_at);

CREATE INDEX import_job_of_customer ON import_job USING btree (customer_id, key);

CREATE INDEX import_job_open ON import_job USING btree (key) WHERE (status = ANY (ARRAY['receiving'::text, 'queued'::text, 'running'::text]));

CREATE INDEX journal_corrects ON journal USING btree (corrects_seq) WHERE (corrects_seq IS NOT NULL);

CREATE INDEX journal_deal_date ON journal USING btree (deal_key, effective_date);

CREATE INDEX journal_deal_seq ON journal USING btree (deal_key, seq);

CREATE INDEX journal_effective_seq ON journal USING btree (effective_date, seq);

CREATE INDEX journal_import ON journal USING btree (import_key) WHERE (import_key IS NOT NULL);

CREATE INDEX journal_posted ON journal USING btree (posted_at, seq);

CREATE UNIQUE INDEX journal_reversed_once ON journal USING btree (reverses_seq) WHERE (reverses_seq IS NOT NULL);

CREATE INDEX journal_standing_known ON journal_standing USING btree (known_seq);

CREATE INDEX lender_position_booked ON lender_position USING btree (booked_seq);

CREATE INDEX lender_position_deal ON lender_position USING btree (deal_key, key);

CREATE INDEX lender_position_lender ON lender_position USING btree (lender_key);

CREATE INDEX loan_contract_booked ON loan_contract USING btree (booked_seq);

CREATE INDEX loan_contract_deal ON loan_contract USING btree (deal_key, key);

CREATE INDEX loan_contract_facility ON loan_contract USING btree (facility_key);

CREATE INDEX party_booked ON party USING btree (booked_seq);

CREATE INDEX party_details_known ON party_details USING btree (known_seq);

CREATE INDEX party_details_name ON party_details USING btree (name);

CREATE INDEX party_word_word ON party_word USING btree (word, party_key);

CREATE INDEX posting_due ON posting USING btree (line_key, account, due_date) WHERE (due_date IS NOT NULL);

CREATE INDEX posting_line ON posting USING btree (line_key, effective_date, journal_seq);

CREATE INDEX posting_movement ON posting USING btree (journal_seq, number) WHERE (movement IS NOT NULL);

CREATE INDEX presence_known ON presence USING btree (known_seq);

CREATE INDEX rate_period_deal ON rate_period USING btree (deal_key);

CREATE INDEX rate_period_known ON rate_period USING btree (known_seq);

CREATE INDEX read_log_at ON ONLY read_log USING btree (at);

CREATE INDEX read_log_other_at_idx ON read_log_other USING btree (at);

CREATE INDEX version_notice_due ON version_notice USING btree (next_attempt_at) WHERE (state = ANY (ARRAY['pending'::text, 'sending'::text]));

ALTER INDEX read_log_at ATTACH PARTITION read_log_other_at_idx;

CREATE OR REPLACE VIEW commitment_event WITH (security_invoker='true') AS
 SELECT j.seq,
    j.id AS journal_id,
    j.type AS kind,
    j.effective_date,
    l.facility_key,
    l.lender_key,
    l.currency,
    sum(p.amount_minor) FILTER (WHERE (p.account = 'ORIGINAL_COMMITMENT'::ledger_account)) AS original_minor,
    sum(p.amount_minor) FILTER (WHERE (p.account = 'CANCELLED_COMMITMENT'::ledger_account)) AS cancelled_minor,
    sum(p.amount_minor) FILTER (WHERE (p.account = 'UNFUNDED'::ledger_account)) AS unfunded_minor
   FROM ((posting p
     JOIN journal j ON ((j.seq = p.journal_seq)))
     JOIN balance_line l ON ((l.key = p.line_key)))
  WHERE (p.account = ANY (ARRAY['ORIGINAL_COMMITMENT'::ledger_account, 'CANCELLED_COMMITMENT'::ledger_account, 'UNFUNDED'::ledger_account]))
  GROUP BY j.seq, l.facility_key, l.lender_key, l.currency;

CREATE TRIGGER announce AFTER DELETE ON entitlement_rule FOR EACH STATEMENT EXECUTE FUNCTION announce_change();

CREATE TRIGGER announce AFTER INSERT ON fx_rate FOR EACH STATEMENT EXECUTE FUNCTION announce_change();

CREATE TRIGGER announce AFTER INSERT ON journal FOR EACH STATEMENT EXECUTE FUNCTION announce_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON accrual_settlement FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON balance FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON balance_line FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON book_date FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON book_total FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON contract_terms FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON deal_details FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON deal_terms FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON deal_word FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON facility_details FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON facility_terms FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON fx_rate FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON item_life FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON journal FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON journal_hash FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON journal_standing FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON late_accrual_fact FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON party_details FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON party_word FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON period_close FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON posting FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON presence FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON rate_period FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON reported_date FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON sort_amount FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON sort_label FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER begin_change BEFORE INSERT OR DELETE OR UPDATE ON deal FOR EACH STATEMENT EXECUTE FUNCTION begin_change();

CREATE TRIGGER begin_change BEFORE INSERT OR DELETE OR UPDATE ON entitlement_rule FOR EACH STATEMENT EXECUTE FUNCTION begin_change();

CREATE TRIGGER begin_change BEFORE INSERT OR DELETE OR UPDATE ON external_id FOR EACH STATEMENT EXECUTE FUNCTION begin_change();

CREATE TRIGGER begin_change BEFORE INSERT OR DELETE OR UPDATE ON facility FOR EACH STATEMENT EXECUTE FUNCTION begin_change();

CREATE TRIGGER begin_change BEFORE INSERT OR DELETE OR UPDATE ON fx_rate FOR EACH STATEMENT EXECUTE FUNCTION begin_change();

CREATE TRIGGER begin_change BEFORE INSERT OR DELETE OR UPDATE ON lender_position FOR EACH STATEMENT EXECUTE FUNCTION begin_change();

CREATE TRIGGER begin_change BEFORE INSERT OR DELETE OR UPDATE ON loan_contract FOR EACH STATEMENT EXECUTE FUNCTION begin_change();

CREATE TRIGGER begin_change BEFORE INSERT OR DELETE OR UPDATE ON period_close FOR EACH STATEMENT EXECUTE FUNCTION begin_change();

CREATE TRIGGER check_chained AFTER INSERT ON accrual_settlement REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION check_chained('known_seq');

CREATE TRIGGER check_chained AFTER INSERT ON contract_terms REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION check_chained('known_seq');

CREATE TRIGGER check_chained AFTER INSERT ON deal REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION check_chained('booked_seq');

CREATE TRIGGER check_chained AFTER INSERT ON deal_details REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION check_chained('known_seq');

CREATE TRIGGER check_chained AFTER INSERT ON deal_terms REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION check_chained('known_seq');

CREATE TRIGGER check_chained AFTER INSERT ON facility REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION check_chained('booked_seq');

CREATE TRIGGER check_chained AFTER INSERT ON facility_details REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION check_chained('known_seq');

CREATE TRIGGER check_chained AFTER INSERT ON facility_terms REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION check_chained('known_seq');

CREATE TRIGGER check_chained AFTER INSERT ON lender_position REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION check_chained('booked_seq');

CREATE TRIGGER check_chained AFTER INSERT ON loan_contract REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION check_chained('booked_seq');

CREATE TRIGGER check_chained AFTER INSERT ON party REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION check_chained('booked_seq');

CREATE TRIGGER check_chained AFTER INSERT ON party_details REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION check_chained('known_seq');

CREATE TRIGGER check_chained AFTER INSERT ON rate_period REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION check_chained('known_seq');

CREATE TRIGGER check_journal_references AFTER INSERT ON journal REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION check_journal_references();

CREATE TRIGGER check_journals AFTER INSERT ON journal REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION check_journals();

CREATE TRIGGER check_line_references AFTER INSERT ON balance_line REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION check_line_references();

CREATE TRIGGER check_positions AFTER INSERT ON lender_position REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION check_positions();

CREATE TRIGGER check_postings AFTER INSERT ON posting REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION check_postings();

CREATE TRIGGER check_references_of_insert AFTER INSERT ON deal REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION check_references('borrower_key', 'party', 'agent_key', 'party', 'guarantor_key', 'party');

CREATE TRIGGER check_references_of_insert AFTER INSERT ON facility REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION check_references('deal_key', 'deal');

CREATE TRIGGER check_references_of_insert AFTER INSERT ON lender_position REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION check_references('deal_key', 'deal', 'facility_key', 'facility', 'lender_key', 'party');

CREATE TRIGGER check_references_of_insert AFTER INSERT ON loan_contract REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION check_references('deal_key', 'deal', 'facility_key', 'facility');

CREATE TRIGGER check_references_of_update AFTER UPDATE ON deal REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION check_references('borrower_key', 'party', 'agent_key', 'party', 'guarantor_key', 'party');

CREATE TRIGGER check_references_of_update AFTER UPDATE ON facility REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION check_references('deal_key', 'deal');

CREATE TRIGGER check_references_of_update AFTER UPDATE ON lender_position REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION check_references('deal_key', 'deal', 'facility_key', 'facility', 'lender_key', 'party');

CREATE TRIGGER check_references_of_update AFTER UPDATE ON loan_contract REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION check_references('deal_key', 'deal', 'facility_key', 'facility');

CREATE CONSTRAINT TRIGGER check_reversals AFTER INSERT ON journal DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((new.reverses_seq IS NOT NULL)) EXECUTE FUNCTION check_reversals();

CREATE TRIGGER check_sublimit_lines AFTER INSERT ON balance_line REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION check_sublimit_lines();

CREATE TRIGGER check_sublimit_shares AFTER INSERT ON posting REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION check_sublimit_shares();

CREATE TRIGGER check_sublimits AFTER INSERT ON facility REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION check_sublimits();

CREATE CONSTRAINT TRIGGER close_journals AFTER UPDATE ON book_state DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION close_journals();

CREATE TRIGGER end_change AFTER INSERT OR DELETE OR UPDATE ON deal FOR EACH STATEMENT EXECUTE FUNCTION end_change();

CREATE TRIGGER end_change AFTER INSERT OR DELETE OR UPDATE ON entitlement_rule FOR EACH STATEMENT EXECUTE FUNCTION end_change();

CREATE TRIGGER end_change AFTER INSERT OR DELETE OR UPDATE ON external_id FOR EACH STATEMENT EXECUTE FUNCTION end_change();

CREATE TRIGGER end_change AFTER INSERT OR DELETE OR UPDATE ON facility FOR EACH STATEMENT EXECUTE FUNCTION end_change();

CREATE TRIGGER end_change AFTER INSERT OR DELETE OR UPDATE ON fx_rate FOR EACH STATEMENT EXECUTE FUNCTION end_change();

CREATE TRIGGER end_change AFTER INSERT OR DELETE OR UPDATE ON journal FOR EACH STATEMENT EXECUTE FUNCTION end_change();

CREATE TRIGGER end_change AFTER INSERT OR DELETE OR UPDATE ON lender_position FOR EACH STATEMENT EXECUTE FUNCTION end_change();

CREATE TRIGGER end_change AFTER INSERT OR DELETE OR UPDATE ON loan_contract FOR EACH STATEMENT EXECUTE FUNCTION end_change();

CREATE TRIGGER end_change AFTER INSERT OR DELETE OR UPDATE ON period_close FOR EACH STATEMENT EXECUTE FUNCTION end_change();

CREATE TRIGGER extend_balances AFTER INSERT ON posting REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION extend_balances();

CREATE TRIGGER extend_standing AFTER INSERT ON journal REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION extend_standing();

CREATE TRIGGER grant_by_details AFTER INSERT ON deal_details REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION grant_by_details();

CREATE TRIGGER grant_by_standing AFTER INSERT ON journal_standing REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION grant_by_standing();

CREATE TRIGGER grant_deals AFTER INSERT ON entitlement_rule REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION grant_deals();

CREATE TRIGGER grant_new_deals AFTER INSERT ON deal REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION grant_new_deals();

CREATE TRIGGER keep_labels AFTER INSERT ON contract_terms REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION keep_contract_maturities();

CREATE TRIGGER keep_labels AFTER INSERT ON deal_details REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION keep_borrowers();

CREATE TRIGGER keep_labels AFTER INSERT ON facility REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION keep_labels('facility');

CREATE TRIGGER keep_labels AFTER INSERT ON facility_details REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION keep_facility_names();

CREATE TRIGGER keep_labels AFTER INSERT ON facility_terms REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION keep_facility_maturities();

CREATE TRIGGER keep_labels AFTER INSERT ON lender_position REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION keep_labels('position');

CREATE TRIGGER keep_labels AFTER INSERT ON loan_contract REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION keep_labels('contract');

CREATE TRIGGER keep_labels AFTER INSERT ON party_details REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION keep_borrower_names();

CREATE TRIGGER keep_words AFTER INSERT ON deal REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION keep_words();

CREATE TRIGGER keep_words AFTER INSERT ON deal_details REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION keep_words();

CREATE TRIGGER keep_words AFTER INSERT ON external_id REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION keep_external_words();

CREATE TRIGGER keep_words AFTER INSERT ON facility REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION keep_words();

CREATE TRIGGER keep_words AFTER INSERT ON facility_details REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION keep_words();

CREATE TRIGGER keep_words AFTER INSERT ON party REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION keep_words();

CREATE TRIGGER keep_words AFTER INSERT ON party_details REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION keep_words();

CREATE TRIGGER note_facts_after_bills AFTER INSERT ON accrual_settlement REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION note_facts_after_bills();

CREATE TRIGGER note_late_postings AFTER INSERT ON posting REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION note_late_postings();

CREATE TRIGGER note_late_rates AFTER INSERT ON rate_period REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION note_late_rates();

CREATE TRIGGER note_late_terms AFTER INSERT ON accrual_settlement REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION note_late_terms();

CREATE TRIGGER note_late_terms AFTER INSERT ON facility_terms REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION note_late_terms();

CREATE TRIGGER note_late_terms AFTER INSERT ON journal REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION note_late_terms();

CREATE TRIGGER note_reversed_rates AFTER INSERT ON journal REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION note_reversed_rates();

CREATE TRIGGER only_from_journals BEFORE INSERT ON book_date FOR EACH STATEMENT WHEN ((pg_trigger_depth() = 0)) EXECUTE FUNCTION refuse_change();

CREATE TRIGGER only_from_journals BEFORE INSERT ON book_total FOR EACH STATEMENT WHEN ((pg_trigger_depth() = 0)) EXECUTE FUNCTION refuse_change();

CREATE TRIGGER only_from_journals BEFORE INSERT ON item_life FOR EACH STATEMENT WHEN ((pg_trigger_depth() = 0)) EXECUTE FUNCTION refuse_change();

CREATE TRIGGER only_from_journals BEFORE INSERT ON journal_hash FOR EACH STATEMENT WHEN ((pg_trigger_depth() = 0)) EXECUTE FUNCTION refuse_change();

CREATE TRIGGER only_from_journals BEFORE INSERT ON journal_standing FOR EACH STATEMENT WHEN ((pg_trigger_depth() = 0)) EXECUTE FUNCTION refuse_change();

CREATE TRIGGER only_from_journals BEFORE INSERT ON presence FOR EACH STATEMENT WHEN ((pg_trigger_depth() = 0)) EXECUTE FUNCTION refuse_change();

CREATE TRIGGER only_from_journals BEFORE INSERT ON sort_amount FOR EACH STATEMENT WHEN ((pg_trigger_depth() = 0)) EXECUTE FUNCTION refuse_change();

CREATE TRIGGER only_from_journals BEFORE INSERT ON sort_label FOR EACH STATEMENT WHEN ((pg_trigger_depth() = 0)) EXECUTE FUNCTION refuse_change();

CREATE TRIGGER only_from_names BEFORE INSERT ON deal_word FOR EACH STATEMENT WHEN ((pg_trigger_depth() = 0)) EXECUTE FUNCTION refuse_change();

CREATE TRIGGER only_from_names BEFORE INSERT ON party_word FOR EACH STATEMENT WHEN ((pg_trigger_depth() = 0)) EXECUTE FUNCTION refuse_change();

CREATE TRIGGER only_from_postings BEFORE INSERT ON balance FOR EACH STATEMENT WHEN ((pg_trigger_depth() = 0)) EXECUTE FUNCTION refuse_change();

CREATE TRIGGER record_grant AFTER INSERT ON entitlement_rule REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION record_grant_change();

CREATE TRIGGER record_revoke AFTER DELETE ON entitlement_rule REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION record_grant_change();

CREATE TRIGGER records_stay BEFORE DELETE OR UPDATE OF key OR TRUNCATE ON deal FOR EACH STATEMENT EXECUTE FUNCTION refuse_removal();

CREATE TRIGGER records_stay BEFORE DELETE OR UPDATE OF key, deal_key, currency OR TRUNCATE ON facility FOR EACH STATEMENT EXECUTE FUNCTION refuse_removal();

CREATE TRIGGER records_stay BEFORE DELETE OR UPDATE OF key OR TRUNCATE ON import_batch FOR EACH STATEMENT EXECUTE FUNCTION refuse_removal();

CREATE TRIGGER records_stay BEFORE DELETE OR UPDATE OF key OR TRUNCATE ON party FOR EACH STATEMENT EXECUTE FUNCTION refuse_removal();

CREATE TRIGGER set_settlement_start BEFORE INSERT ON accrual_settlement FOR EACH ROW EXECUTE FUNCTION set_settlement_start();

ALTER TABLE ONLY accrual_settlement
    ADD CONSTRAINT accrual_settlement_deal_key_fkey FOREIGN KEY (deal_key) REFERENCES deal(key);

ALTER TABLE ONLY accrual_settlement
    ADD CONSTRAINT accrual_settlement_facility_key_fkey FOREIGN KEY (facility_key) REFERENCES facility(key);

ALTER TABLE ONLY accrual_settlement
    ADD CONSTRAINT accrual_settlement_known_seq_fkey FOREIGN KEY (known_seq) REFERENCES journal(seq);

ALTER TABLE ONLY balance_line
    ADD CONSTRAINT balance_line_parent_line_key_fkey FOREIGN KEY (parent_line_key) REFERENCES balance_line(key);

ALTER TABLE ONLY book_date
    ADD CONSTRAINT book_date_known_seq_fkey FOREIGN KEY (known_seq) REFERENCES journal(seq);

ALTER TABLE ONLY book_total
    ADD CONSTRAINT book_total_known_seq_fkey FOREIGN KEY (known_seq) REFERENCES journal(seq);

ALTER TABLE ONLY contract_terms
    ADD CONSTRAINT contract_terms_contract_key_fkey FOREIGN KEY (contract_key) REFERENCES loan_contract(key);

ALTER TABLE ONLY contract_terms
    ADD CONSTRAINT contract_terms_deal_key_fkey FOREIGN KEY (deal_key) REFERENCES deal(key);

ALTER TABLE ONLY contract_terms
    ADD CONSTRAINT contract_terms_known_seq_fkey FOREIGN KEY (known_seq) REFERENCES journal(seq);

ALTER TABLE ONLY deal_details
    ADD CONSTRAINT deal_details_borrower_key_fkey FOREIGN KEY (borrower_key) REFERENCES party(key);

ALTER TABLE ONLY deal_details
    ADD CONSTRAINT deal_details_deal_key_fkey FOREIGN KEY (deal_key) REFERENCES deal(key);

ALTER TABLE ONLY deal_details
    ADD CONSTRAINT deal_details_guarantor_key_fkey FOREIGN KEY (guarantor_key) REFERENCES party(key);

ALTER TABLE ONLY deal_details
    ADD CONSTRAINT deal_details_known_seq_fkey FOREIGN KEY (known_seq) REFERENCES journal(seq);

ALTER TABLE ONLY deal_terms
    ADD CONSTRAINT deal_terms_deal_key_fkey FOREIGN KEY (deal_key) REFERENCES deal(key);

ALTER TABLE ONLY deal_terms
    ADD CONSTRAINT deal_terms_known_seq_fkey FOREIGN KEY (known_seq) REFERENCES journal(seq);

ALTER TABLE ONLY entitlement
    ADD CONSTRAINT entitlement_deal_key_fkey FOREIGN KEY (deal_key) REFERENCES deal(key);

ALTER TABLE ONLY entitlement_rule
    ADD CONSTRAINT entitlement_rule_borrower_key_fkey FOREIGN KEY (borrower_key) REFERENCES party(key);

ALTER TABLE ONLY entitlement_rule
    ADD CONSTRAINT entitlement_rule_deal_key_fkey FOREIGN KEY (deal_key) REFERENCES deal(key);

ALTER TABLE ONLY entitlement
    ADD CONSTRAINT entitlement_rule_key_fkey FOREIGN KEY (rule_key) REFERENCES entitlement_rule(key) ON DELETE CASCADE;

ALTER TABLE ONLY facility_details
    ADD CONSTRAINT facility_details_deal_key_fkey FOREIGN KEY (deal_key) REFERENCES deal(key);

ALTER TABLE ONLY facility_details
    ADD CONSTRAINT facility_details_facility_key_fkey FOREIGN KEY (facility_key) REFERENCES facility(key);

ALTER TABLE ONLY facility_details
    ADD CONSTRAINT facility_details_known_seq_fkey FOREIGN KEY (known_seq) REFERENCES journal(seq);

ALTER TABLE ONLY facility
    ADD CONSTRAINT facility_sublimit_of_key_fkey FOREIGN KEY (sublimit_of_key) REFERENCES facility(key);

ALTER TABLE ONLY facility_terms
    ADD CONSTRAINT facility_terms_deal_key_fkey FOREIGN KEY (deal_key) REFERENCES deal(key);

ALTER TABLE ONLY facility_terms
    ADD CONSTRAINT facility_terms_facility_key_fkey FOREIGN KEY (facility_key) REFERENCES facility(key);

ALTER TABLE ONLY facility_terms
    ADD CONSTRAINT facility_terms_known_seq_fkey FOREIGN KEY (known_seq) REFERENCES journal(seq);

ALTER TABLE ONLY import_job_part
    ADD CONSTRAINT import_job_part_job_key_fkey FOREIGN KEY (job_key) REFERENCES import_job(key) ON DELETE CASCADE;

ALTER TABLE ONLY journal
    ADD CONSTRAINT journal_corrects_seq_fkey FOREIGN KEY (corrects_seq) REFERENCES journal(seq);

ALTER TABLE ONLY journal
    ADD CONSTRAINT journal_reverses_seq_fkey FOREIGN KEY (reverses_seq) REFERENCES journal(seq);

ALTER TABLE ONLY journal_standing
    ADD CONSTRAINT journal_standing_deal_key_fkey FOREIGN KEY (deal_key) REFERENCES deal(key);

ALTER TABLE ONLY journal_standing
    ADD CONSTRAINT journal_standing_known_seq_fkey FOREIGN KEY (known_seq) REFERENCES journal(seq);

ALTER TABLE ONLY journal_standing
    ADD CONSTRAINT journal_standing_seq_fkey FOREIGN KEY (seq) REFERENCES journal(seq);

ALTER TABLE ONLY late_accrual_fact
    ADD CONSTRAINT late_accrual_fact_deal_key_fkey FOREIGN KEY (deal_key) REFERENCES deal(key);

ALTER TABLE ONLY late_accrual_fact
    ADD CONSTRAINT late_accrual_fact_facility_key_fkey FOREIGN KEY (facility_key) REFERENCES facility(key);

ALTER TABLE ONLY late_accrual_fact
    ADD CONSTRAINT late_accrual_fact_known_seq_fkey FOREIGN KEY (known_seq) REFERENCES journal(seq);

ALTER TABLE ONLY lender_position
    ADD CONSTRAINT lender_position_parent_key_fkey FOREIGN KEY (parent_key) REFERENCES lender_position(key);

ALTER TABLE ONLY loan_contract
    ADD CONSTRAINT loan_contract_rolled_from_key_fkey FOREIGN KEY (rolled_from_key) REFERENCES loan_contract(key);

ALTER TABLE ONLY party_details
    ADD CONSTRAINT party_details_known_seq_fkey FOREIGN KEY (known_seq) REFERENCES journal(seq);

ALTER TABLE ONLY party_details
    ADD CONSTRAINT party_details_party_key_fkey FOREIGN KEY (party_key) REFERENCES party(key);

ALTER TABLE ONLY presence
    ADD CONSTRAINT presence_deal_key_fkey FOREIGN KEY (deal_key) REFERENCES deal(key);

ALTER TABLE ONLY presence
    ADD CONSTRAINT presence_known_seq_fkey FOREIGN KEY (known_seq) REFERENCES journal(seq);

ALTER TABLE ONLY rate_period
    ADD CONSTRAINT rate_period_deal_key_fkey FOREIGN KEY (deal_key) REFERENCES deal(key);

ALTER TABLE ONLY rate_period
    ADD CONSTRAINT rate_period_facility_key_fkey FOREIGN KEY (facility_key) REFERENCES facility(key);

ALTER TABLE ONLY rate_period
    ADD CONSTRAINT rate_period_known_seq_fkey FOREIGN KEY (known_seq) REFERENCES journal(seq);

ALTER TABLE accrual_settlement ENABLE ROW LEVEL SECURITY;

ALTER TABLE balance ENABLE ROW LEVEL SECURITY;

ALTER TABLE balance_line ENABLE ROW LEVEL SECURITY;

ALTER TABLE book_total ENABLE ROW LEVEL SECURITY;

ALTER TABLE contract_terms ENABLE ROW LEVEL SECURITY;

ALTER TABLE deal ENABLE ROW LEVEL SECURITY;

ALTER TABLE deal_details ENABLE ROW LEVEL SECURITY;

ALTER TABLE deal_terms ENABLE ROW LEVEL SECURITY;

ALTER TABLE deal_word ENABLE ROW LEVEL SECURITY;

ALTER TABLE entitlement ENABLE ROW LEVEL SECURITY;

ALTER TABLE entitlement_rule ENABLE ROW LEVEL SECURITY;

ALTER TABLE facility ENABLE ROW LEVEL SECURITY;

ALTER TABLE facility_details ENABLE ROW LEVEL SECURITY;

ALTER TABLE facility_terms ENABLE ROW LEVEL SECURITY;

ALTER TABLE import_job ENABLE ROW LEVEL SECURITY;

ALTER TABLE item_life ENABLE ROW LEVEL SECURITY;

ALTER TABLE journal ENABLE ROW LEVEL SECURITY;

ALTER TABLE journal_standing ENABLE ROW LEVEL SECURITY;

ALTER TABLE late_accrual_fact ENABLE ROW LEVEL SECURITY;

ALTER TABLE lender_position ENABLE ROW LEVEL SECURITY;

ALTER TABLE loan_contract ENABLE ROW LEVEL SECURITY;

ALTER TABLE party ENABLE ROW LEVEL SECURITY;

ALTER TABLE party_details ENABLE ROW LEVEL SECURITY;

ALTER TABLE party_word ENABLE ROW LEVEL SECURITY;

ALTER TABLE posting ENABLE ROW LEVEL SECURITY;

ALTER TABLE presence ENABLE ROW LEVEL SECURITY;

ALTER TABLE rate_period ENABLE ROW LEVEL SECURITY;

CREATE POLICY reader ON accrual_settlement FOR SELECT TO cls_reader USING (((current_setting('cls.full_control'::text, true) = 'on'::text) OR sees_deal(deal_key)));

CREATE POLICY reader ON balance FOR SELECT TO cls_reader USING ((( SELECT ((current_setting('cls.full_control'::text, true) = 'on'::text) OR (EXISTS ( SELECT
           FROM entitlement_rule r
          WHERE ((r.customer_id = current_setting('cls.customer'::text, true)) AND r.all_deals AND (r.role = 'agent'::text)))))) OR (lender_key = ANY (ARRAY( SELECT unnest(ARRAY[(0)::bigint, r.lender_key]) AS unnest
   FROM entitlement_rule r
  WHERE ((r.customer_id = current_setting('cls.customer'::text, true)) AND r.all_deals)))) OR (EXISTS ( SELECT
   FROM entitlement e
  WHERE ((e.customer_id = current_setting('cls.customer'::text, true)) AND (e.deal_key = balance.deal_key) AND ((balance.lender_key = 0) OR (e.role = 'agent'::text) OR (e.lender_key = balance.lender_key)))
 OFFSET 0))));

CREATE POLICY reader ON balance_line FOR SELECT TO cls_reader USING ((( SELECT ((current_setting('cls.full_control'::text, true) = 'on'::text) OR (EXISTS ( SELECT
           FROM entitlement_rule r
          WHERE ((r.customer_id = current_setting('cls.customer'::text, true)) AND r.all_deals AND (r.role = 'agent'::text)))))) OR (lender_key = ANY (ARRAY( SELECT unnest(ARRAY[(0)::bigint, r.lender_key]) AS unnest
   FROM entitlement_rule r
  WHERE ((r.customer_id = current_setting('cls.customer'::text, true)) AND r.all_deals)))) OR (EXISTS ( SELECT
   FROM entitlement e
  WHERE ((e.customer_id = current_setting('cls.customer'::text, true)) AND (e.deal_key = balance_line.deal_key) AND ((balance_line.lender_key = 0) OR (e.role = 'agent'::text) OR (e.lender_key = balance_line.lender_key)))
 OFFSET 0))));

CREATE POLICY reader ON book_total FOR SELECT TO cls_reader USING (((current_setting('cls.full_control'::text, true) = 'on'::text) OR (EXISTS ( SELECT
   FROM entitlement_rule r
  WHERE ((r.customer_id = current_setting('cls.customer'::text, true)) AND r.all_deals AND ((book_total.level <> 'position'::text) OR (r.role = 'agent'::text)))))));

CREATE POLICY reader ON contract_terms FOR SELECT TO cls_reader USING (((current_setting('cls.full_control'::text, true) = 'on'::text) OR sees_deal(deal_key)));

CREATE POLICY reader ON deal FOR SELECT TO cls_reader USING ((( SELECT ((current_setting('cls.full_control'::text, true) = 'on'::text) OR (EXISTS ( SELECT
           FROM entitlement_rule r
          WHERE ((r.customer_id = current_setting('cls.customer'::text, true)) AND r.all_deals))))) OR (EXISTS ( SELECT
   FROM entitlement e
  WHERE ((e.customer_id = current_setting('cls.customer'::text, true)) AND (e.deal_key = deal.key))
 OFFSET 0))));

CREATE POLICY reader ON deal_details FOR SELECT TO cls_reader USING (((current_setting('cls.full_control'::text, true) = 'on'::text) OR sees_deal(deal_key)));

CREATE POLICY reader ON deal_terms FOR SELECT TO cls_reader USING (((current_setting('cls.full_control'::text, true) = 'on'::text) OR sees_deal(deal_key)));

CREATE POLICY reader ON deal_word FOR SELECT TO cls_reader USING ((( SELECT ((current_setting('cls.full_control'::text, true) = 'on'::text) OR (EXISTS ( SELECT
           FROM entitlement_rule r
          WHERE ((r.customer_id = current_setting('cls.customer'::text, true)) AND r.all_deals))))) OR (EXISTS ( SELECT
   FROM entitlement e
  WHERE ((e.customer_id = current_setting('cls.customer'::text, true)) AND (e.deal_key = deal_word.deal_key))
 OFFSET 0))));

CREATE POLICY reader ON entitlement FOR SELECT TO cls_reader USING (((customer_id = current_setting('cls.customer'::text, true)) AND (since <= ((now() AT TIME ZONE 'UTC'::text))::date)));

CREATE POLICY reader ON entitlement_rule FOR SELECT TO cls_reader USING ((customer_id = current_setting('cls.customer'::text, true)));

CREATE POLICY reader ON facility FOR SELECT TO cls_reader USING ((( SELECT ((current_setting('cls.full_control'::text, true) = 'on'::text) OR (EXISTS ( SELECT
           FROM entitlement_rule r
          WHERE ((r.customer_id = current_setting('cls.customer'::text, true)) AND r.all_deals))))) OR (EXISTS ( SELECT
   FROM entitlement e
  WHERE ((e.customer_id = current_setting('cls.customer'::text, true)) AND (e.deal_key = facility.deal_key))
 OFFSET 0))));

CREATE POLICY reader ON facility_details FOR SELECT TO cls_reader USING (((current_setting('cls.full_control'::text, true) = 'on'::text) OR sees_deal(deal_key)));

CREATE POLICY reader ON facility_terms FOR SELECT TO cls_reader USING (((current_setting('cls.full_control'::text, true) = 'on'::text) OR sees_deal(deal_key)));

CREATE POLICY reader ON import_job FOR SELECT TO cls_reader USING ((customer_id = current_setting('cls.customer'::text, true)));

CREATE POLICY reader ON item_life FOR SELECT TO cls_reader USING ((( SELECT ((current_setting('cls.full_control'::text, true) = 'on'::text) OR (EXISTS ( SELECT
           FROM entitlement_rule r
          WHERE ((r.customer_id = current_setting('cls.customer'::text, true)) AND r.all_deals AND (r.role = 'agent'::text)))))) OR (lender_key = ANY (ARRAY( SELECT unnest(ARRAY[(0)::bigint, r.lender_key]) AS unnest
   FROM entitlement_rule r
  WHERE ((r.customer_id = current_setting('cls.customer'::text, true)) AND r.all_deals)))) OR (EXISTS ( SELECT
   FROM entitlement e
  WHERE ((e.customer_id = current_setting('cls.customer'::text, true)) AND (e.deal_key = item_life.deal_key) AND ((item_life.lender_key = 0) OR (e.role = 'agent'::text) OR (e.lender_key = item_life.lender_key)))
 OFFSET 0))));

CREATE POLICY reader ON journal FOR SELECT TO cls_reader USING ((( SELECT ((current_setting('cls.full_control'::text, true) = 'on'::text) OR (EXISTS ( SELECT
           FROM entitlement_rule r
          WHERE ((r.customer_id = current_setting('cls.customer'::text, true)) AND r.all_deals))))) OR (EXISTS ( SELECT
   FROM entitlement e
  WHERE ((e.customer_id = current_setting('cls.customer'::text, true)) AND (e.deal_key = journal.deal_key))
 OFFSET 0))));

CREATE POLICY reader ON journal_standing FOR SELECT TO cls_reader USING (((current_setting('cls.full_control'::text, true) = 'on'::text) OR sees_deal(deal_key) OR (EXISTS ( SELECT
   FROM party_details t
  WHERE (t.known_seq = journal_standing.seq)
 OFFSET 0))));

CREATE POLICY reader ON late_accrual_fact FOR SELECT TO cls_reader USING (((current_setting('cls.full_control'::text, true) = 'on'::text) OR sees_deal(deal_key)));

CREATE POLICY reader ON lender_position FOR SELECT TO cls_reader USING ((( SELECT ((current_setting('cls.full_control'::text, true) = 'on'::text) OR (EXISTS ( SELECT
           FROM entitlement_rule r
          WHERE ((r.customer_id = current_setting('cls.customer'::text, true)) AND r.all_deals AND (r.role = 'agent'::text)))))) OR (lender_key = ANY (ARRAY( SELECT unnest(ARRAY[(0)::bigint, r.lender_key]) AS unnest
   FROM entitlement_rule r
  WHERE ((r.customer_id = current_setting('cls.customer'::text, true)) AND r.all_deals)))) OR (EXISTS ( SELECT
   FROM entitlement e
  WHERE ((e.customer_id = current_setting('cls.customer'::text, true)) AND (e.deal_key = lender_position.deal_key) AND ((lender_position.lender_key = 0) OR (e.role = 'agent'::text) OR (e.lender_key = lender_position.lender_key)))
 OFFSET 0))));

CREATE POLICY reader ON loan_contract FOR SELECT TO cls_reader USING ((( SELECT ((current_setting('cls.full_control'::text, true) = 'on'::text) OR (EXISTS ( SELECT
           FROM entitlement_rule r
          WHERE ((r.customer_id = current_setting('cls.customer'::text, true)) AND r.all_deals))))) OR (EXISTS ( SELECT
   FROM entitlement e
  WHERE ((e.customer_id = current_setting('cls.customer'::text, true)) AND (e.deal_key = loan_contract.deal_key))
 OFFSET 0))));

CREATE POLICY reader ON party FOR SELECT TO cls_reader USING (((current_setting('cls.full_control'::text, true) = 'on'::text) OR (EXISTS ( SELECT
   FROM deal d
  WHERE (d.borrower_key = party.key)
 OFFSET 0)) OR sees_party(key)));

CREATE POLICY reader ON party_details FOR SELECT TO cls_reader USING (((current_setting('cls.full_control'::text, true) = 'on'::text) OR sees_party(party_key)));

CREATE POLICY reader ON party_word FOR SELECT TO cls_reader USING (((current_setting('cls.full_control'::text, true) = 'on'::text) OR sees_party(party_key)));

CREATE POLICY reader ON posting FOR SELECT TO cls_reader USING (((current_setting('cls.full_control'::text, true) = 'on'::text) OR (EXISTS ( SELECT
   FROM balance_line l
  WHERE (l.key = posting.line_key)
 OFFSET 0))));

CREATE POLICY reader ON presence FOR SELECT TO cls_reader USING ((( SELECT ((current_setting('cls.full_control'::text, true) = 'on'::text) OR (EXISTS ( SELECT
           FROM entitlement_rule r
          WHERE ((r.customer_id = current_setting('cls.customer'::text, true)) AND r.all_deals))))) OR (EXISTS ( SELECT
   FROM entitlement e
  WHERE ((e.customer_id = current_setting('cls.customer'::text, true)) AND (e.deal_key = presence.deal_key))
 OFFSET 0))));

CREATE POLICY reader ON rate_period FOR SELECT TO cls_reader USING (((current_setting('cls.full_control'::text, true) = 'on'::text) OR sees_deal(deal_key)));

CREATE POLICY reader ON sort_amount FOR SELECT TO cls_reader USING ((( SELECT ((current_setting('cls.full_control'::text, true) = 'on'::text) OR (EXISTS ( SELECT
           FROM entitlement_rule r
          WHERE ((r.customer_id = current_setting('cls.customer'::text, true)) AND r.all_deals AND (r.role = 'agent'::text)))))) OR (lender_key = ANY (ARRAY( SELECT unnest(ARRAY[(0)::bigint, r.lender_key]) AS unnest
   FROM entitlement_rule r
  WHERE ((r.customer_id = current_setting('cls.customer'::text, true)) AND r.all_deals)))) OR (EXISTS ( SELECT
   FROM entitlement e
  WHERE ((e.customer_id = current_setting('cls.customer'::text, true)) AND (e.deal_key = sort_amount.deal_key) AND ((sort_amount.lender_key = 0) OR (e.role = 'agent'::text) OR (e.lender_key = sort_amount.lender_key)))
 OFFSET 0))));

CREATE POLICY reader ON sort_label FOR SELECT TO cls_reader USING ((( SELECT ((current_setting('cls.full_control'::text, true) = 'on'::text) OR (EXISTS ( SELECT
           FROM entitlement_rule r
          WHERE ((r.customer_id = current_setting('cls.customer'::text, true)) AND r.all_deals AND (r.role = 'agent'::text)))))) OR (lender_key = ANY (ARRAY( SELECT unnest(ARRAY[(0)::bigint, r.lender_key]) AS unnest
   FROM entitlement_rule r
  WHERE ((r.customer_id = current_setting('cls.customer'::text, true)) AND r.all_deals)))) OR (EXISTS ( SELECT
   FROM entitlement e
  WHERE ((e.customer_id = current_setting('cls.customer'::text, true)) AND (e.deal_key = sort_label.deal_key) AND ((sort_label.lender_key = 0) OR (e.role = 'agent'::text) OR (e.lender_key = sort_label.lender_key)))
 OFFSET 0))));

ALTER TABLE sort_amount ENABLE ROW LEVEL SECURITY;

ALTER TABLE sort_label ENABLE ROW LEVEL SECURITY;

GRANT USAGE ON SCHEMA public TO cls_reader;

GRANT SELECT ON TABLE deal TO cls_reader;

REVOKE ALL ON FUNCTION drop_read_log_days(kept_days integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION make_read_log_days() FROM PUBLIC;

REVOKE ALL ON FUNCTION renew_words() FROM PUBLIC;

GRANT SELECT ON TABLE accrual_settlement TO cls_reader;

GRANT SELECT ON TABLE balance TO cls_reader;

GRANT SELECT ON TABLE balance_line TO cls_reader;

GRANT SELECT ON TABLE book_total TO cls_reader;

GRANT SELECT ON TABLE commitment_event TO cls_reader;

GRANT SELECT ON TABLE contract_terms TO cls_reader;

GRANT SELECT ON TABLE deal_details TO cls_reader;

GRANT SELECT ON TABLE entitlement_rule TO cls_reader;

GRANT SELECT ON TABLE deal_terms TO cls_reader;

GRANT SELECT ON TABLE deal_word TO cls_reader;

GRANT SELECT ON TABLE posting TO cls_reader;

GRANT SELECT ON TABLE due_item TO cls_reader;

GRANT SELECT ON TABLE entitlement TO cls_reader;

GRANT SELECT ON TABLE facility TO cls_reader;

GRANT SELECT ON TABLE facility_details TO cls_reader;

GRANT SELECT ON TABLE facility_terms TO cls_reader;

GRANT SELECT ON TABLE import_job TO cls_reader;

GRANT SELECT ON TABLE item_life TO cls_reader;

GRANT SELECT ON TABLE journal TO cls_reader;

GRANT SELECT ON TABLE journal_standing TO cls_reader;

GRANT SELECT ON TABLE late_accrual_fact TO cls_reader;

GRANT SELECT ON TABLE lender_position TO cls_reader;

GRANT SELECT ON TABLE loan_contract TO cls_reader;

GRANT SELECT ON TABLE party TO cls_reader;

GRANT SELECT ON TABLE party_details TO cls_reader;

GRANT SELECT ON TABLE party_word TO cls_reader;

GRANT SELECT ON TABLE presence TO cls_reader;

GRANT SELECT ON TABLE rate_period TO cls_reader;

GRANT SELECT ON TABLE sort_amount TO cls_reader;

GRANT SELECT ON TABLE sort_label TO cls_reader;
