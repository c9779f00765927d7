-- The same file may be stated again for another date: a list without dates whose amounts did not change. It may
-- also be stated for another source: customers name their profiles themselves.
-- contract: the new index takes all that the old one took; no statement of the former build names either in
-- ON CONFLICT, and it asks for the file before it writes, under the lock of the journal.
CREATE UNIQUE INDEX import_batch_once_a_date ON import_batch (source, profile, file_sha256, as_of)
  WHERE reverted_at IS NULL;
DROP INDEX import_batch_once;
