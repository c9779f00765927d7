import { printer } from '@cls/shared/cli/command-line';
import { addListCommand } from '@cls/shared/cli/list-command';
import { readOptions } from '@cls/shared/cli/options';
import { refuseTaken } from '@cls/shared/cli/refuse-taken';
import type { Command } from 'commander';
import { z } from 'zod';
import { APPLICATION_SCOPES, DEFAULT_SCOPES } from '../clients/application.ts';
import {
  addLinkOptions,
  checkRegistration,
  LINKS,
  LOGO,
  linksFrom,
  ORIGINS,
  requireApplication,
  SCOPES,
  shownApplication,
} from './application-options.ts';
import { addApplicationChanges } from './change-applications.ts';
import { secretText } from './client-secret.ts';
import { type AsOperator, MAY_CREATE, requireCustomer } from './operator.ts';
import { NAME_VALUE } from './option-values.ts';
import { addProofOptions, readProof } from './proof-options.ts';

const FLAG = z.boolean().default(false);
const CREATE = z
  .object({
    name: NAME_VALUE,
    redirectUri: z.array(z.string()),
    postLogoutRedirectUri: z.array(z.string()),
    backchannelLogoutUri: z.string().nullable().default(null),
    thirdParty: FLAG,
    confidential: FLAG,
    device: FLAG,
    scope: SCOPES,
    withoutPkce: FLAG,
    allowOrigin: ORIGINS,
    customer: z.string().exactOptional(),
    logo: LOGO,
    ...LINKS,
  })
  .refine(
    ({ redirectUri, device }) => redirectUri.length > 0 || device,
    'give at least one --redirect-uri, or --device',
  );

/** `cls-auth applications …`: what people sign in into. */
export function addApplicationCommands(program: Command, asOperator: AsOperator): void {
  const applications = program
    .command('applications')
    .description('applications into which people sign in with a browser');

  const creating = applications
    .command('create')
    .description('register an application; the secret of a confidential one is shown once')
    .requiredOption('--name <name>', 'the name that people see, unique')
    .option(
      '--redirect-uri <uri...>',
      'where answers go, compared character by character; any port of a loopback address will do',
      [],
    )
    .option('--post-logout-redirect-uri <uri...>', 'where people go after signing out', [])
    .option(
      '--backchannel-logout-uri <uri>',
      'where the application is notified when a session ends',
    )
    .option('--third-party', 'belongs to a third party: people are asked for consent')
    .option(
      '--confidential',
      'can keep a secret, as a server can; without it the application is public',
    )
    .option('--device', 'may sign people in on a second device (RFC 8628)')
    .option('--scope <name...>', `what it may ask for: ${APPLICATION_SCOPES.join(', ')}`, [
      ...DEFAULT_SCOPES,
    ])
    .option('--without-pkce', 'for a confidential application whose library sends no PKCE')
    .option(
      '--allow-origin <origin...>',
      'for a public application: pages of this origin may call this host',
      [],
    );
  addProofOptions(addLinkOptions(creating)).action(async (given: object, command: Command) => {
    const options = readOptions(CREATE, given);
    const proof = readProof(given);
    const application = {
      name: options.name,
      firstParty: !options.thirdParty,
      confidential: options.confidential || proof?.token_endpoint_auth_method !== undefined,
      redirectUris: options.redirectUri,
      postLogoutRedirectUris: options.postLogoutRedirectUri,
      backchannelLogoutUri: options.backchannelLogoutUri,
      device: options.device,
      scopes: options.scope,
      withoutPkce: options.withoutPkce,
      allowedOrigins: options.allowOrigin,
      links: linksFrom(options),
      logo: options.logo ?? null,
      customer: options.customer ?? null,
      ...(proof && { proof }),
    };
    checkRegistration(application, application.confidential);
    const { id: clientId, secret } = await asOperator(async (operator) => {
      if (options.customer !== undefined) await requireCustomer(operator, options.customer);
      const create = () => operator.applications.create(application);
      const created = await refuseTaken(
        `there is an application named ${application.name} already`,
        create,
      );
      operator.audit.record({ type: 'application.created', subject: created.id });
      return created;
    }, MAY_CREATE);
    const clientSecret = proof?.token_endpoint_auth_method ? undefined : secret?.expose();
    const shown = { ...application, logo: application.logo?.name ?? null };
    printer(command).result(
      { clientId, ...(clientSecret === undefined ? {} : { clientSecret }), ...shown },
      clientSecret === undefined ? `client id  ${clientId}` : secretText(clientId, clientSecret),
    );
  });

  addApplicationChanges(applications, asOperator);

  addListCommand(applications, {
    description: 'list applications, without secrets',
    load: async () =>
      (await asOperator((operator) => operator.applications.list())).map(shownApplication),
    columns: [
      ['client id', 'clientId'],
      'name',
      ['party', ({ firstParty }) => (firstParty ? 'first party' : 'third party')],
      ['redirect URIs', ({ redirectUris }) => redirectUris.join(' ')],
      ['may ask for', ({ scopes }) => scopes.join(' ')],
      ['kind', kindOf],
      ['customer', ({ customer }) => customer ?? ''],
      ['status', ({ disabled }) => (disabled ? 'disabled' : 'active')],
    ],
  });

  for (const [word, disabled, about] of [
    ['disable', true, 'disable an application; what it got of anybody ends at once'],
    ['enable', false, 'enable an application'],
  ] as const) {
    applications
      .command(`${word} <client-id>`)
      .description(about)
      .action(async (clientId: string, _: unknown, command: Command) => {
        await asOperator(async (operator) => {
          const known = await requireApplication(operator, clientId);
          if (!disabled && !known.disabled) return; // Nothing changes, so nobody is signed out.
          // Disabling may have failed half-way: what was had before must not come back.
          if (!disabled) await operator.access.endApplicationOfAll(clientId);
          await operator.applications.setDisabled(clientId, disabled);
          operator.audit.record({ type: `application.${word}d`, subject: clientId });
          if (disabled) await operator.access.endApplicationOfAll(clientId);
        });
        printer(command).result({ clientId, disabled }, `${word}d ${clientId}`);
      });
  }
}

function kindOf(one: {
  readonly confidential: boolean;
  readonly withoutPkce: boolean;
  readonly allowedOrigins: readonly string[];
}): string {
  if (one.confidential) return one.withoutPkce ? 'confidential, without PKCE' : 'confidential';
  return ['public', ...one.allowedOrigins].join(' ');
}
