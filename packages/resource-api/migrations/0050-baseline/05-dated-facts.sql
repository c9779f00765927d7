-- Terms and names that change, each from a date on.

-- A row is terms from a date on, whole at each change, like balances: the newest at or before a date, of what
-- was known. Before the first of them stands what the record was booked with.
CREATE TABLE deal_terms (
  deal_key bigint NOT NULL REFERENCES deal,
  effective_date date NOT NULL,
  known_seq bigint NOT NULL REFERENCES journal,
  status text NOT NULL CHECK (status IN ('pending', 'active', 'matured', 'terminated')),
  PRIMARY KEY (deal_key, effective_date, known_seq)
);

-- A row is the terms of a facility from a date on.
CREATE TABLE facility_terms (
  facility_key bigint NOT NULL REFERENCES facility,
  deal_key bigint NOT NULL REFERENCES deal,
  effective_date date NOT NULL,
  known_seq bigint NOT NULL REFERENCES journal,
  status text NOT NULL CHECK (status IN ('pending', 'active', 'matured', 'terminated')),
  maturity_date date, availability_end_date date,
  PRIMARY KEY (facility_key, effective_date, known_seq)
);

-- A row is the terms of a contract from a date on.
CREATE TABLE contract_terms (
  contract_key bigint NOT NULL REFERENCES loan_contract,
  deal_key bigint NOT NULL REFERENCES deal,
  effective_date date NOT NULL,
  known_seq bigint NOT NULL REFERENCES journal,
  status text NOT NULL CHECK (status IN ('pending', 'active', 'repaid', 'written_off')),
  maturity_date date,
  all_in_rate numeric(20, 12),
  PRIMARY KEY (contract_key, effective_date, known_seq)
);

-- A row is a deal's name, borrower, guarantor and country from a date on.
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

-- A row is a facility's name from a date on.
CREATE TABLE facility_details (
  facility_key bigint NOT NULL REFERENCES facility,
  deal_key bigint NOT NULL REFERENCES deal,
  effective_date date NOT NULL,
  known_seq bigint NOT NULL REFERENCES journal,
  name text NOT NULL,
  PRIMARY KEY (facility_key, effective_date, known_seq)
);

-- A row is a party's name from a date on.
CREATE TABLE party_details (
  party_key bigint NOT NULL REFERENCES party,
  effective_date date NOT NULL,
  known_seq bigint NOT NULL REFERENCES journal,
  name text NOT NULL,
  PRIMARY KEY (party_key, effective_date, known_seq)
);

-- Borrower and country of each deal by the newest facts, and as of today.
CREATE VIEW deal_now WITH (security_invoker = true) AS
SELECT d.key AS deal_key, coalesce(n.borrower_key, d.borrower_key) AS borrower_key,
  coalesce(n.country, d.country) AS country, n.effective_date AS since,
  coalesce(t.borrower_key, d.borrower_key) AS borrower_today,
  coalesce(t.country, d.country) AS country_today
FROM deal d
LEFT JOIN LATERAL (SELECT * FROM deal_details t WHERE t.deal_key = d.key AND counts_now(t.known_seq)
  ORDER BY t.effective_date DESC, t.known_seq DESC LIMIT 1) n ON true
LEFT JOIN LATERAL (SELECT * FROM deal_details t WHERE t.deal_key = d.key AND counts_now(t.known_seq)
    AND t.effective_date <= (now() AT TIME ZONE 'UTC')::date
  ORDER BY t.effective_date DESC, t.known_seq DESC LIMIT 1) t ON true;

-- What a party is called on a date.
CREATE FUNCTION party_name(party_key bigint, on_date date) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT t.name FROM party_details t
    WHERE t.party_key = $1 AND t.effective_date <= $2 AND counts_now(t.known_seq)
    ORDER BY t.effective_date DESC, t.known_seq DESC LIMIT 1),
    (SELECT name FROM party WHERE key = $1))
$$;

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
    (SELECT CASE WHEN t.facility_key IS NULL THEN f.maturity_date ELSE t.maturity_date END FROM facility f
     LEFT JOIN LATERAL (SELECT * FROM facility_terms t WHERE t.facility_key = f.key
       AND t.effective_date <= at AND t.known_seq <= known
       AND coalesce((SELECT s.stands FROM journal_standing s WHERE s.seq = t.known_seq
         AND s.known_seq <= known ORDER BY s.known_seq DESC LIMIT 1), true)
       ORDER BY t.effective_date DESC, t.known_seq DESC LIMIT 1) t ON true
     WHERE f.key = asked_facility),
    (SELECT CASE WHEN t.contract_key IS NULL THEN c.maturity_date ELSE t.maturity_date END FROM loan_contract c
     LEFT JOIN LATERAL (SELECT * FROM contract_terms t WHERE t.contract_key = c.key
       AND t.effective_date <= at AND t.known_seq <= known
       AND coalesce((SELECT s.stands FROM journal_standing s WHERE s.seq = t.known_seq
         AND s.known_seq <= known ORDER BY s.known_seq DESC LIMIT 1), true)
       ORDER BY t.effective_date DESC, t.known_seq DESC LIMIT 1) t ON true
     WHERE c.key = asked_contract));
END $$;

-- What became known with a journal is found by its sequence.
CREATE INDEX deal_terms_known ON deal_terms (known_seq);
CREATE INDEX facility_terms_known ON facility_terms (known_seq);
CREATE INDEX contract_terms_known ON contract_terms (known_seq);
CREATE INDEX deal_details_borrower ON deal_details (borrower_key);
CREATE INDEX deal_details_guarantor ON deal_details (guarantor_key);
CREATE INDEX deal_details_country ON deal_details (country);
CREATE INDEX party_details_name ON party_details (name);
CREATE INDEX deal_details_known ON deal_details (known_seq);
CREATE INDEX facility_details_known ON facility_details (known_seq);
CREATE INDEX party_details_known ON party_details (known_seq);
