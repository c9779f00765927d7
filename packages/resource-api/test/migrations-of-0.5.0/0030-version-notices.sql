-- Whom to tell before a version of the API ends, and what was told (docs/versioning.md).
CREATE TABLE notice_contact (
  customer_id text COLLATE "C" NOT NULL,
  channel text COLLATE "C" NOT NULL CHECK (channel IN ('email', 'webhook')),
  target text COLLATE "C" NOT NULL,
  -- Of a webhook: what its notices are signed with.
  sealed_secret text CHECK ((channel = 'webhook') = (sealed_secret IS NOT NULL)),
  created_at timestamptz NOT NULL,
  PRIMARY KEY (customer_id, channel, target)
);

-- The outbox, and the evidence afterwards. A row stays when its contact is removed.
CREATE TABLE version_notice (
  -- The same at each attempt: `webhook-id`, and in the Message-ID of an e-mail.
  id text COLLATE "C" PRIMARY KEY,
  event text COLLATE "C" NOT NULL CHECK (event IN ('deprecation', 'retirement', 'promotion')),
  version_id text COLLATE "C" NOT NULL,
  -- When the event happens. Another date is another event, and is announced anew.
  happens_at timestamptz NOT NULL,
  stage text COLLATE "C" NOT NULL,
  -- The stages of an event follow one another by it.
  stage_order smallint NOT NULL,
  customer_id text COLLATE "C" NOT NULL,
  channel text COLLATE "C" NOT NULL CHECK (channel IN ('email', 'webhook')),
  target text COLLATE "C" NOT NULL,
  -- What is sent, byte for byte, at each attempt.
  document text NOT NULL,
  state text COLLATE "C" NOT NULL DEFAULT 'pending'
    CHECK (state IN ('pending', 'sending', 'delivered', 'failed', 'replaced')),
  attempts int NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL,
  -- Of the attempt that is under way: another one may begin after `lease_until`.
  lease text COLLATE "C",
  lease_until timestamptz,
  -- What the mail server or the receiver answered last.
  answer text,
  created_at timestamptz NOT NULL,
  attempted_at timestamptz,
  delivered_at timestamptz,
  CHECK ((state = 'sending') = (lease IS NOT NULL)),
  CHECK ((lease IS NULL) = (lease_until IS NULL)),
  CHECK ((state = 'delivered') = (delivered_at IS NOT NULL)),
  UNIQUE (event, version_id, happens_at, stage, customer_id, channel, target)
);

CREATE INDEX version_notice_due ON version_notice (next_attempt_at)
  WHERE state IN ('pending', 'sending');

-- That a version may retire at its date: every customer was told, or an operator decided.
CREATE TABLE version_retirement (
  version_id text COLLATE "C" NOT NULL,
  retires_at timestamptz NOT NULL,
  -- From then on the version answers 410, on every replica.
  effective_at timestamptz NOT NULL CHECK (effective_at >= retires_at),
  decision text COLLATE "C" NOT NULL CHECK (decision IN ('cleared', 'forced')),
  decided_at timestamptz NOT NULL,
  -- Of a forced one: who decided, and why.
  decided_by text,
  reason text,
  -- Customers who used the version lately and had no notice that was delivered.
  untold text[] NOT NULL,
  CHECK ((decision = 'forced') = (decided_by IS NOT NULL AND reason IS NOT NULL)),
  CHECK (decision = 'forced' OR untold = '{}'),
  PRIMARY KEY (version_id, retires_at)
);
