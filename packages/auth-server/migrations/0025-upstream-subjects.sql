-- A link to a subject that cannot name one person: its account links anew, by its proven address.
DELETE FROM upstream_link WHERE subject COLLATE "C" !~ '^[!-~]([ -~]{0,253}[!-~])?$';
ALTER TABLE upstream_link ADD CONSTRAINT upstream_link_subject
  CHECK (subject COLLATE "C" ~ '^[!-~]([ -~]{0,253}[!-~])?$');
