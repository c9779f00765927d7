-- Imports: what ran once for each row runs once for a statement, and what was read twice is read once.
-- The functions give what they gave before.

-- What the items come to that a transaction's journals touch, as before. The balances of a line are read
-- once, and not once for each of the two states of knowledge; the first date of a deal is looked for
-- once, and not for each of its items; an item brings when it was booked, and is not looked up again.
CREATE OR REPLACE FUNCTION item_states(first_seq bigint, last_seq bigint)
RETURNS TABLE (item bigint, level text, currency text, item_key bigint, deal_key bigint,
  lender_key bigint, seq bigint, day date, unfunded numeric, principal_cash numeric,
  principal_pik numeric, interest_accrued numeric, fees_accrued numeric, fx_revaluation numeric,
  lives boolean, counts boolean, around_counts boolean)
LANGUAGE sql STABLE ROWS 10000
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_hashagg = off SET enable_bitmapscan = off AS $$
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
    SELECT 'contract', c.key, c.currency, c.deal_key, c.facility_key, c.key, 0, NULL,
      c.booked_on, c.booked_seq
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
      (l.commits AND (b.unfunded <> 0 OR b.unavailable <> 0)
        OR l.level <> 'deal' AND b.sublimit_used <> 0
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
$$;

-- Words of names, as before: taken apart within the statement, and not by a call for each name; in the
-- order of the key; and without a look for what is there already where the records are new.
CREATE OR REPLACE FUNCTION keep_words() RETURNS trigger LANGUAGE plpgsql SET jit = off AS $$
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

CREATE OR REPLACE FUNCTION keep_external_words() RETURNS trigger LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
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

-- Labels of new records, as before: each record is read once, dated facts are looked for where there are
-- any, and labels come in the order of the key.
CREATE OR REPLACE FUNCTION keep_labels(of_kind text, keys bigint[]) RETURNS void LANGUAGE sql
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_bitmapscan = off AS $$
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

-- One pass over the postings of a statement, as before. Journals and lines are each read once, and not for
-- each posting: a statement has several postings of a journal, and often of a line.
CREATE OR REPLACE FUNCTION check_postings() RETURNS trigger LANGUAGE plpgsql
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
    WHEN 'one_effective_date'
      THEN format('journal %s and a posting of it differ in effective date', broken)
    WHEN 'one_deal' THEN format('journal %s posts to another deal', broken)
    ELSE format('journal %s: lender shares do not add up to the global amount', broken) END
    USING ERRCODE = '23514', CONSTRAINT = fault;
END $$;

-- Balances, as before: sums of a few amounts of a line are added up as what they are, and not as numerics.
CREATE OR REPLACE FUNCTION balance_components()
RETURNS TABLE (component text, change text, from_sublimits boolean)
LANGUAGE sql IMMUTABLE AS $$
  SELECT component,
    CASE measure
      WHEN 'account' THEN format('sum_minor(amount) FILTER (WHERE account = %L)', upper(source))
      WHEN 'movement' THEN format('sum_minor(amount) FILTER (WHERE movement = %L)', source)
      WHEN 'count' THEN source
      ELSE 'NULL::bigint'
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

CREATE OR REPLACE FUNCTION make_extend_balances() RETURNS void LANGUAGE plpgsql AS $make$
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
    CROSS JOIN LATERAL sublimit_effect(p.line_key, p.account::text, p.movement::text,
      p.amount_minor) e
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
