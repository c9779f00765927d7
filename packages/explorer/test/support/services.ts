import { join } from 'node:path';
import { sqlEntitlements } from '@cls/resource-api/access/sql-entitlements';
import { type Log, silentLog } from '@cls/shared/log';
import { aesGcmSealer } from '@cls/shared/seal';
import { Secret } from '@cls/shared/secret';
import { atEndOfTests, sharedByFiles } from '@cls/testing/end-of-tests';
import { anyEngine } from '@cls/testing/engines';
import { freePort, temporaryDirectory } from '@cls/testing/servers';
import type { sqlAccounts } from '../../../auth-server/dist/src/accounts/sql-accounts.js';
import type { sqlTotpFactors } from '../../../auth-server/dist/src/factors/sql-totp-factors.js';
import type { sqlSigningKeyStore } from '../../../auth-server/dist/src/keys/sql-signing-keys.js';
import type { sqlCustomers } from '../../../auth-server/dist/src/organisations/sql-customers.js';
import type * as administrator from '../../../auth-server/dist/test/support/administrator.js';
import type * as authServer from '../../../auth-server/dist/test/support/auth-server.js';
import type * as clientRecords from '../../../auth-server/dist/test/support/client-records.js';
import type { quickHash } from '../../../auth-server/dist/test/support/quick-hash.js';
import type * as relyingParties from '../../../auth-server/dist/test/support/relying-party.js';
import type { startTestApi } from '../../../resource-api/dist/test/support/api.js';
import type * as book from '../../../resource-api/dist/test/support/book.js';
import type {
  generated as generateBook,
  loadRecords,
} from '../../../resource-api/dist/test/support/generated.js';
import type * as records from '../../../resource-api/dist/test/support/records.js';
import { type Explorer, startExplorer } from '../../src/compose.ts';
import { parseConfig } from '../../src/config.ts';
import { startBetween } from './between.ts';
import { Person } from './person.ts';

/** The services' own sources and test support, compiled: no part of what their packages export. */
const compiled = (name: string) =>
  import(new URL(`../../../../${name}.js`, import.meta.url).href) as Promise<unknown>;
const { startTestAuthServer, PASSWORD, ...authKeys } = (await compiled(
  'auth-server/dist/test/support/auth-server',
)) as typeof authServer;
const hashing = (await compiled('auth-server/dist/test/support/quick-hash')) as {
  quickHash: typeof quickHash;
};
export const { adminClient, adminToken, newCaller } = (await compiled(
  'auth-server/dist/test/support/administrator',
)) as typeof administrator;
export const { authorizationUrl, relyingParty } = (await compiled(
  'auth-server/dist/test/support/relying-party',
)) as typeof relyingParties;
export const { totpCode } = authKeys;
const stores = {
  ...((await compiled('auth-server/dist/src/accounts/sql-accounts')) as {
    sqlAccounts: typeof sqlAccounts;
  }),
  ...((await compiled('auth-server/dist/test/support/client-records')) as typeof clientRecords),
  ...((await compiled('auth-server/dist/src/factors/sql-totp-factors')) as {
    sqlTotpFactors: typeof sqlTotpFactors;
  }),
  ...((await compiled('auth-server/dist/src/organisations/sql-customers')) as {
    sqlCustomers: typeof sqlCustomers;
  }),
  ...((await compiled('auth-server/dist/src/keys/sql-signing-keys')) as {
    sqlSigningKeyStore: typeof sqlSigningKeyStore;
  }),
};
const api = (await compiled('resource-api/dist/test/support/api')) as {
  startTestApi: typeof startTestApi;
};
const generated = (await compiled('resource-api/dist/test/support/generated')) as {
  loadRecords: typeof loadRecords;
  generated: typeof generateBook;
};
export const { importWorldBank, date: businessDate } = (await compiled(
  'resource-api/dist/test/support/book',
)) as typeof book;
/** A book of syndicated loans, the same each time. */
export const aBook = generated.generated;
export const { aFacility, aJournal, aLoan, aParty, entry } = (await compiled(
  'resource-api/dist/test/support/records',
)) as typeof records;

const AUDIENCE = 'https://cls.test/api';
export const KEY = 'B'.repeat(43);
export const VIEW = 'cls-deal.view';
export const FULL = 'external-api.fullcontrol';
export const ADMINISTER = 'cls-customer.administer';
const TOTP_SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';

export type Services = Awaited<ReturnType<typeof startServices>>;
export type Loan = ReturnType<typeof aLoan>;
export type Party = ReturnType<typeof aParty>;
type Grant = Omit<Parameters<ReturnType<typeof sqlEntitlements>['grant']>[0], 'customer'>;

let shared: Promise<Services> | undefined;

/** Those of this process: a suite makes people and loans of its own. */
export function sharedServices(): Promise<Services> {
  shared ??= sharedByFiles(startServices).then((services) => {
    atEndOfTests(() => services.stop());
    return services;
  });
  return shared;
}

/** The issuer, the API and the explorer as they are, each on a port of its own. */
export async function startServices(authSettings: Readonly<Record<string, string>> = {}) {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const auth = await startTestAuthServer(anyEngine, {
    ...{ AUDIENCE, EXPLORER_URL: url },
    ...authSettings,
  });
  const jwks = `${auth.issuer}/.well-known/jwks.json`;
  const settings = { ISSUER: auth.issuer, AUDIENCE, JWKS_URL: jwks };
  const resource = await api.startTestApi(anyEngine, settings);
  const between = await startBetween(resource.baseUrl);
  const application = await stores.applicationRecords(auth.database).create({
    name: 'Balances',
    firstParty: true,
    confidential: true,
    redirectUris: [`${url}/callback`, 'https://balances.test/callback'],
    postLogoutRedirectUris: [`${url}/signed-out`],
    backchannelLogoutUri: `${url}/backchannel-logout`,
    device: false,
    scopes: ['openid', 'email', 'profile', VIEW, FULL, ADMINISTER],
  });
  const environment = {
    ISSUER: auth.issuer,
    AUDIENCE,
    EXPLORER_URL: url,
    EXPLORER_PORT: `${port}`,
    EXPLORER_CLIENT_ID: application.id,
    EXPLORER_CLIENT_SECRET: application.secret?.expose() ?? '',
    EXPLORER_SESSION_KEY: KEY,
    EXPLORER_API_URL: `${between.url}/api`,
    EXPLORER_TIMEOUT_S: '120', // For machines that are busy with other work.
    CLS_DATA_DIR: join(temporaryDirectory('cls-explorer-'), 'data'),
  };
  const explorers: Explorer[] = [];
  const startAnother = async (
    change: Readonly<Record<string, string>> = {},
    log: Log = silentLog,
  ) => {
    const started = await startExplorer(parseConfig({ ...environment, ...change }), log);
    let stopped: Promise<void> | undefined;
    // By the suite, and again with all of them.
    const stop = () => {
      stopped ??= started.stop();
      return stopped;
    };
    const explorer = { ...started, stop };
    explorers.push(explorer);
    return explorer;
  };
  const lines: string[] = [];
  await startAnother({}, keptIn(lines));
  const customers = stores.sqlCustomers(auth.database);
  const grants = sqlEntitlements(resource.database);
  let people = 0;
  let granted: Promise<unknown> | undefined;
  const newAccount = async (
    permissions: readonly (typeof VIEW | typeof FULL | typeof ADMINISTER)[],
  ) => {
    people += 1;
    const customer = `customer${people}`;
    const email = `person${people}@syndicatedlendingdesk.example`;
    await customers.create(customer, `Customer ${people}`, false);
    const passwordHash = await hashing.quickHash(PASSWORD);
    const account = { email, customer, permissions, passwordHash };
    return { email, customer, id: await stores.sqlAccounts(auth.database).create(account) };
  };
  return {
    auth,
    api: resource,
    /** Between the explorer and the API. */
    between,
    /** Asks the API itself, as a service account that sees every deal. */
    async ask<T>(path: string): Promise<T> {
      const { client } = auth;
      granted ??= grants.grant({
        customer: 'india',
        role: 'agent',
        lenderId: undefined,
        deals: { allDeals: true },
      });
      await granted;
      const answer = await auth.postJson({ client_id: client.id, client_secret: client.secret });
      const { access_token: token } = (await answer.json()) as { access_token: string };
      const headers = { authorization: `Bearer ${token}` };
      // A page's address names its viewer, which is none of the API's parameters.
      const question = path.replace(/([?&])viewer=[\w-]+&?/, '$1');
      const response = await fetch(`${resource.baseUrl}/api/v1/cls${question}`, { headers });
      if (!response.ok) throw new Error(await response.text());
      return (await response.json()) as T;
    },
    url,
    clientId: application.id,
    /** Of the issuer. */
    signingKeys: stores.sqlSigningKeyStore(
      auth.database,
      aesGcmSealer(new Secret(authKeys.KEY)),
      2_048,
    ),
    /** What the explorer logged. */
    lines,
    /** Another process with other settings, beside the first one. */
    startAnother,
    post: (all: Parameters<typeof loadRecords>[1]) => generated.loadRecords(resource.database, all),
    /** A person of a new customer with these grants, in a browser of its own; not signed in yet. */
    async person(
      permission: typeof VIEW | typeof FULL,
      ...given: readonly Grant[]
    ): Promise<Person> {
      const { email, customer } = await newAccount([permission]);
      for (const grant of given) await grants.grant({ ...grant, customer });
      return new Person(url, email, PASSWORD);
    },
    /** A person of a new customer who administers it. */
    async administrator(permissions: readonly (typeof VIEW)[], secondFactor = true) {
      const { email, id } = await newAccount([...permissions, ADMINISTER]);
      if (!secondFactor) return new Person(url, email, PASSWORD);
      const sealer = aesGcmSealer(new Secret(authKeys.KEY));
      const factors = stores.sqlTotpFactors(auth.database, sealer, { now: () => new Date() });
      await factors.enrol(id, TOTP_SECRET);
      const code = async () => {
        // The same code is accepted again, for another browser at the same time.
        await auth.database.query('UPDATE totp_factor SET last_step = 0 WHERE account_id = $1', [
          id,
        ]);
        return totpCode(TOTP_SECRET);
      };
      return new Person(url, email, PASSWORD, fetch, code);
    },
    async stop() {
      await Promise.all(explorers.map((one) => one.stop()));
      await between.stop();
      await resource.stop();
      await auth.stop();
    },
  };
}

function keptIn(lines: string[]): Log {
  const keep = (fields: object, message: string) => {
    lines.push(
      `${message} ${JSON.stringify(fields, (_, value) => (value instanceof Error ? value.stack : value))}`,
    );
  };
  return { error: keep, warn: keep, info: keep, debug: keep };
}

/** A posting of principal, globally and for each lender. */
export function posting(
  loan: Loan,
  on: string,
  legs: readonly (readonly [Party | undefined, string])[],
) {
  const postings = entry(loan, ['PRINCIPAL_CASH', 'CASH_CLEARING'], legs, { movement: 'advance' });
  return aJournal(loan.deal, 'advance', on, postings);
}
