-- Sums of a few amounts of one item. sum(bigint) keeps its state in memory of its own and gives a
-- numeric, which costs more than adding up. A sum that does not fit is an error, as it was.
CREATE AGGREGATE sum_minor(bigint) (
  SFUNC = int8pl, STYPE = bigint, INITCOND = '0', COMBINEFUNC = int8pl, PARALLEL = SAFE
);
