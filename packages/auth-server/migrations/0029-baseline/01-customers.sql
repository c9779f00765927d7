-- Customers and their programs.

-- A row is an organisation whose people and programs use the platform.
CREATE TABLE customer (
  id text PRIMARY KEY CHECK (id ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  name text NOT NULL,
  -- Made for evaluation, with secrets that were shown to anyone: production does not start with it.
  demo boolean NOT NULL DEFAULT false,
  disabled_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- A row is a program of a customer: a client of the client_credentials grant.
CREATE TABLE service_account (
  id text PRIMARY KEY CHECK (id ~ '^svc_[0-9A-Z]{26}$'),
  customer_id text NOT NULL REFERENCES customer,
  name text NOT NULL UNIQUE,
  permissions text[] NOT NULL CHECK (cardinality(permissions) > 0),
  disabled_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- A row is a secret of a service account.
CREATE TABLE service_account_secret (
  -- SHA-256 of a 256-bit random secret, base64url.
  sha256 text PRIMARY KEY,
  service_account_id text NOT NULL REFERENCES service_account,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Set on a secret that was replaced, while it still overlaps with its successor.
  expires_at timestamptz
);

CREATE INDEX service_account_secret_owner ON service_account_secret (service_account_id);
