-- What may be drawn under a sublimit follows the terms that stand: terms whose journal was taken back
-- do not count, of the sublimit or of the facility around it. The functions are planned once a session:
-- a function in SQL that is not inlined is planned by every statement that calls it, 6 ms for a page.
CREATE OR REPLACE FUNCTION line_available(line bigint, at date, known bigint) RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
    SELECT CASE WHEN coalesce(CASE WHEN t.facility_key IS NULL THEN f.availability_end_date
                                   ELSE t.availability_end_date END >= at, true)
      THEN greatest(b.unfunded - b.unavailable, 0) ELSE 0 END
    FROM balance_line l JOIN facility f ON f.key = l.facility_key
    CROSS JOIN LATERAL (SELECT * FROM balance WHERE line_key = l.key AND effective_date <= at
      AND known_seq <= known ORDER BY effective_date DESC, known_seq DESC LIMIT 1) b
    LEFT JOIN LATERAL (SELECT * FROM facility_terms t WHERE t.facility_key = f.key
      AND t.effective_date <= at AND t.known_seq <= known
      AND coalesce((SELECT s.stands FROM journal_standing s WHERE s.seq = t.known_seq
        AND s.known_seq <= known ORDER BY s.known_seq DESC LIMIT 1), true)
      ORDER BY t.effective_date DESC, t.known_seq DESC LIMIT 1) t ON true
    WHERE l.key = line);
END $$;

CREATE OR REPLACE FUNCTION sublimit_available(line bigint, at date, known bigint) RETURNS bigint
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  global_line bigint;
  facility bigint;
  own bigint;
  available bigint;
BEGIN
  SELECT g.key, g.facility_key, coalesce(line_available(g.key, at, known), 0),
    coalesce(line_available(g.parent_line_key, at, known), 0)
  INTO global_line, facility, own, available
  FROM balance_line l JOIN balance_line g
    ON g.facility_key = l.facility_key AND g.contract_key = 0 AND g.lender_key = 0
  WHERE l.key = line;
  available := least(own, available);
  IF line = global_line THEN RETURN available; END IF;
  IF own <= available THEN RETURN line_available(line, at, known); END IF;
  RETURN (
    WITH part AS (
      SELECT b.key, p.id,
        coalesce(line_available(b.key, at, known), 0)::numeric * available AS exact
      FROM balance_line b JOIN party p ON p.key = b.lender_key
      WHERE b.facility_key = facility AND b.contract_key = 0 AND b.lender_key <> 0
    ), ranked AS (
      SELECT key, div(exact, own) AS share, available - sum(div(exact, own)) OVER () AS left_over,
        row_number() OVER (ORDER BY mod(exact, own) DESC, id COLLATE "C") AS rank
      FROM part
    )
    SELECT (r.share + CASE WHEN r.rank <= r.left_over THEN 1 ELSE 0 END)::bigint
    FROM ranked r WHERE r.key = line);
END $$;

DO $$ BEGIN
  EXECUTE format('ALTER FUNCTION sublimit_available SET search_path = %I, pg_temp',
    current_schema());
END $$;
