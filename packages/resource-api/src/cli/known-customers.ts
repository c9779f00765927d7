import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Beside this package where both services are installed together, which need not be. */
const CLS_AUTH = fileURLToPath(
  new URL('../../../../auth-server/bin/cls-auth.mjs', import.meta.url),
);

export type KnownCustomers =
  | { readonly customers: readonly string[] }
  /** Why the customer cannot be known. */
  | { readonly unknown: string };

/** The customers of auth-server, by its own tool, which has this process's environment. */
export function knownCustomers(): Promise<KnownCustomers> {
  if (!existsSync(CLS_AUTH)) {
    return Promise.resolve({ unknown: 'cls-auth is not installed beside this tool' });
  }
  const words = [CLS_AUTH, 'customers', 'list', '--json'];
  return new Promise((resolve) => {
    execFile(process.execPath, words, (error, stdout, stderr) => {
      const [why = ''] = stderr.trim().split('\n');
      resolve(error === null ? { customers: idsIn(stdout) } : { unknown: why || error.message });
    });
  });
}

function idsIn(document: string): readonly string[] {
  return (JSON.parse(document) as readonly { readonly id: string }[]).map(({ id }) => id);
}
