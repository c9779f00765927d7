-- Grants that follow from changed facts are taken away by the schema's owner: the service itself may
-- not delete them. Names are looked up in the schema alone, so nobody can put tables in their place.
DO $$ BEGIN
  EXECUTE format('ALTER FUNCTION grant_again(bigint[]) SECURITY DEFINER SET search_path = %I, pg_temp',
    current_schema());
END $$;
