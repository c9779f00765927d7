-- What the protocol keeps for a while.

-- A row is a short-lived thing of the protocol: a session, an interaction, a grant, a code, a token. Where Redis
-- is configured, it has them.
CREATE TABLE protocol_state (
  kind text NOT NULL, id_sha256 text NOT NULL,
  payload jsonb NOT NULL,
  grant_id text, uid text, user_code text,
  consumed_at timestamptz,
  expires_at timestamptz NOT NULL,
  account_sha256 text,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (kind, id_sha256)
);

-- A row is a grant that was revoked: whatever was minted for it meanwhile is not found.
CREATE TABLE revoked_grant (
  grant_id text PRIMARY KEY,
  expires_at timestamptz NOT NULL
);

CREATE INDEX protocol_state_grant ON protocol_state (grant_id) WHERE grant_id IS NOT NULL;
CREATE INDEX protocol_state_uid ON protocol_state (kind, uid) WHERE uid IS NOT NULL;
CREATE INDEX protocol_state_user_code ON protocol_state (kind, user_code) WHERE user_code IS NOT NULL;
CREATE INDEX protocol_state_expiry ON protocol_state (expires_at);
-- The sweep of each minute finds what has expired without reading all of it.
CREATE INDEX revoked_grant_expiry ON revoked_grant (expires_at);
