-- Single sign-on with a customer's own identity provider.

-- A row is a customer's own identity provider, found by the domain of an e-mail address.
CREATE TABLE upstream_provider (
  domain text PRIMARY KEY CHECK (domain = lower(domain)),
  customer_id text NOT NULL REFERENCES customer,
  issuer text NOT NULL, client_id text NOT NULL, sealed_client_secret text NOT NULL,
  -- Which claims of the ID token hold what we need.
  email_claim text NOT NULL, email_verified_claim text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- A row is whom a provider's subject is. One person of an issuer is one account, and the other way round.
CREATE TABLE upstream_link (
  issuer text NOT NULL, subject text NOT NULL,
  account_id text NOT NULL REFERENCES account,
  created_at timestamptz NOT NULL DEFAULT now(), last_used_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (issuer, subject),
  CONSTRAINT upstream_link_account UNIQUE (account_id, issuer),
  CONSTRAINT upstream_link_subject CHECK (subject COLLATE "C" ~ '^[!-~]([ -~]{0,253}[!-~])?$')
);
