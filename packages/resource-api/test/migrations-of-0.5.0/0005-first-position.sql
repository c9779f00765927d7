-- A facility whose postings have no shares gets no lenders afterwards: shares would never add up.
CREATE FUNCTION check_positions() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE late text;
BEGIN
  SELECT f.id INTO late
  FROM inserted i JOIN facility f ON f.key = i.facility_key
  WHERE NOT EXISTS (
      SELECT FROM lender_position p
      WHERE p.facility_key = i.facility_key AND p.key NOT IN (SELECT key FROM inserted))
    AND EXISTS (
      SELECT FROM balance_line l JOIN posting p ON p.line_key = l.key
      WHERE l.facility_key = i.facility_key AND l.lender_key = 0)
  LIMIT 1;
  IF late IS NOT NULL THEN
    RAISE EXCEPTION 'facility % was posted to without lenders: its shares would not add up', late
      USING ERRCODE = '23514', CONSTRAINT = 'positions_before_postings';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER check_positions AFTER INSERT ON lender_position
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION check_positions();
