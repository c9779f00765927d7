// deploy/nginx.conf as it is shipped, save for the places that belong to a machine.
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
 * @returns the process, and the certificate that callers trust
 */
export function startNginx(folder, ports) {
  const crt = makeCertificate(join(folder, HOST), HOST, `DNS:${HOST}`);
  let text = shippedConfig('nginx.conf', folder)
    .replaceAll(`/etc/nginx/tls/${HOST}`, join(folder, HOST))
    .replace('listen 80 ', `listen 127.0.0.1:${ports['80']} `)
    .replace('listen 443 ', `listen 127.0.0.1:${ports['443']} `);
  for (const [named, port] of Object.entries(ports)) {
    text = text.replace(`server 127.0.0.1:${named} `, `server 127.0.0.1:${port} `);
  }
  return { child: runNginx(folder, text), ca: readFileSync(crt) };
}

/**
 * A key and a certificate of its own, `place` with their endings.
 *
 * @param names such as `DNS:localhost,IP:127.0.0.1`
 * @returns where the certificate is
 */
export function makeCertificate(place, name, names) {
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=${names}`];
  const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject];
  const to = ['-keyout', `${place}.key`, '-out', `${place}.crt`];
  execFileSync('openssl', [...made, ...to], { stdio: 'ignore' });
  return `${place}.crt`;
}

/** A shipped file with one worker, and with its logs in `folder`. */
export function shippedConfig(name, folder) {
  return readFileSync(join(root, 'deploy', name), 'utf8')
    .replaceAll('/var/log/nginx', join(folder, 'log'))
    .replace('worker_processes auto;', 'worker_processes 1;');
}

/** Checks a configuration, and runs nginx with it until the tests end. */
export function runNginx(folder, text) {
  mkdirSync(join(folder, 'log'));
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, `pid ${join(folder, 'nginx.pid')};\n${text}`);
  const options = ['-c', file, '-p', folder, '-e', join(folder, 'log', 'start.log')];
  execFileSync(NGINX, ['-t', ...options], { stdio: 'pipe' });
  return endWithTests(
    spawn(NGINX, [...options, '-g', 'daemon off; master_process off;'], { stdio: 'ignore' }),
  );
}
