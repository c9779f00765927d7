-- Totals of the whole book, at every date and every state of knowledge, are kept as running sums: a
-- question adds up a look-up per year, month and day, and not the items of the book. See ADR 27.

-- What the items of a level come to that owe something, or on which something can be drawn: what
-- the dates within a year, a month or a day add to the dates before. The newest row that is known
-- at a sequence counts.
CREATE TABLE book_total (
  level text NOT NULL CHECK (level IN ('deal', 'facility', 'contract', 'position')),
  currency text NOT NULL,
  grain text NOT NULL CHECK (grain IN ('year', 'month', 'day')),
  -- The first day of the year or month, or the day.
  start date NOT NULL,
  known_seq bigint NOT NULL REFERENCES journal,
  items bigint NOT NULL,
  unfunded bigint NOT NULL,
  principal_cash bigint NOT NULL,
  principal_pik bigint NOT NULL,
  interest_accrued bigint NOT NULL,
  fees_accrued bigint NOT NULL,
  fx_revaluation bigint NOT NULL,
  PRIMARY KEY (level, currency, grain, start, known_seq)
);

CREATE INDEX presence_known ON presence (known_seq);

-- How a transaction's journals change totals, by date. Items whose lines or presence changed are
-- worked out twice, as known before and after, from the first date that may differ.
CREATE FUNCTION total_changes(first_seq bigint, last_seq bigint)
RETURNS TABLE (level text, currency text, effective_date date, items bigint, unfunded bigint,
  principal_cash bigint, principal_pik bigint, interest_accrued bigint, fees_accrued bigint,
  fx_revaluation bigint)
LANGUAGE sql STABLE
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
  ), known (seq, sign) AS (VALUES ($1 - 1, -1), ($2, 1)),
  -- Lines of an item, and of the facility around a sublimit.
  line AS MATERIALIZED (
    SELECT i.item, i.level, i.currency, i.since, l.around, l.key,
      i.level <> 'deal' OR l.parent_line_key IS NULL AS commits
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
    SELECT l.item, l.level, l.currency, l.around, l.key, k.seq, b.day,
      CASE WHEN l.commits THEN b.unfunded ELSE 0 END AS unfunded, b.principal_cash,
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
    SELECT item, level, currency, seq, day, around,
      unfunded - lag(unfunded, 1, 0::bigint) OVER w AS unfunded,
      principal_cash - lag(principal_cash, 1, 0::bigint) OVER w AS principal_cash,
      principal_pik - lag(principal_pik, 1, 0::bigint) OVER w AS principal_pik,
      interest_accrued - lag(interest_accrued, 1, 0::bigint) OVER w AS interest_accrued,
      fees_accrued - lag(fees_accrued, 1, 0::bigint) OVER w AS fees_accrued,
      fx_revaluation - lag(fx_revaluation, 1, 0::bigint) OVER w AS fx_revaluation,
      owes - lag(owes, 1, 0) OVER w AS owes
    FROM balance_at WINDOW w AS (PARTITION BY item, key, seq ORDER BY day)
  ), record AS (
    SELECT i.item, i.level, i.currency, i.since, r.part, r.kind, r.key, r.booked_on, r.booked_seq
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
    SELECT item, level, currency, seq, day,
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
    SELECT r.item, r.level, r.currency, k.seq, greatest(p.since, r.since - 1), 0, 0, 0, 0, 0, 0, 0, 0,
      (r.part = 'own')::int, (r.part = 'within')::int, (r.part = 'around')::int
    FROM record r JOIN known k ON r.booked_seq <= k.seq CROSS JOIN LATERAL (
      SELECT coalesce((SELECT since FROM presence WHERE kind = r.kind AND record_key = r.key
        AND known_seq <= k.seq ORDER BY known_seq DESC LIMIT 1), r.booked_on) AS since OFFSET 0) p
    WHERE p.since < 'infinity'
  ), state AS (
    SELECT item, level, currency, seq, day, sum(sum(unfunded)) OVER past AS unfunded,
      sum(sum(principal_cash)) OVER past AS principal_cash,
      sum(sum(principal_pik)) OVER past AS principal_pik,
      sum(sum(interest_accrued)) OVER past AS interest_accrued,
      sum(sum(fees_accrued)) OVER past AS fees_accrued,
      sum(sum(fx_revaluation)) OVER past AS fx_revaluation,
      sum(sum(owes)) OVER past > 0 AND sum(sum(own)) OVER past > 0
        AND (level <> 'deal' OR sum(sum(within)) OVER past > 0) AS counts,
      sum(sum(around_owes)) OVER past > 0 AND sum(sum(around)) OVER past > 0 AS around_counts
    FROM event GROUP BY item, level, currency, seq, day
    WINDOW past AS (PARTITION BY item, level, currency, seq ORDER BY day)
  ), total AS (
    SELECT level, currency, item, seq, day, counts::int AS items,
      CASE WHEN counts AND NOT around_counts THEN unfunded ELSE 0 END AS unfunded,
      CASE WHEN counts THEN principal_cash ELSE 0 END AS principal_cash,
      CASE WHEN counts THEN principal_pik ELSE 0 END AS principal_pik,
      CASE WHEN counts THEN interest_accrued ELSE 0 END AS interest_accrued,
      CASE WHEN counts THEN fees_accrued ELSE 0 END AS fees_accrued,
      CASE WHEN counts THEN fx_revaluation ELSE 0 END AS fx_revaluation
    FROM state
  ), change AS (
    SELECT level, currency, day, CASE WHEN seq = $2 THEN 1 ELSE -1 END AS sign,
      items - lag(items, 1, 0) OVER w AS items,
      unfunded - lag(unfunded, 1, 0::numeric) OVER w AS unfunded,
      principal_cash - lag(principal_cash, 1, 0::numeric) OVER w AS principal_cash,
      principal_pik - lag(principal_pik, 1, 0::numeric) OVER w AS principal_pik,
      interest_accrued - lag(interest_accrued, 1, 0::numeric) OVER w AS interest_accrued,
      fees_accrued - lag(fees_accrued, 1, 0::numeric) OVER w AS fees_accrued,
      fx_revaluation - lag(fx_revaluation, 1, 0::numeric) OVER w AS fx_revaluation
    FROM total WINDOW w AS (PARTITION BY item, seq ORDER BY day)
  )
  SELECT level, currency, day, sum(sign * items)::bigint, sum(sign * unfunded)::bigint,
    sum(sign * principal_cash)::bigint, sum(sign * principal_pik)::bigint,
    sum(sign * interest_accrued)::bigint, sum(sign * fees_accrued)::bigint,
    sum(sign * fx_revaluation)::bigint
  FROM change GROUP BY level, currency, day
$$;

CREATE FUNCTION extend_totals(first_seq bigint, last_seq bigint) RETURNS void LANGUAGE sql
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
  INSERT INTO book_total (level, currency, grain, start, known_seq, items, unfunded,
    principal_cash, principal_pik, interest_accrued, fees_accrued, fx_revaluation)
  SELECT c.level, c.currency, c.grain, c.start, $2, coalesce(o.items, 0) + c.items,
    coalesce(o.unfunded, 0) + c.unfunded, coalesce(o.principal_cash, 0) + c.principal_cash,
    coalesce(o.principal_pik, 0) + c.principal_pik,
    coalesce(o.interest_accrued, 0) + c.interest_accrued,
    coalesce(o.fees_accrued, 0) + c.fees_accrued,
    coalesce(o.fx_revaluation, 0) + c.fx_revaluation
  FROM (
    SELECT c.level, c.currency, g.grain, date_trunc(g.grain, c.effective_date)::date AS start,
      sum(c.items)::bigint AS items, sum(c.unfunded)::bigint AS unfunded,
      sum(c.principal_cash)::bigint AS principal_cash,
      sum(c.principal_pik)::bigint AS principal_pik,
      sum(c.interest_accrued)::bigint AS interest_accrued,
      sum(c.fees_accrued)::bigint AS fees_accrued, sum(c.fx_revaluation)::bigint AS fx_revaluation
    FROM total_changes($1, $2) c CROSS JOIN (VALUES ('year'), ('month'), ('day')) g(grain)
    GROUP BY 1, 2, 3, 4
  ) c LEFT JOIN LATERAL (
    SELECT * FROM book_total t WHERE t.level = c.level AND t.currency = c.currency
      AND t.grain = c.grain AND t.start = c.start ORDER BY t.known_seq DESC LIMIT 1) o ON true
  WHERE (c.items, c.unfunded, c.principal_cash, c.principal_pik, c.interest_accrued,
    c.fees_accrued, c.fx_revaluation) <> (0, 0, 0, 0, 0, 0, 0)
$$;

-- Once for a transaction, at its end, after `extend_presence`: triggers go in the order of their names.
CREATE FUNCTION extend_totals() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  done bigint := coalesce(nullif(current_setting('cls.totals_through', true), ''), '0')::bigint;
  last_seq bigint;
BEGIN
  IF NEW.seq <= done THEN RETURN NULL; END IF;
  SELECT max(seq) INTO last_seq FROM journal;
  PERFORM extend_totals(NEW.seq, last_seq);
  PERFORM set_config('cls.totals_through', last_seq::text, true);
  RETURN NULL;
END $$;

-- Books from before.
DO $$
DECLARE batch record;
BEGIN
  FOR batch IN SELECT min(seq) AS first, max(seq) AS last FROM journal
               GROUP BY posted_at ORDER BY min(seq) LOOP
    PERFORM extend_totals(batch.first, batch.last);
  END LOOP;
END $$;

CREATE CONSTRAINT TRIGGER extend_totals AFTER INSERT ON journal
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION extend_totals();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON book_total
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER only_from_journals BEFORE INSERT ON book_total
  FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION refuse_change();

-- Who sees every deal sees their totals. A lender's own positions are not the book's.
ALTER TABLE entitlement_rule ENABLE ROW LEVEL SECURITY;
CREATE POLICY reader ON entitlement_rule FOR SELECT TO cls_reader
  USING (customer_id = current_setting('cls.customer', true));
GRANT SELECT ON entitlement_rule TO cls_reader;
ALTER TABLE book_total ENABLE ROW LEVEL SECURITY;
CREATE POLICY reader ON book_total FOR SELECT TO cls_reader USING (
  current_setting('cls.full_control', true) = 'on' OR EXISTS (
    SELECT FROM entitlement_rule r
    WHERE r.customer_id = current_setting('cls.customer', true) AND r.all_deals
      AND (book_total.level <> 'position' OR r.role = 'agent')));
GRANT SELECT ON book_total TO cls_reader;
