-- Rotation of signing keys by hand: since when a key no longer signs, and one key staged at a time.

ALTER TABLE signing_key ADD COLUMN retired_at timestamptz;
UPDATE signing_key SET retired_at = now() WHERE state = 'retiring';
ALTER TABLE signing_key
  ADD CONSTRAINT signing_key_retired CHECK ((state = 'retiring') = (retired_at IS NOT NULL));
CREATE UNIQUE INDEX signing_key_one_staged ON signing_key (state) WHERE state = 'staged';
