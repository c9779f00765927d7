-- Whether a reader sees everything does not depend on a row: full control is asked together with a
-- rule for all deals, once for each statement. It was asked for each row that was read.
DO $$
DECLARE
  sees_all constant text := $text$(SELECT current_setting('cls.full_control', true) = 'on'
    OR EXISTS (SELECT FROM entitlement_rule r
      WHERE r.customer_id = current_setting('cls.customer', true) AND r.all_deals%s))$text$;
  -- OFFSET keeps the planner from reading all grants of the customer into a table of its own.
  own_deal constant text := $text$EXISTS (SELECT FROM entitlement e
    WHERE e.customer_id = current_setting('cls.customer', true) AND e.deal_key = %1$I.%2$I%3$s
    OFFSET 0)$text$;
  own_line constant text := $text$
      AND (%1$I.lender_key = 0 OR e.role = 'agent' OR e.lender_key = %1$I.lender_key)$text$;
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['deal', 'facility', 'loan_contract', 'journal', 'presence', 'deal_word'] LOOP
    EXECUTE format('ALTER POLICY reader ON %I USING (', name) || format(sees_all, '') || ' OR '
      || format(own_deal, name, CASE name WHEN 'deal' THEN 'key' ELSE 'deal_key' END, '') || ')';
  END LOOP;
  FOREACH name IN ARRAY ARRAY['lender_position', 'balance_line', 'balance', 'item_life', 'sort_amount',
    'sort_label'] LOOP
    EXECUTE format('ALTER POLICY reader ON %I USING (', name)
      || format(sees_all, $text$ AND r.role = 'agent'$text$) || ' OR '
      || format(own_deal, name, 'deal_key', format(own_line, name)) || ')';
  END LOOP;
END $$;
