-- Applications, and what people allowed them.

-- A row is an application that signs people in: a relying party.
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
  -- What an application may ask for: scopes of OpenID Connect, and permissions of the API by their short
  -- names. Those that were registered before could ask for everything, and still may.
  scopes text[] NOT NULL CHECK (cardinality(scopes) > 0) DEFAULT '{openid}',
  -- Applications that cannot send PKCE, registered so by an operator, and the origins of web pages that
  -- may read answers of this host.
  without_pkce boolean NOT NULL DEFAULT false,
  allowed_origins text[] NOT NULL DEFAULT '{}',
  CHECK (cardinality(redirect_uris) > 0 OR device)
);

-- A row is a secret of a confidential application; a public one has none and proves itself by PKCE alone.
CREATE TABLE application_secret (
  -- SHA-256 of a 256-bit random secret, base64url.
  sha256 text PRIMARY KEY,
  application_id text NOT NULL REFERENCES application,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz
);

-- A row is what an application got in one session: everything that was minted for it goes with its grant.
CREATE TABLE application_grant (
  grant_sha256 text PRIMARY KEY,
  account_id text NOT NULL REFERENCES account,
  application_id text NOT NULL REFERENCES application,
  session_uid_sha256 text NOT NULL,
  -- The application's name of the session (OpenID Connect Back-Channel Logout §2.1).
  sid text NOT NULL,
  scopes text[] NOT NULL,
  -- Signing out leaves it: `offline_access`, and second devices.
  survives_sign_out boolean NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(), last_used_at timestamptz NOT NULL DEFAULT now()
);

-- A row is what a person has allowed a third party's application: asked once, until it is withdrawn.
CREATE TABLE consent (
  account_id text NOT NULL REFERENCES account,
  application_id text NOT NULL REFERENCES application,
  scopes text[] NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, application_id)
);

CREATE INDEX application_secret_owner ON application_secret (application_id);
CREATE INDEX application_grant_account ON application_grant (account_id, application_id);
CREATE INDEX application_grant_session ON application_grant (session_uid_sha256);
CREATE INDEX application_grant_used ON application_grant (last_used_at);
