-- How a client proves itself other than by a secret, and what its tokens are bound to: client metadata by its
-- registered names (RFC 7591, RFC 7523, RFC 8705, RFC 9449). Only public keys are in it. NULL: a secret, or PKCE
-- alone, and bearer tokens.
ALTER TABLE service_account ADD COLUMN proof jsonb;
ALTER TABLE application ADD COLUMN proof jsonb;
