-- A facility may be a sublimit of another: a part of what its lenders commit to, and not more
-- (a swingline or letters of credit within a revolver).

ALTER TABLE facility ADD COLUMN sublimit_of_key bigint REFERENCES facility;
CREATE INDEX facility_sublimit ON facility (sublimit_of_key) WHERE sublimit_of_key IS NOT NULL;
-- Of a sublimit's line: the same holder's line of the facility that it is carved out of.
ALTER TABLE balance_line ADD COLUMN parent_line_key bigint REFERENCES balance_line;
CREATE INDEX balance_line_parent ON balance_line (parent_line_key)
  WHERE parent_line_key IS NOT NULL;
-- Of a facility: what is drawn under its sublimits, in cash and by letters of credit.
ALTER TABLE balance ADD COLUMN sublimit_used bigint NOT NULL DEFAULT 0;

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
CREATE TRIGGER check_sublimits AFTER INSERT ON facility
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION check_sublimits();

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
  WHERE p.key IS DISTINCT FROM l.parent_line_key
     OR (s.sublimit_of_key IS NOT NULL AND p.key IS NULL)
  LIMIT 1;
  IF broken IS NOT NULL THEN
    RAISE EXCEPTION 'facility % has a lender that the facility it is a sublimit of has not', broken
      USING ERRCODE = '23514', CONSTRAINT = 'sublimit_lenders';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER check_sublimit_lines AFTER INSERT ON balance_line
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION check_sublimit_lines();

-- What a posting under a sublimit does to the facility around it: how much it draws of the unfunded
-- amount, and how much it uses of the commitment. Repayment gives back where that facility revolves.
CREATE FUNCTION sublimit_effect(line bigint, account text, movement text, amount bigint)
RETURNS TABLE (parent_line_key bigint, draws bigint, uses bigint)
LANGUAGE sql STABLE SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
  SELECT l.parent_line_key,
    CASE
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

-- Of a facility's line: what may be drawn of it at a date, as known then, whatever is around it.
CREATE FUNCTION line_available(line bigint, at date, known bigint) RETURNS bigint
LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN coalesce(CASE WHEN t.facility_key IS NULL THEN f.availability_end_date
                                 ELSE t.availability_end_date END >= at, true)
    THEN greatest(b.unfunded - b.unavailable, 0) ELSE 0 END
  FROM balance_line l JOIN facility f ON f.key = l.facility_key
  CROSS JOIN LATERAL (SELECT * FROM balance WHERE line_key = l.key AND effective_date <= at
    AND known_seq <= known ORDER BY effective_date DESC, known_seq DESC LIMIT 1) b
  LEFT JOIN LATERAL (SELECT * FROM facility_terms WHERE facility_key = f.key
    AND effective_date <= at AND known_seq <= known
    ORDER BY effective_date DESC, known_seq DESC LIMIT 1) t ON true
  WHERE l.key = line
$$;

-- Of a sublimit's line: no more than the facility around it has, globally; lenders have of that in
-- proportion to their own, with the largest remainders, ties by lender. It runs as its owner,
-- because one lender's part follows from all parts.
CREATE FUNCTION sublimit_available(line bigint, at date, known bigint) RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER AS $$
  WITH whole AS (
    SELECT g.key, g.facility_key, coalesce(line_available(g.key, at, known), 0) AS own,
      coalesce(line_available(g.parent_line_key, at, known), 0) AS around
    FROM balance_line l JOIN balance_line g
      ON g.facility_key = l.facility_key AND g.contract_key = 0 AND g.lender_key = 0
    WHERE l.key = line
  ), capped AS (
    SELECT key, facility_key, own, least(own, around) AS available FROM whole
  ), part AS (
    SELECT b.key, p.id, c.own::numeric AS own, c.available,
      coalesce(line_available(b.key, at, known), 0)::numeric * c.available AS exact
    FROM capped c
    JOIN balance_line b ON b.facility_key = c.facility_key AND b.contract_key = 0
      AND b.lender_key <> 0
    JOIN party p ON p.key = b.lender_key
    WHERE c.own > c.available
  ), ranked AS (
    SELECT key, div(exact, own) AS share, available - sum(div(exact, own)) OVER () AS left_over,
      row_number() OVER (ORDER BY mod(exact, own) DESC, id COLLATE "C") AS rank
    FROM part
  )
  SELECT CASE
    WHEN c.key = line THEN c.available
    WHEN c.own <= c.available THEN line_available(line, at, known)
    ELSE (SELECT (r.share + CASE WHEN r.rank <= r.left_over THEN 1 ELSE 0 END)::bigint
          FROM ranked r WHERE r.key = line)
  END FROM capped c
$$;

DO $$ BEGIN
  EXECUTE format('ALTER FUNCTION sublimit_available SET search_path = %I, pg_temp',
    current_schema());
END $$;

-- As before, and no lender comes to a facility that something was used of under a sublimit.
CREATE OR REPLACE FUNCTION check_positions() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE late text;
BEGIN
  SELECT f.id INTO late
  FROM inserted i JOIN facility f ON f.key = i.facility_key
  WHERE NOT EXISTS (
      SELECT FROM lender_position p
      WHERE p.facility_key = i.facility_key AND p.key NOT IN (SELECT key FROM inserted))
    AND EXISTS (
      SELECT FROM balance_line l JOIN posting p ON p.line_key = l.key
      WHERE l.lender_key = 0 AND (l.facility_key = i.facility_key OR l.facility_key IN (
        SELECT key FROM facility WHERE sublimit_of_key = i.facility_key)))
  LIMIT 1;
  IF late IS NOT NULL THEN
    RAISE EXCEPTION 'facility % was posted to without lenders: its shares would not add up', late
      USING ERRCODE = '23514', CONSTRAINT = 'positions_before_postings';
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
CREATE TRIGGER check_sublimit_shares AFTER INSERT ON posting
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION check_sublimit_shares();

-- As before, and the facility around a sublimit accrues on what the sublimit leaves unfunded.
CREATE OR REPLACE FUNCTION note_late_postings() RETURNS trigger LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
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

-- As before, under sublimits too.
CREATE OR REPLACE FUNCTION note_facts_after_bills() RETURNS trigger LANGUAGE plpgsql
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

-- As before, and what is used under a sublimit goes to the facility around it, line by line: its
-- unfunded amount falls, and `sublimit_used` rises.
CREATE OR REPLACE FUNCTION extend_balances() RETURNS trigger LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  -- Most books have none, and pay nothing for them.
  has_sublimits constant boolean := EXISTS (SELECT FROM facility WHERE sublimit_of_key IS NOT NULL);
BEGIN
  INSERT INTO balance (line_key, effective_date, known_seq, deal_key, lender_key,
    original_commitment, cancelled_commitment, unfunded, letter_of_credit, unavailable,
    principal_cash, principal_pik, principal_due, interest_accrued, pik_accrued, interest_due,
    fees_accrued, fees_due, fx_revaluation, advances, scheduled_repayments, voluntary_prepayments,
    mandatory_prepayments, pik_capitalizations, fee_capitalizations, write_offs, rollovers,
    transfers, adjustments, movement_count, reversal_count, sublimit_used)
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
      count(movement) FILTER (WHERE reverses_seq IS NOT NULL) AS reversal_count,
      NULL::numeric AS sublimit_used
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
    SELECT line_key, effective_date,
      NULL, NULL, unfunded, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
      NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, sublimit_used
    FROM used
    UNION ALL
    -- A backdated posting moves every later date of its line.
    SELECT t.line_key, b.effective_date,
      NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
      NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
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
      sum(sum(reversal_count)) OVER past AS reversal_count,
      sum(sum(sublimit_used)) OVER past AS sublimit_used
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
    coalesce(o.reversal_count, 0) + coalesce(m.reversal_count, 0),
    coalesce(o.sublimit_used, 0) + coalesce(m.sublimit_used, 0)
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

-- As before, and with what a facility is a sublimit of; books until now have none.
CREATE OR REPLACE FUNCTION journal_content(first bigint, last bigint)
RETURNS TABLE (journal_seq bigint, content text) LANGUAGE plpgsql STABLE AS $function$
BEGIN
  -- EXECUTE plans for the tables as they are now, and not as they were when the session began.
  RETURN QUERY EXECUTE $content$
    WITH line AS MATERIALIZED (
      SELECT l.key, l.currency,
        concat_ws(' ', f.id, coalesce(c.id, '-'), coalesce(y.id, '-')) AS name
      FROM (SELECT DISTINCT line_key FROM posting WHERE journal_seq BETWEEN $1 AND $2) p
      JOIN balance_line l ON l.key = p.line_key
      JOIN facility f ON f.key = l.facility_key
      LEFT JOIN loan_contract c ON c.key = l.contract_key
      LEFT JOIN party y ON y.key = l.lender_key
    ), fact (seq, line) AS (
      SELECT t.known_seq, concat_ws(' ', 'terms', d.id,
        to_char(t.effective_date, 'YYYY-MM-DD'), t.status)
      FROM deal_terms t JOIN deal d ON d.key = t.deal_key
      WHERE t.known_seq BETWEEN $1 AND $2
      UNION ALL
      SELECT t.known_seq, concat_ws(' ', 'terms', f.id,
        to_char(t.effective_date, 'YYYY-MM-DD'), t.status,
        coalesce(to_char(t.maturity_date, 'YYYY-MM-DD'), '-'),
        coalesce(to_char(t.availability_end_date, 'YYYY-MM-DD'), '-'))
      FROM facility_terms t JOIN facility f ON f.key = t.facility_key
      WHERE t.known_seq BETWEEN $1 AND $2
      UNION ALL
      SELECT t.known_seq, concat_ws(' ', 'terms', c.id,
        to_char(t.effective_date, 'YYYY-MM-DD'), t.status,
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
      -- Records may come without a journal, after the one they are booked with: they are part of
      -- the next.
      SELECT y.booked_seq + 1, concat_ws(' ', 'party', y.id, coalesce(y.country, '-'),
        coalesce(y.lei, '-'))
      FROM party y WHERE y.booked_seq BETWEEN $1 - 1 AND $2 - 1
      UNION ALL
      SELECT d.booked_seq + 1, concat_ws(' ', 'deal', d.id, to_json(d.deal_number), b.id, a.id,
        coalesce(g.id, '-'), d.status, coalesce(to_char(d.closing_date, 'YYYY-MM-DD'), '-'),
        to_char(d.booked_on, 'YYYY-MM-DD'), d.follows_journals::text)
      FROM deal d JOIN party b ON b.key = d.borrower_key JOIN party a ON a.key = d.agent_key
      LEFT JOIN party g ON g.key = d.guarantor_key
      WHERE d.booked_seq BETWEEN $1 - 1 AND $2 - 1
      UNION ALL
      SELECT f.booked_seq + 1, concat_ws(' ', 'facility', f.id, d.id, f.type, f.currency, f.day_count,
        f.pik_uses_commitment::text, f.status,
        coalesce(to_char(f.effective_date, 'YYYY-MM-DD'), '-'),
        coalesce(to_char(f.maturity_date, 'YYYY-MM-DD'), '-'),
        coalesce(to_char(f.availability_end_date, 'YYYY-MM-DD'), '-'),
        to_char(f.booked_on, 'YYYY-MM-DD'), f.follows_journals::text)
      FROM facility f JOIN deal d ON d.key = f.deal_key
      WHERE f.booked_seq BETWEEN $1 - 1 AND $2 - 1
      UNION ALL
      SELECT s.booked_seq + 1, concat_ws(' ', 'sublimit', s.id, f.id)
      FROM facility s JOIN facility f ON f.key = s.sublimit_of_key
      WHERE s.booked_seq BETWEEN $1 - 1 AND $2 - 1
      UNION ALL
      SELECT c.booked_seq + 1, concat_ws(' ', 'contract', c.id, f.id, to_json(c.contract_number),
        c.currency, c.status, coalesce(to_char(c.effective_date, 'YYYY-MM-DD'), '-'),
        coalesce(to_char(c.maturity_date, 'YYYY-MM-DD'), '-'),
        coalesce(trim_scale(c.all_in_rate)::text, '-'), coalesce(r.id, '-'),
        to_char(c.booked_on, 'YYYY-MM-DD'), c.follows_journals::text)
      FROM loan_contract c JOIN facility f ON f.key = c.facility_key
      LEFT JOIN loan_contract r ON r.key = c.rolled_from_key
      WHERE c.booked_seq BETWEEN $1 - 1 AND $2 - 1
      UNION ALL
      SELECT p.booked_seq + 1, concat_ws(' ', 'position', p.id, f.id, y.id, p.kind,
        coalesce(q.id, '-'), to_char(p.booked_on, 'YYYY-MM-DD'), p.follows_journals::text)
      FROM lender_position p JOIN facility f ON f.key = p.facility_key
      JOIN party y ON y.key = p.lender_key
      LEFT JOIN lender_position q ON q.key = p.parent_key
      WHERE p.booked_seq BETWEEN $1 - 1 AND $2 - 1
    ), part (seq, place, lines) AS (
      SELECT p.journal_seq, 1, string_agg(concat_ws(' ', 'posting', p.number, l.name, p.account,
        coalesce(p.movement::text, '-'), p.amount_minor, l.currency,
        to_char(p.effective_date, 'YYYY-MM-DD'),
        coalesce(to_char(p.due_date, 'YYYY-MM-DD'), '-')), E'\n' ORDER BY p.number)
      FROM posting p JOIN line l ON l.key = p.line_key
      WHERE p.journal_seq BETWEEN $1 AND $2 GROUP BY p.journal_seq
      UNION ALL
      SELECT seq, 2, string_agg(line, E'\n' ORDER BY line COLLATE "C") FROM fact GROUP BY seq
    ), parts AS (
      SELECT seq, string_agg(lines, E'\n' ORDER BY place) AS lines
      FROM part GROUP BY seq
    )
    SELECT j.seq, concat_ws(E'\n',
      'cls-journal-1',
      concat_ws(' ', 'journal', j.seq, j.id, d.id, j.type,
        to_char(j.effective_date, 'YYYY-MM-DD'),
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
  $content$ USING first, last;
END $function$;
