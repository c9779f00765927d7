import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { BalanceItem, Deal, List, Movement, Single } from '../src/balances/shapes.ts';
import { digest } from '../src/crypto/seal.ts';
import { crawl, type Got } from './support/crawl.ts';
import { formOf, type Person } from './support/person.ts';
import { rowsOf } from './support/reading.ts';
import { aBook, FULL, type Services, sharedServices, VIEW } from './support/services.ts';

const PAGES = 70;
const SESSION = 'cls_explorer';

describe('what pages and files keep to themselves', () => {
  let services: Services;
  /** Of the book of this suite: deals, with each lender's share. */
  let items: readonly BalanceItem[];
  let movements: readonly Movement[];
  /** By deal: who stands on its page whoever reads it. */
  const known = new Map<string, readonly string[]>();
  before(async () => {
    services = await sharedServices();
    const { records } = aBook({ contracts: 16, seed: 29 });
    await services.post(records);
    const deals = new Set(records.flatMap((one) => (one.object === 'deal' ? [one.id] : [])));
    const ask = async (level: string) => {
      const { data } = await services.ask<List<BalanceItem>>(
        `/balances?level=${level}&includeZero=true&include=none&limit=1000`,
      );
      return data.filter(({ deal }) => deals.has(deal.id));
    };
    items = [...(await ask('deal')), ...(await ask('facility')), ...(await ask('contract'))];
    const listed = [...deals].map((id) =>
      services.ask<List<Movement>>(`/balances/principal/movements?dealId=${id}&limit=1000`),
    );
    for (const id of deals) {
      const { data } = await services.ask<Single<Deal>>(`/deals/${id}`);
      const parties = [data.borrower, data.agent, data.guarantor];
      known.set(
        id,
        parties.flatMap((party) => (party === null ? [] : [party.id, party.name])),
      );
    }
    movements = (await Promise.all(listed)).flatMap(({ data }) => data);
  });

  const lendersOf = (all: readonly BalanceItem[]) =>
    new Map(all.flatMap(({ lenders }) => lenders.map(({ lender }) => [lender.id, lender.name])));
  const dealsOf = (lender: string) => [
    ...new Set(
      items
        .filter(({ lenders }) => lenders.some((one) => one.lender.id === lender))
        .map(({ deal }) => deal.id),
    ),
  ];
  const grantsOf = (role: 'lender' | 'borrower', deals: readonly string[], lender?: string) =>
    deals.map((dealId) => ({ role, lenderId: lender, deals: { dealId } }));

  /** Amounts and names that a caller must not see: those of others that are nobody else's too. */
  const secretsFrom = (granted: readonly string[], own: string | undefined) => {
    const of = items.filter(({ deal }) => granted.includes(deal.id));
    const isOwn = (lender: string) => lender === own;
    const seen = new Set([
      ...of.flatMap(({ global, lenders }) => [
        ...amountsIn(global),
        ...amountsIn(lenders.filter(({ lender }) => isOwn(lender.id))),
      ]),
      ...amountsIn(movements.filter(({ lender }) => lender === null || isOwn(lender.id))),
    ]);
    const others = of.flatMap(({ lenders }) => lenders.filter(({ lender }) => !isOwn(lender.id)));
    const amounts = [
      ...amountsIn(others),
      ...amountsIn(movements.filter(({ lender }) => lender !== null && !isOwn(lender.id))),
    ].filter((amount) => !seen.has(amount) && amount.replace(/[-.0]/g, '').length > 2);
    const shown = new Set(granted.flatMap((id) => known.get(id) ?? []));
    const names = others.flatMap(({ lender }) => [lender.id, lender.name]);
    const foreign = items.filter(({ deal }) => !granted.includes(deal.id));
    return {
      amounts: [...new Set(amounts)],
      names: [...new Set(names)].filter((name) => !shown.has(name)),
      deals: [...new Set(foreign.map(({ deal }) => deal.dealNumber))],
    };
  };
  type Secrets = ReturnType<typeof secretsFrom>;
  /** Addresses that ask for what is not theirs. */
  const askedFor = (names: readonly string[], granted: readonly string[]) => {
    const foreign = items.find(({ deal, facility }) => facility && !granted.includes(deal.id));
    const [, of] = /^(pty_\w+)/.exec(names.find((name) => name.startsWith('pty_')) ?? '') ?? [];
    const [deal] = granted;
    return [
      ...['/', '/deals?includeZero=true', '/deals.csv', '/deals.ndjson', '/changes'],
      ...['?lenders=yes', '.csv'].map((more) => `/deals/${deal}/movements${more}`),
      `/deals?lenderId=${of}`,
      `/deals.csv?lenderId=${of}`,
      `/portfolio?by=lender&view=global`,
      `/deals/${foreign?.deal.id}`,
      `/deals/${foreign?.deal.id}/movements.csv`,
      `/facilities/${foreign?.facility?.id}`,
      ...[...names, foreign?.deal.dealNumber ?? ''].map((name) => `/matches?q=${name.slice(0, 6)}`),
    ];
  };
  const found = ({ address, text, headers }: Got, { amounts, names, deals }: Secrets) => {
    const shown = `${text.replaceAll(',', '')} ${text} ${headers}`;
    const digits = new Set(shown.match(/\d+\.\d+/g));
    return [
      ...amounts.filter((amount) => digits.has(amount)),
      // An address that names a lender comes back in its own links.
      ...names.filter((name) => !address.includes(name) && shown.includes(name)),
      ...deals.filter((number) => new RegExp(`${number}(?!\\w)`).test(shown)),
    ];
  };
  const expectNothingOf = (got: readonly Got[], secrets: Secrets) => {
    expect(got.length).to.be.greaterThan(20);
    for (const one of got) expect(found(one, secrets), one.address).to.deep.equal([]);
  };

  it('are each lender’s own: no page, file, title or error has another’s share or name', async () => {
    const lenders = [...lendersOf(items).keys()].slice(0, 3);
    expect(lenders).to.have.length(3);
    for (const lender of lenders) {
      const granted = dealsOf(lender);
      const secrets = secretsFrom(granted, lender);
      expect(secrets.amounts.length).to.be.greaterThan(10);
      const person = await services.person(VIEW, ...grantsOf('lender', granted, lender));
      await person.signIn('/');
      expectNothingOf(await crawl(person, askedFor(secrets.names, granted), PAGES), secrets);
    }
  });

  it('are on the pages of an agent, where this test finds them', async () => {
    const [lender = ''] = [...lendersOf(items).keys()];
    const granted = dealsOf(lender);
    const agent = await services.person(FULL);
    await agent.signIn('/');
    const got = await crawl(agent, [`/deals/${granted[0]}?view=all`], 1);
    const secrets = secretsFrom(granted, lender);
    expect(got.flatMap((one) => found(one, secrets)).length).to.be.greaterThan(3);
  });

  it('show a borrower no lender and no share', async () => {
    const [deal = ''] = dealsOf([...lendersOf(items).keys()][0] ?? '');
    const secrets = secretsFrom([deal], undefined);
    const person = await services.person(VIEW, ...grantsOf('borrower', [deal]));
    await person.signIn('/');
    expectNothingOf(await crawl(person, askedFor(secrets.names, [deal]), PAGES), secrets);
  });

  it('do not tell a lender who else lends: a filter by another finds what one by nobody finds', async () => {
    const [lender = '', other = ''] = [...lendersOf(items).keys()];
    const person = await services.person(VIEW, ...grantsOf('lender', dealsOf(lender), lender));
    await person.signIn('/');
    const count = async (id: string) =>
      rowsOf((await person.open(`/deals?includeZero=true&lenderId=${id}`)).html, 'deals').length;
    expect(await count(lender)).to.be.greaterThan(0);
    expect(await count(other)).to.equal(await count(`pty_${'0'.repeat(26)}`));
  });

  describe('from a browser', () => {
    let person: Person;
    let name: string;
    beforeEach(async () => {
      person = await services.person(FULL);
      await person.signIn('/deals');
      name = person.cookie(SESSION) ?? '';
    });
    const seesNothing = async (cookie: string) => {
      const browser = person.another();
      browser.plant(SESSION, cookie);
      const response = await browser.send('/deals?asOf=2025-01-31&knownAt=2030-01-01T00:00:00Z');
      expect(response.status, cookie).to.equal(302);
      const to = new URL(response.headers.get('location') ?? '');
      expect(to.origin, cookie).to.equal(services.auth.issuer);
    };

    it('whose cookie is forged, cut, lengthened, or what the store keeps of it', async () => {
      const forged = randomBytes(32).toString('base64url');
      const flipped = `${name.startsWith('A') ? 'B' : 'A'}${name.slice(1)}`;
      for (const cookie of [
        ...[forged, flipped, name.slice(1), `${name}A`, name.toUpperCase(), digest(name)],
        ...['', 'x', 'a'.repeat(3_000), "' OR 1=1 --", '*', '__proto__'],
      ]) {
        await seesNothing(cookie);
      }
    });

    it('that has signed out, or was signed out at the issuer', async () => {
      const page = await person.open('/deals');
      const { action, body } = formOf(page);
      await person.send(action, { method: 'POST', body });
      await seesNothing(name);
    });

    it('with a form of another session', async () => {
      const other = await services.person(FULL);
      const { action, body } = formOf(await other.signIn('/deals'));
      const response = await person.send(action, { method: 'POST', body });
      expect(response.status).to.equal(403);
      expect((await person.send('/deals')).headers.get('location')).to.match(/^\/deals\?/);
    });
  });
});

/** Every decimal in it, without its sign. */
function amountsIn(value: unknown): string[] {
  return [...JSON.stringify(value).matchAll(/"-?(\d+\.\d+)"/g)].map(([, amount = '']) => amount);
}
