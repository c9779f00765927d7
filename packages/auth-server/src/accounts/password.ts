import { Overloaded } from '@cls/shared/sql/database';
import { type Algorithm, hash, verify } from '@node-rs/argon2';

export const PASSWORD_LENGTH_MAX = 256;

/** The one form in which a password is measured and hashed (UAX #15, NFC). */
export function normalizePassword(password: string): string {
  return password.normalize('NFC');
}

/** OWASP's first choice for argon2id: 19 MiB, two passes. */
const ARGON2 = {
  // The library's enum is ambient, which `isolatedModules` cannot read: 2 is Argon2id.
  algorithm: 2 as Algorithm,
  memoryCost: 19 * 1024,
  timeCost: 2,
  parallelism: 1,
} as const;

export function hashPassword(password: string): Promise<string> {
  return hash(normalizePassword(password), ARGON2);
}

/** Too many passwords are being hashed at once; the caller may try again soon. */
export class PasswordVerifierBusy extends Overloaded {}

export interface PasswordVerifier {
  /** A hash to store; shares its places with `verify`. @throws {PasswordVerifierBusy} */
  hash(password: string): Promise<string>;
  /**
   * Whether `password` fits `storedHash`. Without a stored hash it does the same work on a hash
   * of nothing and answers false. @throws {PasswordVerifierBusy}
   */
  verify(password: string, storedHash: string | undefined): Promise<boolean>;
  /** How many wait for a place. */
  readonly waiting: number;
}

/**
 * Hashes off the event loop, at most `concurrency` at a time, because each hash takes 19 MiB and
 * a thread that signing needs too; further ones queue, up to `queueMax`.
 */
export async function argon2Verifier(
  concurrency: number,
  queueMax: number,
): Promise<PasswordVerifier> {
  const hashOfNothing = await hashPassword('');
  const queue: (() => void)[] = [];
  let running = 0;

  const within = async <T>(work: () => Promise<T>): Promise<T> => {
    if (running < concurrency) running += 1;
    else if (queue.length < queueMax) await new Promise<void>((resolve) => queue.push(resolve));
    else throw new PasswordVerifierBusy('too many sign-ins at once');
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next === undefined) running -= 1;
      else next(); // The place is handed over: `running` stays.
    }
  };

  return {
    get waiting() {
      return queue.length;
    },
    hash: (password) => within(() => hashPassword(password)),
    verify: (password, storedHash) =>
      within(async () => {
        const candidate = normalizePassword(password).slice(0, 4 * PASSWORD_LENGTH_MAX);
        const fits = await verify(storedHash ?? hashOfNothing, candidate);
        return fits && storedHash !== undefined;
      }),
  };
}
