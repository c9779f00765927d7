-- Where people are signed in, and which applications have access on their behalf. What opens a
-- session or a grant is in the protocol state alone: here are digests, for lists and for ending.

CREATE TABLE signed_in_session (
  id text PRIMARY KEY CHECK (id ~ '^ses_[0-9A-Z]{26}$'),
  uid_sha256 text NOT NULL UNIQUE,
  account_id text NOT NULL REFERENCES account,
  browser text,
  system text,
  address text,
  started_at timestamptz NOT NULL DEFAULT now(),
  last_seen_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX signed_in_session_account ON signed_in_session (account_id);
CREATE INDEX signed_in_session_seen ON signed_in_session (last_seen_at);

-- What an application got in one session: everything that was minted for it goes with its grant.
CREATE TABLE application_grant (
  grant_sha256 text PRIMARY KEY,
  account_id text NOT NULL REFERENCES account,
  application_id text NOT NULL REFERENCES application,
  session_uid_sha256 text NOT NULL,
  -- The application's name of the session (OpenID Connect Back-Channel Logout §2.1).
  sid text NOT NULL,
  scopes text[] NOT NULL,
  -- Signing out leaves it: `offline_access`, and second devices.
  survives_sign_out boolean NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX application_grant_account ON application_grant (account_id, application_id);
CREATE INDEX application_grant_session ON application_grant (session_uid_sha256);
CREATE INDEX application_grant_used ON application_grant (last_used_at);

-- What a person has allowed a third party's application: asked once, until it is withdrawn.
CREATE TABLE consent (
  account_id text NOT NULL REFERENCES account,
  application_id text NOT NULL REFERENCES application,
  scopes text[] NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, application_id)
);

-- Applications that are still to be told that a session of theirs has ended.
CREATE TABLE logout_notice (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  application_id text NOT NULL REFERENCES application,
  account_id text NOT NULL REFERENCES account,
  sid text NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  due_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX logout_notice_due ON logout_notice (due_at);
