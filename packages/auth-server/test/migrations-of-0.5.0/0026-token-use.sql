-- When and from where service accounts took tokens last, and how far they and their customers are ahead of
-- the rate at which they may: clients/token-budget.ts. A process writes a subject's row at most once a second.
CREATE TABLE token_use (
  -- A service account's or a customer's id; the two never look alike.
  subject text PRIMARY KEY,
  -- The instant up to which tokens of the subject are used up (a leaky bucket).
  paid_until timestamptz NOT NULL,
  used_at timestamptz NOT NULL,
  used_from text
);
