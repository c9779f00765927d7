-- Imports: what still ran once for each row runs once for a statement or a transaction, and refuses what it
-- refused before.

-- contract: 0.4.0 writes the same rows, and the new triggers run for it too

-- Once for a transaction, at its end. Three triggers waited for each journal, and the first one did it all:
-- now they wait for each statement, which raises the generation of the book.
DROP TRIGGER chain_journals ON journal;
DROP TRIGGER extend_presence ON journal;
DROP TRIGGER extend_totals ON journal;
DROP FUNCTION chain_journals();
DROP FUNCTION extend_presence();
DROP FUNCTION extend_totals();
CREATE FUNCTION close_journals() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE CONSTRAINT TRIGGER close_journals AFTER UPDATE ON book_state
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION close_journals();

-- What records name: looked up once for a statement, where a foreign key looks up and locks each row.
CREATE FUNCTION check_references() RETURNS trigger LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
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
END $$;
ALTER TABLE deal DROP CONSTRAINT deal_borrower_key_fkey, DROP CONSTRAINT deal_agent_key_fkey,
  DROP CONSTRAINT deal_guarantor_key_fkey;
ALTER TABLE facility DROP CONSTRAINT facility_deal_key_fkey;
ALTER TABLE loan_contract DROP CONSTRAINT loan_contract_deal_key_fkey,
  DROP CONSTRAINT loan_contract_facility_key_fkey;
ALTER TABLE lender_position DROP CONSTRAINT lender_position_deal_key_fkey,
  DROP CONSTRAINT lender_position_facility_key_fkey,
  DROP CONSTRAINT lender_position_lender_key_fkey;
DO $$
DECLARE
  named record; event text;
BEGIN
  FOR named IN SELECT * FROM (VALUES
    ('deal', $a$'borrower_key', 'party', 'agent_key', 'party', 'guarantor_key', 'party'$a$),
    ('facility', $a$'deal_key', 'deal'$a$),
    ('loan_contract', $a$'deal_key', 'deal', 'facility_key', 'facility'$a$),
    ('lender_position',
      $a$'deal_key', 'deal', 'facility_key', 'facility', 'lender_key', 'party'$a$)) v (child, keys)
  LOOP
    FOREACH event IN ARRAY ARRAY['INSERT', 'UPDATE'] LOOP
      EXECUTE format('CREATE TRIGGER check_references_of_%s AFTER %s ON %I
        REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION check_references(%s)',
        lower(event), event, named.child, named.keys);
    END LOOP;
  END LOOP;
END $$;
-- Deals and facilities stay already.
CREATE TRIGGER records_stay BEFORE UPDATE OF key OR DELETE OR TRUNCATE ON party
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_removal();

-- Hashes are written by the trigger alone, and `reconcile` makes each of them again.
ALTER TABLE journal_hash DROP CONSTRAINT journal_hash_hash_key,
  DROP CONSTRAINT journal_hash_hash_check;

-- Presence, as before. What was left out at the end, because it follows its deal, is not looked for; nor is
-- the first journal that stands, where what was taken back is later than it.
CREATE OR REPLACE FUNCTION extend_presence(first_seq bigint, last_seq bigint) RETURNS void LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_hashagg = off AS $$
BEGIN
  INSERT INTO presence (kind, record_key, known_seq, deal_key, since)
  WITH posted AS MATERIALIZED (
    SELECT seq, deal_key, effective_date, reverses_seq IS NOT NULL AS reverses,
      -- Whose terms it states or takes back.
      coalesce((SELECT s.seq FROM journal_standing s
        WHERE s.known_seq = journal.seq AND s.seq <> s.known_seq), seq) AS terms_seq
    FROM journal WHERE seq BETWEEN first_seq AND last_seq
  ), touched_deal AS MATERIALIZED (
    SELECT deal_key, min(effective_date) FILTER (WHERE NOT reverses) AS earliest,
      min(effective_date) FILTER (WHERE reverses) AS reversed_on
    FROM posted GROUP BY deal_key
  ), telling AS MATERIALIZED (
    -- Of deals with a record that has a date of its own: the others follow their deal.
    SELECT * FROM posted j WHERE EXISTS (SELECT FROM facility
        WHERE deal_key = j.deal_key AND NOT follows_journals OFFSET 0)
      OR EXISTS (SELECT FROM loan_contract
        WHERE deal_key = j.deal_key AND NOT follows_journals OFFSET 0)
      OR EXISTS (SELECT FROM lender_position
        WHERE deal_key = j.deal_key AND NOT follows_journals OFFSET 0)
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
    SELECT 'facility', x.facility_key, j.deal_key,
      CASE WHEN NOT j.reverses THEN j.effective_date END,
      CASE WHEN j.reverses THEN j.effective_date END
    FROM telling j JOIN facility_terms x ON x.known_seq = j.terms_seq
    UNION ALL
    SELECT 'contract', x.contract_key, j.deal_key,
      CASE WHEN NOT j.reverses THEN j.effective_date END,
      CASE WHEN j.reverses THEN j.effective_date END
    FROM telling j JOIN contract_terms x ON x.known_seq = j.terms_seq
  ), own AS (
    SELECT t.kind, t.record_key, t.deal_key, min(t.earliest) AS earliest,
      min(t.reversed_on) AS reversed_on
    FROM touched t GROUP BY t.kind, t.record_key, t.deal_key
  ), record AS MATERIALIZED (
    SELECT o.*,
      -- known_since(), written out: a call for each record costs more than its look-up.
      coalesce((SELECT p.since FROM presence p WHERE p.kind = o.kind AND p.record_key = o.record_key
          AND p.known_seq <= last_seq ORDER BY p.known_seq DESC LIMIT 1), r.booked_on) AS known
    FROM own o CROSS JOIN LATERAL (
      SELECT booked_on, follows_journals FROM deal WHERE o.kind = 'deal' AND key = o.record_key
      UNION ALL SELECT booked_on, follows_journals FROM facility
        WHERE o.kind = 'facility' AND key = o.record_key
      UNION ALL SELECT booked_on, follows_journals FROM loan_contract
        WHERE o.kind = 'contract' AND key = o.record_key
      UNION ALL SELECT booked_on, follows_journals FROM lender_position
        WHERE o.kind = 'position' AND key = o.record_key
    ) r
    WHERE o.kind = 'deal' OR NOT r.follows_journals
  ), stated AS MATERIALIZED (
    SELECT r.kind, r.record_key, r.deal_key,
      -- Only what is taken back or put back on that date, or before it, can move it to a later one.
      CASE WHEN r.reversed_on <= r.known
        THEN since_by_journals(r.kind, r.record_key, last_seq)
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
        FROM journal WHERE seq BETWEEN first_seq AND last_seq GROUP BY effective_date) d
  CROSS JOIN LATERAL (SELECT coalesce((SELECT b.stands FROM book_date b
    WHERE b.effective_date = d.effective_date ORDER BY b.known_seq DESC LIMIT 1), false) AS so
    ) stood
  -- By look-ups of the date's journals; otherwise a plan may ask of every journal of the book.
  CROSS JOIN LATERAL (SELECT NOT d.reversed OR EXISTS (SELECT FROM journal j
    WHERE j.effective_date = d.effective_date AND j.seq <= last_seq AND j.reverses_seq IS NULL
      AND journal_stands(j.seq, last_seq) OFFSET 0) AS so OFFSET 0) now_stands
  WHERE stood.so <> now_stands.so;
END $$;

-- Totals and what pages are sorted by, as before; an amount that an item had on many days goes in once.
CREATE OR REPLACE FUNCTION extend_totals(first_seq bigint, last_seq bigint) RETURNS void LANGUAGE sql
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
  WITH state AS MATERIALIZED (
    SELECT * FROM item_states($1, $2)
  ), kept AS (
    INSERT INTO sort_amount (level, sort, value, item_key, deal_key, lender_key)
    SELECT DISTINCT s.level, v.sort, v.value, i.key, s.deal_key, s.lender_key
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
