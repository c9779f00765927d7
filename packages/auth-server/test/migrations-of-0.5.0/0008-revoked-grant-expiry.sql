-- The sweep of each minute finds what has expired without reading all of it.
CREATE INDEX revoked_grant_expiry ON revoked_grant (expires_at);
