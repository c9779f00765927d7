-- Who sees which deals, enforced by the database: reads run as cls_reader, which sees a row only through a policy.

-- A row is what was granted, as a rule, so that deals that are imported later are covered too.
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
  CHECK (all_deals::int + (deal_key IS NOT NULL)::int + (borrower_key IS NOT NULL)::int + (country IS NOT
    NULL)::int = 1)
);

-- A row is a deal that follows from a rule; kept by the triggers below.
CREATE TABLE entitlement (
  rule_key bigint NOT NULL REFERENCES entitlement_rule ON DELETE CASCADE,
  customer_id text NOT NULL,
  deal_key bigint NOT NULL REFERENCES deal,
  role text NOT NULL,
  lender_key bigint NOT NULL,
  since date NOT NULL DEFAULT '-infinity',
  PRIMARY KEY (customer_id, deal_key, rule_key)
);

-- A row is when the grants of a customer last changed.
CREATE TABLE grant_change (
  customer_id text PRIMARY KEY,
  changed_at timestamptz NOT NULL
);

-- What a rule grants: a rule by borrower or country the deals that the newest facts say are its
-- own, from the day of these facts on. A former borrower's rule grants nothing of the deal any more.
CREATE VIEW deal_grant WITH (security_invoker = true) AS
SELECT r.key AS rule_key, r.customer_id, n.deal_key, r.role, r.lender_key,
  CASE WHEN r.all_deals OR r.deal_key IS NOT NULL OR n.borrower_today = r.borrower_key
    OR n.country_today = r.country THEN '-infinity' ELSE n.since END AS since
FROM entitlement_rule r JOIN deal_now n ON r.all_deals OR n.deal_key = r.deal_key
  OR n.borrower_key = r.borrower_key OR n.country = r.country;

-- Whether the reader was granted a deal.
CREATE FUNCTION sees_deal(deal_key bigint) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN EXISTS (SELECT FROM entitlement e
    WHERE e.customer_id = current_setting('cls.customer', true) AND e.deal_key = $1);
END $$;

-- Whether the reader sees a party: who borrows, lends in, administers or guarantees a deal that it sees. Each way
-- is asked where the ones before found nothing; those that find most parties come first.
CREATE FUNCTION sees_party(party_key bigint) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF EXISTS (SELECT FROM deal d WHERE d.borrower_key = $1) THEN RETURN true; END IF;
  IF EXISTS (SELECT FROM lender_position p WHERE p.lender_key = $1) THEN RETURN true; END IF;
  IF EXISTS (SELECT FROM deal d WHERE d.agent_key = $1) THEN RETURN true; END IF;
  IF EXISTS (SELECT FROM deal d WHERE d.guarantor_key = $1) THEN RETURN true; END IF;
  IF EXISTS (SELECT FROM deal_details t WHERE t.borrower_key = $1) THEN RETURN true; END IF;
  RETURN EXISTS (SELECT FROM deal_details t WHERE t.guarantor_key = $1);
END $$;

-- A grant and an import that run at once must each see the other: they take turns.
CREATE FUNCTION grant_deals() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(7204313);
  INSERT INTO entitlement (rule_key, customer_id, deal_key, role, lender_key, since)
  SELECT g.rule_key, g.customer_id, g.deal_key, g.role, g.lender_key, g.since
  FROM deal_grant g WHERE g.rule_key IN (SELECT key FROM inserted);
  PERFORM pg_notify('cls_ledger_change', 'entitlement');
  RETURN NULL;
END $$;

-- Gives new deals to those whose rules cover them.
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

-- After the facts of deals changed: who sees them. It writes grants for a role that may not.
CREATE FUNCTION grant_again(deals bigint[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
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

-- Another borrower or country: other rules may cover the deal.
CREATE FUNCTION grant_by_details() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM grant_again(array_agg(DISTINCT deal_key)) FROM inserted HAVING count(*) > 0;
  RETURN NULL;
END $$;

-- The same where the details were taken back.
CREATE FUNCTION grant_by_standing() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM grant_again(array_agg(DISTINCT t.deal_key))
  FROM inserted i JOIN deal_details t ON t.known_seq = i.seq HAVING count(*) > 0;
  RETURN NULL;
END $$;

-- Notes when the grants of a customer changed.
CREATE FUNCTION record_grant_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO grant_change
  SELECT DISTINCT customer_id, posting_time() FROM changed
  ON CONFLICT (customer_id) DO UPDATE SET changed_at = EXCLUDED.changed_at;
  RETURN NULL;
END $$;

CREATE TRIGGER announce AFTER DELETE ON entitlement_rule
  FOR EACH STATEMENT EXECUTE FUNCTION announce_change();
CREATE TRIGGER record_grant AFTER INSERT ON entitlement_rule
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION record_grant_change();
CREATE TRIGGER record_revoke AFTER DELETE ON entitlement_rule
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION record_grant_change();

-- Row by row. The reader's customer is in `cls.customer`; `cls.full_control` sees all. `service` is made by
-- grants.sql.
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

-- What readers see through policies alone.
DO $$
DECLARE name text;
BEGIN
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO cls_reader', current_schema());
  FOREACH name IN ARRAY '{accrual_settlement,balance,balance_line,book_total,contract_terms,deal,
    deal_details,deal_terms,deal_word,entitlement,entitlement_rule,facility,facility_details,facility_terms,
    item_life,journal,journal_standing,late_accrual_fact,lender_position,loan_contract,party,party_details,
    party_word,posting,presence,rate_period,sort_amount,sort_label}'::text[] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('GRANT SELECT ON %I TO cls_reader', name);
  END LOOP;
END $$;
GRANT SELECT ON commitment_event, due_item TO cls_reader;

-- What every reader of a page asks of many rows. OFFSET keeps the planner from reading all grants of the customer
-- into a table of its own.
DO $$
DECLARE
  sees_all constant text := $text$(SELECT current_setting('cls.full_control', true) = 'on'
    OR EXISTS (SELECT FROM entitlement_rule r
      WHERE r.customer_id = current_setting('cls.customer', true) AND r.all_deals%s))$text$;
  own_everywhere constant text := $text$%1$I.lender_key = ANY (ARRAY(
    SELECT unnest(ARRAY[0, r.lender_key]) FROM entitlement_rule r
    WHERE r.customer_id = current_setting('cls.customer', true) AND r.all_deals))$text$;
  own_deal constant text := $text$EXISTS (SELECT FROM entitlement e
    WHERE e.customer_id = current_setting('cls.customer', true) AND e.deal_key = %1$I.%2$I%3$s
    OFFSET 0)$text$;
  own_line constant text := $text$
      AND (%1$I.lender_key = 0 OR e.role = 'agent' OR e.lender_key = %1$I.lender_key)$text$;
  name text;
BEGIN
  -- Of a deal.
  FOREACH name IN ARRAY '{deal, facility, loan_contract, journal, presence, deal_word}'::text[] LOOP
    EXECUTE format('CREATE POLICY reader ON %I FOR SELECT TO cls_reader USING (', name)
      || format(sees_all, '') || ' OR '
      || format(own_deal, name, CASE name WHEN 'deal' THEN 'key' ELSE 'deal_key' END, '') || ')';
  END LOOP;
  -- Of a holder: the global amount, and the reader's own.
  FOREACH name IN ARRAY
    '{lender_position, balance_line, balance, item_life, sort_amount, sort_label}'::text[] LOOP
    EXECUTE format('CREATE POLICY reader ON %I FOR SELECT TO cls_reader USING (', name)
      || format(sees_all, $text$ AND r.role = 'agent'$text$) || ' OR '
      || format(own_everywhere, name) || ' OR '
      || format(own_deal, name, 'deal_key', format(own_line, name)) || ')';
  END LOOP;
  -- Dated facts, of few rows a page.
  FOREACH name IN ARRAY '{deal_terms, facility_terms, contract_terms, deal_details, facility_details,
    rate_period, accrual_settlement, late_accrual_fact}'::text[] LOOP
    EXECUTE format('CREATE POLICY reader ON %I FOR SELECT TO cls_reader USING (
      current_setting(''cls.full_control'', true) = ''on'' OR sees_deal(deal_key))', name);
  END LOOP;
  FOREACH name IN ARRAY '{party_details, party_word}'::text[] LOOP
    EXECUTE format('CREATE POLICY reader ON %I FOR SELECT TO cls_reader USING (
      current_setting(''cls.full_control'', true) = ''on'' OR sees_party(party_key))', name);
  END LOOP;
END $$;
CREATE POLICY reader ON posting FOR SELECT TO cls_reader USING (
  current_setting('cls.full_control', true) = 'on'
  OR EXISTS (SELECT FROM balance_line l WHERE l.key = line_key OFFSET 0));
-- Most parties of a page borrow a deal that the caller sees. That is part of the plan now: to call the function,
-- which looks there first, took some 20 microseconds a party.
CREATE POLICY reader ON party FOR SELECT TO cls_reader USING (
  current_setting('cls.full_control', true) = 'on'
  OR EXISTS (SELECT FROM deal d WHERE d.borrower_key = party.key OFFSET 0)
  OR sees_party(key));
-- Whether a reader sees a party whose name came with a journal of a deal that it does not see: OFFSET keeps
-- a plan that is made while few parties have another name from keeping a table of all these names.
CREATE POLICY reader ON journal_standing FOR SELECT TO cls_reader USING (
  current_setting('cls.full_control', true) = 'on' OR sees_deal(deal_key)
  OR EXISTS (SELECT FROM party_details t WHERE t.known_seq = journal_standing.seq OFFSET 0));
CREATE POLICY reader ON entitlement FOR SELECT TO cls_reader USING (
  customer_id = current_setting('cls.customer', true)
  AND since <= (now() AT TIME ZONE 'UTC')::date);
CREATE POLICY reader ON entitlement_rule FOR SELECT TO cls_reader
  USING (customer_id = current_setting('cls.customer', true));
CREATE POLICY reader ON book_total FOR SELECT TO cls_reader USING (
  current_setting('cls.full_control', true) = 'on' OR EXISTS (
    SELECT FROM entitlement_rule r
    WHERE r.customer_id = current_setting('cls.customer', true) AND r.all_deals
      AND (book_total.level <> 'position' OR r.role = 'agent')));

CREATE UNIQUE INDEX entitlement_rule_once ON entitlement_rule
  (customer_id, role, lender_key, all_deals, coalesce(deal_key, 0), coalesce(borrower_key, 0),
   coalesce(country, ''));
CREATE INDEX entitlement_rule_owner ON entitlement (rule_key);
CREATE INDEX entitlement_of_deal ON entitlement (deal_key, customer_id) INCLUDE (role, lender_key, since);
