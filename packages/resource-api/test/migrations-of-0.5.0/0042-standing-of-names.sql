-- A party's new name is seen by those who see the party, and comes with a journal of one deal. So is
-- whether that journal stands: a caller of another deal of the party saw a name that was taken back.
-- contract: it shows more rows and hides none; the former build reads them to see that a name was taken back
ALTER POLICY reader ON journal_standing USING (
  current_setting('cls.full_control', true) = 'on' OR sees_deal(deal_key)
  OR EXISTS (SELECT FROM party_details t WHERE t.known_seq = journal_standing.seq));
