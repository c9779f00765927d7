import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from './servers.ts';

/** A certificate with its private key, and the files that they are in. */
export interface TestCertificate {
  readonly certificate: string;
  readonly key: string;
  readonly certificateFile: string;
  readonly keyFile: string;
}

/**
 * A certificate for two days, made by openssl.
 *
 * @param subject as openssl reads it: `/O=Bank/CN=ledger`.
 * @param names for subjectAltName: `DNS:localhost`.
 * @param issuer signs it; without one it signs itself.
 */
export function newCertificate(
  subject: string,
  names = 'DNS:localhost',
  issuer?: TestCertificate,
): TestCertificate {
  const folder = temporaryDirectory('cls-certificate-');
  const [certificateFile, keyFile] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  const openssl = (...words: string[]) => execFileSync('openssl', words, { stdio: 'ignore' });
  const key = ['-newkey', 'rsa:2048', '-nodes', '-keyout', keyFile, '-subj', subject];
  if (issuer === undefined) {
    const own = ['-addext', `subjectAltName=${names}`, '-days', '2', '-out', certificateFile];
    openssl('req', '-x509', '-utf8', ...key, ...own);
  } else {
    const [asked, extensions] = [join(folder, 'asked.csr'), join(folder, 'extensions')];
    openssl('req', '-utf8', ...key, '-out', asked);
    writeFileSync(extensions, `subjectAltName=${names}`);
    const by = ['-CA', issuer.certificateFile, '-CAkey', issuer.keyFile, '-CAcreateserial'];
    const to = ['-extfile', extensions, '-days', '2', '-out', certificateFile];
    openssl('x509', '-req', '-in', asked, ...by, ...to);
  }
  const certificate = readFileSync(certificateFile, 'utf8');
  return { certificate, key: readFileSync(keyFile, 'utf8'), certificateFile, keyFile };
}
