-- What an application may ask for: scopes of OpenID Connect, and permissions of the API by their short
-- names. Those that were registered before could ask for everything, and still may.
ALTER TABLE application ADD COLUMN scopes text[] NOT NULL CHECK (cardinality(scopes) > 0)
  DEFAULT '{openid,email,offline_access,cls-deal.view,external-api.fullcontrol}';
ALTER TABLE application ALTER COLUMN scopes DROP DEFAULT;
