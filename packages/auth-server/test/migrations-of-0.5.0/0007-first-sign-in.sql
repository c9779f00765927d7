-- Whether somebody has signed in before: events that would tell are deleted after a time.

ALTER TABLE account ADD COLUMN first_signed_in_at timestamptz;
UPDATE account a SET first_signed_in_at = e.at
  FROM (SELECT subject, min(at) AS at FROM audit_event
        WHERE type IN ('sign_in.succeeded', 'token.issued') GROUP BY subject) e
  WHERE e.subject = a.id;
