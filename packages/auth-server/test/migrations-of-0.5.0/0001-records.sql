-- Who may get a token, with which secret, and what happened. Secrets are hashed or sealed.

CREATE TABLE customer (
  id text PRIMARY KEY CHECK (id ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  name text NOT NULL,
  -- Made for evaluation, with secrets that were shown to anyone: production does not start with it.
  demo boolean NOT NULL DEFAULT false,
  disabled_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE service_account (
  id text PRIMARY KEY CHECK (id ~ '^svc_[0-9A-Z]{26}$'),
  customer_id text NOT NULL REFERENCES customer,
  name text NOT NULL UNIQUE,
  permissions text[] NOT NULL CHECK (cardinality(permissions) > 0),
  disabled_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE service_account_secret (
  -- SHA-256 of a 256-bit random secret, base64url.
  sha256 text PRIMARY KEY,
  service_account_id text NOT NULL REFERENCES service_account,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Set on a secret that was replaced, while it still overlaps with its successor.
  expires_at timestamptz
);
CREATE INDEX service_account_secret_owner ON service_account_secret (service_account_id);

CREATE TABLE account (
  id text PRIMARY KEY CHECK (id ~ '^acc_[0-9A-Z]{26}$'),
  email text NOT NULL UNIQUE CHECK (email = lower(email)),
  customer_id text NOT NULL REFERENCES customer,
  permissions text[] NOT NULL CHECK (cardinality(permissions) > 0),
  -- argon2id, in the PHC string format.
  password_hash text NOT NULL,
  disabled_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE totp_factor (
  account_id text PRIMARY KEY REFERENCES account,
  sealed_secret text NOT NULL,
  -- The time step of the last accepted code: only later steps are accepted (RFC 6238 §5.2).
  last_step bigint NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE signing_key (
  kid text PRIMARY KEY,
  state text NOT NULL CHECK (state IN ('staged', 'active', 'retiring')),
  sealed_private_jwk text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX signing_key_one_active ON signing_key (state) WHERE state = 'active';

CREATE TABLE audit_event (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL,
  type text NOT NULL,
  subject text NOT NULL,
  client_id text,
  address text,
  request_id text,
  reason text
);
CREATE INDEX audit_event_subject ON audit_event (subject, id);

CREATE TABLE throttle (
  kind text NOT NULL,
  -- SHA-256 of the e-mail, client id or address, base64url.
  subject_sha256 text NOT NULL,
  failures integer NOT NULL,
  blocked_until timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (kind, subject_sha256)
);
CREATE INDEX throttle_updated ON throttle (updated_at);

-- Every process that caches records hears of each change, whoever made it.
CREATE FUNCTION announce_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('cls_auth_change', TG_ARGV[0]);
  RETURN NULL;
END $$;

CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE ON customer
  FOR EACH STATEMENT EXECUTE FUNCTION announce_change('callers');
CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE ON service_account
  FOR EACH STATEMENT EXECUTE FUNCTION announce_change('callers');
CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE ON service_account_secret
  FOR EACH STATEMENT EXECUTE FUNCTION announce_change('callers');
CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE ON signing_key
  FOR EACH STATEMENT EXECUTE FUNCTION announce_change('keys');
