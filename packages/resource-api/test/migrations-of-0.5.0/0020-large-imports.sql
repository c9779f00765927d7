-- What made imports into a large book slow.

-- The check for lenders who come too late looked at every posting of the book for each new facility.

CREATE OR REPLACE FUNCTION check_positions() RETURNS trigger LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE late text;
BEGIN
  SELECT f.id INTO late
  FROM (SELECT facility_key FROM inserted
        EXCEPT
        -- Has lenders from before.
        SELECT i.facility_key FROM inserted i
        WHERE EXISTS (SELECT FROM lender_position p
          WHERE p.facility_key = i.facility_key AND p.key < (SELECT min(key) FROM inserted)
          OFFSET 0)) i
  JOIN facility f ON f.key = i.facility_key
  WHERE EXISTS (
    SELECT FROM (
      SELECT f.key
      UNION ALL
      SELECT key FROM facility WHERE sublimit_of_key = f.key) s
    CROSS JOIN LATERAL (
      SELECT key FROM balance_line WHERE facility_key = s.key AND lender_key = 0 OFFSET 0) l
    CROSS JOIN LATERAL (SELECT FROM posting WHERE line_key = l.key LIMIT 1) p
    OFFSET 0)
  LIMIT 1;
  IF late IS NOT NULL THEN
    RAISE EXCEPTION 'facility % was posted to without lenders: its shares would not add up', late
      USING ERRCODE = '23514', CONSTRAINT = 'positions_before_postings';
  END IF;
  RETURN NULL;
END $$;

-- Every facility has lines without a contract: looked up by contract and lender they are all lines of
-- a lender in the book.
DROP INDEX balance_line_contract;
CREATE INDEX balance_line_contract ON balance_line (contract_key, facility_key, lender_key);

-- The positions of a deal, which come and go with it.
CREATE INDEX lender_position_deal ON lender_position (deal_key);
