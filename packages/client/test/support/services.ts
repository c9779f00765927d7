import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { sqlEntitlements } from '@cls/resource-api/access/sql-entitlements';
import type { Clock } from '@cls/shared/clock';
import { atEndOfTests, sharedByFiles } from '@cls/testing/end-of-tests';
import { anyEngine } from '@cls/testing/engines';
import type { startTestAuthServer } from '../../../auth-server/dist/test/support/auth-server.js';
import type { startTestApi } from '../../../resource-api/dist/test/support/api.js';
import type { loadRecords } from '../../../resource-api/dist/test/support/generated.js';
import type * as records from '../../../resource-api/dist/test/support/records.js';
import { type ClientOptions, createClient } from '../../src/client.ts';

/** The services' own test support, compiled: it is no part of what their packages export. */
const support = (name: string) =>
  import(new URL(`../../../../${name}.js`, import.meta.url).href) as Promise<unknown>;
const authServer = (await support('auth-server/dist/test/support/auth-server')) as {
  startTestAuthServer: typeof startTestAuthServer;
};
const resourceApi = (await support('resource-api/dist/test/support/api')) as {
  startTestApi: typeof startTestApi;
};
const generated = (await support('resource-api/dist/test/support/generated')) as {
  loadRecords: typeof loadRecords;
};
export const { aJournal, aLoan, aParty, entry } = (await support(
  'resource-api/dist/test/support/records',
)) as typeof records;

const AUDIENCE = 'https://cls.test/api';
const DAY_MS = 86_400_000;

export type Services = Awaited<ReturnType<typeof startServices>>;
export type Loan = ReturnType<typeof aLoan>;

let shared: Promise<Services> | undefined;

/** Those of this process: a suite asks for its own loans, or for whatever there is. */
export function sharedServices(): Promise<Services> {
  shared ??= sharedByFiles(startServices).then((services) => {
    atEndOfTests(() => services.stop());
    return services;
  });
  return shared;
}

/** Both services as they are, with a service account that may view every deal as its agent. */
export async function startServices(env: Record<string, string> = {}) {
  let days = 0;
  const clock: Clock = { now: () => new Date(Date.now() + days * DAY_MS) };
  const auth = await authServer.startTestAuthServer(anyEngine, { AUDIENCE });
  const jwks = `${auth.issuer}/.well-known/jwks.json`;
  const settings = { ISSUER: auth.issuer, AUDIENCE, JWKS_URL: jwks, ...env };
  const api = await resourceApi.startTestApi(anyEngine, settings, clock);
  const borrower = aParty('Borrower');
  const lenders = ['Anna', 'Bert'].map(aParty);
  const [anna] = lenders;
  if (anna === undefined) throw new Error('no lender');
  const post = (all: Parameters<typeof loadRecords>[1]) => generated.loadRecords(api.database, all);
  await post([borrower, ...lenders]);
  const loans: Loan[] = [];
  const options: ClientOptions = {
    baseUrl: api.baseUrl,
    tokenUrl: `${auth.issuer}/oauth/token`,
    clientId: auth.client.id,
    clientSecret: auth.client.secret,
  };
  return {
    api,
    auth,
    loans,
    lenders,
    options,
    client: (more: Partial<ClientOptions> = {}) => createClient({ ...options, ...more }),
    post,
    /** A loan with something drawn. */
    async lend(amount: string, on = '2025-01-31'): Promise<Loan> {
      const loan = aLoan(borrower, lenders);
      loans.push(loan);
      await post([...loan.all, drawing(loan, amount, on)]);
      return loan;
    },
    draw: (loan: Loan, amount: string, on: string) => post([drawing(loan, amount, on)]),
    /** Lets the service account see every deal; anew where it could before. */
    async grant() {
      const grants = sqlEntitlements(api.database);
      for (const { rule } of await grants.list('india')) await grants.revoke(rule);
      const deals = { allDeals: true } as const;
      await grants.grant({ customer: 'india', role: 'agent', lenderId: undefined, deals });
    },
    /** Moves the clock of the API, and of nothing else. */
    setDays(passed: number) {
      days = passed;
    },
    async token(): Promise<string> {
      const { access_token } = (await (
        await auth.postJson({ client_id: auth.client.id, client_secret: auth.client.secret })
      ).json()) as { access_token: string };
      return access_token;
    },
    /** What a program prints that is a client of these services. */
    async run(command: string, args: readonly string[]): Promise<string> {
      const { baseUrl, tokenUrl, clientId, clientSecret } = options;
      const env = { BASE: baseUrl, TOKEN_URL: tokenUrl, ID: clientId, SECRET: clientSecret };
      const run = promisify(execFile);
      return (await run(command, [...args], { env: { ...process.env, ...env } })).stdout;
    },
    async stop() {
      await api.stop();
      await auth.stop();
    },
  };

  function drawing(loan: Loan, amount: string, on: string) {
    const legs = [
      [undefined, amount],
      [anna, amount],
    ] as const;
    const postings = entry(loan, ['PRINCIPAL_CASH', 'CASH_CLEARING'], legs, {
      movement: 'advance',
    });
    return aJournal(loan.deal, 'advance', on, postings);
  }
}

/** The real network, with what was sent, and with answers that a test puts in the way. */
export function watchedFetch(
  instead: (
    url: URL,
    number: number,
  ) => Promise<Response | undefined> | Response | undefined = () => undefined,
) {
  const sent: URL[] = [];
  const fetch = async (request: Request) => {
    const url = new URL(request.url);
    sent.push(url);
    return (await instead(url, sent.length)) ?? globalThis.fetch(request);
  };
  const to = (part: string) => sent.filter(({ pathname }) => pathname.includes(part)).length;
  return { fetch, sent, to };
}

/** Waits for nothing, and knows how long it would have been. */
export function noWaiting() {
  const waits: number[] = [];
  const wait = async (ms: number, signal?: AbortSignal) => {
    signal?.throwIfAborted();
    waits.push(ms);
  };
  return { wait, waits };
}
