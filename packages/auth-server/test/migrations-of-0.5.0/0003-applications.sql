-- Applications into which people sign in: relying parties of OpenID Connect.

CREATE TABLE application (
  id text PRIMARY KEY CHECK (id ~ '^app_[0-9A-Z]{26}$'),
  name text NOT NULL UNIQUE,
  -- A first-party application is the platform's own: nobody is asked for consent.
  first_party boolean NOT NULL,
  -- Exact redirect URIs (RFC 9700 §4.1.3).
  redirect_uris text[] NOT NULL,
  post_logout_redirect_uris text[] NOT NULL DEFAULT '{}',
  backchannel_logout_uri text,
  -- May sign people in on a second device (RFC 8628).
  device boolean NOT NULL DEFAULT false,
  disabled_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  CHECK (cardinality(redirect_uris) > 0 OR device)
);

-- A confidential application has one; a public one has none and proves itself by PKCE alone.
CREATE TABLE application_secret (
  -- SHA-256 of a 256-bit random secret, base64url.
  sha256 text PRIMARY KEY,
  application_id text NOT NULL REFERENCES application,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz
);
CREATE INDEX application_secret_owner ON application_secret (application_id);

CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE ON application
  FOR EACH STATEMENT EXECUTE FUNCTION announce_change('callers');
CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE ON application_secret
  FOR EACH STATEMENT EXECUTE FUNCTION announce_change('callers');
