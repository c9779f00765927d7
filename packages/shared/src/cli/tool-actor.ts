import { hostname, userInfo } from 'node:os';
import { asName } from '../display-name.ts';

/**
 * Who uses this tool: the user of the operating system, also behind `sudo`, and the machine. Where
 * people share one user, as in a container, CLS_ACTOR names the person in front of it.
 *
 * @param uid anybody but root may set SUDO_USER themselves.
 */
export function toolActor(environment: NodeJS.ProcessEnv, uid = process.getuid?.()): string {
  const behind = uid === 0 ? asName(environment['SUDO_USER'] ?? '') : undefined;
  const user = `${behind ?? userName()}@${hostname()}`;
  const person = asName(environment['CLS_ACTOR'] ?? '');
  return person === undefined ? user : `${person} (${user})`;
}

/** Not every uid of a container has a name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
