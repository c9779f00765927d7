-- A person's sign-in methods, the links that lead into an account, and who else vouches for people.

-- What every second factor has, of whatever kind.
CREATE TABLE factor (
  id text PRIMARY KEY CHECK (id ~ '^fac_[0-9A-Z]{26}$'),
  account_id text NOT NULL REFERENCES account,
  kind text NOT NULL CHECK (kind IN ('totp', 'passkey')),
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 60),
  created_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz,
  CONSTRAINT factor_name UNIQUE (account_id, name)
);

INSERT INTO factor (id, account_id, kind, name, created_at)
  SELECT 'fac_' || upper(left(md5(account_id), 26)), account_id, 'totp', 'Authenticator app', created_at
  FROM totp_factor;

ALTER TABLE totp_factor ADD COLUMN factor_id text;
UPDATE totp_factor t SET factor_id = f.id FROM factor f WHERE f.account_id = t.account_id;
ALTER TABLE totp_factor
  DROP CONSTRAINT totp_factor_pkey,
  ALTER COLUMN factor_id SET NOT NULL,
  ADD PRIMARY KEY (factor_id),
  ADD FOREIGN KEY (factor_id) REFERENCES factor ON DELETE CASCADE,
  DROP COLUMN created_at;
CREATE INDEX totp_factor_account ON totp_factor (account_id);

CREATE TABLE passkey (
  factor_id text PRIMARY KEY REFERENCES factor ON DELETE CASCADE,
  account_id text NOT NULL REFERENCES account,
  -- base64url, as WebAuthn's JSON has them; the key is a COSE_Key.
  credential_id text NOT NULL CONSTRAINT passkey_credential UNIQUE,
  public_key text NOT NULL,
  -- The authenticator's signature counter: it never falls, and is 0 where none is kept.
  counter bigint NOT NULL,
  transports text[] NOT NULL,
  -- Kept by a password manager on several devices, rather than in one piece of hardware.
  synced boolean NOT NULL
);
CREATE INDEX passkey_account ON passkey (account_id);

CREATE TABLE recovery_code (
  account_id text NOT NULL REFERENCES account,
  -- HMAC-SHA-256 under a key that is not in the database, base64url.
  code_hash text NOT NULL,
  used_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, code_hash)
);

-- No password until an invitation is accepted.
ALTER TABLE account
  ALTER COLUMN password_hash DROP NOT NULL,
  ADD COLUMN password_changed_at timestamptz;

-- A link that was sent by e-mail. Only the newest of each purpose works, and works once.
CREATE TABLE account_link (
  account_id text NOT NULL REFERENCES account,
  purpose text NOT NULL CHECK (purpose IN ('invitation', 'password_reset')),
  -- SHA-256 of a 256-bit random token, base64url.
  token_sha256 text NOT NULL UNIQUE,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, purpose)
);

-- What a person's security log shows beside the event.
ALTER TABLE audit_event
  ADD COLUMN browser text,
  ADD COLUMN system text,
  -- Name of the factor, application or organisation that the event was about.
  ADD COLUMN about text;

-- Whatever was signed in or granted before an account's access was ended is not found any more.
ALTER TABLE protocol_state
  ADD COLUMN account_sha256 text,
  ADD COLUMN created_at timestamptz NOT NULL DEFAULT clock_timestamp();
CREATE TABLE ended_account (
  account_sha256 text PRIMARY KEY,
  ended_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);

-- A customer's own identity provider, found by the domain of an e-mail address.
CREATE TABLE upstream_provider (
  domain text PRIMARY KEY CHECK (domain = lower(domain)),
  customer_id text NOT NULL REFERENCES customer,
  issuer text NOT NULL,
  client_id text NOT NULL,
  sealed_client_secret text NOT NULL,
  -- Which claims of the ID token hold what we need.
  email_claim text NOT NULL,
  email_verified_claim text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- Whom a provider's subject is. One person of an issuer is one account, and the other way round.
CREATE TABLE upstream_link (
  issuer text NOT NULL,
  subject text NOT NULL,
  account_id text NOT NULL REFERENCES account,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (issuer, subject),
  CONSTRAINT upstream_link_account UNIQUE (account_id, issuer)
);
