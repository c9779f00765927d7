import { readdirSync, readFileSync } from 'node:fs';
import { CommandRefused } from '@cls/shared/cli/command-line';
import { utf8Text } from '@cls/shared/cli/utf8';
import { checkProfile } from '../import/profile/check-profile.ts';
import type { ImportProfile } from '../import/profile/profile.ts';
import { parseProfile, UnreadableProfile } from '../import/profile/read-document.ts';

const SHIPPED = new URL('../../../profiles/', import.meta.url);

/** The names of the profiles in the folder `profiles`. */
export function shippedProfiles(): readonly string[] {
  const names = readdirSync(SHIPPED).filter((file) => file.endsWith('.json'));
  return names.map((file) => file.slice(0, -'.json'.length)).sort();
}

/**
 * Reads a shipped profile by name, or one by path (`.yaml`, `.yml`, `.json`).
 *
 * @throws {CommandRefused} with everything that is wrong with it, or with its open questions.
 */
export function readProfile(nameOrPath: string): ImportProfile {
  const checked = checkProfile(readProfileDocument(nameOrPath));
  if ('profile' in checked) return checked.profile;
  if ('questions' in checked) {
    const { questions } = checked;
    const lines = questions.map(({ path, question }) => `${path}: ${question}`);
    throw new CommandRefused(
      `the profile ${nameOrPath} has open questions (${questions.length}): put the answer in place of ` +
        `each text that begins with “?”\n${lines.join('\n')}`,
      questions,
    );
  }
  const lines = checked.faults.map(({ path, message }) => (path ? `${path}: ${message}` : message));
  throw new CommandRefused(
    `the profile ${nameOrPath} is not well formed:\n${lines.join('\n')}`,
    checked.faults,
  );
}

/** The same, as it is written. @throws {CommandRefused} */
export function readProfileDocument(nameOrPath: string): unknown {
  const shipped = /^[a-z0-9-]+$/.test(nameOrPath);
  const place = shipped ? new URL(`${nameOrPath}.json`, SHIPPED) : nameOrPath;
  try {
    return parseProfile(utf8Text(readFileSync(place)).replace(/^\ufeff/, ''));
  } catch (error) {
    if (error instanceof CommandRefused) throw error;
    if (error instanceof UnreadableProfile) {
      throw new CommandRefused(`the profile ${nameOrPath} cannot be read: ${error.message}`);
    }
    const names = shippedProfiles().join(', ');
    throw new CommandRefused(
      `the profile ${nameOrPath} cannot be read; give ${names} or the path of a .yaml or .json file`,
    );
  }
}
