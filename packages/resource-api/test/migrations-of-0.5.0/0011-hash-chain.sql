-- Journals are chained: each has a hash of the one before and of all that became known with it.
-- docs/ledger.md, "The chain", says how to recompute it. The first line of a content names the
-- version. A later kind of line belongs to the same version where older journals have none of it.

CREATE TABLE journal_hash (
  seq bigint PRIMARY KEY,
  -- SHA-256, in hexadecimal digits, of the hash before, a line feed and the content.
  hash text NOT NULL UNIQUE CHECK (hash ~ '^[0-9a-f]{64}$')
);

-- What became known with a journal is found by its sequence.
CREATE INDEX deal_terms_known ON deal_terms (known_seq);
CREATE INDEX facility_terms_known ON facility_terms (known_seq);
CREATE INDEX contract_terms_known ON contract_terms (known_seq);
CREATE INDEX rate_period_known ON rate_period (known_seq);
CREATE INDEX accrual_settlement_known ON accrual_settlement (known_seq);
CREATE INDEX party_booked ON party (booked_seq);
CREATE INDEX deal_booked ON deal (booked_seq);
CREATE INDEX facility_booked ON facility (booked_seq);
CREATE INDEX loan_contract_booked ON loan_contract (booked_seq);
CREATE INDEX lender_position_booked ON lender_position (booked_seq);

-- The content of journals, as text that is the same on every server: dates and times in one format,
-- ids in place of keys, free text as JSON strings, `-` for nothing.
CREATE FUNCTION journal_content(first bigint, last bigint)
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
      -- Records may come without a journal, after the one they are booked with: they are part of
      -- the next.
      SELECT y.booked_seq + 1, concat_ws(' ', 'party', y.id, coalesce(y.country, '-'),
        coalesce(y.lei, '-'))
      FROM party y WHERE y.booked_seq BETWEEN $1 - 1 AND $2 - 1
      UNION ALL
      SELECT d.booked_seq + 1, concat_ws(' ', 'deal', d.id, to_json(d.deal_number), b.id, a.id,
        coalesce(g.id, '-'), d.status, coalesce(to_char(d.closing_date, 'YYYY-MM-DD'), '-'),
        to_char(d.booked_on, 'YYYY-MM-DD'))
      FROM deal d JOIN party b ON b.key = d.borrower_key JOIN party a ON a.key = d.agent_key
      LEFT JOIN party g ON g.key = d.guarantor_key
      WHERE d.booked_seq BETWEEN $1 - 1 AND $2 - 1
      UNION ALL
      SELECT f.booked_seq + 1, concat_ws(' ', 'facility', f.id, d.id, f.type, f.currency, f.day_count,
        f.pik_uses_commitment::text, f.status,
        coalesce(to_char(f.effective_date, 'YYYY-MM-DD'), '-'),
        coalesce(to_char(f.maturity_date, 'YYYY-MM-DD'), '-'),
        coalesce(to_char(f.availability_end_date, 'YYYY-MM-DD'), '-'),
        to_char(f.booked_on, 'YYYY-MM-DD'))
      FROM facility f JOIN deal d ON d.key = f.deal_key
      WHERE f.booked_seq BETWEEN $1 - 1 AND $2 - 1
      UNION ALL
      SELECT c.booked_seq + 1, concat_ws(' ', 'contract', c.id, f.id, to_json(c.contract_number),
        c.currency, c.status, coalesce(to_char(c.effective_date, 'YYYY-MM-DD'), '-'),
        coalesce(to_char(c.maturity_date, 'YYYY-MM-DD'), '-'),
        coalesce(trim_scale(c.all_in_rate)::text, '-'), coalesce(r.id, '-'),
        to_char(c.booked_on, 'YYYY-MM-DD'))
      FROM loan_contract c JOIN facility f ON f.key = c.facility_key
      LEFT JOIN loan_contract r ON r.key = c.rolled_from_key
      WHERE c.booked_seq BETWEEN $1 - 1 AND $2 - 1
      UNION ALL
      SELECT p.booked_seq + 1, concat_ws(' ', 'position', p.id, f.id, y.id, p.kind,
        coalesce(q.id, '-'), to_char(p.booked_on, 'YYYY-MM-DD'))
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

CREATE FUNCTION chained_hash(previous text, content text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT encode(sha256(convert_to(
    coalesce(previous, repeat('0', 64)) || E'\n' || content, 'UTF8')), 'hex')
$$;

-- Gives every journal that has no hash its hash, in order.
CREATE FUNCTION extend_chain() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  step constant bigint := 2000;
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
      hash := chained_hash(hash, journal.content);
      seqs := array_append(seqs, journal.journal_seq);
      hashes := array_append(hashes, hash);
    END LOOP;
    INSERT INTO journal_hash (seq, hash) SELECT * FROM unnest(seqs, hashes);
    last := last + step;
  END LOOP;
END $$;

-- Journals that were posted before this migration.
SELECT extend_chain();

CREATE FUNCTION chain_journals() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- The first journal of a transaction that gets here takes the others with it.
  IF NOT EXISTS (SELECT FROM journal_hash WHERE seq = NEW.seq) THEN
    PERFORM extend_chain();
  END IF;
  RETURN NULL;
END $$;
-- At the end of the transaction, when all that became known with the journal is there.
CREATE CONSTRAINT TRIGGER chain_journals AFTER INSERT ON journal
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION chain_journals();

CREATE TRIGGER only_from_journals BEFORE INSERT ON journal_hash
  FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON journal_hash
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

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
DO $$
DECLARE name text; chained_with text;
BEGIN
  FOR name, chained_with IN VALUES
    ('deal_terms', 'known_seq'), ('facility_terms', 'known_seq'), ('contract_terms', 'known_seq'),
    ('rate_period', 'known_seq'), ('accrual_settlement', 'known_seq'), ('party', 'booked_seq + 1'),
    ('deal', 'booked_seq + 1'), ('facility', 'booked_seq + 1'), ('loan_contract', 'booked_seq + 1'),
    ('lender_position', 'booked_seq + 1')
  LOOP
    EXECUTE format('CREATE TRIGGER check_chained AFTER INSERT ON %I REFERENCING NEW TABLE AS inserted
      FOR EACH STATEMENT EXECUTE FUNCTION check_chained(%L)', name, chained_with);
  END LOOP;
END $$;
