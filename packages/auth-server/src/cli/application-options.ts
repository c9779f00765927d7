import { CommandRefused } from '@cls/shared/cli/command-line';
import { readOptions } from '@cls/shared/cli/options';
import type { Command } from 'commander';
import { z } from 'zod';
import {
  APPLICATION_SCOPES,
  type Application,
  type ApplicationLinks,
  isConfidential,
  isNative,
} from '../clients/application.ts';
import { LOGO_MAX_BYTES, logoIn } from '../clients/logo.ts';
import type { Operator } from './operator.ts';
import { contentOf, someOf } from './option-values.ts';

/** @throws {CommandRefused} */
export async function requireApplication(operator: Operator, id: string): Promise<Application> {
  const application = await operator.applications.find(id);
  if (application === undefined) throw new CommandRefused(`there is no application ${id}`);
  return application;
}

/** As commands show it, without its secrets. */
export function shownApplication({ id, secrets: _, hadSecret, proof, ...rest }: Application) {
  const confidential = isConfidential({ hadSecret, proof });
  return { clientId: id, ...rest, confidential, ...(proof && { proof }) };
}

/** What people see of it: the option of each link, and what it is. */
const LINK_OPTIONS = {
  clientUri: ['client-uri', 'its start page'],
  initiateLoginUri: [
    'initiate-login-uri',
    'its https address that signs people in by itself (OpenID Connect Core §4)',
  ],
  policyUri: ['policy-uri', 'its privacy policy: linked where people sign in and allow access'],
  tosUri: ['tos-uri', 'its terms of use: linked there too'],
} as const;

/** @param removable with `--no-…` for each. */
export function addLinkOptions(command: Command, removable = false): Command {
  for (const [name, about] of Object.values(LINK_OPTIONS)) {
    command.option(`--${name} <uri>`, about);
    if (removable) command.option(`--no-${name}`, `no longer: ${about}`);
  }
  command.option(
    '--logo <file>',
    'a picture beside its name where people sign in and allow access: PNG, JPEG or WebP, at most 32 KiB',
  );
  if (removable) command.option('--no-logo', 'no longer show a picture beside its name');
  return command.option('--customer <id>', 'the customer whose administrators see the application');
}

/** `false`: the option with `--no-`. */
export const LOGO = z
  .union([z.literal(false), z.string()])
  .transform((file, context) => {
    if (file === false) return null;
    const body = contentOf(file);
    const logo = body.length > LOGO_MAX_BYTES ? undefined : logoIn(body);
    if (logo !== undefined) return logo;
    const message = `expected a PNG, JPEG or WebP file of at most ${LOGO_MAX_BYTES} bytes`;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  })
  .exactOptional();

/** `false`: the option with `--no-`. @returns the links that are registered from now on. */
export function linksFrom(given: LinkOptions, before: ApplicationLinks = {}): ApplicationLinks {
  const { clientUri, initiateLoginUri, policyUri, tosUri } = given;
  const named = {
    ...{ client_uri: clientUri, initiate_login_uri: initiateLoginUri },
    ...{ policy_uri: policyUri, tos_uri: tosUri },
  };
  const after = Object.entries(named).map(([name, value]) => [
    name,
    value ?? before[name as keyof ApplicationLinks] ?? false,
  ]);
  return Object.fromEntries(after.filter(([, value]) => value !== false));
}

/** What it may ask for, in the order in which scopes are shown. */
export const SCOPES = someOf(APPLICATION_SCOPES).transform((names) =>
  APPLICATION_SCOPES.filter((name) => names.includes(name)),
);

/** Origins whose pages may call this host, as browsers send them. */
export const ORIGINS = z.array(z.string()).transform((origins) => [...new Set(origins)]);

const link = z.union([
  z.literal(false),
  z.string().refine((given) => isUri(given, false), {
    error: 'expected an https URI, or http on localhost; without user, fragment or *',
  }),
]);
/** Options of a command that registers links. */
export const LINKS = {
  clientUri: link.exactOptional(),
  initiateLoginUri: link
    .refine((given) => given === false || given.startsWith('https:'), 'expected an https URI')
    .exactOptional(),
  policyUri: link.exactOptional(),
  tosUri: link.exactOptional(),
};
type LinkOptions = Partial<Readonly<Record<keyof typeof LINKS, string | false | undefined>>>;

type Registration = Pick<
  Application,
  | 'redirectUris'
  | 'postLogoutRedirectUris'
  | 'backchannelLogoutUri'
  | 'withoutPkce'
  | 'allowedOrigins'
>;

/** Checks what is registered as a whole, by the options that say it. @throws {UsageError} */
export function checkRegistration(application: Registration, confidential: boolean): void {
  readOptions(registration(isNative(application), confidential), {
    redirectUri: application.redirectUris,
    postLogoutRedirectUri: application.postLogoutRedirectUris,
    backchannelLogoutUri: application.backchannelLogoutUri,
    withoutPkce: application.withoutPkce,
    allowOrigin: application.allowedOrigins,
  });
}

const registration = (native: boolean, confidential: boolean) =>
  z.object({
    redirectUri: z.array(uri(true)),
    postLogoutRedirectUri: z.array(uri(native)),
    backchannelLogoutUri: uri(false).nullable(),
    withoutPkce: z
      .boolean()
      .refine(
        (without) => !without || confidential,
        'only for a confidential application; PKCE alone proves a public one',
      ),
    allowOrigin: z
      .array(ORIGIN)
      .refine(
        (origins) => origins.length === 0 || !confidential,
        'only for a public application; a page cannot keep a secret',
      ),
  });

/**
 * https, http on this machine (RFC 8252 §7.3), or a native application's own scheme (§7.1). What is
 * stored is compared as it is, so nothing may be in it that a URL parser would mend.
 */
function uri(ownScheme: boolean) {
  const other = ownScheme ? ', or com.example.app:/…' : '';
  const error = `expected an https URI, http on localhost${other}; without user, fragment or *`;
  return z.string().refine((given) => isUri(given, ownScheme), { error, abort: true });
}

const ORIGIN = uri(false).refine(
  (given) => new URL(given).origin === given,
  'expected an origin only, such as https://app.example',
);

function isUri(given: string, ownScheme: boolean): boolean {
  const { protocol, hostname, username } = URL.canParse(given) ? new URL(given) : NO_URI;
  const local = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  const web = protocol === 'https:' || (protocol === 'http:' && local);
  const own = ownScheme && OWN_SCHEME.test(protocol);
  const plain = URI_CHARACTERS.test(given) && username === '';
  return plain && ((web && given.startsWith(`${protocol}//`)) || own);
}

const NO_URI = { protocol: '', hostname: '', username: '' };
const OWN_SCHEME = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/;
/** Those of RFC 3986, without a fragment. */
const URI_CHARACTERS = /^[\w\-.~:/?[\]@!$&'()+,;=%]+$/;
