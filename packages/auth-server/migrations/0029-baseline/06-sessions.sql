-- Where people are signed in, and who guesses.

-- A row is a browser in which a person asked to be remembered: the second factor is not asked for there for a
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
  password_version text, factors_version text, browser text, system text, address text,
  remembered_at timestamptz NOT NULL, last_used_at timestamptz NOT NULL
);

-- A row is a session in a browser, as the person sees it in their list.
CREATE TABLE signed_in_session (
  id text PRIMARY KEY CHECK (id ~ '^ses_[0-9A-Z]{26}$'),
  uid_sha256 text NOT NULL UNIQUE,
  account_id text NOT NULL REFERENCES account,
  browser text, system text, address text,
  started_at timestamptz NOT NULL DEFAULT now(), last_seen_at timestamptz NOT NULL DEFAULT now(),
  -- The browser in which a session is.
  remembered_device_id text REFERENCES remembered_device ON DELETE SET NULL
);

-- A row is an application that is still to be told that a session of it has ended.
CREATE TABLE logout_notice (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  application_id text NOT NULL REFERENCES application,
  account_id text NOT NULL REFERENCES account,
  sid text NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  due_at timestamptz NOT NULL DEFAULT now()
);

-- A row is a network address from which a person has signed in: guesses from there are counted by themselves,
-- so that a stranger's do not lock the person out. A few for each account, the newest.
CREATE TABLE known_address (
  account_id text NOT NULL REFERENCES account ON DELETE CASCADE,
  -- SHA-256 of the account and the address, or its /64 network, base64url.
  address_sha256 text NOT NULL,
  seen_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, address_sha256)
);

-- A row is how often somebody guessed wrong: of an e-mail address, a client or a network address.
CREATE TABLE throttle (
  kind text NOT NULL,
  -- SHA-256 of the e-mail, client id or address, base64url.
  subject_sha256 text NOT NULL,
  failures integer NOT NULL,
  blocked_until timestamptz NOT NULL, updated_at timestamptz NOT NULL,
  -- The end of the block whose first refusal was recorded. Later refusals within it are not.
  refused_until timestamptz,
  PRIMARY KEY (kind, subject_sha256)
);

-- A changed password or factor, and a disabled account, forget all remembered browsers in the same transaction.
CREATE FUNCTION forget_devices() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM remembered_device
  WHERE account_id = CASE WHEN TG_OP = 'DELETE' THEN OLD.account_id ELSE NEW.account_id END;
  RETURN NULL;
END $$;

CREATE FUNCTION forget_devices_of_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM remembered_device WHERE account_id = NEW.id;
  RETURN NULL;
END $$;

CREATE TRIGGER forget_devices AFTER INSERT OR DELETE ON factor
  FOR EACH ROW EXECUTE FUNCTION forget_devices();
CREATE TRIGGER forget_devices AFTER UPDATE OF password_hash, disabled_at ON account
  FOR EACH ROW WHEN (
    OLD.password_hash IS DISTINCT FROM NEW.password_hash
    OR OLD.disabled_at IS DISTINCT FROM NEW.disabled_at)
  EXECUTE FUNCTION forget_devices_of_account();

CREATE INDEX throttle_updated ON throttle (updated_at);
CREATE INDEX signed_in_session_account ON signed_in_session (account_id);
CREATE INDEX signed_in_session_seen ON signed_in_session (last_seen_at);
CREATE INDEX logout_notice_due ON logout_notice (due_at);
CREATE INDEX remembered_device_account ON remembered_device (account_id);
CREATE INDEX remembered_device_at ON remembered_device (remembered_at);
CREATE INDEX signed_in_session_device ON signed_in_session (remembered_device_id)
  WHERE remembered_device_id IS NOT NULL;
