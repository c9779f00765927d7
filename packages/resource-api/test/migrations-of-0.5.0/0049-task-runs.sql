-- What must run by itself, such as a backup, and when it was done. Rows are only added.
CREATE TABLE task_run (
  task text NOT NULL CHECK (task ~ '^[a-z][a-z-]{0,39}$'),
  succeeded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (task, succeeded_at)
);
