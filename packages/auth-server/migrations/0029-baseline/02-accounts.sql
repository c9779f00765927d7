-- People.

-- A row is a person of a customer.
CREATE TABLE account (
  id text PRIMARY KEY CHECK (id ~ '^acc_[0-9A-Z]{26}$'),
  email text NOT NULL CHECK (email = lower(email)),
  customer_id text NOT NULL REFERENCES customer,
  permissions text[] NOT NULL CHECK (cardinality(permissions) > 0),
  -- argon2id, in the PHC string format.
  password_hash text,
  disabled_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  password_changed_at timestamptz, first_signed_in_at timestamptz,
  -- An account that a customer has invited although another customer has the person already. To the
  -- inviting customer it looks as every invitation that was not accepted does; it opens nothing, and
  -- nobody is found by it. Otherwise an invitation would tell who has an account anywhere.
  elsewhere boolean NOT NULL DEFAULT false,
  -- What a person is called, for applications that ask for the scope `profile`. Those that were registered
  -- before could send that scope, and it was ignored: it must not be refused now.
  display_name text CHECK (length(display_name) BETWEEN 1 AND 100),
  -- An account whose person was erased. Its row keeps the id, to which the audit and the API refer: the id is
  -- random, so it is the person's pseudonym. In the place of the address is the id again.
  erased_at timestamptz,
  CHECK (NOT elsewhere OR password_hash IS NULL),
  CONSTRAINT account_erased CHECK (erased_at IS NULL OR email = lower(id) AND display_name IS NULL AND
    password_hash IS NULL AND disabled_at IS NOT NULL)
);

-- A row is a link that was sent by e-mail. Only the newest of each purpose works, and works once.
CREATE TABLE account_link (
  account_id text NOT NULL REFERENCES account,
  purpose text NOT NULL CHECK (purpose IN ('invitation', 'password_reset')),
  -- SHA-256 of a 256-bit random token, base64url.
  token_sha256 text NOT NULL UNIQUE,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, purpose)
);

-- A row is a link that was used a short time ago: who sends the same form again has done it.
CREATE TABLE used_account_link (
  token_sha256 text PRIMARY KEY,
  account_id text NOT NULL REFERENCES account ON DELETE CASCADE,
  purpose text NOT NULL CHECK (purpose IN ('invitation', 'password_reset')),
  used_at timestamptz NOT NULL,
  -- Each compares a password.
  tries integer NOT NULL DEFAULT 0
);

-- A row is that everything of an account ended at a time: sessions, codes and tokens from before are dead.
CREATE TABLE ended_account (
  account_sha256 text PRIMARY KEY,
  ended_at timestamptz NOT NULL, expires_at timestamptz NOT NULL
);

-- A row is who an erased account was, sealed with AUDIT_IDENTITY_KEY, which is not in this database. Without
-- that key there is no row.
CREATE TABLE erased_identity (
  account_id text PRIMARY KEY REFERENCES account,
  sealed_identity text NOT NULL
);

CREATE INDEX used_account_link_age ON used_account_link (used_at);
CREATE UNIQUE INDEX account_email ON account (email) WHERE NOT elsewhere;
CREATE UNIQUE INDEX account_email_of_customer ON account (customer_id, email);
