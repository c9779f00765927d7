-- A sorted page reads what the page costs. What items were ever sorted by is kept in the order of
-- the sort; a page walks it, and checks for each item that the value is its value then. See ADR 29.

-- Amounts that an item ever came to while it owed something, or something could be drawn on it, at
-- any date and in any state of knowledge. An item that owes nothing comes to zero and is not here.
CREATE TABLE sort_amount (
  level text COLLATE "C" NOT NULL CHECK (level IN ('deal', 'facility', 'contract', 'position')),
  sort text COLLATE "C" NOT NULL CHECK (sort IN ('outstanding', 'unfunded')),
  value bigint NOT NULL,
  -- Of a deal: the facility that stands for it in its currency.
  item_key bigint NOT NULL,
  deal_key bigint NOT NULL,
  lender_key bigint NOT NULL,
  PRIMARY KEY (level, sort, value, item_key)
);

-- Names and dates that an item ever had. A deal has those of its facility; its number is its own.
CREATE TABLE sort_label (
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('facility', 'contract', 'position')),
  sort text COLLATE "C" NOT NULL CHECK (sort IN ('facilityName', 'borrower', 'maturityDate')),
  value text COLLATE "C" NOT NULL,
  item_key bigint NOT NULL,
  deal_key bigint NOT NULL,
  lender_key bigint NOT NULL,
  PRIMARY KEY (kind, sort, value, item_key)
);

-- Until when an item lives: from that day on it owes nothing, and nothing can be drawn on it;
-- 'infinity': it does at the end. The newest row known at a sequence counts; none: it never lived.
CREATE TABLE item_life (
  level text COLLATE "C" NOT NULL CHECK (level IN ('deal', 'facility', 'contract', 'position')),
  -- Of a deal its own, with the currency; of others without.
  item_key bigint NOT NULL,
  currency text COLLATE "C" NOT NULL,
  known_seq bigint NOT NULL,
  lives_until date NOT NULL,
  deal_key bigint NOT NULL,
  lender_key bigint NOT NULL,
  PRIMARY KEY (level, item_key, currency, known_seq)
);

-- Deals by number, and the items of each in the order of their keys.
CREATE INDEX deal_number_sorted ON deal (deal_number COLLATE "C");
DROP INDEX loan_contract_deal;
CREATE INDEX loan_contract_deal ON loan_contract (deal_key, key);
DROP INDEX lender_position_deal;
CREATE INDEX lender_position_deal ON lender_position (deal_key, key);

CREATE VIEW sorted_item WITH (security_invoker = true) AS
SELECT 'facility' AS kind, key, deal_key, key AS facility_key, 0::bigint AS lender_key,
  maturity_date FROM facility
UNION ALL SELECT 'contract', key, deal_key, facility_key, 0, maturity_date FROM loan_contract
UNION ALL SELECT 'position', key, deal_key, facility_key, lender_key, NULL FROM lender_position;

CREATE FUNCTION maturity_label(maturity_date date) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT coalesce(to_char(maturity_date, 'YYYY-MM-DD'), 'infinity')
$$;

-- Labels of new records: what they are booked with, and the dated facts that there are.
CREATE FUNCTION keep_labels(of_kind text, keys bigint[]) RETURNS void LANGUAGE sql
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
  WITH item AS MATERIALIZED (
    SELECT i.*, f.name, d.borrower_key,
      CASE WHEN of_kind = 'contract' THEN i.maturity_date ELSE f.maturity_date END AS maturity
    FROM unnest(keys) AS k (key)
    CROSS JOIN LATERAL (SELECT * FROM sorted_item WHERE kind = of_kind AND key = k.key OFFSET 0) i
    CROSS JOIN LATERAL (SELECT * FROM facility WHERE key = i.facility_key OFFSET 0) f
    CROSS JOIN LATERAL (SELECT * FROM deal WHERE key = i.deal_key OFFSET 0) d
  ), borrower AS MATERIALIZED (
    SELECT key, deal_key, lender_key, borrower_key FROM item
    UNION ALL SELECT i.key, i.deal_key, i.lender_key, t.borrower_key FROM item i
    CROSS JOIN LATERAL (SELECT * FROM deal_details WHERE deal_key = i.deal_key OFFSET 0) t
  )
  INSERT INTO sort_label (kind, sort, value, item_key, deal_key, lender_key)
  SELECT DISTINCT of_kind, v.sort, v.value, v.key, v.deal_key, v.lender_key FROM (
    SELECT 'facilityName' AS sort, name AS value, key, deal_key, lender_key FROM item
    UNION ALL SELECT 'facilityName', t.name, i.key, i.deal_key, i.lender_key FROM item i
    CROSS JOIN LATERAL (
      SELECT name FROM facility_details WHERE facility_key = i.facility_key OFFSET 0) t
    UNION ALL SELECT 'maturityDate', maturity_label(maturity), key, deal_key, lender_key FROM item
    UNION ALL SELECT 'maturityDate', maturity_label(t.maturity_date), i.key, i.deal_key, i.lender_key
    FROM item i CROSS JOIN LATERAL (
      SELECT maturity_date FROM facility_terms
      WHERE of_kind <> 'contract' AND facility_key = i.facility_key
      UNION ALL SELECT maturity_date FROM contract_terms
      WHERE of_kind = 'contract' AND contract_key = i.key OFFSET 0) t
    UNION ALL SELECT 'borrower', y.name, b.key, b.deal_key, b.lender_key FROM borrower b
    CROSS JOIN LATERAL (SELECT name FROM party WHERE key = b.borrower_key OFFSET 0) y
    UNION ALL SELECT 'borrower', t.name, b.key, b.deal_key, b.lender_key FROM borrower b
    CROSS JOIN LATERAL (
      SELECT name FROM party_details WHERE party_key = b.borrower_key OFFSET 0) t
  ) v
$$;

CREATE FUNCTION keep_labels() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM keep_labels(TG_ARGV[0], array_agg(key)) FROM inserted HAVING count(*) > 0;
  RETURN NULL;
END $$;
CREATE TRIGGER keep_labels AFTER INSERT ON facility REFERENCING NEW TABLE AS inserted
  FOR EACH STATEMENT EXECUTE FUNCTION keep_labels('facility');
CREATE TRIGGER keep_labels AFTER INSERT ON loan_contract REFERENCING NEW TABLE AS inserted
  FOR EACH STATEMENT EXECUTE FUNCTION keep_labels('contract');
CREATE TRIGGER keep_labels AFTER INSERT ON lender_position REFERENCING NEW TABLE AS inserted
  FOR EACH STATEMENT EXECUTE FUNCTION keep_labels('position');

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
CREATE TRIGGER keep_labels AFTER INSERT ON facility_details REFERENCING NEW TABLE AS inserted
  FOR EACH STATEMENT EXECUTE FUNCTION keep_facility_names();

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
CREATE TRIGGER keep_labels AFTER INSERT ON facility_terms REFERENCING NEW TABLE AS inserted
  FOR EACH STATEMENT EXECUTE FUNCTION keep_facility_maturities();

CREATE FUNCTION keep_contract_maturities() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO sort_label (kind, sort, value, item_key, deal_key, lender_key)
  SELECT 'contract', 'maturityDate', maturity_label(maturity_date), contract_key, deal_key, 0
  FROM inserted
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER keep_labels AFTER INSERT ON contract_terms REFERENCING NEW TABLE AS inserted
  FOR EACH STATEMENT EXECUTE FUNCTION keep_contract_maturities();

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
CREATE TRIGGER keep_labels AFTER INSERT ON deal_details REFERENCING NEW TABLE AS inserted
  FOR EACH STATEMENT EXECUTE FUNCTION keep_borrowers();

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
CREATE TRIGGER keep_labels AFTER INSERT ON party_details REFERENCING NEW TABLE AS inserted
  FOR EACH STATEMENT EXECUTE FUNCTION keep_borrower_names();

-- What the items come to that a transaction's journals touch, by date: as known before and after, from
-- the first date that may differ.
CREATE FUNCTION item_states(first_seq bigint, last_seq bigint)
RETURNS TABLE (item bigint, level text, currency text, item_key bigint, deal_key bigint,
  lender_key bigint, seq bigint, day date, unfunded numeric, principal_cash numeric,
  principal_pik numeric, interest_accrued numeric, fees_accrued numeric, fx_revaluation numeric,
  lives boolean, counts boolean, around_counts boolean)
LANGUAGE sql STABLE ROWS 10000
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
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
  ), item AS MATERIALIZED (
    SELECT row_number() OVER () AS item, i.*, d.since FROM (
      SELECT 'facility' AS level, f.key, f.currency, f.deal_key, f.key AS facility_key,
        0::bigint AS contract_key, 0::bigint AS lender_key, f.sublimit_of_key AS parent_key
      FROM changed_record r
      CROSS JOIN LATERAL (SELECT * FROM facility WHERE key = r.key OFFSET 0) f
      WHERE r.kind = 'facility'
      UNION ALL
      SELECT 'contract', c.key, c.currency, c.deal_key, c.facility_key, c.key, 0, NULL
      FROM changed_record r
      CROSS JOIN LATERAL (SELECT * FROM loan_contract WHERE key = r.key OFFSET 0) c
      WHERE r.kind = 'contract'
      UNION ALL
      SELECT 'position', q.key, f.currency, q.deal_key, f.key, 0, q.lender_key, f.sublimit_of_key
      FROM changed_record r
      CROSS JOIN LATERAL (SELECT * FROM lender_position WHERE key = r.key OFFSET 0) q
      CROSS JOIN LATERAL (SELECT * FROM facility WHERE key = q.facility_key OFFSET 0) f
      WHERE r.kind = 'position'
      UNION ALL
      SELECT DISTINCT 'deal', f.deal_key, f.currency, f.deal_key, 0::bigint, 0::bigint, 0::bigint,
        NULL::bigint
      FROM changed_record r
      CROSS JOIN LATERAL (SELECT * FROM facility WHERE key = r.key OFFSET 0) f
      WHERE r.kind = 'facility'
    ) i CROSS JOIN LATERAL (SELECT min(effective_date + 0) AS since
      FROM journal WHERE deal_key = i.deal_key AND seq BETWEEN $1 AND $2 OFFSET 0) d
    WHERE d.since IS NOT NULL
  ), known (seq) AS (VALUES ($1 - 1), ($2)),
  -- Lines of an item, and of the facility around a sublimit.
  line AS MATERIALIZED (
    SELECT i.item, i.level, i.currency, i.key AS item_key, i.deal_key, i.lender_key, i.since,
      l.around, l.key, i.level <> 'deal' OR l.parent_line_key IS NULL AS commits
    FROM item i CROSS JOIN LATERAL (
      SELECT false AS around, key, parent_line_key FROM balance_line
      WHERE i.level = 'deal' AND deal_key = i.deal_key AND lender_key = 0 AND currency = i.currency
      UNION ALL
      SELECT false, key, NULL FROM balance_line
      WHERE i.level = 'contract' AND contract_key = i.contract_key
        AND facility_key = i.facility_key AND lender_key = 0
      UNION ALL
      SELECT facility_key <> i.facility_key, key, NULL FROM balance_line
      WHERE i.level IN ('facility', 'position')
        AND facility_key IN (i.facility_key, i.parent_key) AND lender_key = i.lender_key
      OFFSET 0) l
  ), balance_at AS (
    -- As of the day before the first date, and on each later date of the line.
    SELECT l.item, l.level, l.currency, l.item_key, l.deal_key, l.lender_key, l.around, l.key, k.seq,
      b.day, CASE WHEN l.commits THEN b.unfunded ELSE 0 END AS unfunded, b.principal_cash,
      b.principal_pik, b.interest_accrued, b.fees_accrued, b.fx_revaluation,
      (l.commits AND (b.unfunded <> 0 OR b.unavailable <> 0)
        OR l.level <> 'deal' AND b.sublimit_used <> 0
        OR b.letter_of_credit <> 0 OR b.principal_cash <> 0 OR b.principal_pik <> 0
        OR b.principal_due <> 0 OR b.interest_accrued <> 0 OR b.pik_accrued <> 0
        OR b.interest_due <> 0 OR b.fees_accrued <> 0 OR b.fees_due <> 0)::int AS owes
    FROM line l CROSS JOIN known k CROSS JOIN LATERAL (
      SELECT l.since - 1 AS day, o.* FROM (
        SELECT * FROM balance WHERE line_key = l.key AND effective_date < l.since
          AND known_seq <= k.seq ORDER BY effective_date DESC, known_seq DESC LIMIT 1) o
      UNION ALL
      SELECT n.effective_date, n.* FROM (
        SELECT DISTINCT ON (effective_date) * FROM balance
        WHERE line_key = l.key AND effective_date >= l.since AND known_seq <= k.seq
        ORDER BY effective_date, known_seq DESC) n
      OFFSET 0) b
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
    SELECT i.item, i.level, i.currency, i.key AS item_key, i.deal_key, i.lender_key, i.since,
      r.part, r.kind, r.key, r.booked_on, r.booked_seq
    FROM item i CROSS JOIN LATERAL (
      SELECT 'own' AS part, 'deal' AS kind, key, booked_on, booked_seq FROM deal
      WHERE i.level = 'deal' AND key = i.deal_key
      UNION ALL
      SELECT 'within', 'facility', key, booked_on, booked_seq FROM facility
      WHERE i.level = 'deal' AND deal_key = i.deal_key AND currency = i.currency
      UNION ALL
      SELECT CASE WHEN key = i.facility_key THEN 'own' ELSE 'around' END, 'facility', key,
        booked_on, booked_seq
      FROM facility WHERE i.level = 'facility' AND key IN (i.facility_key, i.parent_key)
      UNION ALL
      SELECT 'own', 'contract', key, booked_on, booked_seq FROM loan_contract
      WHERE i.level = 'contract' AND key = i.contract_key
      UNION ALL
      SELECT CASE WHEN facility_key = i.facility_key THEN 'own' ELSE 'around' END, 'position', key,
        booked_on, booked_seq
      FROM lender_position WHERE i.level = 'position' AND lender_key = i.lender_key
        AND facility_key IN (i.facility_key, i.parent_key)
      OFFSET 0) r
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

-- Kept totals, as before, and from the same states what items are sorted by and how long they live.
CREATE OR REPLACE FUNCTION extend_totals(first_seq bigint, last_seq bigint) RETURNS void LANGUAGE sql
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
  WITH state AS MATERIALIZED (
    SELECT * FROM item_states($1, $2)
  ), kept AS (
    INSERT INTO sort_amount (level, sort, value, item_key, deal_key, lender_key)
    SELECT s.level, v.sort, v.value, i.key, s.deal_key, s.lender_key
    FROM state s
    CROSS JOIN LATERAL (
      SELECT s.item_key AS key WHERE s.level <> 'deal'
      UNION ALL
      -- The facility that stands for the deal: the first of those that the book has.
      (SELECT f.key FROM facility f
       WHERE s.level = 'deal' AND f.deal_key = s.deal_key AND f.currency = s.currency
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

DROP FUNCTION total_changes;

-- Books from before. Kept totals are made anew along the way; they come out as they were.
ALTER TABLE book_total DISABLE TRIGGER USER;
DELETE FROM book_total;
DO $$
DECLARE batch record;
BEGIN
  FOR batch IN SELECT min(seq) AS first, max(seq) AS last FROM journal
               GROUP BY posted_at ORDER BY min(seq) LOOP
    PERFORM extend_totals(batch.first, batch.last);
  END LOOP;
END $$;
ALTER TABLE book_total ENABLE TRIGGER USER;
SELECT keep_labels('facility', array_agg(key)) FROM facility;
SELECT keep_labels('contract', array_agg(key)) FROM loan_contract;
SELECT keep_labels('position', array_agg(key)) FROM lender_position;

-- A reader finds the values of the items that it sees, and no others.
DO $$
DECLARE
  sees_line constant text := $text$current_setting('cls.full_control', true) = 'on'
    OR (SELECT EXISTS (SELECT FROM entitlement_rule r
      WHERE r.customer_id = current_setting('cls.customer', true) AND r.all_deals
        AND r.role = 'agent'))
    OR EXISTS (SELECT FROM entitlement e
      WHERE e.customer_id = current_setting('cls.customer', true) AND e.deal_key = %1$I.deal_key
        AND (%1$I.lender_key = 0 OR e.role = 'agent' OR e.lender_key = %1$I.lender_key) OFFSET 0)
    $text$;
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['sort_amount', 'sort_label', 'item_life'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY reader ON %1$I FOR SELECT TO cls_reader USING (' || sees_line || ')',
      name);
    EXECUTE format('GRANT SELECT ON %I TO cls_reader', name);
    EXECUTE format('CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON %I
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()', name);
    EXECUTE format('CREATE TRIGGER only_from_journals BEFORE INSERT ON %I
      FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION refuse_change()', name);
  END LOOP;
END $$;
