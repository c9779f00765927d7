-- The triggers of postings, with plans that do not age: the same guarantees, whatever the size.
--
-- A plan made while the book was empty reads a whole table for each posting once the book has
-- grown, and a first import would take hours. What these functions need is one look-up in an index
-- per row; OFFSET 0 keeps the planner from turning a look-up round.

CREATE OR REPLACE FUNCTION check_postings() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE broken bigint;
BEGIN
  -- Transactions that post hold the journal lock, so none but this one has this posting time.
  SELECT p.journal_seq INTO broken
  FROM (SELECT journal_seq, count(*) AS given FROM inserted GROUP BY journal_seq) p
  CROSS JOIN LATERAL (SELECT posted_at FROM journal WHERE seq = p.journal_seq OFFSET 0) j
  WHERE j.posted_at <> posting_time()
     OR p.given <> (SELECT count(*) FROM posting q WHERE q.journal_seq = p.journal_seq) LIMIT 1;
  IF broken IS NOT NULL THEN
    RAISE EXCEPTION 'journal % was posted before', broken USING ERRCODE = '23514',
      CONSTRAINT = 'posted_at_once';
  END IF;

  SELECT p.journal_seq INTO broken
  FROM inserted p CROSS JOIN LATERAL (
    SELECT currency, lender_key FROM balance_line WHERE key = p.line_key OFFSET 0
  ) l
  GROUP BY p.journal_seq, l.currency, l.lender_key
  HAVING sum(p.amount_minor) <> 0 LIMIT 1;
  IF broken IS NOT NULL THEN
    RAISE EXCEPTION 'journal % does not balance', broken USING ERRCODE = '23514',
      CONSTRAINT = 'journal_balances';
  END IF;

  SELECT p.journal_seq INTO broken
  FROM inserted p CROSS JOIN LATERAL (
    SELECT effective_date FROM journal WHERE seq = p.journal_seq OFFSET 0
  ) j
  WHERE p.effective_date <> j.effective_date LIMIT 1;
  IF broken IS NOT NULL THEN
    RAISE EXCEPTION 'journal % and a posting of it differ in effective date', broken
      USING ERRCODE = '23514', CONSTRAINT = 'one_effective_date';
  END IF;

  SELECT p.journal_seq INTO broken
  FROM inserted p
  CROSS JOIN LATERAL (SELECT deal_key FROM journal WHERE seq = p.journal_seq OFFSET 0) j
  CROSS JOIN LATERAL (SELECT deal_key FROM balance_line WHERE key = p.line_key OFFSET 0) l
  WHERE l.deal_key <> j.deal_key LIMIT 1;
  IF broken IS NOT NULL THEN
    RAISE EXCEPTION 'journal % posts to another deal', broken
      USING ERRCODE = '23514', CONSTRAINT = 'one_deal';
  END IF;

  SELECT p.journal_seq INTO broken
  FROM inserted p CROSS JOIN LATERAL (
    SELECT facility_key, contract_key, lender_key FROM balance_line WHERE key = p.line_key OFFSET 0
  ) l
  GROUP BY p.journal_seq, l.facility_key, l.contract_key, p.account, p.movement, p.due_date
  HAVING coalesce(sum(p.amount_minor) FILTER (WHERE l.lender_key = 0), 0)
      <> coalesce(sum(p.amount_minor) FILTER (WHERE l.lender_key <> 0), 0)
     AND EXISTS (SELECT FROM lender_position q WHERE q.facility_key = l.facility_key) LIMIT 1;
  IF broken IS NOT NULL THEN
    RAISE EXCEPTION 'journal %: lender shares do not add up to the global amount', broken
      USING ERRCODE = '23514', CONSTRAINT = 'shares_add_up';
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION extend_balances() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  INSERT INTO balance (line_key, effective_date, known_seq, deal_key, lender_key,
    original_commitment, cancelled_commitment, unfunded, letter_of_credit, unavailable,
    principal_cash, principal_pik, principal_due, interest_accrued, pik_accrued, interest_due,
    fees_accrued, fees_due, fx_revaluation, advances, scheduled_repayments, voluntary_prepayments,
    mandatory_prepayments, pik_capitalizations, fee_capitalizations, write_offs, rollovers,
    transfers, adjustments, movement_count, reversal_count)
  WITH delta AS MATERIALIZED (
    SELECT line_key, effective_date,
      sum(amount) FILTER (WHERE account = 'ORIGINAL_COMMITMENT') AS original_commitment,
      sum(amount) FILTER (WHERE account = 'CANCELLED_COMMITMENT') AS cancelled_commitment,
      sum(amount) FILTER (WHERE account = 'UNFUNDED') AS unfunded,
      sum(amount) FILTER (WHERE account = 'LETTER_OF_CREDIT') AS letter_of_credit,
      sum(amount) FILTER (WHERE account = 'UNAVAILABLE') AS unavailable,
      sum(amount) FILTER (WHERE account = 'PRINCIPAL_CASH') AS principal_cash,
      sum(amount) FILTER (WHERE account = 'PRINCIPAL_PIK') AS principal_pik,
      sum(amount) FILTER (WHERE account = 'PRINCIPAL_DUE') AS principal_due,
      sum(amount) FILTER (WHERE account = 'INTEREST_ACCRUED') AS interest_accrued,
      sum(amount) FILTER (WHERE account = 'PIK_ACCRUED') AS pik_accrued,
      sum(amount) FILTER (WHERE account = 'INTEREST_DUE') AS interest_due,
      sum(amount) FILTER (WHERE account = 'FEES_ACCRUED') AS fees_accrued,
      sum(amount) FILTER (WHERE account = 'FEES_DUE') AS fees_due,
      sum(amount) FILTER (WHERE account = 'FX_REVAL') AS fx_revaluation,
      sum(amount) FILTER (WHERE movement = 'advance') AS advances,
      sum(amount) FILTER (WHERE movement = 'scheduled_repayment') AS scheduled_repayments,
      sum(amount) FILTER (WHERE movement = 'voluntary_prepayment') AS voluntary_prepayments,
      sum(amount) FILTER (WHERE movement = 'mandatory_prepayment') AS mandatory_prepayments,
      sum(amount) FILTER (WHERE movement = 'pik_capitalization') AS pik_capitalizations,
      sum(amount) FILTER (WHERE movement = 'fee_capitalization') AS fee_capitalizations,
      sum(amount) FILTER (WHERE movement = 'write_off') AS write_offs,
      sum(amount) FILTER (WHERE movement = 'rollover') AS rollovers,
      sum(amount) FILTER (WHERE movement = 'transfer') AS transfers,
      sum(amount) FILTER (WHERE movement = 'adjustment') AS adjustments,
      count(movement) AS movement_count,
      count(movement) FILTER (WHERE reverses_seq IS NOT NULL) AS reversal_count
    FROM (SELECT line_key, effective_date, account, movement, amount_minor AS amount, journal_seq
          FROM inserted) p
    CROSS JOIN LATERAL (SELECT reverses_seq FROM journal WHERE seq = p.journal_seq OFFSET 0) j
    GROUP BY line_key, effective_date
  ), touched AS (
    SELECT line_key, min(effective_date) AS since FROM delta GROUP BY line_key
  ), change AS (
    SELECT * FROM delta
    UNION ALL
    -- A backdated posting moves every later date of its line.
    SELECT t.line_key, b.effective_date,
      NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
      NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
    FROM touched t CROSS JOIN LATERAL (
      SELECT DISTINCT effective_date FROM balance
      WHERE line_key = t.line_key AND effective_date > t.since OFFSET 0
    ) b
  ), moved AS (
    SELECT line_key, effective_date,
      sum(sum(original_commitment)) OVER past AS original_commitment,
      sum(sum(cancelled_commitment)) OVER past AS cancelled_commitment,
      sum(sum(unfunded)) OVER past AS unfunded,
      sum(sum(letter_of_credit)) OVER past AS letter_of_credit,
      sum(sum(unavailable)) OVER past AS unavailable,
      sum(sum(principal_cash)) OVER past AS principal_cash,
      sum(sum(principal_pik)) OVER past AS principal_pik,
      sum(sum(principal_due)) OVER past AS principal_due,
      sum(sum(interest_accrued)) OVER past AS interest_accrued,
      sum(sum(pik_accrued)) OVER past AS pik_accrued,
      sum(sum(interest_due)) OVER past AS interest_due,
      sum(sum(fees_accrued)) OVER past AS fees_accrued, sum(sum(fees_due)) OVER past AS fees_due,
      sum(sum(fx_revaluation)) OVER past AS fx_revaluation,
      sum(sum(advances)) OVER past AS advances,
      sum(sum(scheduled_repayments)) OVER past AS scheduled_repayments,
      sum(sum(voluntary_prepayments)) OVER past AS voluntary_prepayments,
      sum(sum(mandatory_prepayments)) OVER past AS mandatory_prepayments,
      sum(sum(pik_capitalizations)) OVER past AS pik_capitalizations,
      sum(sum(fee_capitalizations)) OVER past AS fee_capitalizations,
      sum(sum(write_offs)) OVER past AS write_offs, sum(sum(rollovers)) OVER past AS rollovers,
      sum(sum(transfers)) OVER past AS transfers, sum(sum(adjustments)) OVER past AS adjustments,
      sum(sum(movement_count)) OVER past AS movement_count,
      sum(sum(reversal_count)) OVER past AS reversal_count
    FROM change GROUP BY line_key, effective_date
    WINDOW past AS (PARTITION BY line_key ORDER BY effective_date)
  )
  SELECT m.line_key, m.effective_date, (SELECT max(journal_seq) FROM inserted),
    l.deal_key, l.lender_key,
    coalesce(o.original_commitment, 0) + coalesce(m.original_commitment, 0),
    coalesce(o.cancelled_commitment, 0) + coalesce(m.cancelled_commitment, 0),
    coalesce(o.unfunded, 0) + coalesce(m.unfunded, 0),
    coalesce(o.letter_of_credit, 0) + coalesce(m.letter_of_credit, 0),
    coalesce(o.unavailable, 0) + coalesce(m.unavailable, 0),
    coalesce(o.principal_cash, 0) + coalesce(m.principal_cash, 0),
    coalesce(o.principal_pik, 0) + coalesce(m.principal_pik, 0),
    coalesce(o.principal_due, 0) + coalesce(m.principal_due, 0),
    coalesce(o.interest_accrued, 0) + coalesce(m.interest_accrued, 0),
    coalesce(o.pik_accrued, 0) + coalesce(m.pik_accrued, 0),
    coalesce(o.interest_due, 0) + coalesce(m.interest_due, 0),
    coalesce(o.fees_accrued, 0) + coalesce(m.fees_accrued, 0),
    coalesce(o.fees_due, 0) + coalesce(m.fees_due, 0),
    coalesce(o.fx_revaluation, 0) + coalesce(m.fx_revaluation, 0),
    coalesce(o.advances, 0) + coalesce(m.advances, 0),
    coalesce(o.scheduled_repayments, 0) + coalesce(m.scheduled_repayments, 0),
    coalesce(o.voluntary_prepayments, 0) + coalesce(m.voluntary_prepayments, 0),
    coalesce(o.mandatory_prepayments, 0) + coalesce(m.mandatory_prepayments, 0),
    coalesce(o.pik_capitalizations, 0) + coalesce(m.pik_capitalizations, 0),
    coalesce(o.fee_capitalizations, 0) + coalesce(m.fee_capitalizations, 0),
    coalesce(o.write_offs, 0) + coalesce(m.write_offs, 0),
    coalesce(o.rollovers, 0) + coalesce(m.rollovers, 0),
    coalesce(o.transfers, 0) + coalesce(m.transfers, 0),
    coalesce(o.adjustments, 0) + coalesce(m.adjustments, 0),
    coalesce(o.movement_count, 0) + coalesce(m.movement_count, 0),
    coalesce(o.reversal_count, 0) + coalesce(m.reversal_count, 0)
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
END $$;
