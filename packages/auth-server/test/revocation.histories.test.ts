import { describeOnDatabase } from '@cls/testing/engines';
import { EXHAUSTIVE } from '@cls/testing/exhaustive';
import { eventually } from '@cls/testing/servers';
import {
  getListFromStatusListJWT,
  getStatusListFromJWT,
  type StatusList,
  type StatusListJWTPayload,
} from '@sd-jwt/jwt-status-list';
import { expect } from 'chai';
import fc from 'fast-check';
import { decodeJwt } from 'jose';
import { SECRETS_MAX } from '../src/clients/client-secret-records.ts';
import { sqlCompromisedClients } from '../src/clients/sql-compromised-clients.ts';
import { sqlCustomers } from '../src/organisations/sql-customers.ts';
import { sweepTokenStatus } from '../src/token-status/sql-token-status.ts';
import {
  basic,
  FULL,
  startTestAuthServer,
  type TestAuthServer,
  VIEW,
} from './support/auth-server.ts';
import { clientSecrets, serviceAccountRecords } from './support/client-records.ts';

const GRANT = 'grant_type=client_credentials';
const CUSTOMERS = 2;
const ACCOUNTS = 3;

/** What this test believes: lists and flags, no index and no lease. */
interface Secret {
  readonly id: string;
  readonly text: string;
  /** A replaced one got tokens that live on. */
  state: 'live' | 'replaced' | 'revoked';
}
interface Account {
  readonly id: string;
  readonly customer: number;
  readonly secrets: Secret[];
  isDisabled: boolean;
  hasBoth: boolean;
}
interface Token {
  readonly text: string;
  readonly account: Account;
  readonly secret: Secret;
  isRevoked: boolean;
}

const account = fc.nat(ACCOUNTS - 1);
const any = fc.nat(30);
const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('mint' as const), account, any }) },
  ...(
    [
      ...(['create', 'replace', 'replace all', 'keep old', 'revoke secret'] as const),
      ...(['compromised', 'disable or enable', 'take or give', 'revoke token'] as const),
    ] as const
  ).map((what) => fc.record({ do: fc.constant(what), account, any })),
  fc.record({
    do: fc.constant('disable or enable a customer' as const),
    account: fc.nat(CUSTOMERS - 1),
    any,
  }),
);

/** As a resource server reads it that is none of ours, which opens no list twice that has not changed. */
async function isInList(token: string): Promise<boolean> {
  const { uri, idx } = getStatusListFromJWT(token);
  const text = await (await fetch(uri)).text();
  const { status_list } = decodeJwt<StatusListJWTPayload>(text);
  if (opened?.lst !== status_list.lst) {
    opened = { lst: status_list.lst, list: getListFromStatusListJWT(text) };
  }
  return opened.list.getStatus(idx) === 1;
}
let opened: { readonly lst: string; readonly list: StatusList } | undefined;

describeOnDatabase('every history of secrets and what ends their tokens', (engine) => {
  let server: TestAuthServer;
  before(async () => {
    server = await startTestAuthServer(engine, { TRUSTED_PROXY_HOPS: '1' });
  });
  after(() => server?.stop());

  it('ends with the tokens refused that an event has ended, and no others', async () => {
    const { database, issuer } = server;
    const secrets = clientSecrets(database);
    const records = serviceAccountRecords(database);
    const customers = sqlCustomers(database);
    const compromised = sqlCompromisedClients(database, secrets.add);
    const asker = await records.create({
      ...{ name: 'Introspector', customer: 'india', permissions: ['cls-token.introspect'] },
    });
    let requests = 0;
    /** Each from an address of its own: one with many wrong secrets would have to wait. */
    const as = ({ id, text }: { readonly id: string; readonly text: string }) => {
      requests += 1;
      const address = `10.${requests >> 16}.${(requests >> 8) % 256}.${requests % 256}`;
      return { ...basic(id, text), 'x-forwarded-for': address };
    };
    let histories = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        histories += 1;
        const ids = Array.from({ length: CUSTOMERS }, (_, n) => `of-history-${histories}-${n}`);
        for (const id of ids) await customers.create(id, id, false);
        const isEnded = ids.map(() => false);
        const tokens: Token[] = [];
        const accounts: Account[] = [];
        for (let n = 0; n < ACCOUNTS; n += 1) {
          const customer = n % CUSTOMERS;
          const made = await records.create({
            ...{
              name: `account ${histories}-${n}`,
              customer: ids[customer] ?? '',
              permissions: [VIEW, FULL],
            },
          });
          const [{ id = '' } = {}] = await secrets.list(made.id);
          const first = { id, text: made.secret.expose(), state: 'live' as const };
          accounts.push({
            ...{ id: made.id, customer, secrets: [first], isDisabled: false, hasBoth: true },
          });
        }
        const end = (which: (token: Token) => boolean) => {
          for (const token of tokens) if (which(token)) token.isRevoked = true;
        };
        const isOver = (of: Account, secret: Secret) =>
          of.isDisabled || isEnded[of.customer] === true || secret.state === 'revoked';
        const canMint = (of: Account, secret: Secret) =>
          secret.state === 'live' && !isOver(of, secret);
        const mint = (of: Account, secret: Secret) =>
          eventually(async () => {
            const answer = await server.post(GRANT, as({ id: of.id, text: secret.text }));
            const { access_token: text } = (await answer.json()) as { access_token?: string };
            if (text !== undefined) {
              tokens.push({ text, account: of, secret, isRevoked: isOver(of, secret) });
            }
            expect(answer.status).to.equal(canMint(of, secret) ? 200 : 401);
          }, 10_000);
        /**
         * The service hears of an event within milliseconds. What it still gives until then is refused from
         * its birth: also to a caller that may go on, so that such a token does not count.
         */
        const untilHeard = async (of: Account) => {
          const secret = of.secrets.find(({ state }) => state === 'live');
          if (secret === undefined) return;
          await eventually(async () => {
            await mint(of, secret);
            if (!canMint(of, secret)) return;
            const { text } = tokens.at(-1) as Token;
            if (!(await isInList(text))) return;
            tokens.pop();
            throw new Error('a token that was ended before');
          }, 10_000);
        };
        for (const { do: what, account: at, any: number } of steps) {
          if (what === 'disable or enable a customer') {
            const to = !isEnded[at];
            await customers.setDisabled(ids[at] ?? '', to);
            isEnded[at] = to;
            if (!to) continue;
            end((token) => token.account.customer === at);
            for (const of of accounts) if (of.customer === at) await untilHeard(of);
            continue;
          }
          const of = accounts[at] as Account;
          const live = of.secrets.filter(({ state }) => state === 'live');
          const secret = of.secrets[number % of.secrets.length] as Secret;
          const add = ({ id, secret: text }: { id: string; secret: { expose(): string } }) =>
            of.secrets.push({ id, text: text.expose(), state: 'live' as const });
          const hasRoom = live.length < SECRETS_MAX;
          if (what === 'mint') await mint(of, secret);
          else if (what === 'create' && hasRoom) add(await secrets.create(of.id, {}));
          else if (what === 'keep old' && hasRoom) {
            add(await secrets.replace({ clientId: of.id }, 3_600, {}));
          } else if (what === 'replace' && secret.state === 'live') {
            add(await secrets.replace({ clientId: of.id, id: secret.id }, 0, {}));
            secret.state = 'replaced';
          } else if (what === 'replace all') {
            const next = await secrets.replace({ clientId: of.id }, 0, {});
            for (const one of live) one.state = 'replaced';
            add(next);
          } else if (what === 'revoke secret') {
            await secrets.revoke({ clientId: of.id, id: secret.id });
            secret.state = 'revoked';
            end((token) => token.secret === secret);
            await untilHeard(of);
          } else if (what === 'compromised') {
            const said = await compromised.answer(
              of.id,
              { newSecret: true },
              async () => undefined,
            );
            for (const one of of.secrets) one.state = 'revoked';
            end((token) => token.account === of);
            if (said?.newSecret !== undefined) add(said.newSecret);
            await untilHeard(of);
          } else if (what === 'disable or enable') {
            of.isDisabled = !of.isDisabled;
            await records.setDisabled(of.id, of.isDisabled);
            if (of.isDisabled) end((token) => token.account === of);
            if (of.isDisabled) await untilHeard(of);
          } else if (what === 'take or give') {
            of.hasBoth = !of.hasBoth;
            await records.update(of.id, { permissions: of.hasBoth ? [VIEW, FULL] : [VIEW] });
            if (!of.hasBoth) end((token) => token.account === of);
            if (!of.hasBoth) await untilHeard(of);
          } else if (what === 'revoke token') {
            const token = tokens.filter((one) => one.account === of)[number % 5];
            if (token === undefined) continue;
            const answer = await fetch(`${issuer}/oauth/revoke`, {
              method: 'POST',
              headers: as({ id: of.id, text: secret.text }),
              body: new URLSearchParams({ token: token.text }),
            });
            if (answer.status === 200) token.isRevoked = true;
          }
        }
        await sweepTokenStatus(database);
        const said = await Promise.all(
          tokens.map(async ({ text }) => {
            const answer = await fetch(`${issuer}/oauth/introspect`, {
              method: 'POST',
              headers: as({ id: asker.id, text: asker.secret.expose() }),
              body: new URLSearchParams({ token: text }),
            });
            const { active } = (await answer.json()) as { active: boolean };
            return { inList: await isInList(text), introspected: !active };
          }),
        );
        const expected = tokens.map(({ isRevoked }) => ({
          ...{ inList: isRevoked, introspected: isRevoked },
        }));
        expect(said).to.deep.equal(expected);
      }),
      { numRuns: EXHAUSTIVE ? 300 : 25 },
    );
  }).timeout(600_000);
});
