-- What runs by itself, and who takes tokens.

-- A row is when and from where a service account took tokens last, and how far it and its customer are ahead of
-- the rate at which they may (clients/token-budget.ts). A process writes a subject's row at most once a second.
CREATE TABLE token_use (
  -- A service account's or a customer's id; the two never look alike.
  subject text PRIMARY KEY,
  -- The instant up to which tokens of the subject are used up (a leaky bucket).
  paid_until timestamptz NOT NULL, used_at timestamptz NOT NULL,
  used_from text
);

-- A row is that something that must run by itself, such as a backup, was done.
CREATE TABLE task_run (
  task text NOT NULL CHECK (task ~ '^[a-z][a-z-]{0,39}$'),
  succeeded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (task, succeeded_at)
);
