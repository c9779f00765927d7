-- Rows from before this check were never read for it. Others read and write meanwhile.
ALTER TABLE upstream_link VALIDATE CONSTRAINT upstream_link_subject;
