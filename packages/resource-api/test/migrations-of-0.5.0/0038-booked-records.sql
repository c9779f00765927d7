-- Records that are booked without a journal are a change of the book too: with `includeZero` an answer
-- shows them. Before, what a service kept of the book lacked them until the next journal.
-- contract: 0.4.0 books records under the journal lock, which this takes once more
DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['deal', 'facility', 'loan_contract', 'lender_position'] LOOP
    EXECUTE format('CREATE TRIGGER begin_change BEFORE INSERT OR UPDATE OR DELETE ON %I
      FOR EACH STATEMENT EXECUTE FUNCTION begin_change()', name);
    EXECUTE format('CREATE TRIGGER end_change AFTER INSERT OR UPDATE OR DELETE ON %I
      FOR EACH STATEMENT EXECUTE FUNCTION end_change()', name);
  END LOOP;
END $$;
