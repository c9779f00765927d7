import { CommandRefused, printer, table, UsageError } from '@cls/shared/cli/command-line';
import { isUniqueViolation } from '@cls/shared/sql/database';
import type { Command } from 'commander';
import type { AsOperator } from './operator.ts';

interface CreateOptions {
  readonly name: string;
  readonly redirectUri: readonly string[];
  readonly postLogoutRedirectUri: readonly string[];
  readonly backchannelLogoutUri?: string;
  readonly thirdParty?: true;
  readonly confidential?: true;
  readonly device?: true;
}

/** `cls-auth applications …`: what people sign in into. */
export function addApplicationCommands(program: Command, asOperator: AsOperator): void {
  const applications = program
    .command('applications')
    .description('applications into which people sign in with a browser');

  applications
    .command('create')
    .description('register an application; the secret of a confidential one is shown once')
    .requiredOption('--name <name>', 'as people know it, unique')
    .option('--redirect-uri <uri...>', 'where answers go, compared character by character', [])
    .option('--post-logout-redirect-uri <uri...>', 'where people go after signing out', [])
    .option('--backchannel-logout-uri <uri>', 'told when a session ends')
    .option('--third-party', 'not the platform’s own: people are asked for consent')
    .option('--confidential', 'keeps a secret, as a server can; otherwise PKCE alone')
    .option('--device', 'may sign people in on a second device (RFC 8628)')
    .action(async (options: CreateOptions, command: Command) => {
      const application = {
        name: options.name,
        firstParty: options.thirdParty !== true,
        confidential: options.confidential === true,
        redirectUris: options.redirectUri.map((uri) => redirectUri('--redirect-uri', uri)),
        postLogoutRedirectUris: options.postLogoutRedirectUri.map((uri) =>
          redirectUri('--post-logout-redirect-uri', uri),
        ),
        backchannelLogoutUri:
          options.backchannelLogoutUri === undefined
            ? null
            : redirectUri('--backchannel-logout-uri', options.backchannelLogoutUri),
        device: options.device === true,
      };
      if (application.redirectUris.length === 0 && !application.device) {
        throw new UsageError('give at least one --redirect-uri, or --device');
      }
      const { id: clientId, secret } = await asOperator(async (operator) => {
        const created = await operator.applications.create(application).catch((error) => {
          if (!isUniqueViolation(error)) throw error;
          throw new CommandRefused(`there is an application named ${options.name} already`);
        });
        operator.audit.record({ type: 'application.created', subject: created.id });
        return created;
      });
      const clientSecret = secret?.expose();
      const shown = clientSecret === undefined ? '' : `\nclient secret  ${clientSecret}`;
      const once = clientSecret === undefined ? '' : '\nThe secret is not shown again.';
      printer(command).result(
        { clientId, ...(clientSecret === undefined ? {} : { clientSecret }), ...application },
        `client id      ${clientId}${shown}${once}`,
      );
    });

  applications
    .command('list')
    .description('list applications, without secrets')
    .action(async (_: unknown, command: Command) => {
      const found = await asOperator((operator) => operator.applications.list());
      const documents = found.map(({ id, secrets, ...rest }) => ({
        clientId: id,
        ...rest,
        confidential: secrets.length > 0,
      }));
      const rows = documents.map((one) => [
        one.clientId,
        one.name,
        one.firstParty ? 'first party' : 'third party',
        one.redirectUris.join(' '),
        one.disabled ? 'disabled' : '',
      ]);
      const header = ['client id', 'name', 'party', 'redirect URIs', 'status'];
      printer(command).result(documents, table(header, rows));
    });

  for (const [word, disabled] of [
    ['disable', true],
    ['enable', false],
  ] as const) {
    applications
      .command(`${word} <client-id>`)
      .description(`${word} an application`)
      .action(async (clientId: string, _: unknown, command: Command) => {
        await asOperator(async (operator) => {
          if ((await operator.applications.find(clientId)) === undefined) {
            throw new CommandRefused(`there is no application ${clientId}`);
          }
          await operator.applications.setDisabled(clientId, disabled);
          operator.audit.record({ type: `application.${word}d`, subject: clientId });
        });
        printer(command).result({ clientId, disabled }, `${word}d ${clientId}`);
      });
  }
}

/** https, http on this machine (RFC 8252 §7.3), or a native application's own scheme (§7.1). */
function redirectUri(option: string, text: string): string {
  const expected = `${option}: expected an https URI, http on localhost, or com.example.app:/…`;
  if (!URL.canParse(text) || text.includes('#')) throw new UsageError(expected);
  const { protocol, hostname } = new URL(text);
  const local = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  const native = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/.test(protocol);
  if (protocol === 'https:' || (protocol === 'http:' && local) || native) return text;
  throw new UsageError(expected);
}
