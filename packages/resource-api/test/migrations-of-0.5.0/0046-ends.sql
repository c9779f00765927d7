-- What ends: until when a facility can be drawn, and when a contract matures. Available amounts, past due
-- principal and commitment fees follow from these two functions. They are planned once a session.

-- The last day on which a facility can be drawn: its availability ends, or it matures. Null: no end is known.
CREATE FUNCTION drawable_until(asked_facility bigint, at date, known bigint) RETURNS date
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
    SELECT CASE WHEN t.facility_key IS NULL THEN least(f.availability_end_date, f.maturity_date)
                ELSE least(t.availability_end_date, t.maturity_date) END
    FROM facility f
    LEFT JOIN LATERAL (SELECT * FROM facility_terms t WHERE t.facility_key = f.key
      AND t.effective_date <= at AND t.known_seq <= known
      AND coalesce((SELECT s.stands FROM journal_standing s WHERE s.seq = t.known_seq
        AND s.known_seq <= known ORDER BY s.known_seq DESC LIMIT 1), true)
      ORDER BY t.effective_date DESC, t.known_seq DESC LIMIT 1) t ON true
    WHERE f.key = asked_facility);
END $$;

-- When a contract matures: at its own maturity, and with its facility at the latest. Contract 0: the facility.
CREATE FUNCTION matures_on(asked_facility bigint, asked_contract bigint, at date, known bigint) RETURNS date
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN least(
    (SELECT CASE WHEN t.facility_key IS NULL THEN f.maturity_date ELSE t.maturity_date END
     FROM facility f
     LEFT JOIN LATERAL (SELECT * FROM facility_terms t WHERE t.facility_key = f.key
       AND t.effective_date <= at AND t.known_seq <= known
       AND coalesce((SELECT s.stands FROM journal_standing s WHERE s.seq = t.known_seq
         AND s.known_seq <= known ORDER BY s.known_seq DESC LIMIT 1), true)
       ORDER BY t.effective_date DESC, t.known_seq DESC LIMIT 1) t ON true
     WHERE f.key = asked_facility),
    (SELECT CASE WHEN t.contract_key IS NULL THEN c.maturity_date ELSE t.maturity_date END
     FROM loan_contract c
     LEFT JOIN LATERAL (SELECT * FROM contract_terms t WHERE t.contract_key = c.key
       AND t.effective_date <= at AND t.known_seq <= known
       AND coalesce((SELECT s.stands FROM journal_standing s WHERE s.seq = t.known_seq
         AND s.known_seq <= known ORDER BY s.known_seq DESC LIMIT 1), true)
       ORDER BY t.effective_date DESC, t.known_seq DESC LIMIT 1) t ON true
     WHERE c.key = asked_contract));
END $$;

-- What is undrawn of a facility's line and not blocked; below zero where a lender funds more than its commitment.
CREATE OR REPLACE FUNCTION line_available(line bigint, at date, known bigint) RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
    SELECT CASE WHEN coalesce(drawable_until(l.facility_key, at, known) >= at, true)
      THEN b.unfunded - b.unavailable ELSE 0 END
    FROM balance_line l
    CROSS JOIN LATERAL (SELECT * FROM balance WHERE line_key = l.key AND effective_date <= at
      AND known_seq <= known ORDER BY effective_date DESC, known_seq DESC LIMIT 1) b
    WHERE l.key = line);
END $$;

-- Of a sublimit's line, as before: no more than the facility around it has. Lenders' parts are what is undrawn
-- of them, also below zero, or of a lower amount as much in proportion; they add up to the global amount.
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
  available := greatest(least(own, available), 0);
  IF line = global_line OR available = 0 THEN RETURN available; END IF;
  IF own <= available THEN RETURN line_available(line, at, known); END IF;
  RETURN (
    WITH part AS (
      SELECT b.key, p.id,
        coalesce(line_available(b.key, at, known), 0)::numeric * available AS exact
      FROM balance_line b JOIN party p ON p.key = b.lender_key
      WHERE b.facility_key = facility AND b.contract_key = 0 AND b.lender_key <> 0
    ), parted AS (
      -- A part below zero is rounded down too.
      SELECT key, id, exact, mod(mod(exact, own) + own, own) AS remainder FROM part
    ), ranked AS (
      SELECT key, div(exact - remainder, own) AS share,
        available - sum(div(exact - remainder, own)) OVER () AS left_over,
        row_number() OVER (ORDER BY remainder DESC, id COLLATE "C") AS rank
      FROM parted
    )
    SELECT (r.share + CASE WHEN r.rank <= r.left_over THEN 1 ELSE 0 END)::bigint
    FROM ranked r WHERE r.key = line);
END $$;

DO $$ BEGIN
  EXECUTE format('ALTER FUNCTION sublimit_available SET search_path = %I, pg_temp',
    current_schema());
END $$;

-- Terms that became known after a bill, or were taken back after it, and change on which of its days a
-- commitment fee accrued.
CREATE FUNCTION late_terms(facilities bigint[])
RETURNS TABLE (facility_key bigint, effective_date date, known_seq bigint, deal_key bigint)
LANGUAGE sql STABLE
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
  SELECT DISTINCT t.facility_key, t.effective_date, k.seq, t.deal_key
  FROM unnest(facilities) f (key)
  CROSS JOIN LATERAL (SELECT FROM accrual_settlement
    WHERE facility_key = f.key AND contract_key = 0 LIMIT 1) billed
  CROSS JOIN LATERAL (SELECT * FROM facility_terms WHERE facility_key = f.key OFFSET 0) t
  CROSS JOIN LATERAL (
    SELECT t.known_seq AS seq UNION ALL SELECT reversals_of(t.known_seq)) k
  WHERE EXISTS (SELECT FROM accrual_settlement a
    WHERE a.facility_key = t.facility_key AND a.contract_key = 0
      AND a.known_seq < k.seq AND a.settled_through > t.effective_date)
$$;

-- Each of the three may come last: the terms, the journal that takes them back, and the bill.
CREATE FUNCTION note_late_terms() RETURNS trigger LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  facilities bigint[];
BEGIN
  IF TG_TABLE_NAME = 'journal' THEN
    facilities := ARRAY(SELECT DISTINCT t.facility_key FROM inserted i CROSS JOIN LATERAL (
        SELECT facility_key FROM facility_terms WHERE known_seq = first_reversed(i.seq) OFFSET 0) t
      WHERE i.reverses_seq IS NOT NULL);
  ELSE
    facilities := ARRAY(SELECT DISTINCT facility_key FROM inserted);
  END IF;
  IF facilities = '{}' THEN RETURN NULL; END IF;
  INSERT INTO late_accrual_fact (facility_key, contract_key, effective_date, known_seq, deal_key)
  SELECT t.facility_key, 0, t.effective_date, t.known_seq, t.deal_key FROM late_terms(facilities) t
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER note_late_terms AFTER INSERT ON facility_terms
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION note_late_terms();
CREATE TRIGGER note_late_terms AFTER INSERT ON journal
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION note_late_terms();
CREATE TRIGGER note_late_terms AFTER INSERT ON accrual_settlement
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION note_late_terms();

INSERT INTO late_accrual_fact (facility_key, contract_key, effective_date, known_seq, deal_key)
SELECT t.facility_key, 0, t.effective_date, t.known_seq, t.deal_key
FROM late_terms(ARRAY(
  SELECT DISTINCT facility_key FROM accrual_settlement WHERE contract_key = 0)) t
ON CONFLICT DO NOTHING;
