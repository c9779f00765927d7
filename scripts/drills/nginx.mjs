// deploy/nginx.conf and nginx.explorer.conf as they are shipped, save for the places that belong to a machine.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { endWithTests } from '../../packages/testing/dist/src/servers.js';

const root = resolve(import.meta.dirname, '..', '..');
const HOST = 'cls.example';
export const NGINX = ['/usr/sbin/nginx', '/usr/bin/nginx', '/usr/local/sbin/nginx'].find(
  existsSync,
);

/**
 * @param ports free ports by the ones that the file names
 * @param clientAuthorities a file of certificates: with it, nginx.mtls.conf is included
 * @returns the process, and the certificate that callers trust
 */
export function startNginx(folder, ports, clientAuthorities) {
  const crt = makeCertificate(join(folder, HOST), HOST, `DNS:${HOST},DNS:mtls.${HOST}`);
  let text = shippedConfig('nginx.conf', folder)
    .replaceAll(`/etc/nginx/tls/${HOST}`, join(folder, HOST))
    .replace('listen 80 ', `listen 127.0.0.1:${ports['80']} `)
    .replace('listen 443 ', `listen 127.0.0.1:${ports['443']} `);
  for (const [named, port] of Object.entries(ports)) {
    text = text.replace(`server 127.0.0.1:${named} `, `server 127.0.0.1:${port} `);
  }
  if (clientAuthorities !== undefined) {
    const own = shippedConfig('nginx.mtls.conf', folder)
      .replaceAll(`/etc/nginx/tls/mtls.${HOST}`, join(folder, HOST))
      .replace('/etc/nginx/tls/client-authorities.crt', clientAuthorities)
      .replace('listen 443 ', `listen 127.0.0.1:${ports['443']} `);
    writeFileSync(join(folder, 'mtls.conf'), own);
    text = text.replace(/\}\s*$/, `  include ${join(folder, 'mtls.conf')};\n}\n`);
  }
  return { child: runNginx(folder, text), ca: readFileSync(crt) };
}

/**
 * Both files: the issuer's host and the explorer's, by names that every machine resolves.
 *
 * @param ports free ports by the ones that the files name; a replica without one is never there
 * @param edit what is changed in both besides
 * @returns the process, the certificate that callers trust, and the two origins
 */
export function startNginxOfBoth(folder, ports, edit = (text) => text) {
  const certificate = makeCertificate(
    join(folder, 'tls'),
    'localhost',
    'DNS:localhost,IP:127.0.0.1',
  );
  const [whole, own] = ['nginx.conf', 'nginx.explorer.conf'].map((name) =>
    edit(shippedConfig(name, folder))
      .replaceAll(/\/etc\/nginx\/tls\/(balances\.)?cls\.example/g, join(folder, 'tls'))
      .replaceAll('server_name balances.cls.example', 'server_name 127.0.0.1')
      .replaceAll('server_name cls.example', 'server_name localhost')
      .replaceAll(/listen (80|443) /g, (_, port) => `listen 127.0.0.1:${ports[port]} `)
      .replaceAll(/127\.0\.0\.1:(8[01]8[1-3]) /g, (_, port) => `127.0.0.1:${ports[port] ?? 9} `),
  );
  writeFileSync(join(folder, 'explorer.conf'), own);
  const included = `  include ${join(folder, 'explorer.conf')};\n}\n`;
  const child = runNginx(folder, whole.replace(/\}\s*$/, included));
  const [issuer, explorer] = ['localhost', '127.0.0.1'].map(
    (host) => `https://${host}:${ports['443']}`,
  );
  return { child, certificate, issuer, explorer };
}

/**
 * A key and a certificate of its own, `place` with their endings.
 *
 * @param names such as `DNS:localhost,IP:127.0.0.1`
 * @returns where the certificate is
 */
function makeCertificate(place, name, names) {
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=${names}`];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const made = ['req', '-x509', ...key, '-days', '2', ...subject];
  const to = ['-keyout', `${place}.key`, '-out', `${place}.crt`];
  execFileSync('openssl', [...made, ...to], { stdio: 'ignore' });
  return `${place}.crt`;
}

/** A shipped file with one worker, and with its logs in `folder`. */
function shippedConfig(name, folder) {
  return readFileSync(join(root, 'deploy', name), 'utf8')
    .replaceAll('/var/log/nginx', join(folder, 'log'))
    .replace('worker_processes auto;', 'worker_processes 1;');
}

/** Checks a configuration, and runs nginx with it until the tests end. */
function runNginx(folder, text) {
  mkdirSync(join(folder, 'log'));
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, `pid ${join(folder, 'nginx.pid')};\n${text}`);
  const options = ['-c', file, '-p', folder, '-e', join(folder, 'log', 'start.log')];
  execFileSync(NGINX, ['-t', ...options], { stdio: 'pipe' });
  return endWithTests(
    spawn(NGINX, [...options, '-g', 'daemon off; master_process off;'], { stdio: 'ignore' }),
  );
}
