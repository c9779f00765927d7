import { readdirSync, readFileSync } from 'node:fs';
import { CommandRefused } from '@cls/shared/cli/command-line';
import { utf8Text } from '@cls/shared/cli/utf8';
import { type ImportProfile, profileSchema } from '../import/profile.ts';

/** The profile is not there or not well formed; the message says what was expected. */
export class ProfileError extends Error {
  override readonly name = 'ProfileError';
}

const SHIPPED = new URL('../../../profiles/', import.meta.url);

/** The names of the profiles in the folder `profiles`. */
export function shippedProfiles(): readonly string[] {
  const names = readdirSync(SHIPPED).filter((file) => file.endsWith('.json'));
  return names.map((file) => file.slice(0, -'.json'.length)).sort();
}

/** Reads a shipped profile by name, or one by path (`….json`). @throws {ProfileError} */
export function readProfile(nameOrPath: string): ImportProfile {
  const shipped = /^[a-z0-9-]+$/.test(nameOrPath);
  const place = shipped ? new URL(`${nameOrPath}.json`, SHIPPED) : nameOrPath;
  let document: unknown;
  try {
    document = JSON.parse(utf8Text(readFileSync(place)).replace(/^\ufeff/, ''));
  } catch (cause) {
    if (cause instanceof CommandRefused) throw new ProfileError(cause.message, { cause });
    const names = shippedProfiles().join(', ');
    const message = `the profile ${nameOrPath} cannot be read; give ${names} or the path of a .json file`;
    throw new ProfileError(message, { cause });
  }
  const result = profileSchema.safeParse(document);
  if (result.success) return result.data;
  const faults = result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new ProfileError(`the profile ${nameOrPath} is not well formed:\n${faults.join('\n')}`);
}
