import { type Algorithm, hash, verify } from '@node-rs/argon2';

/** OWASP's first choice for argon2id: 19 MiB, two passes. */
const ARGON2 = {
  // The library's enum is ambient, which `isolatedModules` cannot read: 2 is Argon2id.
  algorithm: 2 as Algorithm,
  memoryCost: 19 * 1024,
  timeCost: 2,
  parallelism: 1,
} as const;

const MIN_CODE_POINTS = 15;
const MAX_CODE_POINTS = 256;

/** Why a password may not be set, in a sentence; undefined when it may (NIST SP 800-63B-4). */
export function passwordFault(password: string): string | undefined {
  const length = [...normalize(password)].length;
  if (length < MIN_CODE_POINTS) return `a password has at least ${MIN_CODE_POINTS} characters`;
  if (length > MAX_CODE_POINTS) return `a password has at most ${MAX_CODE_POINTS} characters`;
  return undefined;
}

export function hashPassword(password: string): Promise<string> {
  return hash(normalize(password), ARGON2);
}

/** Too many passwords are being verified at once; the caller may try again soon. */
export class PasswordVerifierBusy extends Error {
  override readonly name = 'PasswordVerifierBusy';
}

export interface PasswordVerifier {
  /**
   * Whether `password` fits `storedHash`. Without a stored hash it does the same work on a hash
   * of nothing and answers false. @throws {PasswordVerifierBusy}
   */
  verify(password: string, storedHash: string | undefined): Promise<boolean>;
}

/**
 * Verifies off the event loop, at most `concurrency` at a time, because each verification takes
 * 19 MiB and a thread that signing needs too; further ones queue, up to `queueMax`.
 */
export async function argon2Verifier(
  concurrency: number,
  queueMax: number,
): Promise<PasswordVerifier> {
  const hashOfNothing = await hashPassword('');
  const queue: (() => void)[] = [];
  let running = 0;

  const enter = async (): Promise<void> => {
    if (running < concurrency) {
      running += 1;
      return;
    }
    if (queue.length >= queueMax) throw new PasswordVerifierBusy('too many sign-ins at once');
    await new Promise<void>((resolve) => queue.push(resolve));
  };
  const leave = (): void => {
    const next = queue.shift();
    if (next === undefined) running -= 1;
    else next(); // The place is handed over: `running` stays.
  };

  return {
    async verify(password, storedHash) {
      await enter();
      try {
        const candidate = normalize(password).slice(0, 4 * MAX_CODE_POINTS);
        const fits = await verify(storedHash ?? hashOfNothing, candidate);
        return fits && storedHash !== undefined;
      } finally {
        leave();
      }
    },
  };
}

/** One spelling for characters that look alike on different keyboards. */
function normalize(password: string): string {
  return password.normalize('NFKC');
}
