-- Sessions of people in a browser, where no Redis is configured. Ids are stored hashed and tokens
-- sealed: a copy of these tables opens nothing.

CREATE TABLE explorer_session (
  id_sha256 text PRIMARY KEY,
  -- Digest of the issuer's name of the session, by which back-channel logout ends it.
  sid_sha256 text NOT NULL,
  sealed text NOT NULL,
  -- Until then one replica renews the tokens, and the others wait for it.
  leased_until timestamptz,
  expires_at timestamptz NOT NULL
);
CREATE INDEX explorer_session_sid ON explorer_session (sid_sha256);
CREATE INDEX explorer_session_expiry ON explorer_session (expires_at);

-- What is good once: a sign-in that is under way, the id of a logout token, a session that ended.
CREATE TABLE explorer_once (
  kind text NOT NULL,
  id_sha256 text NOT NULL,
  sealed text NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (kind, id_sha256)
);
CREATE INDEX explorer_once_expiry ON explorer_once (expires_at);
