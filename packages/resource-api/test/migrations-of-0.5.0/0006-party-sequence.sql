-- When the book came to know a party, as for everything else that a journal file has: an export
-- from a sequence on has exactly the parties that a copy of the book until then has not.

CREATE FUNCTION next_journal_seq() RETURNS bigint LANGUAGE sql STABLE AS
  'SELECT coalesce(max(seq), 0) + 1 FROM journal';

ALTER TABLE party ADD COLUMN booked_seq bigint;
UPDATE party y SET booked_seq = coalesce(
  least(
    (SELECT min(d.booked_seq) FROM deal d
     WHERE y.key IN (d.borrower_key, d.agent_key, d.guarantor_key)),
    (SELECT min(q.booked_seq) FROM lender_position q WHERE q.lender_key = y.key)),
  -- No deal names it: no export from a sequence on had it yet.
  next_journal_seq());
ALTER TABLE party ALTER booked_seq SET NOT NULL, ALTER booked_seq SET DEFAULT next_journal_seq();
