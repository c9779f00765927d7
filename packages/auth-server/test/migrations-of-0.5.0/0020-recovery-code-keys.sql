-- What recovery codes are hashed with, where that does not follow from KEY_ENCRYPTION_KEY any more: codes
-- from before the key was replaced, and those of an installation that moved. Codes without a key here are
-- hashed with the key that follows.
CREATE TABLE recovery_code_key (
  -- SHA-256 of the key, base64url.
  id text PRIMARY KEY,
  sealed_key text NOT NULL
);
ALTER TABLE recovery_code ADD COLUMN key_id text REFERENCES recovery_code_key;
