-- contract: 0.4.0 sees an erased account as a disabled one without a password, which nobody can name
-- lock: reads the accounts once, which are few
-- An account whose person was erased. Its row keeps the id, to which the audit and the API refer: the id is
-- random, so it is the person's pseudonym. In the place of the address is the id again.
ALTER TABLE account ADD COLUMN erased_at timestamptz;
ALTER TABLE account ADD CONSTRAINT account_erased CHECK (erased_at IS NULL
  OR email = lower(id) AND display_name IS NULL AND password_hash IS NULL AND disabled_at IS NOT NULL);

-- Who an erased account was, sealed with AUDIT_IDENTITY_KEY, which is not in this database. Without that
-- key there is no row.
CREATE TABLE erased_identity (
  account_id text PRIMARY KEY REFERENCES account,
  sealed_identity text NOT NULL
);
