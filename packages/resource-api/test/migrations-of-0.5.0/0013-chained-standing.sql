-- Whether a record follows its journals is part of the chain. No release had a chain before, so
-- nobody keeps a head of it: it is made anew.
CREATE OR REPLACE FUNCTION journal_content(first bigint, last bigint)
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

ALTER TABLE journal_hash DISABLE TRIGGER append_only;
DELETE FROM journal_hash;
ALTER TABLE journal_hash ENABLE TRIGGER append_only;
ALTER TABLE journal_hash DISABLE TRIGGER only_from_journals;
SELECT extend_chain();
ALTER TABLE journal_hash ENABLE TRIGGER only_from_journals;
