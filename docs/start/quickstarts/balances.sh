#!/bin/sh
# The outstanding principal of each facility, a JSON document a line, and a summary at the end.
set -eu

token=$(curl -sS --fail-with-body -u "$ID:$SECRET" -d grant_type=client_credentials \
  "$BASE/oauth/token" | sed 's/.*"access_token":"\([^"]*\)".*/\1/')

curl -sS --fail-with-body --compressed --retry 3 \
  -H "Authorization: Bearer $token" \
  -H 'Accept: application/x-ndjson' \
  "$BASE/api/v1/cls/balances?fields=deal.dealNumber,global.principal.outstanding"
