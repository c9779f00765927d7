-- What a page costs goes by the page. Each look-up that a page makes finds its rows by one index,
-- also where nothing is known of the tables: an index of one column would be combined with another
-- that covers half of the book.

CREATE INDEX balance_line_deal_lender ON balance_line (deal_key, lender_key);
DROP INDEX balance_line_deal;
CREATE INDEX facility_deal_key ON facility (deal_key, key);
DROP INDEX facility_deal;
CREATE INDEX journal_deal_seq ON journal (deal_key, seq);
DROP INDEX journal_deal;
-- Principal movements in posting order.
CREATE INDEX posting_movement ON posting (journal_seq, number) WHERE movement IS NOT NULL;

-- One look-up per posting that is read: without OFFSET 0 the planner may read every line of the
-- book into a table of its own before the first posting.
DROP POLICY reader ON posting;
CREATE POLICY reader ON posting FOR SELECT TO cls_reader USING (
  current_setting('cls.full_control', true) = 'on'
  OR EXISTS (SELECT FROM balance_line l WHERE l.key = line_key OFFSET 0));
