-- The hash chain: each journal's hash covers what it says and the hash before it (docs/reference/ledger.md).

-- A row is the hash of a journal: it covers what the journal says and the hash before it.
CREATE TABLE journal_hash (
  seq bigint PRIMARY KEY,
  -- SHA-256, in hexadecimal digits, of the hash before, a line feed and the content.
  hash text NOT NULL
);

-- SHA-256 of the hash before, a line feed and the content.
CREATE FUNCTION chained_hash(previous text, content text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT encode(sha256(convert_to(
    coalesce(previous, repeat('0', 64)) || E'\n' || content, 'UTF8')), 'hex')
$$;

-- What records are called, as booked. A function of one statement becomes part of the plan around it.
CREATE FUNCTION record_names(first bigint, last bigint)
RETURNS TABLE (booked_seq bigint, line text) LANGUAGE sql STABLE AS $$
  SELECT y.booked_seq, concat_ws(' ', 'name', y.id, to_json(y.name), coalesce(to_json(y.legal_name)::text, '-'))
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

-- What the hash of each journal covers: the journal, its postings, the dated facts and the records that became
-- known with it. Its text is stated in docs/reference/ledger.md.
CREATE FUNCTION journal_content(first bigint, last bigint) RETURNS TABLE(journal_seq bigint, content text)
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
      SELECT l.key, l.currency, concat_ws(' ', f.id, coalesce(c.id, '-'), coalesce(y.id, '-')) AS name
      FROM (SELECT DISTINCT line_key FROM posting WHERE journal_seq BETWEEN $1 AND $2) p
      JOIN balance_line l ON l.key = p.line_key
      JOIN facility f ON f.key = l.facility_key
      LEFT JOIN loan_contract c ON c.key = l.contract_key
      LEFT JOIN party y ON y.key = l.lender_key
    ), fact (seq, line) AS (
      SELECT t.known_seq, concat_ws(' ', 'terms', d.id, to_char(t.effective_date, 'YYYY-MM-DD'), t.status)
      FROM deal_terms t JOIN deal d ON d.key = t.deal_key
      WHERE t.known_seq BETWEEN $1 AND $2
      UNION ALL
      SELECT t.known_seq, concat_ws(' ', 'terms', f.id, to_char(t.effective_date, 'YYYY-MM-DD'), t.status,
        coalesce(to_char(t.maturity_date, 'YYYY-MM-DD'), '-'),
        coalesce(to_char(t.availability_end_date, 'YYYY-MM-DD'), '-'))
      FROM facility_terms t JOIN facility f ON f.key = t.facility_key
      WHERE t.known_seq BETWEEN $1 AND $2
      UNION ALL
      SELECT t.known_seq, concat_ws(' ', 'terms', c.id, to_char(t.effective_date, 'YYYY-MM-DD'), t.status,
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
        SELECT y.booked_seq, concat_ws(' ', 'party', y.id, coalesce(y.country, '-'), coalesce(y.lei, '-'))
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
    SELECT j.seq, concat_ws(E'\n', 'cls-journal-1', concat_ws(' ', 'journal', j.seq, j.id, d.id, j.type,
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

-- Gives every journal that has no hash its hash, in order.
CREATE FUNCTION extend_chain() RETURNS void LANGUAGE plpgsql AS $$
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

-- What becomes known with a journal comes in the journal's transaction; check_postings sees to
-- postings.
CREATE FUNCTION check_chained() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE chained bigint;
BEGIN
  EXECUTE format('SELECT h.seq FROM inserted i JOIN journal_hash h ON h.seq = i.%s LIMIT 1',
    TG_ARGV[0]) INTO chained;
  IF chained IS NOT NULL THEN
    RAISE EXCEPTION '% is added to journal %, whose hash is made', TG_TABLE_NAME, chained
      USING ERRCODE = '23514', CONSTRAINT = 'known_with_its_journal';
  END IF;
  RETURN NULL;
END $$;

-- At the end of a transaction, once for all of its journals: their presence, totals and hashes.
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
