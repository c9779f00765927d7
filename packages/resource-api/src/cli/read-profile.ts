import { readdirSync, readFileSync } from 'node:fs';
import { CommandRefused } from '@cls/shared/cli/command-line';
import { utf8Text } from '@cls/shared/cli/utf8';
import { type ImportProfile, profileSchema } from '../import/profile/profile.ts';

const SHIPPED = new URL('../../../profiles/', import.meta.url);

/** The names of the profiles in the folder `profiles`. */
export function shippedProfiles(): readonly string[] {
  const names = readdirSync(SHIPPED).filter((file) => file.endsWith('.json'));
  return names.map((file) => file.slice(0, -'.json'.length)).sort();
}

/** Reads a shipped profile by name, or one by path (`….json`). @throws {CommandRefused} */
export function readProfile(nameOrPath: string): ImportProfile {
  const result = profileSchema.safeParse(readProfileDocument(nameOrPath));
  if (result.success) return result.data;
  const faults = result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new CommandRefused(`the profile ${nameOrPath} is not well formed:\n${faults.join('\n')}`);
}

/** The same, as it is written. @throws {CommandRefused} */
export function readProfileDocument(nameOrPath: string): unknown {
  const shipped = /^[a-z0-9-]+$/.test(nameOrPath);
  const place = shipped ? new URL(`${nameOrPath}.json`, SHIPPED) : nameOrPath;
  try {
    return JSON.parse(utf8Text(readFileSync(place)).replace(/^\ufeff/, ''));
  } catch (error) {
    if (error instanceof CommandRefused) throw error;
    const names = shippedProfiles().join(', ');
    throw new CommandRefused(
      `the profile ${nameOrPath} cannot be read; give ${names} or the path of a .json file`,
    );
  }
}
