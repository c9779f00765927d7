import { CommandRefused, UsageError } from '@cls/shared/cli/command-line';
import type { Application } from '../clients/application.ts';
import { APPLICATION_SCOPES } from '../library/client-metadata.ts';
import type { Operator } from './operator.ts';

/** @throws {CommandRefused} */
export async function requireApplication(operator: Operator, id: string): Promise<Application> {
  const application = await operator.applications.find(id);
  if (application === undefined) throw new CommandRefused(`there is no application ${id}`);
  return application;
}

/** @throws {UsageError} naming those that there are. */
export function parseScopes(names: readonly string[]): readonly string[] {
  const unknown = names.filter((name) => !APPLICATION_SCOPES.includes(name));
  if (unknown.length === 0) return APPLICATION_SCOPES.filter((name) => names.includes(name));
  throw new UsageError(
    `--scope: unknown: ${unknown.join(', ')}; there are ${APPLICATION_SCOPES.join(', ')}`,
  );
}

/**
 * https, http on this machine (RFC 8252 §7.3), or a native application's own scheme (§7.1). What is
 * stored is compared as it is, so nothing may be in it that a URL parser would mend.
 *
 * @throws {UsageError}
 */
export function checkUri(option: string, text: string, ownScheme: boolean): void {
  const { protocol, hostname, username } = URL.canParse(text) ? new URL(text) : NO_URI;
  const local = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  const web = protocol === 'https:' || (protocol === 'http:' && local);
  const own = ownScheme && OWN_SCHEME.test(protocol);
  const plain = URI_CHARACTERS.test(text) && username === '';
  if (plain && ((web && text.startsWith(`${protocol}//`)) || own)) return;
  const other = ownScheme ? ', or com.example.app:/…' : '';
  throw new UsageError(
    `${option}: expected an https URI, http on localhost${other}; without user, fragment or *`,
  );
}

/**
 * An origin as a browser sends it, for web pages alone.
 *
 * @throws {UsageError}
 */
export function parseOrigins(texts: readonly string[]): readonly string[] {
  for (const text of texts) {
    checkUri('--allow-origin', text, false);
    if (new URL(text).origin !== text) {
      throw new UsageError('--allow-origin: expected an origin only, such as https://app.example');
    }
  }
  return [...new Set(texts)];
}

/** @throws {UsageError} */
export function checkKind(
  confidential: boolean,
  { withoutPkce, allowedOrigins }: Pick<Application, 'withoutPkce' | 'allowedOrigins'>,
): void {
  if (withoutPkce && !confidential) {
    throw new UsageError(
      '--without-pkce: only for a confidential application; PKCE alone proves a public one',
    );
  }
  if (allowedOrigins.length > 0 && confidential) {
    throw new UsageError(
      '--allow-origin: only for a public application; a page cannot keep a secret',
    );
  }
}

const NO_URI = { protocol: '', hostname: '', username: '' };
const OWN_SCHEME = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/;
/** Those of RFC 3986, without a fragment. */
const URI_CHARACTERS = /^[\w\-.~:/?[\]@!$&'()+,;=%]+$/;
