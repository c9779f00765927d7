-- Versions of the API: who uses which, and whom was told that one ends.

-- A row is how many requests of a version a caller made on a day, where no Redis counts them
-- (docs/reference/versioning.md).
CREATE TABLE version_usage (
  day date NOT NULL,
  customer_id text COLLATE "C" NOT NULL, client_id text COLLATE "C" NOT NULL, subject text COLLATE "C" NOT NULL,
  requested text COLLATE "C" NOT NULL, served text COLLATE "C" NOT NULL, operation text COLLATE "C" NOT NULL,
  requests bigint NOT NULL CHECK (requests > 0),
  PRIMARY KEY (day, customer_id, client_id, subject, requested, served, operation)
);

-- A row is the last batch of counts of a process: a batch that is sent again adds nothing.
CREATE TABLE version_usage_source (
  id text COLLATE "C" PRIMARY KEY,
  batch bigint NOT NULL
);

-- A row is whom to tell before a version of the API ends (docs/reference/versioning.md).
CREATE TABLE notice_contact (
  customer_id text COLLATE "C" NOT NULL,
  channel text COLLATE "C" NOT NULL CHECK (channel IN ('email', 'webhook')),
  target text COLLATE "C" NOT NULL,
  -- Of a webhook: what its notices are signed with.
  sealed_secret text CHECK ((channel = 'webhook') = (sealed_secret IS NOT NULL)),
  created_at timestamptz NOT NULL,
  PRIMARY KEY (customer_id, channel, target)
);

-- A row is a notice: the outbox, and the evidence afterwards. It stays when its contact is removed.
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
  state text COLLATE "C" NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'sending', 'delivered', 'failed',
    'replaced')),
  attempts int NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL,
  -- Of the attempt that is under way: another one may begin after `lease_until`.
  lease text COLLATE "C",
  lease_until timestamptz,
  -- What the mail server or the receiver answered last.
  answer text,
  created_at timestamptz NOT NULL,
  attempted_at timestamptz, delivered_at timestamptz,
  CHECK ((state = 'sending') = (lease IS NOT NULL)),
  CHECK ((lease IS NULL) = (lease_until IS NULL)),
  CHECK ((state = 'delivered') = (delivered_at IS NOT NULL)),
  UNIQUE (event, version_id, happens_at, stage, customer_id, channel, target)
);

-- A row is that a version may retire at its date: every customer was told, or an operator decided.
CREATE TABLE version_retirement (
  version_id text COLLATE "C" NOT NULL,
  retires_at timestamptz NOT NULL,
  -- From then on the version answers 410, on every replica.
  effective_at timestamptz NOT NULL CHECK (effective_at >= retires_at),
  decision text COLLATE "C" NOT NULL CHECK (decision IN ('cleared', 'forced')),
  decided_at timestamptz NOT NULL,
  -- Of a forced one: who decided, and why.
  decided_by text, reason text,
  -- Customers who used the version lately and had no notice that was delivered.
  untold text[] NOT NULL,
  CHECK ((decision = 'forced') = (decided_by IS NOT NULL AND reason IS NOT NULL)),
  CHECK (decision = 'forced' OR untold = '{}'),
  PRIMARY KEY (version_id, retires_at)
);

CREATE INDEX version_notice_due ON version_notice (next_attempt_at) WHERE state IN ('pending', 'sending');
