-- Revocation of access tokens (Token Status List, ADR 60): every token has an index, of which the issuer publishes a bit.

-- Where the next indices begin; each is given out once.
CREATE TABLE token_index (next bigint NOT NULL);
INSERT INTO token_index VALUES (0);

-- A row: indices from `first` to `last` that one holder got for its tokens, before the first of them was made, or that
-- are revoked. Many are never used. A row is of no use after `expires_at`, when no token of it can be alive.
CREATE TABLE token_status (
  first bigint NOT NULL,
  last bigint NOT NULL CHECK (last >= first),
  -- The `sub` of the tokens: an account or a service account.
  subject text NOT NULL,
  client_id text NOT NULL,
  -- The secret that the client proved, and the digest of the grant; NULL where there was none.
  secret_id text,
  grant_sha256 text,
  expires_at timestamptz NOT NULL,
  revoked_at timestamptz,
  -- Why, as docs/reference/tokens.md lists it.
  revoked_for text,
  CHECK ((revoked_at IS NULL) = (revoked_for IS NULL))
);
CREATE INDEX token_status_subject ON token_status (subject);
CREATE INDEX token_status_client ON token_status (client_id) WHERE client_id <> subject;
CREATE INDEX token_status_grant ON token_status (grant_sha256) WHERE grant_sha256 IS NOT NULL;
CREATE INDEX token_status_revoked ON token_status (first) WHERE revoked_at IS NOT NULL;

CREATE TRIGGER announce AFTER INSERT OR UPDATE ON token_status
  FOR EACH ROW WHEN (NEW.revoked_at IS NOT NULL) EXECUTE FUNCTION announce_change('revocations');
