-- Hashes fewer journals in one statement. Where a small book was analysed, the planner takes what an import adds
-- for a few rows, and reads each line of a step for each of its postings.
CREATE OR REPLACE FUNCTION extend_chain() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  step constant bigint := 500;
  last bigint; newest bigint; hash text; journal record;
  seqs bigint[]; hashes text[];
BEGIN
  SELECT h.seq, h.hash INTO last, hash FROM journal_hash h ORDER BY h.seq DESC LIMIT 1;
  last := coalesce(last, 0);
  SELECT max(seq) INTO newest FROM journal;
  WHILE last < newest LOOP
    seqs := '{}';
    hashes := '{}';
    FOR journal IN SELECT * FROM journal_content(last + 1, least(last + step, newest)) LOOP
      -- chained_hash(), written out: a call for each journal costs more than the hash.
      hash := encode(sha256(convert_to(
        coalesce(hash, repeat('0', 64)) || E'\n' || journal.content, 'UTF8')), 'hex');
      seqs := array_append(seqs, journal.journal_seq);
      hashes := array_append(hashes, hash);
    END LOOP;
    INSERT INTO journal_hash (seq, hash) SELECT * FROM unnest(seqs, hashes);
    last := last + step;
  END LOOP;
END $$;
