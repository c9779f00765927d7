-- Roles and databases of CLS on PostgreSQL 15 or newer, made by an administrator (a superuser, or a
-- role with CREATEROLE and CREATEDB):
--
--   psql -X -v ON_ERROR_STOP=1 -d postgres -f deploy/roles.sql
--
-- It may run again. Roles get no password here: set them with \password, or let pg_hba.conf name a
-- certificate. Then `migrate` of `cls-auth`, `cls-api` and `cls-explorer` as the owners make the tables and grant
-- the service roles what the services need (docs/guides/deployment.md, "Database roles").

-- Owners change the schema. Services and tools read and write through it, and cannot change it.
SELECT format('CREATE ROLE %I %s', name, attributes)
FROM (VALUES ('cls_auth_owner', 'LOGIN'), ('cls_auth_service', 'LOGIN'),
             ('cls_api_owner', 'LOGIN'), ('cls_api_service', 'LOGIN'),
             ('cls_explorer_owner', 'LOGIN'), ('cls_explorer_service', 'LOGIN'),
             ('cls_reader', 'NOLOGIN')) AS wanted(name, attributes)
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) \gexec

-- Reads of balances run as cls_reader, under row-level security.
GRANT cls_reader TO cls_api_service;

-- Who is no superuser makes databases for roles that it is a member of alone.
SELECT format('GRANT %I TO CURRENT_USER', name)
FROM (VALUES ('cls_auth_owner'), ('cls_api_owner'), ('cls_explorer_owner')) AS owners(name)
WHERE NOT (SELECT rolsuper FROM pg_roles WHERE rolname = CURRENT_USER) \gexec

SELECT format('CREATE DATABASE %I OWNER %I ENCODING ''UTF8'' TEMPLATE template0', name, owner)
FROM (VALUES ('cls_auth', 'cls_auth_owner'), ('cls_api', 'cls_api_owner'),
             ('cls_explorer', 'cls_explorer_owner')) AS wanted(name, owner)
WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = name) \gexec

-- Nobody else connects, and services make no objects of their own, not even temporary ones.
REVOKE ALL ON DATABASE cls_auth, cls_api, cls_explorer FROM PUBLIC;
GRANT CONNECT ON DATABASE cls_auth TO cls_auth_service;
GRANT CONNECT ON DATABASE cls_api TO cls_api_service;
GRANT CONNECT ON DATABASE cls_explorer TO cls_explorer_service;

\connect cls_auth
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
\connect cls_api
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
\connect cls_explorer
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
