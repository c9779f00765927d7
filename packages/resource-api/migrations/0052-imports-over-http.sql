-- How the columns of a sender's statements are read, by the name that imports over HTTP use. It may change.
CREATE TABLE import_profile (
  -- Whose statements it is for; '': the operator registered it, for every customer.
  customer_id text NOT NULL,
  name text NOT NULL,
  profile jsonb NOT NULL,
  changed_at timestamptz NOT NULL DEFAULT now(),
  -- The caller's subject, or `operator` for the tool.
  changed_by text NOT NULL,
  PRIMARY KEY (customer_id, name)
);

-- A file that was posted over HTTP, and what became of it. Deleted some days after its end.
CREATE TABLE import_job (
  key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text NOT NULL UNIQUE,
  customer_id text NOT NULL,
  subject text NOT NULL,
  client_id text NOT NULL,
  idempotency_key text NOT NULL,
  -- The request's parameters: kind, apply, control totals, accepted checks.
  request jsonb NOT NULL,
  -- The profile as it was when the file was posted.
  profile jsonb,
  status text NOT NULL CHECK (status IN
    ('receiving', 'queued', 'running', 'checked', 'applied', 'refused', 'failed')),
  file_sha256 text,
  size_bytes bigint,
  created_at timestamptz NOT NULL DEFAULT now(),
  started_at timestamptz,
  ended_at timestamptz,
  -- Who receives or runs it, until when nobody else may, and how often it was begun.
  runner text,
  leased_until timestamptz,
  attempts integer NOT NULL DEFAULT 0,
  import_id text,
  report jsonb,
  UNIQUE (customer_id, subject, idempotency_key)
);
CREATE INDEX import_job_open ON import_job (key) WHERE status IN ('receiving', 'queued', 'running');
CREATE INDEX import_job_of_customer ON import_job (customer_id, key);
CREATE INDEX import_job_ended ON import_job (ended_at);

-- A piece of the file of a job that has not ended.
CREATE TABLE import_job_part (
  job_key bigint NOT NULL REFERENCES import_job ON DELETE CASCADE,
  part integer NOT NULL,
  content bytea NOT NULL,
  PRIMARY KEY (job_key, part)
);

ALTER TABLE import_job ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON import_job TO cls_reader;
CREATE POLICY reader ON import_job FOR SELECT TO cls_reader
  USING (customer_id = current_setting('cls.customer', true));

-- Sanity checks that somebody accepted with a reason, and why a statement came without control totals.
ALTER TABLE import_batch ADD COLUMN accepted jsonb;
ALTER TABLE import_batch ADD COLUMN without_totals text;
