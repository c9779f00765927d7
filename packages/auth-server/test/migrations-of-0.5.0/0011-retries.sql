-- What a request has spent stays its own until its answer is certain: the same request, sent again
-- after a failure, is not told that somebody used it. Afterwards `claimed_by` is null.

ALTER TABLE totp_factor
  ADD COLUMN claimed_by text,
  ADD COLUMN claimed_at timestamptz;

ALTER TABLE recovery_code
  ADD COLUMN claimed_by text;

-- Links that were used a short time ago: who sends the same form again has done it.
CREATE TABLE used_account_link (
  token_sha256 text PRIMARY KEY,
  account_id text NOT NULL REFERENCES account ON DELETE CASCADE,
  purpose text NOT NULL CHECK (purpose IN ('invitation', 'password_reset')),
  used_at timestamptz NOT NULL,
  -- Each compares a password.
  tries integer NOT NULL DEFAULT 0
);
CREATE INDEX used_account_link_age ON used_account_link (used_at);
