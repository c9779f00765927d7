-- Totals of the book, and what pages are sorted by.

CREATE AGGREGATE sum_minor(bigint) (
  SFUNC = int8pl, STYPE = bigint, INITCOND = '0', COMBINEFUNC = int8pl, PARALLEL = SAFE
);

-- A row is by how much the totals of the book change in a year, a month or on a day, with what a journal made
-- known. A total as of a date adds up a few rows, however many items there are.
CREATE TABLE book_total (
  level text NOT NULL CHECK (level IN ('deal', 'facility', 'contract', 'position')),
  currency text NOT NULL,
  grain text NOT NULL CHECK (grain IN ('year', 'month', 'day')),
  -- The first day of the year or month, or the day.
  start date NOT NULL,
  known_seq bigint NOT NULL REFERENCES journal,
  items bigint NOT NULL, unfunded bigint NOT NULL, principal_cash bigint NOT NULL,
  principal_pik bigint NOT NULL, interest_accrued bigint NOT NULL, fees_accrued bigint NOT NULL,
  fx_revaluation bigint NOT NULL,
  PRIMARY KEY (level, currency, grain, start, known_seq)
);

-- A row is until when an item lives: from that day on it owes nothing, and nothing can be drawn on it;
-- 'infinity': it does at the end. The newest row known at a sequence counts; none: it never lived.
CREATE TABLE item_life (
  level text COLLATE "C" NOT NULL CHECK (level IN ('deal', 'facility', 'contract', 'position')),
  -- Of a deal its own, with the currency; of others without.
  item_key bigint NOT NULL,
  currency text COLLATE "C" NOT NULL,
  known_seq bigint NOT NULL,
  lives_until date NOT NULL,
  deal_key bigint NOT NULL, lender_key bigint NOT NULL,
  PRIMARY KEY (level, item_key, currency, known_seq)
);

-- A row is an amount that an item ever came to while it owed something, or something could be drawn on it, at
-- any date and in any state of knowledge. An item that owes nothing comes to zero and is not here. A page in the
-- order of amounts walks it, and checks for each item that the value is its value then.
CREATE TABLE sort_amount (
  level text COLLATE "C" NOT NULL CHECK (level IN ('deal', 'facility', 'contract', 'position')),
  sort text COLLATE "C" NOT NULL CHECK (sort IN ('outstanding', 'unfunded')),
  value bigint NOT NULL,
  -- Of a deal: the facility that stands for it in its currency.
  item_key bigint NOT NULL, deal_key bigint NOT NULL, lender_key bigint NOT NULL,
  -- What items are sorted by is walked currency by currency: amounts of two currencies are not compared.
  currency text,
  PRIMARY KEY (level, sort, currency, value, item_key)
);

-- A row is a name or a date that an item ever had. A deal has those of its facility; its number is its own.
CREATE TABLE sort_label (
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('facility', 'contract', 'position')),
  sort text COLLATE "C" NOT NULL CHECK (sort IN ('facilityName', 'borrower', 'maturityDate')),
  value text COLLATE "C" NOT NULL,
  item_key bigint NOT NULL, deal_key bigint NOT NULL, lender_key bigint NOT NULL,
  PRIMARY KEY (kind, sort, value, item_key)
);

CREATE VIEW sorted_item WITH (security_invoker = true) AS
SELECT 'facility' AS kind, key, deal_key, key AS facility_key, 0::bigint AS lender_key,
  maturity_date FROM facility
UNION ALL SELECT 'contract', key, deal_key, facility_key, 0, maturity_date FROM loan_contract
UNION ALL SELECT 'position', key, deal_key, facility_key, lender_key, NULL FROM lender_position;

-- What the items come to that the journals of a transaction touch, before and after. The balances of a line are
-- read once, and not for each of the two states of knowledge.
CREATE FUNCTION item_states(first_seq bigint, last_seq bigint)
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
$$;

-- Totals, lives and amounts to sort by, of the items that the journals of a transaction touch.
CREATE FUNCTION extend_totals(first_seq bigint, last_seq bigint) RETURNS void LANGUAGE sql
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
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
$$;

-- How maturities are sorted: those without one come last.
CREATE FUNCTION maturity_label(maturity_date date) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT coalesce(to_char(maturity_date, 'YYYY-MM-DD'), 'infinity')
$$;

-- Labels of new records: each record is read once, dated facts are looked for where there are any, and labels
-- come in the order of the key.
CREATE FUNCTION keep_labels(of_kind text, keys bigint[]) RETURNS void LANGUAGE sql
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

CREATE FUNCTION keep_labels() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM keep_labels(TG_ARGV[0], array_agg(key)) FROM inserted HAVING count(*) > 0;
  RETURN NULL;
END $$;

-- A dated fact is a label of every item that has it.
CREATE FUNCTION keep_facility_names() RETURNS trigger LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  INSERT INTO sort_label (kind, sort, value, item_key, deal_key, lender_key)
  SELECT i.kind, 'facilityName', n.name, i.key, i.deal_key, i.lender_key
  FROM inserted n CROSS JOIN LATERAL (
    SELECT * FROM sorted_item WHERE facility_key = n.facility_key OFFSET 0) i
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE FUNCTION keep_facility_maturities() RETURNS trigger LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  INSERT INTO sort_label (kind, sort, value, item_key, deal_key, lender_key)
  SELECT i.kind, 'maturityDate', maturity_label(n.maturity_date), i.key, i.deal_key, i.lender_key
  FROM inserted n CROSS JOIN LATERAL (
    SELECT * FROM sorted_item
    WHERE facility_key = n.facility_key AND kind IN ('facility', 'position') OFFSET 0) i
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE FUNCTION keep_contract_maturities() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO sort_label (kind, sort, value, item_key, deal_key, lender_key)
  SELECT 'contract', 'maturityDate', maturity_label(maturity_date), contract_key, deal_key, 0
  FROM inserted
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE FUNCTION keep_borrowers() RETURNS trigger LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
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

CREATE FUNCTION keep_borrower_names() RETURNS trigger LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
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
