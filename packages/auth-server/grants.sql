-- What the role cls_auth_service may do: work with records, and never rewrite the audit. The
-- schema's owner runs it after migrations; it does nothing for another role,
-- or where no role has that name. Roles that
-- are members of cls_auth_service may do the same.
DO $$
DECLARE
  service constant text := 'cls_auth_service';
  relation record;
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = service) THEN RETURN; END IF;
  IF NOT (SELECT pg_has_role(relowner, 'USAGE') FROM pg_class
          WHERE oid = to_regclass('schema_migration')) THEN RETURN; END IF;
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', current_schema(), service);
  FOR relation IN
    SELECT relname AS name, relispartition AS partition FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v')
      AND pg_has_role(relowner, 'USAGE')
  LOOP
    EXECUTE format('REVOKE ALL ON %I FROM %I', relation.name, service);
    -- Through its table alone.
    CONTINUE WHEN relation.partition;
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO %I', relation.name, service);
  END LOOP;
  EXECUTE format('REVOKE INSERT, UPDATE, DELETE ON schema_migration FROM %I', service);
  IF to_regclass('schema_step') IS NOT NULL THEN
    EXECUTE format('REVOKE INSERT, UPDATE, DELETE ON schema_step FROM %I', service);
  END IF;
  -- Only the owner erases people. The service deletes who they were when the time for that is over.
  IF to_regclass('erased_identity') IS NOT NULL THEN
    EXECUTE format('REVOKE INSERT, UPDATE ON erased_identity FROM %I', service);
  END IF;
  -- Events are deleted when their time is over. A trigger keeps the latest ones (migration 0024).
  EXECUTE format('REVOKE UPDATE ON audit_event FROM %I', service);
  IF to_regclass('audit_month') IS NOT NULL THEN
    EXECUTE format('REVOKE UPDATE ON audit_event_name FROM %I', service);
    EXECUTE format('REVOKE INSERT, UPDATE, DELETE ON audit_month FROM %I', service);
    EXECUTE format('GRANT EXECUTE ON FUNCTION make_audit_months, drop_audit_month TO %I', service);
  END IF;
  IF to_regclass('audit_link') IS NOT NULL THEN
    EXECUTE format('REVOKE INSERT, UPDATE, DELETE ON audit_link FROM %I', service);
    EXECUTE format('GRANT EXECUTE ON FUNCTION seal_audit TO %I', service);
  END IF;
END $$;
