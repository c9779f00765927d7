-- What the role cls_api_service may do: read and add, and change what is no ledger entry. The
-- schema's owner runs it after migrations; it does nothing for another role,
-- or where no role has that name. Roles that
-- are members of cls_api_service may do the same.
DO $$
DECLARE
  service constant text := 'cls_api_service';
  relation record;
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = service) THEN RETURN; END IF;
  IF NOT (SELECT pg_has_role(relowner, 'USAGE') FROM pg_class
          WHERE oid = to_regclass('schema_migration')) THEN RETURN; END IF;
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', current_schema(), service);
  FOR relation IN
    SELECT relname AS name, relkind, relkind = 'r' AND relrowsecurity AS secured FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v')
      AND NOT relispartition AND pg_has_role(relowner, 'USAGE')
  LOOP
    EXECUTE format('REVOKE ALL ON %I FROM %I', relation.name, service);
    EXECUTE format('GRANT SELECT ON %I TO %I', relation.name, service);
    CONTINUE WHEN relation.relkind = 'v';
    EXECUTE format('GRANT INSERT ON %I TO %I', relation.name, service);
    IF relation.secured AND NOT EXISTS (
      SELECT FROM pg_policy WHERE polname = 'service' AND polrelid = to_regclass(format('%I', relation.name))
    ) THEN
      -- Row-level security binds readers; the service itself works with every deal. Made once, because it
      -- locks the table, and readers hold many of them.
      EXECUTE format('CREATE POLICY service ON %I TO %I USING (true) WITH CHECK (true)',
        relation.name, service);
    END IF;
  END LOOP;
  EXECUTE format('REVOKE INSERT ON schema_migration FROM %I', service);
  IF to_regclass('schema_step') IS NOT NULL THEN
    EXECUTE format('REVOKE INSERT ON schema_step FROM %I', service);
  END IF;
  EXECUTE format('GRANT UPDATE (rolled_from_key) ON loan_contract TO %I', service);
  EXECUTE format('GRANT UPDATE (parent_key) ON lender_position TO %I', service);
  EXECUTE format('GRANT UPDATE (reverted_at) ON import_batch TO %I', service);
  EXECUTE format('GRANT DELETE ON entitlement_rule TO %I', service);
  IF to_regclass('import_job') IS NOT NULL THEN
    EXECUTE format('GRANT UPDATE, DELETE ON import_profile, import_job TO %I', service);
    EXECUTE format('GRANT DELETE ON import_job_part TO %I', service);
  END IF;
  -- Kept by triggers, which run as the role that writes.
  EXECUTE format('GRANT UPDATE ON book_state, grant_change TO %I', service);
  EXECUTE format('GRANT UPDATE ON version_usage, version_usage_source TO %I', service);
  EXECUTE format('GRANT UPDATE ON version_notice TO %I', service);
  EXECUTE format('GRANT UPDATE, DELETE ON notice_contact TO %I', service);
  IF to_regclass('read_log_day') IS NOT NULL THEN
    EXECUTE format('GRANT EXECUTE ON FUNCTION make_read_log_days, drop_read_log_days TO %I', service);
  END IF;
END $$;
