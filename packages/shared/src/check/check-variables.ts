import type { Environment, VariableDescription } from '../environment.ts';
import { nearestName } from '../http/nearest-name.ts';
import { type Finding, findingsOf } from './finding.ts';

/** The settings of one service. */
export interface KnownVariables {
  /** `AUTH_`: what the names begin with that no other service reads. */
  readonly prefix: string;
  readonly describe: () => readonly VariableDescription[];
}

/**
 * Variables of this service that it does not read: a misspelt setting would have no effect, and
 * nothing would say so. An empty variable counts as not set.
 */
export function checkVariables(
  env: Environment,
  { prefix, describe }: KnownVariables,
): readonly Finding[] {
  const { warning } = findingsOf('configuration');
  const known = describe().flatMap(({ name, secret }) => (secret ? [name, `${name}_FILE`] : name));
  return Object.entries(env)
    .filter(([name, value]) => name.startsWith(prefix) && value !== undefined && value !== '')
    .filter(([name]) => !known.includes(name))
    .map(([name]) => {
      const near = nearestName(name, known);
      const todo =
        near === undefined
          ? 'remove it, or correct its name: docs/reference/configuration.md'
          : `correct its name: did you mean ${near}?`;
      return warning(name, 'no setting has this name; it has no effect', todo);
    });
}
