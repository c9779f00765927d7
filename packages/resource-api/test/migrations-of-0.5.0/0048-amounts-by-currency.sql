-- What items are sorted by is walked currency by currency: amounts of two currencies are not compared.
ALTER TABLE sort_amount ADD COLUMN currency text;
-- lock: what is kept for sorting is written by journals alone, and an import waits for its end.
-- contract: the trigger is as it was; only a function of this schema writes the table.
ALTER TABLE sort_amount DISABLE TRIGGER USER;
UPDATE sort_amount s SET currency = (SELECT f.currency FROM facility f
  JOIN sorted_item i ON i.facility_key = f.key
  WHERE i.key = s.item_key AND i.kind = CASE s.level WHEN 'deal' THEN 'facility' ELSE s.level END);
ALTER TABLE sort_amount ENABLE TRIGGER USER;
-- lock: reads go on; a journal waits for the end of the migration.
-- contract: the former build walks values without a currency: it still answers, from a sort, for as long as it
-- runs beside this one. Two indexes of the same width would let the planner walk the wrong one.
ALTER TABLE sort_amount DROP CONSTRAINT sort_amount_pkey;
ALTER TABLE sort_amount ADD PRIMARY KEY (level, sort, currency, value, item_key);
-- lock: as above.
-- An expression: nearly all facilities have one currency, and no other statement may look them up by it.
CREATE INDEX facility_currency ON facility ((currency || ''));

-- The same function, with the currency of each amount.
DO $$
DECLARE
  definition text := pg_get_functiondef('extend_totals(bigint, bigint)'::regprocedure);
BEGIN
  definition := replace(definition, 'INSERT INTO sort_amount (level, sort, value, ',
    'INSERT INTO sort_amount (level, sort, currency, value, ');
  definition := replace(definition, 'SELECT DISTINCT s.level, v.sort, v.value, ',
    'SELECT DISTINCT s.level, v.sort, s.currency, v.value, ');
  EXECUTE definition;
END $$;
