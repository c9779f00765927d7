-- What people see of an application, whose it is, and when a person last signed in.

-- Client metadata by its registered names (RFC 7591 §2, OpenID Connect Core §4): client_uri,
-- initiate_login_uri, policy_uri, tos_uri. Pages show them as links.
ALTER TABLE application ADD COLUMN links jsonb NOT NULL DEFAULT '{}';
-- The customer that the application belongs to, whose administrators see it. NULL: the operator's own.
ALTER TABLE application ADD COLUMN customer_id text REFERENCES customer;
-- A picture that pages show beside the name, served by this service. Its name is the digest of the
-- bytes with an extension, so that the bytes are read by nothing else. NULL, both: no picture.
ALTER TABLE application ADD COLUMN logo bytea CHECK (octet_length(logo) <= 32768);
ALTER TABLE application ADD COLUMN logo_name text;

-- Since when people signed in last; before this migration, the audit says it.
ALTER TABLE account ADD COLUMN last_signed_in_at timestamptz;
-- lock: a sign-in waits for seconds at most: one index look-up of the audit for each person
UPDATE account a SET last_signed_in_at = coalesce(
    (SELECT max(e.at) FROM audit_event e WHERE e.subject = a.id AND e.type = 'sign_in.succeeded'),
    a.first_signed_in_at)
  WHERE a.first_signed_in_at IS NOT NULL;
