-- What a fresh database looks like, made by `npm run schema`. What makes it, with its reasons, is in migrations/.
-- Partitions of days and months are left out.

CREATE TABLE explorer_once (
    kind text NOT NULL,
    id_sha256 text NOT NULL,
    sealed text NOT NULL,
    expires_at timestamp with time zone NOT NULL
);

CREATE TABLE explorer_session (
    id_sha256 text NOT NULL,
    sid_sha256 text NOT NULL,
    sealed text NOT NULL,
    leased_until timestamp with time zone,
    expires_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY explorer_once
    ADD CONSTRAINT explorer_once_pkey PRIMARY KEY (kind, id_sha256);

ALTER TABLE ONLY explorer_session
    ADD CONSTRAINT explorer_session_pkey PRIMARY KEY (id_sha256);

CREATE INDEX explorer_once_expiry ON explorer_once USING btree (expires_at);

CREATE INDEX explorer_session_expiry ON explorer_session USING btree (expires_at);

CREATE INDEX explorer_session_sid ON explorer_session USING btree (sid_sha256);
