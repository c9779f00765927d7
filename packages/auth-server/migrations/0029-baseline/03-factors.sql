-- Second factors.

-- A row is a second factor of whatever kind: what all of them have.
CREATE TABLE factor (
  id text PRIMARY KEY CHECK (id ~ '^fac_[0-9A-Z]{26}$'),
  account_id text NOT NULL REFERENCES account,
  kind text NOT NULL CHECK (kind IN ('totp', 'passkey')),
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 60),
  created_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz,
  CONSTRAINT factor_name UNIQUE (account_id, name)
);

-- A row is an authenticator app (RFC 6238).
CREATE TABLE totp_factor (
  account_id text NOT NULL REFERENCES account,
  sealed_secret text NOT NULL,
  -- The time step of the last accepted code: only later steps are accepted (RFC 6238 §5.2).
  last_step bigint NOT NULL DEFAULT 0,
  factor_id text NOT NULL REFERENCES factor ON DELETE CASCADE,
  claimed_by text,
  claimed_at timestamptz,
  PRIMARY KEY (factor_id)
);

-- A row is a passkey (WebAuthn).
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
  synced boolean NOT NULL,
  -- Which challenge the passkey answered last, as a digest: the same answer, sent again after a failure,
  -- is not that of a clone.
  used_for text
);

-- A row is a key that recovery codes are hashed with, where it does not follow from KEY_ENCRYPTION_KEY any more:
-- codes from before the key was replaced, and those of an installation that moved. Codes without a key here are
-- hashed with the key that follows.
CREATE TABLE recovery_code_key (
  -- SHA-256 of the key, base64url.
  id text PRIMARY KEY,
  sealed_key text NOT NULL
);

-- A row is a recovery code.
CREATE TABLE recovery_code (
  account_id text NOT NULL REFERENCES account,
  -- HMAC-SHA-256 under a key that is not in the database, base64url.
  code_hash text NOT NULL,
  used_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  claimed_by text,
  key_id text REFERENCES recovery_code_key,
  PRIMARY KEY (account_id, code_hash)
);

CREATE INDEX totp_factor_account ON totp_factor (account_id);
CREATE INDEX passkey_account ON passkey (account_id);
