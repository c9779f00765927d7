import { CommandRefused, printer, UsageError } from '@cls/shared/cli/command-line';
import { readOptions } from '@cls/shared/cli/options';
import { refuseTaken } from '@cls/shared/cli/refuse-taken';
import type { Command } from 'commander';
import { z } from 'zod';
import {
  APPLICATION_SCOPES,
  type Application,
  type ApplicationChange,
  isConfidential,
} from '../clients/application.ts';
import { endAround } from '../sessions/end-around.ts';
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
import { type AsOperator, type Operator, refuseDeletion, requireCustomer } from './operator.ts';
import { NAME_VALUE } from './option-values.ts';
import { aboutProof, addProofOptions, readProof } from './proof-options.ts';

/** `false`: the option with `--no-`. */
const UPDATE = z
  .object({
    name: NAME_VALUE.exactOptional(),
    redirectUri: z.array(z.string()).exactOptional(),
    postLogoutRedirectUri: z.array(z.string()).exactOptional(),
    backchannelLogoutUri: z.union([z.literal(false), z.string()]).exactOptional(),
    scope: SCOPES.exactOptional(),
    withoutPkce: z.boolean().exactOptional(),
    allowOrigin: z.union([z.literal(false), ORIGINS]).exactOptional(),
    customer: z.union([z.literal(false), z.string()]).exactOptional(),
    logo: LOGO,
    ...LINKS,
  })
  .transform(({ redirectUri, postLogoutRedirectUri, backchannelLogoutUri, scope, ...rest }) => {
    const {
      allowOrigin,
      customer,
      logo,
      clientUri,
      initiateLoginUri,
      policyUri,
      tosUri,
      ...others
    } = rest;
    const links = { clientUri, initiateLoginUri, policyUri, tosUri };
    const change = {
      ...others,
      ...(redirectUri && { redirectUris: redirectUri }),
      ...(postLogoutRedirectUri && { postLogoutRedirectUris: postLogoutRedirectUri }),
      ...(backchannelLogoutUri !== undefined && {
        backchannelLogoutUri: backchannelLogoutUri || null,
      }),
      ...(scope && { scopes: scope }),
      ...(allowOrigin !== undefined && { allowedOrigins: allowOrigin || [] }),
      ...(logo !== undefined && { logo }),
      ...(customer !== undefined && { customer: customer || null }),
    } satisfies ApplicationChange;
    return { change, links };
  });

/** `cls-auth applications …`: what was registered is changed, or deleted where it was never used. */
export function addApplicationChanges(applications: Command, asOperator: AsOperator): void {
  const updating = applications
    .command('update <client-id>')
    .description('change what is registered; what you leave out stays as it is')
    .option('--name <name>', 'the name that people see, unique')
    .option('--redirect-uri <uri...>', 'all places where answers go from now on')
    .option('--post-logout-redirect-uri <uri...>', 'all places where people go after signing out')
    .option(
      '--backchannel-logout-uri <uri>',
      'where the application is notified when a session ends',
    )
    .option('--no-backchannel-logout-uri', 'no longer notify the application of ended sessions')
    .option(
      '--scope <name...>',
      `all that it may ask for from now on: ${APPLICATION_SCOPES.join(', ')}; ` +
        'taking one away ends everything that the application got',
    )
    .option('--without-pkce', 'may leave out PKCE from now on; for confidential applications only')
    .option('--no-without-pkce', 'must send PKCE from now on')
    .option('--allow-origin <origin...>', 'all origins whose pages may call this host from now on')
    .option('--no-allow-origin', 'no other origin may call this host from now on');
  addLinkOptions(updating, true).option('--no-customer', 'the application belongs to no customer');
  addProofOptions(updating).action(async (clientId: string, options: object, command: Command) => {
    const proof = readProof(options);
    const { change: given, links } = readOptions(UPDATE, options);
    const linksNamed = Object.values(links).some((one) => one !== undefined);
    const named = [...Object.keys(given), ...(linksNamed ? ['links'] : []), ...aboutProof(proof)];
    if (named.length === 0) throw new UsageError(NO_CHANGE);
    const after = await asOperator(async (operator) => {
      const known = await requireApplication(operator, clientId);
      if (given.customer) await requireCustomer(operator, given.customer);
      const settings = { ...given, ...(linksNamed && { links: linksFrom(links, known.links) }) };
      const change = { ...settings, ...(proof !== undefined && { proof }) };
      const changed = { ...known, ...change };
      if (isConfidential(known) && !isConfidential(changed)) throw new CommandRefused(NO_WAY_BACK);
      checkRegistration(changed, isConfidential(changed));
      await updateOne(operator, known, change, named.join(' '));
      return requireApplication(operator, clientId);
    });
    printer(command).result(shownApplication(after), `changed ${clientId} (${after.name})`);
  });

  applications
    .command('delete <client-id>')
    .description('delete an application that nobody ever signed in to')
    .action(async (clientId: string, _: unknown, command: Command) => {
      await asOperator(async (operator) => {
        await requireApplication(operator, clientId);
        const why = await operator.applications.deleteUnused(clientId, operator.auditDays);
        refuseDeletion(clientId, why);
        operator.audit.record({ type: 'application.deleted', subject: clientId });
      });
      printer(command).result({ clientId, deleted: true }, `deleted ${clientId}`);
    });
}

async function updateOne(
  { applications, access, audit }: Operator,
  { id, scopes }: Application,
  change: ApplicationChange,
  about: string,
): Promise<void> {
  const narrower =
    change.scopes !== undefined && scopes.some((one) => !change.scopes?.includes(one));
  const end = async () => {
    if (narrower) await access.endApplicationOfAll(id);
  };
  const update = async () => {
    await applications.update(id, change);
    audit.record({ type: 'application.changed', subject: id, about });
  };
  await refuseTaken(`there is an application named ${change.name} already`, () =>
    endAround(end, update),
  );
}

const NO_CHANGE = 'say what to change; --help lists the options';
const NO_WAY_BACK =
  'this application proves itself without a secret, and would be public; for one with a secret: applications create --confidential';
