-- Browsers in which a person asked to be remembered: the second factor is not asked for there for a
-- while. The cookie is the row's id and a secret; the secret changes with each sign-in.
CREATE TABLE remembered_device (
  id text PRIMARY KEY CHECK (id ~ '^dev_[0-9A-Z]{26}$'),
  account_id text NOT NULL REFERENCES account ON DELETE CASCADE,
  -- SHA-256, base64url: of the secret, and of the one before it.
  token_sha256 text NOT NULL,
  previous_sha256 text,
  -- The sign-in that wrote the secret: sent again, it gets the same secret.
  sign_in_sha256 text NOT NULL UNIQUE,
  -- The account's password and factors when the person proved them.
  password_version text,
  factors_version text,
  browser text,
  system text,
  address text,
  remembered_at timestamptz NOT NULL,
  last_used_at timestamptz NOT NULL
);
CREATE INDEX remembered_device_account ON remembered_device (account_id);
CREATE INDEX remembered_device_at ON remembered_device (remembered_at);

-- The browser in which a session is.
ALTER TABLE signed_in_session
  ADD COLUMN remembered_device_id text REFERENCES remembered_device ON DELETE SET NULL;
CREATE INDEX signed_in_session_device ON signed_in_session (remembered_device_id)
  WHERE remembered_device_id IS NOT NULL;

-- Whoever changes a password or a factor, or disables an account: in the same transaction, no browser
-- is remembered any more.
CREATE FUNCTION forget_devices() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM remembered_device
  WHERE account_id = CASE WHEN TG_OP = 'DELETE' THEN OLD.account_id ELSE NEW.account_id END;
  RETURN NULL;
END $$;
CREATE TRIGGER forget_devices AFTER INSERT OR DELETE ON factor
  FOR EACH ROW EXECUTE FUNCTION forget_devices();

CREATE FUNCTION forget_devices_of_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM remembered_device WHERE account_id = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER forget_devices AFTER UPDATE OF password_hash, disabled_at ON account
  FOR EACH ROW WHEN (
    OLD.password_hash IS DISTINCT FROM NEW.password_hash
    OR OLD.disabled_at IS DISTINCT FROM NEW.disabled_at)
  EXECUTE FUNCTION forget_devices_of_account();
