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

-- Presence, as before; what was left out at the end, because it follows its deal, is not looked for.
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
      bool_or(reverses) AS reversed
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
      bool_or(j.reverses) AS reversed
    FROM telling j CROSS JOIN LATERAL (
      SELECT line_key FROM posting WHERE journal_seq = j.seq OFFSET 0) p
    GROUP BY p.line_key
  ), touched AS (
    SELECT 'deal' AS kind, t.deal_key AS record_key, t.deal_key, t.earliest, t.reversed
    FROM touched_deal t
    UNION ALL
    SELECT 'facility', l.facility_key, l.deal_key, t.earliest, t.reversed
    FROM touched_line t JOIN balance_line l ON l.key = t.line_key
    UNION ALL
    SELECT 'contract', l.contract_key, l.deal_key, t.earliest, t.reversed
    FROM touched_line t JOIN balance_line l ON l.key = t.line_key AND l.contract_key <> 0
    UNION ALL
    SELECT 'position', q.key, l.deal_key, t.earliest, t.reversed
    FROM touched_line t JOIN balance_line l ON l.key = t.line_key AND l.lender_key <> 0
    JOIN lender_position q ON q.facility_key = l.facility_key AND q.lender_key = l.lender_key
    UNION ALL
    SELECT 'facility', x.facility_key, j.deal_key,
      CASE WHEN NOT j.reverses THEN j.effective_date END, j.reverses
    FROM telling j JOIN facility_terms x ON x.known_seq = j.terms_seq
    UNION ALL
    SELECT 'contract', x.contract_key, j.deal_key,
      CASE WHEN NOT j.reverses THEN j.effective_date END, j.reverses
    FROM telling j JOIN contract_terms x ON x.known_seq = j.terms_seq
  ), own AS (
    SELECT t.kind, t.record_key, t.deal_key, min(t.earliest) AS earliest,
      bool_or(t.reversed) AS reversed
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
      -- Only what is taken back or put back can move the date to a later one.
      CASE WHEN r.reversed
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
  CROSS JOIN LATERAL (SELECT NOT d.reversed OR EXISTS (SELECT FROM journal j
    WHERE j.effective_date = d.effective_date AND j.seq <= last_seq AND j.reverses_seq IS NULL
      AND journal_stands(j.seq, last_seq)) AS so) now_stands
  WHERE stood.so <> now_stands.so;
END $$;
