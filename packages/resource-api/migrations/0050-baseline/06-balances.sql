-- Balances, which follow from postings, and sublimits within the facility around them.

-- A row is the running balance of a line, from an effective date on and as known from a sequence on. A read
-- takes the newest row at or before its date and sequence, whatever the length of the history. A backdated
-- journal adds a new version of every later date.
CREATE TABLE balance (
  line_key bigint NOT NULL,
  effective_date date NOT NULL,
  known_seq bigint NOT NULL, deal_key bigint NOT NULL, lender_key bigint NOT NULL,
  original_commitment bigint NOT NULL, cancelled_commitment bigint NOT NULL, unfunded bigint NOT NULL,
  principal_cash bigint NOT NULL, principal_pik bigint NOT NULL, principal_due bigint NOT NULL,
  interest_accrued bigint NOT NULL, pik_accrued bigint NOT NULL, interest_due bigint NOT NULL,
  fees_accrued bigint NOT NULL, fees_due bigint NOT NULL, fx_revaluation bigint NOT NULL,
  advances bigint NOT NULL, scheduled_repayments bigint NOT NULL, voluntary_prepayments bigint NOT NULL,
  mandatory_prepayments bigint NOT NULL, pik_capitalizations bigint NOT NULL,
  fee_capitalizations bigint NOT NULL, write_offs bigint NOT NULL, rollovers bigint NOT NULL,
  transfers bigint NOT NULL, adjustments bigint NOT NULL,
  letter_of_credit bigint NOT NULL DEFAULT 0, unavailable bigint NOT NULL DEFAULT 0,
  -- Postings of principal so far, and how many of them reverse others.
  movement_count bigint NOT NULL DEFAULT 0, reversal_count bigint NOT NULL DEFAULT 0,
  -- Of a facility: what is drawn under its sublimits, in cash and by letters of credit.
  sublimit_used bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (line_key, effective_date, known_seq)
);

-- What a balance is the sum of: a column of `balance`, and how postings change it. Sums of a few amounts of a
-- line are added up as what they are, and not as numerics.
CREATE FUNCTION balance_components()
RETURNS TABLE (component text, change text, from_sublimits boolean)
LANGUAGE sql IMMUTABLE AS $$
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

-- Writes the trigger function from the list. A balance is kept at each effective date and each state
-- of knowledge: a journal adds to its own date, and moves every later date of its line.
CREATE FUNCTION make_extend_balances() RETURNS void LANGUAGE plpgsql AS $make$
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
END $make$;

-- What a posting under a sublimit does to the facility around it: how much it draws of the unfunded
-- amount, and how much it uses of the commitment. Repayment gives back where that facility revolves.
CREATE FUNCTION sublimit_effect(line bigint, account text, movement text, amount bigint)
RETURNS TABLE (parent_line_key bigint, draws bigint, uses bigint)
LANGUAGE sql STABLE SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
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

-- What is undrawn of a facility's line and not blocked; below zero where a lender funds more than its commitment.
CREATE FUNCTION line_available(line bigint, at date, known bigint) RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
    SELECT CASE WHEN coalesce(drawable_until(l.facility_key, at, known) >= at, true)
      THEN b.unfunded - b.unavailable ELSE 0 END
    FROM balance_line l
    CROSS JOIN LATERAL (SELECT * FROM balance WHERE line_key = l.key AND effective_date <= at
      AND known_seq <= known ORDER BY effective_date DESC, known_seq DESC LIMIT 1) b
    WHERE l.key = line);
END $$;

-- What is available of a sublimit's line: no more than the facility around it has. Lenders' parts are what is
-- undrawn of them, also below zero, or of a lower amount as much in proportion; they add up to the global amount.
CREATE FUNCTION sublimit_available(line bigint, at date, known bigint) RETURNS bigint
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
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

-- Refuses a sublimit of another deal, of another currency, or of a sublimit.
CREATE FUNCTION check_sublimits() RETURNS trigger LANGUAGE plpgsql AS $$
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

-- Gives a sublimit's line the same holder's line of the facility around it, or refuses it.
CREATE FUNCTION check_sublimit_lines() RETURNS trigger LANGUAGE plpgsql AS $$
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

-- What is used under a sublimit has shares where the facility around it has lenders.
CREATE FUNCTION check_sublimit_shares() RETURNS trigger LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
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

SELECT make_extend_balances();
