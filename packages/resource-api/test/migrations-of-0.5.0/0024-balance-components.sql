-- The components of a balance stand in one list, and the trigger that keeps balances is made from it.
-- A component more is a column of `balance`, a line of the list, and a call of make_extend_balances().

-- What a balance is made of, in the order of the columns: the condition under which an amount is
-- part of it. Movements that are counted have no sum; what has neither comes from a sublimit alone.
CREATE FUNCTION balance_components()
RETURNS TABLE (component text, change text, from_sublimits boolean)
LANGUAGE sql IMMUTABLE AS $$
  SELECT component,
    CASE measure
      WHEN 'account' THEN format('sum(amount) FILTER (WHERE account = %L)', upper(source))
      WHEN 'movement' THEN format('sum(amount) FILTER (WHERE movement = %L)', source)
      WHEN 'count' THEN source
      ELSE 'NULL::numeric'
    END,
    measure = 'sublimit' OR component = 'unfunded'
  FROM (VALUES
    (1, 'original_commitment', 'account', 'original_commitment'),
    (2, 'cancelled_commitment', 'account', 'cancelled_commitment'),
    (3, 'unfunded', 'account', 'unfunded'),
    (4, 'letter_of_credit', 'account', 'letter_of_credit'),
    (5, 'unavailable', 'account', 'unavailable'),
    (6, 'principal_cash', 'account', 'principal_cash'),
    (7, 'principal_pik', 'account', 'principal_pik'),
    (8, 'principal_due', 'account', 'principal_due'),
    (9, 'interest_accrued', 'account', 'interest_accrued'),
    (10, 'pik_accrued', 'account', 'pik_accrued'),
    (11, 'interest_due', 'account', 'interest_due'),
    (12, 'fees_accrued', 'account', 'fees_accrued'),
    (13, 'fees_due', 'account', 'fees_due'),
    (14, 'fx_revaluation', 'account', 'fx_reval'),
    (15, 'advances', 'movement', 'advance'),
    (16, 'scheduled_repayments', 'movement', 'scheduled_repayment'),
    (17, 'voluntary_prepayments', 'movement', 'voluntary_prepayment'),
    (18, 'mandatory_prepayments', 'movement', 'mandatory_prepayment'),
    (19, 'pik_capitalizations', 'movement', 'pik_capitalization'),
    (20, 'fee_capitalizations', 'movement', 'fee_capitalization'),
    (21, 'write_offs', 'movement', 'write_off'),
    (22, 'rollovers', 'movement', 'rollover'),
    (23, 'transfers', 'movement', 'transfer'),
    (24, 'adjustments', 'movement', 'adjustment'),
    (25, 'movement_count', 'count', 'count(movement)'),
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
  SELECT string_agg(quote_ident(component), ', '),
    string_agg(format('%s AS %I', change, component), ', '),
    string_agg(CASE WHEN from_sublimits THEN quote_ident(component) ELSE 'NULL' END, ', '),
    string_agg('NULL', ', '),
    string_agg(format('sum(sum(%1$I)) OVER past AS %1$I', component), ', '),
    string_agg(format('coalesce(o.%1$I, 0) + coalesce(m.%1$I, 0)', component), ', ')
  INTO columns, changes, of_sublimits, nothing, running, sums
  FROM balance_components();

  EXECUTE format($define$
CREATE OR REPLACE FUNCTION extend_balances() RETURNS trigger LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS %L
$define$, format($body$
DECLARE
  -- Most books have none, and pay nothing for them.
  has_sublimits constant boolean := EXISTS (SELECT FROM facility WHERE sublimit_of_key IS NOT NULL);
BEGIN
  INSERT INTO balance (line_key, effective_date, known_seq, deal_key, lender_key, %1$s)
  WITH delta AS MATERIALIZED (
    SELECT line_key, effective_date, %2$s
    FROM (SELECT line_key, effective_date, account, movement, amount_minor AS amount, journal_seq
          FROM inserted) p
    CROSS JOIN LATERAL (SELECT reverses_seq FROM journal WHERE seq = p.journal_seq OFFSET 0) j
    GROUP BY line_key, effective_date
  ), used AS MATERIALIZED (
    SELECT e.parent_line_key AS line_key, p.effective_date, -sum(e.draws) AS unfunded,
      sum(e.uses) AS sublimit_used
    FROM inserted p
    CROSS JOIN LATERAL sublimit_effect(p.line_key, p.account::text, p.movement::text,
      p.amount_minor) e
    WHERE has_sublimits
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
  SELECT m.line_key, m.effective_date, (SELECT max(journal_seq) FROM inserted),
    l.deal_key, l.lender_key, %6$s
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

SELECT make_extend_balances();
