-- Short-lived protocol state, where no Redis is configured. Ids are stored hashed: a copy of this
-- table opens nothing.

CREATE TABLE protocol_state (
  kind text NOT NULL,
  id_sha256 text NOT NULL,
  payload jsonb NOT NULL,
  grant_id text,
  uid text,
  user_code text,
  consumed_at timestamptz,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (kind, id_sha256)
);
CREATE INDEX protocol_state_grant ON protocol_state (grant_id) WHERE grant_id IS NOT NULL;
CREATE INDEX protocol_state_uid ON protocol_state (kind, uid) WHERE uid IS NOT NULL;
CREATE INDEX protocol_state_user_code ON protocol_state (kind, user_code)
  WHERE user_code IS NOT NULL;
CREATE INDEX protocol_state_expiry ON protocol_state (expires_at);

-- A revoked grant stays dead: whatever was minted for it while it was revoked is not found.
CREATE TABLE revoked_grant (
  grant_id text PRIMARY KEY,
  expires_at timestamptz NOT NULL
);
