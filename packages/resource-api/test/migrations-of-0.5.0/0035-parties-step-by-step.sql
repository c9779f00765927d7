-- Whether a caller sees a party is asked for each borrower and lender of a page. One expression with six
-- sub-queries started all six for each answer. Now each is a statement of its own, asked where the ones
-- before found nothing; those that find most parties come first.
CREATE OR REPLACE FUNCTION sees_party(party_key bigint) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF EXISTS (SELECT FROM deal d WHERE d.borrower_key = $1) THEN RETURN true; END IF;
  IF EXISTS (SELECT FROM lender_position p WHERE p.lender_key = $1) THEN RETURN true; END IF;
  IF EXISTS (SELECT FROM deal d WHERE d.agent_key = $1) THEN RETURN true; END IF;
  IF EXISTS (SELECT FROM deal d WHERE d.guarantor_key = $1) THEN RETURN true; END IF;
  IF EXISTS (SELECT FROM deal_details t WHERE t.borrower_key = $1) THEN RETURN true; END IF;
  RETURN EXISTS (SELECT FROM deal_details t WHERE t.guarantor_key = $1);
END $$;
