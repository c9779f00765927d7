-- Network addresses from which a person has signed in: guesses from there are counted by themselves,
-- so that a stranger's do not lock the person out. A few for each account, the newest.
CREATE TABLE known_address (
  account_id text NOT NULL REFERENCES account ON DELETE CASCADE,
  -- SHA-256 of the account and the address, or its /64 network, base64url.
  address_sha256 text NOT NULL,
  seen_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, address_sha256)
);
