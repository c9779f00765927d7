-- What becomes visible is a journal, with a time and a sequence; and the hash of a journal covers the names
-- of its records.
--
-- Records that come to a deal without a journal of that deal get one of their own, of type `records`: it has
-- no postings and no date, because each record states its own. Before, they were known with a journal that
-- had been answered already.
--
-- contract: the former build goes on; only a file of records alone, which it books with a journal that has its hash, is refused to it

-- Nobody posts between here and the end of the migration: `names_from` is the next journal.
SELECT pg_advisory_xact_lock(7204312);

-- contract: the former build writes no such journal, and reads one by its deal and sequence alone
ALTER TABLE journal ALTER effective_date DROP NOT NULL,
  ADD CONSTRAINT journal_records_undated
    CHECK ((type = 'records') = (effective_date IS NULL)) NOT VALID,
  ADD CONSTRAINT journal_records_stay
    CHECK (type <> 'records' OR reverses_seq IS NULL) NOT VALID;

-- The first journal whose hash covers names. It covers the names from before, too.
-- lock: the table has one row, and the lock of all postings is held
ALTER TABLE book_state ADD COLUMN names_from bigint NOT NULL DEFAULT next_journal_seq();

-- What records are called, as booked. A function of one statement becomes part of the plan around it.
CREATE FUNCTION record_names(first bigint, last bigint)
RETURNS TABLE (booked_seq bigint, line text) LANGUAGE sql STABLE AS $$
  SELECT y.booked_seq, concat_ws(' ', 'name', y.id, to_json(y.name),
    coalesce(to_json(y.legal_name)::text, '-'))
  FROM party y WHERE y.booked_seq BETWEEN $1 AND $2
  UNION ALL
  SELECT d.booked_seq, concat_ws(' ', 'name', d.id, to_json(d.name), to_json(d.country))
  FROM deal d WHERE d.booked_seq BETWEEN $1 AND $2
  UNION ALL
  SELECT f.booked_seq, concat_ws(' ', 'name', f.id, to_json(f.name))
  FROM facility f WHERE f.booked_seq BETWEEN $1 AND $2
  UNION ALL
  SELECT r.booked_seq, concat_ws(' ', 'external', r.id, to_json(x.source), to_json(x.value))
  FROM (
    SELECT y.booked_seq, y.id FROM party y WHERE y.booked_seq BETWEEN $1 AND $2
    UNION ALL SELECT d.booked_seq, d.id FROM deal d WHERE d.booked_seq BETWEEN $1 AND $2
    UNION ALL SELECT f.booked_seq, f.id FROM facility f WHERE f.booked_seq BETWEEN $1 AND $2
    UNION ALL SELECT c.booked_seq, c.id FROM loan_contract c WHERE c.booked_seq BETWEEN $1 AND $2
  ) r JOIN external_id x ON x.entity_id = r.id
$$;

-- As before, with these lines; and a record is part of the journal that it became known with.
CREATE OR REPLACE FUNCTION journal_content(first bigint, last bigint)
 RETURNS TABLE(journal_seq bigint, content text)
 LANGUAGE plpgsql
 STABLE
 SET datestyle = 'ISO' AS $function$
DECLARE
  -- The first journal that takes its own records in, and not those of the journal before.
  own_from constant bigint := (SELECT names_from FROM book_state);
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
      SELECT CASE WHEN r.booked_seq < $5 THEN r.booked_seq + 1 ELSE r.booked_seq END, r.line
      FROM (
        SELECT y.booked_seq, concat_ws(' ', 'party', y.id, coalesce(y.country, '-'),
          coalesce(y.lei, '-'))
        FROM party y WHERE y.booked_seq BETWEEN $3 AND $4
        UNION ALL
        SELECT d.booked_seq, concat_ws(' ', 'deal', d.id, to_json(d.deal_number), b.id, a.id,
          coalesce(g.id, '-'), d.status, coalesce(to_char(d.closing_date, 'YYYY-MM-DD'), '-'),
          to_char(d.booked_on, 'YYYY-MM-DD'), d.follows_journals::text)
        FROM deal d JOIN party b ON b.key = d.borrower_key JOIN party a ON a.key = d.agent_key
        LEFT JOIN party g ON g.key = d.guarantor_key
        WHERE d.booked_seq BETWEEN $3 AND $4
        UNION ALL
        SELECT f.booked_seq, concat_ws(' ', 'facility', f.id, d.id, f.type, f.currency, f.day_count,
          f.pik_uses_commitment::text, f.status,
          coalesce(to_char(f.effective_date, 'YYYY-MM-DD'), '-'),
          coalesce(to_char(f.maturity_date, 'YYYY-MM-DD'), '-'),
          coalesce(to_char(f.availability_end_date, 'YYYY-MM-DD'), '-'),
          to_char(f.booked_on, 'YYYY-MM-DD'), f.follows_journals::text)
        FROM facility f JOIN deal d ON d.key = f.deal_key
        WHERE f.booked_seq BETWEEN $3 AND $4
        UNION ALL
        SELECT s.booked_seq, concat_ws(' ', 'sublimit', s.id, f.id)
        FROM facility s JOIN facility f ON f.key = s.sublimit_of_key
        WHERE s.booked_seq BETWEEN $3 AND $4
        UNION ALL
        SELECT c.booked_seq, concat_ws(' ', 'contract', c.id, f.id, to_json(c.contract_number),
          c.currency, c.status, coalesce(to_char(c.effective_date, 'YYYY-MM-DD'), '-'),
          coalesce(to_char(c.maturity_date, 'YYYY-MM-DD'), '-'),
          coalesce(trim_scale(c.all_in_rate)::text, '-'), coalesce(r.id, '-'),
          to_char(c.booked_on, 'YYYY-MM-DD'), c.follows_journals::text)
        FROM loan_contract c JOIN facility f ON f.key = c.facility_key
        LEFT JOIN loan_contract r ON r.key = c.rolled_from_key
        WHERE c.booked_seq BETWEEN $3 AND $4
        UNION ALL
        SELECT p.booked_seq, concat_ws(' ', 'position', p.id, f.id, y.id, p.kind,
          coalesce(q.id, '-'), to_char(p.booked_on, 'YYYY-MM-DD'), p.follows_journals::text)
        FROM lender_position p JOIN facility f ON f.key = p.facility_key
        JOIN party y ON y.key = p.lender_key
        LEFT JOIN lender_position q ON q.key = p.parent_key
        WHERE p.booked_seq BETWEEN $3 AND $4
      ) r (booked_seq, line)
      UNION ALL
      SELECT n.booked_seq, n.line FROM record_names(greatest($1, $5), $2) n
      UNION ALL
      SELECT $5, concat_ws(' ', 'names', count(*), encode(sha256(convert_to(
        string_agg(n.line, E'\n' ORDER BY n.line COLLATE "C"), 'UTF8')), 'hex'))
      FROM record_names(0, $5 - 1) n WHERE $5 BETWEEN $1 AND $2 HAVING count(*) > 0
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
        coalesce(to_char(j.effective_date, 'YYYY-MM-DD'), '-'),
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
  $content$ USING first, last, first - (first <= own_from)::int, last - (last < own_from)::int, own_from;
END $function$;

-- A record comes before its journal has a hash.
-- contract: they refuse records that the former build writes without a journal
DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['party', 'deal', 'facility', 'loan_contract', 'lender_position'] LOOP
    EXECUTE format('CREATE OR REPLACE TRIGGER check_chained AFTER INSERT ON %I
      REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT
      EXECUTE FUNCTION check_chained(%L)', name, 'booked_seq');
  END LOOP;
END $$;

-- A journal without a date is no date of the book, and no reversal mirrors it.
DO $$
DECLARE
  function regprocedure; before text; after text; definition text;
BEGIN
  FOR function, before, after IN VALUES
    ('extend_presence(bigint, bigint)'::regprocedure,
      'WHERE seq BETWEEN first_seq AND last_seq GROUP BY effective_date',
      'WHERE seq BETWEEN first_seq AND last_seq AND effective_date IS NOT NULL GROUP BY effective_date'),
    ('check_reversals()'::regprocedure, 'o.effective_date <> r.effective_date',
      'o.effective_date IS DISTINCT FROM r.effective_date')
  LOOP
    definition := pg_get_functiondef(function);
    IF strpos(definition, before) = 0 THEN RAISE EXCEPTION '% is another one', function; END IF;
    EXECUTE replace(definition, before, after);
  END LOOP;
END $$;
