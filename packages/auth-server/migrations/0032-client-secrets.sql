-- Secrets of clients have an id and a name: several live at once, and each is told, replaced and revoked by itself.

-- 104 random bits where the former build, beside this one, makes a secret.
-- lock: a row for each secret of a client, a few thousand at most.
ALTER TABLE service_account_secret
  ADD COLUMN id text NOT NULL DEFAULT 'sec_' || upper(left(replace(gen_random_uuid()::text, '-', ''), 26)),
  ADD COLUMN name text;
-- lock: a row for each secret of a client, a few thousand at most.
ALTER TABLE application_secret
  ADD COLUMN id text NOT NULL DEFAULT 'sec_' || upper(left(replace(gen_random_uuid()::text, '-', ''), 26)),
  ADD COLUMN name text;

-- contract: the former build leaves the column to its default, 104 random bits each time.
CREATE UNIQUE INDEX service_account_secret_id ON service_account_secret (id);
-- contract: the former build leaves the column to its default, 104 random bits each time.
CREATE UNIQUE INDEX application_secret_id ON application_secret (id);

-- One row: the random key of HMAC-SHA-256 for secrets of the form `cls_…`, sealed. Those that were made before the
-- form are stored as SHA-256.
CREATE TABLE client_secret_key (
  id text PRIMARY KEY CHECK (id = 'current'),
  sealed_key text NOT NULL
);
