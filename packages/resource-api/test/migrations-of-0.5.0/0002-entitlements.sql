-- Who sees which deals, enforced by the database: reads run as cls_reader, which sees a row only
-- through a policy.

-- What was granted, as a rule, so that deals that are imported later are covered too.
CREATE TABLE entitlement_rule (
  key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  customer_id text NOT NULL CHECK (customer_id ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  role text NOT NULL CHECK (role IN ('agent', 'lender', 'borrower')),
  -- Whose share a lender customer sees; 0 for the other roles.
  lender_key bigint NOT NULL DEFAULT 0,
  -- Exactly one way to say which deals.
  all_deals boolean NOT NULL DEFAULT false,
  deal_key bigint REFERENCES deal,
  borrower_key bigint REFERENCES party,
  country text,
  CHECK ((role = 'lender') = (lender_key <> 0)),
  CHECK (all_deals::int + (deal_key IS NOT NULL)::int + (borrower_key IS NOT NULL)::int
         + (country IS NOT NULL)::int = 1)
);
CREATE UNIQUE INDEX entitlement_rule_once ON entitlement_rule
  (customer_id, role, lender_key, all_deals, coalesce(deal_key, 0), coalesce(borrower_key, 0),
   coalesce(country, ''));

-- What follows from the rules, deal by deal; kept by the triggers below.
CREATE TABLE entitlement (
  rule_key bigint NOT NULL REFERENCES entitlement_rule ON DELETE CASCADE,
  customer_id text NOT NULL,
  deal_key bigint NOT NULL REFERENCES deal,
  role text NOT NULL,
  lender_key bigint NOT NULL,
  PRIMARY KEY (customer_id, deal_key, rule_key)
);
CREATE INDEX entitlement_rule_owner ON entitlement (rule_key);

-- A grant and an import that run at once must each see the other: they take turns.
CREATE FUNCTION grant_deals() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(7204313);
  INSERT INTO entitlement (rule_key, customer_id, deal_key, role, lender_key)
  SELECT r.key, r.customer_id, d.key, r.role, r.lender_key
  FROM inserted r JOIN deal d ON r.all_deals OR d.key = r.deal_key
    OR d.borrower_key = r.borrower_key OR d.country = r.country;
  PERFORM pg_notify('cls_ledger_change', 'entitlement');
  RETURN NULL;
END $$;
CREATE TRIGGER grant_deals AFTER INSERT ON entitlement_rule
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION grant_deals();

CREATE FUNCTION grant_new_deals() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(7204313);
  INSERT INTO entitlement (rule_key, customer_id, deal_key, role, lender_key)
  SELECT r.key, r.customer_id, d.key, r.role, r.lender_key
  FROM inserted d JOIN entitlement_rule r ON r.all_deals OR d.key = r.deal_key
    OR d.borrower_key = r.borrower_key OR d.country = r.country;
  PERFORM pg_notify('cls_ledger_change', 'deal');
  RETURN NULL;
END $$;
CREATE TRIGGER grant_new_deals AFTER INSERT ON deal
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION grant_new_deals();

CREATE TRIGGER announce AFTER DELETE ON entitlement_rule
  FOR EACH STATEMENT EXECUTE FUNCTION announce_change();

-- The role is the cluster's, shared by databases: it may be there already.
DO $$ BEGIN
  -- An administrator may have made it for an owner that may not.
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'cls_reader') THEN
    CREATE ROLE cls_reader NOLOGIN;
  END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$;
DO $$ BEGIN
  EXECUTE format('GRANT cls_reader TO %I', current_user);
EXCEPTION WHEN OTHERS THEN
  -- Granted by an administrator beforehand, or we are a superuser: reads will tell.
  NULL;
END $$;
DO $$ BEGIN
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO cls_reader', current_schema());
END $$;
GRANT SELECT ON party, deal, facility, loan_contract, lender_position, journal, balance_line,
  posting, balance, entitlement TO cls_reader;

-- A caller has full control, or its customer was granted the deal, in a role that decides whose
-- shares it sees. The conditions are written into each policy, because a function in their place
-- would be called row by row.
DO $$
DECLARE
  sees_deal constant text := 'current_setting(''cls.full_control'', true) = ''on'' OR EXISTS (
    SELECT FROM entitlement e
    WHERE e.customer_id = current_setting(''cls.customer'', true) AND e.deal_key = %I.%I)';
  sees_line constant text := 'current_setting(''cls.full_control'', true) = ''on'' OR EXISTS (
    SELECT FROM entitlement e
    WHERE e.customer_id = current_setting(''cls.customer'', true) AND e.deal_key = %1$I.deal_key
      AND (%1$I.lender_key = 0 OR e.role = ''agent'' OR e.lender_key = %1$I.lender_key))';
  name text;
BEGIN
  EXECUTE 'ALTER TABLE deal ENABLE ROW LEVEL SECURITY';
  EXECUTE 'CREATE POLICY reader ON deal FOR SELECT TO cls_reader USING ('
    || format(sees_deal, 'deal', 'key') || ')';
  FOREACH name IN ARRAY ARRAY['facility', 'loan_contract', 'journal'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY reader ON %I FOR SELECT TO cls_reader USING (', name)
      || format(sees_deal, name, 'deal_key') || ')';
  END LOOP;
  FOREACH name IN ARRAY ARRAY['lender_position', 'balance_line', 'balance'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY reader ON %I FOR SELECT TO cls_reader USING (', name)
      || format(sees_line, name) || ')';
  END LOOP;
END $$;

ALTER TABLE posting ENABLE ROW LEVEL SECURITY;
CREATE POLICY reader ON posting FOR SELECT TO cls_reader
  USING (EXISTS (SELECT FROM balance_line l WHERE l.key = line_key));

ALTER TABLE entitlement ENABLE ROW LEVEL SECURITY;
CREATE POLICY reader ON entitlement FOR SELECT TO cls_reader
  USING (customer_id = current_setting('cls.customer', true));

-- The names of those who take part in a deal that the caller sees, in a part that it sees.
ALTER TABLE party ENABLE ROW LEVEL SECURITY;
CREATE POLICY reader ON party FOR SELECT TO cls_reader USING (
  current_setting('cls.full_control', true) = 'on'
  OR EXISTS (SELECT FROM deal d WHERE d.borrower_key = party.key)
  OR EXISTS (SELECT FROM deal d WHERE d.agent_key = party.key)
  OR EXISTS (SELECT FROM deal d WHERE d.guarantor_key = party.key)
  OR EXISTS (SELECT FROM lender_position p WHERE p.lender_key = party.key));
CREATE INDEX deal_agent ON deal (agent_key);
CREATE INDEX deal_guarantor ON deal (guarantor_key);
CREATE INDEX lender_position_lender ON lender_position (lender_key);
