-- Whether a caller was granted a deal is looked up for each row that a page reads. The primary key begins with
-- the customer: each step of such a look-up compared texts before it came to the deal, and read the
-- grant's row for its role. This index begins with the deal and has all that policies ask.

-- lock: grants are few beside postings, and nobody but an operator writes them; reads go on
CREATE INDEX entitlement_of_deal ON entitlement (deal_key, customer_id) INCLUDE (role, lender_key, since);

-- Whether a reader sees a party whose name came with a journal of a deal that it does not see: OFFSET keeps
-- a plan that is made while few parties have another name from keeping a table of all these names.
-- contract: it shows the same rows
ALTER POLICY reader ON journal_standing USING (
  current_setting('cls.full_control', true) = 'on' OR sees_deal(deal_key)
  OR EXISTS (SELECT FROM party_details t WHERE t.known_seq = journal_standing.seq OFFSET 0));
