-- What made imports slow: checks and look-ups that ran once for each row run once for a statement. They
-- refuse what they refused before, with the same codes and names.

-- A foreign key looks its row up, and locks it, for each posting: a third of the time of an import.
-- Journals and lines are append-only, so nothing can be taken away from under a posting, and
-- `check_postings` looks at what comes in. Balances are written by the trigger alone, for lines that it
-- has just read.
ALTER TABLE posting DROP CONSTRAINT posting_journal_seq_fkey,
  DROP CONSTRAINT posting_line_key_fkey;
ALTER TABLE balance DROP CONSTRAINT balance_line_key_fkey;

-- The same for journals and lines, whose deals, facilities and imports stay where they are.
ALTER TABLE journal DROP CONSTRAINT journal_deal_key_fkey, DROP CONSTRAINT journal_import_key_fkey;
ALTER TABLE balance_line DROP CONSTRAINT balance_line_deal_key_fkey,
  DROP CONSTRAINT balance_line_facility_key_fkey,
  DROP CONSTRAINT balance_line_facility_key_currency_fkey;
ALTER TABLE facility DROP CONSTRAINT facility_key_currency_key;

CREATE FUNCTION refuse_removal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% keeps its records: journals name them', TG_TABLE_NAME USING ERRCODE = '23001';
END $$;
CREATE TRIGGER records_stay BEFORE UPDATE OF key OR DELETE OR TRUNCATE ON deal
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_removal();
CREATE TRIGGER records_stay BEFORE UPDATE OF key, deal_key, currency OR DELETE OR TRUNCATE ON facility
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_removal();
CREATE TRIGGER records_stay BEFORE UPDATE OF key OR DELETE OR TRUNCATE ON import_batch
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_removal();

CREATE FUNCTION refuse_reference(child text, reference text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'insert or update on table "%" violates foreign key constraint "%"', child, reference
    USING ERRCODE = '23503', TABLE = child, CONSTRAINT = reference;
END $$;

CREATE FUNCTION check_journal_references() RETURNS trigger LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  PERFORM refuse_reference('journal', 'journal_deal_key_fkey')
  FROM (SELECT DISTINCT deal_key FROM inserted) i
  WHERE (SELECT key FROM deal WHERE key = i.deal_key) IS NULL;
  PERFORM refuse_reference('journal', 'journal_import_key_fkey')
  FROM (SELECT DISTINCT import_key FROM inserted WHERE import_key IS NOT NULL) i
  WHERE (SELECT key FROM import_batch WHERE key = i.import_key) IS NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER check_journal_references AFTER INSERT ON journal
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION check_journal_references();

-- A line is of its facility's deal and currency: sums over a facility are of one currency.
CREATE FUNCTION check_line_references() RETURNS trigger LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  PERFORM refuse_reference('balance_line', 'balance_line_facility_key_fkey')
  FROM (SELECT DISTINCT facility_key, deal_key, currency FROM inserted) i
  WHERE (SELECT key FROM facility
    WHERE key = i.facility_key AND deal_key = i.deal_key AND currency = i.currency) IS NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER check_line_references AFTER INSERT ON balance_line
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION check_line_references();

-- The same index under two names.
DROP INDEX deal_booked_seq;

-- One pass over the postings of a statement, with one look-up of the journal and one of the line for each.
CREATE OR REPLACE FUNCTION check_postings() RETURNS trigger LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
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

  WITH p AS MATERIALIZED (
    SELECT i.*, j.posted_at, j.effective_date AS journal_date, j.deal_key AS journal_deal,
      l.deal_key, l.facility_key, l.contract_key, l.lender_key, l.currency
    FROM inserted i
    LEFT JOIN LATERAL (
      SELECT posted_at, effective_date, deal_key FROM journal WHERE seq = i.journal_seq OFFSET 0
    ) j ON true
    LEFT JOIN LATERAL (
      SELECT deal_key, facility_key, contract_key, lender_key, currency FROM balance_line
      WHERE key = i.line_key OFFSET 0
    ) l ON true
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
    string_agg(format('sum(sum(%1$I)) OVER past AS %1$I', component), ', '),
    string_agg(format('coalesce(o.%1$I, 0) + coalesce(m.%1$I, 0)', component), ', ')
  INTO columns, changes, of_sublimits, nothing, running, sums
  FROM balance_components();

  EXECUTE format($define$
CREATE OR REPLACE FUNCTION extend_balances() RETURNS trigger LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS %L
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
    SELECT e.parent_line_key AS line_key, p.effective_date, -sum(e.draws) AS unfunded,
      sum(e.uses) AS sublimit_used
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

-- As before, in a form that the planner writes into the statements that use it: comparing texts kept it
-- from doing so, and it was called for each posting.
CREATE OR REPLACE FUNCTION accrues_on(account ledger_account) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT account IN ('PRINCIPAL_CASH', 'PRINCIPAL_PIK', 'UNFUNDED', 'LETTER_OF_CREDIT')
$$;

CREATE OR REPLACE FUNCTION note_late_postings() RETURNS trigger LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM accrual_settlement) THEN RETURN NULL; END IF;
  INSERT INTO late_accrual_fact (facility_key, contract_key, effective_date, known_seq, deal_key)
  SELECT DISTINCT l.facility_key, l.contract_key, p.effective_date, p.journal_seq, l.deal_key
  FROM inserted p CROSS JOIN LATERAL (
    SELECT key, parent_line_key FROM balance_line WHERE key = p.line_key OFFSET 0
  ) own CROSS JOIN LATERAL (
    SELECT * FROM balance_line WHERE key IN (own.key, own.parent_line_key) OFFSET 0
  ) l
  WHERE accrues_on(p.account)
    AND EXISTS (SELECT FROM accrual_settlement a
      WHERE a.facility_key = l.facility_key AND a.contract_key = l.contract_key
        AND a.settled_through > p.effective_date)
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION journal_content(first bigint, last bigint)
 RETURNS TABLE(journal_seq bigint, content text)
 LANGUAGE plpgsql
 STABLE
 SET datestyle = 'ISO' AS $function$
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
        p.effective_date::text,
        coalesce(p.due_date::text, '-')), E'\n' ORDER BY p.number)
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

CREATE OR REPLACE FUNCTION extend_chain() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  step constant bigint := 10000;
  last bigint; newest bigint; hash text; journal record;
  seqs bigint[]; hashes text[];
BEGIN
  SELECT h.seq, h.hash INTO last, hash FROM journal_hash h ORDER BY h.seq DESC LIMIT 1;
  last := coalesce(last, 0);
  SELECT max(seq) INTO newest FROM journal;
  WHILE last < newest LOOP
    seqs := '{}';
    hashes := '{}';
    FOR journal IN SELECT * FROM journal_content(last + 1, least(last + step, newest)) LOOP
      -- chained_hash(), written out: a call for each journal costs more than the hash.
      hash := encode(sha256(convert_to(
        coalesce(hash, repeat('0', 64)) || E'\n' || journal.content, 'UTF8')), 'hex');
      seqs := array_append(seqs, journal.journal_seq);
      hashes := array_append(hashes, hash);
    END LOOP;
    INSERT INTO journal_hash (seq, hash) SELECT * FROM unnest(seqs, hashes);
    last := last + step;
  END LOOP;
END $$;

CREATE OR REPLACE FUNCTION extend_presence(first_seq bigint, last_seq bigint) RETURNS void LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
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
  ), touched_line AS MATERIALIZED (
    SELECT p.line_key, min(j.effective_date) FILTER (WHERE NOT j.reverses) AS earliest,
      bool_or(j.reverses) AS reversed
    FROM posted j CROSS JOIN LATERAL (
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
    FROM posted j JOIN facility_terms x ON x.known_seq = j.terms_seq
    UNION ALL
    SELECT 'contract', x.contract_key, j.deal_key,
      CASE WHEN NOT j.reverses THEN j.effective_date END, j.reverses
    FROM posted j JOIN contract_terms x ON x.known_seq = j.terms_seq
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
  SELECT r.facility_key, r.contract_key, r.start_date, k.seq, r.deal_key
  FROM inserted a
  CROSS JOIN LATERAL (SELECT * FROM rate_period
    WHERE facility_key = a.facility_key AND contract_key = a.contract_key
      AND start_date < a.settled_through OFFSET 0) r
  CROSS JOIN LATERAL (
    SELECT r.known_seq AS seq
    UNION ALL
    -- Few rates are taken back: the function is called for those.
    SELECT c.seq FROM (SELECT seq FROM journal WHERE reverses_seq = r.known_seq OFFSET 0) t
    CROSS JOIN LATERAL (SELECT t.seq UNION ALL SELECT reversals_of(t.seq)) c(seq)) k
  WHERE k.seq > a.known_seq
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
