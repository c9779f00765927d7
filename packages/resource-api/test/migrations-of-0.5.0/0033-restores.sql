-- Restores from a backup: what became known after `known_through` and before `restored_at` was answered,
-- and is not in the book. Cursors and copies from that time are refused.
CREATE TABLE book_restore (
  restored_at timestamptz PRIMARY KEY,
  known_through timestamptz NOT NULL
);
