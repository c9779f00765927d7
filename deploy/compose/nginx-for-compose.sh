#!/bin/sh
# Puts the names of compose.yaml into nginx.conf and nginx.explorer.conf, and starts nginx. With
# an argument it only writes the files, into that folder, with certificates from the second.
set -eu
source=${SOURCE:-/source} to=${1:-/run} certificates=${2:-/run/secrets}
sed -e 's/server 127\.0\.0\.1:8081 /server auth-server:8081 /' \
  -e 's/server 127\.0\.0\.1:8082 /server resource-api:8082 /' \
  -e 's/server 127\.0\.0\.1:8083 /server explorer:8083 /' \
  -e '/server 127\.0\.0\.1:8[0-9]8[123] /d' \
  -e 's/balances\.cls\.example/balances.localhost/g' -e 's/cls\.example/cls.localhost/g' \
  -e "s#/etc/nginx/tls/[a-z.]*\.#$certificates/tls.#" \
  "$source/nginx.conf" > "$to/nginx.conf"
sed -e 's/server 127\.0\.0\.1:8083 /server explorer:8083 /' \
  -e '/server 127\.0\.0\.1:8183 /d' -e 's/balances\.cls\.example/balances.localhost/g' \
  -e "s#/etc/nginx/tls/[a-z.]*\.#$certificates/tls.#" \
  "$source/nginx.explorer.conf" > "$to/nginx.explorer.conf"
[ $# -eq 0 ] || exit 0
# The logs of a container go to its output.
ln -sf /dev/stdout /var/log/nginx/access.log
ln -sf /dev/stderr /var/log/nginx/error.log
# A name that nobody has yet would keep nginx from starting: the explorer comes later.
if getent hosts explorer > /dev/null; then
  sed -i '$d' "$to/nginx.conf" && echo "  include $to/nginx.explorer.conf; }" >> "$to/nginx.conf"
fi
exec nginx -c "$to/nginx.conf" -g 'daemon off;'
