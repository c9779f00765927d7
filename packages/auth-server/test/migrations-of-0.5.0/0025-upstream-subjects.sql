-- lock: links that are deleted are few, and nobody can sign in by one of them any more
-- contract: 0.4.0 writes such a subject only for a provider that names nobody, and answers 500 then
-- A link to a subject that cannot name one person (OpenID Connect Core §2). Its account links anew, by
-- its proven address.
DELETE FROM upstream_link WHERE subject COLLATE "C" !~ '^[!-~]([ -~]{0,253}[!-~])?$';
ALTER TABLE upstream_link ADD CONSTRAINT upstream_link_subject
  CHECK (subject COLLATE "C" ~ '^[!-~]([ -~]{0,253}[!-~])?$') NOT VALID;
