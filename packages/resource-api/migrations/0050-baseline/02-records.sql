-- What is booked: parties, deals, facilities, contracts and lenders' positions. Dates are calendar dates.

-- A row is somebody who borrows, lends, administers or guarantees, as booked.
CREATE TABLE party (
  key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text NOT NULL UNIQUE,
  name text NOT NULL,
  country text CHECK (country ~ '^[A-Z0-9]{2}$'),
  legal_name text,
  lei text CHECK (lei ~ '^[A-Z0-9]{18}[0-9]{2}$'),
  booked_seq bigint NOT NULL DEFAULT next_journal_seq()
);

-- A row is a credit agreement, as booked.
CREATE TABLE deal (
  key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text NOT NULL UNIQUE,
  name text NOT NULL,
  deal_number text NOT NULL UNIQUE,
  borrower_key bigint NOT NULL, agent_key bigint NOT NULL,
  guarantor_key bigint,
  -- Country of the borrower, ISO 3166-1 alpha-2 or what the sender uses in its place.
  country text NOT NULL,
  status text NOT NULL CHECK (status IN ('pending', 'active', 'matured', 'terminated')),
  closing_date date,
  -- Since when the book has the deal: from this date on, known from this journal on.
  booked_on date NOT NULL,
  booked_seq bigint NOT NULL,
  -- True where nobody stated a date: the journals alone say since when the book has the record, the
  -- deal's for all of its records.
  follows_journals boolean NOT NULL DEFAULT false
);

-- A row is a facility of a deal, as booked.
CREATE TABLE facility (
  key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text NOT NULL UNIQUE,
  deal_key bigint NOT NULL,
  name text NOT NULL,
  type text NOT NULL CHECK (type IN ('term_loan', 'revolver', 'delayed_draw', 'letter_of_credit', 'swingline',
    'bridge')),
  currency text NOT NULL,
  effective_date date, maturity_date date,
  status text NOT NULL CHECK (status IN ('pending', 'active', 'matured', 'terminated')),
  day_count text NOT NULL DEFAULT 'ACT/360' CHECK (day_count IN ('ACT/360', 'ACT/365F', '30/360', 'ACT/ACT')),
  -- After this date nothing may be drawn.
  availability_end_date date,
  pik_uses_commitment boolean NOT NULL DEFAULT false,
  booked_on date NOT NULL,
  booked_seq bigint NOT NULL,
  follows_journals boolean NOT NULL DEFAULT false,
  sublimit_of_key bigint REFERENCES facility
);

-- A row is a drawing under a facility, as booked.
CREATE TABLE loan_contract (
  key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text NOT NULL UNIQUE,
  deal_key bigint NOT NULL, facility_key bigint NOT NULL,
  contract_number text NOT NULL, currency text NOT NULL,
  effective_date date, maturity_date date,
  -- A fraction: 0.0475 is 4.75 % a year.
  all_in_rate numeric(20, 12),
  status text NOT NULL CHECK (status IN ('pending', 'active', 'repaid', 'written_off')),
  rolled_from_key bigint REFERENCES loan_contract,
  booked_on date NOT NULL,
  booked_seq bigint NOT NULL,
  follows_journals boolean NOT NULL DEFAULT false,
  UNIQUE (facility_key, contract_number)
);

-- A row is a lender's part of a facility; how much it is follows from the ledger alone.
CREATE TABLE lender_position (
  key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text NOT NULL UNIQUE,
  deal_key bigint NOT NULL, facility_key bigint NOT NULL, lender_key bigint NOT NULL,
  kind text NOT NULL CHECK (kind IN ('assignment', 'participation')),
  parent_key bigint REFERENCES lender_position,
  booked_on date NOT NULL,
  booked_seq bigint NOT NULL,
  follows_journals boolean NOT NULL DEFAULT false,
  UNIQUE (facility_key, lender_key)
);

-- A row is what a record is called elsewhere.
CREATE TABLE external_id (
  source text NOT NULL, value text NOT NULL, entity_id text NOT NULL,
  PRIMARY KEY (source, value)
);

-- A row is a statement that was imported.
CREATE TABLE import_batch (
  key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text NOT NULL UNIQUE,
  profile text NOT NULL,
  -- Statements of one source tell of the same loans.
  source text NOT NULL, file_sha256 text NOT NULL,
  as_of date NOT NULL,
  row_count integer NOT NULL,
  control_totals jsonb NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now(),
  -- An import that was undone may be applied again.
  reverted_at timestamptz
);

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

-- Refuses a lender who comes to a facility that has balances without lenders, or that something was used of
-- under a sublimit.
CREATE FUNCTION check_positions() RETURNS trigger LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE late text;
BEGIN
  SELECT f.id INTO late
  FROM (SELECT facility_key FROM inserted
        EXCEPT
        -- Has lenders from before.
        SELECT i.facility_key FROM inserted i
        WHERE EXISTS (SELECT FROM lender_position p
          WHERE p.facility_key = i.facility_key AND p.key < (SELECT min(key) FROM inserted)
          OFFSET 0)) i
  JOIN facility f ON f.key = i.facility_key
  WHERE EXISTS (
    SELECT FROM (
      SELECT f.key
      UNION ALL
      SELECT key FROM facility WHERE sublimit_of_key = f.key) s
    CROSS JOIN LATERAL (
      SELECT key FROM balance_line WHERE facility_key = s.key AND lender_key = 0 OFFSET 0) l
    CROSS JOIN LATERAL (SELECT FROM posting WHERE line_key = l.key LIMIT 1) p
    OFFSET 0)
  LIMIT 1;
  IF late IS NOT NULL THEN
    RAISE EXCEPTION 'facility % was posted to without lenders: its shares would not add up', late
      USING ERRCODE = '23514', CONSTRAINT = 'positions_before_postings';
  END IF;
  RETURN NULL;
END $$;

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

CREATE INDEX deal_borrower ON deal (borrower_key);
CREATE INDEX deal_country ON deal (country);
CREATE INDEX deal_agent ON deal (agent_key);
CREATE INDEX deal_guarantor ON deal (guarantor_key);
CREATE INDEX lender_position_lender ON lender_position (lender_key);
CREATE INDEX loan_contract_facility ON loan_contract (facility_key);
CREATE INDEX external_id_entity ON external_id (entity_id);
CREATE UNIQUE INDEX import_batch_once ON import_batch (profile, file_sha256) WHERE reverted_at IS NULL;
CREATE INDEX facility_deal_key ON facility (deal_key, key);
CREATE INDEX party_booked ON party (booked_seq);
CREATE INDEX deal_booked ON deal (booked_seq);
CREATE INDEX facility_booked ON facility (booked_seq);
CREATE INDEX loan_contract_booked ON loan_contract (booked_seq);
CREATE INDEX lender_position_booked ON lender_position (booked_seq);
CREATE INDEX facility_sublimit ON facility (sublimit_of_key) WHERE sublimit_of_key IS NOT NULL;
-- Deals by number, and the items of each in the order of their keys.
CREATE INDEX deal_number_sorted ON deal (deal_number COLLATE "C");
CREATE INDEX loan_contract_deal ON loan_contract (deal_key, key);
CREATE INDEX lender_position_deal ON lender_position (deal_key, key);
-- An expression: nearly all facilities have one currency, and no other statement may look them up by it.
CREATE INDEX facility_currency ON facility ((currency || ''));
