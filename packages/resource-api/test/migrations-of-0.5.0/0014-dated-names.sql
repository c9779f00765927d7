-- Names change: a deal's name, borrower, guarantor and country, a facility's name and a party's name
-- carry an effective date and the sequence of the journal that they became known with, as terms do.
-- Before the first of them stands what the record was booked with.

CREATE TABLE deal_details (
  deal_key bigint NOT NULL REFERENCES deal,
  effective_date date NOT NULL,
  known_seq bigint NOT NULL REFERENCES journal,
  name text NOT NULL,
  borrower_key bigint NOT NULL REFERENCES party,
  guarantor_key bigint REFERENCES party,
  country text NOT NULL,
  PRIMARY KEY (deal_key, effective_date, known_seq)
);
CREATE INDEX deal_details_borrower ON deal_details (borrower_key);
CREATE INDEX deal_details_guarantor ON deal_details (guarantor_key);
CREATE INDEX deal_details_country ON deal_details (country);
CREATE TABLE facility_details (
  facility_key bigint NOT NULL REFERENCES facility,
  deal_key bigint NOT NULL REFERENCES deal,
  effective_date date NOT NULL,
  known_seq bigint NOT NULL REFERENCES journal,
  name text NOT NULL,
  PRIMARY KEY (facility_key, effective_date, known_seq)
);
CREATE TABLE party_details (
  party_key bigint NOT NULL REFERENCES party,
  effective_date date NOT NULL,
  known_seq bigint NOT NULL REFERENCES journal,
  name text NOT NULL,
  PRIMARY KEY (party_key, effective_date, known_seq)
);
CREATE INDEX party_details_name ON party_details (name);
CREATE INDEX deal_details_known ON deal_details (known_seq);
CREATE INDEX facility_details_known ON facility_details (known_seq);
CREATE INDEX party_details_known ON party_details (known_seq);

-- Whether what became known with a journal counts, by all that is known.
CREATE FUNCTION counts_now(known_seq bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT s.stands FROM journal_standing s
    WHERE s.seq = $1 ORDER BY s.known_seq DESC LIMIT 1), true)
$$;
CREATE FUNCTION party_name(party_key bigint, on_date date) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT t.name FROM party_details t
    WHERE t.party_key = $1 AND t.effective_date <= $2 AND counts_now(t.known_seq)
    ORDER BY t.effective_date DESC, t.known_seq DESC LIMIT 1),
    (SELECT name FROM party WHERE key = $1))
$$;

-- Borrower and country of each deal by the newest facts, and as of today.
CREATE VIEW deal_now WITH (security_invoker = true) AS
SELECT d.key AS deal_key, coalesce(n.borrower_key, d.borrower_key) AS borrower_key,
  coalesce(n.country, d.country) AS country, n.effective_date AS since,
  coalesce(t.borrower_key, d.borrower_key) AS borrower_today,
  coalesce(t.country, d.country) AS country_today
FROM deal d
LEFT JOIN LATERAL (SELECT * FROM deal_details t
  WHERE t.deal_key = d.key AND counts_now(t.known_seq)
  ORDER BY t.effective_date DESC, t.known_seq DESC LIMIT 1) n ON true
LEFT JOIN LATERAL (SELECT * FROM deal_details t
  WHERE t.deal_key = d.key AND counts_now(t.known_seq)
    AND t.effective_date <= (now() AT TIME ZONE 'UTC')::date
  ORDER BY t.effective_date DESC, t.known_seq DESC LIMIT 1) t ON true;

-- What a rule grants: a rule by borrower or country the deals that the newest facts say are its
-- own, from the day of these facts on. A former borrower's rule grants nothing of the deal any more.
CREATE VIEW deal_grant WITH (security_invoker = true) AS
SELECT r.key AS rule_key, r.customer_id, n.deal_key, r.role, r.lender_key,
  CASE WHEN r.all_deals OR r.deal_key IS NOT NULL OR n.borrower_today = r.borrower_key
    OR n.country_today = r.country THEN '-infinity' ELSE n.since END AS since
FROM entitlement_rule r JOIN deal_now n ON r.all_deals OR n.deal_key = r.deal_key
  OR n.borrower_key = r.borrower_key OR n.country = r.country;

ALTER TABLE entitlement ADD COLUMN since date NOT NULL DEFAULT '-infinity';
-- Every policy looks here as the reader, so a grant that has not begun shows nothing anywhere.
DROP POLICY reader ON entitlement;
CREATE POLICY reader ON entitlement FOR SELECT TO cls_reader USING (
  customer_id = current_setting('cls.customer', true)
  AND since <= (now() AT TIME ZONE 'UTC')::date);

CREATE OR REPLACE FUNCTION grant_deals() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(7204313);
  INSERT INTO entitlement (rule_key, customer_id, deal_key, role, lender_key, since)
  SELECT g.rule_key, g.customer_id, g.deal_key, g.role, g.lender_key, g.since
  FROM deal_grant g WHERE g.rule_key IN (SELECT key FROM inserted);
  PERFORM pg_notify('cls_ledger_change', 'entitlement');
  RETURN NULL;
END $$;

-- After the facts of deals changed: who sees them.
CREATE FUNCTION grant_again(deals bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE affected text[]; added text[];
BEGIN
  PERFORM pg_advisory_xact_lock(7204313);
  WITH granted AS MATERIALIZED (SELECT * FROM deal_grant WHERE deal_key = ANY(deals)), gone AS (
    DELETE FROM entitlement e WHERE e.deal_key = ANY(deals) AND NOT EXISTS (
      SELECT FROM granted g
      WHERE g.rule_key = e.rule_key AND g.deal_key = e.deal_key AND g.since = e.since)
    RETURNING e.customer_id)
  SELECT array_agg(DISTINCT customer_id) INTO affected FROM gone;
  WITH made AS (
    INSERT INTO entitlement (rule_key, customer_id, deal_key, role, lender_key, since)
    SELECT g.rule_key, g.customer_id, g.deal_key, g.role, g.lender_key, g.since
    FROM deal_grant g WHERE g.deal_key = ANY(deals)
    ON CONFLICT DO NOTHING RETURNING customer_id)
  SELECT array_agg(DISTINCT customer_id) INTO added FROM made;
  INSERT INTO grant_change
  SELECT DISTINCT customer, posting_time() FROM unnest(affected || added) AS c(customer)
  ON CONFLICT (customer_id) DO UPDATE SET changed_at = EXCLUDED.changed_at;
END $$;
CREATE FUNCTION grant_by_details() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM grant_again(array_agg(DISTINCT deal_key)) FROM inserted HAVING count(*) > 0;
  RETURN NULL;
END $$;
CREATE TRIGGER grant_by_details AFTER INSERT ON deal_details
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION grant_by_details();
CREATE FUNCTION grant_by_standing() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM grant_again(array_agg(DISTINCT t.deal_key))
  FROM inserted i JOIN deal_details t ON t.known_seq = i.seq HAVING count(*) > 0;
  RETURN NULL;
END $$;
CREATE TRIGGER grant_by_standing AFTER INSERT ON journal_standing
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION grant_by_standing();

DO $$
DECLARE
  sees_deal constant text := 'current_setting(''cls.full_control'', true) = ''on'' OR EXISTS (
    SELECT FROM entitlement e
    WHERE e.customer_id = current_setting(''cls.customer'', true) AND e.deal_key = %1$I.deal_key)';
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['deal_details', 'facility_details'] LOOP
    EXECUTE format('CREATE POLICY reader ON %1$I FOR SELECT TO cls_reader USING (' || sees_deal || ')',
      name);
  END LOOP;
  FOREACH name IN ARRAY ARRAY['deal_details', 'facility_details', 'party_details'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('GRANT SELECT ON %I TO cls_reader', name);
    EXECUTE format('CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON %I
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()', name);
    EXECUTE format('CREATE TRIGGER check_chained AFTER INSERT ON %I REFERENCING NEW TABLE AS inserted
      FOR EACH STATEMENT EXECUTE FUNCTION check_chained(%L)', name, 'known_seq');
  END LOOP;
END $$;
CREATE POLICY reader ON party_details FOR SELECT TO cls_reader
  USING (EXISTS (SELECT FROM party y WHERE y.key = party_key));
DROP POLICY reader ON party;
CREATE POLICY reader ON party FOR SELECT TO cls_reader USING (
  current_setting('cls.full_control', true) = 'on'
  OR EXISTS (SELECT FROM deal d WHERE d.borrower_key = party.key)
  OR EXISTS (SELECT FROM deal d WHERE d.agent_key = party.key)
  OR EXISTS (SELECT FROM deal d WHERE d.guarantor_key = party.key)
  OR EXISTS (SELECT FROM deal_details t WHERE t.borrower_key = party.key)
  OR EXISTS (SELECT FROM deal_details t WHERE t.guarantor_key = party.key)
  OR EXISTS (SELECT FROM lender_position p WHERE p.lender_key = party.key));

-- Names are part of what the hash of a journal covers: lines of a kind that older journals have
-- none of.
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
