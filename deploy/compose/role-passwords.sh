#!/bin/sh
# Run by the image of PostgreSQL when it makes its cluster, after roles.sql.
set -eu
psql -X -q -v ON_ERROR_STOP=1 -d postgres -f /run/secrets/role-passwords.sql
