-- A transaction with many journals looks up balances, lines and records of everything that it touched.
-- Hashing put these look-ups in random order: in a book that is larger than the memory of the database,
-- each read its page from the disk anew. Sorting puts them in the order of the keys, where the next
-- look-up mostly finds the page of the one before.
ALTER FUNCTION item_states(bigint, bigint) SET enable_hashagg = off;
ALTER FUNCTION extend_presence(bigint, bigint) SET enable_hashagg = off;
