-- An account that a customer has invited although another customer has the person already. To the
-- inviting customer it looks as every invitation that was not accepted does; it opens nothing, and
-- nobody is found by it. Otherwise an invitation would tell who has an account anywhere.
ALTER TABLE account ADD COLUMN elsewhere boolean NOT NULL DEFAULT false;
ALTER TABLE account ADD CHECK (NOT elsewhere OR password_hash IS NULL);
ALTER TABLE account DROP CONSTRAINT account_email_key;
CREATE UNIQUE INDEX account_email ON account (email) WHERE NOT elsewhere;
CREATE UNIQUE INDEX account_email_of_customer ON account (customer_id, email);
