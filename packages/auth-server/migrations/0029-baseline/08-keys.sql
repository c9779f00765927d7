-- Keys that tokens are signed with: one is active, one may be staged.

-- A row is a key that tokens are signed with.
CREATE TABLE signing_key (
  kid text PRIMARY KEY,
  state text NOT NULL CHECK (state IN ('staged', 'active', 'retiring')),
  sealed_private_jwk text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  retired_at timestamptz,
  CONSTRAINT signing_key_retired CHECK ((state = 'retiring') = (retired_at IS NOT NULL))
);

-- Tells every process that caches records about a change.
CREATE FUNCTION announce_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('cls_auth_change', TG_ARGV[0]);
  RETURN NULL;
END $$;

-- Each of these changes is announced.
DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY '{customer, service_account, service_account_secret, application, application_secret,
    signing_key}'::text[] LOOP
    EXECUTE format('CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE ON %I
      FOR EACH STATEMENT EXECUTE FUNCTION announce_change(%L)', name,
      CASE name WHEN 'signing_key' THEN 'keys' ELSE 'callers' END);
  END LOOP;
END $$;

CREATE UNIQUE INDEX signing_key_one_active ON signing_key (state) WHERE state = 'active';
CREATE UNIQUE INDEX signing_key_one_staged ON signing_key (state) WHERE state = 'staged';
