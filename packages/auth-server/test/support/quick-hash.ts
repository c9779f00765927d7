import { type Algorithm, hash } from '@node-rs/argon2';
import { normalizePassword } from '../../src/accounts/password.ts';

/**
 * A hash that is verified in a moment: the parameters stand in the hash. What a service hashes
 * itself has those of production.
 */
export function quickHash(password: string): Promise<string> {
  const argon2id = 2 as Algorithm; // An ambient enum, which `isolatedModules` cannot read.
  return hash(normalizePassword(password), { algorithm: argon2id, memoryCost: 64, timeCost: 1 });
}
