-- Applications that cannot send PKCE, registered so by an operator, and the origins of web pages that
-- may read answers of this host.
ALTER TABLE application ADD COLUMN without_pkce boolean NOT NULL DEFAULT false;
ALTER TABLE application ADD COLUMN allowed_origins text[] NOT NULL DEFAULT '{}';
