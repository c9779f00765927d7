-- Which challenge the passkey answered last, as a digest: the same answer, sent again after a failure,
-- is not that of a clone.
ALTER TABLE passkey ADD COLUMN used_for text;
