import { CommandRefused, printer, table } from '@cls/shared/cli/command-line';
import { Secret } from '@cls/shared/secret';
import type { Command } from 'commander';
import { canonicalDomain } from '../upstream/email-domain.ts';
import { type AsOperator, requireCustomer } from './operator.ts';
import { readPassword } from './read-password.ts';

interface AddOptions {
  readonly customer: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly emailClaim: string;
  readonly emailVerifiedClaim: string;
}

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
      'its issuer, which publishes /.well-known/openid-configuration',
    )
    .requiredOption('--client-id <id>', 'what this service is called there')
    .option('--email-claim <name>', 'the claim that holds the e-mail address', 'email')
    .option(
      '--email-verified-claim <name>',
      'the claim that is true when the address is proven',
      'email_verified',
    )
    .action(async (text: string, options: AddOptions, command: Command) => {
      const domain = canonicalDomain(text);
      if (domain === undefined) throw new CommandRefused('expected a domain such as example.com');
      const clientSecret = await readPassword(true);
      if (clientSecret === '') {
        throw new CommandRefused('give the client secret on standard input');
      }
      const { customer, clientId, emailClaim, emailVerifiedClaim } = options;
      const redirectUri = await asOperator(async (operator) => {
        await requireCustomer(operator, customer);
        await operator.keys.assertOpens(); // Or the service could not open what we seal here.
        const issuer = issuerOf(options.issuer, operator.production);
        const claims = { emailClaim, emailVerifiedClaim };
        const provider = { domain, customer, issuer, clientId, ...claims };
        const added = await operator.upstream.add({
          ...provider,
          clientSecret: new Secret(clientSecret),
        });
        if (!added) throw new CommandRefused(`${domain} has a provider already: remove it first`);
        operator.audit.record({ type: 'upstream.added', subject: customer, about: domain });
        return `${operator.issuer}/upstream/${domain}`;
      });
      const document = { domain, customer, issuer: options.issuer, clientId, redirectUri };
      const hint = `redirect URI to register there: ${redirectUri}`;
      printer(command).result(document, `added ${domain}\n${hint}`);
    });

  upstream
    .command('list')
    .description('list providers, without secrets')
    .action(async (_: unknown, command: Command) => {
      const found = await asOperator((operator) => operator.upstream.list());
      const rows = found.map(({ domain, customer, issuer, clientId }) => [
        domain,
        customer,
        issuer,
        clientId,
      ]);
      printer(command).result(found, table(['domain', 'customer', 'issuer', 'client id'], rows));
    });

  upstream
    .command('remove <domain>')
    .description('nobody signs in there any more; invite those who have no password then')
    .action(async (text: string, _: unknown, command: Command) => {
      const domain = canonicalDomain(text) ?? text;
      await asOperator(async (operator) => {
        const found = (await operator.upstream.list()).find((each) => each.domain === domain);
        if (found === undefined || !(await operator.upstream.remove(domain))) {
          throw new CommandRefused(`there is no provider for ${domain}`);
        }
        operator.audit.record({ type: 'upstream.removed', subject: found.customer, about: domain });
      });
      printer(command).result({ domain }, `removed ${domain}`);
    });
}

/** Byte for byte as the provider writes it (OpenID Connect Discovery §3). @throws {CommandRefused} */
function issuerOf(text: string, production: boolean): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const plain = url !== undefined && url.username === '' && url.search === '' && url.hash === '';
  const secure = url?.protocol === 'https:' || (url?.protocol === 'http:' && !production);
  if (plain && secure) return text;
  throw new CommandRefused('--issuer: expected an https URL without query or fragment');
}
