-- What a fresh database looks like, made by `npm run schema`. What makes it, with its reasons, is in migrations/.
-- Partitions of days and months are left out.

CREATE FUNCTION announce_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  PERFORM pg_notify('cls_auth_change', TG_ARGV[0]);
  RETURN NULL;
END $$;

CREATE FUNCTION audit_event_once() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  INSERT INTO audit_event_name (event_id, at) VALUES (NEW.event_id, NEW.at) ON CONFLICT DO NOTHING;
  RETURN CASE WHEN FOUND THEN NEW END;
END $$;

CREATE FUNCTION audit_minimum_age() RETURNS interval
    LANGUAGE sql IMMUTABLE
    AS $$ SELECT interval '23 hours' $$;

CREATE FUNCTION drop_audit_month(month text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET "TimeZone" TO 'UTC'
    SET lock_timeout TO '1s'
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
  dropped record;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('audit_month'));
  SELECT ends INTO dropped FROM audit_month WHERE name = month;
  IF NOT FOUND THEN RETURN false; END IF;
  IF dropped.ends IS NULL OR dropped.ends > now() THEN
    RAISE EXCEPTION '% is not over, and cannot be dropped', month USING ERRCODE = 'object_not_in_prerequisite_state';
  END IF;
  IF dropped.ends > now() - audit_minimum_age() AND NOT pg_has_role(session_user, current_user, 'USAGE') THEN
    RAISE EXCEPTION '% has ended too recently to be dropped by %', month, session_user
      USING ERRCODE = 'insufficient_privilege';
  END IF;
  EXECUTE format('DROP TABLE %I', month);
  RETURN true;
END $$;

CREATE FUNCTION forget_devices() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  DELETE FROM remembered_device
  WHERE account_id = CASE WHEN TG_OP = 'DELETE' THEN OLD.account_id ELSE NEW.account_id END;
  RETURN NULL;
END $$;

CREATE FUNCTION forget_devices_of_account() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  DELETE FROM remembered_device WHERE account_id = NEW.id;
  RETURN NULL;
END $$;

CREATE FUNCTION keep_recent_audit_event() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  IF pg_has_role((SELECT relowner FROM pg_class WHERE oid = TG_RELID), 'USAGE') THEN RETURN OLD; END IF;
  RAISE EXCEPTION 'an audit event is too young to be deleted by %', current_user
    USING ERRCODE = 'insufficient_privilege';
END $$;

CREATE FUNCTION make_audit_months(kept_since timestamp with time zone) RETURNS SETOF text
    LANGUAGE plpgsql SECURITY DEFINER
    SET "TimeZone" TO 'UTC'
    SET lock_timeout TO '1s'
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
  since constant timestamptz := CASE
    WHEN pg_has_role(session_user, current_user, 'USAGE') THEN kept_since
    ELSE least(kept_since, now() - audit_minimum_age())
  END;
  this_month constant timestamptz := date_trunc('month', now());
  -- A clock that is years behind does not make hundreds of tables.
  oldest constant timestamptz := greatest(date_trunc('month', since), this_month - interval '10 years');
  month timestamptz;
  name text;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('audit_month'));
  DELETE FROM audit_event_other WHERE at < date_trunc('month', since);
  FOR month IN SELECT generate_series(this_month, this_month + interval '3 months', interval '1 month')
    UNION
    SELECT date_trunc('month', at) FROM audit_event_other WHERE at >= oldest AND at < this_month
    ORDER BY 1
  LOOP
    CONTINUE WHEN EXISTS (SELECT FROM audit_month WHERE month < ends AND month >= coalesce(starts, month));
    name := to_char(month, '"audit_event_"YYYY_MM');
    LOCK TABLE audit_event_other IN ACCESS EXCLUSIVE MODE;
    EXECUTE format('CREATE TABLE %I (LIKE audit_event_other INCLUDING INDEXES)', name);
    EXECUTE format('WITH moved AS (DELETE FROM audit_event_other WHERE at >= %L AND at < %L RETURNING *)
      INSERT INTO %I SELECT * FROM moved', month, month + interval '1 month', name);
    EXECUTE format('ALTER TABLE audit_event ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
      name, month, month + interval '1 month');
    RETURN NEXT name;
  END LOOP;
END $$;

CREATE FUNCTION seal_audit(pause interval) RETURNS TABLE(number bigint, hash text, more boolean)
    LANGUAGE plpgsql SECURITY DEFINER
    SET "TimeZone" TO 'UTC'
    SET lock_timeout TO '1s'
    SET jit TO 'off'
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
  head audit_link;
  link audit_link;
  latest bigint;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtext('audit_link')) THEN RETURN; END IF;
  SELECT l.* INTO STRICT head FROM audit_link l ORDER BY l.number DESC LIMIT 1;
  IF head.sealed_at > clock_timestamp() - pause THEN RETURN; END IF;
  -- Ids are given when a row is written, and seen when it is committed. Under the lock, nobody is in between. The
  -- sequence is read, not the events: a false event with a huge id would shut out all that follow.
  LOCK TABLE ONLY audit_event IN SHARE MODE;
  SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END INTO latest FROM audit_event_id_seq;
  SELECT id INTO link.last_id FROM audit_event WHERE id > head.last_id AND id <= latest
    ORDER BY id OFFSET 19999 LIMIT 1;
  more := link.last_id IS NOT NULL;
  link.last_id := coalesce(link.last_id, latest);
  SELECT string_agg(concat_ws(' ', month, events, digest), E'\n' ORDER BY month) INTO link.content
  FROM (
    SELECT CASE WHEN isfinite(at) THEN to_char(at, 'YYYY-MM') ELSE 'never' END AS month, count(*) AS events, encode(sha256(string_agg(
        sha256(convert_to(json_build_array(id, event_id,
          CASE WHEN isfinite(at) THEN (extract(epoch FROM at) * 1000000)::bigint END, type, client_id,
          request_id, reason, actor)::text, 'UTF8') ||
          CASE WHEN octet_length(blind) = 16 THEN sha256(blind || convert_to(
            json_build_array(subject, address, browser, system, about)::text, 'UTF8'))
          ELSE coalesce(blind, '') END), '' ORDER BY id)), 'hex') AS digest
    FROM audit_event WHERE id > head.last_id AND id <= link.last_id GROUP BY 1
  ) AS of_month;
  IF link.content IS NULL THEN RETURN; END IF;
  link.number := head.number + 1;
  link.sealed_at := clock_timestamp();
  link.hash := sha256(convert_to(concat_ws(E'\n', encode(head.hash, 'hex'), link.number, link.last_id,
    (extract(epoch FROM link.sealed_at) * 1000000)::bigint, link.content), 'UTF8'));
  INSERT INTO audit_link SELECT link.*;
  number := link.number;
  hash := encode(link.hash, 'hex');
  RETURN NEXT;
END $$;

CREATE TABLE account (
    id text NOT NULL,
    email text NOT NULL,
    customer_id text NOT NULL,
    permissions text[] NOT NULL,
    password_hash text,
    disabled_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    password_changed_at timestamp with time zone,
    first_signed_in_at timestamp with time zone,
    elsewhere boolean DEFAULT false NOT NULL,
    display_name text,
    erased_at timestamp with time zone,
    last_signed_in_at timestamp with time zone,
    CONSTRAINT account_check CHECK (((NOT elsewhere) OR (password_hash IS NULL))),
    CONSTRAINT account_display_name_check CHECK (((length(display_name) >= 1) AND (length(display_name) <= 100))),
    CONSTRAINT account_email_check CHECK ((email = lower(email))),
    CONSTRAINT account_erased CHECK (((erased_at IS NULL) OR ((email = lower(id)) AND (display_name IS NULL) AND (password_hash IS NULL) AND (disabled_at IS NOT NULL)))),
    CONSTRAINT account_id_check CHECK ((id ~ '^acc_[0-9A-Z]{26}$'::text)),
    CONSTRAINT account_permissions_check CHECK ((cardinality(permissions) > 0))
);

CREATE TABLE account_link (
    account_id text NOT NULL,
    purpose text NOT NULL,
    token_sha256 text NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT account_link_purpose_check CHECK ((purpose = ANY (ARRAY['invitation'::text, 'password_reset'::text])))
);

CREATE TABLE application (
    id text NOT NULL,
    name text NOT NULL,
    first_party boolean NOT NULL,
    redirect_uris text[] NOT NULL,
    post_logout_redirect_uris text[] DEFAULT '{}'::text[] NOT NULL,
    backchannel_logout_uri text,
    device boolean DEFAULT false NOT NULL,
    disabled_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    scopes text[] DEFAULT '{openid}'::text[] NOT NULL,
    without_pkce boolean DEFAULT false NOT NULL,
    allowed_origins text[] DEFAULT '{}'::text[] NOT NULL,
    proof jsonb,
    links jsonb DEFAULT '{}'::jsonb NOT NULL,
    customer_id text,
    logo bytea,
    logo_name text,
    CONSTRAINT application_check CHECK (((cardinality(redirect_uris) > 0) OR device)),
    CONSTRAINT application_id_check CHECK ((id ~ '^app_[0-9A-Z]{26}$'::text)),
    CONSTRAINT application_logo_check CHECK ((octet_length(logo) <= 32768)),
    CONSTRAINT application_scopes_check CHECK ((cardinality(scopes) > 0))
);

CREATE TABLE application_grant (
    grant_sha256 text NOT NULL,
    account_id text NOT NULL,
    application_id text NOT NULL,
    session_uid_sha256 text NOT NULL,
    sid text NOT NULL,
    scopes text[] NOT NULL,
    survives_sign_out boolean NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    last_used_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE application_secret (
    sha256 text NOT NULL,
    application_id text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone,
    id text DEFAULT ('sec_'::text || upper("left"(replace((gen_random_uuid())::text, '-'::text, ''::text), 26))) NOT NULL,
    name text
);

CREATE TABLE audit_event (
    id bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    type text NOT NULL,
    subject text NOT NULL,
    client_id text,
    address text,
    request_id text,
    reason text,
    browser text,
    system text,
    about text,
    event_id uuid,
    actor text,
    blind bytea DEFAULT uuid_send(gen_random_uuid())
)
PARTITION BY RANGE (at);

ALTER TABLE audit_event ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME audit_event_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE audit_event_name (
    event_id uuid NOT NULL,
    at timestamp with time zone NOT NULL
);

CREATE TABLE audit_event_other (
    id bigint CONSTRAINT audit_event_id_not_null NOT NULL,
    at timestamp with time zone CONSTRAINT audit_event_at_not_null NOT NULL,
    type text CONSTRAINT audit_event_type_not_null NOT NULL,
    subject text CONSTRAINT audit_event_subject_not_null NOT NULL,
    client_id text,
    address text,
    request_id text,
    reason text,
    browser text,
    system text,
    about text,
    event_id uuid,
    actor text,
    blind bytea DEFAULT uuid_send(gen_random_uuid())
);

CREATE TABLE audit_link (
    number bigint NOT NULL,
    last_id bigint NOT NULL,
    sealed_at timestamp with time zone NOT NULL,
    content text NOT NULL,
    hash bytea NOT NULL
);

CREATE VIEW audit_month AS
 SELECT (relname)::text AS name,
    ("substring"(bound, 'FROM \(''([^'']+)''\)'::text))::timestamp with time zone AS starts,
    ("substring"(bound, 'TO \(''([^'']+)''\)'::text))::timestamp with time zone AS ends,
    pg_total_relation_size((oid)::regclass) AS bytes,
    (GREATEST(reltuples, (0)::real))::bigint AS about_rows
   FROM ( SELECT c.oid,
            c.relname,
            c.reltuples,
            pg_get_expr(c.relpartbound, c.oid) AS bound
           FROM (pg_inherits
             JOIN pg_class c ON ((c.oid = pg_inherits.inhrelid)))
          WHERE (pg_inherits.inhparent = ('audit_event'::regclass)::oid)) partition;

CREATE TABLE client_secret_key (
    id text NOT NULL,
    sealed_key text NOT NULL,
    CONSTRAINT client_secret_key_id_check CHECK ((id = 'current'::text))
);

CREATE TABLE consent (
    account_id text NOT NULL,
    application_id text NOT NULL,
    scopes text[] NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE customer (
    id text NOT NULL,
    name text NOT NULL,
    demo boolean DEFAULT false NOT NULL,
    disabled_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT customer_id_check CHECK ((id ~ '^[a-z0-9][a-z0-9-]{0,62}$'::text))
);

CREATE TABLE customer_notice (
    id text NOT NULL,
    channel text NOT NULL,
    customer_id text NOT NULL,
    document text NOT NULL,
    state text DEFAULT 'pending'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    due_at timestamp with time zone DEFAULT now() NOT NULL,
    answer text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    ended_at timestamp with time zone,
    CONSTRAINT customer_notice_channel_check CHECK ((channel = ANY (ARRAY['email'::text, 'webhook'::text]))),
    CONSTRAINT customer_notice_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text])))
);

CREATE TABLE ended_account (
    account_sha256 text NOT NULL,
    ended_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL
);

CREATE TABLE erased_identity (
    account_id text NOT NULL,
    sealed_identity text NOT NULL
);

CREATE TABLE factor (
    id text NOT NULL,
    account_id text NOT NULL,
    kind text NOT NULL,
    name text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    last_used_at timestamp with time zone,
    CONSTRAINT factor_id_check CHECK ((id ~ '^fac_[0-9A-Z]{26}$'::text)),
    CONSTRAINT factor_kind_check CHECK ((kind = ANY (ARRAY['totp'::text, 'passkey'::text]))),
    CONSTRAINT factor_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 60)))
);

CREATE TABLE known_address (
    account_id text NOT NULL,
    address_sha256 text NOT NULL,
    seen_at timestamp with time zone NOT NULL
);

CREATE TABLE logout_notice (
    id bigint NOT NULL,
    application_id text NOT NULL,
    account_id text NOT NULL,
    sid text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    due_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE logout_notice ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME logout_notice_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE passkey (
    factor_id text NOT NULL,
    account_id text NOT NULL,
    credential_id text NOT NULL,
    public_key text NOT NULL,
    counter bigint NOT NULL,
    transports text[] NOT NULL,
    synced boolean NOT NULL,
    used_for text
);

CREATE TABLE protocol_state (
    kind text NOT NULL,
    id_sha256 text NOT NULL,
    payload jsonb NOT NULL,
    grant_id text,
    uid text,
    user_code text,
    consumed_at timestamp with time zone,
    expires_at timestamp with time zone NOT NULL,
    account_sha256 text,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

CREATE TABLE recovery_code (
    account_id text NOT NULL,
    code_hash text NOT NULL,
    used_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    claimed_by text,
    key_id text
);

CREATE TABLE recovery_code_key (
    id text NOT NULL,
    sealed_key text NOT NULL
);

CREATE TABLE remembered_device (
    id text NOT NULL,
    account_id text NOT NULL,
    token_sha256 text NOT NULL,
    previous_sha256 text,
    sign_in_sha256 text NOT NULL,
    password_version text,
    factors_version text,
    browser text,
    system text,
    address text,
    remembered_at timestamp with time zone NOT NULL,
    last_used_at timestamp with time zone NOT NULL,
    CONSTRAINT remembered_device_id_check CHECK ((id ~ '^dev_[0-9A-Z]{26}$'::text))
);

CREATE TABLE revoked_grant (
    grant_id text NOT NULL,
    expires_at timestamp with time zone NOT NULL
);

CREATE TABLE security_contact (
    customer_id text NOT NULL,
    email text,
    webhook text,
    sealed_webhook_secret text,
    locale text DEFAULT 'en'::text NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT security_contact_check CHECK (((email IS NOT NULL) OR (webhook IS NOT NULL))),
    CONSTRAINT security_contact_check1 CHECK (((webhook IS NULL) = (sealed_webhook_secret IS NULL)))
);

CREATE TABLE service_account (
    id text NOT NULL,
    customer_id text NOT NULL,
    name text NOT NULL,
    permissions text[] NOT NULL,
    disabled_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    proof jsonb,
    CONSTRAINT service_account_id_check CHECK ((id ~ '^svc_[0-9A-Z]{26}$'::text)),
    CONSTRAINT service_account_permissions_check CHECK ((cardinality(permissions) > 0))
);

CREATE TABLE service_account_secret (
    sha256 text NOT NULL,
    service_account_id text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone,
    id text DEFAULT ('sec_'::text || upper("left"(replace((gen_random_uuid())::text, '-'::text, ''::text), 26))) NOT NULL,
    name text
);

CREATE TABLE signed_in_session (
    id text NOT NULL,
    uid_sha256 text NOT NULL,
    account_id text NOT NULL,
    browser text,
    system text,
    address text,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    last_seen_at timestamp with time zone DEFAULT now() NOT NULL,
    remembered_device_id text,
    CONSTRAINT signed_in_session_id_check CHECK ((id ~ '^ses_[0-9A-Z]{26}$'::text))
);

CREATE TABLE signing_key (
    kid text NOT NULL,
    state text NOT NULL,
    sealed_private_jwk text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    retired_at timestamp with time zone,
    CONSTRAINT signing_key_retired CHECK (((state = 'retiring'::text) = (retired_at IS NOT NULL))),
    CONSTRAINT signing_key_state_check CHECK ((state = ANY (ARRAY['staged'::text, 'active'::text, 'retiring'::text])))
);

CREATE TABLE task_run (
    task text NOT NULL,
    succeeded_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT task_run_task_check CHECK ((task ~ '^[a-z][a-z-]{0,39}$'::text))
);

CREATE TABLE throttle (
    kind text NOT NULL,
    subject_sha256 text NOT NULL,
    failures integer NOT NULL,
    blocked_until timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    refused_until timestamp with time zone
);

CREATE TABLE token_index (
    next bigint NOT NULL
);

CREATE TABLE token_status (
    first bigint NOT NULL,
    last bigint NOT NULL,
    subject text NOT NULL,
    client_id text NOT NULL,
    secret_id text,
    grant_sha256 text,
    expires_at timestamp with time zone NOT NULL,
    revoked_at timestamp with time zone,
    revoked_for text,
    CONSTRAINT token_status_check CHECK ((last >= first)),
    CONSTRAINT token_status_check1 CHECK (((revoked_at IS NULL) = (revoked_for IS NULL)))
);

CREATE TABLE token_use (
    subject text NOT NULL,
    paid_until timestamp with time zone NOT NULL,
    used_at timestamp with time zone NOT NULL,
    used_from text
);

CREATE TABLE totp_factor (
    account_id text NOT NULL,
    sealed_secret text NOT NULL,
    last_step bigint DEFAULT 0 NOT NULL,
    factor_id text NOT NULL,
    claimed_by text,
    claimed_at timestamp with time zone
);

CREATE TABLE upstream_link (
    issuer text NOT NULL,
    subject text NOT NULL,
    account_id text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    last_used_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT upstream_link_subject CHECK (((subject COLLATE "C") ~ '^[!-~]([ -~]{0,253}[!-~])?$'::text))
);

CREATE TABLE upstream_provider (
    domain text NOT NULL,
    customer_id text NOT NULL,
    issuer text NOT NULL,
    client_id text NOT NULL,
    sealed_client_secret text NOT NULL,
    email_claim text NOT NULL,
    email_verified_claim text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT upstream_provider_domain_check CHECK ((domain = lower(domain)))
);

CREATE TABLE used_account_link (
    token_sha256 text NOT NULL,
    account_id text NOT NULL,
    purpose text NOT NULL,
    used_at timestamp with time zone NOT NULL,
    tries integer DEFAULT 0 NOT NULL,
    CONSTRAINT used_account_link_purpose_check CHECK ((purpose = ANY (ARRAY['invitation'::text, 'password_reset'::text])))
);

ALTER TABLE ONLY audit_event ATTACH PARTITION audit_event_other DEFAULT;

ALTER TABLE ONLY account_link
    ADD CONSTRAINT account_link_pkey PRIMARY KEY (account_id, purpose);

ALTER TABLE ONLY account_link
    ADD CONSTRAINT account_link_token_sha256_key UNIQUE (token_sha256);

ALTER TABLE ONLY account
    ADD CONSTRAINT account_pkey PRIMARY KEY (id);

ALTER TABLE ONLY application_grant
    ADD CONSTRAINT application_grant_pkey PRIMARY KEY (grant_sha256);

ALTER TABLE ONLY application
    ADD CONSTRAINT application_name_key UNIQUE (name);

ALTER TABLE ONLY application
    ADD CONSTRAINT application_pkey PRIMARY KEY (id);

ALTER TABLE ONLY application_secret
    ADD CONSTRAINT application_secret_pkey PRIMARY KEY (sha256);

ALTER TABLE ONLY audit_event_name
    ADD CONSTRAINT audit_event_name_pkey PRIMARY KEY (event_id);

ALTER TABLE ONLY audit_event_other
    ADD CONSTRAINT audit_event_other_pkey PRIMARY KEY (id);

ALTER TABLE ONLY audit_link
    ADD CONSTRAINT audit_link_pkey PRIMARY KEY (number);

ALTER TABLE ONLY client_secret_key
    ADD CONSTRAINT client_secret_key_pkey PRIMARY KEY (id);

ALTER TABLE ONLY consent
    ADD CONSTRAINT consent_pkey PRIMARY KEY (account_id, application_id);

ALTER TABLE ONLY customer_notice
    ADD CONSTRAINT customer_notice_pkey PRIMARY KEY (id, channel);

ALTER TABLE ONLY customer
    ADD CONSTRAINT customer_pkey PRIMARY KEY (id);

ALTER TABLE ONLY ended_account
    ADD CONSTRAINT ended_account_pkey PRIMARY KEY (account_sha256);

ALTER TABLE ONLY erased_identity
    ADD CONSTRAINT erased_identity_pkey PRIMARY KEY (account_id);

ALTER TABLE ONLY factor
    ADD CONSTRAINT factor_name UNIQUE (account_id, name);

ALTER TABLE ONLY factor
    ADD CONSTRAINT factor_pkey PRIMARY KEY (id);

ALTER TABLE ONLY known_address
    ADD CONSTRAINT known_address_pkey PRIMARY KEY (account_id, address_sha256);

ALTER TABLE ONLY logout_notice
    ADD CONSTRAINT logout_notice_pkey PRIMARY KEY (id);

ALTER TABLE ONLY passkey
    ADD CONSTRAINT passkey_credential UNIQUE (credential_id);

ALTER TABLE ONLY passkey
    ADD CONSTRAINT passkey_pkey PRIMARY KEY (factor_id);

ALTER TABLE ONLY protocol_state
    ADD CONSTRAINT protocol_state_pkey PRIMARY KEY (kind, id_sha256);

ALTER TABLE ONLY recovery_code_key
    ADD CONSTRAINT recovery_code_key_pkey PRIMARY KEY (id);

ALTER TABLE ONLY recovery_code
    ADD CONSTRAINT recovery_code_pkey PRIMARY KEY (account_id, code_hash);

ALTER TABLE ONLY remembered_device
    ADD CONSTRAINT remembered_device_pkey PRIMARY KEY (id);

ALTER TABLE ONLY remembered_device
    ADD CONSTRAINT remembered_device_sign_in_sha256_key UNIQUE (sign_in_sha256);

ALTER TABLE ONLY revoked_grant
    ADD CONSTRAINT revoked_grant_pkey PRIMARY KEY (grant_id);

ALTER TABLE ONLY security_contact
    ADD CONSTRAINT security_contact_pkey PRIMARY KEY (customer_id);

ALTER TABLE ONLY service_account
    ADD CONSTRAINT service_account_name_key UNIQUE (name);

ALTER TABLE ONLY service_account
    ADD CONSTRAINT service_account_pkey PRIMARY KEY (id);

ALTER TABLE ONLY service_account_secret
    ADD CONSTRAINT service_account_secret_pkey PRIMARY KEY (sha256);

ALTER TABLE ONLY signed_in_session
    ADD CONSTRAINT signed_in_session_pkey PRIMARY KEY (id);

ALTER TABLE ONLY signed_in_session
    ADD CONSTRAINT signed_in_session_uid_sha256_key UNIQUE (uid_sha256);

ALTER TABLE ONLY signing_key
    ADD CONSTRAINT signing_key_pkey PRIMARY KEY (kid);

ALTER TABLE ONLY task_run
    ADD CONSTRAINT task_run_pkey PRIMARY KEY (task, succeeded_at);

ALTER TABLE ONLY throttle
    ADD CONSTRAINT throttle_pkey PRIMARY KEY (kind, subject_sha256);

ALTER TABLE ONLY token_use
    ADD CONSTRAINT token_use_pkey PRIMARY KEY (subject);

ALTER TABLE ONLY totp_factor
    ADD CONSTRAINT totp_factor_pkey PRIMARY KEY (factor_id);

ALTER TABLE ONLY upstream_link
    ADD CONSTRAINT upstream_link_account UNIQUE (account_id, issuer);

ALTER TABLE ONLY upstream_link
    ADD CONSTRAINT upstream_link_pkey PRIMARY KEY (issuer, subject);

ALTER TABLE ONLY upstream_provider
    ADD CONSTRAINT upstream_provider_pkey PRIMARY KEY (domain);

ALTER TABLE ONLY used_account_link
    ADD CONSTRAINT used_account_link_pkey PRIMARY KEY (token_sha256);

CREATE UNIQUE INDEX account_email ON account USING btree (email) WHERE (NOT elsewhere);

CREATE UNIQUE INDEX account_email_of_customer ON account USING btree (customer_id, email);

CREATE INDEX application_grant_account ON application_grant USING btree (account_id, application_id);

CREATE INDEX application_grant_session ON application_grant USING btree (session_uid_sha256);

CREATE INDEX application_grant_used ON application_grant USING btree (last_used_at);

CREATE UNIQUE INDEX application_secret_id ON application_secret USING btree (id);

CREATE INDEX application_secret_owner ON application_secret USING btree (application_id);

CREATE UNIQUE INDEX audit_event_other_event_id_idx ON audit_event_other USING btree (event_id);

CREATE INDEX audit_event_subject ON ONLY audit_event USING btree (subject, id);

CREATE INDEX audit_event_other_subject_id_idx ON audit_event_other USING btree (subject, id);

CREATE INDEX customer_notice_due ON customer_notice USING btree (due_at) WHERE (state = 'pending'::text);

CREATE INDEX logout_notice_due ON logout_notice USING btree (due_at);

CREATE INDEX passkey_account ON passkey USING btree (account_id);

CREATE INDEX protocol_state_expiry ON protocol_state USING btree (expires_at);

CREATE INDEX protocol_state_grant ON protocol_state USING btree (grant_id) WHERE (grant_id IS NOT NULL);

CREATE INDEX protocol_state_uid ON protocol_state USING btree (kind, uid) WHERE (uid IS NOT NULL);

CREATE INDEX protocol_state_user_code ON protocol_state USING btree (kind, user_code) WHERE (user_code IS NOT NULL);

CREATE INDEX remembered_device_account ON remembered_device USING btree (account_id);

CREATE INDEX remembered_device_at ON remembered_device USING btree (remembered_at);

CREATE INDEX revoked_grant_expiry ON revoked_grant USING btree (expires_at);

CREATE UNIQUE INDEX service_account_secret_id ON service_account_secret USING btree (id);

CREATE INDEX service_account_secret_owner ON service_account_secret USING btree (service_account_id);

CREATE INDEX signed_in_session_account ON signed_in_session USING btree (account_id);

CREATE INDEX signed_in_session_device ON signed_in_session USING btree (remembered_device_id) WHERE (remembered_device_id IS NOT NULL);

CREATE INDEX signed_in_session_seen ON signed_in_session USING btree (last_seen_at);

CREATE UNIQUE INDEX signing_key_one_active ON signing_key USING btree (state) WHERE (state = 'active'::text);

CREATE UNIQUE INDEX signing_key_one_staged ON signing_key USING btree (state) WHERE (state = 'staged'::text);

CREATE INDEX throttle_updated ON throttle USING btree (updated_at);

CREATE INDEX token_status_client ON token_status USING btree (client_id) WHERE (client_id <> subject);

CREATE INDEX token_status_grant ON token_status USING btree (grant_sha256) WHERE (grant_sha256 IS NOT NULL);

CREATE INDEX token_status_revoked ON token_status USING btree (first) WHERE (revoked_at IS NOT NULL);

CREATE INDEX token_status_subject ON token_status USING btree (subject);

CREATE INDEX totp_factor_account ON totp_factor USING btree (account_id);

CREATE INDEX used_account_link_age ON used_account_link USING btree (used_at);

ALTER INDEX audit_event_subject ATTACH PARTITION audit_event_other_subject_id_idx;

CREATE TRIGGER announce AFTER INSERT OR DELETE OR UPDATE ON application FOR EACH STATEMENT EXECUTE FUNCTION announce_change('callers');

CREATE TRIGGER announce AFTER INSERT OR DELETE OR UPDATE ON application_secret FOR EACH STATEMENT EXECUTE FUNCTION announce_change('callers');

CREATE TRIGGER announce AFTER INSERT OR DELETE OR UPDATE ON customer FOR EACH STATEMENT EXECUTE FUNCTION announce_change('callers');

CREATE TRIGGER announce AFTER INSERT OR DELETE OR UPDATE ON service_account FOR EACH STATEMENT EXECUTE FUNCTION announce_change('callers');

CREATE TRIGGER announce AFTER INSERT OR DELETE OR UPDATE ON service_account_secret FOR EACH STATEMENT EXECUTE FUNCTION announce_change('callers');

CREATE TRIGGER announce AFTER INSERT OR DELETE OR UPDATE ON signing_key FOR EACH STATEMENT EXECUTE FUNCTION announce_change('keys');

CREATE TRIGGER announce AFTER INSERT OR UPDATE ON token_status FOR EACH ROW WHEN ((new.revoked_at IS NOT NULL)) EXECUTE FUNCTION announce_change('revocations');

CREATE TRIGGER forget_devices AFTER UPDATE OF password_hash, disabled_at ON account FOR EACH ROW WHEN (((old.password_hash IS DISTINCT FROM new.password_hash) OR (old.disabled_at IS DISTINCT FROM new.disabled_at))) EXECUTE FUNCTION forget_devices_of_account();

CREATE TRIGGER forget_devices AFTER INSERT OR DELETE ON factor FOR EACH ROW EXECUTE FUNCTION forget_devices();

CREATE TRIGGER keep_recent BEFORE DELETE ON audit_event FOR EACH ROW WHEN ((old.at > (now() - audit_minimum_age()))) EXECUTE FUNCTION keep_recent_audit_event();

CREATE TRIGGER once BEFORE INSERT ON audit_event FOR EACH ROW WHEN ((substr((new.event_id)::text, 15, 1) = '8'::text)) EXECUTE FUNCTION audit_event_once();

ALTER TABLE ONLY account
    ADD CONSTRAINT account_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customer(id);

ALTER TABLE ONLY account_link
    ADD CONSTRAINT account_link_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id);

ALTER TABLE ONLY application
    ADD CONSTRAINT application_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customer(id);

ALTER TABLE ONLY application_grant
    ADD CONSTRAINT application_grant_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id);

ALTER TABLE ONLY application_grant
    ADD CONSTRAINT application_grant_application_id_fkey FOREIGN KEY (application_id) REFERENCES application(id);

ALTER TABLE ONLY application_secret
    ADD CONSTRAINT application_secret_application_id_fkey FOREIGN KEY (application_id) REFERENCES application(id);

ALTER TABLE ONLY consent
    ADD CONSTRAINT consent_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id);

ALTER TABLE ONLY consent
    ADD CONSTRAINT consent_application_id_fkey FOREIGN KEY (application_id) REFERENCES application(id);

ALTER TABLE ONLY customer_notice
    ADD CONSTRAINT customer_notice_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customer(id);

ALTER TABLE ONLY erased_identity
    ADD CONSTRAINT erased_identity_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id);

ALTER TABLE ONLY factor
    ADD CONSTRAINT factor_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id);

ALTER TABLE ONLY known_address
    ADD CONSTRAINT known_address_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE;

ALTER TABLE ONLY logout_notice
    ADD CONSTRAINT logout_notice_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id);

ALTER TABLE ONLY logout_notice
    ADD CONSTRAINT logout_notice_application_id_fkey FOREIGN KEY (application_id) REFERENCES application(id);

ALTER TABLE ONLY passkey
    ADD CONSTRAINT passkey_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id);

ALTER TABLE ONLY passkey
    ADD CONSTRAINT passkey_factor_id_fkey FOREIGN KEY (factor_id) REFERENCES factor(id) ON DELETE CASCADE;

ALTER TABLE ONLY recovery_code
    ADD CONSTRAINT recovery_code_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id);

ALTER TABLE ONLY recovery_code
    ADD CONSTRAINT recovery_code_key_id_fkey FOREIGN KEY (key_id) REFERENCES recovery_code_key(id);

ALTER TABLE ONLY remembered_device
    ADD CONSTRAINT remembered_device_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE;

ALTER TABLE ONLY security_contact
    ADD CONSTRAINT security_contact_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customer(id) ON DELETE CASCADE;

ALTER TABLE ONLY service_account
    ADD CONSTRAINT service_account_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customer(id);

ALTER TABLE ONLY service_account_secret
    ADD CONSTRAINT service_account_secret_service_account_id_fkey FOREIGN KEY (service_account_id) REFERENCES service_account(id);

ALTER TABLE ONLY signed_in_session
    ADD CONSTRAINT signed_in_session_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id);

ALTER TABLE ONLY signed_in_session
    ADD CONSTRAINT signed_in_session_remembered_device_id_fkey FOREIGN KEY (remembered_device_id) REFERENCES remembered_device(id) ON DELETE SET NULL;

ALTER TABLE ONLY totp_factor
    ADD CONSTRAINT totp_factor_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id);

ALTER TABLE ONLY totp_factor
    ADD CONSTRAINT totp_factor_factor_id_fkey FOREIGN KEY (factor_id) REFERENCES factor(id) ON DELETE CASCADE;

ALTER TABLE ONLY upstream_link
    ADD CONSTRAINT upstream_link_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id);

ALTER TABLE ONLY upstream_provider
    ADD CONSTRAINT upstream_provider_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customer(id);

ALTER TABLE ONLY used_account_link
    ADD CONSTRAINT used_account_link_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id) ON DELETE CASCADE;

REVOKE ALL ON FUNCTION drop_audit_month(month text) FROM PUBLIC;

REVOKE ALL ON FUNCTION make_audit_months(kept_since timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION seal_audit(pause interval) FROM PUBLIC;
