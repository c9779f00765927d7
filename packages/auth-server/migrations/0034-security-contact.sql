-- Whom to tell of a customer when one of its secrets leaked, and what they were told.

-- A row is where a customer is told what concerns the security of its clients.
CREATE TABLE security_contact (
  customer_id text PRIMARY KEY REFERENCES customer ON DELETE CASCADE,
  email text,
  webhook text,
  -- Signs what the webhook gets.
  sealed_webhook_secret text,
  -- The language of the e-mails.
  locale text NOT NULL DEFAULT 'en',
  updated_at timestamptz NOT NULL DEFAULT now(),
  CHECK (email IS NOT NULL OR webhook IS NOT NULL),
  CHECK ((webhook IS NULL) = (sealed_webhook_secret IS NULL))
);

-- A row is a notice to a customer by one way of its contact: to be sent, or the record of what became of it.
CREATE TABLE customer_notice (
  -- The same for each way and each attempt.
  id text NOT NULL,
  channel text NOT NULL CHECK (channel IN ('email', 'webhook')),
  customer_id text NOT NULL REFERENCES customer,
  -- The body of the webhook: JSON. The e-mail says the same.
  document text NOT NULL,
  state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed')),
  attempts integer NOT NULL DEFAULT 0,
  -- Of the next attempt; while one is under way, the time at which another replica may try.
  due_at timestamptz NOT NULL DEFAULT now(),
  -- What the other side said last.
  answer text,
  created_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz,
  PRIMARY KEY (id, channel)
);
CREATE INDEX customer_notice_due ON customer_notice (due_at) WHERE state = 'pending';
