-- What a reader may see, at less cost. A statement reads a dozen tables, and each condition of a policy
-- is part of its plan wherever the table is read. So a customer of all deals is recognised once for a
-- statement; tables that are read row by row look up one grant by its index, however many the
-- customer has; and tables of which few rows are read ask a function, which adds nothing to a plan.

CREATE FUNCTION sees_deal(deal_key bigint) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN EXISTS (SELECT FROM entitlement e
    WHERE e.customer_id = current_setting('cls.customer', true) AND e.deal_key = $1);
END $$;

-- Who takes part in a deal that the caller sees, in a part that it sees.
CREATE FUNCTION sees_party(party_key bigint) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN EXISTS (SELECT FROM deal d WHERE d.borrower_key = $1)
    OR EXISTS (SELECT FROM deal d WHERE d.agent_key = $1)
    OR EXISTS (SELECT FROM deal d WHERE d.guarantor_key = $1)
    OR EXISTS (SELECT FROM deal_details t WHERE t.borrower_key = $1)
    OR EXISTS (SELECT FROM deal_details t WHERE t.guarantor_key = $1)
    OR EXISTS (SELECT FROM lender_position p WHERE p.lender_key = $1);
END $$;

DO $$
DECLARE
  full_control constant text := $text$current_setting('cls.full_control', true) = 'on'$text$;
  -- Nothing in it depends on the row: it is looked up once.
  all_deals constant text := $text$(SELECT EXISTS (SELECT FROM entitlement_rule r
    WHERE r.customer_id = current_setting('cls.customer', true) AND r.all_deals%s))$text$;
  -- OFFSET keeps the planner from reading all grants of the customer into a table of its own.
  own_deal constant text := $text$EXISTS (SELECT FROM entitlement e
    WHERE e.customer_id = current_setting('cls.customer', true) AND e.deal_key = %1$I.%2$I%3$s
    OFFSET 0)$text$;
  own_line constant text := $text$
      AND (%1$I.lender_key = 0 OR e.role = 'agent' OR e.lender_key = %1$I.lender_key)$text$;
  name text;
  lines boolean;
BEGIN
  FOREACH name IN ARRAY ARRAY['deal', 'facility', 'loan_contract', 'journal', 'presence',
    'lender_position', 'balance_line', 'balance'] LOOP
    lines := name IN ('lender_position', 'balance_line', 'balance');
    EXECUTE format('ALTER POLICY reader ON %I USING (', name) || full_control || ' OR '
      || format(all_deals, CASE WHEN lines THEN $text$ AND r.role = 'agent'$text$ ELSE '' END) || ' OR '
      || format(own_deal, name, CASE name WHEN 'deal' THEN 'key' ELSE 'deal_key' END,
        CASE WHEN lines THEN format(own_line, name) ELSE '' END) || ')';
  END LOOP;
  FOREACH name IN ARRAY ARRAY['deal_details', 'facility_details', 'deal_terms', 'facility_terms',
    'contract_terms', 'rate_period', 'accrual_settlement', 'late_accrual_fact',
    'journal_standing'] LOOP
    EXECUTE format('ALTER POLICY reader ON %I USING (', name) || full_control
      || ' OR sees_deal(deal_key))';
  END LOOP;
  EXECUTE 'ALTER POLICY reader ON party USING (' || full_control || ' OR sees_party(key))';
  EXECUTE 'ALTER POLICY reader ON party_details USING (' || full_control
    || ' OR sees_party(party_key))';
END $$;
