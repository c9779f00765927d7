-- The customer that may post statements of a source over HTTP: the one that posted the first of them, or that
-- the operator named. A report tells the balances of a source's loans.
CREATE TABLE import_source (
  source text PRIMARY KEY,
  customer_id text NOT NULL
);

-- The subject of the token with which it was posted, or the user of the tool. Null: an earlier build imported it.
ALTER TABLE import_batch ADD COLUMN posted_by text;
