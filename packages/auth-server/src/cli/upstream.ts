import { CommandRefused, printer } from '@cls/shared/cli/command-line';
import { addListCommand } from '@cls/shared/cli/list-command';
import { readOptions, text } from '@cls/shared/cli/options';
import { Secret } from '@cls/shared/secret';
import type { Command } from 'commander';
import { z } from 'zod';
import { canonicalDomain } from '../organisations/email-domain.ts';
import type { UpstreamListing } from '../organisations/upstream-provider.ts';
import { endAround } from '../sessions/end-around.ts';
import { type AsOperator, type Operator, requireCustomer } from './operator.ts';
import { readSecret } from './read-secret.ts';

const CLIENT_SECRET = z.string().min(1, 'give the client secret on standard input');
const DOMAIN = text(canonicalDomain, 'expected a domain such as example.com');
const ONE_WORD = z.string().regex(/^[\x21-\x7E]+$/, 'expected printable ASCII without spaces');
const ADD = z.object({
  customer: z.string(),
  issuer: z.string(),
  clientId: ONE_WORD,
  emailClaim: ONE_WORD,
  emailVerifiedClaim: ONE_WORD,
});

/** `cls-auth upstream …`: customers' own identity providers. */
export function addUpstreamCommands(program: Command, asOperator: AsOperator): void {
  const upstream = program
    .command('upstream')
    .description('OpenID providers of customers, through which their people sign in');

  upstream
    .command('add <domain>')
    .description(
      'let people with an e-mail address of this domain sign in there; the client secret is read from standard input',
    )
    .requiredOption('--customer <id>', 'the customer whose people they are')
    .requiredOption(
      '--issuer <url>',
      'the provider’s issuer, which publishes /.well-known/openid-configuration',
    )
    .requiredOption('--client-id <id>', 'the client id of this service at the provider')
    .option('--email-claim <name>', 'the claim that holds the e-mail address', 'email')
    .option(
      '--email-verified-claim <name>',
      'the claim that is true when the address is proven',
      'email_verified',
    )
    .action(async (given: string, options: object, command: Command) => {
      const domain = readOptions(DOMAIN, given);
      const { issuer, customer, clientId, ...claims } = readOptions(ADD, options);
      const clientSecret = await readClientSecret();
      const redirectUri = await asOperator(async (operator) => {
        await requireCustomer(operator, customer);
        await operator.keys.assertOpens(); // Or the service could not open what we seal here.
        readOptions(issuerOption(operator.production), { issuer });
        const provider = { domain, customer, issuer, clientId, ...claims };
        const added = await operator.upstream.add({
          ...provider,
          clientSecret,
        });
        if (!added) throw new CommandRefused(`${domain} has a provider already: remove it first`);
        operator.audit.record({ type: 'upstream.added', subject: customer, about: domain });
        return `${operator.issuer}/upstream/${domain}`;
      });
      const document = { domain, customer, issuer, clientId, redirectUri };
      const hint = `redirect URI to register there: ${redirectUri}`;
      printer(command).result(document, `added ${domain}\n${hint}`);
    });

  addListCommand(upstream, {
    description: 'list providers, without secrets',
    load: () => asOperator((operator) => operator.upstream.list()),
    columns: ['domain', 'customer', 'issuer', ['client id', 'clientId']],
  });

  upstream
    .command('replace-secret <domain>')
    .description('replace the client secret; the new one is read from standard input')
    .action(async (text: string, _: unknown, command: Command) => {
      const clientSecret = await readClientSecret();
      const domain = await asOperator(async (operator) => {
        await operator.keys.assertOpens();
        const found = await requireProvider(operator, text);
        if (!(await operator.upstream.replaceSecret(found.domain, clientSecret))) {
          throw new CommandRefused(`${found.domain} has no provider any more`);
        }
        const { customer: subject, domain: about } = found;
        operator.audit.record({ type: 'upstream.secret_replaced', subject, about });
        return about;
      });
      printer(command).result({ domain }, `replaced the client secret of ${domain}`);
    });

  upstream
    .command('remove <domain>')
    .description(
      'stop federated sign-in for the domain and end the sessions that came from it; ' +
        'people without a password need an invitation afterwards',
    )
    .action(async (text: string, _: unknown, command: Command) => {
      const domain = await asOperator(async (operator) => {
        const provider = await requireProvider(operator, text);
        const { customer: subject, domain: about } = provider;
        await endAround(
          () => endAllThrough(operator, provider),
          async () => {
            await operator.upstream.remove(about);
            operator.audit.record({ type: 'upstream.removed', subject, about });
          },
        );
        return about;
      });
      printer(command).result({ domain }, `removed ${domain}`);
    });
}

/** Ends what people signed in through the provider: it no longer decides whether they may stay. */
async function endAllThrough(
  { access, upstreamLinks }: Operator,
  { issuer, customer }: UpstreamListing,
): Promise<void> {
  for (const id of await upstreamLinks.accountsOf(issuer, customer)) await access.endAll(id);
}

async function readClientSecret(): Promise<Secret> {
  return new Secret(readOptions(CLIENT_SECRET, await readSecret()));
}

async function requireProvider(operator: Operator, text: string): Promise<UpstreamListing> {
  const domain = canonicalDomain(text) ?? text;
  const found = (await operator.upstream.list()).find((each) => each.domain === domain);
  if (found === undefined) throw new CommandRefused(`there is no provider for ${domain}`);
  return found;
}

/** Byte for byte as the provider writes it (OpenID Connect Discovery §3). */
function issuerOption(production: boolean) {
  const expected = 'expected an https URL without query or fragment';
  const issuer = z.string().refine((given) => {
    const url = URL.canParse(given) ? new URL(given) : undefined;
    const plain = url !== undefined && url.username === '' && url.search === '' && url.hash === '';
    const secure = url?.protocol === 'https:' || (url?.protocol === 'http:' && !production);
    return plain && secure;
  }, expected);
  return z.object({ issuer });
}
