#!/bin/sh
# Makes what compose.yaml needs in secrets/, once: keys, passwords, database URLs, and a local CA with
# a certificate for cls.localhost, balances.localhost and mail. Needs openssl.
set -eu
cd "$(dirname "$0")"
[ ! -e secrets ] || { echo "$PWD/secrets is there already; remove it for new secrets" >&2; exit 1; }
# Others do not enter the folder. Containers get single files, and read them as another user.
umask 022
mkdir -m 0700 secrets && cd secrets
trap 'rm -rf "$PWD"' EXIT

key() { openssl rand -base64 32 | tr '+/' '-_' | tr -d '=\n'; }
for name in key-encryption-key cookie-key cursor-key webhook-key explorer-key \
  postgres-password redis-password; do
  key > "$name"
done
printf 'redis://:%s@redis:6379' "$(cat redis-password)" > redis-url
: > role-passwords.sql
for service in auth api; do
  for kind in owner service; do
    role="cls_${service}_$kind" password=$(key) file="$service-owner-url"
    [ "$kind" = owner ] || file="$service-database-url"
    printf "ALTER ROLE %s PASSWORD '%s';\n" "$role" "$password" >> role-passwords.sql
    printf 'postgres://%s:%s@postgres:5432/cls_%s' "$role" "$password" "$service" > "$file"
  done
done
# Replaced by what `cls-auth applications create` shows.
: > explorer-client

openssl req -x509 -newkey rsa:2048 -nodes -days 825 -subj '/CN=CLS local CA' \
  -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign,cRLSign \
  -keyout ca.key -out ca.crt 2> openssl.log || { cat openssl.log >&2; exit 1; }
openssl req -newkey rsa:2048 -nodes -subj '/CN=cls.localhost' -keyout tls.key -out tls.csr 2> openssl.log
printf 'subjectAltName=DNS:cls.localhost,DNS:balances.localhost,DNS:mail\nextendedKeyUsage=serverAuth\n' > tls.ext
openssl x509 -req -in tls.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 825 -extfile tls.ext \
  -out tls.crt 2> openssl.log
rm -f tls.csr tls.ext ca.srl openssl.log
chmod 0644 ./* && chmod 0600 ca.key
trap - EXIT
echo "Made $PWD. Let your browser trust ca.crt."
