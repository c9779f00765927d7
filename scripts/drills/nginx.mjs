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
  mkdirSync(join(folder, 'log'));
  const [key, crt] = ['key', 'crt'].map((end) => join(folder, `${HOST}.${end}`));
  const subject = ['-subj', `/CN=${HOST}`, '-addext', `subjectAltName=DNS:${HOST}`];
  const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject];
  execFileSync('openssl', [...made, '-keyout', key, '-out', crt], { stdio: 'ignore' });
  let text = readFileSync(join(root, 'deploy', 'nginx.conf'), 'utf8')
    .replaceAll('/var/log/nginx', join(folder, 'log'))
    .replaceAll(`/etc/nginx/tls/${HOST}`, join(folder, HOST))
    .replace('worker_processes auto;', 'worker_processes 1;')
    .replace('listen 80 ', `listen 127.0.0.1:${ports['80']} `)
    .replace('listen 443 ', `listen 127.0.0.1:${ports['443']} `);
  for (const [named, port] of Object.entries(ports)) {
    text = text.replace(`server 127.0.0.1:${named} `, `server 127.0.0.1:${port} `);
  }
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, `pid ${join(folder, 'nginx.pid')};\n${text}`);
  const options = ['-c', file, '-p', folder, '-e', join(folder, 'log', 'start.log')];
  execFileSync(NGINX, ['-t', ...options], { stdio: 'pipe' });
  const child = endWithTests(
    spawn(NGINX, [...options, '-g', 'daemon off; master_process off;'], { stdio: 'ignore' }),
  );
  return { child, ca: readFileSync(crt) };
}
